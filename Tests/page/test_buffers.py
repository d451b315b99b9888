"""The Buffers tool."""

import json
import re


def open_tool(bench, view='18.6,-33.9,9'):
    page = bench.open(bench.main(), f'#map=cape&view={view}&tool=buffers')
    bench.settled()
    return page


def test_buffers_with_own_radii(bench):
    page = open_tool(bench)
    bench.status('Tap on the map to add buffers.')
    bench.tap(18.6, -33.9)
    bench.status('Buffer created.')
    page.get_by_label('Radius of the next point').fill('12')
    bench.tap(18.9, -33.7)
    bench.status('2 buffers created.')
    page.get_by_label('Radius of point 1 in miles').fill('8')
    page.keyboard.press('Tab')
    page.get_by_role('button', name='Remove point 2').wait_for()
    radii = page.locator('#panel-buffers .list input').evaluate_all(
        'list => list.map((own) => own.value)')
    assert radii == ['8', '12'], radii
    page.get_by_role('button', name='Undo').click()
    assert page.locator('#panel-buffers .list input').first.input_value() == '5'
    page.get_by_label('Union: a single area').check()
    bench.status('Buffer created.')
    page.get_by_role('button', name='Remove point 1').click()
    assert page.locator('#panel-buffers .list li').count() == 1
    page.get_by_role('button', name='Clear').click()
    bench.status('Tap on the map to add buffers.')
    page.get_by_role('button', name='Undo').click()
    bench.status('Buffer created.')


def test_planar_beside_geodesic(bench):
    page = open_tool(bench)
    page.get_by_label('Planar').check()
    bench.tap(18.6, -33.9)
    bench.status('2 buffers created.')
    page.get_by_label('Radius of the next point').fill('12')
    bench.tap(18.9, -33.7)
    bench.status('4 buffers created.')
    page.get_by_text('WGS 84 / Pseudo-Mercator').wait_for()
    bench.shot('buffers')
    with page.expect_download() as download:
        page.get_by_role('button', name='Save GeoJSON').click()
    saved = json.load(open(download.value.path()))
    methods = [own['properties']['method'] for own in saved['features']]
    assert sorted(methods) == ['geodesic', 'geodesic', 'planar', 'planar'], methods
    # Web Mercator enlarges distances: a planar buffer of the same number of metres is smaller on
    # the ground.
    north = {own['properties']['method']: max(
        y for ring in rings(own) for x, y in ring) for own in saved['features'][::2]}
    assert north['geodesic'] > north['planar'], north


def rings(feature):
    shape = feature['geometry']
    return shape['coordinates'] if shape['type'] == 'Polygon' else sum(shape['coordinates'], [])


def test_what_the_sample_refuses(bench):
    page = open_tool(bench, '-98.5,33,6')
    words = 'Enter a value between 0 and 300 to create a buffer.'
    radius = page.get_by_label('Radius of the next point')
    for value in ('0', '300', '-5', '', '1e9'):
        radius.fill(value)
        bench.tap(-98.5, 33)
        bench.status(words)
        assert page.locator('#panel-buffers .list li').count() == 0, value
    radius.fill('299.9')
    bench.tap(-98.5, 33)
    bench.status('Buffer created.')
    edit = page.get_by_label('Radius of point 1 in miles')
    edit.fill('301')
    edit.press('Enter')
    bench.status(words)
    page.get_by_role('button', name='Clear').click()


def test_the_valid_area(bench):
    page = open_tool(bench, '-98.5,33,6')
    page.get_by_label('Planar').check()
    name = page.get_by_label('CRS of the plane')
    name.fill('EPSG:32038')
    name.press('Enter')
    page.get_by_text('NAD27 / Texas North Central').wait_for()
    page.get_by_label('Radius of the next point').fill('40')
    bench.tap(-98.5, 33)
    bench.status('2 buffers created.')
    bench.tap(-98.5, 36)
    bench.status('Tap within the boundary to add buffer.')
    assert page.locator('#panel-buffers .list li').count() == 1
    bench.shot('buffers-texas')
    bench.allow('status of 400')
    name.fill('EPSG:1')
    name.press('Enter')
    page.locator('.hint.error').wait_for()


def test_units(bench):
    page = open_tool(bench)
    bench.tap(18.6, -33.9)
    bench.status('Buffer created.')
    page.get_by_label('Unit').select_option('km')
    assert page.get_by_label('Radius of point 1 in kilometres').input_value().startswith('8.046')
    page.get_by_label('Radius of the next point').fill('482.9')
    bench.tap(18.7, -33.9)
    bench.status(re.compile('300 miles are 482.8 kilometres'))


def test_an_error_in_its_place(bench):
    page = open_tool(bench)
    bench.allow('status of 400')
    page.route('**/api/buffer', lambda route: route.fulfill(
        status=400, content_type='application/json',
        body='{"error":{"code":"badInput","message":"latitude 91 is beyond a pole"}}'))
    bench.tap(18.6, -33.9)
    bench.status('latitude 91 is beyond a pole')
