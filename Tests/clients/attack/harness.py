"""A monitored server: its health, its replies to other clients and its memory during an attack."""

import collections
import hashlib
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import client
import group
from data import Data

context = multiprocessing.get_context('fork')
MB = 1 << 20


# MARK: Monitoring in separate processes

class Memory(int):
    """Formats a number of bytes, with a description of their parts."""

    parts = ''


def resident(pid, group=None):
    """The memory of a server and of its helper processes in bytes: the memory of their control group
    without cached files, or the resident memory if they have no group."""
    total, own, helpers = 0, {}, 0
    try:
        for line in open(f'/proc/{pid}/status'):
            name, _, value = line.partition(':')
            if name in ('VmRSS', 'RssAnon', 'RssFile', 'RssShmem'):
                own[name] = int(value.split()[0]) << 10
        total = own.get('VmRSS', 0)
        children = ''
        for task in os.listdir(f'/proc/{pid}/task'):
            try:
                children += open(f'/proc/{pid}/task/{task}/children').read() + ' '
            except OSError:
                pass
        for child in children.split():
            try:
                for line in open(f'/proc/{child}/status'):
                    if line.startswith('RssAnon:'):
                        total += int(line.split()[1]) << 10
                        helpers += 1
            except OSError:
                pass
    except OSError:
        pass
    memory = Memory(total)
    memory.parts = (f'{own.get("RssAnon", 0) // MB} MB private, {own.get("RssFile", 0) // MB} MB of files, '
                    f'{(total - own.get("VmRSS", 0)) // MB} MB in {helpers} helpers')
    if group:
        try:
            memory, parts = Memory(group.memory), memory.parts
            memory.parts = parts
        except OSError:
            pass
    return memory


def _health_once(port, connection, source, timeout):
    """Requests `/health`; returns the connection to reuse and the fault."""
    try:
        connection = connection or client.connect(port, source, timeout=timeout)
        connection.sendall(client.head('/health'))
        answer = client.Reader(connection).read(timeout)
        if answer.status != 200 or not answer.body.startswith(b'ok\n'):
            connection.close()
            return None, f'{answer.status} {answer.body[:40]!r}'
        if answer.headers.get('connection') == 'close':
            connection.close()
            return None, ''
        return connection, ''
    except (OSError, EOFError, ValueError) as error:
        if connection:
            connection.close()
        return None, type(error).__name__


def _watch(pipe):
    """Requests `/health` every 100 ms, on one connection and sometimes on a new one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    target, connection = None, None
    asked = 0
    while True:
        while pipe.poll(0 if target else None):
            word, *rest = pipe.recv()
            if word == 'start':
                if connection:
                    connection.close()
                connection = None
                target = rest
                longest, delay, peak, faults, asked, late = 0.0, 0.0, 0, [], 0, 0
            elif word == 'stop':
                pipe.send((longest, delay, peak, faults, asked))
                target = None
            else:
                return
        if not target:
            continue
        port, pid, group, limit = target
        begin = time.monotonic()
        asked += 1
        if asked % 10 == 0:
            other, fault = _health_once(port, None, '127.0.0.8', 5)
            if other:
                other.close()
        else:
            connection, fault = _health_once(port, connection, '127.0.0.9', 5)
        took = time.monotonic() - begin
        if took > 1:
            kind = 'a new' if asked % 10 == 0 else 'a kept'
            print(f'{time.strftime("%H:%M:%S")} /health took {took:.1f} s on {kind} connection',
                  file=sys.stderr, flush=True)
        memory = resident(pid, group)
        peak = max(peak, memory)
        # Protects the machine, regardless of the server's behaviour.
        if limit and memory > limit:
            try:
                os.kill(pid, signal.SIGKILL)
                faults.append('killed by the test at 4 times the memory limit')
            except OSError:
                pass
            target[3] = 0
        ahead = time.monotonic()
        time.sleep(max(0.0, 0.1 - took))
        over = time.monotonic() - ahead - max(0.0, 0.1 - took)
        delay = max(delay, over)
        # If the machine delayed this process, too, the server is not at fault.
        longest = max(longest, took)
        if fault and len(faults) < 100:
            faults.append(fault)


def digest_of(answer):
    """The digest of a reply, without its time."""
    body = re.sub(rb'"timeStamp":"[^"]*"', b'', answer.body)
    return hashlib.sha256(body).hexdigest()[:16]


def _witness(pipe):
    """Compares replies with reference replies, from a separate address, until it is stopped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    target = None
    while True:
        while pipe.poll(0 if target else None):
            word, *rest = pipe.recv()
            if word == 'start':
                target = rest
                counts, wrong, times, turn = collections.Counter(), [], [], 0
            elif word == 'stop':
                pipe.send((counts, wrong, times))
                target = None
            else:
                return
        if not target:
            continue
        port, expected, patience, source, pause = target
        name = list(expected)[turn % len(expected)]
        turn += 1
        request, digest = expected[name]
        answer = client.ask(port, source=source, timeout=patience, **request)
        times.append(answer.seconds)
        if answer.error:
            counts[answer.error] += 1
            wrong.append(f'{name}: {answer.error} after {answer.seconds:.1f} s')
        elif answer.is_refused:
            counts['refused'] += 1
        elif digest_of(answer) != digest:
            counts['wrong'] += 1
            wrong.append(f'{name}: {answer.word} {answer.body[:80]!r}')
        else:
            counts['right'] += 1
        time.sleep(pause)


