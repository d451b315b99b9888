"""Attacks a plumb-server and reports its behaviour.

usage: attack [SERVER] [--only NAME ...] [--quick] [--list]
       attack [SERVER] soak MINUTES

SERVER is the binary, else $PLUMB_SERVER, else .build/release/plumb-server. Linux, Python 3.9 or
later, no packages. NAME is an attack or a part of a name.
"""

import argparse
import os
import signal
import sys
import textwrap
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import attacks_bodies      # noqa: E402,F401
import attacks_connections  # noqa: E402,F401
import attacks_limits      # noqa: E402,F401
import attacks_monitors    # noqa: E402,F401
import attacks_operations  # noqa: E402,F401
import attacks_protocol    # noqa: E402,F401
import attacks_queries     # noqa: E402,F401
import attacks_search      # noqa: E402,F401
import attacks_shapes      # noqa: E402,F401
import soak                # noqa: E402
from harness import MB, Bench  # noqa: E402
from registry import ATTACKS   # noqa: E402


def read():
    parser = argparse.ArgumentParser(
        prog='attack', description='Attacks a plumb-server and reports its behaviour.')
    parser.add_argument('words', nargs='*', metavar='SERVER | soak MINUTES')
    parser.add_argument('--only', nargs='+', default=[], metavar='NAME')
    parser.add_argument('--skip', nargs='+', default=[], metavar='NAME')
    parser.add_argument(
        '--list', action='store_true', help='print the attacks and exit')
    parser.add_argument(
        '--quick', action='store_true',
        help='run smaller attacks, which take about five minutes')
    parser.add_argument('--timeout', type=float, default=3.0, help="the server's --timeout")
    parser.add_argument(
        '--points', type=int, default=200_000,
        help='the number of points of the largest layer')
    parser.add_argument('--memory', type=int, default=512, help='the memory limit of the server in MB')
    arguments = parser.parse_args()
    words = arguments.words
    arguments.soak = None
    if 'soak' in words:
        at = words.index('soak')
        if at + 1 >= len(words):
            parser.error('soak takes a number of minutes')
        arguments.soak = float(words[at + 1])
        words = words[:at] + words[at + 2:]
    if len(words) > 1:
        parser.error('only one server can be attacked')
    root = Path(__file__).resolve().parents[3]
    arguments.binary = Path(
        words[0] if words else os.environ.get('PLUMB_SERVER')
        or root / '.build/release/plumb-server')
    return parser, arguments


def chosen(arguments):
    names = list(ATTACKS)
    if arguments.only:
        names = [name for name in names if name in arguments.only] if all(
            word in ATTACKS for word in arguments.only) else [
                name for name in names if any(word in name for word in arguments.only)]
    elif arguments.quick:
        names = [name for name in names if not ATTACKS[name].slow]
    return [name for name in names if not any(word in name for word in arguments.skip)]


def show(row):
    statuses = ', '.join(f'{word} × {count}' for word, count in
                         sorted(row.statuses.items(), key=lambda item: -item[1])[:8])
    print(f'{row.name:34} {row.verdict:6} /health {row.health * 1000:5.0f} ms  memory '
          f'{row.start / MB:4.0f} > {row.peak / MB:4.0f} > {row.after / MB:4.0f} MB  '
          f'{row.seconds:5.1f} s  {statuses or "-"}')
    for text in row.faults:
        print(textwrap.indent(textwrap.fill(f'fault: {text}', 116), '    '))
    for text in row.notes:
        print(textwrap.indent(textwrap.fill(text, 116), '    '))
    sys.stdout.flush()


def table(rows, end):
    print('\n| attack | what the server did | longest /health | peak memory | memory afterwards '
          '| verdict |\n|---|---|--:|--:|--:|---|')
    for row in rows:
        statuses = ', '.join(f'{word} × {count}' for word, count in
                             sorted(row.statuses.items(), key=lambda item: -item[1])[:6])
        verdict = 'ok' if not row.faults else 'failed: ' + '; '.join(row.faults)[:300]
        print(f'| {row.name} | {statuses or "–"} | {row.health * 1000:.0f} ms '
              f'| {row.peak / MB:.0f} MB | {row.after / MB:.0f} MB '
              f'| {verdict.replace("|", "/")} |')
    failed = [row for row in rows if row.faults]
    print(f'\n{len(rows) - len(failed)} passed, {len(failed)} failed; SIGTERM ended the server in '
          f'{end[0]:.1f} s{": " + end[1] if end[1] else ""}')
    delay = max((row.delay for row in rows), default=0)
    if delay > 0.2:
        print('the machine was busy: it delayed the /health requests by up to '
              f'{delay:.1f} s')


def main():
    parser, arguments = read()
    names = chosen(arguments)
    if arguments.list:
        for name in names:
            print(f'{name:34} {ATTACKS[name].line}')
        return 0
    if not names:
        parser.error('no attack has this name')
    if not arguments.binary.exists():
        parser.error(f'there is no {arguments.binary}')
    # The attack needs many connections.
    import resource
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench = Bench(arguments.binary, is_quick=arguments.quick, timeout=arguments.timeout,
                  points=arguments.points, memory=arguments.memory * MB)
    try:
        if arguments.soak is not None:
            return soak.run(bench, arguments.soak * 60, names)
        rows = []
        begin = time.monotonic()
        for name in names:
            try:
                row = bench.run(name, ATTACKS[name])
            except RuntimeError as error:
                print(f'{name}: {error}', file=sys.stderr)
                return 1
            rows.append(row)
            show(row)
        end = bench.finish()
        table(rows, end)
        print(f'{time.monotonic() - begin:.0f} s')
        return 1 if end[1] or any(row.faults for row in rows) else 0
    finally:
        bench.end()


if __name__ == '__main__':
    sys.exit(main())
