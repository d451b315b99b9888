"""The input of a map workload: layers, the document, points."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import geopandas
import numpy as np
import polars as pl
import rasterio
import shapely

import parcels
import raster_files
from map_document import DOCUMENT
from map_workloads import MapWorkload

REFERENCE = "EPSG:4326"
ON_VERTICES = 0.001
"""The share of a table's points on a vertex of a polygon."""
ONE_ON_VERTICES = 0.1
"""The same for single points."""
BESIDE = 0.01
"""The maximum distance of points outside the raster on each side, as a share of its width."""
COVERED = 0.96
"""The share of the raster's width that polygons cover."""
WITHOUT_NAME = 0.01
SUBURBS = ("Claremont", "Fish Hoek", "Gqeberha Road", "Mowbray", "Retreat",
           "Rondebosch East", "Søndre Bakke", "Wynberg, Upper")
SHARES = {"parcels": 0.5, "roads": 0.2, "points": 0.2, "districts": 0.05,
          "hydrants": 0.05}
"""The shares of features in the map of five layers; the last two layers are
those of its map image layer."""
ROAD = (5, 40)
"""The minimum and maximum number of vertices of a road."""
ROAD_STEP = 0.0005
"""The approximate distance between them in degrees."""


@dataclass(frozen=True)
class MapInputs:
    """The files of one workload."""

    folder: Path
    about: str

    rasters = ()

    @property
    def raster(self) -> Path:
        return self.folder / "ndvi.tif"

    @property
    def polygons(self) -> Path:
        return self.folder / "parcels.gpkg"

    @property
    def document(self) -> Path:
        return self.folder / "map.json"

    @property
    def table(self) -> Path:
        return self.folder / "points.csv"

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def load(self, name: str) -> np.ndarray:
        return np.load(self.file(name))


def prepare(workload: MapWorkload, work: Path,
            maker: Path | None) -> MapInputs:
    """Writes the workload's input, which is the same in every run."""
    source = raster_files.raster(workload.raster, work / "rasters", maker)
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Variants with the same letter have the same input.
    generator = np.random.default_rng(ord(workload.key[0]))
    with rasterio.open(source) as dataset:
        window = dataset.bounds
        about = (f"A raster of {dataset.width:,} × {dataset.height:,} cells, "
                 f"{source.stat().st_size / 1e6:,.0f} MB; ")
    given = MapInputs(folder, "")
    # The files of a map are in its folder.
    os.link(source, given.raster)
    write = _write_batch if workload.is_batch else _write_layers
    about += write(workload, given, window, generator)
    return MapInputs(folder, about)


# The whole command

def _write_batch(workload, given, window, generator):
    areas = _tiling(workload.features, window, generator)
    _write_polygons(given.polygons, areas, generator)
    given.document.write_text(json.dumps(DOCUMENT, indent=1))
    x, y, on = _asked(workload.count, window, [areas], ON_VERTICES,
                       generator)
    points = pl.DataFrame({"id": np.arange(1, len(x) + 1), "lon": x, "lat": y})
    points.write_csv(given.table, float_precision=8)
    corners = shapely.get_num_coordinates(areas) - 1
    holes = np.count_nonzero(shapely.get_num_interior_rings(areas))
    return (f"{len(areas):,} polygons of {corners.min()} to {corners.max()} "
            f"vertices, {np.median(corners):.0f} at the median, {holes:,} of "
            f"them with a hole, {given.polygons.stat().st_size / 1e6:,.0f} MB;"
            f" {len(x):,} points, {on:,} of them on a vertex.")