class Process:
    """One of the two processes, controlled over a pipe."""

    def __init__(self, body):
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=body, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def start(self, *words):
        self.pipe.send(('start', *words))

    def stop(self):
        self.pipe.send(('stop',))
        return self.pipe.recv()

    def end(self):
        try:
            self.pipe.send(('end',))
            self.process.join(20)
        except OSError:
            pass
        if self.process.is_alive():
            self.process.terminate()


# MARK: Reference replies

REST = '/arcgis/rest/services'
REFERENCES = {
    'identify': dict(path=f'{REST}/cape/MapServer/identify', parameters={
        'f': 'json', 'geometry': '18.86,-33.93', 'tolerance': '3', 'layers': 'all',
        'mapExtent': '18.8,-34,18.9,-33.9', 'imageDisplay': '800,800,96'}),
    'query': dict(path=f'{REST}/attack/FeatureServer/2/query', parameters={
        'f': 'json', 'where': 'ROW = 7 AND NUM < 720', 'outFields': '*', 'orderByFields': 'NUM'}),
    'query by shape': dict(path=f'{REST}/attack/FeatureServer/0/query', parameters={
        'f': 'json', 'geometry': '18.5,-34,18.505,-33.995', 'returnGeometry': 'true',
        'geometryType': 'esriGeometryEnvelope', 'outFields': 'NUM'}),
    'sample': dict(path='/api/sample?map=cape&layers=show:18,20', body=(
        b'id,lon,lat\n' + b''.join(b'%d,%.3f,%.3f\n' % (n, 18.4 + n * 0.004, -34 + n * 0.002)
                                   for n in range(60))), kind='text/csv'),
    'trace': dict(path='/api/trace', body={
        'network': 'gas', 'type': 'isolation', 'start': ['M0054:Load'],
        'filter-category': 'Isolating'}),
    'export': dict(path=f'{REST}/cape/MapServer/export', parameters={
        'f': 'image', 'bbox': '18.4,-34,18.6,-33.8', 'size': '200,200', 'format': 'png'}),
    'items': dict(path='/ogc/collections/cape.wards/items', parameters={'limit': '5'}),
    'position': dict(path='/ogc/collections/attack.noise/position', parameters={
        'coords': 'MULTIPOINT((18.5 -34),(18.25 -33.75))', 'f': 'CSV'}),
}


# MARK: The server

