"""The options of zonal equal models in NumPy, Shapely, exactextract, GeoPandas and pyproj."""

from __future__ import annotations

import functools
import itertools
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
from rasterio.enums import ColorInterp

ALL = ["count", "sum", "mean", "min", "max", "range", "stdev", "variance", "cv", "median",
       "variety", "majority", "minority", "quantile:0.1", "quantile:0.9", "coverage"]
SINUSOIDAL = "+proj=sinu +lon_0=0 +x_0=0 +y_0=0 +R=6371007.181 +units=m +no_defs"
WGS84 = pyproj.Geod(ellps="WGS84")

GRIDS: dict[str, tuple[str, rasterio.Affine]] = {
    "north_up": ("EPSG:32734", rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)),
    "south_up": ("EPSG:32734", rasterio.Affine(100, 0, 300_000, 0, 100, 6_236_000)),
    "mirrored": ("EPSG:32734", rasterio.Affine(-100, 0, 304_000, 0, -100, 6_240_000)),
    "rotated": ("EPSG:32734", rasterio.Affine.translation(300_000, 6_240_000)
                * rasterio.Affine.rotation(30) * rasterio.Affine.scale(100, -120)),
    "degrees": ("EPSG:4326", rasterio.Affine(0.1, 0, 18, 0, -0.1, -33)),
    "degrees_south_up": ("EPSG:4326", rasterio.Affine(0.1, 0, 18, 0, 0.1, -37)),
    "degrees_rotated": ("EPSG:4326", rasterio.Affine(0.1, 0.02, 18, 0.03, -0.1, 50)),
    "turn": ("EPSG:4326", rasterio.Affine(9, 0, 0, 0, -4.5, 90)),
    "pole_at_corner": ("EPSG:3995", rasterio.Affine(25_000, 0, -500_000, 0, -25_000, 500_000)),
    "pole_in_cell": ("EPSG:3995", rasterio.Affine(25_000, 0, -512_500, 0, -25_000, 512_500)),
    "south_pole": ("EPSG:3031", rasterio.Affine(25_000, 0, -490_000, 0, -25_000, 515_000)),
    "mercator": ("EPSG:3857", rasterio.Affine(5_000, 0, 2_000_000, 0, -5_000, 8_000_000)),
    "modis": (SINUSOIDAL, rasterio.Affine(
        926.625433055833, 0, 1_111_950.519667, 0, -926.625433055833, 4_447_802.078667)),
}


def write(path: Path, values: Any, transform: Any, crs: str | None = "EPSG:32734",
          nodata: float | None = None, **options: Any) -> str:
    """Writes one band, or the bands of an array with three dimensions."""
    bands = values if values.ndim == 3 else values[None]
    with rasterio.open(
            path, "w", driver="GTiff", height=bands.shape[1], width=bands.shape[2],
            count=len(bands), dtype=bands.dtype, crs=crs, transform=transform, nodata=nodata,
            **options) as target:
        target.write(bands)
    return str(path)


def tiles(is_tiled: bool) -> dict[str, Any]:
    if is_tiled:
        return {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "deflate"}
    return {"blockysize": 7}


def save(path: Path, shapes: list[Any], crs: str | None, **columns: Any) -> str:
    gpd.GeoDataFrame({"id": range(len(shapes)), **columns}, geometry=shapes, crs=crs).to_file(
        path, driver="GPKG")
    return str(path)


def star(random: np.random.Generator, centre: Any, radius: float, count: int) -> Any:
    """A polygon that does not cross itself."""
    angles = np.sort(random.uniform(0, 2 * math.pi, count))
    reach = radius * random.uniform(0.3, 1, count)
    return shapely.Polygon(
        np.column_stack((np.cos(angles), np.sin(angles))) * reach[:, None] + centre).buffer(0)


def moved(shape: Any, transform: rasterio.Affine) -> Any:
    """A shape in cells as a shape in the coordinates of a raster, or back with the inverse."""
    a, b, c, d, e, f = transform[:6]
    return shapely.transform(shape, lambda p: np.column_stack(
        (a * p[:, 0] + b * p[:, 1] + c, d * p[:, 0] + e * p[:, 1] + f)))


# The grids on which the cells of coordinates are computed without rounding.
EXACT = {"north_up", "south_up", "mirrored", "pole_at_corner", "pole_in_cell", "mercator"}


def some_shapes(random: np.random.Generator, height: int, width: int, count: int,
                is_exact: bool = True) -> list[Any]:
    """Areas in cells: stars, with holes, of several parts, and off the raster.

    On a grid without rounding, some are on grid lines and on centres.
    """
    shapes: list[Any] = []
    for index in range(count):
        centre = random.uniform([-2, -2], [width + 2, height + 2])
        radius = 10 ** random.uniform(-1, 1.2)
        shape = star(random, centre, radius, int(random.integers(3, 20)))
        if index % 4 == 1:
            shape = shape.difference(star(random, centre, radius * 0.25, 6))
        if index % 5 == 2:
            a, b = centre + radius, centre + 2 * radius
            shape = shapely.union_all([shape, shapely.box(*a, *b)])
        if index % 6 == 3:
            # On grid lines or on the centres of cells.
            step = 0.5 * (index % 4) if is_exact else 0.3
            x, y = random.integers(0, width - 3) + step, random.integers(0, height - 3) + step
            shape = shapely.box(x, y, x + random.integers(1, 9), y + random.integers(1, 9))
        if not shape.is_empty:
            shapes.append(shape)
    return [*shapes, shapely.box(-30, -30, -20, -20)]


def cells(height: int, width: int) -> tuple[Any, Any]:
    return np.mgrid[0:height, 0:width]


@functools.lru_cache(1000)
def coverage(shape: Any, height: int, width: int) -> Any:
    """The covered fraction of each cell, by Shapely."""
    covered = np.zeros((height, width))
    if not shape.is_empty:
        # Only the cells in the bounds of the shape can be covered.
        left, top, right, bottom = shape.bounds
        rows = slice(max(math.floor(top) - 1, 0), max(math.ceil(bottom) + 1, 0))
        columns = slice(max(math.floor(left) - 1, 0), max(math.ceil(right) + 1, 0))
        row, column = (axis[rows, columns] for axis in cells(height, width))
        covered[rows, columns] = shapely.area(shapely.intersection(
            shapely.box(column, row, column + 1, row + 1), shape))
    covered[covered < 1e-11] = 0
    covered.flags.writeable = False
    return covered


def weights_of(shape: Any, covered: Any, rule: str, threshold: float) -> Any:
    """The weight of each cell; no area has a cell whose fraction is near the threshold."""
    if rule == "center":
        row, column = cells(*covered.shape)
        # A centre on the top or left edge of an area is in the area.
        tiny = 1e-9
        weight = shapely.contains_xy(shape, column + 0.5 + tiny, row + 0.5 + tiny).astype(float)
    elif rule == "all-touched":
        weight = (covered > 0).astype(float)
    else:
        weight = covered
    return np.where(covered < threshold - 1e-9, 0, weight)


def quantile(values: Any, weight: Any, share: float) -> float:
    """The quantile of distinct values at the positions of the documentation."""
    position = np.arange(len(values)) * weight + (len(values) - 1) * (
        np.cumsum(weight) - weight)
    return float(np.interp(share * (len(values) - 1) * weight.sum(), position, values))


def statistics(values: Any, valid: Any, weight: Any) -> dict[str, float]:
    """All statistics of the cells with a value and a weight."""
    kept = valid & (weight > 0)
    v, w = values[kept].astype(float), weight[kept]
    result: dict[str, float] = {"coverage": weight.sum(), "count": w.sum(), "variety": 0}
    if not kept.any():
        return result
    distinct, inverse = np.unique(v, return_inverse=True)
    sums = np.bincount(inverse, w)
    mean = (v * w).sum() / w.sum()
    variance = ((v - mean) ** 2 * w).sum() / w.sum()
    result.update({
        "sum": (v * w).sum(), "mean": mean, "min": v.min(), "max": v.max(),
        "range": v.max() - v.min(), "variance": variance, "stdev": math.sqrt(variance),
        "cv": math.sqrt(variance) / mean if mean else math.nan, "variety": len(distinct),
        "majority": distinct[sums > sums.max() - 1e-9].max(),
        "minority": distinct[sums < sums.min() + 1e-9].min(),
        "median": quantile(distinct, sums, 0.5), "quantile:0.1": quantile(distinct, sums, 0.1),
        "quantile:0.9": quantile(distinct, sums, 0.9)})
    return result


def status_of(valid: Any, covered: Any, size: float) -> tuple[str, float]:
    """The status and the valid fraction, which depend only on the exact coverage."""
    surface = covered[valid].sum()
    if covered.sum() == 0:
        return "outside", 0
    if surface == 0:
        return "nodata", 0
    is_whole = abs(surface - size) <= 1e-9 * max(1, size)
    return ("ok", 1) if is_whole else ("partial", surface / size)


def number(text: str) -> float:
    return float(text) if text else math.nan


def is_near(found: float, expected: float, relative: float, absolute: float) -> bool:
    """The comparison of `pytest.approx` with `nan_ok`, which is slow for many numbers."""
    if math.isnan(expected) or math.isinf(expected) or math.isnan(found):
        return found == expected or math.isnan(found) and math.isnan(expected)
    return abs(found - expected) <= max(relative * abs(expected), absolute)


def check(row: dict[str, str], name: str, wanted: dict[str, float], context: Any = None,
          tolerance: float = 1e-7, names: list[str] | None = None) -> None:
    """Compares the columns of a row with expected statistics; a statistic that is not expected is
    empty.
    """
    for stat in names or list(wanted):
        found = number(row[f"{name}_{stat.replace(':', '_')}"])
        expected = wanted.get(stat, math.nan)
        if stat in ("stdev", "variance", "cv") and not math.isnan(expected):
            scale = max(abs(expected), abs(wanted.get("mean", 1)), 1)
            assert is_near(found, expected, 1e-6, 1e-6 * scale), (context, stat, found, expected)
        elif stat in ("majority", "minority"):
            # Ties are decided by the last digits of the coverage.
            assert math.isnan(found) == math.isnan(expected), (context, stat)
        else:
            assert is_near(found, expected, tolerance, tolerance), (context, stat, found, expected)


