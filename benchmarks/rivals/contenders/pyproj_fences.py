"""Geotriggers around points: finds the fences within the distance with shapely's STRtree of their
boxes, the geodesic distances to these fences with pyproj, and the events with numpy.
"""

import numpy as np
import shapely
from fences import BUFFER, Locations, events, joined
from geometry import Task
from pyproj import Geod

LOCATIONS = 50_000
NARROW = 110_500.0
"""The minimum length of a degree of latitude on WGS84, in metres."""

task = Task()
locations = Locations(task)
points = shapely.points(locations.x, locations.y)
x, y = task.load("xy").reshape(-1, 2).T
high = BUFFER / NARROW
wide = high / np.cos(np.radians(np.abs(y) + high))
tree = shapely.STRtree(shapely.box(x - wide, y - high, x + wide, y + high))
tree.query(points[0])


def replay():
    order, starts, size = locations.order()
    own, own_x, own_y = points[order], locations.x[order], locations.y[order]

    def ask(part):
        geod = Geod(ellps="WGS84")
        position, fence = tree.query(own[part])
        position += part.start
        metres = geod.inv(own_x[position], own_y[position], x[fence],
                          y[fence])[2]
        near = metres <= BUFFER
        return position[near], fence[near]

    pairs = joined(task.map(ask, len(own), LOCATIONS))
    return events(locations, order, starts, size, *pairs, len(x))


task.save("events", task.measure(replay))
task.report()
