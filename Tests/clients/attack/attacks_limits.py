"""Attacks on the server's limits: time, memory, connections, the log, a reload."""

import gzip
import os
import signal
import statistics
import threading
import time

import client
import data
import shapes
from harness import MB, REFERENCES, REST, Server
from registry import attack


def crossing(t, service, sizes, extra):
    """Rings of several sizes, two at a time; each request has to finish or be rejected within the
    time limit.
    """
    for size in sizes:
        ring = shapes.zigzag(size)

        def one(_):
            answer = t.rest(service, {
                'geometry': shapes.polygon(ring), 'geometryType': 'esriGeometryPolygon', **extra})
            t.expect(answer.seconds < t.timeout + 2,
                     f'a ring of {size} vertices took {answer.seconds:.1f} s')
            return answer

        t.together(2, one)
        if not t.server.is_alive or t.faults:
            break


@attack('self-crossing polygons in query')
def query_crossing_polygon(t):
    crossing(t, 'attack/FeatureServer/1/query', (100, 400, 3000, 20000),
             {'returnCountOnly': 'true'})
    crossing(t, 'attack/FeatureServer/0/query', (400, 20000), {'returnCountOnly': 'true'})


@attack('self-crossing polygons in identify')
def identify_crossing_polygon(t):
    crossing(t, 'attack/MapServer/identify', (100, 400, 3000, 20000), {
        'tolerance': '2', 'layers': 'all', 'mapExtent': '18,-35,19,-33',
        'imageDisplay': '800,800,96'})


@attack('stars in query: each edge crosses all others')
def query_star(t):
    for count in (501, 1001, 5001):
        for layer in (1, 2):
            answer = t.rest(f'attack/FeatureServer/{layer}/query', {
                'geometry': shapes.polygon(shapes.star(count)), 'returnCountOnly': 'true',
                'geometryType': 'esriGeometryPolygon'})
            t.expect(answer.seconds < t.timeout + 2, f'{count}: {answer.seconds:.1f} s')


@attack('spatial relations other than intersects with crossing and long polygons')
def query_relations(t):
    names = ['Contains', 'Crosses', 'Overlaps', 'Touches', 'Within', 'Relation']
    rings = [shapes.zigzag(1500), shapes.comb(4000), shapes.scribble(300)]

    def one(number):
        t.rest('attack/FeatureServer/2/query', {
            'geometry': shapes.polygon(rings[number % 3]), 'returnCountOnly': 'true',
            'geometryType': 'esriGeometryPolygon', 'relationParam': 'T*T******',
            'spatialRel': 'esriSpatialRel' + names[number % 6]})

    t.together(t.scale(18, 6), one)


def unread(t, requests, count):
    """Clients that do not read their replies: the server has to close them and free the memory."""
    sizes = []
    for request in requests:
        with client.connect(t.port, t.source) as connection:
            connection.sendall(request)
            answer = client.Reader(connection).read(3 * t.timeout + 6)
            sizes.append(answer.size)
            t.note(f'a reply: {answer.word}, {answer.size / MB:.0f} MB')
    before = t.server.memory
    connections = []
    for number in range(count):
        connection = t.try_connect(buffer=4096)
        if connection is None:
            continue
        connections.append(connection)
        try:
            connection.sendall(requests[number % len(requests)])
            # The next client sends its request once the reply to this client has begun.
            connection.settimeout(t.timeout + 3)
            connection.recv(1, client.socket.MSG_PEEK)
        except OSError:
            t.count('closed')
    # The duration of the work, and the time limit of a write.
    time.sleep(2 * t.timeout + 3)
    grown = t.server.memory - before
    t.note(f'{len(connections)} clients; {grown / MB:+.0f} MB while they do not read')
    t.expect(grown < 200 * MB, f'unread replies use {grown / MB:.0f} MB')
    held = 0
    for number, connection in enumerate(connections):
        # The kernel buffers some MB; the server holds the rest.
        most = max(8 * MB, min(12 * MB, sizes[number % len(sizes)]))
        got, word = 0, 'open'
        end = time.monotonic() + 3
        try:
            while got < most and time.monotonic() < end:
                connection.settimeout(0.4)
                part = connection.recv(1 << 20)
                if not part:
                    word = 'closed'
                    break
                got += len(part)
        except (TimeoutError, client.socket.timeout):
            pass
        except OSError:
            word = 'closed'
        if got >= most:
            word, held = 'served late', held + 1
        t.count(word)
    t.expect(not held, f'{held} of {len(connections)} clients that had read nothing for '
             f'{2 * t.timeout + 3:g} s were still served')