def ring(transform: rasterio.Affine, row: int, column: int, parts: int) -> Any:
    """The edges of a cell, divided into parts."""
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], float) + (column, row)
    share = np.arange(parts)[:, None] / parts
    points = np.concatenate([a + (b - a) * share for a, b in itertools.pairwise(corners)])
    a, b, c, d, e, f = transform[:6]
    return np.column_stack((a * points[:, 0] + b * points[:, 1] + c,
                            d * points[:, 0] + e * points[:, 1] + f))


@functools.cache
def transformer(source: str, target: str | None) -> Any:
    """A transformation to another CRS, or to longitudes and latitudes."""
    system = pyproj.CRS(source)
    return pyproj.Transformer.from_crs(
        system, system.geodetic_crs if target is None else target, always_xy=True)


def ground(crs: str, transform: rasterio.Affine, row: int, column: int) -> float:
    """The size of a cell in m²: that of a geodesic or equal-area polygon, in the limit of short
    edges.
    """
    # A sphere's latitudes are geodetic latitudes on WGS84.
    sizes = []
    # Edges of small cells are nearly straight.
    side = math.hypot(transform.a, transform.d)
    is_small = crs != "EPSG:4326" and side < 10_000
    for parts in (8, 16) if is_small else (64, 128):
        points = ring(transform, row, column, parts)
        if crs != "EPSG:4326":
            points = np.column_stack(
                transformer(crs, None).transform(points[:, 0], points[:, 1]))
        size = abs(WGS84.polygon_area_perimeter(points[:, 0], points[:, 1])[0])
        is_polar = np.abs(points[:, 1]).max() > 89
        if is_polar or size < 1e6:
            # In an equal-area plane, poles are not special, and small areas are accurate.
            lon, lat = points[0]
            equal = f"+proj=laea +lat_0={math.copysign(90, lat)}" if is_polar else \
                f"+proj=cea +lon_0={round(lon)}"
            to_plane = transformer("EPSG:4326", f"{equal} +datum=WGS84")
            plane = np.column_stack(to_plane.transform(points[:, 0], points[:, 1]))
            size = shapely.Polygon(plane - plane[0]).area
        sizes.append(size)
    return sizes[1] + (sizes[1] - sizes[0]) / 3


@functools.cache
def grounds(grid: str, height: int, width: int) -> Any:
    crs, transform = GRIDS[grid]
    sizes = np.empty((height, width))
    for row in range(height):
        for column in range(width):
            if column and crs == "EPSG:4326" and transform.b == 0:
                sizes[row, column] = sizes[row, 0]
            else:
                sizes[row, column] = ground(crs, transform, row, column)
    return sizes


def raster_of(grid: str, path: Path, values: Any, **options: Any) -> str:
    crs, transform = GRIDS[grid]
    return write(path, values, transform, crs, **options)


@pytest.mark.parametrize(("grid", "dtype", "is_tiled"), [
    ("north_up", "uint8", True), ("north_up", "float32", False), ("south_up", "float32", False),
    ("mirrored", "uint8", True), ("rotated", "float32", False), ("degrees", "uint8", True),
    ("degrees_south_up", "float32", True), ("pole_in_cell", "float32", False),
    ("mercator", "uint8", False), ("modis", "float32", True)])
def test_rules(command: Command, tmp_path: Path, grid: str, dtype: str, is_tiled: bool) -> None:
    """For each rule and threshold, the statistics equal those of a model, and the status follows
    from the exact coverage.
    """
    random = np.random.default_rng(1)
    height, width = 30, 41
    values = random.integers(0, 25, (height, width)).astype(dtype)
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=7, **tiles(is_tiled))
    shapes = some_shapes(random, height, width, 40, grid in EXACT)
    # The result for fractions near a threshold would depend on their last digits.
    threshold = 0.37
    covered = [coverage(shape, height, width) for shape in shapes]
    shapes = [shape for shape, c in zip(shapes, covered)
              if not ((abs(c - threshold) < 1e-6) & (c > 0)).any()]
    crs, transform = GRIDS[grid]
    areas = save(tmp_path / "a.gpkg", [moved(shape, transform) for shape in shapes], crs)
    for rule, least in itertools.product(("exact", "center", "all-touched"), (0, threshold, 1)):
        rows = command.rows("zonal", raster, "--areas", areas, "--stat", ",".join(ALL),
                            "--cells", rule, "--coverage-threshold", str(least))
        assert len(rows) == len(shapes)
        for index, (row, shape) in enumerate(zip(rows, shapes)):
            own = coverage(shape, height, width)
            weight = weights_of(shape, own, rule, least)
            check(row, "r", statistics(values, values != 7, weight), (rule, least, index),
                  names=ALL)
            status, fraction = status_of(values != 7, own, shape.area)
            assert row["r_status"] == status, (rule, least, index)
            assert number(row["r_valid_fraction"]) == pytest.approx(fraction, abs=1e-7)


def test_centres_on_edges(command: Command, tmp_path: Path) -> None:
    """Areas that meet along lines through the centres of cells share no cell, and together contain
    every cell.
    """
    random = np.random.default_rng(2)
    for grid in ("north_up", "south_up", "mirrored", "degrees"):
        crs, transform = GRIDS[grid]
        raster = raster_of(grid, tmp_path / f"{grid}.tif",
                           np.arange(1200, dtype="int32").reshape(30, 40))
        lines = np.sort(random.choice(np.arange(1, 29), 5, replace=False)) + 0.5
        edges = [0, *lines.tolist(), 30]
        shapes = [shapely.box(a, c, b, d) for a, b in itertools.pairwise(edges)
                  for c, d in itertools.pairwise(edges)]
        # The coordinates of a raster in degrees are rounded.
        areas = save(tmp_path / f"{grid}.gpkg", [moved(s, transform) for s in shapes], crs)
        rows = command.rows("zonal", raster, "--areas", areas, "--cells", "center",
                            "--stat", "count,sum")
        assert sum(number(row[f"{grid}_count"]) for row in rows) == 900
        for row, shape in zip(rows, shapes):
            if grid != "degrees":
                own = weights_of(shape, coverage(shape, 30, 40), "center", 0)
                assert number(row[f"{grid}_count"]) == own.sum()


def test_centres_on_vertical_edges(command: Command, tmp_path: Path) -> None:
    """A vertical edge through centres is at the same place in every row."""
    random = np.random.default_rng(3)
    raster = write(tmp_path / "r.tif", np.ones((60, 60), "uint8"),
                   rasterio.Affine(1, 0, 0, 0, -1, 60), "EPSG:32734")
    shapes, wanted = [], []
    for _ in range(200):
        x, right = np.sort(random.choice(60, 2, replace=False)) + 0.5
        y, bottom = np.sort(random.uniform(0, 60, 2))
        shapes.append(shapely.box(x, 60 - bottom, right, 60 - y))
        wanted.append((right - x) * (math.ceil(bottom - 0.5) - math.ceil(y - 0.5)))
    areas = save(tmp_path / "a.gpkg", shapes, "EPSG:32734")
    rows = command.rows("zonal", raster, "--areas", areas, "--cells", "center", "--stat", "count")
    assert [number(row["r_count"]) for row in rows] == wanted


def test_threshold_of_whole_cells(command: Command, tmp_path: Path) -> None:
    """A cell that an area covers completely counts if the threshold is 1."""
    random = np.random.default_rng(4)
    raster = write(tmp_path / "r.tif", np.ones((50, 50), "uint8"),
                   rasterio.Affine(0.1, 0, 18, 0, -0.1, -33), "EPSG:4326")
    shapes, wanted = [], []
    for _ in range(100):
        a, c = np.sort(random.choice(51, 2, replace=False))
        b, d = np.sort(random.choice(51, 2, replace=False))
        shapes.append(shapely.box(18 + a * 0.1, -33 - d * 0.1, 18 + c * 0.1, -33 - b * 0.1))
        wanted.append((c - a) * (d - b))
    rows = command.rows("zonal", raster, "--areas", save(tmp_path / "a.gpkg", shapes, "EPSG:4326"),
                        "--coverage-threshold", "1", "--stat", "count")
    assert [number(row["r_count"]) for row in rows] == pytest.approx(wanted)


@pytest.mark.parametrize("grid", list(GRIDS))
def test_area(command: Command, tmp_path: Path, grid: str) -> None:
    """The sizes of cells on the ground equal those of geodesic polygons."""
    random = np.random.default_rng(5)
    height, width = (40, 40) if grid in ("turn", "pole_at_corner") else (41, 41)
    values = random.integers(0, 9, (height, width)).astype("int16")
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=3, **tiles(grid != "rotated"))
    crs, transform = GRIDS[grid]
    sizes = grounds(grid, height, width)
    shapes = [shape for shape in some_shapes(random, height, width, 30, grid in EXACT)
              if grid != "turn" or 0 <= shape.bounds[0] and shape.bounds[2] <= 40]
    inset = 0 if grid in EXACT else 0.1
    centre = [shapely.box(c + inset, r + inset, c + 1 - inset, r + 1 - inset)
              for c in (19, 20) for r in (19, 20)]
    margin = 0 if grid == "turn" else 1
    shapes += [*centre, shapely.box(-margin, -margin, width + margin, height + margin)]
    areas = save(tmp_path / "a.gpkg", [moved(shape, transform) for shape in shapes], crs)
    for rule in ("exact", "center", "all-touched"):
        rows = command.rows("zonal", raster, "--areas", areas, "--stat", "area", "--cells", rule)
        for index, (row, shape) in enumerate(zip(rows, shapes)):
            own = weights_of(shape, coverage(shape, height, width), rule, 0)
            wanted = (own * sizes)[values != 3].sum()
            assert number(row["r_area"]) == pytest.approx(wanted, rel=2e-9, abs=1e-4), (
                rule, index)


def test_area_of_the_earth(command: Command, tmp_path: Path) -> None:
    raster = write(tmp_path / "r.tif", np.ones((180, 360), "uint8"),
                   rasterio.Affine(1, 0, -180, 0, -1, 90), "EPSG:4326")
    areas = save(tmp_path / "a.gpkg", [shapely.box(-180, -90, 180, 90)], "EPSG:4326")
    row = command.rows("zonal", raster, "--areas", areas, "--stat", "area")[0]
    assert number(row["r_area"]) == pytest.approx(510_065_621_724_088.4, rel=1e-12)


