"""Fences: the command's events, from a file, from tables, and live."""

from __future__ import annotations

import csv
import json
import os
import threading
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROOT, Command

import plumb_gis as plumb

WALK = "rasters/walk.csv"
SIGHTS = "rasters/garden_sights.geojson"
SECTIONS = "rasters/garden_sections.geojson"
ASKED: list[tuple[dict[str, Any], list[str]]] = [
    ({"buffer": 10}, ["--buffer", "10"]),
    ({"buffer": 10, "where": "id=5", "name": "POI"}, ["--buffer", "10", "--where", "id=5",
                                                      "--name", "POI"]),
    ({"buffer": 10, "accuracy": True, "explain": True}, ["--buffer", "10", "--accuracy",
                                                         "--explain"]),
    ({"buffer": 10, "dwell": 5, "crossings": True}, ["--buffer", "10", "--dwell", "5",
                                                     "--crossings"]),
    ({"buffer": 5, "rule": "exit", "initial": False}, ["--buffer", "5", "--rule", "exit",
                                                       "--no-initial"]),
    ({"buffer": 10, "message": "$feedfeature.id + ' at ' + $fencefeature.name",
      "feed_filter": "$locationupdate.id == 'ada'"},
     ["--buffer", "10", "--message", "$feedfeature.id + ' at ' + $fencefeature.name",
      "--feed-filter", "$locationupdate.id == 'ada'"]),
]  # fmt: skip


def seen(command: Command, *flags: str, fences: str = SIGHTS) -> list[str]:
    return command("monitor", "--feed", WALK, "--fences", fences, *flags).splitlines()


def rows() -> list[dict[str, str]]:
    with open(ROOT / WALK) as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("asked", "flags"), ASKED)
def test_equals_the_command(command: Command, asked: dict[str, Any], flags: list[str]) -> None:
    lines = seen(command, *flags)
    assert [event.json for event in plumb.monitor(WALK, SIGHTS, **asked)] == lines
    assert lines


@pytest.mark.parametrize(("asked", "flags"), ASKED)
def test_tables_equal_the_command(
    command: Command, asked: dict[str, Any], flags: list[str]
) -> None:
    lines = [json.loads(line) for line in seen(command, *flags)]
    walk = pd.read_csv(WALK)
    for track in (WALK, walk, pa.Table.from_pandas(walk), pl.DataFrame(rows()).with_columns(
            pl.col("x", "y", "accuracy").cast(pl.Float64))):  # fmt: skip
        out = plumb.events(track, SIGHTS, **asked)
        table = pa.table(out) if not isinstance(out, pa.Table) else out
        for name in ("entity", "monitor", "fence", "fenceId", "type", "message", "x", "y", "index"):
            assert table[name].to_pylist() == [line[name] for line in lines], name
        if "explain" in asked:
            assert table["why"].to_pylist() == [line["why"] for line in lines]


def test_kinds_of_tables() -> None:
    walk = pd.read_csv(WALK)
    out = plumb.events(walk, SIGHTS, buffer=10)
    assert type(out) is pd.DataFrame and str(out["time"].dtype).endswith("UTC]")
    points = gpd.GeoDataFrame(
        walk.drop(columns=["x", "y"]), geometry=gpd.points_from_xy(walk.x, walk.y), crs=4326
    )
    geo = plumb.events(points.to_crs(3857), SIGHTS, buffer=10)
    assert isinstance(geo, gpd.GeoDataFrame) and geo.crs == "EPSG:4326"
    assert geo["fence"].tolist() == out["fence"].tolist()
    assert isinstance(plumb.events(pl.from_pandas(walk), SIGHTS, buffer=10), pl.DataFrame)
    seen = plumb.events(WALK, SIGHTS, buffer=10)
    assert isinstance(seen, plumb.Events) and seen["fence"].tolist() == out["fence"].tolist()
    assert len(seen.to_geopandas()) == len(out)


def test_fences_in_a_frame(command: Command) -> None:
    for path in (SIGHTS, SECTIONS):
        fences = gpd.read_file(path)
        lines = seen(command, "--buffer", "10", "--name", "garden", fences=path)
        for given in (fences, fences.to_crs(32734) if path == "none" else fences):
            events = list(plumb.monitor(WALK, given, buffer=10, name="garden"))
            assert [event.json for event in events] == lines


def test_iterables(command: Command) -> None:
    lines = seen(command, "--buffer", "10")
    forms: list[Any] = [
        [{**row, "x": float(row["x"]), "y": float(row["y"])} for row in rows()],
        [
            {"who": row["id"], "when": datetime.fromisoformat(row["time"][:-1]),
             "x": row["x"], "y": row["y"]}
            for row in rows()
        ],
        [
            {"who": row["id"],
             "when": datetime.fromisoformat(row["time"][:-1]).replace(
                 tzinfo=timezone.utc).timestamp(),
             "x": row["x"], "y": row["y"]}
            for row in rows()
        ],
    ]  # fmt: skip
    for locations in forms:
        named = {"id": "who", "time": "when"} if "who" in locations[0] else {}
        found = plumb.monitor(iter(locations), SIGHTS, buffer=10, **named)
        assert [event.json for event in found] == lines


