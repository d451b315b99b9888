"""The Statistics tool."""

import json
import math
import re
import struct
import urllib.request

from harness import root
from test_page import unnamed
from test_trace import devices

names = {'count': 'Count', 'mean': 'Mean', 'min': 'Minimum', 'max': 'Maximum',
         'stdev': 'Standard deviation', 'median': 'Median', 'sum': 'Sum'}
square = [(18.5, -34.0), (18.6, -34.0), (18.6, -33.9), (18.5, -33.9)]
service = '''
  (name) => fetch('api/page').then((reply) => reply.json()).then((page) => page.maps[0].images.find(
    (own) => own.title === name).service)'''


def open_tool(bench, view='18.55,-33.95,11', **options):
    page = bench.open(bench.main(), f'#map=cape&view={view}&tool=statistics', **options)
    bench.settled()
    bench.status('Draw an area, or use a result of Buffers or Trace.')
    return page


def choose(page, name):
    page.get_by_label('Raster').select_option(label=name)


def draw(bench, corners=square):
    """Draws an area; the last corner is a double click."""
    page = bench.page
    page.get_by_role('button', name='Draw an area').click()
    for at in corners[:-1]:
        bench.tap(*at)
    page.mouse.dblclick(*bench.at(*corners[-1]))


def post(address, path, body):
    request = urllib.request.Request(
        address + path, json.dumps(body).encode(), {'Content-Type': 'application/json'})
    return json.load(urllib.request.urlopen(request))


def computed(bench, name, geometry, scaled=True):
    """The statistics of an area, requested from the server without the page."""
    collection = {'type': 'FeatureCollection', 'features': [
        {'type': 'Feature', 'properties': {}, 'geometry': geometry}]}
    reply = post(bench.main(), '/api/zonal', {
        'rasters': ['v=' + bench.page.evaluate(service, name)], 'features': collection,
        'stat': ','.join([*names, 'area']), 'scaled': scaled})
    return {key.removeprefix('v_'): value
            for key, value in reply['features'][0]['properties'].items()}


def text_of(number):
    """A number as the page shows it: with seven digits, but with all digits of whole numbers."""
    if number is None:
        return 'no value'
    size = abs(number)
    if size and size < 1e-4:
        base, power = f'{number:.6e}'.split('e')
        return f'{base}e{int(power):+d}'
    whole = 0 if size < 1 else math.floor(math.log10(size)) + 1
    if not number:
        return '0'
    places = max(7, whole) - (math.floor(math.log10(size)) + 1)
    text = f'{round(number, places):,.{max(0, places)}f}'
    return text.rstrip('0').rstrip('.') if '.' in text else text


def area_of(metres):
    for least, unit in ((1e6, 'km²'), (1e4, 'ha')):
        if metres >= least:
            return f'{text_of(metres / least)} {unit}'
    return f'{text_of(metres)} m²'


def shown(page):
    """The names and values of the table."""
    table = page.locator('#panel-statistics dl')
    return dict(zip(table.locator('dt').all_inner_texts(), table.locator('dd').all_inner_texts()))


def same(page, values, unit=''):
    """Checks that the page shows values."""
    own = shown(page)
    for key, name in names.items():
        after = f' {unit}' if unit and key not in ('count', 'sum') else ''
        wanted = text_of(values[key])
        assert own[name] == wanted + (after if values[key] is not None else ''), (name, own, values)
    assert own['Area with values'] == area_of(values['area']), (own, values)
    assert own['Status'].split(':')[0] == values['status'], own
    share = float(f'{values["valid_fraction"] * 100:.4g}')
    assert own['Valid share'] == f'{share:g} %', own


def bars(page):
    """The counts of the histogram's bars."""
    titles = page.locator('#panel-statistics svg.histogram rect title').evaluate_all(
        'list => list.map((own) => own.textContent)')
    return [float(own.rsplit(': ', 1)[1].replace(',', '')) for own in titles]


def sent(asked):
    """The area of a request for statistics."""
    return asked.value.post_data_json['features']['features'][0]['geometry']