@pytest.mark.parametrize("grid", ["north_up", "south_up", "mirrored", "rotated", "degrees"])
@pytest.mark.parametrize("is_tiled", [False, True])
def test_positions(command: Command, tmp_path: Path, grid: str, is_tiled: bool) -> None:
    """The position is that of the first cell, by row, with the least or greatest value."""
    random = np.random.default_rng(6)
    height, width = 40, 50
    # There are few different values, so most results are ties.
    values = random.integers(0, 4, (height, width)).astype("float64")
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=2, **tiles(is_tiled))
    crs, transform = GRIDS[grid]
    shapes = some_shapes(random, height, width, 60, grid in EXACT)
    areas = save(tmp_path / "a.gpkg", [moved(shape, transform) for shape in shapes], crs)
    for rule in ("exact", "center"):
        rows = command.rows("zonal", raster, "--areas", areas, "--cells", rule,
                            "--stat", "min_center,max,max_center,min")
        for row, shape in zip(rows, shapes):
            own = weights_of(shape, coverage(shape, height, width), rule, 0)
            kept = (own > 0) & (values != 2)
            for name, sign in (("min", 1), ("max", -1)):
                x, y = (number(row[f"r_{name}_center_{axis}"]) for axis in "xy")
                if not kept.any():
                    assert math.isnan(x) and math.isnan(y)
                    continue
                first = np.argmin(np.where(kept, sign * values, np.inf))
                row_, column = np.unravel_index(first, values.shape)
                place = moved(shapely.Point(column + 0.5, row_ + 0.5), transform)
                assert (x, y) == pytest.approx((place.x, place.y), rel=1e-12)


def weighted(values: Any, valid: Any, weight: Any) -> dict[str, float]:
    """The weighted statistics; a weight of NaN counts as 0."""
    w = np.where(valid & ~np.isnan(weight), weight, 0)
    v = np.where(valid, values, 0).astype(float)
    total = w.sum()
    if not valid.any():
        return {}
    if total == 0:
        return {"weighted_sum": 0}
    mean = (v * w).sum() / total
    return {"weighted_mean": mean, "weighted_sum": (v * w).sum(),
            "weighted_stdev": math.sqrt(((v - mean) ** 2 * w).sum() / total)}


WEIGHTED = ["weighted_mean", "weighted_sum", "weighted_stdev"]


def compare_weighted(command: Command, tmp_path: Path, raster: str, values: Any, weights: str,
                     weight: Any, crs: str, transform: Any, rule: str = "exact") -> None:
    """Compares weighted statistics with a model, for a weight of each cell, or NaN."""
    random = np.random.default_rng(7)
    height, width = values.shape
    shapes = some_shapes(random, height, width, 40, crs != "EPSG:4326")
    areas = save(tmp_path / "areas.gpkg", [moved(s, transform) for s in shapes], crs)
    rows = command.rows("zonal", f"r={raster}", "--areas", areas, "--weights", weights,
                        "--stat", ",".join(["mean", *WEIGHTED]), "--cells", rule, "--threads", "1")
    for index, (row, shape) in enumerate(zip(rows, shapes)):
        covered = coverage(shape, height, width)
        own = weights_of(shape, covered, rule, 0)
        valid = (values != 7) & (own > 0)
        wanted = weighted(values, valid, own * weight)
        check(row, "r", wanted, index, 1e-6, names=WEIGHTED)
        status = status_of(values != 7, covered, shape.area)[0]
        if status == "ok" and np.isnan(weight[valid]).any():
            status = "partial"
        assert row["r_status"] == status, index


@pytest.mark.parametrize(("flip", "rule"), [
    ("both", "exact"), ("values", "center"), ("weights", "all-touched"), ("none", "exact")])
def test_finer_weights(command: Command, tmp_path: Path, flip: str, rule: str) -> None:
    """A cell's weight is the mean of the finer cells under it, by their covered fraction."""
    random = np.random.default_rng(8)
    height, width = 20, 24
    values = random.integers(0, 50, (height, width)).astype("float32")
    # The weights do not cover the last columns and rows, and their grid is not aligned.
    fine = random.uniform(0, 5, (70, 90)).astype("float32")
    fine[random.random(fine.shape) < 0.1] = -1
    fine[40:52, 30:50] = -1
    transform = rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000)
    if flip in ("both", "values"):
        transform = rasterio.Affine(10, 0, 300_000, 0, 10, 6_239_800)
    other = rasterio.Affine(2.3, 0, 300_011, 0, -2.7, 6_239_996)
    if flip in ("both", "weights"):
        other = rasterio.Affine(2.3, 0, 300_011, 0, 2.7, 6_239_996 - 70 * 2.7)
    raster = write(tmp_path / "r.tif", values, transform, nodata=7, **tiles(True))
    weights = write(tmp_path / "w.tif", fine, other, nodata=-1, **tiles(True))
    weight = np.full(values.shape, math.nan)
    row, column = cells(*fine.shape)
    boxes = np.asarray(moved(shapely.box(column, row, column + 1, row + 1).ravel(), other))
    tree = shapely.STRtree(boxes)
    for r, c in itertools.product(range(height), range(width)):
        cell = moved(shapely.box(c, r, c + 1, r + 1), transform)
        near = np.sort(tree.query(cell))
        part, values_of_part = shapely.area(shapely.intersection(boxes[near], cell)), fine.ravel()[near]
        kept = (values_of_part != -1) & (part > 1e-12)
        if kept.any():
            weight[r, c] = (values_of_part[kept] * part[kept]).sum() / part[kept].sum()
    compare_weighted(
        command, tmp_path, raster, values, weights, weight, "EPSG:32734", transform, rule)


@pytest.mark.parametrize("size", [10, 37])
@pytest.mark.parametrize("is_flipped", [False, True])
def test_coarser_weights(
        command: Command, tmp_path: Path, size: float, is_flipped: bool) -> None:
    """A cell's weight is the value of the coarser or equal cell that contains its centre."""
    random = np.random.default_rng(9)
    height, width = 30, 24
    values = random.integers(0, 50, (height, width)).astype("int16")
    transform = rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000)
    coarse = random.uniform(0, 5, (12, 7))
    coarse[3, 2] = math.nan
    step = size if is_flipped else -size
    other = rasterio.Affine(
        size, 0, 300_011, 0, step, 6_239_997 + (0 if not is_flipped else -12 * size))
    raster = write(tmp_path / "r.tif", values, transform, nodata=7)
    weights = write(tmp_path / "w.tif", coarse, other)
    row, column = cells(height, width)
    # Some centres are on the borders of coarser cells.
    x = (300_000 + 10 * (column + 0.5) - other.c) / other.a
    y = (6_240_000 - 10 * (row + 0.5) - other.f) / other.e
    is_on = (x >= 0) & (x < 7) & (y >= 0) & (y < 12)
    weight = np.where(is_on, coarse[np.clip(y.astype(int), 0, 11), np.clip(x.astype(int), 0, 6)],
                      math.nan)
    compare_weighted(
        command, tmp_path, raster, values, weights, weight, "EPSG:32734", transform)


def test_weights_in_another_crs(command: Command, tmp_path: Path) -> None:
    """Coarser weights in degrees are looked up at the transformed centres."""
    random = np.random.default_rng(10)
    values = random.integers(0, 50, (30, 40)).astype("uint8")
    crs, transform = GRIDS["north_up"]
    raster = write(tmp_path / "r.tif", values, transform, nodata=7)
    coarse = random.uniform(1, 5, (10, 12))
    other = rasterio.Affine(0.005, 0, 18.84, 0, -0.005, -33.95)
    weights = write(tmp_path / "w.tif", coarse, other, "EPSG:4326")
    row, column = cells(30, 40)
    lon, lat = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform(
        300_000 + 100 * (column + 0.5), 6_240_000 - 100 * (row + 0.5))
    x = np.floor((lon - 18.84) / 0.005).astype(int)
    y = np.floor((-33.95 - lat) / 0.005).astype(int)
    is_on = (x >= 0) & (x < 12) & (y >= 0) & (y < 10)
    assert is_on.any() and not is_on.all()
    weight = np.where(is_on, coarse[np.clip(y, 0, 9), np.clip(x, 0, 11)], math.nan)
    compare_weighted(command, tmp_path, raster, values, weights, weight, crs, transform)


@pytest.mark.parametrize("west", [-180, 0])
@pytest.mark.parametrize("size", [2.5, 15])
def test_weights_at_other_longitudes(
        command: Command, tmp_path: Path, west: float, size: float) -> None:
    """Weights from -180 to 180 degrees are found for cells from 0 to 360 degrees, and vice versa.
    """
    random = np.random.default_rng(11)
    values = random.integers(10, 50, (36, 72)).astype("uint8")
    transform = rasterio.Affine(5, 0, west, 0, -5, 90)
    raster = write(tmp_path / "r.tif", values, transform, "EPSG:4326")
    own = random.uniform(1, 5, (int(180 / size), int(360 / size)))
    weights = write(tmp_path / "w.tif", own,
                    rasterio.Affine(size, 0, -180 - west, 0, -size, 90), "EPSG:4326")
    # The weights of the same longitudes, from the west of the raster.
    turned = np.roll(own, own.shape[1] // 2, 1)
    if size == 15:
        weight = np.kron(turned, np.ones((3, 3)))
    else:
        weight = turned.reshape(36, 2, 72, 2).mean((1, 3))
    shapes = [shapely.box(c, r, c + 3.5, r + 2.25) for c in range(0, 66, 5) for r in (1, 12, 30)]
    areas = save(tmp_path / "a.gpkg", [moved(s, transform) for s in shapes], "EPSG:4326")
    rows = command.rows("zonal", raster, "--areas", areas, "--weights", weights,
                        "--stat", ",".join(WEIGHTED), "--threads", "1")
    for index, (row, shape) in enumerate(zip(rows, shapes)):
        covered = coverage(shape, 36, 72)
        check(row, "r", weighted(values, covered > 0, covered * weight), index, 1e-9)
        assert row["r_status"] == "ok"


@pytest.mark.parametrize("grid", ["degrees", "south_up", "mercator"])
def test_weights_of_area(command: Command, tmp_path: Path, grid: str) -> None:
    """Weights by area are the sizes of cells on the ground."""
    random = np.random.default_rng(12)
    values = random.integers(0, 50, (30, 30)).astype("uint8")
    crs, transform = GRIDS[grid]
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=7)
    compare_weighted(command, tmp_path, raster, values, "area", grounds(grid, 30, 30), crs,
                     transform)