def stored_requests():
    """Replies of about 10 MB that are complete before they are sent."""
    body = (b'{"map":"cape","tolerance":"30km","scale":50000,"max-results":"all","at":['
            + b'[18.5,-34],' * 100 + b'[18.5,-34]]}')
    picture = client.form({'f': 'image', 'bbox': '18,-34.5,19,-33.5', 'size': '2000,2000'})
    return [client.head('/api/identify', 'POST', body=body, kind='application/json'),
            client.head(f'{REST}/attack_3/ImageServer/exportImage?{picture}')]


def area_request(size=0.4, form='GeoJSON'):
    """Replies of about 10 MB that are generated while they are sent."""
    return client.head('/ogc/collections/attack.noise/area?' + client.form({
        'coords': shapes.wkt(shapes.box(18.05, -34.45, 18.05 + size, -34.45 + size)), 'f': form}))


@attack('clients that do not read stored replies')
def unread_stored_replies(t):
    unread(t, stored_requests()[:1], t.scale(60, 24))


@attack('clients that do not read pictures')
def unread_pictures(t):
    unread(t, stored_requests()[1:], t.scale(40, 12))


@attack('clients that do not read long streamed replies')
def unread_streamed_replies(t):
    unread(t, [area_request(), area_request(form='CoverageJSON')], t.scale(50, 24))


@attack('clients at many addresses that do not read')
def unread_from_many_addresses(t):
    requests = stored_requests() + [area_request()]
    before = t.server.memory
    connections = 0
    for number in range(t.scale(120, 50)):
        connection = t.try_connect(buffer=4096, source=f'127.9.0.{number + 1}')
        if connection:
            connections += 1
            try:
                connection.sendall(requests[number % 3])
            except OSError:
                t.count('closed')
        time.sleep(0.05)
    time.sleep(2 * t.timeout + 3)
    grown = t.server.memory - before
    t.note(f'{connections} clients, {grown / MB:+.0f} MB')
    t.expect(grown < 250 * MB, f'unread replies use {grown / MB:.0f} MB')


def picture_of_many(t, format):
    for size in ('400,400', '4096,4096'):
        answer = t.rest('attack/MapServer/export', {
            'f': 'image', 'bbox': '18,-34.5,19,-33.5', 'size': size, 'format': format,
            'layers': 'show:0'})
        t.note(f'{size}: {answer.word}, {answer.size / MB:.0f} MB in {answer.seconds:.1f} s')
        t.expect(answer.seconds < t.timeout + 2, f'{answer.seconds:.1f} s for {format}')
        t.expect(answer.size < 64 * MB, f'{answer.size / MB:.0f} MB of {format}')
        if not t.server.is_alive:
            return
    t.together(4, lambda number: t.rest('attack/MapServer/export', {
        'f': 'image', 'bbox': '18,-34.5,19,-33.5', 'size': '800,800', 'format': format}))


@attack('format=svg of all points')
def svg_of_many(t):
    picture_of_many(t, 'svg')


@attack('format=pdf of all points')
def pdf_of_many(t):
    picture_of_many(t, 'pdf')


@attack('pictures of all points, the newest needed first')
def png_flood(t):
    def one(number):
        t.rest('attack/MapServer/export', {
            'f': 'image', 'bbox': f'{18 + number % 7 / 100},-34.5,19,-33.5',
            'size': '1200,1200', 'format': 'png32'})

    t.repeat(t.scale(8, 3), 12, one)


@attack('chunked POSTs that send nothing')
def silent_chunked_posts(t):
    start = ('POST /api/identify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
             'Transfer-Encoding: chunked\r\n\r\n').encode()
    connections = [t.try_connect() for _ in range(t.scale(60, 20))]
    for connection in filter(None, connections):
        try:
            connection.sendall(start)
        except OSError:
            t.count('closed')
    time.sleep(0.3)
    refused = 0
    end = time.monotonic() + t.timeout + 1
    while time.monotonic() < end:
        answer = t.ask('/api/identify', body={'map': 'cape', 'at': [[18.86, -33.93]]},
                       source='127.0.0.5')
        refused += answer.code == 503
        t.expect(answer.seconds < t.timeout, f'another client waits {answer.seconds:.1f} s')
        time.sleep(0.2)
    t.expect(not refused, f'silent bodies shut others out: {refused} × 503')


@attack('POSTs that announce a body of the largest size and send nothing')
def silent_long_posts(t):
    start = (f'POST /api/identify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
             f'Content-Length: {64 * MB}\r\n\r\n').encode()
    for _ in range(t.scale(40, 12)):
        connection = t.try_connect()
        if connection:
            connection.sendall(start)
    time.sleep(0.3)
    answers = [t.ask('/api/identify', body={'map': 'cape', 'at': [[18.86, -33.93]]},
                     source='127.0.0.5') for _ in range(3)]
    t.expect(all(answer.code == 200 for answer in answers),
             f'others get {[answer.word for answer in answers]}')


