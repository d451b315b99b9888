"""Polygons at a table's places by shapely's tree, and a raster's cells.

- `polygons`: a tree of the polygons, asked with all places.
- `places`: a tree of the places, asked with all polygons, each of which is
  prepared once and then asked for its candidates.
- `boxes`: the same by the polygons' boxes alone, and then `intersects_xy` of
  prepared polygons.

The topmost polygon is the last one in the file's order.
"""

import numpy as np
import polars as pl
import pyogrio
import shapely
from identify import Job

PLACES, AREAS = 50_000, 5_000
"""How many a thread takes at a time."""


def read(path):
    facts, rows = pyogrio.read_arrow(path)
    shapes, number = facts["geometry_name"], facts["fid_column"]
    fields = pl.from_arrow(rows.drop_columns(
        [name for name in (shapes, number) if name in rows.column_names]))
    return shapely.from_wkb(rows[shapes].to_numpy()), fields


def of_polygons(part):
    place, area = tree.query(places[part], predicate="intersects")
    return place + part.start, area


def of_places(part):
    area, place = tree.query(areas[part], predicate="intersects")
    return place, area + part.start


def of_boxes(part):
    own = areas[part]
    area, place = tree.query(own)
    shapely.prepare(own)
    kept = shapely.intersects_xy(own[area], job.x[place], job.y[place])
    return place[kept], area[kept] + part.start


job = Job("polygons", "places", "boxes")
reading = job.polygons(read)
places = shapely.points(job.x, job.y)
if job.way == "polygons":
    areas, fields = reading.result()
    tree = shapely.STRtree(areas)
else:
    tree = shapely.STRtree(places)
# It is built by the first question.
tree.query(shapely.box(0, 0, 1, 1))
areas, fields = reading.result()
ask, count, chunk = {
    "polygons": (of_polygons, len(places), PLACES),
    "places": (of_places, len(areas), AREAS),
    "boxes": (of_boxes, len(areas), AREAS)}[job.way]
pairs = list(job.pool.map(ask, job.parts(count, chunk)))
place, area = (np.concatenate(side) for side in zip(*pairs))
if job.way == "polygons":
    order = np.argsort(area, kind="stable")
    place, area = place[order], area[order]
counts = np.bincount(place, minlength=len(places))
top = np.full(len(places), -1)
# Areas ascend here, so that each place keeps its last one.
top[place] = area
top = pl.Series(top).replace(-1, None).cast(pl.UInt32)
job.write(counts, fields.select(pl.all().gather(top)))