class Server:
    """A process of plumb-server."""

    def __init__(self, binary, arguments, folder, *, timeout, cache='128MB', files=0, stderr=None,
                 memory=0):
        self.timeout = timeout
        self.log = Path(folder) / f'log-{time.monotonic_ns()}'
        self.arguments = [str(word) for word in arguments]
        words = [str(binary), *self.arguments, '--port', '0', '--cache', cache,
                 '--timeout', str(timeout)]
        self.group = group.MemoryGroup.make(memory) if memory else None
        if memory and not self.group:
            words += ['--memory', f'{memory // MB}MB']
        pipe = None
        if stderr == 'pipe':
            pipe, write = os.pipe()
        else:
            write = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

        def prepare():
            if self.group:
                self.group.enter()
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        self.began = time.monotonic()
        self.pipe = pipe
        try:
            try:
                self.process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=write,
                    preexec_fn=prepare, start_new_session=True)
            finally:
                os.close(write)
            self.port = self._port()
        except BaseException:
            self._close()
            raise
        self.pid = self.process.pid

    def _port(self):
        text = ''
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.pipe is not None:
                text += os.read(self.pipe, 1).decode('utf-8', 'replace')
            else:
                text = self.log.read_text(errors='replace')
            if found := re.search(r'listening on http://[^\n]*:(\d+)/\n', text):
                return int(found.group(1))
            if self.process.poll() is not None:
                raise RuntimeError(f'the server did not start: {text[-600:]}')
            if self.pipe is None:
                time.sleep(0.05)
        self.process.kill()
        raise RuntimeError('the server did not listen')

    @property
    def is_alive(self):
        return self.process.poll() is None

    @property
    def memory(self):
        return resident(self.pid, self.group)

    @property
    def killed(self):
        """The number of processes that the kernel ended because the memory was exhausted."""
        return self.group.killed if self.group else 0

    @property
    def given_up(self):
        """The number of abandoned threads; 0 if the server does not reply."""
        answer = client.ask(self.port, '/metrics', source='127.0.0.7', timeout=5)
        found = re.search(rb'^plumb_abandoned_threads\w* (\d+)', answer.body or b'', re.M)
        return int(found.group(1)) if found else 0

    def tail(self, count=3):
        if self.pipe is not None:
            return ''
        lines = [line for line in self.log.read_text(errors='replace').splitlines()
                 if ' status=' not in line]
        return ' / '.join(lines[-count:])[-400:]

    def stop(self):
        """Sends SIGTERM; returns the duration in seconds and the fault."""
        if not self.is_alive:
            self._close()
            return 0.0, ''
        begin = time.monotonic()
        os.kill(self.pid, signal.SIGTERM)
        limit = self.timeout + 1
        try:
            self.process.wait(limit + 1.5)
            fault = ''
        except subprocess.TimeoutExpired:
            self.process.kill()
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait()
            fault = f'SIGTERM did not end it in {limit:g} s'
        seconds = time.monotonic() - begin
        if not fault and seconds > limit + 1:
            fault = f'SIGTERM took {seconds:.1f} s'
        self._close()
        return seconds, fault

    def kill(self):
        if self.is_alive:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except OSError:
                pass
            self.process.kill()
            self.process.wait()
        self._close()

    def _close(self):
        if self.group:
            self.group.remove()
        if self.pipe is not None:
            os.close(self.pipe)
            self.pipe = None
        elif self.log.exists() and self.log.stat().st_size > 64 * MB:
            self.log.unlink()


# MARK: Attacks

class Over(Exception):
    """An attack has finished or takes too long."""