def test_exactextract_has_the_same_weighted_statistics(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(13)
    crs, transform = GRIDS["north_up"]
    values = random.uniform(0, 50, (30, 40))
    weight = random.uniform(0, 3, (30, 40))
    raster = write(tmp_path / "r.tif", values, transform)
    weights = write(tmp_path / "w.tif", weight, transform)
    shapes = [moved(star(random, random.uniform(8, 22, 2), 7, 9), transform) for _ in range(30)]
    frame = gpd.GeoDataFrame({"id": range(30)}, geometry=shapes, crs=crs)
    names = [*WEIGHTED, "min_center_x", "min_center_y", "max_center_x", "max_center_y"]
    wanted = exact_extract(raster, frame, names, weights=weights, output="pandas")
    rows = command.rows(
        "zonal", raster, "--areas", save(tmp_path / "a.gpkg", shapes, crs), "--weights", weights,
        "--stat", "weighted_mean,weighted_sum,weighted_stdev,min_center,max_center")
    for name in names:
        found = [number(row[f"r_{name}"]) for row in rows]
        assert found == pytest.approx(wanted[name].to_list(), rel=1e-5), name


def test_weights_on_many_tiles(command: Command, tmp_path: Path) -> None:
    """Weights of many tiles, which all threads read at the same time."""
    random = np.random.default_rng(14)
    values = random.integers(0, 99, (160, 160)).astype("uint8")
    transform = rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000)
    raster = write(tmp_path / "r.tif", values, transform, **tiles(True))
    fine = random.uniform(0, 5, (320, 320)).astype("float32")
    weights = write(tmp_path / "w.tif", fine, rasterio.Affine(5, 0, 300_000, 0, -5, 6_240_000),
                    **tiles(True))
    weight = fine.astype(float).reshape(160, 2, 160, 2).mean((1, 3))
    corners = random.integers(0, 140, (400, 2))
    shapes = [shapely.box(x, y, x + 20, y + 20) for x, y in corners.tolist()]
    areas = save(tmp_path / "a.gpkg", [moved(s, transform) for s in shapes], "EPSG:32734")
    rows = command.rows("zonal", raster, "--areas", areas, "--weights", weights, "--threads", "4",
                        "--cache", "100KB", "--stat", "weighted_mean,weighted_sum")
    for row, (x, y) in zip(rows, corners):
        v, w = values[y:y + 20, x:x + 20].astype(float), weight[y:y + 20, x:x + 20]
        assert number(row["r_weighted_sum"]) == pytest.approx((v * w).sum(), rel=1e-9)
        assert number(row["r_weighted_mean"]) == pytest.approx((v * w).sum() / w.sum(), rel=1e-9)


@pytest.fixture
def fields(tmp_path: Path) -> tuple[str, str, gpd.GeoDataFrame, Any]:
    """A raster, areas that overlap with columns of all types, and the values."""
    random = np.random.default_rng(15)
    crs, transform = GRIDS["north_up"]
    values = random.integers(0, 99, (30, 40)).astype("uint8")
    raster = write(tmp_path / "r.tif", values, transform, nodata=7)
    shapes = [shape for shape in some_shapes(random, 30, 40, 60)]
    count = len(shapes)
    frame = gpd.GeoDataFrame({
        "id": range(count),
        "kind": [None if i % 11 == 10 else f"k{i * 7 % 5}" for i in range(count)],
        "level": random.integers(0, 4, count), "part": random.uniform(0, 1, count).round(3),
    }, geometry=[moved(s, transform) for s in shapes], crs=crs)
    path = tmp_path / "areas.gpkg"
    frame.to_file(path, driver="GPKG")
    return raster, str(path), frame, values


CONDITIONS = [
    ("kind = 'k1'", lambda f: f["kind"] == "k1"),
    ("level >= 2 AND part < 0.5", lambda f: (f["level"] >= 2) & (f["part"] < 0.5)),
    ("kind IS NULL OR level = 0", lambda f: f["kind"].isna() | (f["level"] == 0)),
    ("kind <> 'k1'", lambda f: f["kind"].notna() & (f["kind"] != "k1")),
    ("NOT (kind = 'k1')", lambda f: f["kind"].notna() & (f["kind"] != "k1")),
    ("kind LIKE 'k%' AND id BETWEEN 5 AND 20",
     lambda f: f["kind"].notna() & f["id"].between(5, 20)),
    ("level IN (1, 3)", lambda f: f["level"].isin([1, 3])),
    ("id < 0", lambda f: f["id"] < 0),
]


@pytest.mark.parametrize(("condition", "rule"), CONDITIONS)
@pytest.mark.parametrize("driver", ["GPKG", "GeoJSON"])
def test_condition(command: Command, tmp_path: Path, fields: Any, condition: str, rule: Any,
                   driver: str) -> None:
    """A run with a condition writes the same rows as a run without it."""
    raster, path, frame, _ = fields
    more = []
    if driver == "GeoJSON":
        path = str(tmp_path / "areas.geojson")
        frame.set_crs("EPSG:4326", allow_override=True).to_file(path, driver=driver)
        more = ["--crs", "EPSG:32734"]
    whole = command.rows("zonal", raster, "--areas", path, *more)
    kept = command.rows("zonal", raster, "--areas", path, "--where", condition, *more)
    wanted = [row for row, is_kept in zip(whole, rule(frame)) if is_kept]
    assert kept == wanted
    assert [int(row["id"]) for row in kept] == frame.index[rule(frame)].to_list()


def test_condition_of_many_areas(command: Command, tmp_path: Path) -> None:
    """A condition applies to all batches, including batches in which no row meets it."""
    transform = rasterio.Affine(1, 0, 300_000, 0, -1, 6_240_000)
    values = np.arange(10000, dtype="int32").reshape(100, 100)
    raster = write(tmp_path / "r.tif", values, transform)
    row, column = cells(100, 100)
    shapes = moved(shapely.box(column, row, column + 1, row + 1).ravel(), transform)
    path = save(tmp_path / "a.gpkg", list(shapes), "EPSG:32734")
    for condition, wanted in (("id % 1000 = 999", range(999, 10000, 1000)),
                              ("id > 9990", range(9991, 10000))):
        rows = command.rows("zonal", raster, "--areas", path, "--where", condition,
                            "--stat", "mean")
        assert [(int(r["id"]), number(r["r_mean"])) for r in rows] == [(i, i) for i in wanted]
    rows = command.rows("zonal", raster, "--areas", path, "--stat", "mean")
    assert [number(r["r_mean"]) for r in rows] == list(range(10000))


@pytest.mark.parametrize("column", ["kind", "level"])
@pytest.mark.parametrize("rule", ["exact", "center", "all-touched"])
def test_groups(command: Command, tmp_path: Path, fields: Any, column: str, rule: str) -> None:
    """Groups equal those of GeoPandas' dissolve, in the order in which their values first occur."""
    raster, path, frame, values = fields
    _, transform = GRIDS["north_up"]
    joined = frame.dissolve(by=column, sort=False, dropna=False)
    rows = command.rows("zonal", raster, "--areas", path, "--by", column, "--cells", rule,
                        "--stat", "count,sum,max,coverage")
    order = [None if pd.isna(v) else v for v in frame[column].drop_duplicates()]
    assert [row[column] for row in rows] == ["" if v is None else str(v) for v in order]
    assert [key for key in rows[0] if not key.startswith("r_")] == [column]
    for row, value in zip(rows, order):
        keys = joined.index.isna() if value is None else joined.index == value
        shape = moved(joined.geometry[keys].iloc[0], ~transform)
        covered = coverage(shape, 30, 40)
        own = weights_of(shape, covered, rule, 0)
        check(row, "r", statistics(values, values != 7, own), value,
              names=["count", "sum", "max", "coverage"])
        assert row["r_status"] == status_of(values != 7, covered, shape.area)[0]


def test_groups_of_a_condition(command: Command, tmp_path: Path, fields: Any) -> None:
    raster, path, frame, values = fields
    _, transform = GRIDS["north_up"]
    rows = command.rows("zonal", raster, "--areas", path, "--by", "kind", "--where", "level > 1",
                        "--stat", "count")
    kept = frame[frame["level"] > 1]
    order = [None if pd.isna(v) else v for v in kept["kind"].drop_duplicates()]
    assert [row["kind"] for row in rows] == ["" if v is None else v for v in order]
    for row, value in zip(rows, order):
        keys = kept["kind"].isna() if value is None else kept["kind"] == value
        shape = moved(shapely.union_all(kept.geometry[keys]), ~transform)
        covered = coverage(shape, 30, 40)
        assert number(row["r_count"]) == pytest.approx(covered[values != 7].sum(), rel=1e-7)


def test_groups_of_areas_that_cannot_be_used(command: Command, tmp_path: Path) -> None:
    """A group has the cells of its usable areas, which are repaired."""
    raster = write(tmp_path / "r.tif", np.ones((10, 10), "uint8"),
                   rasterio.Affine(1, 0, 0, 0, -1, 10), "EPSG:32734")
    bow = shapely.Polygon([(1, 1), (3, 3), (3, 1), (1, 3)])
    shapes = [bow, None, shapely.box(2, 1, 3, 3), None, shapely.box(6, 6, 8, 8),
              shapely.box(7, 7, 9, 9), shapely.Polygon()]
    path = save(tmp_path / "a.gpkg", shapes, "EPSG:32734", kind=list("aabbccd"))
    rows = command.rows("zonal", raster, "--areas", path, "--by", "kind", "--stat", "count")
    assert [row["kind"] for row in rows] == list("abcd")
    assert [number(row["r_count"]) for row in rows[:3]] == [2, 2, 7]
    assert [row["r_status"] for row in rows] == ["ok", "ok", "ok", "bad_area"]


def test_groups_across_180_degrees(command: Command, tmp_path: Path) -> None:
    """The cells of areas whose longitudes differ by 360° count once."""
    raster = write(tmp_path / "r.tif", np.ones((18, 36), "uint8"),
                   rasterio.Affine(10, 0, -180, 0, -10, 90), "EPSG:4326")
    shapes = [shapely.box(-20, 0, 20, 20), shapely.box(350, 0, 390, 20)]
    path = save(tmp_path / "a.gpkg", shapes, "EPSG:4326", kind=["a", "a"])
    for arguments in (["--by", "kind"], ["--areas", save(
            tmp_path / "m.gpkg", [shapely.MultiPolygon(shapes)], "EPSG:4326")]):
        areas = ["--areas", path] if "--by" in arguments else []
        row = command.rows("zonal", raster, *areas, *arguments, "--stat", "count")[0]
        assert (number(row["r_count"]), row["r_status"]) == (10, "ok"), arguments


