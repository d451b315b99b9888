"""The files for all servers: 100,000 polygons and a raster."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import geopandas
import numpy as np
import rasterio
import rasterio.shutil
import shapely
import xarray
from rasterio.transform import from_origin

import parcels
from map_document import DOCUMENT

SIDE = 4096
"""The number of cells on each side of the raster."""
CELL = 0.0001
WEST, NORTH = 18.3, -33.7
POLYGONS = 100_000
COVERED = 0.96
"""The share of the raster's width that polygons cover."""
QUESTIONS = 2000
SAMPLES = 1_000_000
POSITIONS = 10_000
"""The number of points of one EDR request."""
FOUND = 1000
"""The approximate number of features of a query by extent."""


@dataclass(frozen=True)
class Inputs:
    folder: Path

    raster = property(lambda self: self.folder / "ndvi.tif")
    netcdf = property(lambda self: self.folder / "ndvi.nc")
    polygons = property(lambda self: self.folder / "parcels.gpkg")
    shapefile = property(lambda self: self.folder / "parcels.shp")
    document = property(lambda self: self.folder / "land.json")
    questions = property(lambda self: self.folder / "points.npy")
    samples = property(lambda self: self.folder / "samples.npy")
    boxes = property(lambda self: self.folder / "boxes.npy")


def prepare(folder: Path, tile: int = 512) -> Inputs:
    """Writes the files, which are the same in every run.

    `tile` is the side of the raster's tiles, in cells.
    """
    inputs = Inputs(folder)
    if inputs.boxes.exists():
        return inputs
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(16)
    _write_raster(inputs.raster, tile, generator)
    width = SIDE * CELL
    side = width * COVERED
    margin = (width - side) / 2
    corner = WEST + margin, NORTH - margin - side
    _write_polygons(inputs, corner, side, generator)
    inputs.document.write_text(json.dumps(DOCUMENT, indent=1))
    np.save(inputs.questions, _points(QUESTIONS, generator))
    np.save(inputs.samples, _points(SAMPLES, generator))
    half = side * np.sqrt(FOUND / POLYGONS) / 2 * 0.97
    middle = np.stack([
        generator.uniform(at + half, at + side - half, QUESTIONS)
        for at in corner], axis=1)
    np.save(inputs.boxes, np.concatenate([middle - half, middle + half], 1))
    return inputs


def _write_raster(path, tile, generator):
    """A smooth surface with noise, of 16 bits, with DEFLATE, in tiles."""
    rows, columns = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    values = 4000 + 3000 * np.sin(9 * rows) * np.cos(7 * columns)
    values += generator.normal(0, 150, values.shape)
    plain = {"driver": "GTiff", "width": SIDE, "height": SIDE, "count": 1,
             "dtype": "int16", "crs": "EPSG:4326", "nodata": -3000,
             "transform": from_origin(WEST, NORTH, CELL, CELL)}
    with rasterio.MemoryFile() as memory:
        with memory.open(**plain) as target:
            target.write(values.astype("int16"), 1)
        with memory.open() as source:
            rasterio.shutil.copy(source, path, driver="COG",
                                 compress="DEFLATE", predictor="YES",
                                 blocksize=tile)


def write_netcdf(inputs: Inputs):
    """The raster's values in a form that xarray reads; written once."""
    if inputs.netcdf.exists():
        return
    with rasterio.open(inputs.raster) as raster:
        values = raster.read(1)
    centres = (np.arange(SIDE) + 0.5) * CELL
    xarray.Dataset(
        {"ndvi": (("lat", "lon"), values, {"long_name": "ndvi", "units": "1"})},
        {"lat": NORTH - centres, "lon": WEST + centres},
    ).to_netcdf(inputs.netcdf)


def _write_polygons(inputs, corner, side, generator):
    areas = parcels.tiling(POLYGONS, corner, side, generator)
    frame = geopandas.GeoDataFrame({
        "erf": generator.permutation(POLYGONS) + 1_000_001,
        "suburb": [f"Suburb {n}" for n in generator.integers(
            1, 200, POLYGONS).tolist()],
        "value": np.round(generator.gamma(2, 400_000, POLYGONS), 2)},
        geometry=areas, crs="EPSG:4326")
    frame.to_file(inputs.polygons, layer="parcels", driver="GPKG",
                  dataset_options={"VERSION": "1.3"})
    frame.to_file(inputs.shapefile)
    subprocess.run(["shptree", str(inputs.shapefile)], check=True,
                   stdout=subprocess.DEVNULL)


def _points(count, generator):
    """Points within the raster, none of them on the edge of a cell."""
    width = SIDE * CELL
    x = parcels.settled(generator.uniform(WEST, WEST + width, count))
    y = parcels.settled(generator.uniform(NORTH - width, NORTH, count))
    return np.stack([x, y], axis=1)