@attack('large bodies at once, from one address and then from many')
def large_bodies(t):
    body = b'{"map":"cape","at":[' + b' ' * (30 * MB) + b'[18.5,-34]]}'
    t.together(8, lambda number: t.ask('/api/identify', body=body, kind='application/json'))
    t.together(8, lambda number: t.ask(
        '/api/identify', body=body, kind='application/json', source=f'127.8.0.{number + 1}'))


@attack('bodies that arrive one byte at a time', slow=True)
def trickled_bodies(t):
    start = (f'POST /api/sample?map=cape HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/csv\r\n'
             f'Content-Length: {1 * MB}\r\n\r\nlon,lat\n').encode()
    connections = [t.try_connect(source=f'127.8.1.{number + 1}') for number in range(100)]
    for connection in filter(None, connections):
        connection.sendall(start)
    end = time.monotonic() + t.timeout + 3
    alive = list(filter(None, connections))
    while alive and time.monotonic() < end:
        for connection in list(alive):
            try:
                connection.send(b'1')
            except OSError:
                alive.remove(connection)
        time.sleep(0.2)
    t.expect(not alive, f'{len(alive)} of 100 bodies have no time limit')


# MARK: The log

def _fill(t, seconds):
    """Requests with long log lines until one fails or the time is over."""
    end = time.monotonic() + seconds
    done = 0
    while time.monotonic() < end and done < 20000:
        answer = client.ask(t.port, '/health?x=' + 'a' * 900, source=t.source, timeout=2)
        if answer.error:
            t.count(answer.error)
            t.fail(f'after {done} requests: {answer.error}')
            break
        done += 1
        t.count(answer.word)
    t.note(f'{done} requests')


@attack('a reader of the log that stalls', dict(stderr='pipe'))
def stalled_log(t):
    _fill(t, t.scale(8, 4))
    t.together(8, lambda number: t.rest('attack/FeatureServer/0/query', {
        'where': f'NUM = {number}'}))


@attack('SIGTERM while a reader of the log stalls',
        dict(stderr='pipe', takes_end=True, compares=False))
def stalled_log_end(t):
    _fill(t, 2)
    seconds, fault = t.server.stop()
    t.note(f'ended in {seconds:.1f} s')
    if fault:
        t.fail(fault)


@attack('a log whose reader has closed', dict(stderr='pipe'))
def closed_log(t):
    os.close(t.server.pipe)
    t.server.pipe = None
    _fill(t, 2)


# MARK: Work whose client has disconnected

@attack('exports whose clients disconnect; the wait of the next request')
def aborted_exports(t):
    def abort(number):
        connection = t.try_connect()
        if connection:
            connection.sendall(client.head(f'{REST}/attack/MapServer/export?' + client.form({
                'f': 'image', 'bbox': f'18,{-34.5 - number / 100},19,-33.5',
                'size': '3000,3000'})))
            time.sleep(0.3)
            client.reset(connection) if number % 2 else connection.close()
            t.count('aborted')

    t.together(t.scale(60, 20), abort)
    waits = [t.ask(**REFERENCES['identify'], source='127.0.0.5').seconds for _ in range(3)]
    t.note(f'the next requests waited {max(waits):.2f} s at most')
    t.expect(waits[0] < 1.5, f'the next request waited {waits[0]:.1f} s')


@attack('queries and samples whose clients disconnect')
def aborted_work(t):
    csv = b'lon,lat\n' + b'18.5,-34\n' * 200_000
    sample = client.head('/api/sample?map=attack&tolerance=5km', 'POST', body=csv, kind='text/csv')
    query = client.head(f'{REST}/attack/FeatureServer/0/query?' + client.form({
        'f': 'json', 'where': "NAME LIKE '%a%e%7%' OR NAME LIKE '%e%8%1%'",
        'orderByFields': 'NAME DESC'}))

    def abort(number):
        connection = t.try_connect()
        if connection:
            try:
                connection.sendall(sample if number % 4 == 0 else query)
                time.sleep(0.05)
            except OSError:
                pass
            client.reset(connection)
            t.count('aborted')

    t.together(t.scale(80, 24), abort)
    wait = t.ask(**REFERENCES['query'], source='127.0.0.5').seconds
    t.note(f'the next request waited {wait:.2f} s')
    t.expect(wait < 1.5, f'the next request waited {wait:.1f} s')


