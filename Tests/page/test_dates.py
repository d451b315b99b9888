"""The date slider of maps that have layers with dates."""

import datetime
import json
import re
import struct
import urllib.parse
import urllib.request

LEFT, TOP, CELL, SIDE = 18.4, -33.8, 0.02, 10
VIEW = '&view=18.5,-33.9,11'
POINT = (18.51, -33.91)


def value(number, row, column):
    """Values whose pattern differs between dates, because pictures are stretched."""
    return (number + 7) * (row * SIDE + column + 3) % 251 + 1


def at_point(number):
    """The value of the cell at POINT."""
    return value(number, 5, 5)


def tiff(path, number):
    """A GeoTIFF of SIDE × SIDE bytes in EPSG:4326."""
    cells = bytes(value(number, row, column) for row in range(SIDE) for column in range(SIDE))
    scale = struct.pack('<3d', CELL, CELL, 0)
    tie = struct.pack('<6d', 0, 0, 0, LEFT, TOP, 0)
    keys = struct.pack('<16H', 1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)
    blocks = [cells, scale, tie, keys]
    entries, start = 13, 8
    offsets = []
    place = start + 2 + entries * 12 + 4
    for block in blocks:
        offsets.append(place)
        place += len(block)
    table = [
        (256, 3, 1, SIDE), (257, 3, 1, SIDE), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
        (273, 4, 1, offsets[0]), (277, 3, 1, 1), (278, 3, 1, SIDE), (279, 4, 1, len(cells)),
        (284, 3, 1, 1), (33550, 12, 3, offsets[1]), (33922, 12, 6, offsets[2]),
        (34735, 3, 16, offsets[3])]
    head = struct.pack('<2sHIH', b'II', 42, start, entries)
    path.write_bytes(head + b''.join(
        struct.pack('<HHI', tag, kind, count) + (
            struct.pack('<HH', own, 0) if kind == 3 and count == 1 else struct.pack('<I', own))
        for tag, kind, count, own in table) + struct.pack('<I', 0) + b''.join(blocks))


def stack(folder, name, days, shift=0):
    """Files of one layer; cells of the date with an index have `value(index + shift, …)`."""
    (folder / name).mkdir()
    for number, day in enumerate(days):
        tiff(folder / name / f'{name}_{day:%Y%j}.tif', number + shift)
    return {'id': name, 'title': name, 'layerType': 'RasterLayer', 'url': f'{name}/*.tif',
            'dates': f'{name}_%Y%j'}


def document(folder, *layers):
    path = folder / 'dated.json'
    path.write_text(json.dumps({'version': '2.31', 'operationalLayers': list(layers)}))
    return [str(path)]


def days(count, step=16):
    return [datetime.date(2020, 1, 1) + datetime.timedelta(step * at) for at in range(count)]


def of(count, step=16):
    return lambda folder: document(folder, stack(folder, 'evi', days(count, step)))


def begin(bench, count, fragment='', step=16, **settings):
    address = bench.server(f'dates-{count}', of(count, step))
    page = bench.open(address, f'#map=dated{VIEW}{fragment}', **settings)
    bench.settled()
    return page


def group(page):
    return page.get_by_role('group', name='Date of the map')


def slider(page):
    return page.get_by_role('slider', name='Date', exact=True)


def exports(bench):
    """The dates of the requests for pictures."""
    queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(url).query) for url in bench.requests
               if '/export?' in url]
    return [query.get('date', [None])[0] for query in queries]


def picture_of(page, date, act):
    """The picture of a date, which the page requests after `act`."""
    with page.expect_response(lambda reply: f'date={date}' in reply.url) as reply:
        act()
    assert reply.value.status == 200 and reply.value.headers['content-type'] == 'image/png'
    with urllib.request.urlopen(reply.value.url) as picture:
        return picture.read()


def said(page, text):
    """Waits until Identify shows some text."""
    page.locator('#panel-identify section > .status', has_text=text).wait_for()


def dated(page, date, count=1):
    """Waits until the given number of cells in the result have a date."""
    page.wait_for_function('''([date, count]) => [...document.querySelectorAll('#panel-identify dd')]
      .filter((own) => own.textContent === date).length === count''', arg=[date, count])


def link(page):
    return dict(urllib.parse.parse_qsl(page.evaluate('location.hash').lstrip('#')))


