"""Runs all contenders of a workload in turn, and compares their results."""

import math
import os
import sys
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

import families
import measure
import needs
import rivals
from command_workloads import LIMIT, PLAIN
from raster_files import NotMade
from workloads import AnyWorkload, Workload

HOPELESS = 5
"""Rivals that take this many times as long as the fastest rival run only once."""


class Skipped(Exception):
    """A workload that cannot be run here, with a reason."""


def run(workload: AnyWorkload, rounds: int, ours: bool, work: Path) -> dict:
    """The result of a workload, for the page."""
    print(f"({workload.key}) {workload.title}", file=sys.stderr)
    family = families.of(workload)
    if missing := family.missing():
        raise Skipped("without " + ", ".join(missing))
    load = os.getloadavg()[0]
    try:
        given = family.prepare(workload, work, rivals.MAKER if ours else None)
    except NotMade as reason:
        raise Skipped(str(reason)) from None
    except FileNotFoundError as error:
        raise Skipped(f"{error.filename} is not installed") from None
    try:
        return _run(workload, family, given, rounds, ours, work, load)
    finally:
        if hasattr(given, "close"):
            given.close()


def _run(workload, family, given, rounds, ours, work, load):
    commands, skipped = _commands(workload, given, ours, work)
    asked = workload.rivals
    workload = replace(workload, rivals=tuple(
        name for name in asked if name in commands))
    if asked and not workload.rivals and not family.has_oracle:
        raise Skipped("without a rival: " + named(skipped))
    samples = _samples(workload, given, commands, rounds)
    agreement = family.compare(workload, given, samples)
    result = {
        **_asked(workload, given, ours), "day": date.today().isoformat(),
        "load": load, "equal": agreement.holds,
        "agreement": asdict(agreement), "skipped": skipped,
        "facts": getattr(given, "facts", {}),
        "samples": {name: [_kept(sample) for sample in runs]
                    for name, runs in samples.items()},
    }
    if getattr(workload, "kind", "") == "decode":
        result["figures"] = _decoding(samples)
    return result


def _commands(workload, given, ours, work):
    """The commands of contenders; the missing requirements of the others."""
    names = ((rivals.OURS,) + getattr(workload, "beside", ())) * ours
    names += workload.rivals
    if workload.limit:
        names += (workload.limit,)
    commands, skipped = {}, dict(getattr(given, "lacks", {}))
    unreadable = _unreadable(workload, given)
    for name in names:
        if name in skipped:
            continue
        command = rivals.command(name, workload, given, work)
        missing = needs.absent(name, command)
        if not missing and "rasterio" in name and unreadable:
            missing = [unreadable]
        if missing:
            skipped[name] = missing
        else:
            commands[name] = command
    return commands, {name: list(why) for name, why in skipped.items()
                      if name in names}


def _unreadable(workload, given):
    """The reason why rasterio cannot read the raster: some builds lack
    codecs."""
    specs = getattr(workload, "rasters", ())
    codec = specs and (specs[0].form == "jp2"
                       or specs[0].compression in ("lerc", "zstd"))
    if not codec or needs.modules(rivals.HERE / "contenders/rasterio_one.py"):
        return None
    return needs.unreadable(given.rasters[0])


def _samples(workload, given, commands, rounds):
    samples = {name: [] for name in commands}
    far = getattr(given, "far", None)
    for _ in range(rounds):
        measure.warm_page_cache([*given.rasters, given.folder])
        for name, command in commands.items():
            if _is_hopeless(name, samples, workload):
                continue
            if far:
                far.counts()
            sample = measure.run(command)
            if far:
                sample.printed.update(far.counts())
            samples[name].append(sample)
            print(f"  {name}: {sample.seconds:.6g} s", file=sys.stderr)
    return samples


def _is_hopeless(name, samples, workload):
    if not samples[name] or name not in workload.rivals:
        return False
    fastest = min(s.seconds for rival in workload.rivals
                  for s in samples[rival])
    return samples[name][0].seconds > HOPELESS * fastest


def _asked(workload, given, ours):
    if isinstance(workload, Workload):
        return {"tiles": given.tiles, "touched": given.tiles_touched,
                "bytes": [path.stat().st_size for path in given.rasters],
                "stand-in": not ours}
    return {"about": given.about}


def _kept(sample):
    """The numbers of a run, for the page."""
    counts = {key: sample.printed[key] for key in ("requests", "bytes")
              if key in sample.printed}
    return {"seconds": sample.seconds, "cpu": sample.cpu,
            "user": sample.user, "peak": sample.peak, "inside": sample.inside,
            **counts}


def _decoding(samples):
    """CPU seconds of decoding, the minimum over all rounds: the difference from a run on the
    uncompressed raster.
    """
    best = {name: min(sample.user for sample in runs)
            for name, runs in samples.items()}
    figures = {}
    # For small rasters the difference is lost in the noise.
    if best.get(rivals.OURS, 0) > best.get(PLAIN, math.inf):
        figures[rivals.OURS] = best[rivals.OURS] - best[PLAIN]
    if LIMIT in best:
        figures[LIMIT] = best[LIMIT]
    return figures


def named(skipped: dict[str, list[str]]) -> str:
    """The missing contenders, with their missing requirements."""
    return "; ".join(f"{name} ({', '.join(why)})"
                     for name, why in skipped.items())
