"""The requests of Tests/ParityTests: the command's exit status, warnings and values."""

from __future__ import annotations

import csv
import functools
import io
import json
import os
import re
import subprocess
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from conftest import ROOT, Command, run_command

import plumb_gis as plumb

FOLDER = ROOT / "Tests" / "ParityTests"
REQUESTS = [json.loads(line) for line in (FOLDER / "requests.jsonl").read_text().splitlines()]
MAP, NETWORK, POINTS = "rasters/cape.json", "rasters/gas.json", FOLDER / "points.csv"


class Output:
    """The command's output."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        # An isolation that cannot cut off a source has a result and status 2.
        self.body = done.stdout if done.returncode in (0, 2) else None
        self.status = done.returncode
        self.errors = done.stderr
        start = "plumb: warning: "
        self.warnings = {
            plain(line[len(start) :]) for line in done.stderr.splitlines() if line.startswith(start)
        }


def plain(line: str) -> str:
    """A line without the names of options and row numbers."""
    line = re.sub(r"--[a-z-]+", "", line)
    line = re.sub(r"(usable point): (line|point) \d+", r"\1", line)
    return re.sub(r"[_\- ]+", " ", line)


def arguments(request: dict[str, Any]) -> list[str]:
    """The request as arguments of the command."""
    out = []
    for point in request["points"]:
        out += ["--at", point]
    for stem, value in request["options"].items():
        if value is True:
            out.append(f"--{stem}")
        else:
            for one in value if isinstance(value, list) else [value]:
                out += [f"--{stem}", str(one)]
    start = {
        "trace": ["trace", NETWORK, "--of", "json"],
        "identify": ["identify", MAP, "--of", "json"],
        "sample": ["identify", MAP, "--points", str(POINTS)],
        "buffer": ["buffer", "--of", "geojson"],
    }[request["verb"]]
    return start + out


def outputs(command: Command, requests: list[dict[str, Any]]) -> list[Output]:
    def run(request: dict[str, Any]) -> Output:
        return Output(
            run_command(
                [command.path, *arguments(request)], cwd=ROOT, capture_output=True, text=True
            )
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, requests))


# The requests in Python.


@functools.cache
def network() -> plumb.Network:
    return plumb.Network(NETWORK)


@functools.cache
def cape(**opened: Any) -> plumb.Map:
    return plumb.Map(MAP, **opened)


def named(request: dict[str, Any]) -> dict[str, Any]:
    asked = {stem.replace("-", "_"): value for stem, value in request["options"].items()}
    if "scale" in asked:
        asked["scale"] = float(asked["scale"])
    return asked


def traced(request: dict[str, Any]) -> plumb.Trace:
    return network().trace(**named(request))


def identified(request: dict[str, Any]) -> list[plumb.IdentifyResult]:
    return [
        cape().identify(*map(float, point.split(",")), **named(request))
        for point in request["points"]
    ]


def coordinate(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def frame() -> pd.DataFrame:
    """The file of points; a non-finite coordinate becomes null."""
    out = pd.read_csv(POINTS)
    return out.assign(lon=out["lon"].map(coordinate).astype(float))


# Options that also apply to points on maps one by one.
MAP_OPTIONS = ("tolerance", "scale", "layer", "strict")
# The kind of table for each format of the command.
TABLES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "csv": lambda points: points,
    "tsv": lambda points: pa.Table.from_pandas(points, preserve_index=False),
    "geojson": pl.from_pandas,
    "jsonl": lambda points: points,
}


def sampled(request: dict[str, Any]) -> Any:
    asked = named(request)
    kind = asked.pop("format")
    opened = {"resampling": asked.pop("resampling")} if "resampling" in asked else {}
    if kind not in TABLES:
        return cape(**opened).identify_batch(frame(), format=kind, **asked)
    points = frame()
    for axis in ("x", "y"):
        # The command also counts columns.
        if asked.get(axis, "").isdigit():
            asked[axis] = points.columns[int(asked[axis]) - 1]
    return cape(**opened).identify_batch(TABLES[kind](points), **asked)


def drawn(request: dict[str, Any]) -> Any:
    asked = named(request)
    # Points named one by one are all used, in WGS84 by default.
    asked = {"crs": "EPSG:4326", **asked, "strict": True}
    if "distance" in asked:
        asked["distance"] = [float(part) for part in asked["distance"].split(",")]
    points = [shapely.Point(*map(float, point.split(","))) for point in request["points"]]
    return plumb.buffer(points, **asked)


# Comparison of results.


def same_trace(found: plumb.Trace, seen: Output) -> None:
    assert f"{found.json}\n" == seen.body
    assert getattr(found, "is_isolated", True) == (seen.status == 0)


def same_results(found: list[plumb.IdentifyResult], seen: Output) -> None:
    assert "".join(f"{one.json}\n" for one in found) == seen.body


def same_rows(found: Any, seen: Output) -> None:
    """The columns after the columns of the points, whose values the command writes as text or JSON.
    """
    assert seen.body is not None
    table = found.to_arrow() if isinstance(found, pl.DataFrame) else found
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    if seen.body.startswith("{"):
        given = [feature["properties"] for feature in json.loads(seen.body)["features"]]
    else:
        separator = "\t" if "\t" in seen.body else ","
        given = list(csv.DictReader(io.StringIO(seen.body), delimiter=separator))
        assert table.column_names == list(given[0])
    assert table.num_rows == len(given)
    for name in table.column_names[3:]:
        for value, row in zip(table[name].to_pylist(), given):
            same_value(value, row[name], table[name].type)


def same_value(value: Any, text: Any, kind: pa.DataType) -> None:
    if value is None:
        assert text in ("", None)
    elif isinstance(value, bool):
        assert str(text).lower() == str(value).lower()
    elif pa.types.is_float32(kind):
        assert np.float32(text) == np.float32(value)
    else:
        assert type(value)(text) == value


def same_lines(request: dict[str, Any], seen: Output) -> None:
    """The command's JSON lines, which contain the results of layers for each point."""
    assert seen.body is not None
    asked = {name: value for name, value in named(request).items() if name in MAP_OPTIONS}
    resampling = request["options"].get("resampling", "nearest")
    for line in map(json.loads, seen.body.splitlines()):
        x, y = line["place"]["x"], line["place"]["y"]
        if x is not None:
            found = cape(resampling=resampling).identify(x, y, crs="EPSG:4326", **asked)
            assert json.loads(found.json)["results"] == line["results"]


