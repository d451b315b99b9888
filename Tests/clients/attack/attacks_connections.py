"""Attacks with connections: slow, silent, half closed, many."""

import random
import selectors
import socket
import time

import client
from client import head
from harness import REFERENCES, REST
from registry import attack

POST = head('/api/identify', 'POST', body=b'{"map":"cape","at":[[18.86,-33.93]]}',
            kind='application/json')
CHUNKED = (b'POST /api/identify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
           b'Transfer-Encoding: chunked\r\n\r\n')


def trickle(t, bytes, count, seconds):
    """Sends a request byte by byte on several connections, and checks that other requests are
    answered.
    """
    connections = [connection for connection in (
        t.try_connect(source=f'127.10.0.{number + 1}') for number in range(count)) if connection]
    end = time.monotonic() + seconds
    at = 0
    while at < len(bytes) - 1 and time.monotonic() < end:
        for connection in list(connections):
            try:
                connection.send(bytes[at:at + 1])
            except OSError:
                connections.remove(connection)
                t.count('closed')
        at += 1
        time.sleep(0.05)
        if at % 20 == 0:
            answer = t.ask(**REFERENCES['identify'], source='127.0.0.5')
            t.expect(answer.status == 200, f'another client: {answer.word}')
    t.count('open', len(connections))


@attack('a request line byte by byte')
def slow_request_line(t):
    trickle(t, b'GET /' + b'a' * 4000 + b' HTTP/1.1\r\n', t.scale(60, 30), t.scale(6, 3))


@attack('headers byte by byte')
def slow_headers(t):
    trickle(t, b'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n' + b'X-A: b\r\n' * 400,
            t.scale(60, 30), t.scale(6, 3))


@attack('a body with a length byte by byte')
def slow_body(t):
    start = b'POST /api/identify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n'
    trickle(t, start + b' ' * 100000, t.scale(60, 30), t.scale(9, 5))


@attack('chunks of one byte, one after the other')
def slow_chunks(t):
    trickle(t, CHUNKED + b'1\r\n \r\n' * 2000, t.scale(60, 30), t.scale(9, 6))


@attack('the size of a chunk byte by byte')
def slow_chunk_size(t):
    trickle(t, CHUNKED + b'0' * 4000, t.scale(60, 30), t.scale(9, 6))


@attack('headers after a chunked body byte by byte')
def slow_trailers(t):
    trickle(t, CHUNKED + b'0\r\n' + b'X-A: b\r\n' * 500, t.scale(60, 30), t.scale(9, 6))


@attack('a reply read byte by byte')
def slow_read(t):
    connections = []
    for number in range(t.scale(40, 20)):
        connection = t.try_connect(buffer=2048, source=f'127.10.1.{number + 1}')
        if connection:
            connection.sendall(head(f'{REST}/attack/FeatureServer/2/query?f=json&where=1%3D1'))
            connections.append(connection)
    end = time.monotonic() + t.scale(12, 6)
    while time.monotonic() < end:
        for connection in connections:
            connection.settimeout(0.01)
            try:
                connection.recv(1)
            except OSError:
                pass
        time.sleep(0.1)


