"""Parquet files and Arrow streams of the command equal its CSV."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command, run_command

rasterio = pytest.importorskip("rasterio")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
shapely = pytest.importorskip("shapely")

KINDS = ["uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
LIMITS = {kind: np.iinfo(kind) if kind[0] in "iu" else np.finfo(kind) for kind in KINDS}
LIMITS_OF = {"i8": 2**7 - 1, "u16": 2**16 - 1, "u32": 2**32 - 1, "u64": 2**64 - 1}


def rasters(folder: Path) -> list[str]:
    random = np.random.default_rng(5)
    for kind in KINDS:
        values = random.integers(0, 100, (6, 8)).astype(kind)
        if kind.startswith("f"):
            values = (values * 0.3).astype(kind)
            values[2, 2] = np.nan
        values[1, :4] = 7
        values[3, 1], values[3, 2] = LIMITS[kind].max, LIMITS[kind].min
        with rasterio.open(folder / f"{kind}.tif", "w", driver="GTiff", width=8, height=6, count=1,
                           dtype=kind, nodata=7, crs="EPSG:4326",
                           transform=rasterio.Affine(1, 0, 0, 0, -1, 6)) as file:
            file.write(values, 1)
    return [f"{kind}={folder / kind}.tif" for kind in KINDS]


def points(folder: Path, count: int = 97) -> str:
    path = folder / "points.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "lon", "lat", "name", "size", "flag", "empty"])
        for i in range(count):
            x = "" if i == 13 else i * 7 % 90 / 10
            name = ["", "plain", 'with "quotes", comma', "é日本", "two\nlines", "0"][i % 6]
            writer.writerow([
                "" if i % 10 == 4 else i - 20, x, i * 11 % 63 / 10, name,
                "" if i % 7 == 3 else i * 0.1 - 3, ["true", "false", ""][i % 3], ""])
    return str(path)


def text_rows(text: str) -> tuple[list[str], list[list[str]]]:
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], rows[1:]


def parsed(text: str, kind: Any) -> Any:
    """The value of a field of CSV in a column of this type."""
    if pa.types.is_string(kind):
        return text
    if text == "":
        return None
    if pa.types.is_boolean(kind):
        return text == "true"
    if pa.types.is_integer(kind):
        return int(text)
    return float(np.float32(text)) if kind == pa.float32() else float(text)


def same(table: Any, text: str, nullable: tuple[str, ...] = ()) -> None:
    """Compares a table, whose extra columns are geometries, with CSV.

    - nullable: the text columns whose empty fields are nulls.
    """
    table.validate(full=True)
    names, rows = text_rows(text)
    assert table.column_names[:len(names)] == names
    assert table.num_rows == len(rows)
    for index, name in enumerate(names):
        kind = table.schema.field(name).type
        expected = [parsed(row[index], kind) for row in rows]
        if name in nullable:
            expected = [value or None for value in expected]
        assert table.column(name).to_pylist() == expected, name


def shapes(table: Any, name: str = "geometry") -> list[Any]:
    column = table.column(name)
    values = [None if value is None else bytes(value) for value in
              (column.combine_chunks().storage if isinstance(column.type, pa.ExtensionType)
               else column).to_pylist()]
    return [None if value is None else shapely.from_wkb(value) for value in values]


TYPES = ["--types", "flag=bool"]


@pytest.fixture
def run(command: Command, tmp_path: Path) -> Any:
    arguments = [*rasters(tmp_path), "--points", points(tmp_path), "--status", *TYPES]
    text = command("identify", *arguments, "--of", "csv")

    def run(*more: str) -> bytes:
        done = run_command([command.path, "identify", *arguments, *more, "-q"],
                           capture_output=True, check=True)
        return done.stdout

    return run, text, arguments


def test_types(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    run[0]("-o", str(path))
    table = pq.read_table(path)
    kinds = {name: pa.type_for_alias(name) for name in KINDS}
    kinds |= {"id": pa.int64(), "lon": pa.float64(), "name": pa.string(), "size": pa.float64(),
              "flag": pa.bool_(), "uint8_status": pa.string()}
    assert {name: table.schema.field(name).type for name in kinds} == kinds
    same(table, run[1])
    statuses = set(table.column("uint8_status").to_pylist())
    assert {"ok", "nodata", "outside", "bad_point"} <= statuses
    # The points, their boxes, and the metadata of GeoParquet.
    names, rows = text_rows(run[1])
    x, y = names.index("lon"), names.index("lat")
    found = shapes(table)
    boxes = table.column("bbox").to_pylist()
    for row, shape, box in zip(rows, found, boxes):
        if row[x] == "":
            assert shape is None and box is None
            continue
        assert (shape.x, shape.y) == (float(row[x]), float(row[y]))
        assert box["xmin"] <= shape.x <= box["xmax"] and box["ymin"] <= shape.y <= box["ymax"]
        assert max(box["xmax"] - box["xmin"], box["ymax"] - box["ymin"]) < 1e-5
    geo = json.loads(pq.read_metadata(path).metadata[b"geo"])
    assert geo["version"] == "1.1.0" and geo["primary_column"] == "geometry"
    column = geo["columns"]["geometry"]
    assert column["encoding"] == "WKB" and column["geometry_types"] == ["Point"]
    assert column["crs"]["id"] == {"authority": "EPSG", "code": 4326}
    known = [shape for shape in found if shape is not None]
    assert column["bbox"] == [min(p.x for p in known), min(p.y for p in known),
                              max(p.x for p in known), max(p.y for p in known)]
    assert column["covering"]["bbox"]["ymax"] == ["bbox", "ymax"]


def test_statistics(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    run[0]("-o", str(path))
    table, group = pq.read_table(path), pq.read_metadata(path).row_group(0)
    for index, name in enumerate(table.column_names[:-2]):
        values = [v for v in table.column(name).to_pylist() if v is not None]
        statistics = group.column(index).statistics
        assert statistics.null_count == table.num_rows - len(values)
        assert statistics.has_min_max == bool(values)
        if values:
            key = (lambda text: text.encode()) if isinstance(values[0], str) else None
            assert statistics.min == min(values, key=key)
            assert statistics.max == max(values, key=key)


def test_other_readers(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    run[0]("-o", str(path))
    table = pq.read_table(path)
    names = table.column_names[:-2]
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(path)
    assert [frame[name].to_list() for name in names] == [
        table.column(name).to_pylist() for name in names]
    geopandas = pytest.importorskip("geopandas")
    frame = geopandas.read_parquet(path)
    assert frame.crs == "EPSG:4326" and list(frame.geometry) == shapes(table)
    part = geopandas.read_parquet(path, bbox=(0, 0, 3, 3))
    assert 0 < len(part.cx[0:3, 0:3]) == len(frame.cx[0:3, 0:3]) <= len(part) < len(frame)


def test_arrow_stream(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    run[0]("-o", str(path))
    file = pq.read_table(path)
    with pa.ipc.open_stream(run[0]("--of", "arrow")) as reader:
        table = reader.read_all()
    same(table, run[1])
    names = table.column_names[:-1]
    assert table.select(names).equals(file.select(names))
    assert shapes(table) == shapes(file)
    metadata = table.schema.field("geometry").metadata
    if metadata is not None:
        assert metadata[b"ARROW:extension:name"] == b"geoarrow.wkb"
        crs = json.loads(metadata[b"ARROW:extension:metadata"])
        assert crs["crs"]["id"]["code"] == 4326 and crs["crs_type"] == "projjson"
    # The same bytes go to a file with the extension of streams.
    target = tmp_path / "out.arrows"
    run[0]("-o", str(target))
    assert pa.ipc.open_stream(target.read_bytes()).read_all().equals(table)


def test_standard_output(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    run[0]("-o", str(path))
    assert run[0]("--of", "parquet") == path.read_bytes()


@pytest.mark.parametrize("count", [0, 1, 8])
def test_few_rows(command: Command, tmp_path: Path, count: int) -> None:
    targets, source = rasters(tmp_path)[:2], points(tmp_path, count)
    arguments = ["identify", *targets, "--points", source]
    command(*arguments, "-o", str(tmp_path / "out.parquet"))
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.num_rows == count
    if count:
        same(table, command(*arguments, "--of", "csv"))
    geo = json.loads(pq.read_metadata(tmp_path / "out.parquet").metadata[b"geo"])
    assert ("bbox" in geo["columns"]["geometry"]) == (count > 0)


def test_map_and_features(command: Command, tmp_path: Path) -> None:
    """Features as input, with their types."""
    source = tmp_path / "points.geojson"
    features = [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [i / 7, i / 9]},
                 "properties": {"n": i, "geometry": f"g{i}", "r": i / 3 if i % 4 else None,
                                "b": i % 2 == 0}} for i in range(20)]
    source.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    target = rasters(tmp_path)[0]
    done = run_command(
        [command.path, "identify", target, "--points", str(source),
         "-o", str(tmp_path / "o.parquet")], capture_output=True, text=True, check=True)
    assert "the geometries are in the column geometry_" in done.stderr
    table = pq.read_table(tmp_path / "o.parquet")
    for name, kind in (("n", pa.int64()), ("geometry", pa.string()), ("r", pa.float64()),
                       ("b", pa.bool_())):
        assert table.schema.field(name).type == kind
        assert table.column(name).to_pylist() == [f["properties"][name] for f in features]
    assert [(p.x, p.y) for p in shapes(table, "geometry_")] == [
        tuple(f["geometry"]["coordinates"]) for f in features]


def test_series(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    for day in (1, 9, 17):
        with rasterio.open(tmp_path / f"s_202501{day:02}.tif", "w", driver="GTiff", width=8,
                           height=6, count=1, dtype="int16", nodata=3, crs="EPSG:4326",
                           transform=rasterio.Affine(1, 0, 0, 0, -1, 6)) as file:
            file.write(random.integers(0, 9, (6, 8)).astype("int16"), 1)
    base = ["identify", f"s={tmp_path}/s_*.tif", "--points", points(tmp_path), *TYPES,
            "--dates", "s_%Y%m%d"]
    for series in (["--series", "--long"], ["--series"]):
        command(*base, *series, "-o", str(tmp_path / "o.parquet"), "--overwrite")
        same(pq.read_table(tmp_path / "o.parquet"), command(*base, *series, "--of", "csv"))


def test_zonal_and_buffer(command: Command, tmp_path: Path) -> None:
    areas = tmp_path / "areas.geojson"
    features = [{"type": "Feature", "properties": {"name": f"a{i}", "n": i}, "geometry": {
        "type": "Polygon", "coordinates": [[[i, 1], [i + 1.5, 1], [i + 1, 3.3], [i, 1]]]}}
        for i in range(5)]
    areas.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    zonal = ["zonal", rasters(tmp_path)[7], "--areas", str(areas), "--stat", "mean,min,count"]
    command(*zonal, "-o", str(tmp_path / "z.parquet"))
    table = pq.read_table(tmp_path / "z.parquet")
    same(table, command(*zonal, "--of", "csv"))
    assert [shape.area for shape in shapes(table)] == pytest.approx(
        [shapely.geometry.shape(f["geometry"]).area for f in features])
    buffer = ["buffer", str(areas), "--distance", "0.5"]
    command(*buffer, "-o", str(tmp_path / "b.parquet"))
    table = pq.read_table(tmp_path / "b.parquet")
    assert table.column("name").to_pylist() == [f"a{i}" for i in range(5)]
    written = json.loads(command(*buffer, "--of", "geojson"))["features"]
    for shape, feature in zip(shapes(table), written):
        assert shape.symmetric_difference(shapely.geometry.shape(feature["geometry"])).area < 1e-9


def test_reference(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "utm.tif"
    with rasterio.open(path, "w", driver="GTiff", width=4, height=4, count=1, dtype="uint8",
                       crs="EPSG:32734",
                       transform=rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)) as file:
        file.write(np.arange(16, dtype="uint8").reshape(4, 4), 1)
    (tmp_path / "p.csv").write_text("x,y\n300050,6239950\n")
    command("identify", f"v={path}", "--points", str(tmp_path / "p.csv"),
            "-o", str(tmp_path / "o.parquet"))
    geo = json.loads(pq.read_metadata(tmp_path / "o.parquet").metadata[b"geo"])
    assert geo["columns"]["geometry"]["crs"]["id"]["code"] == 32734


def test_failing_runs_leave_no_file(command: Command, tmp_path: Path) -> None:
    target = rasters(tmp_path)[0]
    source = tmp_path / "bad.csv"
    source.write_text("lon,lat,n\n1,1,5\n2,2,x\n")
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("o.parquet", "o.arrows"):
        done = run_command(
            [command.path, "identify", target, "--points", str(source), "--types", "n=int",
             "-o", str(folder / name)], capture_output=True, text=True)
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
        assert "\"x\" is not an integer" in done.stderr
    source.write_text("lon,lat,n,n\n1,1,5,6\n")
    done = run_command([command.path, "identify", target, "--points", str(source),
                           "-o", str(folder / "o.parquet")], capture_output=True, text=True)
    assert done.returncode == 1 and "two output columns would be called n" in done.stderr
    assert os.listdir(folder) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_runs_leave_no_file(command: Command, tmp_path: Path, number: int) -> None:
    target = rasters(tmp_path)[0]
    folder = tmp_path / "out"
    folder.mkdir()
    process = subprocess.Popen(
        [command.path, "identify", target, "--points", "-", "-o", str(folder / "o.parquet"), "-q"],
        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write(b"lon,lat\n" + b"1,1\n" * 1000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not os.listdir(folder) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert os.listdir(folder) and not (folder / "o.parquet").exists()
    process.send_signal(number)
    assert process.wait(60) != 0
    assert os.listdir(folder) == []


def test_refused(command: Command, tmp_path: Path) -> None:
    with rasterio.open(tmp_path / "s_20250101.tif", "w", driver="GTiff", width=8, height=6, count=1,
                       dtype="int16", crs="EPSG:4326",
                       transform=rasterio.Affine(1, 0, 0, 0, -1, 6)) as file:
        file.write(np.zeros((6, 8), "int16"), 1)
    done = run_command(
        [command.path, "identify", f"s={tmp_path}/s_*.tif", "--points", points(tmp_path), "--series",
         "--dates", "s_%Y%m%d", "--resume", "-o", str(tmp_path / "o.parquet")],
        capture_output=True, text=True)
    assert done.returncode != 0
    assert "a file in the format parquet cannot be continued" in done.stderr


INPUTS = ["csv", "geojson", "geojsonseq", "gpkg", "fgb", "shp", "parquet", "columns.parquet"]


def converted(folder: Path, form: str) -> str:
    """The same points, without values that a format cannot represent."""
    gpd = pytest.importorskip("geopandas")
    pd = pytest.importorskip("pandas")
    count = 300
    random = np.random.default_rng(8)
    frame = pd.DataFrame({
        "key": np.arange(count) * 3, "name": [f"p {i}" if i % 5 else None for i in range(count)],
        "size": np.round(random.normal(0, 5, count), 3), "lon": random.uniform(-1, 9, count).round(6),
        "lat": random.uniform(-1, 7, count).round(6)})
    path = folder / f"in.{form}"
    shapes = gpd.GeoDataFrame(frame, geometry=gpd.points_from_xy(frame["lon"], frame["lat"]), crs=4326)
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "columns.parquet":
        frame.to_parquet(path, index=False)
    elif form == "parquet":
        shapes.to_parquet(path, index=False)
    else:
        drivers = {"geojson": "GeoJSON", "geojsonseq": "GeoJSONSeq", "gpkg": "GPKG", "fgb": "FlatGeobuf",
                   "shp": "ESRI Shapefile"}
        shapes.to_file(path, driver=drivers[form], engine="pyogrio")
    return str(path)


@pytest.mark.parametrize("verb", ["table", "long"])
@pytest.mark.parametrize("form", INPUTS)
def test_inputs_and_outputs(command: Command, tmp_path: Path, form: str, verb: str) -> None:
    """Each format of points with many rows, in each format of tables, has the same values in the same order."""
    layers = rasters(tmp_path)[1:3]
    if verb == "long":
        for number, layer in enumerate(layers, 1):
            os.rename(layer.split("=")[1], tmp_path / f"v_2025010{number}.tif")
        layers = [f"v={tmp_path}/v_*.tif", "--dates", "v_%Y%m%d", "--series", "--long"]
        values = ["value", "status"]
    else:
        values = ["int16", "uint16"]
    arguments = [*layers, "--points", converted(tmp_path, form)]
    wanted = list(csv.DictReader(io.StringIO(command("identify", *arguments, "--of", "csv"))))
    assert len(wanted) == 300 * (2 if verb == "long" else 1)
    names = ["key", *values]
    # Lines of JSON without dates have one object for each raster.
    for output in ("parquet", "arrow", "geojsonseq", "gpkg", *(["jsonl"] if verb == "long" else [])):
        path = tmp_path / f"out.{output}"
        command("identify", *arguments, "--of", output, "-o", str(path))
        if output == "parquet":
            rows = pq.read_table(path).to_pylist()
        elif output == "arrow":
            with pa.ipc.open_stream(path.read_bytes()) as stream:
                rows = stream.read_all().to_pylist()
        elif output == "gpkg":
            import pyogrio

            rows = pyogrio.read_dataframe(path).to_dict("records")
        else:
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            rows = [row.get("properties", row) for row in rows]
        assert len(rows) == len(wanted), output
        for row, other in zip(rows, wanted):
            for name in names:
                value = row[name]
                missing = value is None or isinstance(value, float) and np.isnan(value)
                given = "" if missing else str(int(value) if isinstance(value, float) else value)
                assert given == other[name], (output, name, row, other)


def typed_table(count: int) -> Any:
    """Columns of all types, with nulls, beside points."""
    random = np.random.default_rng(3)
    start = datetime.datetime(1999, 12, 31, 23, 59, 58, 123456)

    def nulls(values: Any) -> list[Any]:
        return [None if index % 7 == 3 else value for index, value in enumerate(values)]

    numbers = range(count)
    return pa.table({
        "lon": pa.array(random.uniform(0, 8, count)),
        "lat": pa.array(random.uniform(0, 6, count)),
        "i8": pa.array(nulls(i % 256 - 128 for i in numbers), pa.int8()),
        "u16": pa.array([i * 9 % 65536 for i in numbers], pa.uint16()),
        "u32": pa.array(nulls(2**32 - 1 - i for i in numbers), pa.uint32()),
        "u64": pa.array([2**64 - 1 - i for i in numbers], pa.uint64()),
        "f16": pa.array(random.normal(size=count).astype("float16")),
        "f32": pa.array(random.normal(size=count).astype("float32")),
        "flag": pa.array(nulls(i % 3 == 0 for i in numbers)),
        "day": pa.array(nulls(datetime.date(1, 1, 1) + datetime.timedelta(days=i)
                              for i in numbers)),
        "time": pa.array([i * 1000 + 1 for i in numbers], pa.time32("ms")),
        "utc": pa.array(nulls(start + datetime.timedelta(seconds=i) for i in numbers),
                        pa.timestamp("us", tz="UTC")),
        "local": pa.array([(-1) ** i * (2**62 + i) for i in numbers], pa.timestamp("ns")),
        "money": pa.array(nulls(decimal.Decimal(i - 50) / 100 for i in numbers),
                          pa.decimal128(12, 2)),
        "large": pa.array([decimal.Decimal(10**37 - i) for i in numbers], pa.decimal128(38, 0)),
        "larger": pa.array(nulls(decimal.Decimal((-1) ** i * (10**59 - i)) for i in numbers),
                           pa.decimal256(60, 0)),
        "bytes": pa.array(nulls(bytes([i % 256] * (i % 4)) for i in numbers), pa.binary()),
        "three": pa.array([bytes([i % 256, 0, 255]) for i in numbers], pa.binary(3)),
        "text": pa.array(nulls(f"name {i % 9} é" for i in numbers)),
    })


@pytest.mark.parametrize("output", ["parquet", "arrow"])
@pytest.mark.parametrize("form", ["parquet", "arrow", "structure", "geometry"])
def test_input_types(command: Command, tmp_path: Path, form: str, output: str) -> None:
    """The columns of Parquet and Arrow keep their types and values, in wide and in long tables."""
    table = typed_table(5003)
    names = table.column_names
    written, source = table, tmp_path / "in.parquet"
    if form == "structure":
        members = [table.column(name).combine_chunks() for name in names[2:]]
        written = table.select(["lon", "lat"]).append_column(
            "s", pa.StructArray.from_arrays(members, names[2:]))
        table = table.rename_columns(["lon", "lat", *(f"s.{name}" for name in names[2:])])
    if form == "geometry":
        lon, lat = (table.column(name).to_numpy() for name in ("lon", "lat"))
        shapes = shapely.to_wkb(shapely.points(lon, lat))
        written = table = table.drop_columns(["lon", "lat"])
        written = written.append_column("geometry", pa.array(shapes, pa.binary()))
    if form == "arrow":
        source = tmp_path / "in.arrow"
        with pa.ipc.new_stream(source, written.schema) as stream:
            stream.write_table(written, max_chunksize=999)
    else:
        pq.write_table(written, source, row_group_size=1111)
    layers = rasters(tmp_path)[1:3]
    paths = [layer.split("=")[1] for layer in layers]
    arguments = ["--points", str(source), "--crs", "EPSG:4326"]

    def run(*more: str) -> Any:
        path = tmp_path / f"out.{output}"
        command("identify", *more, *arguments, "--of", output, "-o", str(path), "--overwrite")
        if output == "parquet":
            return pq.read_table(path)
        with pa.ipc.open_stream(path.read_bytes()) as stream:
            return stream.read_all()

    wide = run(*layers)
    for number, path in enumerate(paths, 1):
        os.rename(path, tmp_path / f"v_2025010{number}.tif")
    long = run(f"v={tmp_path}/v_*.tif", "--dates", "v_%Y%m%d", "--series", "--long")
    repeated = table.take(np.repeat(np.arange(table.num_rows), 2))
    for result, expected in ((wide, table), (long, repeated)):
        for field in expected.schema:
            got = result.column(field.name).combine_chunks()
            assert got.type == field.type, field.name
            assert got.equals(expected.column(field.name).combine_chunks()), field.name


@pytest.mark.parametrize("output", ["parquet", "arrow"])
@pytest.mark.parametrize("form", ["parquet", "arrow", "structure"])
def test_types_of_areas(command: Command, tmp_path: Path, form: str, output: str) -> None:
    """The columns of areas, lines and points keep their types in `zonal`, `buffer` and discs."""
    table = typed_table(1503)
    lon, lat = (table.column(name).to_numpy() for name in ("lon", "lat"))
    boxes = shapely.to_wkb(shapely.box(lon, lat, lon + 0.7, lat + 0.4))
    columns = table.drop_columns(["lon", "lat"])
    names = columns.column_names
    written = columns
    if form == "structure":
        members = [columns.column(name).combine_chunks() for name in names]
        written = pa.table({"s": pa.StructArray.from_arrays(members, names)})
        columns = columns.rename_columns([f"s.{name}" for name in names])
    written = written.append_column("geometry", pa.array(boxes, pa.binary()))
    source = tmp_path / f"in.{'arrow' if form == 'arrow' else 'parquet'}"
    if form == "arrow":
        with pa.ipc.new_stream(source, written.schema) as stream:
            stream.write_table(written, max_chunksize=299)
    else:
        pq.write_table(written, source, row_group_size=311)
    layer = rasters(tmp_path)[1]
    small = columns.column(columns.column_names[1]).to_numpy() < 5000
    areas = [layer, "--areas", str(source), "--crs", "EPSG:4326"]

    def check(expected: Any, *arguments: str) -> Any:
        path = tmp_path / f"out.{output}"
        command(*arguments, "--of", output, "-o", str(path), "--overwrite")
        if output == "parquet":
            result = pq.read_table(path)
        else:
            with pa.ipc.open_stream(path.read_bytes()) as stream:
                result = stream.read_all()
        if expected is None:
            return result
        for field in expected.schema:
            got = result.column(field.name).combine_chunks()
            assert got.type == field.type, (arguments[0], field.name)
            assert got.equals(expected.column(field.name).combine_chunks()), field.name
        return result

    check(columns, "zonal", *areas)
    check(columns.filter(pa.array(small)), "zonal", *areas, "--where",
          f'"{columns.column_names[1]}" < 5000')
    check(columns, "buffer", str(source), "--distance", "900", "--crs", "EPSG:4326")
    long = check(None, "zonal", *areas, "--long", "--stat", "mean,max")
    for name in columns.column_names:
        repeated = columns.column(name).take(np.repeat(np.arange(1503), 2)).combine_chunks()
        assert long.column(name).combine_chunks().equals(repeated), name
    for name in columns.column_names[:1] + columns.column_names[7:10]:
        kept = check(None, "zonal", *areas, "--by", name)
        keys = list(dict.fromkeys(columns.column(name).to_pylist()))
        assert kept.column(name).type == columns.column(name).type, name
        assert kept.column(name).to_pylist() == keys, name
    if form != "structure":
        points = table.select(["lon", "lat", *names])
        if form == "arrow":
            with pa.ipc.new_stream(source, points.schema) as stream:
                stream.write_table(points)
        else:
            pq.write_table(points, source)
        check(points, "identify", layer, "--points", str(source), "--crs", "EPSG:4326",
              "--radius", "20km", "--stat", "mean")


def test_dates_of_types(command: Command, tmp_path: Path) -> None:
    """Rows are matched by a column of dates that keeps its type."""
    for day in (1, 9, 17):
        with rasterio.open(tmp_path / f"s_202501{day:02}.tif", "w", driver="GTiff", width=8,
                           height=6, count=1, dtype="int16", crs="EPSG:4326",
                           transform=rasterio.Affine(1, 0, 0, 0, -1, 6)) as file:
            file.write(np.full((6, 8), day, "int16"), 1)
    days = [datetime.datetime(2025, 1, 1) + datetime.timedelta(days=i % 20) for i in range(60)]
    table = pa.table({"lon": [1.5] * 60, "lat": [2.5] * 60,
                      "when": pa.array([None if i == 7 else day for i, day in enumerate(days)],
                                       pa.timestamp("ms"))})
    pq.write_table(table, tmp_path / "in.parquet")
    arguments = ["identify", f"s={tmp_path}/s_*.tif", "--dates", "s_%Y%m%d", "--points",
                 str(tmp_path / "in.parquet"), "--when", "when", "--within", "3d", "--status"]
    command(*arguments, "-o", str(tmp_path / "o.parquet"))
    result = pq.read_table(tmp_path / "o.parquet")
    assert result.column("when").combine_chunks().equals(table.column("when").combine_chunks())
    rows = csv.DictReader(io.StringIO(command(*arguments, "--of", "csv")))
    for row, wanted in zip(result.to_pylist(), rows, strict=True):
        assert ("" if row["s"] is None else str(row["s"])) == wanted["s"]
        assert row["s_status"] == wanted["s_status"]


def test_integers_of_areas(command: Command, tmp_path: Path) -> None:
    """Integers of features keep their type, also those above 2**63."""
    kinds = {"i8": pa.int8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64()}
    columns = {name: pa.array([LIMITS_OF[name] - i for i in range(4)], kind)
               for name, kind in kinds.items()}
    boxes = shapely.to_wkb([shapely.box(i, 1, i + 1.5, 4) for i in range(4)])
    table = pa.table({**columns, "geometry": pa.array(boxes, pa.binary())})
    pq.write_table(table, tmp_path / "areas.parquet")
    areas = str(tmp_path / "areas.parquet")
    for number, verb in enumerate((
            ["zonal", rasters(tmp_path)[7], "--areas", areas, "--crs", "EPSG:4326"],
            ["buffer", areas, "--distance", "0.5", "--crs", "EPSG:4326"])):
        path = tmp_path / f"o{number}.parquet"
        command(*verb, "-o", str(path))
        result = pq.read_table(path)
        for name in kinds:
            assert result.column(name).combine_chunks().equals(columns[name]), (verb[0], name)
