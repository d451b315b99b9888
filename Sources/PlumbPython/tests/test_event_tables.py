"""Traces and events as Parquet and Arrow, and feeds that are Parquet or Arrow, equal the text formats."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, Command, run_command

import plumb_gis as plumb

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
shapely = pytest.importorskip("shapely")
gpd = pytest.importorskip("geopandas")
pd = pytest.importorskip("pandas")

SIGHTS = str(ROOT / "rasters/garden_sights.geojson")
TRACE = ["trace", "rasters/gas.json"]
ISOLATION = [*TRACE, "--type", "isolation", "--start", "M0054:2", "--filter-category", "Isolating"]
SEGMENTS = [*TRACE, "--segments", "--filter-category", "Isolating"]
FENCES = ["--fences", "rasters/garden_sights.geojson", "--buffer", "10", "--explain", "--crossings"]
MONITOR = ["monitor", "--feed", "rasters/walk.csv", *FENCES]


def binary(command: Command, arguments: list[str], input: bytes | None = None) -> bytes:
    done = run_command([command.path, *arguments, "-q"], cwd=ROOT, capture_output=True, input=input)
    assert done.returncode in (0, 2), done.stderr
    return done.stdout


def tables(command: Command, arguments: list[str], folder: Path) -> list[Any]:
    """The table as Parquet and as an Arrow stream."""
    path = folder / "out.parquet"
    command(*arguments, "-o", str(path), "--overwrite")
    stream = pa.ipc.open_stream(binary(command, [*arguments, "--of", "arrow"])).read_all()
    return [pq.read_table(path), stream]


def wkb(table: Any) -> list[Any]:
    column = table.column("geometry")
    column = column.combine_chunks().storage if isinstance(column.type, pa.ExtensionType) else column
    return [None if value is None else shapely.from_wkb(bytes(value)) for value in column.to_pylist()]


@pytest.mark.parametrize("arguments", [ISOLATION, SEGMENTS, [*TRACE, "--type", "connected", "--start", "M0054:2"]])
def test_traces(command: Command, tmp_path: Path, arguments: list[str]) -> None:
    features = json.loads(command(*arguments, "--of", "geojson"))["features"]
    assert len(features) > 10
    for table in tables(command, arguments, tmp_path):
        table.validate(full=True)
        assert table.num_rows == len(features)
        names = set(table.column_names) - {"geometry", "bbox"}
        assert {name for feature in features for name in feature["properties"]} <= names
        for name in names:
            expected = [feature["properties"].get(name) for feature in features]
            assert table.column(name).to_pylist() == expected, name
        for shape, feature in zip(wkb(table), features):
            geometry = feature["geometry"]
            assert (shape is None) == (geometry is None)
            if shape is not None:
                other = shapely.geometry.shape(geometry)
                assert shape.geom_type.removeprefix("Multi") == other.geom_type.removeprefix("Multi")
                assert shape.hausdorff_distance(other) < 1e-9
    frame = gpd.read_parquet(tmp_path / "out.parquet")
    assert frame.crs == gpd.read_file("rasters/gas_pipes.geojson").crs


def test_events(command: Command, tmp_path: Path) -> None:
    rows = command.rows(*MONITOR, "--of", "csv")
    assert len(rows) > 5
    for table in tables(command, MONITOR, tmp_path):
        table.validate(full=True)
        assert table.num_rows == len(rows)
        times = {"time", "crossing_time", "second_time"}
        for name in rows[0]:
            column = table.column(name)
            texts = [row[name] for row in rows]
            if name in times:
                assert column.type == pa.timestamp("ms", "UTC")
                expected = [pd.Timestamp(text) if text else None for text in texts]
            elif pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
                expected = [float(text) if text else None for text in texts]
            else:
                expected = [text or None for text in texts]
            assert column.to_pylist() == expected, name
        for shape, row in zip(wkb(table), rows):
            assert (shape.x, shape.y) == (float(row["x"]), float(row["y"]))
    assert gpd.read_parquet(tmp_path / "out.parquet").crs == "EPSG:4326"


def walk() -> Any:
    return pd.read_csv(ROOT / "rasters/walk.csv")


def feeds(folder: Path) -> dict[str, Path]:
    """The walk in files of several types."""
    frame = walk()
    utc = pd.to_datetime(frame["time"], utc=True)
    shapes = gpd.points_from_xy(frame["x"], frame["y"])
    attributes = frame[["id", "accuracy"]].assign(time=utc)
    rest = gpd.GeoDataFrame(attributes, geometry=shapes, crs="EPSG:4326")
    frames = {
        "text": frame,
        "zoned": frame.assign(time=utc),
        "local": frame.assign(time=utc.dt.tz_localize(None).astype("datetime64[us]")),
        "seconds": frame.assign(time=utc.astype("int64") // 10**9 if utc.dtype.name.startswith("datetime64[ns")
                                else utc.dt.tz_localize(None).astype("datetime64[s]").astype("int64")),
        "float": frame.assign(time=utc.dt.tz_localize(None).astype("datetime64[ms]").astype("int64").astype(float)),
        "geometry": rest,
        "projected": rest.to_crs("EPSG:32734"),
    }
    paths = {}
    for name, data in frames.items():
        paths[name] = folder / f"{name}.parquet"
        if isinstance(data, gpd.GeoDataFrame):
            data.to_parquet(paths[name], geometry_encoding="geoarrow" if name == "geometry" else "WKB")
        else:
            pq.write_table(pa.Table.from_pandas(data, preserve_index=False), paths[name], row_group_size=100)
    table = pa.Table.from_pandas(frames["zoned"], preserve_index=False)
    paths["file"] = folder / "walk.arrow"
    with pa.ipc.new_file(paths["file"], table.schema) as file:
        file.write_table(table, max_chunksize=37)
    paths["stream"] = folder / "walk.arrows"
    with pa.ipc.new_stream(paths["stream"], table.schema) as file:
        file.write_table(table, max_chunksize=37)
    return paths


def test_feeds(command: Command, tmp_path: Path) -> None:
    events = command(*MONITOR)
    exact = [line for line in events.splitlines()]
    assert len(exact) > 5
    for name, path in feeds(tmp_path).items():
        seen = command("monitor", "--feed", str(path), *FENCES).splitlines()
        if name == "projected":
            near(seen, exact)
        else:
            assert seen == exact, name
    stream = (tmp_path / "walk.arrows").read_bytes()
    seen = binary(command, ["monitor", "--feed", "-", "--max-ahead", "1e12", *FENCES], stream)
    assert seen.decode().splitlines() == exact


def near(seen: list[str], exact: list[str]) -> None:
    assert len(seen) == len(exact)
    for one, other in zip(seen, exact):
        a, b = json.loads(one), json.loads(other)
        assert abs(a["x"] - b["x"]) < 1e-9 and abs(a["y"] - b["y"]) < 1e-9
        assert [a[name] for name in ("time", "entity", "fence", "type")] == [
            b[name] for name in ("time", "entity", "fence", "type")]


def test_filtered_feed(command: Command, tmp_path: Path) -> None:
    path = feeds(tmp_path)["zoned"]
    arguments = [*FENCES, "--feed-filter", "$locationupdate.accuracy < 4 && $locationupdate.id == 'ada'"]
    exact = command("monitor", "--feed", "rasters/walk.csv", *arguments)
    assert command("monitor", "--feed", str(path), *arguments) == exact != ""


def test_bad_rows(command: Command, tmp_path: Path) -> None:
    """The rows that CSV refuses are refused with their numbers."""
    table = pa.table({
        "id": pa.array(["a", None, "a", "a", "a", "a"]),
        "time": pa.array([1, 2, None, 4, 5, 6], pa.int64()),
        "x": [18.0, 18.0, 18.0, np.nan, 18.0, 18.0],
        "y": [-33.0, -33.0, -33.0, -33.0, -95.0, -33.0],
        "speed": [np.nan, 1, 1, 1, 1, 2],
    })
    path = tmp_path / "bad.parquet"
    pq.write_table(table, path)
    done = run_command([command.path, "monitor", "--feed", str(path), *FENCES],
                       cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    for row, reason in [(1, "no id"), (2, "invalid time"), (3, "no point"), (4, "longitude and latitude")]:
        assert any(f"location {row}: " in line and reason in line for line in lines), (row, lines)
    assert not any("location 0:" in line or "location 5:" in line for line in lines), lines


@pytest.mark.parametrize("names, reason", [
    (["id", "when", "x", "y"], "no column of times"), (["id", "time", "u", "v"], "u"),
    ([], ""),
])
def test_faults(command: Command, tmp_path: Path, names: list[str], reason: str) -> None:
    path = tmp_path / "a.parquet"
    if names:
        pq.write_table(pa.table({name: [1.0] for name in names}), path)
    else:
        path.write_bytes(b"PAR1abc")
    done = run_command([command.path, "monitor", "--feed", str(path), *FENCES],
                       cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and str(path) in done.stderr and reason in done.stderr, done.stderr
    piped = run_command([command.path, "monitor", "--feed", "-", *FENCES], cwd=ROOT,
                        input=path.read_bytes(), capture_output=True)
    assert piped.returncode == 1 and b"Arrow" in piped.stderr, piped.stderr


def test_unfinished_stream(command: Command, tmp_path: Path) -> None:
    """A stream that ends within a batch is an error; the rows before it have been used."""
    stream = feeds(tmp_path)["stream"].read_bytes()
    done = run_command([command.path, "monitor", "--feed", "-", "--max-ahead", "1e12", *FENCES], cwd=ROOT,
                       input=stream[:len(stream) * 2 // 3], capture_output=True, text=False)
    assert done.returncode == 1
    exact = command(*MONITOR).splitlines()
    lines = done.stdout.decode().splitlines()
    assert lines and exact[:len(lines)] == lines and len(lines) < len(exact)



def monitored(command: Command, feed: Path | bytes, *options: str) -> tuple[int, list[str], list[str]]:
    """The status, the events and the messages of a run on a file or on standard input."""
    path = str(feed) if isinstance(feed, Path) else "-"
    done = run_command([command.path, "monitor", "--feed", path, "--max-ahead", "1e12", *FENCES, *options],
                       cwd=ROOT, input=feed if isinstance(feed, bytes) else None, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode().splitlines()


def stream(table: Any, rows: int | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as file:
        file.write_table(table, max_chunksize=rows)
    return sink.getvalue().to_pybytes()


def test_columns_that_are_not_read(command: Command, tmp_path: Path) -> None:
    """A column that Plumb does not read is named; one that the feed does not use need not be readable."""
    table = pa.Table.from_pandas(walk(), preserve_index=False)
    lists = table.set_column(0, "id", pa.array([[1]] * len(table)))
    path = tmp_path / "a.parquet"
    pq.write_table(lists, path)
    status, _, errors = monitored(command, path)
    assert status == 0 and any("column id has lists" in line for line in errors), errors
    pq.write_table(table.set_column(1, "time", pa.array([[1]] * len(table))), path)
    status, _, errors = monitored(command, path)
    assert status == 1 and "no column of times" in errors[0] and "column time has lists" in errors[0], errors
    # Lists are not found by a usual name, and cannot be used by name.
    many = table.rename_columns(["timestamp" if name == "time" else name for name in table.column_names])
    for name in ("time", "speed", "course"):
        if name in many.column_names:
            many = many.drop_columns([name])
        many = many.append_column(name, pa.array([[1]] * len(table)))
    pq.write_table(many, path)
    status, events, errors = monitored(command, path)
    assert status == 0 and events, errors
    assert all("has lists" in line for line in errors), errors
    status, _, errors = monitored(command, path, "--time", "time")
    assert status == 1 and "column time has lists or JSON, which cannot be used as time" in errors[0], errors
    brotli = table.append_column("unused", pa.array(["text"] * len(table)))
    pq.write_table(brotli, path, compression={
        name: "BROTLI" if name == "unused" else "SNAPPY" for name in brotli.column_names})
    status, events, errors = monitored(command, path)
    assert (status, events) == (0, command(*MONITOR).splitlines()) and not errors, errors


def test_missing_values(command: Command, tmp_path: Path) -> None:
    """NaN and empty text are missing values, as empty fields of CSV."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({
        "id": [1.0, np.nan, 3.0], "time": [1, 2, 3], "x": [18.4] * 3, "y": [-33.9] * 3,
        "accuracy": ["", "NaN", "null"], "speed": [np.nan, 1.0, np.nan]}), path)
    status, _, errors = monitored(command, path)
    assert status == 0
    assert errors == ["plumb: warning: location 1: no id"]


