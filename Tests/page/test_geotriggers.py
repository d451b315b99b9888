"""The Geotriggers tool."""

import json
import re
import urllib.request

from harness import root


def open_tool(bench, **options):
    page = bench.open(bench.main(), '#map=cape&tool=fences', **options)
    bench.status('Watching 2 monitors live.')
    page.wait_for_selector('.leaflet-tooltip')
    return page


def test_fences_with_names(bench):
    page = open_tool(bench)
    names = page.locator('.leaflet-tooltip').all_text_contents()
    assert 'Gate Lawn' in names and 'Sundial' in names, names


def test_replay_with_pause_and_speed(bench):
    page = open_tool(bench)
    page.get_by_label('Track to replay').set_input_files(root / 'rasters/walk.csv')
    bench.status(re.compile(r'walk.csv: [\d,]+ locations of 2 entities'))
    page.get_by_label('Speed').select_option('30')
    page.get_by_role('button', name='Play', exact=True).click()
    page.locator('.log .word.entered').first.wait_for()
    pause = page.get_by_role('button', name='Pause')
    page.wait_for_timeout(3000)
    pause.click()
    page.wait_for_timeout(400)
    share = page.locator('#panel-fences progress').evaluate('(own) => own.value')
    page.wait_for_timeout(600)
    assert share == page.locator('#panel-fences progress').evaluate('(own) => own.value')
    assert 0 < share < 1, share
    page.get_by_text('Now in garden').wait_for()
    page.locator('.log .why').first.wait_for()
    bench.shot('geotriggers')
    page.get_by_label('Speed').select_option('Infinity')
    page.get_by_role('button', name='Play', exact=True).click()
    page.wait_for_function('() => document.querySelector("#panel-fences progress").value === 1')
    page.get_by_role('button', name='Play', exact=True).wait_for()
    page.wait_for_timeout(500)
    # The entities inside at the end, according to the events: each exit removes an entity that was
    # inside.
    with page.expect_download() as download:
        page.get_by_role('button', name='Save events').click()
    events = [json.loads(line) for line in open(download.value.path())]
    inside = set()
    for own in events:
        key = (own['monitor'], own['fence'], own['entity'])
        if own['type'] == 'entered':
            inside.add(key)
        else:
            inside.discard(key)
    shown = set()
    for row in page.locator('#panel-fences h2:has-text("Now in") + ul li').all():
        name, who = row.locator('strong').inner_text(), row.locator('.hint').inner_text()
        shown |= {(name, one) for one in who.split(', ')}
    assert shown == {(fence, entity) for _, fence, entity in inside}, (shown, inside)
    first = len(events)
    # The same track again.
    page.get_by_role('button', name='From the start').click()
    page.get_by_role('button', name='Play', exact=True).click()
    page.wait_for_function(
        '() => document.querySelector("#panel-fences progress").value === 1', timeout=20_000)
    page.wait_for_timeout(500)
    assert not page.locator('#panel-fences .status.error').count()
    with page.expect_download() as download:
        page.get_by_role('button', name='Save events').click()
    assert len(open(download.value.path()).readlines()) == 2 * first


def test_a_live_monitor(bench):
    page = open_tool(bench)
    row = {'id': 'bus <b>1</b>', 'time': '2026-05-02T10:00:00Z', 'lon': 18.432565,
           'lat': -33.987901}
    request = urllib.request.Request(
        bench.main() + '/monitor/sights/locations', json.dumps(row).encode(),
        {'Content-Type': 'application/json'})
    urllib.request.urlopen(request).read()
    page.locator('.log', has_text='bus <b>1</b>').wait_for()
    page.locator('#panel-fences .list', has_text='Sundial').first.wait_for()


def test_a_monitor_joined_half_way(bench):
    def post(second, lon):
        row = {'id': 'tram', 'time': f'2026-05-03T10:00:{second:02}Z', 'lon': lon,
               'lat': -33.987901}
        urllib.request.urlopen(urllib.request.Request(
            bench.main() + '/monitor/sights/locations', json.dumps(row).encode(),
            {'Content-Type': 'application/json'})).read()

    post(0, 18.432565)
    page = open_tool(bench)
    # Entities from before the page was opened.
    page.locator('#panel-fences .list', has_text='Sundial').filter(has_text='tram').wait_for()
    assert not page.locator('.log', has_text='tram').count()
    walker = page.locator('.leaflet-marker-icon', has_text='t').first
    before = walker.bounding_box()
    # There is no event, because the entity is still inside.
    post(1, 18.432600)
    page.wait_for_function(
        """(x) => [...document.querySelectorAll('.leaflet-marker-icon')].some((own) =>
             own.textContent === 't' && Math.abs(own.getBoundingClientRect().x - x) > 2)""",
        arg=before['x'])
    assert not page.locator('.log', has_text='tram').count()


def test_a_bad_track(bench):
    page = open_tool(bench)
    for name, text, words in (
            ('a.csv', 'id,x,y\n1,18,-33\n', 'no column of times'),
            ('b.csv', 'id,time,x,y\n', 'no location with a time'),
            ('c.gpx', '<gpx', 'not GPX'), ('d.json', '{"a":', 'JSON')):
        page.get_by_label('Track to replay').set_input_files(
            {'name': name, 'mimeType': 'text/plain', 'buffer': text.encode()})
        bench.status(re.compile(words))
    assert page.get_by_role('button', name='Play', exact=True).is_disabled()


def test_refused_locations_are_said(bench):
    page = open_tool(bench)
    page.get_by_label('Speed').select_option('Infinity')
    # A location without numbers, and one beyond the pole, anywhere in the track.
    for at, bad in ((0, 'here,-33.9'), (2, 'here,-33.9'), (0, '18.4,95'), (2, '18.4,95')):
        rows = ['18.432565,-33.987901'] * 3
        rows[at] = bad
        text = 'id,time,x,y\n' + ''.join(
            f'one,2026-05-01T10:00:0{second}Z,{row}\n' for second, row in enumerate(rows))
        page.get_by_label('Track to replay').set_input_files(
            {'name': f'{at}.csv', 'mimeType': 'text/csv', 'buffer': text.encode()})
        bench.status(f'{at}.csv: 3 locations of 1 entity')
        if bad.endswith('95') and at == 0:
            bench.allow('status of 400')
        page.get_by_role('button', name='Play', exact=True).click()
        page.locator('#panel-fences .status.error').wait_for()
        # The valid locations were used.
        page.wait_for_function('() => document.querySelector("#panel-fences progress").value === 1')
        page.locator('.log', has_text='one').wait_for()


def test_a_track_without_names(bench):
    page = open_tool(bench)
    points = ''.join(
        f'<trkpt lat="-33.9880" lon="{18.4322 + at * 0.0002:.4f}">'
        f'<time>2026-05-04T10:00:{at:02}Z</time></trkpt>' for at in range(10))
    page.get_by_label('Track to replay').set_input_files({
        'name': 'a.gpx', 'mimeType': 'application/gpx+xml', 'buffer': (
            '<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">'
            f'<trk><trkseg>{points}</trkseg></trk></gpx>').encode()})
    page.get_by_label('Speed').select_option('Infinity')
    page.get_by_role('button', name='Play', exact=True).click()
    page.wait_for_function('() => document.querySelector("#panel-fences progress").value === 1')
    page.locator('.log .word.entered').first.wait_for()
    assert not page.locator('#panel-fences .status.error').count()