def test_a_drawn_area(bench):
    page = open_tool(bench)
    choose(page, 'dem')
    with page.expect_request('**/api/zonal') as asked:
        draw(bench)
    bench.status(re.compile(r'Statistics of [\d,.]+ cells of dem\.'))
    geometry = sent(asked)
    [ring] = geometry['coordinates']
    assert len(ring) == 5 and ring[0] == ring[-1], ring
    for (x, y), (lng, lat) in zip(ring, square):
        assert abs(x - lng) < 1e-3 and abs(y - lat) < 1e-3, (ring, square)
    values = computed(bench, 'dem', geometry)
    same(page, values, 'm')
    assert values['status'] == 'ok'
    page.get_by_role('heading', name='Drawn area').wait_for()
    page.get_by_role('img', name=re.compile(
        f'Histogram of dem: .* cells from {values["min"]} to {values["max"]},')).wait_for()
    assert abs(sum(bars(page)) - values['count']) < 0.1, bars(page)
    assert unnamed(page) == []
    page.wait_for_timeout(200)
    bench.shot('statistics')
    with page.expect_download() as download:
        page.get_by_role('button', name='Save GeoJSON').click()
    saved = json.load(open(download.value.path()))
    [feature] = saved['features']
    own = {key.split('_', 1)[-1]: value for key, value in feature['properties'].items()}
    for key in (*names, 'area'):
        assert own[key] == values[key], (key, own)
    page.get_by_role('button', name='Clear').click()
    bench.status('Draw an area')
    assert not page.locator('#panel-statistics dl').count()


def test_each_raster(bench):
    page = open_tool(bench)
    with page.expect_request('**/api/zonal') as asked:
        draw(bench)
    geometry = sent(asked)
    for name, unit, side in (('land_cover', '', 1), ('ndvi', '', None), ('evi', 'EVI', None),
                             ('heights', 'm', 3)):
        choose(page, name)
        bench.status(f'cells of {name}.')
        page.get_by_role('img', name=f'Histogram of {name}').wait_for()
        values = computed(bench, name, geometry)
        same(page, values, unit)
        # Whole numbers are evenly distributed over the bars; other values are in the 256 bins of
        # the service, eight per bar.
        bins = math.ceil((values['max'] - values['min'] + 1) / side) if side else 32
        assert len(bars(page)) == bins, (name, bars(page))
        assert abs(sum(bars(page)) - values['count']) < 0.1, (name, bars(page))
        labels = page.locator('svg.histogram text').all_text_contents()
        for text, number in zip(labels, (values['min'], values['max'])):
            assert abs(float(text) - number) < 1e-5, (name, labels)
    choose(page, 'evi')
    page.get_by_label('Apply scale and offset').uncheck()
    bench.status('cells of evi.')
    same(page, computed(bench, 'evi', geometry, scaled=False))


def test_bins_of_whole_numbers(bench):
    """A class has a bar with the count of that class."""
    page = open_tool(bench)
    choose(page, 'land_cover')
    with page.expect_request('**/api/zonal') as asked:
        draw(bench)
    page.get_by_role('img', name='Histogram of land_cover').wait_for()
    classes = post(bench.main(), '/api/zonal', {
        'rasters': [page.evaluate(service, 'land_cover')], 'classes': True,
        'features': {'type': 'FeatureCollection', 'features': [
            {'type': 'Feature', 'properties': {}, 'geometry': sent(asked)}]}})
    wanted = {own['properties']['class']: own['properties']['count']
              for own in classes['features']}
    first = min(wanted)
    for at, number in enumerate(bars(page)):
        assert abs(number - wanted.get(first + at, 0)) < 1e-3, (at, number, wanted)


def test_parts_of_an_area_without_values(bench):
    page = open_tool(bench, '18.05,-33.95,10')
    choose(page, 'dem')
    with page.expect_request('**/api/zonal') as asked:
        draw(bench, [(17.9, -34), (18.2, -34), (18.2, -33.9), (17.9, -33.9)])
    bench.status('cells of dem.')
    values = computed(bench, 'dem', sent(asked))
    assert values['status'] == 'partial' and 0.6 < values['valid_fraction'] < 0.7, values
    same(page, values, 'm')
    with page.expect_request('**/api/zonal') as asked:
        draw(bench, [(17.8, -34), (17.9, -34), (17.9, -33.9)])
    bench.status('dem: the area is outside the raster.')
    same(page, computed(bench, 'dem', sent(asked)), 'm')
    assert not page.locator('svg.histogram').count()
    # Edges that cross cause a warning.
    draw(bench, [(18.1, -34), (18.2, -33.9), (18.2, -34), (18.1, -33.9)])
    page.get_by_text('area was repaired').wait_for()


