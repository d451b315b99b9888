"""The page as a whole: start, links, keyboard, phone, dark mode, names, security, tokens."""

import http.server
import json
import re
import threading
import urllib.error
import urllib.request

from harness import policy, root

tools = ('Identify', 'Layers', 'Buffers', 'Trace', 'Geotriggers', 'Sample', 'Statistics')


def test_opens_on_the_map_with_identify(bench):
    page = bench.open(bench.main())
    bench.settled()
    assert page.get_by_role('tab', name='Identify').get_attribute('aria-selected') == 'true'
    lng, lat, zoom = view(page)
    assert 18 < lng < 19.5 and -35 < lat < -33 and 7 < zoom < 11, (lng, lat, zoom)
    assert page.title() == 'Plumb'
    # Nothing covers the centre.
    assert page.evaluate('''() => {
      const box = document.getElementById('map').getBoundingClientRect();
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return document.getElementById('map').contains(top) && !top.closest('.leaflet-control');
    }''')


def view(page):
    fragment = page.evaluate('location.hash')
    return [float(own) for own in re.search(r'view=([^&]*)', fragment).group(1).split(',')]


def test_headers(bench):
    with urllib.request.urlopen(urllib.request.Request(
            bench.main() + '/', headers={'Accept': 'text/html'})) as reply:
        assert reply.headers['Content-Security-Policy'] == policy
        text = reply.read().decode()
    assert 'style="' not in text and 'onclick' not in text
    assert not re.search(r'(src|href)="/', text), 'addresses are relative'


