"""The Identify tool and the tree of layers."""

import re

from harness import Skip

stellenbosch = (18.86, -33.93)


def test_tap_answers_as_a_tree(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    asked = []
    page.on('request', lambda request: 'api/identify' in request.url and asked.append(
        request.post_data_json))
    bench.tap(*stellenbosch)
    text = bench.status(re.compile(r'\d+ elements in \d+ layers'))
    assert re.search(r'at 18\.8[56]\d+, -33\.9[23]\d+', text), text
    assert len(asked) == 1, asked
    assert asked[0]['tolerance'] == '12px' and asked[0]['crs'] == 'EPSG:3857', asked
    assert 35_000 < asked[0]['scale'] < 160_000, asked
    panel = page.locator('#panel-identify')
    # services > ground > cover: three levels, each with its count.
    names = panel.locator('summary.layer .name').all_inner_texts()
    for name in ('wards', 'services', 'ground', 'cover', 'land_cover', 'evi', 'dem'):
        assert name in names, names
    assert panel.get_by_text('Ward 34: Stellenbosch').is_visible()
    assert panel.get_by_text('people live in Stellenbosch').is_visible()
    cell = panel.locator('.card.cell summary', has_text=re.compile(r'\d+ m$'))
    bench.shot('identify')
    cell.click()
    assert panel.get_by_text('int16').filter(visible=True).count() == 1


def test_values_that_are_not_there_are_words(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.65,-34.25,11')
    bench.settled()
    bench.tap(18.65, -34.25)
    bench.status('at 18.6')
    assert page.locator('#panel-identify').get_by_text('no data').first.is_visible()


def test_nothing_beyond_the_map(bench):
    bench.open(bench.main(), '#map=cape&view=2.35,48.86,9')
    bench.page.wait_for_timeout(300)
    bench.tap(2.35, 48.86)
    bench.status('Nothing at 2.3')


def test_dragging_the_pin_goes_on_asking(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    bench.tap(*stellenbosch)
    bench.status('elements')
    x, y = bench.at(*stellenbosch)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + step * 3, y + step)
        page.wait_for_timeout(10)
    page.mouse.up()
    page.wait_for_timeout(300)
    answers = int(page.locator('#panel-identify section').get_attribute('data-answers'))
    assert answers >= 8, answers
    # The last result is for the last point.
    lng = float(re.search(r'at (18\.\d+)', bench.status('at 18.')).group(1))
    assert abs(lng - (18.86 + 117 / (256 * 2 ** 12) * 360)) < 2e-3, lng


def test_the_newest_answer_stays(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    held = []

    def hold(route):
        held.append(route)
        if len(held) > 1:
            route.continue_()
    page.route('**/api/identify', hold)
    bench.tap(18.80, -33.93)
    page.wait_for_timeout(100)
    for lng in (18.82, 18.84, 18.88):
        bench.tap(lng, -33.93)
        page.wait_for_timeout(50)
    assert len(held) == 1, 'one request at a time'
    held[0].continue_()
    bench.status(re.compile(r'at 18\.8(79|8)'))
    page.wait_for_timeout(200)
    assert len(held) == 2, f'{len(held)} requests: those in between are skipped'
    bench.status(re.compile(r'at 18\.8(79|8)'))


def test_switch_sweeps(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    page.get_by_label('Identify while dragging').check()
    x, y = bench.at(*stellenbosch)
    before = page.evaluate('location.hash')
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert page.evaluate('location.hash') == before, 'the map stays'
    assert int(page.locator('#panel-identify section').get_attribute('data-answers')) > 1


def test_layers_tree(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.6,-34.0,10&tool=layers')
    bench.settled()
    panel = page.locator('#panel-layers')
    for name in ('places', 'wards', 'services', 'ground', 'cover', 'clinics', 'dem'):
        assert panel.get_by_label(name, exact=False).count(), name
    assert panel.locator('.check.out', has_text='clinics').count(), 'out of scale is greyed'
    panel.get_by_text('First order').wait_for()
    bench.shot('layers')
    with page.expect_request(lambda request: '/export' in request.url) as asked:
        panel.get_by_role('checkbox', name='dem').uncheck()
    assert 'layers=show' in asked.value.url
    page.wait_for_timeout(100)
    assert 'hide=' in page.evaluate('location.hash')
    bench.tool('Identify')
    bench.tap(*stellenbosch)
    bench.status('elements')
    names = page.locator('#panel-identify summary.layer .name').all_inner_texts()
    assert 'dem' not in names and 'evi' in names, names


def test_small_layers_are_drawn_by_geometry(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.6,-34.0,10')
    bench.settled()
    page.wait_for_function('''() => performance.getEntriesByType('resource').some(
      (own) => own.name.includes('MapServer/0/query'))''')
    page.wait_for_timeout(500)
    # After the next move, the picture omits features that are drawn from their geometry.
    with page.expect_request(lambda request: '/export' in request.url) as asked:
        page.locator('#map').press('ArrowRight')
    assert 'layers=show' in asked.value.url, asked.value.url
    assert not re.search(r'show%3A0%2C', asked.value.url), asked.value.url
    page.wait_for_selector('.leaflet-shapes-pane canvas')
    page.wait_for_timeout(500)
    bench.shot('shapes')
    drawn = page.evaluate('''() => {
      const canvas = document.querySelector('.leaflet-shapes-pane canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value) => value);
    }''')
    assert drawn


def test_a_failed_picture_is_said(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.6,-34.0,10')
    bench.settled()
    page.route('**/export*', lambda route: route.fulfill(
        status=200, content_type='application/json',
        body='{"error":{"code":500,"message":"the disk is gone","details":[]}}'))
    page.keyboard.press('Tab')
    page.mouse.move(800, 300)
    page.mouse.wheel(0, -300)
    page.get_by_role('alert').filter(has_text='the disk is gone').wait_for()
    assert page.locator('img.picture').count() == 1, 'the old picture stays'


def test_an_error_of_the_request(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    bench.allow('status of 504')
    page.route('**/api/identify', lambda route: route.fulfill(
        status=504, content_type='application/json',
        body='{"error":{"code":"limit","message":"the request exceeded the time limit"}}'))
    bench.tap(*stellenbosch)
    bench.status('the request exceeded the time limit')
    page.unroute('**/api/identify')
    bench.allow('net::ERR')
    page.route('**/api/identify', lambda route: route.abort())
    bench.tap(*stellenbosch)
    bench.status('the server does not answer')


def test_layers_that_are_switched_on_answer(bench):
    if bench.proxy:
        raise Skip('the server itself has to choose the layers')
    # Vleis are initially hidden in the map.
    lng, lat = 19.01375, -33.62875
    for fragment, is_there in (('', False), ('&show=13', True)):
        page = bench.open(bench.main(), f'#map=cape&view={lng},{lat},14{fragment}')
        bench.settled()
        bench.tap(lng, lat)
        bench.status('elements')
        names = page.locator('#panel-identify summary.layer .name').all_inner_texts()
        assert ('vleis' in names) == is_there, names
        bench.context.close()
