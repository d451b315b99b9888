"""Samples a raster at the points of a GeoPackage, and writes a GeoPackage.

GeoPandas reads and writes through pyogrio and Arrow.
"""

import argparse
from pathlib import Path

import geopandas
import rasterio
from common import cells

parser = argparse.ArgumentParser()
parser.add_argument("raster")
parser.add_argument("--points", required=True)
parser.add_argument("--out", required=True)
options = parser.parse_args()

frame = geopandas.read_file(options.points, engine="pyogrio", use_arrow=True)
with rasterio.open(options.raster, num_threads="ALL_CPUS") as dataset:
    rows, columns = cells(dataset.transform, frame.geometry.x.to_numpy(),
                          frame.geometry.y.to_numpy())
    values, nodata = dataset.read(1)[rows, columns], dataset.nodata
name = Path(options.raster).stem
frame[name] = values
frame[name] = frame[name].astype("Int16").mask(values == int(nodata))
# The default mode, "w", replaces the file.
frame.to_file(options.out, driver="GPKG", engine="pyogrio", use_arrow=True)