def test_scaled(command: Command, tmp_path: Path) -> None:
    """Scale and offset apply to values, but not to the values of cells without a value."""
    random = np.random.default_rng(16)
    values = random.integers(0, 25, (2, 30, 40)).astype("int16")
    crs, transform = GRIDS["north_up"]
    path = tmp_path / "r.tif"
    write(path, values, transform, nodata=7)
    with rasterio.open(path, "r+") as target:
        target.scales, target.offsets = (-0.5, 1), (3, 0)
    shapes = some_shapes(random, 30, 40, 30)
    areas = save(tmp_path / "a.gpkg", [moved(s, transform) for s in shapes], crs)
    names = [*ALL, "min_center"]
    rows = command.rows("zonal", str(path), "--areas", areas, "--scaled", "--stat",
                        ",".join(names))
    plain = command.rows("zonal", str(path), "--areas", areas, "--stat", ",".join(names))
    for row, other, shape in zip(rows, plain, shapes):
        covered = coverage(shape, 30, 40)
        for band, (scale, offset) in enumerate(((-0.5, 3), (1, 0)), 1):
            v = values[band - 1]
            check(row, f"r_{band}", statistics(v * scale + offset, v != 7, covered), names=ALL)
            check(other, f"r_{band}", statistics(v, v != 7, covered), names=ALL)
        # The minimum of a band with a negative scale is the maximum of its cells.
        kept = (covered > 0) & (values[0] != 7)
        if kept.any():
            r, c = np.unravel_index(np.argmax(np.where(kept, values[0], -1)), kept.shape)
            assert number(row["r_1_min_center_x"]) == 300_000 + 100 * (c + 0.5)
            assert number(row["r_1_min_center_y"]) == 6_240_000 - 100 * (r + 0.5)


def class_rows(values: Any, valid: Any, own: Any, sizes: Any) -> list[tuple[float, ...]]:
    kept = valid & (own > 0)
    total = own[kept].sum()
    return [(value, own[kept & (values == value)].sum(),
             (own * sizes)[kept & (values == value)].sum(),
             own[kept & (values == value)].sum() / total)
            for value in np.unique(values[kept])]


@pytest.mark.parametrize("rule", ["exact", "center", "all-touched"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int32"])
def test_classes(command: Command, tmp_path: Path, rule: str, dtype: str) -> None:
    """Classes have rows with their count, their size on the ground and their share."""
    random = np.random.default_rng(17)
    values = random.integers(0, 6, (30, 40)).astype(dtype)
    if dtype == "float32":
        values += 0.5
    nodata = values[0, 0]
    crs, transform = GRIDS["degrees"]
    raster = write(tmp_path / "r.tif", values, transform, crs, nodata=nodata)
    sizes = grounds("degrees", 30, 40)
    shapes = some_shapes(random, 30, 40, 30, False)
    path = save(tmp_path / "a.gpkg", [moved(s, transform) for s in shapes], crs)
    rows = command.rows("zonal", raster, "--areas", path, "--classes", "--cells", rule)
    assert list(rows[0]) == [
        "id", "raster", "band", "class", "class_name", "count", "area", "share"]
    wide = command.rows("zonal", raster, "--areas", path, "--classes", "--wide", "--cells", rule)
    known = sorted({number(row["class"]) for row in rows if row["class"]})
    assert list(wide[0]) == ["id", *(f"r_area_{value:g}" for value in known), "r_status",
                             "r_valid_fraction"]
    for index, shape in enumerate(shapes):
        covered = coverage(shape, 30, 40)
        own = weights_of(shape, covered, rule, 0)
        wanted = class_rows(values, values != nodata, own, sizes)
        found = [row for row in rows if int(row["id"]) == index]
        assert {(row["raster"], row["band"]) for row in found} == {("r", "1")}
        if not wanted:
            assert [row["class"] for row in found] == [""]
            assert number(found[0]["count"]) == 0
        else:
            assert [number(row["class"]) for row in found] == [entry[0] for entry in wanted]
            for row, (_, count, area, share) in zip(found, wanted):
                assert number(row["count"]) == pytest.approx(count, rel=1e-7, abs=1e-9)
                assert number(row["area"]) == pytest.approx(area, rel=1e-7, abs=1e-1)
                assert number(row["share"]) == pytest.approx(share, rel=1e-7, abs=1e-9)
        for value in known:
            area = next((entry[2] for entry in wanted if entry[0] == value), 0)
            assert number(wide[index][f"r_area_{value:g}"]) == pytest.approx(
                area, rel=1e-7, abs=1e-1)
        assert wide[index]["r_status"] == status_of(values != nodata, covered, shape.area)[0]


def xml(path: str, content: str) -> None:
    Path(f"{path}.aux.xml").write_text(
        f'<PAMDataset><PAMRasterBand band="1">{content}</PAMRasterBand></PAMDataset>')


def table(rows: str, fields: list[tuple[str, int, int]]) -> str:
    definitions = "".join(
        f'<FieldDefn index="{i}"><Name>{name}</Name><Type>{kind}</Type><Usage>{usage}</Usage>'
        "</FieldDefn>" for i, (name, kind, usage) in enumerate(fields))
    return f'<GDALRasterAttributeTable tableType="thematic">{definitions}{rows}' \
        "</GDALRasterAttributeTable>"


@pytest.mark.parametrize("source", ["table", "ranges", "categories", "none"])
def test_names_of_classes(command: Command, tmp_path: Path, source: str) -> None:
    """Classes are named by an attribute table or by category names."""
    raster = write(tmp_path / "r.tif", np.array([[0, 1, 2, 5]], "uint8"),
                   rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000))
    if source == "table":
        # The type of integers is 0, the type of strings is 2; the usage of names is 2, and that of
        # values is 5.
        xml(raster, table(
            '<Row index="0"><F>5</F><F>five</F></Row><Row index="1"><F>1</F><F>one</F></Row>',
            [("Value", 0, 5), ("Class", 2, 2)]))
        wanted = ["", "one", "", "five"]
    elif source == "ranges":
        xml(raster, table(
            '<Row index="0"><F>0</F><F>1</F><F>low</F></Row>'
            '<Row index="1"><F>2</F><F>5</F><F>high</F></Row>',
            [("Min", 0, 3), ("Max", 0, 4), ("Class", 2, 2)]))
        wanted = ["low", "low", "high", "high"]
    elif source == "categories":
        xml(raster, "<CategoryNames><Category>zero</Category><Category>one</Category>"
                    "<Category></Category></CategoryNames>")
        wanted = ["zero", "one", "", ""]
    else:
        wanted = [""] * 4
    areas = save(tmp_path / "a.gpkg", [shapely.box(300_000, 6_239_990, 300_040, 6_240_000)],
                 "EPSG:32734")
    rows = command.rows("zonal", raster, "--areas", areas, "--classes")
    assert [(row["class"], row["class_name"]) for row in rows] == list(zip("0125", wanted))
    assert [row["share"] for row in rows] == ["0.25"] * 4


def test_names_of_scaled_classes(command: Command, tmp_path: Path) -> None:
    """A scaled class does not have the name of another class."""
    raster = write(tmp_path / "r.tif", np.array([[1, 2]], "uint8"),
                   rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000))
    with rasterio.open(raster, "r+") as target:
        target.scales = (2,)
    xml(raster, "<CategoryNames><Category>zero</Category><Category>one</Category>"
                "<Category>two</Category></CategoryNames><Scale>2</Scale><Offset>0</Offset>")
    areas = save(tmp_path / "a.gpkg", [shapely.box(300_000, 6_239_990, 300_020, 6_240_000)],
                 "EPSG:32734")
    rows = command.rows("zonal", raster, "--areas", areas, "--classes", "--scaled")
    assert [number(row["class"]) for row in rows] == [2, 4]
    assert rows[0]["class_name"] in ("", "one") and rows[1]["class_name"] in ("", "two")


def test_classes_of_several_bands(command: Command, tmp_path: Path) -> None:
    """Each band has its classes, in rows or in columns."""
    values = np.array([[[1, 2, 2]], [[3, 3, 3]]], "uint8")
    raster = write(tmp_path / "r.tif", values, rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000))
    shapes = [shapely.box(300_000, 6_239_990, 300_020, 6_240_000), shapely.box(0, 0, 1, 1),
              shapely.LineString([(0, 0), (1, 1)]), None]
    areas = save(tmp_path / "a.gpkg", shapes, "EPSG:32734")
    rows = command.rows("zonal", raster, "--areas", areas, "--classes")
    found = [(row["id"], row["band"], row["class"]) for row in rows]
    assert found[:3] == [("0", "1", "1"), ("0", "1", "2"), ("0", "2", "3")]
    assert found[3:] == [(i, b, "") for i in "123" for b in "12"]
    wide = command.rows("zonal", raster, "--areas", areas, "--classes", "--wide")
    assert list(wide[0]) == ["id", "r_1_area_1", "r_1_area_2", "r_1_status", "r_1_valid_fraction",
                             "r_2_area_3", "r_2_status", "r_2_valid_fraction"]
    assert [row["r_2_status"] for row in wide] == ["ok", "outside", "outside", "bad_area"]
    assert [row["r_1_area_1"] for row in wide[1:]] == ["0.0", "0.0", ""]


@pytest.mark.parametrize("rule", ["exact", "center"])
def test_long(command: Command, tmp_path: Path, rule: str) -> None:
    """The rows of the long form are the columns of the wide form."""
    random = np.random.default_rng(18)
    crs, transform = GRIDS["north_up"]
    two = write(tmp_path / "two.tif", random.integers(0, 9, (2, 30, 40)).astype("uint8"),
                transform, nodata=7)
    one = write(tmp_path / "one.tif", random.uniform(0, 9, (15, 20)),
                transform * rasterio.Affine.scale(2))
    shapes = [moved(s, transform) for s in some_shapes(random, 30, 40, 30)]
    areas = save(tmp_path / "a.gpkg", shapes, crs, name=[f"n{i}" for i in range(len(shapes))])
    arguments = ["zonal", two, f"other={one}", "--areas", areas, "--cells", rule, "--stat",
                 "count,area,max,variety,min_center,quantile:0.25"]
    wide, long = command.rows(*arguments), command.rows(*arguments, "--long")
    assert list(long[0]) == ["id", "name", "raster", "band", "stat", "value", "status"]
    names = ["count", "area", "max", "variety", "min_center_x", "min_center_y", "quantile_0.25"]
    places = [("two", "1", "two_1"), ("two", "2", "two_2"), ("other", "1", "other")]
    expected = [
        (row["id"], row["name"], raster, band, name, number(row[f"{prefix}_{name}"]),
         row[f"{prefix}_status"])
        for row in wide for raster, band, prefix in places for name in names]
    found = [(*list(row.values())[:5], number(row["value"]), row["status"]) for row in long]
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert a[:5] == b[:5] and a[6] == b[6]
        assert a[5] == b[5] or math.isnan(a[5]) and math.isnan(b[5])


