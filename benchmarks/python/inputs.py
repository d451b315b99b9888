"""The input of all contenders: a raster, points, polygons, a track; created once, from seeds."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

WEST, NORTH, CELL = 10.0, 60.0, 0.001
SIZE = 10_000


def raster(folder: Path) -> str:
    """10,000 x 10,000 cells of int16, tiles of 256, DEFLATE and a predictor, 5 % nodata."""
    import rasterio
    from rasterio.transform import from_origin
    from rasterio.windows import Window

    path = folder / "heights.tif"
    if path.exists():
        return str(path)
    random = np.random.default_rng(1)
    across = np.linspace(0, 60, SIZE)
    profile = {
        "driver": "GTiff", "width": SIZE, "height": SIZE, "count": 1, "dtype": "int16",
        "crs": "EPSG:4326", "transform": from_origin(WEST, NORTH, CELL, CELL), "nodata": -32768,
        "tiled": True, "blockxsize": 256, "blockysize": 256, "compress": "deflate", "predictor": 2,
    }  # fmt: skip
    with rasterio.open(path, "w", **profile) as out:
        for top in range(0, SIZE, 500):
            down = np.linspace(top, top + 500, 500) / SIZE * 60
            land = 800 * np.sin(across)[None, :] * np.cos(down)[:, None]
            block = (land + random.integers(-8, 8, (500, SIZE))).astype(np.int16)
            block[:, : SIZE // 20] = -32768
            out.write(block, 1, window=Window(0, top, SIZE, 500))
    return str(path)


@lru_cache(maxsize=1)
def band(path: str) -> tuple[np.ndarray, Any]:
    """The first band, decoded on all cores, and its geotransform; kept by the process."""
    import rasterio

    with rasterio.Env(GDAL_NUM_THREADS="ALL_CPUS"), rasterio.open(path) as file:
        return file.read(1), file.transform


def indexed(held: tuple[np.ndarray, Any], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The cells of points, which must all be on the band."""
    cells, t = held
    column = np.floor((x - t.c) / t.a).astype(np.int64)
    row = np.floor((y - t.f) / t.e).astype(np.int64)
    return cells[row, column]


def points(count: int, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Points on the raster, in random order."""
    random = np.random.default_rng(seed)
    reach = SIZE * CELL
    return random.uniform(WEST, WEST + reach, count), random.uniform(NORTH - reach, NORTH, count)


def parcels(folder: Path, count: int) -> tuple[str, str]:
    """Quadrilateral parcels that cover the raster, and a map with them."""
    import geopandas
    import shapely

    side = round(count**0.5)
    path = folder / f"parcels{side}.gpkg"
    if not path.exists():
        random = np.random.default_rng(3)
        step = SIZE * CELL / side
        at = np.arange(side + 1)
        x = WEST + at[None, :] * step + random.uniform(-0.3, 0.3, (side + 1, side + 1)) * step
        y = NORTH - at[:, None] * step + random.uniform(-0.3, 0.3, (side + 1, side + 1)) * step
        corners = np.stack([x, y], axis=-1)
        rings = np.stack(
            [corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1],
             corners[:-1, :-1]], axis=2,
        ).reshape(-1, 5, 2)  # fmt: skip
        frame = geopandas.GeoDataFrame(
            {"number": np.arange(len(rings))}, geometry=shapely.polygons(rings), crs=4326
        )
        frame.to_file(path, layer="parcels")
    document = folder / f"parcels{side}.json"
    layer = {
        "id": "parcels",
        "title": "parcels",
        "layerType": "ArcGISFeatureLayer",
        "url": path.name,
    }
    document.write_text(
        json.dumps({"operationalLayers": [layer], "spatialReference": {"wkid": 4326}})
    )
    return str(path), str(document)


def track(count: int) -> dict[str, np.ndarray]:
    """Twenty entities that move over the parcels, each with one location per second."""
    random = np.random.default_rng(4)
    who = np.arange(count) % 20
    steps = count // 20
    x = np.empty(count)
    y = np.empty(count)
    for one in range(20):
        walk = np.cumsum(random.normal(0, 0.004, (steps, 2)), axis=0)
        x[who == one] = WEST + 5 + walk[:, 0]
        y[who == one] = NORTH - 5 + walk[:, 1]
    seconds = np.arange(count) // 20
    time = np.datetime64("2026-01-01T00:00:00", "s") + seconds.astype("m8[s]")
    return {"id": who, "time": time, "x": x, "y": y}
