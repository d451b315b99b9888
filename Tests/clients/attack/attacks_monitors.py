"""Attacks on monitors: events, WebSocket frames, locations, fences, replays."""

import json
import random
import struct
import time

import client
import shapes
from client import head
from harness import MB
from registry import attack

EVENTS = '/monitor/garden/events'
UPGRADE = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
           'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']


def frame(kind, content=b'', *, final=True, masked=True, length=None, bits=0):
    """A WebSocket frame; `length` may differ from the actual length."""
    first = (0x80 if final else 0) | bits | kind
    count = len(content) if length is None else length
    mask = 0x80 if masked else 0
    if count < 126:
        start = struct.pack('>BB', first, mask | count)
    elif count < 1 << 16:
        start = struct.pack('>BBH', first, mask | 126, count)
    else:
        start = struct.pack('>BBQ', first, mask | 127, count)
    if not masked:
        return start + content
    key = b'\1\2\3\4'
    return start + key + bytes(byte ^ key[at % 4] for at, byte in enumerate(content))


def socket(t, **options):
    """A WebSocket connection, or None if the upgrade fails."""
    connection = t.try_connect(**options)
    if not connection:
        return None
    try:
        connection.sendall(head(EVENTS, headers=UPGRADE))
        connection.settimeout(3)
        if b' 101 ' in connection.recv(4096):
            return connection
    except OSError:
        pass
    t.count('no WebSocket')
    return None


def tracks(count, seed=1, entity='e'):
    """Locations that enter and leave the garden's sections."""
    generator = random.Random(seed)
    now = time.time()
    return [{'id': f'{entity}{number}', 'time': now + number / 1000,
             'lon': 18.425 + generator.random() * 0.02,
             'lat': -33.995 + generator.random() * 0.015} for number in range(count)]


@attack('invalid WebSocket frames')
def bad_frames(t):
    frames = [
        frame(1, b'hello', masked=False), frame(3, b'x'), frame(11, b'x'), frame(15),
        frame(1, b'x', bits=0x70), frame(1, b'x', bits=0x40), frame(9, b'p' * 200),
        frame(9, b'p', final=False), frame(8, b'\x03'), frame(8, struct.pack('>H', 1005)),
        frame(8, struct.pack('>H', 0) + b'why'), frame(8, struct.pack('>H', 1000) + b'\xff\xff'),
        frame(1, b'\xff\xfe\xfd'), frame(1, b'\xed\xa0\x80'), frame(2, b'binary'),
        frame(0, b'goes on from nothing'), frame(1, b'a', final=False) + frame(1, b'b'),
        frame(1, b'', length=1 << 62), frame(1, b'', length=(1 << 63) + 5),
        frame(1, b'', length=1 << 31), frame(1, b'a' * 65_537), frame(1, b'a' * (1 << 20)),
        struct.pack('>BBH', 0x81, 0xFE, 5) + b'\0\0\0\0hello',
        frame(1, b'a' * 60_000, final=False) * 3, b'\0' * 5000, b'\xff' * 5000, b'GET / HTTP/1.1\r\n\r\n']
    for bytes in frames:
        connection = socket(t)
        if not connection:
            continue
        try:
            connection.sendall(bytes)
            connection.settimeout(1)
            said = b''
            while part := connection.recv(4096):
                said += part
            t.count('ended')
        except (TimeoutError, client.socket.timeout):
            t.count('open')
        except OSError:
            t.count('reset')
        connection.close()


@attack('WebSocket frames that stop after each byte, and byte by byte')
def cut_frames(t):
    bytes = frame(1, b'hello' * 40) + frame(9, b'ping')
    for length in range(0, len(bytes), t.scale(2, 12)):
        connection = socket(t)
        if connection:
            connection.sendall(bytes[:length])
            client.reset(connection) if length % 2 else connection.close()
            t.count('cut')
    connection = socket(t)
    if connection:
        for byte in bytes:
            connection.send(b'%c' % byte)


@attack('pings and messages by the hundred thousand, whose answers are not read')
def ping_flood(t):
    pings = frame(9, b'p' * 100) * 1000
    texts = frame(1, b'hello') * 1000

    def one(number):
        connection = socket(t, buffer=4096)
        if not connection:
            return
        connection.settimeout(2)
        try:
            for _ in range(t.scale(400, 100)):
                connection.sendall(pings if number % 2 else texts)
            t.count('taken')
        except (TimeoutError, client.socket.timeout):
            t.count('held')
        except OSError:
            t.count('ended')

    t.together(8, one)


@attack('fragments of messages without end')
def endless_fragments(t):
    connections = [socket(t) for _ in range(8)]
    parts = frame(0, b'a' * 1000, final=False) * 100
    for connection in filter(None, connections):
        try:
            connection.settimeout(2)
            connection.sendall(frame(1, b'', final=False))
            for _ in range(t.scale(300, 60)):
                connection.sendall(parts)
            t.count('taken')
        except OSError:
            t.count('ended')


@attack('subscribers that do not read events')
def unread_events(t):
    for number in range(t.scale(60, 40)):
        connection = t.try_connect(buffer=2048)
        if connection:
            try:
                connection.sendall(head(EVENTS, headers=UPGRADE if number % 2 else ()))
            except OSError:
                t.count('closed')
    before = t.server.memory
    for turn in range(t.scale(60, 20)):
        answer = t.ask('/monitor/garden/locations', body=tracks(1000, turn, f'u{turn}-'),
                       source='127.0.0.5')
        t.expect(answer.status in (200, 429, 503), f'locations: {answer.word}')
    t.note(f'{(t.server.memory - before) / MB:+.0f} MB with {len(t.open)} subscribers')