class Attack:
    """The context of an attack's function."""

    def __init__(self, bench, server, name):
        self.bench, self.server, self.name = bench, server, name
        self.statuses = collections.Counter()
        self.faults, self.notes = [], []
        self.lock = threading.Lock()
        self.source = bench.next_source()
        self.is_quick = bench.is_quick
        self.timeout = bench.timeout
        self.open = []
        self.unanswered = 0
        # The time of the first request.
        self.limit, self.end = self.scale(300, 6), None

    @property
    def port(self):
        return self.server.port

    def scale(self, full, quick):
        return quick if self.is_quick else full

    def count(self, word, number=1):
        with self.lock:
            self.statuses[str(word)] += number

    def fail(self, text):
        with self.lock:
            if text not in self.faults:
                self.faults.append(text)

    def expect(self, holds, text):
        if not holds:
            self.fail(text)

    def note(self, text):
        with self.lock:
            self.notes.append(text)

    def ask(self, path, **options):
        """A counted request, which has to be answered in time, with any status."""
        now = time.monotonic()
        self.end = self.end or now + self.limit
        if self.unanswered >= 3 or now > self.end or not self.server.is_alive:
            raise Over
        options.setdefault('timeout', self.timeout + 6)
        options.setdefault('source', self.source)
        answer = client.ask(self.port, path, **options)
        self.count(answer.word)
        if answer.error == 'no answer':
            with self.lock:
                self.unanswered += 1
            self.fail(f'no answer in {options["timeout"]:g} s: {path[:60]}')
        if answer.status in (500, 502):
            self.fail(f'{answer.status}: {path[:60]}: {answer.body[:100]!r}')
        return answer

    def rest(self, service, parameters, **options):
        return self.ask(f'{REST}/{service}', parameters={'f': 'json', **parameters}, **options)

    def raw(self, parts, **options):
        options.setdefault('source', self.source)
        statuses, closed, said = client.raw(self.port, parts, **options)
        for status in statuses:
            self.count(status)
        if not statuses:
            self.count('closed' if closed else 'silent')
        return statuses, closed, said

    def connect(self, **options):
        """A connection that is closed after the attack."""
        options.setdefault('source', self.source)
        connection = client.connect(self.port, **options)
        with self.lock:
            self.open.append(connection)
        return connection

    def try_connect(self, **options):
        try:
            return self.connect(**options)
        except OSError as error:
            self.count('refused' if isinstance(error, ConnectionRefusedError)
                       else type(error).__name__)
            return None

    def together(self, count, body, limit=120.0):
        for result in client.together(count, body, limit):
            if isinstance(result, Exception) and not isinstance(result, Over):
                self.count(type(result).__name__)

    def repeat(self, seconds, count, body):
        """Runs `body(number)` repeatedly on some threads."""
        end = time.monotonic() + seconds

        def run(number):
            turn = number
            while time.monotonic() < end and self.server.is_alive:
                body(turn)
                turn += count

        self.together(count, run, seconds + self.timeout + 15)

    def close(self):
        for connection in self.open:
            try:
                connection.close()
            except OSError:
                pass
        self.open = []


class Row:
    """The result of an attack."""

    def __init__(self, name):
        self.name = name
        self.statuses = {}
        self.health = self.delay = self.seconds = 0.0
        self.start = self.peak = self.after = 0
        self.faults, self.notes = [], []

    @property
    def verdict(self):
        return 'FAILED' if self.faults else 'ok'


