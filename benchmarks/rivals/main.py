"""Runs Plumb and its rivals on the same workloads in turn; see --help."""

import json
import shutil
import sys

import families
import machine
import measure
import options as command_line
import report
import rivals
import running
import workloads
from command_workloads import CommandWorkload

ON_RASTERS = (workloads.Workload, CommandWorkload)
BENCHMARKS = rivals.ROOT / "benchmarks"
WORK = BENCHMARKS / "work"


def main() -> int:
    options = command_line.parse()
    if options.page:
        report.write(BENCHMARKS / "RESULTS.md", {}, None)
        return 0
    chosen = [w.scaled(options.scale)
              for w in workloads.chosen(options.only, options.growth_max)]
    ours = not options.rivals_only
    if ours and not _is_built(chosen, options.no_build):
        print("run: Plumb is not built; --rivals-only measures the "
              "rivals without it", file=sys.stderr)
        return 1
    work = WORK / "smoke" if options.smoke else WORK
    work.mkdir(parents=True, exist_ok=True)
    if any(w.limit for w in chosen if isinstance(w, ON_RASTERS)):
        rivals.build_limits(work)
    if not options.smoke:
        _warm_libraries(ours)

    whole = ours and options.scale == 1
    store = work / ("results.json" if whole else "trial.json")
    kept = json.loads(store.read_text()) if store.exists() and whole else {}
    facts = machine.facts()
    failed = []
    for workload in chosen:
        try:
            result = running.run(workload, options.rounds, ours, work)
        except running.Skipped as reason:
            print(f"({workload.key}) skipped: {reason}", flush=True)
            continue
        except measure.CommandFailed as failure:
            if not options.smoke:
                raise
            print(f"({workload.key}) failed: {failure}", flush=True)
            failed.append(workload.key)
            continue
        result["commit"] = facts["commit"]
        kept[workload.key] = result
        store.write_text(json.dumps(kept, indent=1))
        if not result["equal"]:
            failed.append(workload.key)
        show = report.line if options.smoke else report.lines
        print(show(workload, result), flush=True)
    target = BENCHMARKS / "RESULTS.md" if whole else work / "TRIAL.md"
    report.write(target, kept, facts, options.scale)
    print(f"written: {target}", file=sys.stderr)
    if not options.keep:
        _remove_inputs(chosen, work)
    if options.smoke and not kept:
        print("run: nothing was compared", file=sys.stderr)
        return 1
    if failed:
        print(f"run: not equal or not completed: {', '.join(failed)}",
              file=sys.stderr)
    return 1 if failed else 0


def _is_built(chosen, as_it_is):
    """Builds Plumb's programs, or checks that they exist."""
    needed = {product for workload in chosen
              for product in families.of(workload).products}
    products = [name for name in rivals.PRODUCTS
                if name in needed or name == "plumb-workload"]
    if as_it_is:
        return all(rivals.PRODUCTS[name].exists() for name in products)
    return rivals.build_ours(products)


def _warm_libraries(ours):
    """Loads all libraries once, so that no first round waits for
    the disk."""
    commands = [(sys.executable, "-c", "import geopandas, igraph, numpy, "
                 "polars, pyarrow, pyogrio, pyproj, rasterio, scipy, "
                 "shapely, wntr"),
                ("gdallocationinfo", "--version")]
    if ours:
        commands += [(str(program), "--help")
                     for program in rivals.PRODUCTS.values()
                     if program.exists()]
    for command in commands:
        try:
            measure.run(measure.Command(command))
        except measure.CommandFailed:
            pass  # Only loads the libraries.


def _remove_inputs(chosen, work):
    for shared in ("rasters", "cities"):
        shutil.rmtree(work / shared, ignore_errors=True)
    for workload in chosen:
        shutil.rmtree(work / workload.key, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except measure.CommandFailed as failure:
        sys.exit(f"run: {failure}")