def test_a_link_keeps_view_tool_and_layers(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.5,-34,11.5&tool=buffers&hide=2&show=13')
    bench.settled()
    assert page.get_by_role('tab', name='Buffers').get_attribute('aria-selected') == 'true'
    assert all(abs(a - b) < 1e-3 for a, b in zip(view(page), (18.5, -34, 11.5))), view(page)
    panel = bench.tool('Layers')
    assert not panel.get_by_role('checkbox', name='wards').is_checked()
    assert panel.get_by_role('checkbox', name='vleis').is_checked()
    fragment = page.evaluate('location.hash')
    assert 'hide=2' in fragment and 'show=13' in fragment and 'tool=layers' in fragment, fragment
    page.reload()
    page.wait_for_selector('html[data-ready]')
    assert page.evaluate('location.hash') == fragment


def test_a_broken_link_does_no_harm(bench):
    page = bench.open(bench.main(), '#map=<b>&view=x,1e99,9&tool=__proto__&hide=-1,a,9999&show=%%')
    bench.settled()
    assert page.get_by_role('tab', name='Identify').get_attribute('aria-selected') == 'true'


def test_keyboard_alone(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    page.keyboard.press('Tab')
    assert page.evaluate('document.activeElement.textContent') == 'Skip to the map'
    page.keyboard.press('Enter')
    assert page.evaluate('document.activeElement.id') == 'map'
    assert page.locator('.crosshair').is_visible()
    before = view(page)
    page.keyboard.press('ArrowRight')
    page.wait_for_timeout(500)
    assert view(page)[0] > before[0], 'an arrow moves the map'
    page.keyboard.press('ArrowLeft')
    page.wait_for_timeout(500)
    page.keyboard.press('Enter')
    bench.status(re.compile(r'elements? in'))
    bench.shot('keyboard')
    # Starting from the tabs, each control is reached, visible and named.
    page.get_by_role('tab', name='Identify').focus()
    page.keyboard.press('ArrowRight')
    assert page.get_by_role('tab', name='Layers').get_attribute('aria-selected') == 'true'
    page.keyboard.press('End')
    assert page.get_by_role('tab', name='Statistics').get_attribute('aria-selected') == 'true'
    page.keyboard.press('Home')
    page.keyboard.press('Tab')
    assert page.evaluate('document.activeElement.type') == 'checkbox'


def test_focus_is_seen(bench):
    page = bench.open(bench.main())
    bench.settled()
    for name in tools:
        bench.tool(name)
        page.wait_for_timeout(150)
        page.get_by_role('tab', name=name).focus()
        for _ in range(12):
            page.keyboard.press('Tab')
            seen = page.evaluate('''() => {
              const own = document.activeElement;
              if (!own || own === document.body) return 'body';
              // The map's ring is drawn over its picture.
              const look = getComputedStyle(own, own.id === 'map' ? '::after' : null);
              const isSeen = look.outlineStyle !== 'none' || look.boxShadow !== 'none';
              return isSeen ? true : own.outerHTML.slice(0, 120);
            }''')
            assert seen in (True, 'body'), (name, seen)
            if page.evaluate('document.activeElement.id') == 'map':
                break


def test_buffers_by_keyboard(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,9&tool=buffers')
    bench.settled()
    page.locator('#map').focus()
    page.keyboard.press('Enter')
    bench.status('Buffer created.')
    page.get_by_role('button', name='Remove point 1').focus()
    page.keyboard.press('Enter')
    bench.status('Tap on the map')


def unnamed(page):
    return page.evaluate('''() => {
      const named = (own) => own.getAttribute('aria-label') || own.labels?.length
        || own.getAttribute('aria-labelledby') || own.textContent.trim() || own.title;
      return [...document.querySelectorAll(
        'button, input, select, textarea, a[href], summary, [role=tab], [tabindex], progress, '
        + 'svg[role=img], dialog')]
        .filter((own) => own.checkVisibility() && !named(own))
        .map((own) => own.outerHTML.slice(0, 160));
    }''')


def test_every_control_has_a_name(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    for name in tools:
        bench.tool(name)
        page.wait_for_timeout(300)
        if name in ('Identify', 'Buffers'):
            bench.tap(18.86, -33.93)
            page.wait_for_timeout(400)
        if name == 'Buffers':
            page.get_by_label('Planar').check()
        if name == 'Sample':
            page.get_by_label('Points', exact=True).set_input_files(root / 'rasters/points.csv')
            page.get_by_role('button', name='Sample', exact=True).click()
            bench.status('3 rows sampled.')
        assert unnamed(page) == [], name
        # As assistive technology presents it.
        tree = page.locator('body').aria_snapshot()
        nameless = re.findall(
            r'- (?:button|checkbox|combobox|textbox|spinbutton|link|tab|slider)(?: \[[^\]]*\])*:?$',
            tree, re.M)
        assert not nameless, (name, nameless)


def test_phone(bench):
    page = bench.open(bench.main(), width=390, height=844, touch=True, density=2)
    bench.settled()
    # The picture has the resolution of the display.
    sharp = page.evaluate('''() => {
      const own = document.querySelector('img.picture');
      return own.naturalWidth / own.getBoundingClientRect().width;
    }''')
    assert abs(sharp - 2) < 0.02, sharp
    for name in tools:
        bench.tool(name)
        page.wait_for_timeout(400)
        sideways = page.evaluate('''() => [
          ...document.querySelectorAll('html, body, #panel, #body')]
          .filter((own) => own.scrollWidth > own.clientWidth + 1)
          .map((own) => own.id || own.tagName)''')
        assert not sideways, (name, sideways)
        if name == 'Identify':
            box = page.locator('#map').bounding_box()
            page.touchscreen.tap(box['x'] + box['width'] / 2, box['y'] + box['height'] / 2)
            bench.status(re.compile('at 1'))
        bench.shot('phone-' + name.lower())
    map_before = page.locator('#map').bounding_box()['height']
    assert map_before > 380, map_before
    page.get_by_role('button', name='Hide panel').click()
    page.wait_for_timeout(300)
    assert page.locator('#map').bounding_box()['height'] > 650
    bench.shot('phone-folded')
    page.get_by_role('button', name='Show panel').click()
    small = page.evaluate('''() => [...document.querySelectorAll('#tabs button')].map(
      (own) => own.getBoundingClientRect()).filter((own) => own.height < 36).length''')
    assert small == 0, 'tabs can be hit by a finger'


def test_dark(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12', dark=True)
    bench.settled()
    bench.tap(18.86, -33.93)
    bench.status('elements')
    bench.shot('dark-identify')
    look = page.evaluate('''() => {
      const own = getComputedStyle(document.getElementById('panel'));
      return [own.backgroundColor, getComputedStyle(document.body).color];
    }''')
    paper, text = [sum(int(part) for part in re.findall(r'\d+', own)[:3]) for own in look]
    assert paper < 200 < 500 < text, look
    for name in tools[1:]:
        bench.tool(name)
        page.wait_for_timeout(300)
        bench.shot('dark-' + name.lower())


# Servers of these tests

def hostile(folder):
    mark = '<img src=x onerror="document.title=`hit`">'
    rows = [{
        'type': 'Feature', 'geometry': {'type': 'Point', 'coordinates': [18.5 + at * 1e-6, -34]},
        'properties': {'NAME': mark, 'LINK': 'https://example.org/a?b=1', 'BAD':
                       'javascript:document.title="hit"', 'LONG': 'x' * 20_000, 'EMPTY': '',
                       'NONE': None, mark: 1}} for at in range(60)]
    (folder / 'points.geojson').write_text(
        json.dumps({'type': 'FeatureCollection', 'features': rows}))
    popup = {'title': '{NAME}', 'description': '<script>document.title="hit"</script>{LONG}',
             'fieldInfos': [{'fieldName': name, 'label': mark, 'visible': True}
                            for name in ('NAME', 'LINK', 'BAD', 'LONG', 'EMPTY', 'NONE')]}
    layers = [
        {'id': 'gone', 'title': 'gone', 'layerType': 'ArcGISFeatureLayer', 'url': 'gone.geojson',
         'visibility': True},
        {'id': 'long', 'title': 'a very long name ' * 40, 'layerType': 'ArcGISFeatureLayer',
         'url': 'points.geojson', 'visibility': True},
        {'id': 'points', 'title': mark, 'layerType': 'ArcGISFeatureLayer', 'url': 'points.geojson',
         'visibility': True, 'popupInfo': popup}]
    (folder / 'hostile.json').write_text(json.dumps(
        {'version': '2.31', 'spatialReference': {'wkid': 4326}, 'operationalLayers': layers}))
    return [str(folder / 'hostile.json')]


def test_hostile_data_is_text(bench):
    address = bench.server('hostile', hostile)
    for width in (1280, 390):
        page = bench.open(address, '#view=18.5,-34,14', width=width)
        page.wait_for_timeout(600)
        box = page.locator('#map').bounding_box()
        page.mouse.click(box['x'] + box['width'] / 2, box['y'] + box['height'] / 2)
        text = bench.status('elements')
        assert '1 layer failed' in text, text
        panel = page.locator('#panel-identify')
        # The error is shown at its layer.
        panel.locator('details', has_text='gone').locator('.error').first.wait_for()
        assert panel.get_by_text('<img src=x').first.is_visible()
        panel.get_by_role('button', name=re.compile('Show 35 more')).first.click()
        panel.locator('.elements summary').first.click()
        links = panel.locator('a').evaluate_all(
            'list => list.map((own) => [own.href, own.rel, own.target])')
        assert links and all(
            own == ['https://example.org/a?b=1', 'noopener noreferrer', '_blank']
            for own in links), links[:3]
        for words in ('no value', 'empty'):
            assert panel.get_by_text(words, exact=True).count(), words
        assert page.evaluate('document.documentElement.scrollWidth') <= width
        assert page.evaluate('document.getElementById("body").scrollWidth') <= width
        bench.tool('Layers')
        page.wait_for_timeout(300)
        assert page.evaluate('document.getElementById("body").scrollWidth') <= width
        page.locator('#panel-layers li', has_text='gone').locator('.error').first.wait_for()
        assert page.title() == 'Plumb' and page.locator('#body img[src=x]').count() == 0
        bench.shot(f'hostile-{width}')
        bench.context.close()


def test_a_token(bench):
    def make(folder):
        (folder / 'tokens').write_text('open sesame\nsecret1\n')
        return [str(root / 'rasters/cape.json'), '--token-file', str(folder / 'tokens')]
    address = bench.server('token', make)
    bench.allow('status of 401')
    page = bench.open(address, ready=False)
    dialog = page.get_by_role('dialog', name='This server requires a token')
    dialog.get_by_label('Token').fill('wrong')
    dialog.get_by_role('button', name='Use it').click()
    page.get_by_text('Invalid Token').wait_for()
    bench.shot('token')
    dialog.get_by_label('Token').fill('secret1')
    page.keyboard.press('Enter')
    page.wait_for_selector('html[data-ready]')
    bench.settled()
    x, y = bench.at(18.86, -33.93)
    page.mouse.click(x, y)
    bench.status('elements')
    assert all('secret1' not in url for url in bench.requests), 'no token in an address'
    page.reload()
    page.wait_for_selector('html[data-ready]')
    bench.settled()


def test_without_leaflet(bench):
    address = bench.server('noleaflet', lambda folder: [
        str(root / 'rasters/cape.json'), '--leaflet', str(folder)])
    bench.allow('404')
    bench.allow('MIME type')
    page = bench.open(address, ready=False)
    page.get_by_text('install libjs-leaflet (Debian), or start plumb-server with --leaflet DIR') \
        .wait_for()
    bench.shot('without-leaflet')


def test_two_maps(bench):
    address = bench.server('two', lambda folder: [
        str(root / 'rasters/cape.json'), str(root / 'rasters/land_cover_cape_town.tif')])
    page = bench.open(address)
    bench.settled()
    page.get_by_label('Map', exact=True).select_option('land_cover_cape_town')
    page.wait_for_function('() => location.hash.includes("map=land_cover_cape_town")')
    page.wait_for_timeout(600)
    bench.tap(18.86, -33.93)
    bench.status(re.compile('1 element in 1 layer'))
    page.locator('#panel-identify').get_by_text('Fynbos (3)').wait_for()
    panel = bench.tool('Sample')
    panel.get_by_label('Apply scale and offset').wait_for()
    assert panel.get_by_role('checkbox').count() == 2


def test_a_link_to_another_map(bench):
    address = bench.server('two', lambda folder: [
        str(root / 'rasters/cape.json'), str(root / 'rasters/land_cover_cape_town.tif')])
    page = bench.open(address, '#map=cape')
    bench.settled()
    page.evaluate('location.hash = "#map=land_cover_cape_town&tool=layers"')
    page.locator('#panel-layers', has_text='land_cover_cape_town').wait_for()
    assert page.get_by_label('Map', exact=True).input_value() == 'land_cover_cape_town'


def test_what_is_not_drawn_is_said(bench):
    def make(folder):
        (folder / 'holes.json').write_text(json.dumps({
            'spatialReference': {'wkid': 4326}, 'operationalLayers': [{
                'id': 'gone', 'title': 'gone', 'layerType': 'ArcGISFeatureLayer',
                'url': 'gone.geojson'}]}))
        return [str(folder / 'holes.json')]
    page = bench.open(bench.server('holes', make))
    page.get_by_text('gone is not drawn').wait_for()


def test_a_service_that_comes_back(bench):
    """A layer whose service is unavailable is marked in Layers until it is available again."""
    layer = {'id': 0, 'name': 'p', 'type': 'Feature Layer', 'geometryType': 'esriGeometryPoint',
             'objectIdField': 'OID', 'fields': [{'name': 'OID', 'type': 'esriFieldTypeOID'}],
             'maxRecordCount': 10, 'capabilities': 'Query',
             'extent': {'xmin': 18, 'ymin': -35, 'xmax': 19, 'ymax': -33,
                        'spatialReference': {'wkid': 4326}}}
    found = {'objectIdFieldName': 'OID', 'geometryType': 'esriGeometryPoint',
             'spatialReference': {'wkid': 4326}, 'fields': layer['fields'],
             'features': [{'attributes': {'OID': 1}, 'geometry': {'x': 18.5, 'y': -34}}]}
    is_up = threading.Event()

    class Far(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def answer(self):
            self.rfile.read(int(self.headers.get('Content-Length') or 0))
            path = self.path.split('?')[0]
            body = json.dumps(found if path.endswith('/query') else layer).encode()
            self.send_response(200 if is_up.is_set() else 503)
            self.end_headers()
            self.wfile.write(body if is_up.is_set() else b'closed')

        do_GET = do_POST = answer

    far = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Far)
    threading.Thread(target=far.serve_forever, daemon=True).start()
    host = f'127.0.0.1:{far.server_port}'

    def make(folder):
        (folder / 'far.json').write_text(json.dumps({
            'spatialReference': {'wkid': 4326}, 'operationalLayers': [{
                'id': 'far', 'title': 'far', 'layerType': 'ArcGISFeatureLayer',
                'url': f'http://{host}/arcgis/rest/services/s/FeatureServer/0'}]}))
        return [str(folder / 'far.json'), '--allow-host', host]
    try:
        page = bench.open(bench.server('far', make), '#view=18.5,-34,10&tool=layers')
        page.locator('#panel-layers .error', has_text='503').wait_for()
        bench.shot('away')
        is_up.set()
        # The server checks again automatically, and so does the page.
        page.locator('#panel-layers .error').wait_for(state='detached', timeout=90_000)
        bench.tool('Identify')
        bench.tap(18.5, -34)
        bench.status('1 element in 1 layer')
    finally:
        far.shutdown()


def test_a_server_with_a_network_alone(bench):
    address = bench.server('network', lambda folder: ['--network', str(root / 'rasters/gas.json')])
    page = bench.open(address)
    bench.status('This server has no map to identify.')
    assert abs(view(page)[0] - 18.467) < 0.05
    bench.tool('Layers')
    page.get_by_text('This server has no map.').wait_for()
    bench.tool('Geotriggers')
    page.get_by_text('This server has no monitor').wait_for()


def test_the_server_is_gone(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.86,-33.93,12')
    bench.settled()
    bench.allow('ERR_')
    bench.context.set_offline(True)
    bench.tap(18.86, -33.93)
    bench.status('the server does not answer')
    bench.context.set_offline(False)
    bench.tap(18.86, -33.93)
    bench.status('elements')


def test_behind_a_path(bench):
    """Another server forwards `/maps/here/…`, because all addresses are relative."""
    address = bench.main()

    class Front(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def log_message(self, *_):
            pass

        def pass_on(self):
            if not self.path.startswith('/maps/here/'):
                self.send_error(404)
                return
            length = int(self.headers.get('Content-Length') or 0)
            kept = {name: self.headers[name] for name in ('Content-Type', 'Accept')
                    if self.headers[name]}
            request = urllib.request.Request(
                address + self.path[len('/maps/here'):], self.rfile.read(length) or None, kept,
                method=self.command)
            try:
                reply = urllib.request.urlopen(request)
            except urllib.error.HTTPError as error:
                reply = error
            body = reply.read()
            self.send_response(reply.status)
            for name in ('Content-Type', 'Content-Security-Policy'):
                if reply.headers[name]:
                    self.send_header(name, reply.headers[name])
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = pass_on

    front = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Front)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    try:
        bench.open(f'http://127.0.0.1:{front.server_port}/maps/here',
                   '#map=cape&view=18.86,-33.93,12')
        bench.settled()
        bench.tap(18.86, -33.93)
        bench.status('elements')
    finally:
        front.shutdown()