def same_areas(found: Any, seen: Output) -> None:
    assert seen.body is not None
    features = json.loads(seen.body)["features"]
    # The union of no areas is None.
    is_one = found is None or isinstance(found, shapely.Geometry)
    areas = [found] if is_one else list(found)
    assert len(areas) == len(features)
    for area, feature in zip(areas, features):
        expected = feature["geometry"] and shapely.from_geojson(json.dumps(feature["geometry"]))
        if expected is None:
            assert area is None or area.is_empty
        else:
            assert area.equals_exact(expected, 0)


# Areas in Python have no format.
GEOJSON_ALONE = "GeoJSON is always in WGS84"

VERBS: dict[str, tuple[Callable[[dict[str, Any]], Any], Callable[[Any, Output], None]]] = {
    "trace": (traced, same_trace),
    "identify": (identified, same_results),
    "sample": (sampled, same_rows),
    "buffer": (drawn, same_areas),
}


@pytest.mark.parametrize("verb", VERBS)
def test_answers_are_the_commands(verb: str, command: Command) -> None:
    ask, compare = VERBS[verb]
    requests = [request for request in REQUESTS if request["verb"] == verb]
    answers = errors = 0
    for request, expected in zip(requests, outputs(command, requests), strict=True):
        if GEOJSON_ALONE in expected.errors:
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = ask(request)
            except (plumb.PlumbError, TypeError) as error:
                assert expected.body is None, (request, error)
                errors += 1
                continue
        assert expected.body is not None, (request, expected.errors, found)
        if request["options"].get("format") == "jsonl":
            same_lines(request, expected)
        else:
            compare(found, expected)
        said = {plain(str(one.message)) for one in caught}
        assert said == expected.warnings, request
        answers += 1
    assert answers >= 5 and errors >= 5