def test_bands(command: Command, tmp_path: Path) -> None:
    """Bands have columns in the order in which they are chosen."""
    random = np.random.default_rng(19)
    values = random.integers(0, 9, (3, 20, 20)).astype("int16")
    crs, transform = GRIDS["south_up"]
    for options in ({"interleave": "pixel"}, {"interleave": "band"}):
        raster = write(tmp_path / "r.tif", values, transform, nodata=2, **options)
        shape = shapely.box(2.25, 3, 9, 8.5)
        areas = save(tmp_path / "a.gpkg", [moved(shape, transform)], crs)
        for bands in ([1, 2, 3], [3, 1], [2]):
            row = command.rows("zonal", raster, "--areas", areas, "--stat", "count,sum,max", "-b",
                               *map(str, bands))[0]
            assert list(row) == ["id", *(
                f"r_{b}_{s}" for b in bands
                for s in ("count", "sum", "max", "status", "valid_fraction"))]
            for band in bands:
                v = values[band - 1]
                check(row, f"r_{band}", statistics(v, v != 2, coverage(shape, 20, 20)),
                      names=["count", "sum", "max"])


def test_masks(command: Command, tmp_path: Path) -> None:
    """Cells without a value are defined by a mask or an alpha band."""
    random = np.random.default_rng(20)
    values = random.integers(0, 9, (2, 20, 20)).astype("uint8")
    values[1] = np.where(random.random((20, 20)) < 0.3, 0, 255)
    crs, transform = GRIDS["north_up"]
    alpha = write(tmp_path / "alpha.tif", values, transform)
    with rasterio.open(alpha, "r+") as target:
        target.colorinterp = (ColorInterp.gray, ColorInterp.alpha)
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        mask = write(tmp_path / "mask.tif", values[:1], transform)
        with rasterio.open(mask, "r+") as target:
            target.write_mask(values[1])
    shapes = some_shapes(random, 20, 20, 30)
    areas = save(tmp_path / "a.gpkg", [moved(s, transform) for s in shapes], crs)
    for rule in ("exact", "center"):
        rows = command.rows("zonal", alpha, mask, "--areas", areas, "--cells", rule, "-b", "1",
                            "--stat", "count,sum,area")
        for row, shape in zip(rows, shapes):
            covered = coverage(shape, 20, 20)
            own = weights_of(shape, covered, rule, 0)
            for name in ("alpha_1", "mask"):
                check(row, name, statistics(values[0], values[1] > 0, own), rule,
                      names=["count", "sum"])
                assert row[f"{name}_status"] == status_of(values[1] > 0, covered, shape.area)[0]


