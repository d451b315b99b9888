"""Geotriggers with new fences for every second of the feed, by shapely's tree
and numpy; from the vertices of all seconds."""

import numpy as np
import shapely
from fences import Fixes, events, joined, polygons, ring_numbers
from geometry import Task

task = Task("fences")
fixes = Fixes(task)
points = shapely.points(fixes.x, fixes.y)
ends = task.load("ends").astype(int)
numbers = ring_numbers(ends)
vertices = task.load("xy").reshape(-1, ends[-1], 2)
each = fixes.count // len(vertices)


def ask(part):
    """A thread takes a second for itself."""
    tree = shapely.STRtree(polygons(vertices[part.start // each], numbers))
    fix, fence = tree.query(points[part], predicate="intersects")
    return fix + part.start, fence


def replay():
    order, starts, size = fixes.order()
    fix, fence = joined(task.map(ask, fixes.count, each))
    position = np.empty(fixes.count, int)
    position[order] = np.arange(fixes.count)
    return events(fixes, order, starts, size, position[fix], fence, len(ends))


task.save("events", task.measure(replay))
task.report()
