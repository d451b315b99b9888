"""Statistics of areas equal exactextract's."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyproj
import pytest
import rasterio
import shapely
from conftest import ROOT, Command, run_command
from exactextract import exact_extract

STATISTICS = ["count", "sum", "mean", "min", "max", "stdev", "variance", "coefficient_of_variation",
              "median", "variety", "majority", "minority", "quantile(q=0.1)", "quantile(q=0.9)"]
OURS = ["count", "sum", "mean", "min", "max", "stdev", "variance", "cv", "median", "variety",
        "majority", "minority", "quantile:0.1", "quantile:0.9"]
COLUMNS = [name.replace(":", "_") for name in OURS]
DATA = ROOT.parent / "shared" / "data"


def write(path: Path, values: Any, transform: Any, crs: str | None = "EPSG:32734",
          nodata: float | None = None, **options: Any) -> str:
    with rasterio.open(
            path, "w", driver="GTiff", height=values.shape[0], width=values.shape[1], count=1,
            dtype=values.dtype, crs=crs, transform=transform, nodata=nodata, **options) as target:
        target.write(values, 1)
    return str(path)


def star(random: np.random.Generator, centre: Any, radius: float, count: int) -> Any:
    """A polygon that does not cross itself."""
    angles = np.sort(random.uniform(0, 2 * math.pi, count))
    reach = radius * random.uniform(0.3, 1, count)
    return shapely.Polygon(
        np.column_stack((np.cos(angles), np.sin(angles))) * reach[:, None] + centre).buffer(0)


def compare(command: Command, raster: str, areas: gpd.GeoDataFrame, path: Path) -> pd.DataFrame:
    """Compares all statistics of all areas with exactextract's statistics of the same doubles;
    returns Plumb's.
    """
    areas.to_file(path, driver="GPKG")
    name = Path(raster).stem
    rows = pd.DataFrame(command.rows(
        "zonal", raster, "--areas", str(path), "--stat", ",".join(OURS)))
    # exactextract truncates the quantiles of integers.
    double = str(path.with_suffix(".double.tif"))
    with rasterio.open(raster) as source:
        values = source.read(1).astype("float64")
        write(Path(double), values, source.transform, source.crs, source.nodata)
    with rasterio.open(double) as source:
        wanted = exact_extract(source, areas, STATISTICS, output="pandas")
    assert len(rows) == len(areas)
    for theirs, ours in zip(wanted.columns, COLUMNS):
        found = pd.to_numeric(rows[f"{name}_{ours}"]).to_numpy(float)
        expected = wanted[theirs].to_numpy(float)
        # exactextract returns sums of 0 where there is no value, and stores coverage as 32-bit
        # floats.
        expected = np.where(wanted["count"].to_numpy() == 0,
                            expected if ours in ("count", "variety") else np.nan, expected)
        quantile = ours in ("median", "quantile_0.1", "quantile_0.9")
        tolerance = (1e-5 if quantile else 1e-6) * np.maximum(1, np.abs(expected))
        if ours in ("stdev", "variance", "cv"):
            # The variance of nearly equal values is the small difference of large numbers.
            tolerance = 1e-5 * np.maximum(1, np.abs(expected))
        wrong = ~(np.abs(found - expected) <= tolerance) & ~(np.isnan(found) & np.isnan(expected))
        if ours in ("majority", "minority"):
            # Ties are decided by the last digits of the coverage.
            wrong &= np.arange(len(wrong)) < 0
        assert not wrong.any(), (
            ours, np.flatnonzero(wrong)[:5], found[wrong][:5], expected[wrong][:5])
    return rows


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("tiled", [False, True])
def test_random_areas(command: Command, tmp_path: Path, dtype: str, tiled: bool) -> None:
    random = np.random.default_rng(38)
    values = random.integers(0, 200, (400, 500)).astype(dtype)
    options = {"tiled": True, "blockxsize": 64, "blockysize": 64, "compress": "deflate"}
    transform = rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000)
    raster = write(tmp_path / "r.tif", values, transform, nodata=7, **options if tiled else {})
    shapes = []
    for index in range(400):
        centre = random.uniform([299_950, 6_235_950], [305_050, 6_240_050])
        radius = 10 ** random.uniform(-1, 2.8)
        shape = star(random, centre, radius, int(random.integers(3, 30)))
        if index % 3 == 0:
            hole = star(random, centre, radius * 0.25, 8)
            shape = shape.difference(hole)
        if index % 7 == 0:
            shape = shapely.union_all([shape, shapely.box(*(centre + radius), *(centre + 2 * radius))])
        if index % 11 == 0:
            # On the grid lines.
            corner = 300_000 + 10 * random.integers(0, 400), 6_236_000 + 10 * random.integers(0, 300)
            shape = shapely.box(*corner, corner[0] + 10 * random.integers(1, 60), corner[1] + 50)
        shapes.append(shape)
    areas = gpd.GeoDataFrame({"id": range(len(shapes))}, geometry=shapes, crs="EPSG:32734")
    rows = compare(command, raster, areas[~areas.is_empty].reset_index(drop=True),
                   tmp_path / "areas.gpkg")
    statuses = set(rows["r_status"])
    assert {"ok", "partial"} <= statuses <= {"ok", "partial", "outside", "nodata"}


def test_sao_miguel(command: Command, tmp_path: Path) -> None:
    folder = DATA / "rasters" / "dem"
    if not folder.is_dir():
        pytest.skip("the data of exactextractr is not here")
    areas = gpd.read_file(folder / "concelhos.gpkg")
    for name in ("eu_dem_v11.tif", "clc2018_v2020_20u1.tif"):
        compare(command, str(folder / name), areas, tmp_path / f"{name}.gpkg")


def one(command: Command, tmp_path: Path, raster: str, shape: Any, crs: str = "EPSG:32734",
        stat: str = "count,mean", *more: str) -> dict[str, str]:
    path = tmp_path / "one.geojson"
    path.write_text(json.dumps({
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": {"id": 1}, "geometry": shape}]}))
    rows = command.rows("zonal", raster, "--areas", str(path), "--crs", crs, "--stat", stat, *more)
    assert len(rows) == 1
    return rows[0]


@pytest.fixture
def raster(tmp_path: Path) -> str:
    values = np.arange(100, dtype="float32").reshape(10, 10)
    return write(tmp_path / "r.tif", values, rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000))


def box(a: float, b: float, c: float, d: float) -> Any:
    return shapely.geometry.mapping(shapely.box(a, b, c, d))


def test_areas_of_public_reports(command: Command, tmp_path: Path, raster: str) -> None:
    # Smaller than a cell and not at its centre: the result is a mean, not nodata.
    row = one(command, tmp_path, raster, box(300_001, 6_239_998, 300_002, 6_239_999))
    assert float(row["r_mean"]) == 0 and row["r_status"] == "ok"
    assert float(row["r_count"]) == pytest.approx(0.01, rel=1e-6)
    # Completely and half outside.
    row = one(command, tmp_path, raster, box(0, 0, 10, 10))
    assert (row["r_mean"], row["r_status"], float(row["r_count"])) == ("", "outside", 0)
    row = one(command, tmp_path, raster, box(299_990, 6_239_990, 300_010, 6_240_000))
    assert (row["r_status"], row["r_valid_fraction"], float(row["r_count"])) == ("partial", "0.5", 1)
    # A bow-tie is repaired.
    bow = {"type": "Polygon", "coordinates": [[
        [300_010, 6_239_980], [300_030, 6_239_960], [300_030, 6_239_980], [300_010, 6_239_960],
        [300_010, 6_239_980]]]}
    row = one(command, tmp_path, raster, bow)
    assert float(row["r_count"]) == pytest.approx(2) and row["r_status"] == "ok"
    # Parts that overlap count once.
    parts = {"type": "MultiPolygon", "coordinates": [
        box(300_000, 6_239_980, 300_020, 6_240_000)["coordinates"],
        box(300_010, 6_239_980, 300_030, 6_240_000)["coordinates"]]}
    assert float(one(command, tmp_path, raster, parts)["r_count"]) == 6


def test_vertices_without_numbers(command: Command, tmp_path: Path, raster: str) -> None:
    """Areas after an unusable area have results."""
    shapes = [box(300_000, 6_239_980, 300_020, 6_240_000), None, box(-1e300, -1e300, 1e300, 1e300),
              {"type": "Point", "coordinates": [300_005, 6_239_995]},
              box(300_000, 6_239_980, 300_020, 6_240_000)]
    path = tmp_path / "areas.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"id": index}, "geometry": shape}
        for index, shape in enumerate(shapes)]}))
    rows = command.rows("zonal", raster, "--areas", str(path), "--crs", "EPSG:32734")
    assert [row["r_count"] for row in rows] == ["4.0", "", "100.0", "1.0", "4.0"]
    assert [row["r_status"] for row in rows] == ["ok", "bad_area", "partial", "ok", "ok"]


@pytest.mark.parametrize("form", ["geojson", "gpkg", "fgb", "parquet", "csv"])
def test_mixed_collections(command: Command, tmp_path: Path, raster: str, form: str) -> None:
    """A collection of several kinds is not one area; a collection of areas is."""
    area = shapely.box(300_000, 6_239_980, 300_020, 6_240_000)
    line = shapely.LineString([(300_000, 6_239_995), (300_080, 6_239_995)])
    shapes = [shapely.GeometryCollection([area, line]), area,
              shapely.GeometryCollection([shapely.Point(300_005, 6_239_995), line]),
              shapely.GeometryCollection([area, shapely.box(300_040, 6_239_980, 300_050, 6_239_990)])]
    frame = gpd.GeoDataFrame({"id": range(4)}, geometry=shapes, crs="EPSG:32734")
    path = tmp_path / f"areas.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "csv":
        pd.DataFrame({"id": frame["id"], "WKT": frame.geometry.to_wkt()}).to_csv(path, index=False)
    else:
        frame.to_file(path, **({"SPATIAL_INDEX": "NO"} if form == "fgb" else {}))
    for options in ([], ["--by", "id"]):
        run = run_command(
            [command.path, "zonal", raster, "--areas", str(path), "--crs", "EPSG:32734", *options],
            capture_output=True, text=True)
        assert "2 features have no area that can be used" in run.stderr
        rows = pd.read_csv(io.StringIO(run.stdout))
        assert rows["r_status"].tolist() == ["bad_area", "ok", "bad_area", "ok"]
        assert rows["r_count"].dropna().tolist() == [4.0, 5.0]


def test_other_crs(command: Command, tmp_path: Path, raster: str) -> None:
    """An area in degrees is transformed; its edges are straight in degrees."""
    frame = gpd.GeoSeries([shapely.box(300_020, 6_239_920, 300_080, 6_239_980)], crs="EPSG:32734")
    shape = shapely.geometry.mapping(frame.to_crs("EPSG:4326").iloc[0])
    row = one(command, tmp_path, raster, shape, crs="EPSG:4326")
    assert float(row["r_count"]) == pytest.approx(36, abs=1e-3)
    assert float(row["r_mean"]) == pytest.approx(49.5, abs=1e-3) and row["r_status"] == "ok"


@pytest.mark.parametrize("shift", [-360, 0, 360])
def test_longitudes(command: Command, tmp_path: Path, shift: float) -> None:
    """Areas at other longitudes, on a raster from 0 to 360 degrees."""
    values = np.arange(36 * 18, dtype="int32").reshape(18, 36)
    raster = write(tmp_path / "r.tif", values, rasterio.Affine(10, 0, 0, 0, -10, 90), "EPSG:4326")
    row = one(command, tmp_path, raster, box(-20 + shift, 0, 30 + shift, 20), crs="EPSG:4326",
              stat="count,sum,max")
    cells = [values[row, column] for row in (7, 8) for column in (34, 35, 0, 1, 2)]
    assert float(row["r_count"]) == 10 and float(row["r_sum"]) == sum(cells)
    assert row["r_status"] == "ok" and float(row["r_max"]) == max(cells)


def test_no_areas(command: Command, tmp_path: Path, raster: str) -> None:
    path = tmp_path / "none.geojson"
    path.write_text('{"type":"FeatureCollection","features":[]}')
    text = command("zonal", raster, "--areas", str(path), "--crs", "EPSG:32734")
    assert text == "r_count,r_mean,r_min,r_max,r_status,r_valid_fraction\n"


def test_formats(command: Command, tmp_path: Path) -> None:
    """All formats have the same values."""
    arguments = ("zonal", "rasters/evi_cape_town.tif", "--areas", "rasters/wards.geojson",
                 "--stat", "count,mean,median,quantile:0.9")
    rows = command.rows(*arguments)
    features = json.loads(command(*arguments, "--of", "geojson"))["features"]
    command(*arguments, "-o", str(tmp_path / "out.gpkg"))
    table = gpd.read_file(tmp_path / "out.gpkg")
    wards = gpd.read_file("rasters/wards.geojson")
    assert len(rows) == len(features) == len(table) == len(wards)
    for row, feature, (_, entry) in zip(rows, features, table.iterrows()):
        properties = feature["properties"]
        assert list(row) == list(properties) == list(table.columns)[:-1]
        for name, value in properties.items():
            if name.startswith("evi_cape_town"):
                assert (row[name] or None) == (None if value is None else str(value)) or (
                    float(row[name]) == value)
                assert entry[name] == value or (value is None and pd.isna(entry[name]))
    assert table.geometry.geom_equals(wards.geometry.to_crs(table.crs)).all()


def frame(path: Path, shapes: list[Any], crs: str) -> str:
    gpd.GeoDataFrame({"id": range(len(shapes))}, geometry=shapes, crs=crs).to_file(
        path, driver="GPKG")
    return str(path)


@pytest.fixture
def world(tmp_path: Path) -> str:
    return write(tmp_path / "w.tif", np.ones((180, 360), "uint8"),
                 rasterio.Affine(1, 0, -180, 0, -1, 90), "EPSG:4326")


def refusal(command: Command, *arguments: str) -> str:
    done = run_command([command.path, "zonal", *arguments], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_areas_around_a_pole(command: Command, tmp_path: Path, world: str) -> None:
    """Areas that enclose a pole, and an area with a vertex at a pole, have their size on the
    ground.
    """
    shapes = [shapely.box(-1e6, -1e6, 1e6, 1e6), shapely.Point(0, 0).buffer(1e6),
              shapely.box(0, 0, 1e6, 1e6), shapely.box(2e6, 2e6, 3e6, 3e6)]
    areas = frame(tmp_path / "a.gpkg", shapes, "EPSG:3995")
    rows = command.rows("zonal", world, "--areas", areas, "--stat", "area", "--strict")
    geod = pyproj.Geod(ellps="WGS84")
    degrees = gpd.GeoSeries([shape.segmentize(1e4) for shape in shapes], crs="EPSG:3995").to_crs(
        "EPSG:4326")
    for row, shape in zip(rows, degrees):
        assert row["w_status"] == "ok"
        size = abs(geod.polygon_area_perimeter(*shape.exterior.xy)[0])
        # Cells are weighted by their fraction in the plane of longitudes and latitudes.
        assert float(row["w_area"]) == pytest.approx(size, rel=0.02)


def test_edges_across_a_discontinuity(command: Command, tmp_path: Path) -> None:
    raster = write(tmp_path / "us.tif", np.ones((100, 100), "float32"),
                   rasterio.Affine(1000, 0, 0, 0, -1000, 2e6), "EPSG:5070")
    inside = gpd.GeoSeries([shapely.box(2e4, 1.92e6, 6e4, 1.96e6)], crs="EPSG:5070")
    shapes = [shapely.box(70, 10, 90, 30), inside.to_crs("EPSG:4326").iloc[0],
              shapely.box(-180, -60, -130, -20)]
    rows = command.rows("zonal", raster, "--areas", frame(tmp_path / "a.gpkg", shapes, "EPSG:4326"))
    assert [row["us_status"] for row in rows] == ["transform_failed", "ok", "outside"]


def test_holes_beyond_180_degrees(command: Command, tmp_path: Path) -> None:
    raster = write(tmp_path / "am.tif", np.ones((80, 200), "uint8"),
                   rasterio.Affine(0.1, 0, 170, 0, -0.1, -14), "EPSG:4326")
    shell, hole = shapely.box(-1e5, 7.8e6, 9e5, 8.2e6), shapely.box(5e5, 7.9e6, 8e5, 8.1e6)
    areas = frame(tmp_path / "a.gpkg", [shell.difference(hole), shell, hole], "EPSG:32701")
    counts = [float(row["am_count"]) for row in command.rows("zonal", raster, "--areas", areas)]
    assert counts[0] == pytest.approx(counts[1] - counts[2], rel=1e-4) and counts[2] > 100


def test_parts_that_meet_at_180_degrees(command: Command, tmp_path: Path, world: str) -> None:
    """Such areas are not repaired, so strict runs accept them."""
    shapes = [
        shapely.box(-180, -90, 180, -60),
        shapely.MultiPolygon([shapely.box(170, 0, 180, 10), shapely.box(-180, 0, -170, 10)]),
        shapely.box(-180, -90, 180, 90), shapely.box(170, 0, 190, 10),
        # Parts that together span more than 360°.
        shapely.MultiPolygon([shapely.box(170, 0, 190, 10), shapely.box(-190, 20, -170, 30)])]
    areas = frame(tmp_path / "a.gpkg", shapes, "EPSG:4326")
    rows = command.rows("zonal", world, "--areas", areas, "--strict")
    assert [float(row["w_count"]) for row in rows] == [360 * 30, 200, 360 * 180, 200, 400]
    assert {row["w_status"] for row in rows} == {"ok"}
    wide = frame(tmp_path / "b.gpkg", [shapely.box(-2e7, -2e7, 2e7, 2e7)], "EPSG:4326")
    assert command.rows("zonal", world, "--areas", wide)[0]["w_status"] == "bad_area"


def test_inputs_are_not_replaced(command: Command, tmp_path: Path, world: str) -> None:
    areas = frame(tmp_path / "a.gpkg", [shapely.box(0, 0, 1, 1)], "EPSG:4326")
    before = Path(world).read_bytes()
    refusal(command, world, "--areas", areas, "-o", world, "--of", "csv", "--overwrite")
    assert Path(world).read_bytes() == before


def test_large_integers_and_infinity(command: Command, tmp_path: Path) -> None:
    transform = rasterio.Affine(1, 0, 300_000, 0, -1, 6_240_000)
    big = write(tmp_path / "big.tif", np.array([[2**63 - 1, 1]]), transform)
    row = one(command, tmp_path, big, box(300_000, 6_239_999, 300_002, 6_240_000), stat="max,min")
    assert (row["big_max"], row["big_min"]) == (str(2**63 - 1), "1")
    inf = write(tmp_path / "inf.tif", np.array([[np.inf, 1]], "float32"), transform)
    row = one(command, tmp_path, inf, box(300_000, 6_239_999, 300_002, 6_240_000),
              stat="max,stdev,values")
    assert (row["inf_max"], row["inf_stdev"]) == ("inf", "")
    assert json.loads(row["inf_values"]) == [None, 1]


def test_tiny_areas(command: Command, tmp_path: Path, raster: str) -> None:
    row = one(command, tmp_path, raster, box(300_001, 6_239_998, 300_001 + 1e-8, 6_239_998 + 1e-8))
    assert row["r_status"] == "ok" and row["r_mean"] == "0.0"