def _write_polygons(path, areas, generator):
    count = len(areas)
    number = generator.permutation(count) + 1_000_001
    suburb = generator.integers(0, len(SUBURBS), count)
    name = np.array([f"{SUBURBS[at]} {erf}" for at, erf in zip(
        suburb.tolist(), generator.integers(1, 200_000, count).tolist())],
        object)
    name[generator.random(count) < WITHOUT_NAME] = None
    frame = geopandas.GeoDataFrame({
        "id": number, "name": name, "class": generator.integers(1, 9, count),
        "value": np.round(generator.gamma(2, 400_000, count), 2)},
        geometry=areas, crs=REFERENCE)
    # A version that older libraries read without a warning.
    frame.to_file(path, layer="parcels", driver="GPKG",
                  dataset_options={"VERSION": "1.3"})


# Single points

def _write_layers(workload, given, window, generator):
    """Each layer as its numbers of vertices, in the order of `SHARES`.

    NAME_xy has the x and y of all vertices, NAME_rings and NAME_parts the end
    of each ring among the vertices and of each feature among the rings; lines
    have only parts, and points have neither.
    """
    counts = {name: round(workload.features * share)
              for name, share in SHARES.items()}
    layers = {
        "parcels": _tiling(counts["parcels"], window, generator),
        "roads": _roads(counts["roads"], window, generator),
        "points": _points(counts["points"], window, generator),
        "districts": _tiling(counts["districts"], window, generator),
        "hydrants": _points(counts["hydrants"], window, generator)}
    for name, shapes in layers.items():
        _, xy, offsets = shapely.to_ragged_array(shapes)
        ends = dict(zip(("parts", "rings"), reversed(offsets)))
        for part, values in {"xy": xy, **ends}.items():
            values = values.ravel() if part == "xy" else values[1:]
            np.save(given.file(f"{name}_{part}"), values.astype(float))
    x, y, on = _asked(workload.count, window, list(layers.values()),
                       ONE_ON_VERTICES, generator)
    np.save(given.file("x"), x)
    np.save(given.file("y"), y)
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return (f"in memory {parts}; the last two are in one map image "
            f"layer; {len(x):,} points, {on:,} of them on a vertex.")


def _roads(count, window, generator):
    """Walks that keep their heading with a slow drift."""
    size = generator.integers(*ROAD, count, endpoint=True)
    road = np.repeat(np.arange(count), size)
    turn = generator.normal(0, 0.3, len(road))
    first = np.cumsum(size) - size
    turn[first] = generator.uniform(0, 2 * np.pi, count)
    heading = _sums(turn, first, size)
    step = ROAD_STEP * generator.uniform(0.5, 1.5, len(road))
    x, y = _inside(count, window, generator)
    x = x[road] + _sums(step * np.cos(heading), first, size)
    y = y[road] + _sums(step * np.sin(heading), first, size)
    return shapely.linestrings(parcels.settled(x), parcels.settled(y),
                               indices=road)


def _sums(values, first, size):
    """Running sums that restart with each road."""
    sums = np.cumsum(values)
    return sums - np.repeat(sums[first] - values[first], size)


def _points(count, window, generator):
    return shapely.points(*map(parcels.settled,
                               _inside(count, window, generator)))


# The ground

def _tiling(count, window, generator):
    side = (window.right - window.left) * COVERED
    corner = (window.left + window.right - side) / 2, (
        window.bottom + window.top - side) / 2
    return parcels.tiling(count, corner, side, generator)


def _inside(count, window, generator):
    return (generator.uniform(window.left, window.right, count),
            generator.uniform(window.bottom, window.top, count))


def _asked(count, window, layers, share, generator):
    """Points on the raster and a little outside, some of them on vertices of
    the layers; and the number of these."""
    beyond = (window.right - window.left) * BESIDE
    x = generator.uniform(window.left - beyond, window.right + beyond, count)
    y = generator.uniform(window.bottom - beyond, window.top + beyond, count)
    x, y = parcels.settled(x), parcels.settled(y)
    on = generator.choice(count, round(count * share), replace=False)
    for layer, chosen in zip(layers, np.array_split(on, len(layers))):
        vertices = shapely.get_coordinates(layer)
        pick = generator.integers(0, len(vertices), len(chosen))
        x[chosen], y[chosen] = vertices[pick].T
    return x, y, len(on)
