"""Arrow streams and files as input equal the Parquet files of the same tables."""

from __future__ import annotations

import io
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEM, Command, run_command

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COUNT = 3000


def table() -> Any:
    random = np.random.default_rng(3)
    return pa.table({
        "id": pa.array(range(COUNT)),
        "name": pa.array([None if i % 7 == 0 else f"é{i}" for i in range(COUNT)]),
        "kind": pa.array([f"k{i % 5}" for i in range(COUNT)]).dictionary_encode(),
        "when": pa.array([i * 1000 for i in range(COUNT)], pa.timestamp("ms", "UTC")),
        "day": pa.array([i % 400 for i in range(COUNT)], pa.date32()),
        "flag": pa.array([None if i % 11 == 0 else i % 2 == 0 for i in range(COUNT)]),
        "size": pa.array(random.normal(0, 1, COUNT).astype("f4")),
        "lon": random.uniform(18.2, 18.7, COUNT), "lat": random.uniform(-34.3, -33.8, COUNT)})


def stream(content: Any, compression: str | None = None, rows: int = 700) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, content.schema, options=options) as writer:
        writer.write_table(content, max_chunksize=rows)
    return sink.getvalue()


def run(command: Command, *arguments: str, given: bytes | None = None) -> bytes:
    done = run_command([command.path, *arguments, "-q"], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def wanted(command: Command, tmp_path: Path) -> bytes:
    pq.write_table(table(), tmp_path / "points.parquet")
    return run(command, "identify", str(DEM), "--points", str(tmp_path / "points.parquet"), "--of", "csv")


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_streams(command: Command, wanted: bytes, compression: str | None) -> None:
    for rows in (1, 700, COUNT):
        given = stream(table().slice(0, COUNT if rows > 1 else 50), compression, rows)
        found = run(command, "identify", str(DEM), "--points", "-", "--of", "csv", given=given)
        assert found == wanted if rows > 1 else wanted.startswith(found)


def test_files(command: Command, wanted: bytes, tmp_path: Path) -> None:
    with pa.ipc.new_file(tmp_path / "points.arrow", table().schema) as writer:
        writer.write_table(table(), max_chunksize=500)
    (tmp_path / "points.arrows").write_bytes(stream(table()))
    for name in ("points.arrow", "points.arrows"):
        assert run(command, "identify", str(DEM), "--points", str(tmp_path / name), "--of", "csv") == wanted


def test_streams_of_polars(command: Command, wanted: bytes, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    sink = io.BytesIO()
    frame = polars.from_arrow(table())
    frame.write_ipc_stream(sink)
    found = run(command, "identify", str(DEM), "--points", "-", "--of", "csv", given=sink.getvalue())
    assert found == wanted
    # polars stores the schema of a file only at its end.
    frame.write_ipc(tmp_path / "points.arrow")
    done = run_command([command.path, "identify", str(DEM), "--points", str(tmp_path / "points.arrow")],
                       capture_output=True, text=True, check=False)
    assert done.returncode == 0 or "write_ipc_stream" in done.stderr


def test_pipes_of_both_formats(command: Command) -> None:
    """The output of one command is the input of the next."""
    first = run(command, "identify", f"a={DEM}", "--points", "-", "--of", "arrow", given=stream(table()))
    second = run(command, "identify", f"b={DEM}", "--points", "-", "--of", "arrow", given=first)
    with pa.ipc.open_stream(second) as reader:
        rows = reader.read_all()
    assert rows.num_rows == COUNT
    assert rows["a"].to_pylist() == rows["b"].to_pylist()


def test_pipes_that_deliver_single_bytes(command: Command, wanted: bytes) -> None:
    given = stream(table())
    process = subprocess.Popen(
        [command.path, "identify", str(DEM), "--points", "-", "--of", "csv", "-q"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE)
    assert process.stdin is not None
    for number in range(12):
        process.stdin.write(given[number:number + 1])
        process.stdin.flush()
        time.sleep(0.02)
    found, _ = process.communicate(given[12:])
    assert found == wanted


def test_areas_and_buffers(command: Command, tmp_path: Path) -> None:
    gpd = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    boxes = [shapely.box(18.3 + i / 50, -34.1, 18.35 + i / 50, -34.0) for i in range(12)]
    frame = gpd.GeoDataFrame({"name": [f"a{i}" for i in range(12)]}, geometry=boxes, crs=4326)
    frame.to_parquet(tmp_path / "areas.parquet")
    given = stream(pa.table(frame.to_arrow()))
    for arguments in (["zonal", str(DEM), "--areas", "{}", "--of", "csv"],
                      ["buffer", "{}", "--distance", "100"]):
        found = [run(command, *[part.replace("{}", name) for part in arguments], given=given)
                 for name in ("-", str(tmp_path / "areas.parquet"))]
        assert found[0] == found[1] and len(found[0]) > 500


@pytest.mark.parametrize("length", [9, 20, 200, 5000])
def test_truncated_streams(command: Command, length: int) -> None:
    done = run_command([command.path, "identify", str(DEM), "--points", "-", "--of", "csv"],
                       input=stream(table())[:length], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Arrow" in done.stderr.splitlines()[-1]