def points_of(grid: str, random: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Points in degrees on a grid of 60 by 60 cells."""
    crs, (a, b, c, d, e, f, *_) = GRIDS[grid]
    x, y = random.uniform(3, 57, (2, count))
    to_degrees = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    return to_degrees.transform(a * x + b * y + c, d * x + e * y + f)


@pytest.mark.parametrize(("grid", "radius", "form"), [
    ("north_up", 730, "lon_lat"), ("south_up", 333, "x_y"), ("rotated", 500, "vector"),
    ("degrees", 52_000, "lon_lat"), ("degrees", 52_000, "vector"), ("mercator", 17_000, "x_y"),
    ("modis", 5_000, "lon_lat"), ("pole_at_corner", 210_000, "vector")])
def test_discs(command: Command, tmp_path: Path, grid: str, radius: int, form: str) -> None:
    """Discs around points are those of buffer."""
    random = np.random.default_rng(21)
    crs, transform = GRIDS[grid]
    values = random.integers(0, 99, (60, 60)).astype("uint8")
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=7, **tiles(True))
    lon, lat = points_of(grid, random, 12)
    frame = pd.DataFrame({"name": [f"p{i}" for i in range(12)], "lon": lon, "lat": lat})
    if grid == "pole_at_corner":
        frame.loc[0, "lat"] = 89
    points = tmp_path / "p.csv"
    frame.to_csv(points, index=False)
    cell = abs(transform.determinant) ** 0.5 * (100_000 if crs == "EPSG:4326" else 1)
    deviation = cell * (0.5e-3 if crs in ("EPSG:4326", "EPSG:3857") else 1e-3)
    discs = str(tmp_path / "discs.gpkg")
    command("buffer", str(points), "--distance", str(radius), "--geodesic", "--max-deviation",
            str(deviation), "--out-crs", crs, "-o", discs)
    arguments: list[str] = []
    if form == "x_y":
        points = tmp_path / "xy.csv"
        x, y = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:3395", always_xy=True).transform(
            frame["lon"], frame["lat"])
        pd.DataFrame({"name": frame["name"], "x": x, "y": y}).to_csv(points, index=False)
        arguments = ["--crs", "EPSG:3395"]
    elif form == "vector":
        points = tmp_path / "p.gpkg"
        gpd.GeoDataFrame(frame, geometry=gpd.points_from_xy(frame["lon"], frame["lat"]),
                         crs="EPSG:4326").to_file(points, driver="GPKG")
    rows = command.rows("zonal", raster, "--points", str(points), *arguments, "--radius",
                        f"{radius}m", "--stat", "count,mean,sum,min,max,area")
    wanted = command.rows("zonal", raster, "--areas", discs, "--stat",
                          "count,mean,sum,min,max,area")
    assert [row["name"] for row in rows] == frame["name"].to_list()
    for row, other in zip(rows, wanted):
        count = number(other["r_count"])
        assert row["r_status"] == other["r_status"]
        # The edges deviate by a thousandth of a cell.
        allowed = 4e-3 * 2 * math.sqrt(math.pi * max(count, 1))
        assert number(row["r_count"]) == pytest.approx(count, abs=allowed)
        assert number(row["r_sum"]) == pytest.approx(number(other["r_sum"]), abs=99 * allowed)
        assert number(row["r_area"]) == pytest.approx(
            number(other["r_area"]), rel=allowed / max(count, 1))


def test_discs_on_the_ground(command: Command, tmp_path: Path) -> None:
    """The size of a disc on the ground corresponds to its radius, including across 180 degrees."""
    raster = write(tmp_path / "w.tif", np.ones((900, 1800), "uint8"),
                   rasterio.Affine(0.2, 0, -180, 0, -0.2, 90), "EPSG:4326")
    turned = write(tmp_path / "t.tif", np.ones((900, 1800), "uint8"),
                   rasterio.Affine(0.2, 0, 0, 0, -0.2, 90), "EPSG:4326")
    points = tmp_path / "p.csv"
    places = [(0, 0), (180, 10), (-179.9, -50), (359.9, 20), (10, 88), (0, 90), (40, -89.5)]
    points.write_text("lon,lat\n" + "".join(f"{x},{y}\n" for x, y in places))
    rows = command.rows("zonal", raster, turned, "--points", str(points), "--radius", "300km",
                        "--stat", "area,count")
    for place, row in zip(places, rows):
        # Because of curvature, the size of a geodesic disc differs by less than this.
        assert row["w_status"] == row["t_status"] == "ok", place
        assert number(row["w_area"]) == pytest.approx(math.pi * 9e10, rel=2e-3), place
        assert number(row["w_area"]) == pytest.approx(number(row["t_area"]), rel=1e-9), place


def test_discs_around_other_shapes(command: Command, tmp_path: Path) -> None:
    """A feature that is not a point has no disc; conditions apply to points."""
    crs, transform = GRIDS["north_up"]
    raster = write(tmp_path / "r.tif", np.ones((60, 60), "uint8"), transform)
    shapes = [moved(s, transform) for s in (
        shapely.Point(30, 30), shapely.box(3, 3, 5, 5), shapely.MultiPoint([(10, 10), (40, 40)]),
        shapely.Point(-500, 0))] + [None]
    path = save(tmp_path / "p.gpkg", shapes, crs)
    rows = command.rows("zonal", raster, "--points", path, "--radius", "500m", "--stat", "count")
    assert [row["r_status"] for row in rows] == ["ok", "bad_area", "ok", "outside", "bad_area"]
    assert number(rows[0]["r_count"]) == pytest.approx(math.pi * 25, rel=2e-3)
    assert number(rows[2]["r_count"]) == pytest.approx(2 * math.pi * 25, rel=2e-3)
    some = command.rows("zonal", raster, "--points", path, "--radius", "500m", "--stat", "count",
                        "--where", "id IN (0, 3)")
    assert some == [rows[0], rows[3]]


@pytest.mark.parametrize("grid", ["north_up", "south_up", "rotated", "mirrored"])
def test_lines(command: Command, tmp_path: Path, grid: str) -> None:
    """A cell is weighted by the length of the line in it."""
    random = np.random.default_rng(22)
    crs, transform = GRIDS[grid]
    values = random.integers(0, 99, (20, 30)).astype("uint8")
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=7, **tiles(True))
    lines: list[Any] = []
    for index in range(40):
        parts = [shapely.LineString(random.uniform([-3, -3], [33, 23], (int(n), 2)))
                 for n in random.integers(2, 7, 1 + index % 3)]
        lines.append(parts[0] if len(parts) == 1 else shapely.MultiLineString(parts))
    lines += [shapely.LineString([(2.1, 2.5), (9.3, 2.5)]),
              shapely.LineString([(2.5, 1.2), (2.5, 9.4)])]
    world = [moved(line, transform) for line in lines]
    areas = save(tmp_path / "a.gpkg", world, crs)
    row, column = cells(20, 30)
    boxes = moved(shapely.box(column, row, column + 1, row + 1).ravel(), transform)
    for rule in ("exact", "all-touched"):
        names = ["count", "sum", "mean", "min", "max"]
        rows = command.rows("zonal", raster, "--areas", areas, "--cells", rule, "--stat",
                            ",".join(names))
        for found, line in zip(rows, world):
            length = np.zeros(values.shape)
            for part in shapely.get_parts(line):
                for a, b in itertools.pairwise(shapely.get_coordinates(part)):
                    segment = shapely.LineString([a, b])
                    length += shapely.length(
                        shapely.intersection(boxes, segment)).reshape(values.shape)
            length[length < 1e-6] = 0
            own = (length > 0).astype(float) if rule == "all-touched" else length
            check(found, "r", statistics(values, values != 7, own), rule, 1e-6, names)
            whole = sum(shapely.length(part) for part in shapely.get_parts(line))
            kept = length[values != 7].sum()
            status = "ok" if abs(kept - whole) < 1e-5 else "partial"
            status = "outside" if length.sum() == 0 else "nodata" if kept == 0 else status
            assert found["r_status"] == status


def test_lines_on_borders(command: Command, tmp_path: Path) -> None:
    """A line along a border between cells counts once."""
    raster = write(tmp_path / "r.tif", np.ones((10, 10), "uint8"),
                   rasterio.Affine(1, 0, 0, 0, -1, 10), "EPSG:32734")
    shapes = [shapely.LineString([(2, 5), (7, 5)]), shapely.LineString([(4, 1), (4, 8)]),
              shapely.LineString([(0, 0), (10, 10)]), shapely.LineString([(1, 1), (3, 1), (3, 3)])]
    areas = save(tmp_path / "a.gpkg", shapes, "EPSG:32734")
    rows = command.rows("zonal", raster, "--areas", areas, "--stat", "count")
    assert [number(row["r_count"]) for row in rows] == pytest.approx(
        [5, 7, 10 * math.sqrt(2), 4])
    assert {row["r_status"] for row in rows} == {"ok"}


def test_lines_in_another_crs(command: Command, tmp_path: Path) -> None:
    """The lengths of lines in degrees are in the unit of the raster."""
    crs, transform = GRIDS["north_up"]
    raster = write(tmp_path / "r.tif", np.ones((40, 40), "uint8"), transform)
    line = gpd.GeoSeries(
        [shapely.LineString([(300_500, 6_239_500), (303_000, 6_237_000)])], crs=crs)
    areas = save(tmp_path / "a.gpkg", [line.to_crs("EPSG:4326").iloc[0]], "EPSG:4326")
    row = command.rows("zonal", raster, "--areas", areas, "--stat", "count")[0]
    assert number(row["r_count"]) == pytest.approx(2500 * math.sqrt(2), rel=1e-6)
    assert row["r_status"] == "ok"


@pytest.mark.parametrize("grid", ["north_up", "south_up", "rotated", "degrees"])
@pytest.mark.parametrize("rule", ["exact", "center", "all-touched"])
def test_points(command: Command, tmp_path: Path, grid: str, rule: str) -> None:
    """A point covers its cell, and cells with several points count once."""
    random = np.random.default_rng(23)
    crs, transform = GRIDS[grid]
    values = random.integers(0, 20, (20, 30)).astype("int16")
    raster = raster_of(grid, tmp_path / "r.tif", values, nodata=7)
    shapes, wanted = [], []
    for index in range(60):
        points = random.uniform([-1, -1], [31, 21], (1 if index % 2 else 12, 2))
        own = np.zeros(values.shape)
        for x, y in points:
            if 0 <= x < 30 and 0 <= y < 20:
                own[int(y), int(x)] = 1
        shape = shapely.MultiPoint(points) if len(points) > 1 else shapely.Point(points[0])
        shapes.append(moved(shape, transform))
        wanted.append(own)
    areas = save(tmp_path / "a.gpkg", shapes, crs)
    names = ["count", "sum", "max", "variety", "median"]
    rows = command.rows("zonal", raster, "--areas", areas, "--stat", ",".join(names),
                        "--cells", rule)
    for index, (row, own) in enumerate(zip(rows, wanted)):
        check(row, "r", statistics(values, values != 7, own), index, names=names)
        expected = "outside" if own.sum() == 0 else \
            "nodata" if own[values != 7].sum() == 0 else None
        assert expected is None or row["r_status"] == expected


@pytest.mark.parametrize("shift", [-360, 0, 360])
def test_lines_and_points_at_other_longitudes(
        command: Command, tmp_path: Path, shift: float) -> None:
    values = np.arange(36 * 18, dtype="int32").reshape(18, 36)
    raster = write(tmp_path / "r.tif", values, rasterio.Affine(10, 0, 0, 0, -10, 90), "EPSG:4326")
    shapes = [shapely.LineString([(-15 + shift, 5), (15 + shift, 5)]),
              shapely.Point(-5 + shift, 5), shapely.MultiPoint([(-5 + shift, 5), (355, 6)])]
    areas = save(tmp_path / "a.gpkg", shapes, "EPSG:4326")
    rows = command.rows("zonal", raster, "--areas", areas, "--stat", "count,sum")
    assert [number(row["r_count"]) for row in rows] == pytest.approx([30, 1, 1])
    v = values[8].astype(float)
    assert [number(row["r_sum"]) for row in rows] == pytest.approx(
        [5 * v[34] + 10 * v[35] + 10 * v[0] + 5 * v[1], v[35], v[35]])
    assert {row["r_status"] for row in rows} == {"ok"}


def densified(shape: Any, parts: int = 400) -> Any:
    return shapely.segmentize(shape, max(*np.ptp(shapely.get_coordinates(shape), 0)) / parts)


@pytest.mark.parametrize(("grid", "other"), [
    ("north_up", "EPSG:4326"), ("rotated", "EPSG:3857"), ("degrees", "EPSG:32734"),
    ("mercator", "EPSG:4326"), ("modis", "EPSG:4326"), ("modis", "EPSG:3857"),
    ("pole_at_corner", "EPSG:4326")])
def test_areas_in_another_crs(command: Command, tmp_path: Path, grid: str, other: str) -> None:
    """Edges are straight in the CRS of the areas, and deviate by a tenth of a cell at most."""
    random = np.random.default_rng(24)
    crs, transform = GRIDS[grid]
    values = random.integers(0, 20, (40, 40)).astype("uint8")
    raster = raster_of(grid, tmp_path / "r.tif", values)
    centres = random.uniform(8, 32, (20, 2))
    if grid == "pole_at_corner":
        centres = random.uniform(7, 13, (20, 2))
    shapes = [moved(star(random, centre, random.uniform(1, 6), 8), transform)
              for centre in centres]
    frame = gpd.GeoSeries(shapes, crs=crs).to_crs(other)
    areas = save(tmp_path / "a.gpkg", frame.to_list(), other)
    back = gpd.GeoSeries([densified(s) for s in frame], crs=other).to_crs(crs)
    rows = command.rows("zonal", raster, "--areas", areas, "--stat", "count,coverages,sum,area")
    sizes = grounds(grid, 40, 40)
    for index, (row, shape) in enumerate(zip(rows, back)):
        own = coverage(moved(shape, ~transform), 40, 40)
        edge = moved(shape, ~transform).length
        assert number(row["r_count"]) == pytest.approx(own.sum(), abs=0.1 * edge), index
        assert number(row["r_count"]) == pytest.approx(own.sum(), rel=0.02), index
        assert number(row["r_area"]) == pytest.approx((own * sizes).sum(), rel=0.02), index
        assert row["r_status"] == "ok"


def test_attributes(command: Command, tmp_path: Path) -> None:
    """Columns of the areas are kept, with all values."""
    raster = write(tmp_path / "r.tif", np.ones((10, 10), "uint8"),
                   rasterio.Affine(1, 0, 0, 0, -1, 10), "EPSG:32734")
    values = [{"name": "a, \"b\"\nc", "n": 1, "x": 1.5, "flag": True, "none": None},
              {"name": "Ünïcödé", "n": -2**53, "x": 1e-300, "flag": False, "none": None},
              {"name": "", "n": None, "x": None, "flag": None, "none": None}]
    path = tmp_path / "a.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": entry,
         "geometry": shapely.geometry.mapping(shapely.box(1, 1, 2, 2))} for entry in values]}))
    for form in ([], ["--long"], ["--classes"], ["--classes", "--wide"]):
        rows = command.rows("zonal", raster, "--areas", str(path), "--crs", "EPSG:32734", *form,
                            *(["--stat", "count"] if "--classes" not in form else []))
        assert len(rows) == 3
        assert list(rows[0])[:5] == ["name", "n", "x", "flag", "none"]
        for row, entry in zip(rows, values):
            assert row["name"] == entry["name"]
            assert row["n"] == ("" if entry["n"] is None else str(entry["n"]))
            assert number(row["x"]) == pytest.approx(
                math.nan if entry["x"] is None else entry["x"], nan_ok=True)
            flag = "" if entry["flag"] is None else str(entry["flag"]).lower()
            assert row["flag"].lower() == flag


def test_collections(command: Command, tmp_path: Path) -> None:
    """All polygons of a collection are used, and all lines; a collection of both kinds is not an area."""
    raster = write(tmp_path / "r.tif", np.ones((10, 10), "uint8"),
                   rasterio.Affine(1, 0, 0, 0, -1, 10), "EPSG:32734")
    boxes = [shapely.box(1, 1, 2, 2), shapely.box(4, 4, 6, 6)]
    shapes = [shapely.GeometryCollection(boxes),
              shapely.GeometryCollection([boxes[0], shapely.Point(8, 8), boxes[1]]),
              shapely.GeometryCollection([shapely.LineString([(1, 1.5), (3, 1.5)]),
                                          shapely.LineString([(5, 5.5), (6, 5.5)])])]
    for driver, name in (("GPKG", "a.gpkg"), ("GeoJSON", "a.geojson")):
        path = tmp_path / name
        gpd.GeoDataFrame({"id": range(3)}, geometry=shapes, crs="EPSG:32734").to_file(
            path, driver=driver)
        rows = command.rows("zonal", raster, "--areas", str(path), "--crs", "EPSG:32734",
                            "--stat", "count")
        assert [row["r_status"] for row in rows] == ["ok", "bad_area", "ok"], driver
        counts = [number(rows[index]["r_count"]) for index in (0, 2)]
        assert counts == pytest.approx([5, 3]), driver


@pytest.mark.parametrize("form", [
    ["--stat", "count,weighted_mean", "--weights", "area"], ["--stat", "max,min_center", "--long"],
    ["--classes"], ["--classes", "--wide"]])
def test_formats(command: Command, tmp_path: Path, fields: Any, form: list[str]) -> None:
    """GeoJSON, GeoPackage and TSV have the rows of CSV."""
    raster, path, _, _ = fields
    arguments = ["zonal", raster, "--areas", path, *form]
    rows = command.rows(*arguments)
    features = json.loads(command(*arguments, "--of", "geojson"))["features"]
    command(*arguments, "-o", str(tmp_path / "out.gpkg"))
    frame = gpd.read_file(tmp_path / "out.gpkg")
    lines = command(*arguments, "--of", "tsv").splitlines()
    assert len(rows) == len(features) == len(frame) == len(lines) - 1
    assert lines[0].split("\t") == list(rows[0]) == list(frame.columns)[:-1]
    for row, feature, (_, entry), line in zip(rows, features, frame.iterrows(), lines[1:]):
        assert line.split("\t") == list(row.values())
        for name, value in feature["properties"].items():
            same = row[name] == "" if value is None else (
                row[name] == value if isinstance(value, str) else float(row[name]) == value)
            assert same, name
            assert pd.isna(entry[name]) if value is None else entry[name] == value, name


BAD = [
    ["--stat", "weighted_mean"],
    ["--stat", "count,weighted_sum,mean"],
    ["--stat", "weighted_stdev", "--classes", "--weights", "area"],
    ["--classes", "--stat", "mean"],
    ["--classes", "--long"],
    ["--classes", "--weights", "area"],
    ["--wide"],
    ["--wide", "--long"],
    ["--long", "--stat", "values"],
    ["--long", "--stat", "count,coverages"],
    ["--stat", "nonsense"],
    ["--stat", ""],
    ["--stat", "count,"],
    ["--stat", "mean,mean"],
    ["--stat", "quantile:1.5"],
    ["--stat", "quantile:"],
    ["--stat", "quantile:nan"],
    ["--stat", "min_center_x"],
    ["--cells", "touched"],
    ["--coverage-threshold", "-0.1"],
    ["--coverage-threshold", "1.01"],
    ["--coverage-threshold", "nan"],
    ["--coverage-threshold", "x"],
    ["--radius", "50m"],
    ["--x", "lon"],
    ["--y", "lat"],
    ["--points", "p.csv"],
    ["--points", "p.csv", "--radius", "50m"],
    ["-b", "0"],
    ["-b", "-1"],
    ["-b", "1", "1"],
    ["--threads", "0"],
    ["--cache", "x"],
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_combinations_that_are_refused(command: Command, arguments: list[str]) -> None:
    done = run_command(
        [command.path, "zonal", "rasters/evi_cape_town.tif", "--areas", "rasters/wards.geojson",
         *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 64, done.stderr
    assert done.stdout == ""
    assert first_line_only(done.stderr), done.stderr


BAD_POINTS = [
    [],
    ["--radius", "50"],
    ["--radius", "0m"],
    ["--radius", "-5m"],
    ["--radius", "nanm"],
    ["--radius", "infm"],
    ["--radius", "5px"],
    ["--radius", "50m", "--by", "name"],
    ["--radius", "50m", "--areas", "rasters/wards.geojson"],
]


@pytest.mark.parametrize("arguments", BAD_POINTS, ids=" ".join)
def test_points_that_are_refused(command: Command, arguments: list[str]) -> None:
    done = run_command(
        [command.path, "zonal", "rasters/evi_cape_town.tif", "--points", "rasters/points.csv",
         *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 64, done.stderr
    assert done.stdout == ""
    assert first_line_only(done.stderr), done.stderr


def first_line_only(text: str) -> bool:
    """Whether a message is one line, apart from the help that follows it."""
    lines = [line for line in text.splitlines() if line]
    return bool(lines) and lines[0].startswith("Error: ") and all(
        line.startswith(("Help: ", "Usage: ", "  See ", "        ")) for line in lines[1:])


@pytest.mark.parametrize(("arguments", "text"), [
    (["--where", "nothing = 1"], "nothing"),
    (["--where", "NAME = "], "--where"),
    (["--by", "nothing"], "nothing"),
    (["-b", "2"], "band 2"),
    (["--weights", "missing.tif", "--stat", "weighted_mean"], "missing.tif"),
])
def test_names_that_are_not_known(command: Command, arguments: list[str], text: str) -> None:
    done = run_command(
        [command.path, "zonal", "rasters/evi_cape_town.tif", "--areas", "rasters/wards.geojson",
         *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 64) and text in done.stderr, done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1


def test_sizes_without_a_crs(command: Command, tmp_path: Path) -> None:
    """Without a CRS, sizes on the ground are unknown; classes have no area."""
    raster = write(tmp_path / "r.tif", np.array([[1, 2]], "uint8"),
                   rasterio.Affine(1, 0, 0, 0, -1, 1), None)
    areas = str(tmp_path / "a.shp")
    gpd.GeoDataFrame({"id": [0]}, geometry=[shapely.box(0, 0, 1.5, 1)]).to_file(areas)
    for arguments in (["--stat", "area"], ["--stat", "weighted_mean", "--weights", "area"]):
        done = run_command([command.path, "zonal", raster, "--areas", areas, *arguments],
                           capture_output=True, text=True)
        assert done.returncode == 1 and "sizes of its cells are unknown" in done.stderr
    rows = command.rows("zonal", raster, "--areas", areas, "--classes")
    assert [(row["class"], row["count"], row["area"]) for row in rows] == [
        ("1", "1.0", ""), ("2", "0.5", "")]


@pytest.mark.parametrize("form", [
    ["--stat", "count,sum,mean,min,max,stdev,median,values,coverages,max_center,area,variety"],
    ["--stat", "sum,quantile:0.9", "--long"], ["--stat", "mean,sum", "--cells", "all-touched"],
    ["--classes"], ["--stat", "min_center,frac,sum,count", "--scaled"],
])
def test_many_rasters_at_once(command: Command, tmp_path: Path, form: list[str]) -> None:
    """Rasters of all layouts together: one worker per raster, all workers for one raster, or a
    single worker.
    """
    random = np.random.default_rng(17)
    crs, transform = GRIDS["north_up"]
    rasters = []
    for index in range(9):
        count = 1 + index % 3
        values = random.integers(-9, 90, (count, 50, 60)).astype(
            ["float64", "int16", "float32"][index % 3])
        path = write(tmp_path / f"r{index}.tif", values, transform, crs, nodata=7,
                     interleave=["pixel", "band"][index % 2], **tiles(index % 4 > 0))
        if index == 4:
            with rasterio.open(path, "r+") as target:
                target.scales, target.offsets = (0.5,) * count, (3,) * count
        rasters.append(path)
    shapes = [moved(shape, transform) for shape in some_shapes(random, 50, 60, 150, False)]
    shapes[5] = shapely.Polygon()
    areas = save(tmp_path / "a.gpkg", shapes, crs)

    def table(paths: list[str], *options: str) -> str:
        return command("zonal", *paths, "--areas", areas, *form, *options)

    together = table(rasters, "--threads", "2")
    assert together == table(rasters, "--threads", "3") == table(rasters, "--threads", "1")
    assert together == table(rasters, "--threads", "2", "--cache", "1KB")
    if "--long" in form or "--classes" in form:
        return
    columns = pd.read_csv(pd.io.common.StringIO(together), dtype=str, keep_default_na=False)
    for path in rasters:
        alone = pd.read_csv(
            pd.io.common.StringIO(table([path])), dtype=str, keep_default_na=False)
        pd.testing.assert_frame_equal(columns[alone.columns], alone)


def test_condition_on_the_last_areas(command: Command, tmp_path: Path) -> None:
    """Batches without rows precede batches with rows."""
    random = np.random.default_rng(18)
    crs, transform = GRIDS["north_up"]
    raster = write(tmp_path / "r.tif", random.uniform(0, 9, (40, 40)), transform, crs)
    corners = random.uniform(0, 38, (22_000, 2))
    boxes = [moved(shapely.box(x, y, x + 1.5, y + 1.5), transform) for x, y in corners]
    areas = save(tmp_path / "a.gpkg", boxes, crs)
    common = ["zonal", f"r={raster}", "--areas", areas, "--stat", "sum,count"]
    every = command(*common).splitlines()
    for cache in ("512MB", "1KB"):
        kept = command(*common, "--where", "id >= 20500", "--cache", cache).splitlines()
        assert kept == [every[0], *every[20_501:]]


def test_discs_around_single_points(command: Command, tmp_path: Path) -> None:
    """--at with a radius equals a table of the same points; without --crs it uses the CRS of the raster."""
    points = [(18.45, -34.05), (18.65, -34.25), (2.35, 48.86)]
    table = tmp_path / "points.csv"
    table.write_text("id,x,y\n" + "".join(f"{i + 1},{x},{y}\n" for i, (x, y) in enumerate(points)))
    at = [part for x, y in points for part in ("--at", f"{x},{y}")]
    raster = ["identify", "evi=rasters/evi_cape_town.tif", "--radius", "500m", "--stat", "mean,count,area"]
    crs = ["--crs", "EPSG:4326"]
    assert command(*raster, *at, *crs) == command(*raster, "--points", str(table), *crs)
    dem = ["identify", "dem=rasters/dem", "--radius", "1km"]
    assert command(*dem, *at) == command(*dem, "--points", str(table), *crs)
    done = run_command(
        [command.path, "identify", "rasters/dem", "rasters/evi_cape_town.tif", *at, "--radius", "1km"],
        cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "different CRSs" in done.stderr and done.stderr.count("\n") == 1


def test_discs_across_the_edge_of_a_projection(command: Command, tmp_path: Path) -> None:
    """EPSG:8858 ends at 90 degrees east: a disc across this meridian has a status, the others have values."""
    raster = write(tmp_path / "r.tif", np.ones((90, 180)), rasterio.Affine(2e5, 0, -18e6, 0, -2e5, 9e6), "EPSG:8858")
    table = tmp_path / "points.csv"
    table.write_text("id,lon,lat\n1,90.1,23.8\n2,89,23.8\n3,91,23.8\n4,,23.8\n5,-89.9,23.8\n")
    rows = command.rows("zonal", f"r={raster}", "--points", str(table), "--radius", "50km", "--stat", "area")
    assert [row["r_status"] for row in rows] == ["transform_failed", "ok", "ok", "bad_area", "ok"]
    for row in rows:
        assert (row["r_area"] == "") == (row["r_status"] not in ("ok",))
        if row["r_area"]:
            # The deviation of the edge is up to a thousandth of a cell, which is 200 m.
            assert abs(float(row["r_area"]) / (math.pi * 5e4 ** 2) - 1) < 1e-2
