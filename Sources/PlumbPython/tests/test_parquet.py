"""Points in Parquet: every type, encoding and codec has the same results as the same points in CSV.
"""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import io
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEM, EVI, ROOT, Command, around, run_command

gpd = pytest.importorskip("geopandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
shapely = pytest.importorskip("shapely")

COUNT = 500


def points(count: int = COUNT) -> tuple[Any, Any]:
    x, y = around(count, 5)
    bad = ~(np.isfinite(x) & np.isfinite(y)) | (np.abs(x) > 1e3) | (np.abs(y) > 1e3)
    x[bad], y[bad] = 18.5, -33.9
    return x, y


def answers(command: Command, path: Path, *arguments: str) -> list[list[str]]:
    text = command("identify", f"evi={EVI}", f"dem={DEM}", "--points", str(path), "--of", "csv", *arguments)
    return list(csv.reader(io.StringIO(text)))


def refusal(command: Command, *arguments: str, **options: Any) -> str:
    done = run_command([command.path, *arguments], cwd=ROOT, capture_output=True, **options)
    assert done.returncode == 1, done.stdout
    lines = done.stderr.decode().strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@pytest.fixture(scope="module")
def expected(command: Command, tmp_path_factory: Any) -> list[list[str]]:
    """The results for the points in CSV, without the header."""
    x, y = points()
    path = tmp_path_factory.mktemp("csv") / "p.csv"
    with open(path, "w") as file:
        file.write("id,lon,lat\n")
        for row, (a, b) in enumerate(zip(x.tolist(), y.tolist())):
            file.write(f"{row},{a!r},{b!r}\n")
    return [[row[0], *row[3:]] for row in answers(command, path)[1:]]


def frame(**options: Any) -> Any:
    x, y = points()
    return gpd.GeoDataFrame(
        {"id": np.arange(COUNT)}, geometry=shapely.points(x, y), crs="EPSG:4326", **options)


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4"])
@pytest.mark.parametrize("encoding", ["WKB", "geoarrow"])
def test_geometries(command: Command, tmp_path: Path, expected: Any, codec: str, encoding: str) -> None:
    path = tmp_path / "p.parquet"
    frame().to_parquet(
        path, geometry_encoding=encoding, compression=None if codec == "none" else codec,
        write_covering_bbox=codec == "zstd", row_group_size=170)
    assert answers(command, path)[1:] == expected
    # The extension does not matter.
    other = tmp_path / "points.data"
    other.write_bytes(path.read_bytes())
    assert answers(command, other)[1:] == expected


def test_projected_geometries(command: Command, tmp_path: Path) -> None:
    path, package = tmp_path / "p.parquet", tmp_path / "p.gpkg"
    projected = frame().to_crs("EPSG:32734")
    projected.to_parquet(path)
    projected.to_file(package)
    assert answers(command, path)[1:] == answers(command, package)[1:]


ENCODINGS: list[dict[str, Any]] = [
    {},
    {"use_dictionary": False},
    {"use_dictionary": False, "column_encoding": {
        "id": "DELTA_BINARY_PACKED", "lon": "BYTE_STREAM_SPLIT", "lat": "BYTE_STREAM_SPLIT",
        "name": "DELTA_LENGTH_BYTE_ARRAY"}},
    {"use_dictionary": False, "column_encoding": {"name": "DELTA_BYTE_ARRAY"}},
]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", range(len(ENCODINGS)))
def test_columns_of_coordinates(
        command: Command, tmp_path: Path, expected: Any, version: str, encoding: int) -> None:
    x, y = points()
    names = [None if row % 7 == 0 else f"name {row % 30}" for row in range(COUNT)]
    table = pa.table({"id": np.arange(COUNT), "lon": x, "name": names, "lat": y})
    path = tmp_path / "p.parquet"
    pq.write_table(
        table, path, data_page_version=version, data_page_size=700, write_page_checksum=True,
        **ENCODINGS[encoding])
    rows = answers(command, path)
    assert rows[0][:4] == ["id", "lon", "name", "lat"]
    assert [[row[0], *row[4:]] for row in rows[1:]] == expected
    assert [row[2] for row in rows[1:]] == [name or "" for name in names]
    assert [float(row[1]) for row in rows[1:]] == x.tolist()
    named = answers(command, path, "--x", "lon", "--y", "lat")
    assert named == rows


def test_types(command: Command, tmp_path: Path) -> None:
    key = uuid.UUID(int=0x1234567890ABCDEF)
    row: dict[str, tuple[Any, Any, Any]] = {
        # The values in the table, its type, and the value in JSON.
        "b": (True, pa.bool_(), True),
        "i8": (-128, pa.int8(), -128),
        "u8": (255, pa.uint8(), 255),
        "i16": (-32768, pa.int16(), -32768),
        "u16": (65535, pa.uint16(), 65535),
        "i32": (-2**31, pa.int32(), -2**31),
        "u32": (2**32 - 1, pa.uint32(), 2**32 - 1),
        "i64": (-2**63, pa.int64(), -2**63),
        "u64": (2**64 - 1, pa.uint64(), 2**64 - 1),
        "f16": (np.float16(1.5), pa.float16(), 1.5),
        "f32": (0.1, pa.float32(), 0.1),
        "f64": (0.1, pa.float64(), 0.1),
        "s": ("naïve, \"quoted\"", pa.string(), "naïve, \"quoted\""),
        "bin": (b"\x00\xff", pa.binary(), "00FF"),
        "fix": (b"abc", pa.binary(3), "616263"),
        "d": (decimal.Decimal("-0.05"), pa.decimal128(9, 2), -0.05),
        "date": (dt.date(1969, 12, 31), pa.date32(), "1969-12-31"),
        "time": (dt.time(1, 2, 3, 4), pa.time64("us"), "01:02:03.000004"),
        "local": (dt.datetime(2020, 2, 29, 1, 2, 3), pa.timestamp("ms"), "2020-02-29T01:02:03"),
        "utc": (dt.datetime(1950, 1, 1, 0, 0, 0, 500000), pa.timestamp("us", "UTC"),
                "1950-01-01T00:00:00.500Z"),
        "uuid": (key.bytes, pa.uuid() if hasattr(pa, "uuid") else pa.binary(16),
                 str(key) if hasattr(pa, "uuid") else key.bytes.hex().upper()),
        "st": ({"a": 1, "b": None}, pa.struct([("a", pa.int32()), ("b", pa.string())]), None),
    }
    columns = {name: pa.array([value, None], kind) for name, (value, kind, _) in row.items()}
    table = pa.table({"lon": [18.5, 18.6], "lat": [-33.9, -33.8], **columns})
    path = tmp_path / "p.parquet"
    pq.write_table(table, path)
    answer = command.json("identify", EVI, "--points", str(path), "--of", "geojson")
    found = [feature["properties"] for feature in answer["features"]]
    flat = {name: value for name, (_, _, value) in row.items() if name != "st"}
    flat |= {"st.a": 1, "st.b": None}
    assert {name: found[0][name] for name in flat} == flat
    assert all(found[1][name] is None for name in flat)
    text = answers(command, path)
    assert text[1][text[0].index("d")] == "-0.05"
    assert text[2][text[0].index("s")] == ""


def test_rows_without_points(command: Command, tmp_path: Path) -> None:
    shapes = [
        shapely.Point(18.5, -33.9), None, shapely.Point(), shapely.MultiPoint([(18.5, -33.9)]),
        shapely.MultiPoint([(0, 0), (1, 1)]), shapely.LineString([(0, 0), (1, 1)]),
        shapely.box(0, 0, 1, 1),
    ]
    table = gpd.GeoDataFrame({"id": range(len(shapes))}, geometry=shapes, crs="EPSG:4326")
    path, package = tmp_path / "p.parquet", tmp_path / "p.gpkg"
    table.to_parquet(path)
    table.to_file(package)
    rows = answers(command, path, "--status")
    assert rows[1:] == answers(command, package, "--status")[1:]
    assert rows[1][-1] == rows[4][-1] != rows[2][-1]


def test_info(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    frame().to_crs("EPSG:32734").to_parquet(path)
    text = command("info", str(path))
    assert "driver: Parquet" in text
    assert "features 500; crs EPSG:32734; fields id" in text


def test_empty_table(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    frame().iloc[:0].to_parquet(path)
    assert len(answers(command, path)) == 1


def test_refusals(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    frame().to_parquet(path)
    whole = path.read_bytes()
    identify = ["identify", EVI, "--points"]
    path.write_bytes(whole[:-20])
    assert "truncated" in refusal(command, *identify, str(path))
    path.write_bytes(b"x,y\n18.5,-33.9\n")
    assert "not Parquet" in refusal(command, *identify, str(path))
    assert "standard input" in refusal(command, *identify, "-", input=whole)
    frame().to_parquet(path, compression="brotli")
    assert "BROTLI" in refusal(command, *identify, str(path))
    pq.write_table(pa.table({"a": [1], "b": [2]}), path)
    assert "no coordinate columns" in refusal(command, *identify, str(path))
    assert "zzz" in refusal(command, *identify, str(path), "--x", "zzz", "--y", "b")
    table = pq.read_table(path).replace_schema_metadata({"geo": json.dumps({"columns": {}})})
    pq.write_table(table, path)
    assert "primary_column" in refusal(command, *identify, str(path))
    folder = tmp_path / "parts.parquet"
    folder.mkdir()
    assert "folder" in refusal(command, *identify, str(folder))


def test_damaged_pages(command: Command, tmp_path: Path) -> None:
    """Every damaged file has results or is rejected with a one-line error."""
    path = tmp_path / "p.parquet"
    frame().to_parquet(path, compression="snappy")
    whole = path.read_bytes()
    random = np.random.default_rng(3)
    for _ in range(25):
        data = bytearray(whole)
        for at in random.integers(0, len(data), 3):
            data[at] = random.integers(0, 256)
        path.write_bytes(data)
        done = run_command(
            [command.path, "identify", EVI, "--points", str(path), "--of", "csv", "-q"], cwd=ROOT,
            capture_output=True)
        assert done.returncode in (0, 1, 2), done.stderr


def test_shapes_of_other_verbs(command: Command, tmp_path: Path) -> None:
    """Buffers and statistics of Parquet's shapes equal those of a GeoPackage."""
    path, package = tmp_path / "p.parquet", tmp_path / "p.gpkg"
    shapes = frame().head(20).to_crs("EPSG:32734")
    shapes["geometry"] = shapes.buffer(50, 2)
    shapes.to_parquet(path)
    shapes.to_file(package)
    buffers = [
        command.json("buffer", str(file), "--distance", "100", "--of", "geojson")["features"]
        for file in (path, package)]
    assert len(buffers[0]) == 20
    for first, second in zip(*buffers, strict=True):
        assert first["geometry"] == second["geometry"]
        assert first["properties"] == second["properties"]
    zonal = ["zonal", EVI, "-o", "-", "--of", "csv", "--areas"]
    assert command(*zonal, str(path)) == command(*zonal, str(package))


def test_layers_and_fences(command: Command, tmp_path: Path) -> None:
    """Layers of maps and fences from Parquet equal those from GeoPackage."""
    gpd = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    random = np.random.default_rng(1)
    frame = gpd.GeoDataFrame(
        {"name": [f"a{i}" for i in range(30)], "v": range(30)},
        geometry=[shapely.box(x, y, x + 1, y + 1) for x, y in random.uniform(0, 9, (30, 2))], crs=4326)
    frame.to_parquet(tmp_path / "areas.parquet")
    frame.to_file(tmp_path / "areas.gpkg")
    points = random.uniform(0, 10, (50, 2))
    (tmp_path / "p.csv").write_text("lon,lat\n" + "".join(f"{x},{y}\n" for x, y in points))
    (tmp_path / "walk.csv").write_text("time,id,lon,lat\n" + "".join(
        f"2025-01-01T00:{i:02}:00Z,v,{x},{y}\n" for i, (x, y) in enumerate(points)))
    found = []
    for form in ("parquet", "gpkg"):
        layer = {"id": "areas", "title": "areas", "layerType": "ArcGISFeatureLayer", "url": f"areas.{form}"}
        document = tmp_path / f"{form}.json"
        document.write_text(json.dumps({"version": "2.31", "operationalLayers": [layer]}))
        rows = command("identify", str(document), "--points", str(tmp_path / "p.csv"))
        events = command("monitor", "--feed", str(tmp_path / "walk.csv"), "--fences", f"{tmp_path}/areas.{form}")
        # The ids of features begin with 0 or 1.
        parts = [{**json.loads(line), "fenceId": ""} for line in events.splitlines()]
        assert len(parts) > 10
        found.append((rows, parts))
    assert found[0] == found[1]
    (tmp_path / "areas.parquet").write_bytes((tmp_path / "areas.parquet").read_bytes()[:-9])
    run = run_command([command.path, "identify", str(tmp_path / "parquet.json"), "--at", "1,1"],
                      capture_output=True, text=True, check=False)
    assert "truncated" in run.stderr and "Traceback" not in run.stderr