@attack('more subscribers than the limit, from many addresses')
def many_listeners(t):
    for number in range(2400):
        connection = t.try_connect(source=f'127.12.{number // 60}.{number % 60 + 1}', timeout=2)
        if connection:
            try:
                connection.sendall(head(EVENTS))
            except OSError:
                t.count('closed')
    time.sleep(1)
    for connection in t.open[::40]:
        connection.settimeout(0.3)
        try:
            t.count(connection.recv(2000)[9:12].decode() or 'closed')
        except OSError:
            t.count('silent')
    answer = t.ask('/monitor/garden/locations', body=tracks(100, 1, 'm'), source='127.0.0.5')
    t.expect(answer.status in (200, 503), f'locations: {answer.word}')


@attack('subscribers that repeatedly reconnect for old events')
def returning_listeners(t):
    t.ask('/monitor/garden/locations', body=tracks(5000, 3, 'r'))

    def one(number):
        connection = t.try_connect()
        if connection:
            try:
                connection.sendall(head(EVENTS, headers=[
                    f'Last-Event-ID: {("x-1", "0", "a" * 5000, "-1", "r1-99999999999999999999")[number % 5]}']))
                connection.recv(1 << 14)
                t.count('open')
            except OSError:
                t.count('closed')
            client.reset(connection)

    t.repeat(t.scale(6, 2), 8, one)


@attack('thousands of locations of new entities')
def location_flood(t):
    def one(number):
        t.ask('/monitor/garden/locations', body=tracks(5000, number, f'f{number}-'))

    t.repeat(t.scale(10, 3), 4, one)


@attack('invalid locations')
def odd_locations(t):
    point = '{"id":"a","time":"2026-05-01T10:00:00Z","lon":18.43,"lat":-33.98}'
    bodies = [
        '', '[', '{}', '[' * 100_000, '[' + '{},' * 200_000 + '{}]', point.replace('18.43', '1e999'),
        point.replace('18.43', 'NaN'), point.replace('"a"', '"' + 'a' * 1_000_000 + '"'),
        point.replace('2026-05-01T10:00:00Z', '9' * 100_000), point.replace('2026', '99999999'),
        '{"_type":"location","tid":"x","lat":1,"lon":2,"tst":1e300}', '{"_type":' + '[' * 1000,
        '{"type":"FeatureCollection","features":' + '[' * 5000,
        '<gpx>' * 10_000, '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "'
        + 'c' * 1000 + '"><!ENTITY d "' + '&b;' * 1000 + '">]><gpx><trk><name>' + '&d;' * 1000
        + '</name></trk></gpx>', 'id,time,lon,lat\n' + ',' * 1_000_000,
        'id,time,lon,lat\n' + 'a,0,0,0\n' * 300_000, '\ufeff' + point]
    for body in bodies:
        for kind in ('application/json', 'text/csv', 'application/gpx+xml', 'application/x-ndjson',
                     ''):
            t.ask('/monitor/garden/locations', body=body.encode(), kind=kind)
            if t.is_quick and kind == 'text/csv':
                break


@attack('costly or invalid fences')
def odd_fences(t):
    right = (t.bench.data.folder / 'samples' / 'garden_sections.geojson').read_bytes()

    def feature(*rings):
        return {'type': 'FeatureCollection', 'features': [
            {'type': 'Feature', 'properties': {'id': number}, 'geometry': {
                'type': 'Polygon', 'coordinates': [ring]}} for number, ring in enumerate(rings)]}

    bodies = [b'', b'{}', b'[' * 100_000, json.dumps(feature(shapes.zigzag(20_000))).encode(),
              json.dumps(feature(shapes.star(3001))).encode(),
              json.dumps(feature(*shapes.squares(20_000, overlap=5))).encode(),
              json.dumps(feature(*[shapes.box()] * 2000)).encode(),
              json.dumps(feature(shapes.comb(100_000))).encode()]
    try:
        for body in bodies:
            answer = t.ask('/monitor/garden/fences', method='PUT', body=body,
                           kind='application/geo+json')
            t.expect(answer.seconds < t.timeout + 2, f'fences took {answer.seconds:.1f} s')
            t.ask('/monitor/garden/locations', body=tracks(2000, 9, f'o{len(body)}-'))
            t.ask('/monitor/garden/fences')
            if not t.server.is_alive:
                return
    finally:
        t.ask('/monitor/garden/fences', method='PUT', body=right, kind='application/geo+json',
              timeout=30)


@attack('concurrent replays, with odd speeds')
def replay_flood(t):
    csv = 'id,time,lon,lat\n' + ''.join(
        f'p{number % 50},{1_780_000_000 + number},{18.42 + number % 100 / 5000},-33.988\n'
        for number in range(t.scale(200_000, 40_000)))
    speeds = ['max', '0', '1e308', '-1', 'NaN', '1e-308', '10', '']

    def one(number):
        t.ask(f'/monitor/garden/replay?speed={speeds[number % 8]}', body=csv.encode(),
              kind='text/csv')
        if number % 3 == 0:
            t.ask('/monitor/garden/replay', method='DELETE')
        t.ask('/monitor/garden/replay')

    t.repeat(t.scale(8, 3), 4, one)
    t.ask('/monitor/garden/replay', method='DELETE')


@attack('lists of entities with odd limits')
def entity_lists(t):
    t.ask('/monitor/garden/locations', body=tracks(20_000, 5, 'l'))
    for limit in ('1000', '99999999999999999999', '-1', '0', 'x', '1e9', ''):
        t.ask(f'/monitor/garden/entities?limit={limit}')
    t.repeat(t.scale(5, 2), 8, lambda number: t.ask('/monitor/garden/entities?limit=100000'))
