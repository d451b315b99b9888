"""Compares the results on maps."""

import numpy as np
import polars as pl

from agreement import Agreement
from map_inputs import MapInputs
from map_workloads import MapWorkload
from rivals import OURS, prefix


def compare(workload: MapWorkload, given: MapInputs,
            samples: dict) -> Agreement:
    """Compares all contenders with the first rival."""
    agreement = Agreement()
    if workload.is_batch:
        _tables(agreement, workload, given, samples)
    else:
        _counts(agreement, workload, given, samples)
    return agreement


def _tables(agreement, workload, given, samples):
    first = workload.rivals[0]
    expected = _table(first, given)
    agreement.values = expected.width * expected.height
    for name in samples:
        if name == first:
            continue
        found = _table(name, given)
        if found.columns != expected.columns or len(found) != len(expected):
            agreement.differing[name] = agreement.values
            continue
        agreement.differing[name] = sum(
            int((~expected[column].eq_missing(found[column])).sum())
            for column in expected.columns)
    if OURS in samples:
        agreement.differing[f"{OURS}'s input columns"] = _changed_rows(
            given.table, f"{prefix(OURS, given)}.csv")
    counts = expected["parcels.count"]
    agreement.notes.append(
        f"{agreement.values:,} values compared; {(counts > 0).sum():,} points "
        f"have a polygon, {(counts > 1).sum():,} more than one, "
        f"{expected['ndvi'].count():,} a cell's value")


def _table(name, given):
    """All columns; an empty string is an absent value."""
    frame = pl.read_csv(f"{prefix(name, given)}.csv",
                        infer_schema_length=None, try_parse_dates=False)
    return frame.with_columns(
        pl.col(pl.String).replace("", None))


def _changed_rows(source, target):
    """Rows whose input columns were not written unchanged."""
    with open(source, "rb") as before, open(target, "rb") as after:
        return sum(not b.startswith(a.rstrip(b"\r\n") + b",")
                   for a, b in zip(before, after))


def _counts(agreement, workload, given, samples):
    """Compares the number of elements of each layer at each point."""
    first = workload.rivals[0]
    expected = np.load(f"{prefix(first, given)}_counts.npy")
    agreement.values = len(expected)
    for name in samples:
        if name != first:
            agreement.compare(
                name, expected, np.load(f"{prefix(name, given)}_counts.npy"))
    agreement.notes.append(
        f"{len(expected):,} counts of a layer's elements compared, "
        f"{np.count_nonzero(expected):,} of them not 0")
    if OURS in samples:
        printed = [sample.printed for sample in samples[OURS]]
        median, most = (np.median([line[key] for line in printed]) / 1e3
                        for key in ("median", "most"))
        agreement.notes.append(
            f"Plumb's single calls take {median:.3g} µs at the median, "
            f"99 % at most {most:.3g} µs")
