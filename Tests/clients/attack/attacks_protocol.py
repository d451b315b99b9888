"""Attacks with requests that are invalid, or barely valid, HTTP."""

import time

from client import head
from registry import attack

HOST = b'Host: 127.0.0.1\r\n'
NEXT = b'GET /health?smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'


def refused(t, request, what, *, wait=0.7):
    """Expects a rejection or a closed connection, and no reply to the request that follows."""
    statuses, closed, said = t.raw(request + NEXT, wait=wait)
    t.expect(not statuses or 400 <= statuses[0] < 600, f'{what}: {statuses}')
    t.expect(len(statuses) <= 1, f'{what}: a request after it was answered: {statuses}')


def cope(t, request, what, *, wait=1.0):
    """Expects any reply except an internal server error."""
    statuses, closed, said = t.raw(request, wait=wait)
    t.expect(500 not in statuses, f'{what}: 500: {said[-80:]!r}')
    return statuses


@attack('too long request lines')
def long_request_lines(t):
    for length in (1000, 8000, 70_000, 200_000, 1 << 20, 1 << 23):
        statuses = cope(t, b'GET /health?' + b'a' * length + b' HTTP/1.1\r\n' + HOST + b'\r\n',
                        f'{length} bytes')
        t.note(f'{length}: {statuses}')


@attack('too long or endless headers')
def long_headers(t):
    for length in (8000, 70_000, 200_000, 1 << 20, 1 << 23):
        cope(t, b'GET /health HTTP/1.1\r\n' + HOST + b'X-A: ' + b'a' * length + b'\r\n\r\n',
             f'{length} bytes')
        cope(t, b'GET /health HTTP/1.1\r\n' + HOST + b'a' * length + b': b\r\n\r\n',
             f'a name of {length} bytes')


@attack('thousands of headers')
def many_headers(t):
    for count in (90, 1000, 10_000, 100_000):
        cope(t, b'GET /health HTTP/1.1\r\n' + HOST + b''.join(
            b'X-%d: a\r\n' % number for number in range(count)) + b'\r\n', f'{count} headers')
        cope(t, b'GET /health HTTP/1.1\r\n' + HOST + b'Cookie: a\r\n' * count + b'\r\n',
             f'{count} cookies')


@attack('two lengths, or lengths that are not numbers')
def contradictory_lengths(t):
    body = b'GET /health?inner HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
    for lines in (b'Content-Length: 5\r\nContent-Length: 6\r\n',
                  b'Content-Length: 5, 6\r\n', b'Content-Length: -1\r\n',
                  b'Content-Length: +5\r\n', b'Content-Length: 0x5\r\n',
                  b'Content-Length: 5 5\r\n', b'Content-Length: \r\n',
                  b'Content-Length: 99999999999999999999999\r\n', b'Content-Length: 1e1\r\n',
                  b'Content-Length: 18446744073709551616\r\n', b'Content-Length: five\r\n'):
        refused(t, b'POST /api/identify HTTP/1.1\r\n' + HOST + lines + b'\r\n' + body,
                lines.decode())


@attack('a length in addition to chunks')
def length_and_chunks(t):
    body = b'0\r\n\r\n'
    for lines in (b'Content-Length: 50\r\nTransfer-Encoding: chunked\r\n',
                  b'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
                  b'Transfer-Encoding: chunked\r\nContent-Length: 0\r\n',
                  b'Content-Length: 5\r\ntransfer-encoding: CHUNKED\r\n'):
        refused(t, b'POST /api/identify HTTP/1.1\r\n' + HOST + lines + b'\r\n' + body,
                lines.decode())


@attack('unknown transfer encodings')
def odd_encodings(t):
    for value in (b'xchunked', b'chunked, identity', b'identity', b'chunked\x0b',
                  b'"chunked"', b'chunked;q=1', b'\tchunke', b'gzip', b','):
        refused(t, b'POST /api/identify HTTP/1.1\r\n' + HOST + b'Transfer-Encoding: ' + value
                + b'\r\n\r\n0\r\n\r\n', repr(value))
    for name in (b'Transfer-Encoding ', b' Transfer-Encoding', b'Transfer_Encoding'):
        # After an invalid name, the chunks are not a body.
        cope(t, b'POST /api/identify HTTP/1.1\r\n' + HOST + name + b': chunked\r\n\r\n0\r\n\r\n',
             repr(name))


@attack('wrong or huge chunk sizes')
def bad_chunk_sizes(t):
    start = b'POST /api/identify HTTP/1.1\r\n' + HOST + b'Transfer-Encoding: chunked\r\n\r\n'
    for size in (b'-1', b'+5', b'0x5', b'G', b'', b' ', b'FFFFFFFFFFFFFFFF', b'8000000000000000',
                 b'7FFFFFFFFFFFFFFF', b'10000000000000000', b'5 5', b'5\n', b'00000000000000000001g',
                 b'\x00', b'5\r5'):
        refused(t, start + size + b'\r\nhello\r\n0\r\n\r\n', repr(size), wait=0.5)
    for extension in (b'a' * 100, b'a' * 100_000, b'a' * (1 << 22)):
        cope(t, start + b'5;' + extension + b'\r\nhello\r\n0\r\n\r\n', 'an extension')
    cope(t, start + b'5\r\nhelloX\r\n0\r\n\r\n', 'a chunk without an end')
    cope(t, start + b'0' * 100_000 + b'5\r\nhello\r\n0\r\n\r\n', 'zeros')


