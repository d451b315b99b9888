"""Geotriggers by one query of PostGIS, in a separate database in a temporary
folder, on a local socket; the tables with their indices already exist."""

import numpy as np
import shapely
from fences import BUFFER, Locations, code, fences
from geometry import Task
from postgres import Server

HOLDS = {"areas": "ST_Intersects(fence.shape, location.shape)",
         "points": f"ST_DWithin(fence.shape, location.shape, {BUFFER})"}
PREPARE = """
CREATE EXTENSION postgis;
CREATE UNLOGGED TABLE location (
  number int, entity int, step int, next int, shape {type});
CREATE UNLOGGED TABLE fence (number int, shape {type});
COPY location FROM '{folder}/location';
COPY fence FROM '{folder}/fence';
CREATE INDEX ON fence USING gist (shape);
VACUUM ANALYZE location;
VACUUM ANALYZE fence;
SELECT count(*) FROM location JOIN fence ON {holds}
WHERE location.number < 1000;
"""
# A stay ends if the next location in the fence is not the next of the
# entity.
REPLAY = """
CREATE UNLOGGED TABLE event AS
WITH stay AS (
  SELECT location.number, next, fence.number AS fence, step,
         lag(step) OVER one AS before, lead(step) OVER one AS after
  FROM location JOIN fence ON {holds}
  WINDOW one AS (PARTITION BY entity, fence.number ORDER BY step))
SELECT number AS location, 1 AS entry, fence FROM stay
WHERE before IS NULL OR before < step - 1
UNION ALL
SELECT next, 0, fence FROM stay
WHERE next IS NOT NULL AND (after IS NULL OR after > step + 1);
"""

task = Task("areas", "points")
entity = task.load("entity").astype(int)
locations = shapely.points(task.load("x"), task.load("y"))
if task.way == "areas":
    shapes = fences(task)
else:
    shapes = shapely.points(task.load("xy").reshape(-1, 2))


def steps():
    """For each location its position among its entity's, and the number of the
    next; stored in the table, which saves the query a window function."""
    order, starts, size = Locations(task).order()
    step = np.empty(len(order), int)
    step[order] = np.arange(len(order)) - np.repeat(starts, size)
    following = np.full(len(order), -1)
    same = entity[order[1:]] == entity[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    return step, np.where(following < 0, "\\N", following.astype(str))


def hexadecimal(shapes):
    return shapely.to_wkb(shapely.set_srid(shapes, 4326), hex=True,
                          include_srid=True)


with Server() as server:
    server.write("location", range(len(locations)), entity, *steps(),
                 hexadecimal(locations))
    server.write("fence", range(len(shapes)), hexadecimal(shapes))
    kind = "geometry" if task.way == "areas" else "geography"
    words = {"type": f"{kind}(geometry, 4326)", "folder": server.folder,
             "holds": HOLDS[task.way]}
    server.ask(PREPARE.format(**words))
    replay = REPLAY.format(**words)
    task.measure(lambda: server.ask(replay))
    found = np.array(server.ask(
        "COPY (SELECT location, entry, fence FROM event) TO STDOUT").split(),
        int).reshape(-1, 3)
location, entry, fence = found.T
task.save("events", np.sort(code(location, entry, fence)))
# The server does most of the work.
del task.facts["cpu"], task.facts["peak"]
task.report()