def test_buffers(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.6,-33.9,9&tool=buffers')
    bench.settled()
    own = page.get_by_role('button', name='Statistics of this area')
    assert own.is_disabled()
    bench.tap(18.6, -33.9)
    bench.status('Buffer created.')
    page.get_by_label('Radius of the next point').fill('12')
    bench.tap(18.9, -33.7)
    bench.status('2 buffers created.')
    own.click()
    bench.status('Statistics of')
    assert page.evaluate('document.activeElement.textContent') == 'Geodesic buffer 1'
    choose(page, 'dem')
    bench.status('cells of dem.')
    for index, name, miles in (('1', 'Geodesic buffer 2', 12), ('0', 'Geodesic buffer 1', 5)):
        with page.expect_request('**/api/zonal') as asked:
            page.get_by_label('Area', exact=True).select_option(index)
        page.get_by_role('heading', name=name).wait_for()
        bench.status('cells of dem.')
        geometry = sent(asked)
        north = [y for x, y in geometry['coordinates'][0]]
        height = max(north) - min(north)
        assert abs(height * 110_900 / 1609.344 / 2 - miles) < miles / 100, height
        same(page, computed(bench, 'dem', geometry), 'm')
    page.get_by_role('img', name='Histogram of dem').wait_for()
    bench.shot('statistics-buffers')
    # Both buffers as a single area, in the plane.
    bench.tool('Buffers')
    page.get_by_label('Union: a single area').check()
    page.get_by_label('Planar').check()
    bench.status('2 buffers created.')
    page.get_by_role('button', name='Statistics of this area').click()
    with page.expect_request('**/api/zonal') as asked:
        page.get_by_label('Area', exact=True).select_option(label='Planar buffer')
    bench.status('Statistics of')
    geometry = sent(asked)
    assert geometry['type'] == 'MultiPolygon' and len(geometry['coordinates']) == 2, geometry
    same(page, computed(bench, 'dem', geometry), 'm')
    assert not page.get_by_text('was repaired').count()


def test_a_trace(bench):
    lng, lat = devices(bench)['M0054']
    page = bench.open(bench.main(), f'#map=cape&view={lng},{lat},18&tool=trace')
    bench.settled()
    bench.status('Tap an element of the network to start from.')
    button = page.get_by_role('button', name='Statistics of this area')
    assert button.is_disabled()
    bench.tap(lng, lat)
    page.get_by_role('dialog').get_by_role('button', name='Load').click()
    bench.status('Start: M0054, Load')
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status(re.compile(r'Close 3 barriers; \d+ elements isolated'))
    button.click()
    bench.status('Statistics of')
    page.get_by_role('heading', name='Within 10 m of 128 isolated features').wait_for()
    found = post(bench.main(), '/api/trace', {
        'network': 'gas', 'type': 'isolation', 'start': ['M0054:2'],
        'filter-category': 'Isolating', 'include-isolated': True, 'shapes': True})['geoJSON']
    isolated = [own for own in found['features']
                if own['geometry'] and own['properties']['role'] == 'isolated']
    assert len(isolated) == 128
    choose(page, 'evi')
    for metres in (10, 40):
        field = page.get_by_label('Distance around the features, in metres')
        assert field.input_value() == '10' or metres == 40
        field.fill(str(metres))
        field.press('Tab')
        page.get_by_role('heading', name=f'Within {metres} m of 128 isolated features').wait_for()
        bench.status('of evi.')
        area = post(bench.main(), '/api/buffer', {
            'features': {'type': 'FeatureCollection', 'features': isolated},
            'distance': metres, 'unit': 'm', 'geodesic': True, 'union': True})
        values = computed(bench, 'evi', area['features'][0]['geometry'])
        same(page, values, 'EVI')
    assert 'ha' in shown(page)['Area with values']
    page.get_by_role('img', name='Histogram of evi').wait_for()
    page.wait_for_timeout(200)
    bench.shot('statistics-trace')
    requests = len(bench.requests)
    field.fill('0')
    field.press('Tab')
    bench.status('Enter a distance above 0 metres.')
    assert field.get_attribute('aria-invalid') == 'true'
    assert not [url for url in bench.requests[requests:] if '/api/' in url]
    # Other traces show the features that they find.
    field.fill('5')
    bench.tool('Trace')
    page.get_by_label('Kind of trace').select_option('upstream')
    bench.status('found')
    button.click()
    page.get_by_role('heading', name=re.compile(r'^Within 5 m of \d+ traced features?$')).wait_for()
    bench.status('Statistics of')


def test_errors(bench):
    page = open_tool(bench)
    bench.allow('status of 413')
    choose(page, 'dem')
    page.route('**/api/zonal', lambda route: route.fulfill(
        status=413, content_type='application/json',
        body='{"error":{"code":"limit","message":"the area has too many cells"}}'))
    draw(bench)
    bench.status('the area has too many cells')
    assert page.locator('#panel-statistics .status.error').count() == 1
    assert not page.locator('#panel-statistics dl').count()
    page.unroute('**/api/zonal')
    page.route('**/computeHistograms*', lambda route: route.fulfill(
        status=200, content_type='application/json',
        body='{"error":{"code":500,"message":"the disk is gone","details":[]}}'))
    choose(page, 'heights')
    bench.status('cells of heights.')
    page.get_by_text('The histogram is missing: the disk is gone').wait_for()
    bench.allow('ERR_')
    bench.context.set_offline(True)
    choose(page, 'dem')
    bench.status('the server does not answer')
    bench.context.set_offline(False)


def test_a_superseded_request_is_aborted(bench):
    page = open_tool(bench)
    choose(page, 'dem')
    held, failed = [], []
    page.on('requestfailed', lambda own: failed.append((own.url, own.failure)))

    def hold(route):
        held.append(route)
        if len(held) > 1:
            route.continue_()
    page.route('**/api/zonal', hold)
    draw(bench)
    bench.status('Computing.')
    page.wait_for_timeout(200)
    choose(page, 'evi')
    bench.status('cells of evi.')
    assert len(held) == 2, held
    [(url, failure)] = failed
    assert url.endswith('/api/zonal') and 'ERR_ABORTED' in failure, failed
    page.get_by_role('img', name='Histogram of evi').wait_for()
    # The newest result remains.
    held[0].abort()
    page.wait_for_timeout(300)
    bench.status('cells of evi.')


def test_drawing(bench):
    page = open_tool(bench)
    choose(page, 'dem')
    zoom = page.evaluate('location.hash')
    start = page.get_by_role('button', name='Draw an area')
    finish = page.get_by_role('button', name='Finish')
    start.click()
    assert finish.is_disabled() and not start.is_visible()
    for at in square[:2]:
        bench.tap(*at)
    bench.status('2 corners drawn.')
    # A double click does not add two corners.
    bench.tap(*square[1])
    bench.status('2 corners drawn.')
    page.get_by_role('button', name='Undo').click()
    bench.status('1 corner drawn.')
    page.keyboard.press('Escape')
    bench.status('Draw an area')
    assert start.is_visible()
    # Cancel, another tool, and Finish.
    start.click()
    bench.tap(*square[0])
    page.get_by_role('button', name='Cancel').click()
    bench.status('Draw an area')
    start.click()
    bench.tap(*square[0])
    bench.tool('Layers')
    bench.tool('Statistics')
    assert start.is_visible()
    start.click()
    for at in square:
        bench.tap(*at)
    finish.click()
    bench.status('cells of dem.')
    # A tap on the first corner also closes the area.
    start.click()
    for at in (*square[:3], square[0]):
        bench.tap(*at)
    bench.status('cells of dem.')
    draw(bench)
    bench.status('cells of dem.')
    page.wait_for_timeout(600)
    assert page.evaluate('location.hash') == zoom, 'the view stays'
    # If no area is being drawn, a tap identifies.
    bench.tap(*square[0])
    page.wait_for_selector('#panel-identify:not([hidden])')
    bench.status('elements')


def test_keyboard(bench):
    page = open_tool(bench)
    choose(page, 'dem')
    page.get_by_role('button', name='Draw an area').focus()
    page.keyboard.press('Enter')
    assert page.evaluate('document.activeElement.id') == 'map'
    for key in ('ArrowRight', 'ArrowUp', 'ArrowLeft'):
        page.keyboard.press('Enter')
        page.keyboard.press(key)
        page.wait_for_timeout(500)
    bench.status('3 corners drawn.')
    page.keyboard.press('Backspace')
    bench.status('2 corners drawn.')
    page.keyboard.press('Enter')
    bench.status('3 corners drawn.')
    with page.expect_request('**/api/zonal') as asked:
        page.keyboard.press('Enter')
    bench.status('cells of dem.')
    same(page, computed(bench, 'dem', sent(asked)), 'm')
    # The Finish button, used with the keyboard.
    page.get_by_role('button', name='Draw an area').focus()
    page.keyboard.press('Enter')
    for key in ('ArrowRight', 'ArrowUp', 'ArrowLeft'):
        page.keyboard.press('Enter')
        page.keyboard.press(key)
        page.wait_for_timeout(500)
    page.get_by_role('button', name='Finish').focus()
    page.keyboard.press('Enter')
    bench.status('cells of dem.')
    assert page.evaluate('document.activeElement.textContent') == 'Draw an area'


def test_a_phone(bench):
    page = open_tool(bench, width=390, height=844, touch=True, density=2)
    choose(page, 'dem')
    page.get_by_role('button', name='Draw an area').tap()
    box = page.locator('#map').bounding_box()
    corners = [(box['x'] + box['width'] * x, box['y'] + box['height'] * y)
               for x, y in ((0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7))]
    for at in corners:
        page.touchscreen.tap(*at)
        page.wait_for_timeout(400)
    bench.status('4 corners drawn.')
    bench.shot('phone-statistics-drawing')
    page.get_by_role('button', name='Finish').tap()
    bench.status('cells of dem.')
    page.get_by_role('img', name='Histogram of dem').wait_for()
    sideways = page.evaluate('''() => [
      ...document.querySelectorAll('html, body, #panel, #body')]
      .filter((own) => own.scrollWidth > own.clientWidth + 1)
      .map((own) => own.id || own.tagName)''')
    assert not sideways, sideways
    bench.shot('phone-statistics-result')


def test_dark(bench):
    page = open_tool(bench, dark=True)
    choose(page, 'dem')
    draw(bench)
    page.get_by_role('img', name='Histogram of dem').wait_for()
    bench.shot('dark-statistics-result')


def two_bands(folder):
    """A raster of 20 × 10 cells of a hundredth of a degree: 0 to 199, and ten times these values.
    """
    width, height = 20, 10
    pixels = struct.pack('<400f', *(
        value for at in range(width * height) for value in (at, at * 10)))
    shape = [(33550, 12, struct.pack('<3d', 0.01, 0.01, 0)),
             (33922, 12, struct.pack('<6d', 0, 0, 0, 18.5, -33.9, 0)),
             (34735, 3, struct.pack('<16H', 1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1,
                                    2048, 0, 1, 4326))]
    tags = [(256, 3, struct.pack('<H', width)), (257, 3, struct.pack('<H', height)),
            (258, 3, struct.pack('<2H', 32, 32)), (259, 3, struct.pack('<H', 1)),
            (262, 3, struct.pack('<H', 1)), (273, 4, struct.pack('<I', 8)),
            (277, 3, struct.pack('<H', 2)), (278, 3, struct.pack('<H', height)),
            (279, 4, struct.pack('<I', len(pixels))), (284, 3, struct.pack('<H', 1)),
            (338, 3, struct.pack('<H', 0)), (339, 3, struct.pack('<2H', 3, 3)), *shape]
    sizes = {3: 2, 4: 4, 12: 8}
    start = 8 + len(pixels)
    more = start + 2 + 12 * len(tags) + 4
    entries = extra = b''
    for tag, kind, data in tags:
        entries += struct.pack('<HHI', tag, kind, len(data) // sizes[kind])
        if len(data) > 4:
            entries += struct.pack('<I', more + len(extra))
            extra += data
        else:
            entries += data.ljust(4, b'\0')
    (folder / 'two.tif').write_bytes(
        struct.pack('<2sHI', b'II', 42, start) + pixels + struct.pack('<H', len(tags)) + entries
        + bytes(4) + extra)
    return [str(folder / 'two.tif')]


def test_bands(bench):
    page = bench.open(bench.server('bands', two_bands), '#view=18.6,-33.95,12&tool=statistics')
    bench.settled()
    band = page.get_by_label('Band')
    assert band.locator('option').all_inner_texts() == ['1: Band 1', '2: Band 2']
    # The area is larger than the raster: all cells count, each once.
    draw(bench, [(18.49, -34.01), (18.71, -34.01), (18.71, -33.89), (18.49, -33.89)])
    bench.status('Statistics of 200 cells of')
    own = shown(page)
    assert (own['Minimum'], own['Maximum'], own['Mean']) == ('0', '199', '99.5'), own
    assert own['Status'].startswith('partial:'), own
    band.select_option('2')
    bench.status('Statistics of 200 cells of')
    own = shown(page)
    assert (own['Minimum'], own['Maximum'], own['Mean']) == ('0', '1,990', '995'), own
    page.get_by_role('img', name=re.compile('200 cells from 0 to 1,990')).wait_for()
    assert abs(sum(bars(page)) - 200) < 1e-6, bars(page)


def test_the_tabs_have_one_row(bench):
    for width in (1280, 390):
        page = open_tool(bench, width=width, height=800)
        tops = page.get_by_role('tab').evaluate_all(
            'list => list.map((own) => own.getBoundingClientRect().top)')
        assert len(set(tops)) == 1, (width, tops)
        bench.context.close()


def test_a_map_without_rasters(bench):
    page = bench.open(bench.server('features', lambda folder: [
        str(root / 'rasters/garden_sections.geojson'), str(root / 'rasters/cape.json'),
        '--network', str(root / 'rasters/gas.json')]), '#tool=statistics')
    bench.settled()
    page.get_by_label('Map', exact=True).select_option('garden_sections')
    page.get_by_text('This map has no raster.').filter(visible=True).wait_for()
    assert not page.get_by_role('button', name='Draw an area').is_visible()
    for name in ('Buffers', 'Trace'):
        bench.tool(name)
        page.get_by_role('button', name='Clear').filter(visible=True).wait_for()
        assert not page.get_by_role('button', name='Statistics of this area').count(), name
    bench.tool('Statistics')
    page.get_by_label('Map', exact=True).select_option('cape')
    page.get_by_role('button', name='Draw an area').wait_for()
    bench.tool('Buffers')
    page.get_by_role('button', name='Statistics of this area').wait_for()


def test_a_server_without_a_map(bench):
    page = bench.open(bench.server('network', lambda folder: [
        '--network', str(root / 'rasters/gas.json')]), '#tool=statistics')
    page.get_by_text('This map has no raster.').filter(visible=True).wait_for()


def test_a_token(bench):
    def make(folder):
        (folder / 'tokens').write_text('secret1\n')
        return [str(root / 'rasters/cape.json'), '--token-file', str(folder / 'tokens')]
    bench.allow('status of 401')
    page = bench.open(bench.server('own token', make),
                      '#map=cape&view=18.55,-33.95,11&tool=statistics', ready=False)
    page.get_by_role('textbox', name='Token').fill('secret1')
    page.keyboard.press('Enter')
    page.wait_for_selector('html[data-ready]')
    bench.settled()
    choose(page, 'dem')
    draw(bench)
    bench.status('cells of dem.')
    page.get_by_role('img', name='Histogram of dem').wait_for()
    # The token is requested again if it is lost.
    page.evaluate('sessionStorage.clear()')
    choose(page, 'heights')
    page.get_by_role('textbox', name='Token').fill('secret1')
    page.keyboard.press('Enter')
    bench.status('cells of heights.')
