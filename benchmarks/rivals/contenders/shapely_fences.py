"""Geotriggers with shapely's STRtree and numpy, all locations at once.

- `fences`: queries an existing tree of the fences with the locations.
- `boxes`: the same by boxes only, followed by `intersects_xy` of the prepared
  fences.
- `locations`: queries a tree of the locations, built when they arrive, with
  the prepared fences.

Locations are ordered by entity, so that neighbours are near each other.
"""

import shapely
from fences import Locations, events, fences, joined
from geometry import Task

LOCATIONS, FENCES = 50_000, 1_000
"""The number that a thread takes at a time."""

task = Task("fences", "boxes", "locations")
locations = Locations(task)
areas = fences(task)
shapely.prepare(areas)
points = shapely.points(locations.x, locations.y)
tree = None
if task.way != "locations":
    tree = shapely.STRtree(areas)
    # The first query builds the tree.
    tree.query(points[0])


def of_fences(order):
    own = points[order]

    def ask(part):
        position, fence = tree.query(own[part], predicate="intersects")
        return position + part.start, fence

    return joined(task.map(ask, len(own), LOCATIONS))


def of_boxes(order):
    own, x, y = points[order], locations.x[order], locations.y[order]

    def ask(part):
        position, fence = tree.query(own[part])
        position += part.start
        kept = shapely.intersects_xy(areas[fence], x[position], y[position])
        return position[kept], fence[kept]

    return joined(task.map(ask, len(own), LOCATIONS))


def of_locations(order):
    own = shapely.STRtree(points[order])
    own.query(areas[0])

    def ask(part):
        fence, position = own.query(areas[part], predicate="intersects")
        return position, fence + part.start

    return joined(task.map(ask, len(areas), FENCES))


def replay():
    order, starts, size = locations.order()
    ask = {"fences": of_fences, "boxes": of_boxes,
           "locations": of_locations}[task.way]
    return events(locations, order, starts, size, *ask(order), len(areas))


task.save("events", task.measure(replay))
task.report()
