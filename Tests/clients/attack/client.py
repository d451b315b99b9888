"""Requests and connections, valid and invalid."""

import gzip
import json
import re
import socket
import struct
import threading
import time
import urllib.parse

STATUS = re.compile(rb'HTTP/1\.[01] (\d{3})')
# Longer replies are counted but not stored.
MOST_KEPT = 8 << 20


class Answer:
    """The result of a request: a status, or the reason in `error` if there is none."""

    def __init__(self, status=0, headers=None, body=b'', seconds=0.0, error='', size=0):
        self.status, self.headers, self.body = status, headers or {}, body
        self.seconds, self.error, self.size = seconds, error, size or len(body)

    @property
    def code(self):
        """The status, or the code of an Esri error in a reply with 200."""
        if self.status == 200 and self.body[:9] == b'{"error":':
            try:
                return int(json.loads(self.body)['error']['code'])
            except (ValueError, KeyError, TypeError):
                pass
        return self.status

    @property
    def word(self):
        if self.error:
            return self.error
        return f'{self.code}' if self.code == self.status else f'200/{self.code}'

    @property
    def is_refused(self):
        """Whether the status is one that an overloaded server may return."""
        return self.code in (429, 503, 504)


def connect(port, source='127.0.0.1', *, timeout=10, buffer=0):
    """A connection from an address of the loopback network; `buffer` bounds the unread bytes."""
    connection = socket.socket()
    try:
        connection.settimeout(timeout)
        if buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        if source != '127.0.0.1':
            connection.bind((source, 0))
        connection.connect(('127.0.0.1', port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        connection.close()
        raise
    return connection


def reset(connection):
    """Closes a connection immediately, with RST."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    except OSError:
        pass
    connection.close()


def head(path, method='GET', *, body=None, kind='', headers=(), host='127.0.0.1'):
    """The bytes of a request."""
    lines = [f'{method} {path} HTTP/1.1', f'Host: {host}']
    if kind:
        lines.append(f'Content-Type: {kind}')
    if body is not None:
        lines.append(f'Content-Length: {len(body)}')
    lines += headers
    return '\r\n'.join(lines).encode('utf-8', 'surrogateescape') + b'\r\n\r\n' + (body or b'')


def form(parameters):
    return urllib.parse.urlencode(
        {name: value if isinstance(value, str) else json.dumps(value)
         for name, value in parameters.items()})


class Reader:
    """Reads consecutive replies from a connection."""

    def __init__(self, connection):
        self.connection, self.rest = connection, b''

    def _more(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        part = self.connection.recv(1 << 18)
        if not part:
            raise EOFError
        self.rest += part

    def _line(self, deadline):
        while b'\n' not in self.rest:
            self._more(deadline)
        line, self.rest = self.rest.split(b'\n', 1)
        return line.rstrip(b'\r')

    def _take(self, count, kept, deadline):
        """Reads a number of bytes and keeps the first ones."""
        left = count
        while left > 0:
            if not self.rest:
                self._more(deadline)
            part, self.rest = self.rest[:left], self.rest[left:]
            left -= len(part)
            if kept.size < MOST_KEPT:
                kept.parts.append(part)
            kept.size += len(part)

    def read(self, timeout, *, is_head=False):
        """The next reply; raises EOFError, TimeoutError or OSError if it is incomplete."""
        start = time.monotonic()
        deadline = start + timeout
        while True:
            line = self._line(deadline)
            words = line.split(b' ', 2)
            if len(words) < 2 or not words[0].startswith(b'HTTP/1.') or not words[1].isdigit():
                raise ValueError(f'no status line: {line[:60]!r}')
            status = int(words[1])
            headers = {}
            while line := self._line(deadline):
                name, _, value = line.partition(b':')
                headers[name.decode('latin-1').lower()] = value.strip().decode('latin-1')
            if status >= 200 or status == 101:
                break
        kept = _Kept()
        if is_head or status in (101, 204, 304):
            pass
        elif 'chunked' in headers.get('transfer-encoding', ''):
            while True:
                size = int(self._line(deadline).split(b';')[0], 16)
                self._take(size, kept, deadline)
                self._line(deadline)
                if size == 0:
                    break
        elif 'content-length' in headers:
            self._take(int(headers['content-length']), kept, deadline)
        else:
            try:
                while True:
                    self._take(1 << 30, kept, deadline)
            except EOFError:
                pass
        body = b''.join(kept.parts)
        if headers.get('content-encoding') == 'gzip' and kept.size < MOST_KEPT:
            body = gzip.decompress(body)
        return Answer(status, headers, body, time.monotonic() - start, size=kept.size)


class _Kept:
    def __init__(self):
        self.parts, self.size = [], 0


def ask(port, path, *, method='', parameters=None, body=None, kind='', headers=(),
        source='127.0.0.1', timeout=30.0):
    """One request on a separate connection. Long parameters are posted as a form."""
    if parameters is not None:
        text = form(parameters)
        if len(text) > 2000 or method == 'POST':
            body, kind, method = text.encode(), 'application/x-www-form-urlencoded', 'POST'
        else:
            path += ('&' if '?' in path else '?') + text
    if isinstance(body, (dict, list)):
        body, kind = json.dumps(body).encode(), kind or 'application/json'
    method = method or ('GET' if body is None else 'POST')
    start = time.monotonic()
    connection = None
    try:
        connection = connect(port, source, timeout=timeout)
        bytes = head(path, method, body=body, kind=kind,
                     headers=['Connection: close', *headers])
        try:
            connection.sendall(bytes)
        except (BrokenPipeError, ConnectionResetError):
            # A rejection may arrive before the whole request is received.
            pass
        answer = Reader(connection).read(
            max(0.1, timeout - (time.monotonic() - start)), is_head=method == 'HEAD')
    except (TimeoutError, socket.timeout):
        answer = Answer(error='no answer')
    except EOFError:
        answer = Answer(error='closed')
    except ConnectionResetError:
        answer = Answer(error='reset')
    except ConnectionRefusedError:
        answer = Answer(error='refused')
    except (OSError, ValueError) as error:
        answer = Answer(error=type(error).__name__)
    finally:
        if connection:
            connection.close()
    answer.seconds = time.monotonic() - start
    return answer


def raw(port, parts, *, source='127.0.0.1', wait=3.0, pause=0.0, shut=False, most=1 << 20):
    """Sends raw bytes and reads until the end or for `wait` seconds.

    Returns the statuses received, whether the server closed, and the text.
    """
    if isinstance(parts, bytes):
        parts = [parts]
    said = b''
    closed = False
    try:
        connection = connect(port, source, timeout=5)
    except OSError as error:
        return [], True, type(error).__name__.encode()
    with connection:
        try:
            for part in parts:
                connection.sendall(part)
                if pause:
                    time.sleep(pause)
            if shut:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            closed = True
        deadline = time.monotonic() + wait
        try:
            while len(said) < most and (left := deadline - time.monotonic()) > 0:
                connection.settimeout(left)
                part = connection.recv(1 << 16)
                if not part:
                    closed = True
                    break
                said += part
        except (TimeoutError, socket.timeout):
            pass
        except OSError:
            closed = True
    return [int(status) for status in STATUS.findall(said)], closed, said


def together(count, body, limit=120.0):
    """Runs `body(number)` on as many threads; waits for all, or `limit` seconds."""
    results = [None] * count

    def run(number):
        try:
            results[number] = body(number)
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,), daemon=True)
               for number in range(count)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + limit
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    return results
