"""Runs the tests of the page: each function `test_…` of each `test_….py` in this folder.

A process per processor runs tests, each with its own browser and servers.
"""

import collections
import importlib
import inspect
import multiprocessing
import os
import queue
import sys
import time
import traceback
from pathlib import Path

import harness

here = Path(__file__).resolve().parent


def tests(words):
    for path in sorted(here.glob('test_*.py')):
        module = importlib.import_module(path.stem)
        for name, function in list(vars(module).items()):
            full = f'{path.stem}.{name}'
            if name.startswith('test_') and inspect.isfunction(function):
                if not words or any(word in full for word in words):
                    yield full, function


def report(error, bench):
    """The place in the test that failed, the reason, and the lines of the console."""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).parent == here and frame.name != 'main':
            print(f'  {Path(frame.filename).name}:{frame.lineno}: {frame.line}')
    print('  ' + '\n  '.join(str(error).splitlines()[:12]))
    for fault in bench.faults:
        print(f'  {fault}')


def perform(bench, name, function):
    """Runs a test, prints its result, and returns passed, failed or skipped."""
    start = time.monotonic()
    try:
        bench.begin(name)
        function(bench)
        bench.check()
        outcome = word = 'passed'
    except harness.Skip as skip:
        outcome, word = 'skipped', f'skipped: {skip}'
    except Exception as error:
        outcome, word = 'failed', 'FAILED'
        report(error, bench)
        bench.shot('failed-' + name.split('.')[-1])
    finally:
        bench.end()
    print(f'{name}: {word} ({time.monotonic() - start:.1f} s)', flush=True)
    return outcome


def work(target, worker, cases, taken, outcomes):
    """Runs tests until all are taken. `taken` is their number, shared by the processes."""
    with harness.Bench(target, worker) as bench:
        while True:
            with taken.get_lock():
                index = taken.value
                taken.value += 1
            if index >= len(cases):
                break
            outcomes.put(perform(bench, *cases[index]))


def run(target, cases, count):
    """Runs tests in `count` processes. Returns the outcome of each test."""
    taken, outcomes = multiprocessing.Value('i', 0), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(target, worker, cases, taken, outcomes))
               for worker in range(min(count, len(cases)))]
    for worker in workers:
        worker.start()
    found = []
    while len(found) < len(cases):
        is_running = any(worker.is_alive() for worker in workers)
        try:
            found.append(outcomes.get(timeout=1))
        except queue.Empty:
            if not is_running:
                break
    for worker in workers:
        worker.join()
    # The tests that a process was to run when it ended are failures.
    return found + ['failed'] * (len(cases) - len(found))


def main():
    target, words = sys.argv[1], sys.argv[2:]
    cases = list(tests(words))
    # Nothing else runs while the speed is measured.
    timed = [case for case in cases if case[0].startswith('test_speed.')]
    others = [case for case in cases if case not in timed]
    outcomes = collections.Counter(
        run(target, others, os.cpu_count() or 1) + run(target, timed, 1))
    print(', '.join(f'{outcomes[word]} {word}' for word in ('passed', 'failed', 'skipped')))
    sys.exit(1 if outcomes['failed'] or not outcomes['passed'] else 0)


if __name__ == '__main__':
    os.chdir(here)
    main()
