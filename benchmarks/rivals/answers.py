"""Compares the results of all contenders.

A cell without a value (it contains the band's nodata value) counts as 0 for
every contender, so that its representation does not matter.
"""

import numpy as np
import polars as pl
import rasterio

from agreement import Agreement
from given import Inputs
from rivals import LIMITS, OURS, prefix
from workloads import Workload


def compare(workload: Workload, inputs: Inputs, samples: dict) -> Agreement:
    """Compares all contenders with the first rival."""
    agreement = Agreement()
    first = workload.rivals[0]
    others = [name for name in samples
              if name != first and name not in LIMITS]
    if workload.kind == "single":
        _compare_items(agreement, first, others, samples)
    elif workload.kind == "table":
        _compare_tables(agreement, first, others, inputs)
    else:
        _compare_arrays(agreement, first, others, inputs)
    return agreement


def _compare_items(agreement, first, others, samples):
    def value(name):
        return np.array([samples[name][-1].printed["value"]])

    agreement.values = agreement.with_value = 1
    for name in others:
        agreement.compare(name, value(first), value(name))


def _compare_arrays(agreement, first, others, inputs):
    for path in inputs.rasters:
        with rasterio.open(path) as dataset:
            nodata = dataset.nodatavals
        any_value = False
        for number, missing in enumerate(nodata, start=1):
            expected = _band(first, inputs, path, number, len(nodata))
            has_value = expected != missing
            any_value |= has_value
            expected[~has_value] = 0
            agreement.values += expected.size
            agreement.with_value += int(np.count_nonzero(has_value))
            for name in others:
                found = _band(name, inputs, path, number, len(nodata))
                found[found == missing] = 0
                agreement.compare(name, expected, found)
        if OURS in others:
            status = np.load(f"{prefix(OURS, inputs)}_{path.stem}_status.npy")
            agreement.compare(f"{OURS}'s status", any_value, status == 0)


def _band(name, inputs, path, band, bands):
    """A contender's results for one band, in the order of the points."""
    start = f"{prefix(name, inputs)}_{path.stem}"
    if name != "gdallocationinfo":
        return np.load(f"{start}_{band}.npy")
    lines = np.fromfile(start + ".txt", sep=" ")
    order = np.load(inputs.order)
    if lines.size != order.size * bands:
        return np.empty(0)
    values = np.empty(order.size, np.int16)
    values[order] = lines[band - 1::bands]
    return values


def _compare_tables(agreement, first, others, inputs):
    expected = _column(first, inputs)
    agreement.values = expected.size
    agreement.with_value = int(np.count_nonzero(expected))
    for name in others:
        agreement.compare(name, expected, _column(name, inputs))
    if OURS in others:
        agreement.differing[f"{OURS}'s input columns"] = _changed_rows(
            inputs.table, f"{prefix(OURS, inputs)}.csv")


def _column(name, inputs):
    frame = pl.read_csv(f"{prefix(name, inputs)}.csv")
    if not frame["id"].equals(pl.read_csv(inputs.table, columns=["id"])["id"]):
        return np.empty(0)
    return frame[frame.columns[-1]].fill_null(0).to_numpy()


def _changed_rows(source, target):
    """Rows whose input columns were not written unchanged."""
    with open(source, "rb") as before, open(target, "rb") as after:
        return sum(a.rstrip(b"\r\n") != b.rpartition(b",")[0]
                   for a, b in zip(before, after))
