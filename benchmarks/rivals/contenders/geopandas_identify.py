"""Polygons at the points of a table with GeoPandas' `sjoin`, and the cells of a raster.

- `polygons`: joins the points with the polygons, using an R-tree of the
  polygons.
- `points`: joins the polygons with the points, so that each polygon is
  prepared once and then tested with its candidates.

The topmost polygon is the last one in the file's order.
"""

import geopandas
import numpy as np
import pandas as pd
import polars as pl
from identify import Job

POINTS, AREAS = 50_000, 5_000
"""The number of locations that a thread joins at a time."""

job = Job("polygons", "points")
reading = job.polygons(lambda path: geopandas.read_file(
    path, engine="pyogrio", use_arrow=True))
points = geopandas.GeoSeries.from_xy(job.x, job.y, crs="EPSG:4326").to_frame(
    "geometry")
if job.way == "points":
    points.sindex  # Built once for all threads.
parcels = reading.result()
areas = parcels[["geometry"]]
if job.way == "polygons":
    areas.sindex

    def join(part):
        return geopandas.sjoin(points.iloc[part], areas, how="left",
                               predicate="intersects")["index_right"]

    pairs = pd.concat(job.pool.map(join, job.parts(len(points), POINTS)))
else:
    def join(part):
        pairs = geopandas.sjoin(areas.iloc[part], points, how="inner",
                                predicate="intersects")["index_right"]
        return pd.Series(pairs.index, pairs.to_numpy())

    pairs = pd.concat(job.pool.map(join, job.parts(len(areas), AREAS)))
found = pairs.groupby(level=0).agg(["count", "max"])
found = found.reindex(points.index)
count = found["count"].fillna(0).astype(np.int64).to_numpy()
top = pl.Series(found["max"].astype("Int64").to_numpy(
    np.float64, na_value=np.nan)).fill_nan(None).cast(pl.UInt32)
attributes = pl.from_pandas(pd.DataFrame(parcels.drop(columns="geometry")))
job.write(count, attributes.select(pl.all().gather(top)))
