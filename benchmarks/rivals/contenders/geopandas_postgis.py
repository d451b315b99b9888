"""PostGIS to PostGIS by GeoPandas, through SQLAlchemy and psycopg2."""

import argparse
from pathlib import Path

import geoalchemy2  # noqa: F401
import geopandas
import psycopg2  # noqa: F401
import rasterio
import sqlalchemy
from common import cells

parser = argparse.ArgumentParser()
parser.add_argument("raster")
parser.add_argument("--points", required=True)
parser.add_argument("--out", required=True)
options = parser.parse_args()

engine = sqlalchemy.create_engine(options.points)
frame = geopandas.read_postgis("SELECT * FROM points", engine)
with rasterio.open(options.raster, num_threads="ALL_CPUS") as dataset:
    rows, columns = cells(dataset.transform, frame.geometry.x.to_numpy(),
                          frame.geometry.y.to_numpy())
    values, nodata = dataset.read(1)[rows, columns], dataset.nodata
name = Path(options.raster).stem
frame[name] = values
frame[name] = frame[name].astype("Int16").mask(values == int(nodata))
# Creates a spatial index and sends the rows with COPY.
frame.to_postgis(options.out, engine, if_exists="replace")
