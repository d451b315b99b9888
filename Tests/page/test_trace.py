"""The Trace tool."""

import json
import re


def devices(bench):
    from harness import root
    features = json.load(open(root / 'rasters/gas_devices.geojson'))['features']
    return {own['properties']['GLOBALID']: own['geometry']['coordinates'] for own in features}


def open_tool(bench, **options):
    lng, lat = devices(bench)['M0054']
    page = bench.open(
        bench.main(), f'#map=cape&view={lng},{lat},18&tool=trace', **options)
    bench.settled()
    bench.status('Tap an element of the network to start from.')
    page.wait_for_function(
        '() => document.querySelectorAll("#panel-trace select option").length > 5')
    return page


def start_at_meter(bench, page):
    bench.tap(*devices(bench)['M0054'])
    page.get_by_role('dialog').get_by_role('button', name='Load').click()
    bench.status('Start: M0054, Load')


def test_isolation(bench):
    page = open_tool(bench)
    bench.tap(*devices(bench)['M0054'])
    dialog = page.get_by_role('dialog', name='Which terminal of M0054?')
    dialog.wait_for()
    assert dialog.get_by_role('button').all_inner_texts() == ['Supply', 'Load', 'Cancel']
    dialog.get_by_role('button', name='Load').click()
    bench.status('Start: M0054, Load')
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status(re.compile(r'Close 3 barriers; \d+ elements isolated'))
    panel = page.locator('#panel-trace')
    for valve in ('V0031', 'V0045', 'V0049'):
        assert panel.locator('strong', has_text=valve).count() == 1, valve
    assert panel.locator('.why').count() >= 3, 'each says why'
    panel.get_by_role('cell', name=re.compile('Meter')).first.wait_for()
    page.get_by_role('button', name='Zoom to the network')
    page.evaluate('document.querySelector(".leaflet-control-zoom-out").click()')
    page.wait_for_timeout(900)
    bench.shot('trace')
    with page.expect_download() as download:
        panel.get_by_role('button', name='Save GeoJSON').click()
    saved = json.load(open(download.value.path()))
    roles = {own['properties']['role'] for own in saved['features']}
    assert {'isolating', 'isolated'} <= roles, roles


def test_an_inoperable_valve_and_again(bench):
    page = open_tool(bench)
    start_at_meter(bench, page)
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status('Close 3 barriers')
    page.get_by_role('button', name='Mark V0045 as inoperable and trace again').click()
    page.locator('#panel-trace .list', has_text='Inoperable V0045').wait_for()
    page.wait_for_function('''() => ![...document.querySelectorAll('.trace-result strong')]
      .some((own) => own.textContent === 'V0045')''')
    bench.status('Close')
    page.get_by_role('button', name='Remove inoperable V0045').click()
    page.locator('.trace-result strong', has_text='V0045').wait_for()


def test_filter_barriers_and_a_fraction(bench):
    page = open_tool(bench)
    bench.allow('status of 400')
    start_at_meter(bench, page)
    page.get_by_label('Filter category').select_option(label='none: filter barriers only')
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status(re.compile('filter barrier', re.I))
    assert page.locator('#panel-trace .status.error').count() == 1
    page.get_by_role('button', name='Filter barrier', exact=True).click()
    # A point on a house's service pipe: a fraction of the pipe.
    from harness import root
    lines = json.load(open(root / 'rasters/gas_pipes.geojson'))['features']
    lng, lat = devices(bench)['M0054']
    near = min((own for own in lines if own['properties']['LENGTH_M'] > 15), key=lambda own: min(
        abs(x - lng) + abs(y - lat) for x, y in middle(own)))
    [(x, y)] = middle(near)
    bench.tap(x, y)
    bench.status(re.compile(r'Filter barrier: .*% along'))


def middle(line):
    (ax, ay), (bx, by) = line['geometry']['coordinates'][:2]
    return [((ax + bx) / 2, (ay + by) / 2)]


def test_the_controllers_as_category(bench):
    page = open_tool(bench)
    start_at_meter(bench, page)
    page.get_by_label('Filter category').select_option('Subnetwork Controller')
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status(re.compile('Close 1 barrier;'))


def test_other_traces(bench):
    page = open_tool(bench)
    start_at_meter(bench, page)
    for kind in ('upstream', 'subnetwork', 'subnetworkControllers', 'connected', 'downstream'):
        page.get_by_label('Kind of trace').select_option(kind)
        if page.get_by_role('button', name='Trace', exact=True).get_attribute('aria-busy'):
            page.wait_for_timeout(100)
        page.get_by_role('button', name='Trace', exact=True).click()
        bench.status(re.compile(r'^\d[\d,]* elements? found'))
    bench.allow('status of 400')
    page.get_by_label('Kind of trace').select_option('shortestPath')
    page.get_by_role('button', name='Trace', exact=True).click()
    page.locator('#panel-trace .status.error').wait_for()


def test_nothing_near(bench):
    page = open_tool(bench)
    x, y = bench.at(*devices(bench)['M0054'])
    page.evaluate('location.hash = "#map=cape&view=18.6,-34.2,16&tool=trace"')
    page.wait_for_timeout(500)
    page.mouse.click(x, y)
    bench.status(re.compile(r'No element of the network is within [\d.]+ m'))


def test_an_error_of_the_definition(bench):
    page = open_tool(bench)
    start_at_meter(bench, page)
    bench.allow('status of 400')
    page.route('**/api/trace', lambda route: route.fulfill(
        status=400, content_type='application/json',
        body='{"error":{"code":"failed","message":"no valid subnetwork controllers"}}'))
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status('no valid subnetwork controllers')


TOWN = """[JUNCTIONS]
J1 10 5
J2 10 5
[RESERVOIRS]
R1 50
[PIPES]
P1 R1 J1 100 200 100 0 Open
P2 J1 J2 100 200 100 0 Open
[COORDINATES]
R1 18.400 -33.900
J1 18.410 -33.900
J2 18.420 -33.900
[END]
"""


def test_a_network_without_a_reference(bench):
    def make(folder):
        (folder / 'town.inp').write_text(TOWN)
        return ['--network', str(folder / 'town.inp')]
    page = bench.open(bench.server('town', make), '#view=18.41,-33.9,14&tool=trace')
    bench.status('Tap an element of the network to start from.')
    page.wait_for_timeout(500)
    bench.tap(18.41, -33.9)
    bench.status(re.compile('Start: J1'))
    page.get_by_label('Kind of trace').select_option('upstream')
    page.get_by_role('button', name='Trace', exact=True).click()
    bench.status(re.compile(r'\d+ elements'))
    bench.shot('trace-epanet')
