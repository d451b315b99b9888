"""Compares the results of whole commands. Needs nothing that `run`
installs; files are read row by row, regardless of their length."""

import re
import sqlite3
import struct
import subprocess
from itertools import zip_longest
from pathlib import Path

import oracle
from agreement import Agreement
from command_inputs import CommandInputs
from command_rivals import ours
from command_rows import layer, rows
from command_workloads import CommandWorkload
from measure import environment
from rivals import OURS, PLUMB, prefix

BLENDED = 1e-9
"""The relative tolerance of interpolated values."""


def compare(workload: CommandWorkload, given: CommandInputs,
            samples: dict) -> Agreement:
    """Compares all contenders with the first rival; if there is none, with
    another run of Plumb or with the oracle."""
    agreement = Agreement()
    names = [name for name in samples if name != workload.limit]
    first = next((name for name in names if name in workload.rivals), None)
    if first is None:
        first = oracle.answer(workload, given)
        agreement.against = first
    if workload.kind == "start":
        _single(agreement, workload, given, first, names)
    else:
        for name in names:
            if name != first:
                _rows(agreement, workload, given, first, name)
    agreement.notes.append(f"{agreement.values:,} values compared, "
                           f"{agreement.with_value:,} of them not empty")
    if OURS in samples:
        _own(agreement, workload, given, samples)
    return agreement


def _own(agreement, workload, given, samples):
    """Checks that apply only to Plumb's results."""
    out = prefix(OURS, given)
    if workload.kind == "gpkg":
        _index(agreement, Path(f"{out}.gpkg"))
    elif workload.kind == "postgis":
        given.database.check(OURS, workload.count)
    elif workload.kind not in ("jsonl", "parquet", "start"):
        agreement.differing[f"{OURS}'s input columns"] = _changed_rows(
            given.table, f"{out}.csv")
    if workload.aim.decodes_once:
        _decoded(agreement, workload, given)
    if workload.kind == "far":
        facts = given.facts
        agreement.notes.append(
            f"{facts['touched']} tiles of {facts['size'] / 1e6:.1f} MB in "
            f"{facts['runs']} runs, a header of {facts['header']:,} bytes")
        for name, runs in samples.items():
            printed = runs[-1].printed
            agreement.notes.append(
                f"{name}: {printed['requests']:,} requests, "
                f"{printed['bytes'] / 1e6:.1f} MB")


# Row by row

def _rows(agreement, workload, given, first, name):
    """Compares ids and values; values of `first` count once."""
    blended = BLENDED if workload.kind == "bilinear" else 0
    narrow = workload.rasters[0].type == "float32"
    width = len(workload.rasters) + 2 * (
        workload.kind in ("gpkg", "postgis"))
    count = with_value = wrong = 0
    for before, after in zip_longest(
            rows(first, workload, given), rows(name, workload, given),
            fillvalue=()):
        if width == 1 and before == after and isinstance(before, str):
            # True for most lines of large tables.
            count += 1
            with_value += not before.endswith(",\n")
            continue
        expected, found = _row(before, width), _row(after, width)
        count += width
        with_value += sum(map(bool, expected[1:]))
        if expected != found:
            wrong += _differing(expected, found, blended, narrow)
    agreement.values = max(agreement.values, count)
    agreement.with_value = max(agreement.with_value, with_value)
    agreement.add(name, wrong)


def _row(words, width):
    """The id and the values; the last ones of a line of CSV."""
    if not isinstance(words, str):
        return words
    words = words.rstrip("\r\n").split(",")
    return [words[0], *words[-width:]]


def _differing(expected, found, blended, narrow):
    if len(expected) != len(found) or expected[0] != found[0]:
        return max(len(expected), len(found))
    return sum(not _equal(a, b, blended, narrow)
               for a, b in zip(expected[1:], found[1:]))


def _equal(a, b, blended, narrow):
    """Compares two strings; an empty one is not a value."""
    if a == b or not a or not b:
        return a == b
    a, b = float(a), float(b)
    if narrow:
        a, b = struct.unpack("2f", struct.pack("2f", a, b))
    return a == b or abs(a - b) <= blended * max(1, abs(a))


# Plumb's results

def _index(agreement, path):
    """Checks that each row is in the spatial index."""
    with sqlite3.connect(path) as database:
        table, shape = layer(database)
        rows, indexed = (database.execute(
            f'SELECT count(*) FROM "{name}"').fetchone()[0]
            for name in (table, f"rtree_{table}_{shape}_rowid"))
    agreement.add(f"{OURS}'s spatial index", abs(rows - indexed))


def _changed_rows(source, target):
    """Rows whose input columns were not written unchanged."""
    with open(source, "rb") as before, open(target, "rb") as after:
        return sum(not b.startswith(a.rstrip(b"\r\n") + b",")
                   for a, b in zip_longest(before, after, fillvalue=b""))


def _single(agreement, workload, given, first, names):
    """Compares the value of one point."""
    def value(name):
        text = Path(f"{prefix(name, given)}.txt").read_text()
        if name == OURS:
            match = re.search(r"Band_0: (.*)", text)
            return match[1] if match else ""
        return oracle.text(text.strip().strip("[]"),
                           workload.rasters[0].nodata)

    agreement.values = 1
    agreement.with_value = int(bool(value(first)))
    for name in names:
        agreement.add(name, not _equal(value(first), value(name), 0, False))


def _decoded(agreement, workload, given):
    """The number of decoded tiles, from the output of `--explain`."""
    command = ours(OURS, PLUMB, workload, given, f"{given.folder}/explained")
    words = [word for word in command.arguments if word != "-q"]
    outcome = subprocess.run([*words, "--explain"], capture_output=True,
                             text=True, env=environment())
    match = re.search(r"([\d,]+) tiles decoded", outcome.stderr)
    if match:
        given.facts["decoded"] = int(match[1].replace(",", ""))
        agreement.notes.append(
            f"{given.facts['decoded']:,} tiles decoded of "
            f"{given.facts['touched']:,} that contain a point")
