"""Geotriggers with new fences for every second of the feed, with shapely's
STRtree and numpy, from the vertices of all seconds."""

import numpy as np
import shapely
from fences import Locations, events, joined, polygons, ring_numbers
from geometry import Task

task = Task("fences")
locations = Locations(task)
points = shapely.points(locations.x, locations.y)
ends = task.load("ends").astype(int)
numbers = ring_numbers(ends)
vertices = task.load("xy").reshape(-1, ends[-1], 2)
each = locations.count // len(vertices)


def ask(part):
    """Processes one second of the feed."""
    tree = shapely.STRtree(polygons(vertices[part.start // each], numbers))
    location, fence = tree.query(points[part], predicate="intersects")
    return location + part.start, fence


def replay():
    order, starts, size = locations.order()
    location, fence = joined(task.map(ask, locations.count, each))
    position = np.empty(locations.count, int)
    position[order] = np.arange(locations.count)
    return events(locations, order, starts, size, position[location], fence,
                  len(ends))


task.save("events", task.measure(replay))
task.report()