def test_the_slider_sets_the_date_of_the_map(bench):
    page = begin(bench, 3)
    dates = [str(day) for day in days(3)]
    assert exports(bench) and set(exports(bench)) == {None}, 'the last date needs no parameter'
    own = slider(page)
    assert own.get_attribute('aria-valuetext') == f'{dates[2]}, 3 of 3'
    assert 'date' not in link(page)
    own.focus()
    first = picture_of(page, dates[0], lambda: page.keyboard.press('Home'))
    assert own.get_attribute('aria-valuetext') == f'{dates[0]}, 1 of 3'
    second = picture_of(page, dates[1], lambda: page.keyboard.press('ArrowRight'))
    assert first != second
    page.wait_for_function('(text) => location.hash.includes(text)', arg=f'date={dates[1]}')
    bench.tap(*POINT)
    said(page, '1 element')
    answer = page.locator('#panel-identify .answer')
    answer.locator('.card.cell summary').click()
    assert answer.get_by_text(str(at_point(1)), exact=True).first.is_visible()
    assert answer.get_by_text(dates[1], exact=True).first.is_visible()
    bench.shot('dates')
    # The result follows the slider, and the link keeps the date.
    group(page).get_by_role('button', name='Previous date').click()
    dated(page, dates[0])
    assert link(page)['date'] == dates[0]
    page.reload()
    page.wait_for_selector('html[data-ready]')
    bench.settled()
    assert slider(page).get_attribute('aria-valuetext') == f'{dates[0]}, 1 of 3'
    assert exports(bench)[-1] == dates[0]
    # For a link without a date, the last date is shown.
    page.evaluate(f'location.hash = "#map=dated{VIEW}"')
    page.wait_for_function('() => document.getElementById("date").value === "2"')


def test_buttons_end_at_the_first_and_the_last_date(bench):
    page = begin(bench, 3)
    previous, following = [group(page).get_by_role('button', name=f'{word} date')
                           for word in ('Previous', 'Next')]
    assert following.is_disabled() and previous.is_enabled()
    previous.focus()
    page.keyboard.press('Enter')
    page.keyboard.press('Enter')
    assert previous.is_disabled() and following.is_enabled()
    # The focus is not lost when the button disappears.
    assert page.evaluate('document.activeElement.id') == 'date'
    page.keyboard.press('ArrowRight')
    assert slider(page).get_attribute('aria-valuetext').endswith('2 of 3')


def test_one_date(bench):
    page = begin(bench, 1)
    assert group(page).is_visible() and slider(page).is_disabled()
    assert slider(page).get_attribute('aria-valuetext') == '2020-01-01, 1 of 1'
    for name in ('Previous date', 'Next date'):
        assert group(page).get_by_role('button', name=name).is_disabled()


def test_two_dates(bench):
    page = begin(bench, 2)
    assert slider(page).get_attribute('aria-valuetext') == '2020-01-17, 2 of 2'
    first = picture_of(page, '2020-01-01', lambda: page.get_by_role(
        'button', name='Previous date').click())
    assert first != picture_of(page, '2020-01-17', lambda: page.get_by_role(
        'button', name='Next date').click())


def test_a_thousand_dates(bench):
    page = begin(bench, 1000, '&date=2021-06-01', step=1)
    own = slider(page)
    assert own.get_attribute('aria-valuetext') == '2021-06-01, 518 of 1,000'
    assert exports(bench)[-1] == '2021-06-01'
    # Dragging over many dates requests few pictures, and the last of them is shown.
    before = len(exports(bench))
    box = own.bounding_box()
    across = [box['x'] + box['width'] * part for part in (0.5, 0.2)]
    page.mouse.move(across[0], box['y'] + box['height'] / 2)
    page.mouse.down()
    for step in range(60):
        page.mouse.move(across[0] + (across[1] - across[0]) * step / 59, box['y'] + 8)
    page.mouse.up()
    chosen = own.get_attribute('aria-valuetext')[:10]
    page.wait_for_function('(text) => location.hash.includes(text)', arg=f'date={chosen}')
    page.wait_for_timeout(400)
    asked = exports(bench)[before:]
    assert asked[-1] == chosen and len(asked) < 15, asked
    # Each date can be reached with the keyboard.
    own.focus()
    index = int(own.input_value())
    page.keyboard.press('ArrowRight')
    assert int(own.input_value()) == index + 1
    bench.tap(*POINT)
    said(page, '1 element')
    part = page.locator('#panel-identify').get_by_role('group', name='Series')
    part.get_by_role('button', name='Plot all dates').click()
    part.get_by_role('img', name=re.compile('1,000 dates')).wait_for()
    assert part.locator('circle').count() == 1000
    bench.shot('dates-1000')


def test_requests_of_other_dates_are_cancelled(bench):
    page = begin(bench, 3)
    bench.tap(*POINT)
    said(page, '1 element')
    held, cancelled = [], []
    page.on('requestfailed', lambda request: cancelled.append(request.url))

    def hold(route):
        # The first date does not receive a reply.
        if '2020-01-01' in route.request.url + (route.request.post_data or ''):
            held.append(route)
        else:
            route.continue_()
    page.route(re.compile('/export|/api/identify'), hold)
    slider(page).focus()
    page.keyboard.press('Home')
    for _ in range(50):
        if len(held) == 2:
            break
        page.wait_for_timeout(50)
    assert len(held) == 2, 'the picture and the answer'
    page.keyboard.press('ArrowRight')
    dated(page, '2020-01-17')
    page.wait_for_timeout(200)
    assert any('/export' in url for url in cancelled), cancelled
    assert any('/api/identify' in url for url in cancelled), cancelled
    assert page.locator('.fault').is_hidden()
    for route in held:
        route.abort()


