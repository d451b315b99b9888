"""Shapely's buffers of existing points."""

import numpy as np
import shapely
from geometry import Task

QUARTER, CHUNK = 32, 10_000

task = Task()
distances = task.load("d")
points = shapely.points(task.load("x"), task.load("y"))


def buffers(part):
    return shapely.buffer(points[part], distances[part], quad_segs=QUARTER)


buffers(slice(100))
if task.threads == 1:
    polygons = task.measure(lambda: buffers(slice(None)))
else:
    polygons = task.measure(lambda: np.concatenate(
        task.map(buffers, len(points), CHUNK)))
sample = polygons[task.load("sample").astype(int)]
task.save("areas", shapely.area(polygons))
task.save("counts", shapely.get_num_coordinates(sample))
task.save("xy", shapely.get_coordinates(sample))
task.report()
