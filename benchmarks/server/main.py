"""Compares Plumb's server with its rivals on the same requests; see --help."""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "rivals"),
             str(HERE.parent / "rivals/contenders")]

import events
import load
import machine
import page
import picture
import remote
import rows
import samples
import servers
import soak
from inputs import POSITIONS, SAMPLES, Inputs, prepare

WORK = HERE.parent / "work/server"
CHECKED = 200
"""The number of requests whose results are compared."""
KEYS = (*(row.key for row in rows.ROWS), "samples", "positions", "remote",
        "draw", "events", "soak")
"""The results that the page requires."""


def main() -> int:
    options = parse()
    inputs = prepare(WORK)
    results = {}
    chosen = options.only.split(",") if options.only else None

    def wanted(key):
        return chosen is None or key in chosen

    for row in rows.ROWS:
        if wanted(row.key):
            own = inputs if row.tile == 512 else prepare(
                WORK / f"tiles-{row.tile}", row.tile)
            results[row.key] = measure(row, own, options.seconds)
            print(page.line(row, results[row.key]), flush=True)
    if wanted("samples"):
        results["samples"] = measure_samples(inputs)
        print(results["samples"], flush=True)
    if wanted("positions"):
        results["positions"] = measure_positions(inputs)
        print(results["positions"], flush=True)
    if wanted("remote"):
        results["remote"] = remote.measure(inputs, WORK)
        print(results["remote"], flush=True)
    if wanted("draw"):
        results["draw"] = picture.measure(WORK)
        print(results["draw"], flush=True)
    if wanted("events"):
        results["events"] = events.measure(WORK, options.seconds)
    if options.soak:
        with servers.plumb(inputs, WORK) as server:
            results["soak"] = soak.run(server, inputs, options.soak, WORK)
        results["soak"]["status"] = server.process.returncode
        print(results["soak"], flush=True)
    known = keep(results)
    target = HERE.parent / "SERVER.md"
    if all(key in known for key in KEYS):
        target.write_text(page.whole(known))
        print(f"written: {target}", file=sys.stderr)
    wrong = [key for key, result in results.items()
             if result.get("differing")]
    if wrong:
        print(f"run: results differ: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def keep(results: dict) -> dict:
    """Stores results with the commit and machine, and returns all results."""
    store = WORK / "results.json"
    known = json.loads(store.read_text()) if store.exists() else {}
    facts = machine.facts()
    for key, result in results.items():
        known[key] = {**result, "commit": facts["commit"], "CPU": facts["CPU"]}
    store.write_text(json.dumps(known, indent=1))
    return known


def measure(row: rows.Row, inputs: Inputs, seconds: int) -> dict:
    """Rates of all contenders; compares the results of `CHECKED` requests."""
    result = {"rates": {}, "failed": {}, "differing": {}, "skipped": {}}
    answers = {}
    for contender in row.contenders:
        paths = contender.paths(inputs)
        try:
            with contender.start(inputs, WORK) as server:
                answers[contender.name] = [
                    contender.answer(rows.fetch(server.address + path))
                    for path in paths[:CHECKED]]
                load.rate(server.address, paths, 2, WORK)  # Warm-up.
                measured = load.rate(server.address, paths, seconds, WORK)
                result["rates"][contender.name] = measured.rate
                result["failed"][contender.name] = measured.failed
                if row.slowest and contender is row.contenders[0]:
                    result["slowest"] = load.slowest_of_100(
                        server.address, paths, measured.rate / 2, seconds,
                        WORK)
        except (servers.NotStarted, OSError) as reason:
            result["skipped"][contender.name] = str(reason)
    ours = answers.get(row.contenders[0].name, [])
    for name, theirs in answers.items():
        count = sum(a != b for a, b in zip(ours, theirs))
        if count:
            result["differing"][name] = count
    return result


def measure_samples(inputs: Inputs) -> dict:
    with servers.plumb(inputs, WORK) as server:
        measured = [samples.ask(server.address, inputs) for _ in range(3)]
        peak = server.memory()["VmHWM"]
    seconds = sorted(each for each, _ in measured)[1]
    return {"seconds": seconds, "rate": SAMPLES / seconds, "peak": peak,
            "differing": max(wrong for _, wrong in measured)}


def measure_positions(inputs: Inputs) -> dict:
    with servers.plumb(inputs, WORK) as server:
        measured = [samples.ask_positions(server.address, inputs)
                    for _ in range(21)]
    seconds = sorted(each for each, _ in measured)[10]
    return {"seconds": seconds, "rate": POSITIONS / seconds,
            "differing": max(wrong for _, wrong in measured)}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/server/run",
        description="Measures plumb-server and its rivals, checks that their "
        "results are equal and, after all rows and the soak were measured, "
        "writes benchmarks/SERVER.md.", allow_abbrev=False)
    parser.add_argument("--only", metavar="KEYS",
                        help="rows: identify, identify-256, point, position, "
                        "query, samples, positions, remote, draw, events")
    parser.add_argument("--seconds", type=int, default=10, metavar="N",
                        help="seconds of each load (10)")
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES",
                        help="minutes of mixed requests at the end (0)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
