"""Compares the results on rasters: without libraries, at small sizes, and with
other results.

A cell without a value counts as 0 for every contender.
"""

from itertools import zip_longest
from pathlib import Path

import npy
import oracle
from agreement import Agreement
from given import Inputs
from rivals import LIMITS, OURS, prefix
from workloads import Workload


def compare(workload: Workload, inputs: Inputs, samples: dict) -> Agreement:
    """Compares all contenders with gdallocationinfo, or with Plumb on the
    same cells uncompressed."""
    agreement = Agreement(against=oracle.name())
    names = [name for name in samples if name not in LIMITS]
    points = [(repr(x), repr(y)) for x, y in zip(npy.read(inputs.x),
                                                 npy.read(inputs.y))]
    for spec, path in zip(workload.rasters, inputs.rasters):
        bands = oracle.cells(spec, path, inputs.folder, points, workload.crs)
        for number, texts in enumerate(bands, start=1):
            expected = [float(value or 0) for value in texts]
            agreement.values += len(texts)
            agreement.with_value += sum(map(bool, texts))
            for name in names:
                found = _found(name, workload, inputs, path, number, spec,
                               samples)
                agreement.add(name, sum(a != b for a, b in zip_longest(
                    expected, found)))
        if OURS in names and workload.kind in ("cold", "warm"):
            has_value = [any(row) for row in zip(*bands)]
            status = npy.read(Path(
                f"{prefix(OURS, inputs)}_{path.stem}_status.npy"))
            agreement.add(f"{OURS}'s status", sum(
                a != (b == 0) for a, b in zip_longest(has_value, status)))
    return agreement


def _found(name, workload, inputs, path, band, spec, samples):
    """A contender's results for one band, in the order of the points."""
    start = prefix(name, inputs)
    if workload.kind == "single":
        texts = [samples[name][-1].printed["value"]]
    elif workload.kind == "table":
        with open(f"{start}.csv") as file:
            texts = [line.rstrip("\n").rpartition(",")[2]
                     for line in file][1:]
    elif name == "gdallocationinfo":
        lines = Path(f"{start}_{path.stem}.txt").read_text().split()
        texts = [value for _, value in sorted(zip(
            npy.read(inputs.order), lines[band - 1::spec.bands]))]
    else:
        texts = npy.read(Path(f"{start}_{path.stem}_{band}.npy"))
    values = (float(value or 0) for value in texts)
    return [0 if value == spec.nodata else value for value in values]
