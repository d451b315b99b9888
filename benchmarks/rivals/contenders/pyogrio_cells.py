"""GeoPackage to GeoPackage by pyogrio's Arrow tables only, without data frames
of shapes."""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyogrio
import rasterio
import shapely
from common import cells

parser = argparse.ArgumentParser()
parser.add_argument("raster")
parser.add_argument("--points", required=True)
parser.add_argument("--out", required=True)
options = parser.parse_args()

facts, table = pyogrio.read_arrow(options.points)
shapes = facts["geometry_name"]
if facts["fid_column"] in table.column_names:
    table = table.drop_columns([facts["fid_column"]])
points = shapely.from_wkb(table[shapes].to_numpy())
with rasterio.open(options.raster, num_threads="ALL_CPUS") as dataset:
    rows, columns = cells(dataset.transform, shapely.get_x(points),
                          shapely.get_y(points))
    values, nodata = dataset.read(1)[rows, columns], dataset.nodata
column = pa.array(values, mask=np.equal(values, int(nodata)))
table = table.append_column(Path(options.raster).stem, column)
pyogrio.write_arrow(table, options.out, driver="GPKG", geometry_name=shapes,
                    geometry_type="Point", crs=facts["crs"])
