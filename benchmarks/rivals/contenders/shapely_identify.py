"""Polygons at a table's points with shapely's STRtree, and a raster's cells.

- `polygons`: queries a tree of the polygons with all points.
- `points`: queries a tree of the points with all polygons, each of which is
  prepared once and then tested with its candidates.
- `boxes`: the same by the polygons' boxes only, followed by `intersects_xy` of
  prepared polygons.

The topmost polygon is the last one in the file's order.
"""

import numpy as np
import polars as pl
import pyogrio
import shapely
from identify import Job

POINTS, AREAS = 50_000, 5_000
"""The number that a thread takes at a time."""


def read(path):
    facts, rows = pyogrio.read_arrow(path)
    shapes, number = facts["geometry_name"], facts["fid_column"]
    fields = pl.from_arrow(rows.drop_columns(
        [name for name in (shapes, number) if name in rows.column_names]))
    return shapely.from_wkb(rows[shapes].to_numpy()), fields


def of_polygons(part):
    point, area = tree.query(points[part], predicate="intersects")
    return point + part.start, area


def of_points(part):
    area, point = tree.query(areas[part], predicate="intersects")
    return point, area + part.start


def of_boxes(part):
    own = areas[part]
    area, point = tree.query(own)
    shapely.prepare(own)
    kept = shapely.intersects_xy(own[area], job.x[point], job.y[point])
    return point[kept], area[kept] + part.start


job = Job("polygons", "points", "boxes")
reading = job.polygons(read)
points = shapely.points(job.x, job.y)
if job.way == "polygons":
    areas, fields = reading.result()
    tree = shapely.STRtree(areas)
else:
    tree = shapely.STRtree(points)
# The first query builds the tree.
tree.query(shapely.box(0, 0, 1, 1))
areas, fields = reading.result()
ask, count, chunk = {
    "polygons": (of_polygons, len(points), POINTS),
    "points": (of_points, len(areas), AREAS),
    "boxes": (of_boxes, len(areas), AREAS)}[job.way]
pairs = list(job.pool.map(ask, job.parts(count, chunk)))
point, area = (np.concatenate(side) for side in zip(*pairs))
if job.way == "polygons":
    order = np.argsort(area, kind="stable")
    point, area = point[order], area[order]
counts = np.bincount(point, minlength=len(points))
top = np.full(len(points), -1)
# Areas are ascending, so that each point keeps its last one.
top[point] = area
top = pl.Series(top).replace(-1, None).cast(pl.UInt32)
job.write(counts, fields.select(pl.all().gather(top)))