def test_streams_in_pieces(command: Command, tmp_path: Path) -> None:
    """A pipe may deliver the first bytes one by one, and the columns of an output are written at once."""
    table = pa.Table.from_pandas(walk(), preserve_index=False)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table, max_chunksize=50)
    exact = command(*MONITOR).splitlines()
    for data in (sink.getvalue().to_pybytes(), stream(table, 50)):
        run = subprocess.Popen([command.path, "monitor", "--feed", "-", "--max-ahead", "1e12", "-q", *FENCES],
                               cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert run.stdin is not None and run.stdout is not None
        for index in range(8):
            run.stdin.write(data[index:index + 1])
        run.stdin.write(data[8:])
        run.stdin.close()
        assert run.stdout.read().decode().splitlines() == exact
        assert run.wait(timeout=60) == 0
    run = subprocess.Popen([command.path, "monitor", "--feed", "-", "--of", "arrow", "-q", *FENCES], cwd=ROOT,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert run.stdin is not None and run.stdout is not None
    reader = pa.ipc.open_stream(run.stdout)
    assert reader.schema.names[0] == "time"
    run.stdin.write(b"id,time,x,y\na,1,0,0\n")
    run.stdin.close()
    assert reader.read_all().num_rows == 0
    assert run.wait(timeout=60) == 0


def test_following_stream(command: Command) -> None:
    """A second stream is an error, because its rows would be lost."""
    data = stream(pa.Table.from_pandas(walk(), preserve_index=False))
    status, events, errors = monitored(command, data + data)
    assert status == 1 and events == command(*MONITOR).splitlines()
    assert len(errors) == 1 and "another Arrow stream" in errors[0], errors


def test_batches_of_one_write(tmp_path: Path) -> None:
    """All complete batches are used while the pipe stays open."""
    fifo = tmp_path / "feed"
    os.mkfifo(fifo)
    table = pa.Table.from_pandas(walk(), preserve_index=False)
    exact = list(plumb.monitor(str(ROOT / "rasters/walk.csv"), SIGHTS, buffer=10))
    found: list[Any] = []

    def read() -> None:
        for event in plumb.monitor(str(fifo), SIGHTS, buffer=10, max_ahead=1e12):
            found.append(event)
            if len(found) == len(exact):
                return

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with fifo.open("wb", buffering=0) as file:
        data = stream(table, 20)
        file.write(data[:-8])
        reader.join(60)
        assert len(found) == len(exact)