def test_the_plot_marks_the_date_and_stays(bench):
    page = begin(bench, 3)
    bench.tap(*POINT)
    part = page.locator('#panel-identify').get_by_role('group', name='Series')
    part.get_by_role('button', name='Plot all dates').click()
    part.get_by_role('img', name=re.compile('the map shows 2020-02-02$')).wait_for()
    asked = [url for url in bench.requests if '/api/identify' in url]
    group(page).get_by_role('button', name='Previous date').click()
    # The plot is redrawn without another request for the series.
    part.get_by_role('img', name=re.compile('the map shows 2020-01-17$')).wait_for()
    assert len([url for url in bench.requests if '/api/identify' in url]) == len(asked) + 1
    marks = part.locator('line.now')
    assert marks.count() == 1
    # The mark is at the large dot, which is in the middle of three equal steps.
    assert float(marks.get_attribute('x1')) == float(
        part.locator('circle[r="5"]').get_attribute('cx'))
    assert abs(float(marks.get_attribute('x1')) - 170) < 0.1
    bench.shot('dates-series')


def two_stacks(folder):
    """The dates of the second layer are two days later, and there is one more."""
    later = [day + datetime.timedelta(2) for day in days(4)]
    return document(folder, stack(folder, 'evi', days(3)), stack(folder, 'qa', later, shift=100))


def test_layers_with_other_dates_are_named(bench):
    page = bench.open(bench.server('dates-two', two_stacks), f'#map=dated{VIEW}')
    bench.settled()
    own = slider(page)
    assert own.get_attribute('aria-valuetext') == '2020-02-20, 7 of 7'
    assert group(page).get_by_text('evi: 2020-02-02').is_visible()
    own.focus()
    page.keyboard.press('Home')
    group(page).get_by_text('qa: 2020-01-03', exact=True).wait_for()
    # The note agrees with the result.
    bench.tap(*POINT)
    dated(page, '2020-01-01')
    dated(page, '2020-01-03')
    bench.shot('dates-two')
    panel = bench.tool('Layers')
    panel.get_by_role('checkbox', name='qa').uncheck()
    group(page).get_by_text('qa: 2020-01-03').wait_for(state='detached')
    page.wait_for_timeout(300)
    assert page.locator('.fault').is_hidden()
    # A map whose layers with dates are all hidden is also drawn.
    panel.get_by_role('checkbox', name='evi').uncheck()
    page.wait_for_timeout(400)
    assert page.locator('.fault').is_hidden()


def test_a_map_without_dates_has_no_slider(bench):
    page = bench.open(bench.main(), '#map=cape&date=2020-01-01')
    bench.settled()
    assert group(page).count() == 0 and 'date' not in link(page)
    assert set(exports(bench)) == {None}


def test_broken_dates_in_a_link(bench):
    page = begin(bench, 3, '&date=<b>soon')
    assert slider(page).get_attribute('aria-valuetext').endswith('3 of 3')
    assert 'date' not in link(page)
    bench.context.close()
    # The nearest date; if two are equally near, the earlier one.
    page = begin(bench, 3, '&date=2020-01-09')
    assert slider(page).get_attribute('aria-valuetext').endswith('1 of 3')
    assert link(page)['date'] == '2020-01-01'


def test_the_slider_on_a_phone_and_in_the_dark(bench):
    page = begin(bench, 1000, step=1, width=390, height=844, touch=True, density=2, dark=True)
    box = group(page).bounding_box()
    assert box['x'] >= 0 and box['x'] + box['width'] <= 390
    for name in ('Previous date', 'Next date'):
        button = group(page).get_by_role('button', name=name).bounding_box()
        assert button['width'] >= 36 and button['height'] >= 36, 'can be hit by a finger'
    assert slider(page).bounding_box()['width'] >= 80
    bench.shot('dates-phone')


def test_sampled_points_have_the_date(bench):
    page = begin(bench, 3, '&date=2020-01-17&tool=sample')
    points = bench.folder / 'points-of-dates.csv'
    points.write_text(f'x,y\n{POINT[0]},{POINT[1]}\n')
    page.get_by_label('Points', exact=True).set_input_files(points)
    with page.expect_response(lambda reply: '/api/sample' in reply.url) as reply:
        page.get_by_role('button', name='Sample', exact=True).click()
    rows = reply.value.text().splitlines()
    assert rows[1].split(',')[2] == str(at_point(1)), rows
    page.locator('#panel-sample .warning', has_text='those of 2020-01-17').wait_for()
