"""Geotriggers with GeoPandas' `sjoin` and numpy, all locations at once.

- `locations`: joins the locations with the fences, using an R-tree of the
  fences.
- `fences`: joins the fences with the locations, using an R-tree of the
  locations that is built when they arrive.
"""

import geopandas
from fences import Locations, events, fences, joined
from geometry import Task

LOCATIONS, FENCES = 50_000, 1_000
"""The number of locations that a thread joins at a time."""

task = Task("locations", "fences")
locations = Locations(task)
areas = geopandas.GeoDataFrame(geometry=fences(task), crs="EPSG:4326")
points = geopandas.GeoSeries.from_xy(locations.x, locations.y, crs="EPSG:4326")
areas.sindex


def pairs(left, right, chunk):
    def ask(part):
        found = geopandas.sjoin(left.iloc[part], right, predicate="intersects")
        return found.index.to_numpy(), found["index_right"].to_numpy()

    return joined(task.map(ask, len(left), chunk))


def replay():
    order, starts, size = locations.order()
    own = points.iloc[order].reset_index(drop=True).to_frame("geometry")
    if task.way == "locations":
        position, fence = pairs(own, areas, LOCATIONS)
    else:
        own.sindex
        fence, position = pairs(areas, own, FENCES)
    return events(locations, order, starts, size, position, fence, len(areas))


task.save("events", task.measure(replay))
task.report()
