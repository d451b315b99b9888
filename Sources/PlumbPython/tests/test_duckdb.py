"""Parquet of DuckDB, and DuckDB, polars and GeoPandas as readers of Plumb's Parquet and Arrow."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEM, EVI, ROOT, Command, around, run_command

duckdb = pytest.importorskip("duckdb")
gpd = pytest.importorskip("geopandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pl = pytest.importorskip("polars")

COUNT = 3000
# The types, and an expression with the number of the row, i, for each of their values.
COLUMNS = {
    "whole": "i", "byte": "(i % 100)::TINYINT", "word": "(i % 30000)::USMALLINT", "large": "(i * 10)::UBIGINT",
    "real": "i / 7.0", "single": "(i / 7.0)::FLOAT", "flag": "i % 3 = 0", "text": "'text ' || i % 50",
    "day": "DATE '2026-01-01' + (i % 300)::INT", "moment": "TIMESTAMP '2026-01-01 00:00:00' + INTERVAL (i) SECOND",
    "zoned": "TIMESTAMPTZ '2026-01-01 00:00:00+00' + INTERVAL (i) SECOND", "time": "TIME '10:00:00' + INTERVAL (i) SECOND",
    "money": "(i / 100.0)::DECIMAL(12, 2)", "bytes": "('x' || i)::BLOB",
    "id": "('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID",
}
NESTED = {
    "lists": "CASE WHEN i % 5 = 0 THEN NULL ELSE [i, NULL, i + 1][:i % 4] END",
    "pairs": "{'n': i, 'tags': ['a' || i, 'b']}",
    "maps": "MAP {'k' || i % 3: i, 'z': NULL}",
    "deep": "[[{'a': i}], [], NULL]",
}


def write(path: Path, columns: dict[str, str], options: str) -> None:
    x, y = around(COUNT, 5)
    points = pa.table({"i": np.arange(COUNT), "lon": x, "lat": y})
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("points", points)
    selected = ", ".join(
        f"CASE WHEN i % 11 = 3 THEN NULL ELSE {text} END AS {name}" for name, text in columns.items())
    connection.execute(f"COPY (SELECT lon, lat, {selected} FROM points ORDER BY i) TO '{path}' (FORMAT parquet, {options})")


def identify(command: Command, path: Path, *arguments: str) -> Any:
    done = run_command(
        [command.path, "identify", f"evi={EVI}", "--points", str(path), "--of", "arrow", *arguments],
        cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return pa.ipc.open_stream(io.BytesIO(done.stdout)).read_all()


@pytest.mark.parametrize("options", [
    "COMPRESSION snappy", "COMPRESSION zstd, ROW_GROUP_SIZE 2048", "COMPRESSION gzip", "COMPRESSION lz4_raw",
    "COMPRESSION uncompressed, PARQUET_VERSION v2", "COMPRESSION zstd, PARQUET_VERSION v2"])
def test_files_of_duckdb(command: Command, tmp_path: Path, options: str) -> None:
    path = tmp_path / "p.parquet"
    write(path, COLUMNS, options)
    found, whole = identify(command, path), pq.read_table(path)
    for name in COLUMNS:
        expected = whole[name]
        if name == "id" and expected.type != found[name].type:
            # The identifiers are 16 bytes in the file.
            expected = pa.chunked_array([pa.array([None if v is None else getattr(v.as_py(), "bytes", v.as_py()) for v in expected])])
            assert [None if v is None else bytes(v) for v in found[name].to_pylist()] == expected.to_pylist()
            continue
        assert found[name].to_pylist() == expected.to_pylist(), name


@pytest.mark.parametrize("options", ["COMPRESSION snappy", "COMPRESSION zstd, ROW_GROUP_SIZE 2048, PARQUET_VERSION v2"])
def test_nested_columns_of_duckdb(command: Command, tmp_path: Path, options: str) -> None:
    path = tmp_path / "p.parquet"
    write(path, NESTED, options)
    found, whole = identify(command, path), pq.read_table(path)
    pairs = whole["pairs"].combine_chunks().flatten()
    whole = whole.append_column("pairs.n", pairs[0]).append_column("pairs.tags", pairs[1])
    assert found["pairs.n"].to_pylist() == whole["pairs.n"].to_pylist()
    for name in ["lists", "pairs.tags", "maps", "deep"]:
        expected = whole[name].to_pylist()
        if name == "maps":
            expected = [None if value is None else dict(value) for value in expected]
        assert [None if text is None else json.loads(text) for text in found[name].to_pylist()] == expected, name


def answers(command: Command, tmp_path: Path) -> Path:
    """A table of Plumb with columns of many types."""
    source, path = tmp_path / "source.parquet", tmp_path / "o.parquet"
    write(source, COLUMNS, "COMPRESSION zstd")
    command("identify", f"evi={EVI}", f"dem={DEM}", "--points", str(source), "-o", str(path))
    return path


def test_readers_of_files(command: Command, tmp_path: Path) -> None:
    path = answers(command, tmp_path)
    expected = pq.read_table(path)
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    plain = [name for name in expected.schema.names if name not in ("geometry", "bbox", "id")]
    read = connection.execute(
        "SELECT " + ", ".join(f'"{name}"' for name in plain) + f" FROM read_parquet('{path}')").fetchall()
    rows = list(zip(*(expected[name].to_pylist() for name in plain)))
    assert len(read) == len(rows) == COUNT
    for one, other in zip(read, rows):
        # As text, NaN equals NaN.
        assert list(map(str, one)) == list(map(str, other))
    boxes = connection.execute(f"SELECT count(*), min(bbox.xmin), max(bbox.ymax) FROM read_parquet('{path}')").fetchone()
    bounds = gpd.read_parquet(path).total_bounds
    # Boxes are rounded outwards to 32 bits.
    assert boxes[0] == COUNT and boxes[1] <= bounds[0] <= boxes[1] + 1e-4 and boxes[2] >= bounds[3]
    assert pl.read_parquet(path, columns=["evi", "dem", "whole"]).rows() == list(
        zip(*(expected[name].to_pylist() for name in ["evi", "dem", "whole"])))


def test_streams_to_duckdb(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    write(path, COLUMNS, "COMPRESSION zstd")
    done = subprocess.Popen(
        [command.path, "identify", f"evi={EVI}", "--points", str(path), "--of", "arrow"], cwd=ROOT,
        stdout=subprocess.PIPE)
    stream = pa.ipc.open_stream(done.stdout)
    connection = duckdb.connect()
    connection.register("answers", stream)
    count, total = connection.execute("SELECT count(*), sum(evi) FROM answers").fetchone()
    assert done.wait(timeout=60) == 0
    found = identify(command, path)
    assert (count, total) == (COUNT, sum(v for v in found["evi"].to_pylist() if v is not None))


def test_size_of_files(command: Command, tmp_path: Path) -> None:
    """Files are at most 1.1 times as large as pyarrow's with the same compression."""
    path, other = answers(command, tmp_path), tmp_path / "pyarrow.parquet"
    size = pq.read_metadata(path).row_group(0)
    pq.write_table(
        pq.read_table(path), other, compression="zstd", compression_level=1, store_schema=False,
        row_group_size=size.num_rows)
    assert path.stat().st_size <= 1.1 * other.stat().st_size
