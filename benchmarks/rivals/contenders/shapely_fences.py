"""Geotriggers by shapely's tree and numpy, all fixes at once.

- `fences`: a tree of the fences, which is ready, asked with the fixes.
- `boxes`: the same by boxes alone, and then `intersects_xy` of the prepared
  fences.
- `fixes`: a tree of the fixes, made when they are there, asked with the
  prepared fences.

Fixes are taken by entity, so that neighbours are near each other.
"""

import shapely
from fences import Fixes, events, fences, joined
from geometry import Task

FIXES, FENCES = 50_000, 1_000
"""How many a thread takes at a time."""

task = Task("fences", "boxes", "fixes")
fixes = Fixes(task)
areas = fences(task)
shapely.prepare(areas)
points = shapely.points(fixes.x, fixes.y)
tree = None
if task.way != "fixes":
    tree = shapely.STRtree(areas)
    # It is built by the first question.
    tree.query(points[0])


def of_fences(order):
    own = points[order]

    def ask(part):
        position, fence = tree.query(own[part], predicate="intersects")
        return position + part.start, fence

    return joined(task.map(ask, len(own), FIXES))


def of_boxes(order):
    own, x, y = points[order], fixes.x[order], fixes.y[order]

    def ask(part):
        position, fence = tree.query(own[part])
        position += part.start
        kept = shapely.intersects_xy(areas[fence], x[position], y[position])
        return position[kept], fence[kept]

    return joined(task.map(ask, len(own), FIXES))


def of_fixes(order):
    own = shapely.STRtree(points[order])
    own.query(areas[0])

    def ask(part):
        fence, position = own.query(areas[part], predicate="intersects")
        return position, fence + part.start

    return joined(task.map(ask, len(areas), FENCES))


def replay():
    order, starts, size = fixes.order()
    ask = {"fences": of_fences, "boxes": of_boxes, "fixes": of_fixes}[task.way]
    return events(fixes, order, starts, size, *ask(order), len(areas))


task.save("events", task.measure(replay))
task.report()