@attack('single identifies during a sample of many points')
def identify_beside_sample(t):
    count = t.scale(600_000, 150_000)
    csv = b'lon,lat\n' + b''.join(
        b'%.4f,%.4f\n' % (18 + number % 997 / 997, -34.5 + number % 991 / 991)
        for number in range(count))
    ended = threading.Event()

    def sample():
        end = time.monotonic() + t.scale(10, 4)
        while time.monotonic() < end:
            t.ask('/api/sample?map=cape', body=csv, kind='text/csv', timeout=30)
        ended.set()

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    times = []
    while not ended.is_set():
        times.append(t.ask(**REFERENCES['identify'], source='127.0.0.5').seconds)
        time.sleep(0.02)
    thread.join()
    times.sort()
    t.note(f'{len(times)} identifies: half under {statistics.median(times) * 1000:.0f} ms, the '
           f'longest {times[-1] * 1000:.0f} ms')
    t.expect(times[int(len(times) * 0.99)] < 1, f'identify waits {times[-1]:.2f} s behind a sample')


@attack('idle connections with a low limit of files', dict(files=256, compares=False))
def idle_connections(t):
    idle = []
    for number in range(400):
        try:
            idle.append(client.connect(t.port, f'127.8.{number // 250}.{number % 250 + 1}',
                                       timeout=1))
        except OSError as error:
            t.count(type(error).__name__)
    t.count('idle', len(idle))
    t.open += idle
    time.sleep(2)
    answer = t.ask('/health', source='127.0.0.6', timeout=5)
    t.expect(answer.status == 200, f'/health on a new connection: {answer.word}')
    # After some time there is room for other connections, because idle connections are closed.
    answer = t.ask(**REFERENCES['identify'], source='127.0.0.6', timeout=5)
    t.note(f'identify during them: {answer.word}')
    t.expect(answer.status in (200, 429, 503), f'identify during them: {answer.word}')


@attack('idle connections from one address with a low limit of files', dict(files=256))
def idle_connections_of_one(t):
    for _ in range(300):
        t.try_connect(timeout=1)
    time.sleep(1)
    answer = t.ask(**REFERENCES['identify'], source='127.0.0.6', timeout=5)
    t.expect(answer.status == 200, f'identify from another address: {answer.word}')


# MARK: JSON

