"""Plumb and its rivals answer the same questions in turn; see --help."""

import json
import os
import shutil
import sys
from dataclasses import asdict
from datetime import date

import answers
import geometry_answers
import geometry_inputs
import geotrigger_answers
import geotrigger_inputs
import inputs
import machine
import map_answers
import map_inputs
import measure
import network_answers
import network_inputs
import options as command_line
import report
import rivals
import workloads
from geometry_workloads import GeometryWorkload
from geotrigger_workloads import GeotriggerWorkload
from map_workloads import MapWorkload
from network_workloads import NetworkWorkload
from workloads import Workload

WORK = rivals.ROOT / "benchmarks/work"
RESULTS = rivals.ROOT / "benchmarks/RESULTS.md"
HOPELESS = 5
"""Who takes this many times as long as the fastest rival runs only once."""


def main() -> int:
    options = command_line.parse()
    chosen = [w.scaled(options.scale)
              for w in workloads.chosen(options.only)]
    ours = not options.rivals_only
    if ours and not rivals.build_ours(_products(chosen)):
        print("run: Plumb's side is missing; --rivals-only measures the "
              "rivals without it", file=sys.stderr)
        return 1
    if any(workload.limit in rivals.LIMITS for workload in chosen):
        rivals.build_limits(WORK)
    WORK.mkdir(parents=True, exist_ok=True)
    _warm_libraries(ours)

    whole = ours and options.scale == 1
    store = WORK / ("results.json" if whole else "trial.json")
    kept = json.loads(store.read_text()) if store.exists() and whole else {}
    facts = machine.facts()
    differing = False
    for workload in chosen:
        result = _measure(workload, options.rounds, ours)
        result["commit"] = facts["commit"]
        kept[workload.key] = result
        store.write_text(json.dumps(kept, indent=1))
        differing |= not result["equal"]
        print(report.lines(workload, result), flush=True)
    target = RESULTS if whole else WORK / "TRIAL.md"
    before = target.read_text() if whole and target.exists() else ""
    page = report.page(kept, facts, options.scale, before)
    target.write_text(page)
    print(f"written: {target}", file=sys.stderr)
    if not options.keep:
        _remove_inputs(chosen)
    return 1 if differing else 0


def _measure(workload, rounds, ours):
    """Runs all contenders of a workload in turn."""
    print(f"({workload.key}) {workload.title}", file=sys.stderr)
    maker = rivals.MAKER if ours else None
    load = os.getloadavg()[0]
    given = _prepare(workload, maker)
    names = [rivals.OURS] * ours + list(workload.rivals)
    names += [workload.limit] if workload.limit else []
    read = [*given.rasters, *given.folder.iterdir()]
    samples = {name: [] for name in names}
    for _ in range(rounds):
        measure.warm_page_cache(read)
        for name in names:
            if _is_hopeless(name, samples, workload):
                continue
            command = rivals.command(name, workload, given, WORK)
            sample = measure.run(command)
            samples[name].append(sample)
            print(f"  {name}: {sample.seconds:.6g} s", file=sys.stderr)
    agreement = _compare(workload, given, samples)
    if isinstance(workload, Workload):
        asked = {
            "tiles": given.tiles, "touched": given.tiles_touched,
            "bytes": [path.stat().st_size for path in given.rasters],
            "stand-in": maker is None,
        }
    else:
        asked = {"about": given.about}
    return {
        **asked, "day": date.today().isoformat(), "load": load,
        "equal": agreement.holds,
        "agreement": asdict(agreement),
        "samples": {
            name: [{"seconds": s.seconds, "cpu": s.cpu, "peak": s.peak,
                    "inside": s.inside} for s in runs]
            for name, runs in samples.items()},
    }


def _prepare(workload, maker):
    """Writes what a workload reads."""
    match workload:
        case GeometryWorkload():
            return geometry_inputs.prepare(workload, WORK)
        case MapWorkload():
            return map_inputs.prepare(workload, WORK, maker)
        case NetworkWorkload():
            return network_inputs.prepare(workload, WORK)
        case GeotriggerWorkload():
            return geotrigger_inputs.prepare(workload, WORK)
        case _:
            return inputs.prepare(workload, WORK, maker)


def _compare(workload, given, samples):
    match workload:
        case GeometryWorkload():
            return geometry_answers.compare(workload, given, list(samples))
        case MapWorkload():
            return map_answers.compare(workload, given, samples)
        case NetworkWorkload():
            return network_answers.compare(workload, given, samples)
        case GeotriggerWorkload():
            return geotrigger_answers.compare(workload, given, samples)
        case _:
            return answers.compare(workload, given, samples)


def _products(chosen):
    """The programs beside that of the arrays: geometry needs none, networks
    need no rasters."""
    if any(isinstance(w, Workload | MapWorkload) for w in chosen):
        return "plumb", "plumb-rasters"
    if any(isinstance(w, NetworkWorkload | GeotriggerWorkload)
           for w in chosen):
        return ("plumb",)
    return ()


def _is_hopeless(name, samples, workload):
    if not samples[name] or name not in workload.rivals:
        return False
    fastest = min(s.seconds for rival in workload.rivals
                  for s in samples[rival])
    return samples[name][0].seconds > HOPELESS * fastest


def _warm_libraries(ours):
    """Loads everybody's libraries once, so that no first round waits for
    the disk."""
    commands = [(sys.executable, "-c", "import geopandas, igraph, numpy, "
                 "polars, pyarrow, pyogrio, pyproj, rasterio, scipy, "
                 "shapely, wntr"),
                ("gdallocationinfo", "--version")]
    if ours:
        programs = (rivals.PLUMB, rivals.PLUMB_WORKLOAD)
        commands += [(str(program), "--help") for program in programs
                     if program.exists()]
    for command in commands:
        try:
            measure.run(measure.Command(command))
        except measure.CommandFailed:
            pass  # Only its libraries are wanted.


def _remove_inputs(chosen):
    for shared in ("rasters", "cities"):
        shutil.rmtree(WORK / shared, ignore_errors=True)
    for workload in chosen:
        shutil.rmtree(WORK / workload.key, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except measure.CommandFailed as failure:
        sys.exit(f"run: {failure}")
