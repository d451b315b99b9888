"""Geotriggers round points: fences in reach by shapely's tree of their boxes,
geodesic distances of these by pyproj, events by numpy."""

import numpy as np
import shapely
from fences import BUFFER, Fixes, events, joined
from geometry import Task
from pyproj import Geod

FIXES = 50_000
NARROW = 110_500.0
"""Metres of a degree of latitude, no more than anywhere on WGS84."""

task = Task()
fixes = Fixes(task)
points = shapely.points(fixes.x, fixes.y)
x, y = task.load("xy").reshape(-1, 2).T
high = BUFFER / NARROW
wide = high / np.cos(np.radians(np.abs(y) + high))
tree = shapely.STRtree(shapely.box(x - wide, y - high, x + wide, y + high))
tree.query(points[0])


def replay():
    order, starts, size = fixes.order()
    own, own_x, own_y = points[order], fixes.x[order], fixes.y[order]

    def ask(part):
        geod = Geod(ellps="WGS84")
        position, fence = tree.query(own[part])
        position += part.start
        metres = geod.inv(own_x[position], own_y[position], x[fence],
                          y[fence])[2]
        near = metres <= BUFFER
        return position[near], fence[near]

    pairs = joined(task.map(ask, len(own), FIXES))
    return events(fixes, order, starts, size, *pairs, len(x))


task.save("events", task.measure(replay))
task.report()
