"""The Sample tool."""

import json
import re

from harness import Skip, root


def open_tool(bench, **options):
    page = bench.open(bench.main(), '#map=cape&tool=sample', **options)
    bench.settled()
    bench.status('Choose a file of points.')
    return page


def give(page, name, data):
    data = data.encode() if isinstance(data, str) else data
    page.get_by_label('Points', exact=True).set_input_files(
        {'name': name, 'mimeType': 'application/octet-stream', 'buffer': data}, timeout=60_000)
    page.get_by_role('button', name='Sample', exact=True).click()


def grid(rows):
    side = int(rows ** 0.5)
    lines = ['id,lon,lat']
    for at in range(rows):
        x, y = at % side, at // side
        lines.append(f'{at},{18.25 + x / side:.5f},{-34.35 + y / side * 0.7:.5f}')
    return '\n'.join(lines) + '\n'


def test_the_sample_points(bench):
    page = open_tool(bench)
    page.get_by_label('Points', exact=True).set_input_files(root / 'rasters/points.csv')
    page.get_by_role('button', name='Sample', exact=True).click()
    bench.status('3 rows sampled.')
    panel = page.locator('#panel-sample')
    panel.get_by_label('Values of').select_option('dem')
    picture = panel.get_by_role('img', name=re.compile('Histogram of dem: 2 values from 0 to 80'))
    picture.wait_for()
    for word in ('outside', 'ok'):
        panel.locator('dt', has_text=word).first.wait_for()
    with page.expect_download() as download:
        panel.get_by_role('button', name='Save the result').click()
    assert download.value.suggested_filename == 'points-sampled.csv'
    lines = open(download.value.path()).read().splitlines()
    assert lines[0].startswith('id,lon,lat,') and len(lines) == 4, lines


def test_many_rows_histogram_and_map(bench):
    page = open_tool(bench)
    give(page, 'grid.csv', grid(20_000))
    bench.status('20,000 rows sampled.', 60_000)
    panel = page.locator('#panel-sample')
    panel.get_by_label('Values of').select_option('dem')
    page.wait_for_timeout(200)
    bench.shot('sample')
    drawn = page.evaluate('''() => {
      const canvas = document.querySelector('canvas.values');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 3; at < data.length; at += 4) count += data[at] ? 1 : 0;
      return count;
    }''')
    assert drawn > 10_000, drawn


def test_a_million_rows(bench):
    page = open_tool(bench)
    panel = page.locator('#panel-sample')
    for name in ('evi', 'land_cover', 'cover'):
        box = panel.get_by_role('checkbox', name=name, exact=True)
        if box.count():
            box.uncheck()
    give(page, 'grid.csv', grid(1_000_000))
    bench.status('1,000,000 rows sampled.', 120_000)
    panel.get_by_label('Values of').select_option('dem')
    longest = page.evaluate('''async () => {
      const times = [];
      new PerformanceObserver((list) => times.push(...list.getEntries().map((own) => own.duration)))
        .observe({ type: 'longtask' });
      document.querySelector('.leaflet-control-zoom-in').click();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return Math.max(0, ...times);
    }''')
    print(f'a million rows: the longest task of a zoom has {longest:.0f} ms')


def test_geojson(bench):
    page = open_tool(bench)
    features = ','.join(
        f'{{"type":"Feature","properties":{{"n":{at}}},"geometry":{{"type":"Point",'
        f'"coordinates":[{18.4 + at / 100},-33.9]}}}}' for at in range(20))
    give(page, 'p.geojson', f'{{"type":"FeatureCollection","features":[{features}]}}')
    bench.status('20 rows sampled.')
    panel = page.locator('#panel-sample')
    panel.get_by_label('Values of').select_option('dem')
    panel.get_by_role('img', name=re.compile('Histogram of dem: 20 values')).wait_for()
    with page.expect_download() as download:
        panel.get_by_role('button', name='Save the result').click()
    assert download.value.suggested_filename == 'p-sampled.geojson'


def test_geojson_of_any_form(bench):
    """Features with different properties, including nested ones, on one line or on several lines.
    """
    page = open_tool(bench)
    features = [{'type': 'Feature', 'properties': {'n': at, 'more': {'a': [1, '}']}} if at % 2
                 else {'k': 'x'}, 'geometry': {'type': 'Point', 'coordinates': [
                     18.3 + at * 0.02, -33.95]}} for at in range(20)]
    whole = {'type': 'FeatureCollection', 'features': features}
    for name, text in (
            ('one.geojson', json.dumps(whole)), ('many.geojson', json.dumps(whole, indent=2)),
            ('lines.geojsonl', ''.join(json.dumps(own) + '\n' for own in features))):
        with page.expect_response(re.compile('api/sample')):
            give(page, name, text)
        bench.status('20 rows sampled.')
        page.get_by_label('Values of').select_option('dem')
        page.get_by_role('img', name=re.compile('Histogram of dem: 20 values')).wait_for()


def test_files_that_cannot_be_read(bench):
    page = open_tool(bench)
    bench.allow('status of 400')
    for name, data, words in (
            ('empty.csv', '', 'the body has no points'),
            ('nothing.csv', 'a,b\n1,2\n', 'no coordinate columns'),
            ('bad.geojson', '{"type":"FeatureCollection","features":[', ''),
            ('latin.csv', 'name,lon,lat\nKo\xf6ln,18.5,-33.9\n'.encode('utf-16'), '')):
        give(page, name, data)
        page.wait_for_function('''() =>
          !document.querySelector('#panel-sample progress:not([hidden])')
          && document.querySelector('#panel-sample .status.error')''')
        text = bench.status(words)
        assert text, name
        print(f'{name}: {text}')
    page.get_by_role('group').get_by_role('checkbox').first.wait_for()


def test_no_header(bench):
    page = open_tool(bench)
    page.get_by_text('Columns and CRS').click()
    page.get_by_label('Column of x').fill('1')
    page.get_by_label('Column of y').fill('2')
    give(page, 'plain.csv', '18.4,-33.9\n18.5,-34.0\n')
    bench.status('2 rows sampled.')


def test_a_drop_begins(bench):
    page = open_tool(bench)
    page.evaluate('''() => {
      const data = new DataTransfer();
      data.items.add(new File(['lon,lat\\n18.4,-33.9\\n'], 'dropped.csv'));
      document.getElementById('stage').dispatchEvent(
        new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }''')
    bench.status('1 row sampled.')


def test_only_chosen_rasters_are_columns(bench):
    if bench.proxy:
        raise Skip('the server itself has to choose the layers')
    page = open_tool(bench)
    panel = page.locator('#panel-sample')
    for name in ('ndvi', 'cover', 'heights', 'land_cover', 'evi'):
        panel.get_by_role('checkbox', name=name, exact=True).uncheck()
    give(page, 'one.csv', 'id,lon,lat\n1,18.5,-33.9\n')
    bench.status('1 row sampled.')
    with page.expect_download() as download:
        panel.get_by_role('button', name='Save the result').click()
    assert open(download.value.path()).readline().strip() == 'id,lon,lat,dem,dem_status'