@attack('a body of a million chunks of a byte each')
def tiny_chunks(t):
    start = b'POST /api/identify HTTP/1.1\r\n' + HOST + b'Transfer-Encoding: chunked\r\n\r\n'

    def one(_):
        statuses, *_ = t.raw([start] + [b'1\r\n \r\n' * 10_000] * t.scale(100, 40)
                             + [b'0\r\n\r\n'], wait=t.timeout + 3)

    t.together(2, one)


@attack('trailers without end')
def endless_trailers(t):
    start = (b'POST /api/identify HTTP/1.1\r\n' + HOST
             + b'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n')
    cope(t, start + b'X-A: b\r\n' * 200_000, 'trailers')
    cope(t, start + b'X-A: ' + b'b' * 3_000_000, 'a long trailer')
    cope(t, start + b'Content-Length: 5\r\nHost: other\r\n\r\n' + NEXT, 'a length behind')


@attack('line ends, folded lines, NUL and control letters in heads')
def odd_heads(t):
    for request in (
            b'GET /health HTTP/1.1\n' + b'Host: 127.0.0.1\n\n',
            b'GET /health HTTP/1.1\r' + b'Host: 127.0.0.1\r\r',
            b'GET /health HTTP/1.1\r\n' + HOST + b'X-A: b\r\n c\r\n\r\n',
            b'GET /health HTTP/1.1\r\n X: y\r\n' + HOST + b'\r\n',
            b'GET /health HTTP/1.1\r\n' + HOST + b'X-A: b\0c\r\n\r\n',
            b'GET /health HTTP/1.1\r\n' + HOST + b'X\0A: b\r\n\r\n',
            b'GET /hea\0lth HTTP/1.1\r\n' + HOST + b'\r\n',
            b'GET /health\x7f HTTP/1.1\r\n' + HOST + b'\r\n',
            b'GET  /health HTTP/1.1\r\n' + HOST + b'\r\n',
            b'GET /health  HTTP/1.1\r\n' + HOST + b'\r\n',
            b'GET\t/health\tHTTP/1.1\r\n' + HOST + b'\r\n',
            b'GET /health HTTP/1.1 \r\n' + HOST + b'\r\n',
            b'GET /health HTTP/1.1\r\n' + HOST + b': b\r\n\r\n',
            b'GET /health HTTP/1.1\r\n' + HOST + b'no colon\r\n\r\n',
            b'GET /health HTTP/1.1\r\n' + HOST + b'X-A: \xff\xfe\r\n\r\n',
            b'GET /\xff\xfe HTTP/1.1\r\n' + HOST + b'\r\n',
            b'\r\n\r\nGET /health HTTP/1.1\r\n' + HOST + b'\r\n'):
        cope(t, request, repr(request[:40]), wait=0.4)


@attack('Host headers: none, two, other names')
def host_headers(t):
    def status(*lines, version='1.1'):
        statuses, *_ = t.raw(f'GET /health HTTP/{version}\r\n'.encode() + b''.join(
            line + b'\r\n' for line in lines) + b'\r\n', wait=0.7)
        return statuses[0] if statuses else 0

    t.expect(status(b'Host: 127.0.0.1') == 200, 'a plain Host is refused')
    t.expect(status(b'Host: 127.0.0.1:1') in (200, 400, 421), 'another port')
    t.expect(status() in (0, 400), 'a missing Host is accepted')
    t.expect(status(b'Host: 127.0.0.1', b'Host: 127.0.0.1') in (0, 400), 'two Hosts are accepted')
    t.expect(status(b'Host: 127.0.0.1', b'Host: evil.example') in (0, 400),
             'two different Hosts are accepted')
    for other in (b'evil.example', b'127.0.0.1.evil.example', b'127.0.0.1@evil.example', b'',
                  b'localhost/../x', b'[::1', b'[', b'\xff', b'a' * 60_000, b'127.0.0.1 evil',
                  b'127.0.0.1,evil', b'127.1', b'0x7f.1', b'2130706433'):
        answer = status(b'Host: ' + other)
        t.expect(answer in (0, 400, 421, 431), f'Host {other[:30]!r}: {answer}')