@attack('requests that stop after each of their bytes')
def stop_at_every_byte(t):
    requests = [POST, CHUNKED + b'5\r\n{"at"\r\n0\r\n\r\n',
                head('/monitor/garden/events', headers=[
                    'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
                    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='])]
    for request in requests:
        for length in range(0, len(request), t.scale(1, 3)):
            connection = t.try_connect()
            if not connection:
                continue
            try:
                connection.sendall(request[:length])
            except OSError:
                t.count('closed')
            if length % 3 == 0:
                client.reset(connection)
            elif length % 3 == 1:
                connection.close()
            # The other connections stay open.
            if len(t.open) > 60:
                for old in t.open:
                    old.close()
                t.open.clear()
            t.count('cut')


@attack('connections half-closed after the head, half a body or the whole request')
def half_closed(t):
    parts = [POST, POST[:-10], POST[:40], head('/health'), CHUNKED, b'', b'\r\n',
             head('/ogc/collections/attack.points/items?limit=10000')]

    def one(number):
        t.raw(parts[number % len(parts)], shut=True, wait=t.timeout + 1)

    t.together(t.scale(80, 32), one)


@attack('connections reset in the middle of a reply')
def reset_mid_reply(t):
    path = '/ogc/collections/attack.points/items?limit=10000'

    def one(number):
        connection = t.try_connect(buffer=4096)
        if not connection:
            return
        try:
            connection.sendall(head(path))
            connection.recv(1 + number * 37 % 4096)
            t.count('reset')
        except OSError as error:
            t.count(type(error).__name__)
        client.reset(connection)

    t.repeat(t.scale(8, 3), 16, one)


@attack('silent connections from one address')
def silent_connections(t):
    for _ in range(t.scale(2000, 600)):
        t.try_connect(timeout=2)
    t.count('connected', len(t.open))
    time.sleep(1)
    answer = t.ask(**REFERENCES['identify'], source='127.0.0.5')
    t.expect(answer.status == 200, f'another client: {answer.word}')


@attack('silent connections from many addresses')
def silent_connections_spread(t):
    for number in range(t.scale(4000, 1500)):
        t.try_connect(timeout=2, source=f'127.11.{number // 250}.{number % 250 + 1}')
    t.count('connected', len(t.open))
    time.sleep(1)
    answer = t.ask('/health', source='127.0.0.5')
    t.expect(answer.status == 200, f'another client: {answer.word}')


@attack('connections in sequence over 127.0.0.0/8: 100,000, or fewer in a quick run')
def many_connections(t):
    count = t.scale(100_000, 8000)
    generator = random.Random(3)
    request = head('/health', headers=['Connection: close'])
    begin = time.monotonic()

    def some(start):
        for _ in range(count // 4):
            if not t.server.is_alive:
                return
            source = f'127.{generator.randrange(20, 250)}.{generator.randrange(256)}.' \
                     f'{generator.randrange(1, 255)}'
            try:
                with client.connect(t.port, source, timeout=5) as connection:
                    connection.sendall(request)
                    got = connection.recv(1000)
                t.count(got[9:12].decode() or 'closed')
            except OSError as error:
                t.count(type(error).__name__)

    t.together(4, some, 900)
    rate = count / (time.monotonic() - begin)
    t.note(f'{rate:.0f} a second')
    failed = sum(number for word, number in t.statuses.items() if word != '200')
    t.expect(failed < count / 1000, f'{failed} of {count} were not answered')


@attack('connections opened and reset at once')
def connect_and_reset(t):
    def one(_):
        try:
            client.reset(client.connect(t.port, t.source, timeout=2))
            t.count('reset')
        except OSError as error:
            t.count(type(error).__name__)

    t.repeat(t.scale(10, 3), 4, one)


def pipeline(t, request, count, *, reads, connections=4, wait=6.0):
    def one(_):
        connection = t.try_connect(timeout=wait)
        if not connection:
            return
        connection.setblocking(False)
        left = memoryview(request * count)
        got = 0
        end = time.monotonic() + wait
        selector = selectors.DefaultSelector()
        events = selectors.EVENT_WRITE | (selectors.EVENT_READ if reads else 0)
        selector.register(connection, events)
        while time.monotonic() < end:
            ready = selector.select(0.2)
            for _, mask in ready:
                try:
                    if mask & selectors.EVENT_WRITE and left:
                        left = left[connection.send(left[:1 << 16]):]
                        if not left:
                            selector.modify(connection, selectors.EVENT_READ)
                    if mask & selectors.EVENT_READ and reads:
                        part = connection.recv(1 << 18)
                        if not part:
                            t.count('closed')
                            return
                        got += part.count(b'HTTP/1.1 ')
                except BlockingIOError:
                    pass
                except OSError as error:
                    t.count(type(error).__name__)
                    return
            if not reads and not left:
                break
        t.count('replies', got)
        t.count('sent', count - len(left) // len(request))

    t.together(connections, one)


@attack('pipelined requests for /health by the thousand')
def pipelined_health(t):
    pipeline(t, head('/health'), t.scale(50_000, 10_000), reads=True)


@attack('pipelined requests whose replies are not read')
def pipelined_unread(t):
    pipeline(t, head('/ogc/api?f=json'), 5000, reads=False)
    time.sleep(t.timeout + 2)


@attack('pipelined queries')
def pipelined_queries(t):
    pipeline(t, head(f'{REST}/attack/FeatureServer/2/query?f=json&where=ROW%3D3'), 500, reads=True)


@attack('pipelined queries on connections that are then reset')
def pipelined_resets(t):
    request = head(f'{REST}/attack/FeatureServer/0/query?f=json&where=NAME%20LIKE%20%27%25a%25%27')

    def one(_):
        connection = t.try_connect()
        if connection:
            try:
                connection.sendall(request * 200)
            except OSError:
                pass
            client.reset(connection)
            t.count('reset')

    t.together(t.scale(40, 16), one)


@attack('TLS, HTTP/2, random bytes and other protocols')
def other_protocols(t):
    generator = random.Random(4)
    hello = bytes.fromhex('16030100a5010000a10303') + generator.randbytes(160)
    parts = [hello, b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + b'\0' * 100, b'\0' * 100_000,
             b'SSH-2.0-OpenSSH_9.2\r\n', b'EHLO example.org\r\n', b'\xff' * 100_000,
             b'\r\n' * 10_000, b'\n' * 100_000, b' ' * 100_000,
             *(generator.randbytes(generator.randrange(1, 5000)) for _ in range(t.scale(200, 40)))]
    for part in parts:
        t.raw(part, wait=0.3)


@attack('keep-alive connections with a pause between requests')
def slow_keep_alive(t):
    connections = [t.try_connect(source=f'127.10.2.{number + 1}') for number in range(60)]
    for _ in range(3):
        for connection in filter(None, connections):
            try:
                connection.sendall(head('/health'))
            except OSError:
                t.count('closed')
        time.sleep(t.scale(2, 1))
        for connection in filter(None, connections):
            try:
                connection.settimeout(1)
                t.count(connection.recv(4096)[9:12].decode() or 'closed')
            except OSError as error:
                t.count(type(error).__name__)


@attack('urgent data, tiny windows and segments')
def odd_segments(t):
    for number in range(t.scale(60, 20)):
        connection = t.try_connect(buffer=256)
        if not connection:
            continue
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 88)
            connection.sendall(POST[:20])
            connection.send(b'!', socket.MSG_OOB)
            connection.sendall(POST[20:])
            connection.settimeout(1)
            t.count(connection.recv(4096)[9:12].decode() or 'closed')
        except OSError as error:
            t.count(type(error).__name__)