class Bench:
    """Servers, and their monitoring."""

    def __init__(self, binary, *, is_quick, timeout, points, memory):
        self.binary = Path(binary).resolve()
        self.is_quick, self.timeout, self.memory = is_quick, timeout, memory
        # Before any thread is started.
        self.watch, self.witness = Process(_watch), Process(_witness)
        self.folder = Path(tempfile.mkdtemp(prefix='plumb-attack-'))
        self.data = Data(self.folder, points)
        self.server = None
        self.number = 0
        self.usual = 0
        self.expected = {}

    def next_source(self):
        """Each attack uses a different address."""
        self.number += 1
        return f'127.7.{self.number // 200}.{self.number % 200 + 1}'

    def end(self):
        self.watch.end()
        self.witness.end()
        if self.server:
            self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Servers

    def start(self, arguments=None, **options):
        options.setdefault('timeout', self.timeout)
        options.setdefault('memory', self.memory)
        server = Server(self.binary, arguments or self.data.arguments, self.folder, **options)
        try:
            self.warm(server)
        except BaseException:
            server.kill()
            raise
        return server

    def warm(self, server):
        """Waits until a server has loaded its data, and records the reference replies."""
        deadline = time.monotonic() + 60
        while True:
            answer = client.ask(server.port, '/ogc/collections?f=json', timeout=30)
            if answer.status == 200 or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        for name, request in REFERENCES.items():
            answers = [client.ask(server.port, timeout=30, **request) for _ in range(2)]
            digests = {digest_of(answer) for answer in answers}
            if any(answer.code != 200 for answer in answers) or len(digests) > 1:
                raise RuntimeError(
                    f'the reference {name} is {[answer.word for answer in answers]}: '
                    f'{answers[0].body[:200]!r}')
            digest = digests.pop()
            known = self.expected.setdefault(name, (request, digest))
            if known[1] != digest:
                raise RuntimeError(f'the reference {name} has another answer from another server')

    def shared(self):
        if not self.server or not self.server.is_alive:
            self.server = self.start()
            self.usual = self.server.memory
        return self.server

    def right(self, server, seconds):
        """Checks that all reference replies are correct within a time limit; returns the fault."""
        deadline = time.monotonic() + seconds
        wrong = 'none was asked'
        while True:
            wrong = ''
            for name, (request, digest) in self.expected.items():
                answer = client.ask(server.port, source='127.0.0.3', timeout=max(
                    1.0, min(15.0, deadline - time.monotonic() + 1)), **request)
                if answer.error or answer.code != 200:
                    wrong = f'{name}: {answer.word}'
                elif digest_of(answer) != digest:
                    return f'{name}: a wrong answer'
                if wrong:
                    break
            if not wrong or not server.is_alive or time.monotonic() > deadline:
                return wrong
            time.sleep(0.2)

    # A run

    def run(self, name, function):
        """Runs an attack and evaluates it."""
        row = Row(name)
        begin = time.monotonic()
        options = dict(function.server or {})
        takes_end = options.pop('takes_end', False)
        compares = options.pop('compares', True)
        if function.server is None:
            server = self.shared()
            usual = self.usual
        else:
            make = options.pop('make', None)
            server = self.start(make(self) if make else None, **options)
            usual = server.memory
        attack = Attack(self, server, name)
        if function.server is not None:
            attack.limit = 300
        row.start = server.memory
        given_up = server.given_up
        killed = server.killed
        self.watch.start(server.port, server.pid, server.group, 4 * self.memory)
        if compares:
            self.witness.start(
                server.port, self.expected, self.timeout + 6, '127.0.0.2', 0.15)
        try:
            function(attack)
        except Over:
            if server.is_alive:
                attack.note('its time was over' if attack.unanswered < 3
                            else 'three requests were not answered: the rest is skipped')
        except Exception as error:
            if server.is_alive:
                attack.fail(f'the attack itself failed: {type(error).__name__}: {error}')
        attack.close()
        row.statuses, row.faults, row.notes = attack.statuses, attack.faults, attack.notes
        if compares:
            counts, wrong, times = self.witness.stop()
            if wrong:
                row.faults.append(
                    f'{len(wrong)} of {sum(counts.values())} answers to others: {wrong[0]}')
            if counts['refused']:
                row.notes.append(f'others: {counts["right"]} right, {counts["refused"]} refused')
        if not takes_end and server.is_alive:
            if wrong := self.right(server, self.timeout + 4):
                row.faults.append(f'afterwards: {wrong}')
            if (count := server.given_up - given_up) > 0:
                row.notes.append(f'{count} threads were abandoned')
        row.health, row.delay, row.peak, faults, asked = self.watch.stop()
        if not takes_end:
            if faults:
                row.faults.append(f'/health failed {len(faults)} of {asked}: {faults[0]}')
            if row.health > 1 + row.delay:
                row.faults.append(f'/health took {row.health:.1f} s')
        if row.peak > self.memory:
            row.faults.append(f'{row.peak / MB:.0f} MB of memory')
        if server.killed > killed:
            row.faults.append(f'the kernel ended {server.killed - killed} processes for their memory')
        if not takes_end:
            self._finish(row, server, usual, is_shared=function.server is None)
        else:
            server.kill()
        row.seconds = time.monotonic() - begin
        return row

    def _finish(self, row, server, usual, is_shared):
        """Waits until the memory is freed, and ends a server that is not to be reused."""
        if not server.is_alive:
            code = server.process.returncode
            row.faults.append(
                f'the server ended with {code}: {server.tail()}')
            server.kill()
            return
        # The tile cache and the allocator's reserve.
        allowed = usual + (128 + 64) * MB
        deadline = time.monotonic() + 8
        while True:
            row.after = server.memory
            row.peak = max(row.peak, row.after)
            if row.after <= allowed or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        is_kept = row.after > allowed
        if is_kept:
            row.faults.append(f'{(row.after - usual) / MB:.0f} MB more than before remain in use')
        if not is_shared or is_kept or any(
                'afterwards' in fault or 'no answer' in fault for fault in row.faults):
            _, fault = server.stop()
            if fault:
                row.faults.append(fault)

    def finish(self):
        """Ends the shared server; returns the fault."""
        if self.server and self.server.is_alive:
            seconds, fault = self.server.stop()
            code = self.server.process.returncode
            if not fault and code != 0:
                fault = f'SIGTERM ended it with status {code}'
            return seconds, fault
        return 0.0, ''