@attack('HTTP/1.0 and unknown versions')
def other_versions(t):
    statuses, closed, said = t.raw(b'GET /health HTTP/1.0\r\n\r\n', wait=1)
    t.expect(statuses == [200] and closed, f'HTTP/1.0: {statuses}, closed: {closed}')
    statuses, closed, said = t.raw(
        b'GET /ogc/collections/attack.cells/items?limit=10000 HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n',
        wait=t.timeout)
    t.expect(b'chunked' not in said[:2000].lower(), 'HTTP/1.0 gets chunks')
    for version in (b'HTTP/0.9', b'HTTP/2.0', b'HTTP/3', b'HTTP/1.10', b'HTTP/11', b'HTTP/1.',
                    b'http/1.1', b'HTTP/-1.1', b'ICAP/1.0', b'HTTP/999999999999.1', b''):
        cope(t, b'GET /health ' + version + b'\r\n' + HOST + b'\r\n', repr(version), wait=0.4)
    cope(t, b'GET /health\r\n', 'HTTP/0.9', wait=0.4)


@attack('unknown methods')
def other_methods(t):
    for method in (b'TRACE', b'CONNECT', b'get', b'PATCH', b'DELETE', b'PUT', b'PROPFIND', b'LOCK',
                   b'A' * 5000, b'G\xffT', b'GET,POST', b'OPTIONS', b'HEAD', b'BREW', b'*'):
        for path in (b'/health', b'/api/identify', b'/monitor/garden/fences'):
            statuses = cope(t, method + b' ' + path + b' HTTP/1.1\r\n' + HOST
                            + b'Content-Length: 0\r\n\r\n', repr(method), wait=0.4)
            t.expect(method not in (b'TRACE', b'CONNECT', b'get', b'PATCH') or not statuses
                     or statuses[0] >= 400, f'{method!r}: {statuses}')


@attack('addresses: absolute, encoded, leading upwards, deep')
def odd_addresses(t):
    for path in ('http://127.0.0.1/health', 'http://evil.example/health', '*', '//evil.example/',
                 '/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/%00', '/%', '/%zz', '/%ff%fe',
                 '/arcgis/rest/services/..%2f..%2fmade/MapServer', '/' + 'a/' * 20_000,
                 '/arcgis/rest/services/' + '%41' * 10_000, '/?' + '&' * 50_000,
                 '/ogc/collections/%2e%2e%2fattack.points', '/#', '/health;a=b', '/health/',
                 '\\health', '/health\\..', 'health', '/ogc/collections/' + '/' * 10_000,
                 '/arcgis/rest/services/attack/MapServer/99999999999999999999',
                 '/arcgis/rest/services/attack/MapServer/-1',
                 '/arcgis/rest/services/attack/FeatureServer/0/query/' + 'query/' * 1000):
        statuses, closed, said = t.raw(head(path, headers=['Connection: close']), wait=0.7)
        t.expect(500 not in statuses, f'{path[:40]}: 500')
        t.expect(b'root:' not in said, f'{path[:40]} reads a file')


@attack('Expect: 100-continue, and other expectations')
def expectations(t):
    body = b'{"map":"cape","at":[[18.86,-33.93]]}'
    start = (b'POST /api/identify HTTP/1.1\r\n' + HOST + b'Content-Type: application/json\r\n'
             b'Content-Length: %d\r\n' % len(body))
    begin = time.monotonic()
    statuses, *_ = t.raw([start + b'Expect: 100-continue\r\n\r\n', body], pause=0.3, wait=2)
    t.expect(statuses == [100, 200], f'100-continue: {statuses} in '
             f'{time.monotonic() - begin:.1f} s')
    cope(t, start + b'Expect: 200-ok\r\n\r\n' + body, 'another expectation')
    for _ in range(20):
        t.raw(start + b'Expect: 100-continue\r\n\r\n', wait=0.05)


@attack('upgrades to unknown protocols')
def odd_upgrades(t):
    for lines in (['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABk'],
                  ['Upgrade: websocket', 'Connection: Upgrade'],
                  ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
                   'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='],
                  ['Upgrade: TLS/1.0', 'Connection: Upgrade'], ['Upgrade: ' + 'a' * 10_000]):
        for path in ('/health', '/monitor/garden/events', '/monitor/none/events'):
            cope(t, head(path, headers=lines), lines[0][:30], wait=0.4)


@attack('unknown or repeated encodings of bodies and replies')
def odd_packings(t):
    body = b'{"map":"cape","at":[[18.86,-33.93]]}'
    for value in ('br', 'gzip, gzip', 'gzip' * 1000, 'zstd', '\x01', 'GZIP', 'deflate'):
        t.ask('/api/identify', body=body, kind='application/json',
              headers=[f'Content-Encoding: {value}'])
    for value in ('gzip;q=0', '*;q=0', 'gzip' + ',gzip' * 5000, 'identity;q=0', ';;;', 'gzip;q=x'):
        answer = t.ask('/ogc/collections?f=json', headers=[f'Accept-Encoding: {value}'])
        t.expect('q=0' not in value or value.startswith('identity') or
                 answer.headers.get('content-encoding') != 'gzip', f'{value}: compressed all the same')
    for value in ('text/html;q=' + '9' * 5000, '*/*,' * 10_000, 'a/b;' * 10_000, '\x7f'):
        t.ask('/ogc/collections', headers=[f'Accept: {value}'])
