"""Attacks with bodies: JSON, gzip, tables of points, forms."""

import gzip
import io
import random
import tempfile
import time
import zipfile
import zlib
from pathlib import Path

import client
from harness import MB
from registry import attack


def post(t, bodies, path='/api/identify', kind='application/json', **options):
    for body in bodies:
        if not t.server.is_alive:
            break
        answer = t.ask(path, body=body, kind=kind, **options)
        t.expect(answer.seconds < t.timeout + 3, f'{len(body)} bytes {body[:20]!r} took '
                 f'{answer.seconds:.1f} s')


@attack('deep JSON')
def deep_json(t):
    depth = t.scale(10_000_000, 1_000_000)
    post(t, [b'[' * depth, b'{"a":' * (depth // 5), b'{"at":' + b'[' * depth + b']' * depth + b'}',
             b'{"at":[[18.5,-34]],"layers":' + b'[' * 600 + b']' * 600 + b'}'])
    for path in ('/api/trace', '/api/buffer', '/monitor/garden/locations'):
        post(t, [b'{"features":' + b'[' * depth], path)
    t.rest('attack/FeatureServer/0/query', {'geometry': '[' * 200_000})
    t.rest('gas/UtilityNetworkServer/trace', {'traceConfiguration': '{"a":' * 50_000})


@attack('wide JSON: lists of small values')
def wide_json(t):
    count = t.scale(20_000_000, 5_000_000)
    post(t, [b'{"at":[' + b'0,' * count + b'0]}', b'{"at":[' + b'[],' * (count // 2) + b'[]]}',
             b'{"at":[' + b'"",' * (count // 2) + b'""]}', b'[' + b'1,' * count + b'1]'])


@attack('JSON objects with many members, or one repeated name')
def wide_objects(t):
    count = t.scale(2_000_000, 400_000)
    post(t, [b'{' + b','.join(b'"%d":0' % number for number in range(count)) + b'}',
             b'{' + b'"at":0,' * count + b'"at":[[18.5,-34]]}',
             b'{"map":' + b'{' + b'"a":{},' * count + b'"b":0}}'])


@attack('JSON with long strings, numbers and escapes')
def long_json_values(t):
    post(t, [b'{"at":[[' + b'1' * (8 * MB) + b',1]]}', b'{"at":[[1e' + b'9' * MB + b',1]]}',
             b'{"at":[[0.' + b'0' * (8 * MB) + b'1,1]]}', b'{"map":"' + b'\\u0041' * MB + b'"}',
             b'{"map":"' + b'\\ud800' * MB + b'"}', b'{"map":"' + b'a' * (30 * MB) + b'"}',
             b'{"at":[[18.5,-34]],"layers":"show:' + b'0,' * (4 * MB) + b'0"}',
             b'\xff\xfe{\0}\0', b'\xef\xbb\xbf{}', b' ' * (60 * MB)])


@attack('JSON with many members, several at once')
def json_flood(t):
    body = b'{"at":[' + b'[1,2],' * t.scale(3_000_000, 1_000_000) + b'[1,2]]}'
    t.together(8, lambda number: t.ask('/api/identify', body=body, kind='application/json'))


@attack('gzip of zeros, of gzip, truncated, of many members')
def gzip_bodies(t):
    zeros = gzip.compress(b'\0' * (63 * MB), 1)
    over = gzip.compress(b' ' * (80 * MB), 1)
    members = gzip.compress(b'') * 100_000
    twice = gzip.compress(gzip.compress(b'{"at":[' + b' ' * (50 * MB) + b']}', 9), 9)
    bodies = [zeros, over, members, twice, zeros[:len(zeros) // 2], zeros[:5], b'',
              zeros[:-4] + b'\xff\xff\xff\xff', zeros + b'garbage' * 1000, b'\x1f\x8b' + b'\xff' * 5000,
              b'\x1f\x8b\x08\x08\0\0\0\0\0\xff' + b'a' * MB]
    for body in bodies:
        answer = t.ask('/api/identify', body=body, kind='application/json',
                       headers=['Content-Encoding: gzip'])
        t.expect(answer.status != 200, f'{body[:12]!r} is answered')
    t.together(t.scale(24, 8), lambda number: t.ask(
        '/api/identify', body=[zeros, over, members][number % 3], kind='application/json',
        headers=['Content-Encoding: gzip']))


@attack('a gzip bomb of points: some kB, millions of rows')
def sample_gzip_bomb(t):
    rows = gzip.compress(b'lon,lat\n' + b'18.5,-34\n' * t.scale(7_000_000, 3_000_000), 1)
    t.note(f'{len(rows) / 1000:.0f} kB')
    for name in ('cape', 'attack'):
        answer = t.ask(f'/api/sample?map={name}', body=rows, kind='text/csv',
                       headers=['Content-Encoding: gzip'])
        t.note(f'{name}: {answer.word} in {answer.seconds:.1f} s')
    t.together(4, lambda number: t.ask('/api/sample?map=cape', body=rows, kind='text/csv',
                                       headers=['Content-Encoding: gzip']))


@attack('a table of more points than the limit')
def sample_many(t):
    body = b'lon,lat\n' + b'18.5,-34\n' * 1_200_000
    for path in ('/api/sample?map=cape', '/api/sample?map=attack&tolerance=2km',
                 '/api/sample?map=attack&format=jsonl'):
        answer = t.ask(path, body=body, kind='text/csv')
        t.note(f'{path}: {answer.word}, {answer.size / MB:.0f} MB in {answer.seconds:.1f} s')


@attack('points that are near everything: long rows')
def sample_long_rows(t):
    body = b'lon,lat\n' + b'18.5,-34\n' * t.scale(20_000, 2000)
    for path in ('/api/sample?map=attack&tolerance=200km&format=jsonl&max-results=all',
                 '/api/sample?map=attack&tolerance=200km', '/api/sample?map=attack&tolerance=1e300km'):
        answer = t.ask(path, body=body, kind='text/csv')
        t.note(f'{path[26:]}: {answer.word}, {answer.size / MB:.0f} MB in {answer.seconds:.1f} s')


@attack('a table of one enormous line, or of a million columns')
def sample_odd_tables(t):
    quoted = b'lon,lat,name\n18.5,-34,"' + b'a' * (60 * MB)
    bodies = [b'a' * (60 * MB), quoted, b'lon,lat' + b',c' * 2_000_000 + b'\n18.5,-34\n',
              b'lon,lat\n' + b',' * (30 * MB), b'"' * (20 * MB), b'lon,lat\n' * MB,
              b'\n' * (30 * MB), b'#' * (10 * MB) + b'\n', b'sep=' + b';' * MB, b'lon\n' * MB,
              b'wkt\n"' + b'MULTIPOINT(' * 100_000, b'lon,lat\n1e999,-1e999\nnan,inf\n' * 10_000]
    for body in bodies:
        if not t.server.is_alive:
            break
        t.ask('/api/sample?map=cape', body=body, kind='text/csv')


@attack('tables in invalid encodings')
def sample_bad_text(t):
    generator = random.Random(8)
    bodies = [b'lon,lat,\xff\xfe\n18.5,-34,\xc3\x28\n' * 1000, b'\xff\xfel\0o\0n\0', b'\0' * MB,
              generator.randbytes(MB), b'lon,lat\n18.5,-34\0\n' * 1000,
              'lon,lat\n१८,३४\n'.encode() * 1000, b'\xef\xbb\xbf' * 1000 + b'lon,lat\n1,2\n']
    for body in bodies:
        for kind in ('text/csv', 'application/geo+json', 'application/x-ndjson'):
            t.ask('/api/sample?map=cape', body=body, kind=kind)


@attack('archives and other formats instead of a table')
def sample_archives(t):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('points.csv', b'lon,lat\n' + b'18.5,-34\n' * 5_000_000)
        archive.writestr('../../points.csv', b'lon,lat\n')
    bodies = [buffer.getvalue(), zlib.compress(b'lon,lat\n' * MB), gzip.compress(b'lon,lat\n' * MB),
              b'SQLite format 3\0' + b'\0' * 10_000, b'PAR1' + b'\xff' * 10_000,
              b'<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/etc/passwd</SrcDataSource>'
              b'</OGRVRTLayer></OGRVRTDataSource>', b'/vsizip//etc/passwd\n',
              b'lon,lat,name\n18.5,-34,/vsicurl/http://127.0.0.1:1/\n']
    for body in bodies:
        for kind in ('text/csv', 'application/geo+json', 'application/zip'):
            answer = t.ask('/api/sample?map=cape', body=body, kind=kind)
            t.expect(b'root:' not in answer.body, 'a file was read')


@attack('deep, wide or invalid GeoJSON of points')
def sample_geojson(t):
    feature = b'{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[18.5,-34]}}'
    start = b'{"type":"FeatureCollection","features":['
    bodies = [start + b','.join([feature] * t.scale(500_000, 100_000)) + b']}', start,
              start + b'{},' * 500_000 + b'{}]}',
              start + feature.replace(b'{}', b'{"a":' + b'[' * 100_000, 1),
              start + feature.replace(b'{}', b'{' + b','.join(
                  b'"p%d":%d' % (number, number) for number in range(200_000)) + b'}', 1) + b']}',
              start + feature.replace(b'"Point"', b'"GeometryCollection"') + b']}',
              start + feature.replace(b'[18.5,-34]', b'[' * 50_000) + b']}']
    for body in bodies:
        t.ask('/api/sample?map=cape', body=body, kind='application/geo+json')


@attack('forms with a million parameters, or one of many MB')
def odd_forms(t):
    count = t.scale(3_000_000, 600_000)
    bodies = [b'a=1&' * count, b'&' * (20 * MB), b'=' * (20 * MB), b'%41' * (5 * MB),
              b'where=' + b'%' * MB, b'&'.join(b'p%d=1' % number for number in range(count // 3)),
              b'f=json&' + b'where=1%3D1&' * (count // 5), b'token=' + b'a' * (10 * MB)]
    for body in bodies:
        for path in ('/arcgis/rest/services/attack/FeatureServer/0/query',
                     '/ogc/collections/attack.noise/area'):
            answer = t.ask(path, body=body, kind='application/x-www-form-urlencoded')
            t.expect(answer.seconds < t.timeout + 3, f'{body[:10]!r}: {answer.seconds:.1f} s')


@attack('multipart forms and other types of bodies')
def odd_types(t):
    start = b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\njson\r\n'
    for kind in ('multipart/form-data; boundary=x', 'multipart/form-data; boundary=' + 'x' * 5000,
                 'multipart/mixed', 'application/xml', 'text/csv;' * 3000, '\x01', '/',
                 'application/json; charset=utf-16'):
        for body in (start * 1000, start * 100_000, b'--x--', b''):
            t.ask('/arcgis/rest/services/attack/FeatureServer/0/query', body=body, kind=kind)


@attack('temporary files: samples and buffers whose clients disconnect')
def temporary_files(t):
    folder = Path(tempfile.gettempdir())
    before = len(list(folder.iterdir()))
    csv = b'lon,lat\n' + b'18.5,-34\n' * 100_000

    def one(number):
        connection = t.try_connect()
        if connection:
            try:
                connection.sendall(client.head('/api/sample?map=cape', 'POST', body=csv,
                                               kind='text/csv'))
                time.sleep(0.02 * (number % 10))
            except OSError:
                pass
            client.reset(connection)
            t.count('reset')

    t.together(t.scale(40, 16), one)
    time.sleep(2)
    left = len(list(folder.iterdir())) - before
    t.expect(left <= 2, f'{left} files remain in {folder}')