def test_events_come_before_the_next_location_is_taken() -> None:
    taken = 0

    def feed() -> Iterator[dict[str, Any]]:
        nonlocal taken
        for row in rows():
            taken += 1
            yield {**row, "x": float(row["x"]), "y": float(row["y"])}

    for event in plumb.monitor(feed(), SIGHTS, buffer=10):
        assert taken == event.index + 1


def test_a_pipe_is_live(tmp_path: Path) -> None:
    path = tmp_path / "feed.csv"
    os.mkfifo(path)
    lines = (ROOT / WALK).read_text().splitlines(keepends=True)
    heard = threading.Event()

    def write() -> None:
        with open(path, "w") as file:
            # No more than these lines are written until the first event has been received.
            file.writelines(lines[:100])
            file.flush()
            heard.wait(30)
            file.writelines(lines[100:])

    thread = threading.Thread(target=write)
    thread.start()
    events = []
    for event in plumb.monitor(path, SIGHTS, buffer=10, where="id=5", max_ahead=float("inf")):
        heard.set()
        events.append(event.index)
    thread.join(120)
    assert events == [76, 80, 187, 191]


def test_event() -> None:
    event = next(plumb.monitor(WALK, SIGHTS, buffer=10, where="id=5", explain=True))
    assert event.time == datetime(2026, 5, 1, 10, 4, 40, tzinfo=timezone.utc)
    assert (event.entity, event.fence, event.fence_id, event.type) == (
        "ada",
        "Spring",
        "5",
        "entered",
    )
    assert (event.x, event.y, event.index) == (18.433272, -33.985784, 76)
    assert "the buffer is 10 m" in (event.why or "")
    assert repr(event) == "<plumb.Event 2026-05-01T10:04:40Z: ada entered Spring>"


def test_raster_fence(command: Command) -> None:
    fence = "rasters/evi_cape_town.tif: $value > 0.4"
    lines = command("monitor", "--feed", WALK, "--raster-fence", fence).splitlines()
    assert [event.json for event in plumb.monitor(WALK, raster_fences=fence)] == lines


def test_simulated(command: Command) -> None:
    flags = ["--feed", "rasters/walk.esri.json", "--simulate", "--velocity", "1.4"]
    lines = command("monitor", *flags, "--fences", SECTIONS).splitlines()
    found = plumb.monitor("rasters/walk.esri.json", SECTIONS, simulate=True, velocity=1.4)
    assert [event.json for event in found] == lines


def test_arguments() -> None:
    walk = pd.read_csv(WALK)
    for call, words in (
        (lambda: plumb.monitor(3, SIGHTS), "feed is of type int"),
        (lambda: plumb.events([], SIGHTS), "track is of type list"),
        (lambda: plumb.monitor(WALK), "fences are missing"),
        (lambda: plumb.monitor(WALK, "rasters/none.geojson", buffer=1), "none.geojson"),
        (lambda: plumb.monitor(WALK, SIGHTS, buffer=-1), "buffer is -1"),
        (lambda: plumb.monitor(WALK, SIGHTS, buffer="ten"), "buffer is 'ten'"),
        (lambda: plumb.events(walk.drop(columns="time"), SIGHTS, buffer=1), "column of times"),
        (lambda: plumb.events(walk.drop(columns="x"), SIGHTS, buffer=1), "no x and y"),
        (lambda: plumb.events(walk, SIGHTS, buffer=1, id="who"), "id names the column who"),
        (lambda: plumb.events(walk, SIGHTS, buffer=1, simulate=True), "simulate needs"),
        (lambda: list(plumb.monitor([3], SIGHTS, buffer=1)), "location 0"),
        (lambda: list(plumb.monitor([{"x": 1, "y": 2}], SIGHTS, buffer=1)), "column of times"),
        (lambda: list(plumb.monitor([{"x": 1, "y": 2, "time": "soon"}], SIGHTS, buffer=1)), "soon"),
        (
            lambda: list(plumb.monitor([{"x": "a", "y": 2, "time": 1}], SIGHTS, buffer=1)),
            "'a' for x",
        ),
    ):
        with pytest.raises(plumb.PlumbError, match=words):
            call()


def test_what_a_feed_raises_is_passed_on() -> None:
    def feed() -> Iterator[dict[str, Any]]:
        yield {"x": 18.4, "y": -33.9, "time": 0}
        raise ConnectionError("the receiver is gone")

    with pytest.raises(ConnectionError, match="the receiver is gone"):
        list(plumb.monitor(feed(), SIGHTS, buffer=10))