@attack('gzip bodies of some kB with much JSON')
def gzip_json_bomb(t):
    count = t.scale(15_000_000, 4_000_000)
    bodies = [
        b'{"map":"cape","at":[' + b'[1,2],' * (count // 2) + b'[1,2]]}',
        b'{"map":"cape","at":[' + b'0,' * count + b'0]}',
        b'{"map":"cape","at":[' + b'{},' * count + b'0]}',
        b'{"map":"cape","at":[' + b'[[]],' * (count // 2) + b'0]}',
        b'{' + b','.join(b'"%d":0' % number for number in range(count // 8)) + b'}',
    ]
    packed = [gzip.compress(body, 1) for body in bodies]
    for one in packed:
        answer = t.ask('/api/identify', body=one, kind='application/json',
                       headers=['Content-Encoding: gzip'])
        t.note(f'{len(one) / 1000:.0f} kB: {answer.word} in {answer.seconds:.1f} s')
        if not t.server.is_alive:
            return
    t.together(6, lambda number: t.ask(
        '/api/identify', body=packed[number % len(packed)], kind='application/json',
        headers=['Content-Encoding: gzip']))


# MARK: Signals

def reload_arguments(bench):
    folder = bench.folder / f'reload-{time.monotonic_ns()}'
    folder.mkdir()
    for name in ('few.geojson', 'cells.geojson', 'noise.tif'):
        os.link(bench.data.folder / 'made' / name, folder / name)
    data.write_map(folder / 'again.json', [
        ('noise', 'noise.tif'), ('cells', 'cells.geojson'), ('few', 'few.geojson')])
    bench.reloaded = folder
    return [*bench.data.arguments, folder / 'again.json']


def reload(t, limit=15):
    """Sends SIGHUP and waits until the log reports the reload."""
    def said():
        return sum('reloaded' in line for line in t.server.log.read_text(errors='replace').splitlines())

    before = said()
    os.kill(t.server.pid, signal.SIGHUP)
    deadline = time.monotonic() + limit
    while said() == before and time.monotonic() < deadline:
        time.sleep(0.1)
    t.count('SIGHUP')


@attack('SIGHUP with bad data', dict(make=reload_arguments))
def hangup_bad_data(t):
    folder = t.bench.reloaded
    ask = lambda: t.rest('again/FeatureServer/0/query', {  # noqa: E731
        'where': 'NUM < 5', 'outFields': '*'}, source='127.0.0.5')
    right = ask().body
    few, document = folder / 'few.geojson', folder / 'again.json'
    good, whole = few.read_bytes(), document.read_bytes()
    bad = [(few, b'{"type":"FeatureCollection","features":[{'), (few, b''),
           (few, good[:len(good) // 2]), (document, b'{'), (document, b''),
           (document, b'[' * 100_000), (few, None), (document, None)]
    for path, content in bad:
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        reload(t)
        answer = ask()
        t.expect(answer.body == right, f'{path.name} of '
                 f'{"nothing" if content is None else f"{len(content)} bytes"} replaced '
                 f'good data: {answer.word}')
        path.unlink(missing_ok=True)
        path.write_bytes(good if path == few else whole)
        if answer.body != right:
            # The next reload starts from valid data again.
            reload(t)
    # Valid data are accepted again.
    data.write_map(document, [('few', 'few.geojson')])
    reload(t)
    answer = t.rest('again/FeatureServer', {}, source='127.0.0.5')
    t.note(f'a document without two layers: {answer.body.count(b"parentLayerId")} layers')


@attack('SIGHUP again and again')
def hangup_flood(t):
    for _ in range(t.scale(60, 15)):
        os.kill(t.server.pid, signal.SIGHUP)
        time.sleep(0.05)
        t.count('SIGHUP')
    # The server reloads all documents for each signal that it receives.
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and 'reloaded' not in t.server.tail(1):
        time.sleep(0.2)


@attack('a file of tokens that changes')
def token_file_change(t):
    # The reference requests do not contain a token, so this is a separate server.
    tokens = t.bench.folder / 'tokens'
    tokens.write_text('first\n')
    server = Server(t.bench.binary, [t.bench.data.map.parent / 'few.geojson', '--token-file',
                                     tokens], t.bench.folder, timeout=t.timeout)

    def ask(token):
        answer = client.ask(server.port, f'{REST}?f=json', timeout=5,
                            headers=[f'Authorization: Bearer {token}'])
        t.count(answer.word)
        return answer.code

    try:
        t.expect(ask('first') == 200 and ask('second') == 498, 'the first file is not used')
        tokens.write_text('second\n')
        os.kill(server.pid, signal.SIGHUP)
        time.sleep(1.5)
        t.expect(ask('first') == 498 and ask('second') == 200,
                 'a changed file of tokens is not reloaded at SIGHUP')
        for content in (b'', b'\xff\xfe', b'x' * (1 << 20)):
            tokens.write_bytes(content)
            os.kill(server.pid, signal.SIGHUP)
            time.sleep(0.7)
            t.expect(server.is_alive, 'a bad file of tokens ended the server')
            t.expect(ask('') in (499, 498) and ask('third') == 498,
                     'a bad file of tokens gives access without a token')
        tokens.unlink()
        os.kill(server.pid, signal.SIGHUP)
        time.sleep(0.7)
        t.expect(server.is_alive and ask('third') == 498,
                 'a missing file of tokens gives access without a token')
    finally:
        server.kill()


@attack('SIGTERM under load of every kind', dict(takes_end=True, compares=False))
def end_under_load(t):
    for _ in range(20):
        t.try_connect()
    for request in [area_request(), *stored_requests()]:
        connection = t.try_connect(buffer=4096)
        if connection:
            connection.sendall(request)
    connection = t.try_connect()
    if connection:
        connection.sendall(b'POST /api/identify HTTP/1.1\r\nHost: 127.0.0.1\r\n'
                           b'Content-Length: 100\r\n\r\n{')
    ring = shapes.zigzag(20000)
    for _ in range(2):
        threading.Thread(target=client.ask, daemon=True, args=(
            t.port, f'{REST}/attack/FeatureServer/1/query'), kwargs=dict(
                parameters={'f': 'json', 'geometry': shapes.polygon(ring),
                            'geometryType': 'esriGeometryPolygon'}, timeout=10)).start()
    time.sleep(1)
    seconds, fault = t.server.stop()
    t.note(f'ended in {seconds:.1f} s')
    if fault:
        t.fail(fault)


@attack('SIGTERM with subscribers and idle connections', dict(takes_end=True, compares=False))
def end_beside_subscribers(t):
    for _ in range(50):
        connection = t.try_connect()
        if connection:
            connection.sendall(client.head('/monitor/garden/events'))
    for _ in range(50):
        t.try_connect()
    time.sleep(0.5)
    seconds, fault = t.server.stop()
    t.note(f'ended in {seconds:.1f} s')
    if fault:
        t.fail(fault)
