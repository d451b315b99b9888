"""The vertices of geodesic discs by pyproj's `Geod.fwd`.

Its four arrays, one element per vertex, already exist. With --way polygons
the time includes the creation of shapely's polygons.
"""

import numpy as np
import shapely
from geometry import Task
from pyproj import Geod

VERTICES, RADIUS, CHUNK = 128, 1000.0, 250_000

task = Task("vertices", "polygons")
x = np.repeat(task.load("x"), VERTICES)
y = np.repeat(task.load("y"), VERTICES)
azimuths = np.tile(np.arange(VERTICES) * (360 / VERTICES), len(x) // VERTICES)
distances = np.full(len(x), RADIUS)


def go(part):
    geod = Geod(ellps="WGS84")
    geod.fwd(x[part], y[part], azimuths[part], distances[part], inplace=True,
             return_back_azimuth=False)


def work():
    if task.threads == 1:
        go(slice(None))
    else:
        task.map(go, len(x), CHUNK)
    if task.way == "polygons":
        points = np.stack([x, y], axis=1).reshape(-1, VERTICES, 2)
        return shapely.polygons(points)


polygons = task.measure(work)
task.save("xy", np.stack([x, y], axis=1))
task.report()
