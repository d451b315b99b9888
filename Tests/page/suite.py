"""Runs the tests of the page: each function `test_…` of each `test_….py` in this folder."""

import importlib
import inspect
import os
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


def main():
    target, words = sys.argv[1], sys.argv[2:]
    passed = failed = skipped = 0
    with harness.Bench(target) as bench:
        for name, function in tests(words):
            start = time.monotonic()
            try:
                bench.begin(name)
                function(bench)
                bench.check()
                passed += 1
                word = 'ok'
            except harness.Skip as skip:
                skipped += 1
                word = f'skipped: {skip}'
            except Exception as error:
                failed += 1
                word = 'FAILED'
                report(error, bench)
                bench.shot('failed-' + name.split('.')[-1])
            finally:
                bench.end()
            print(f'{name}: {word} ({time.monotonic() - start:.1f} s)', flush=True)
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    os.chdir(here)
    main()
