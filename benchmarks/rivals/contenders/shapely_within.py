"""The polygons that contain each point, with shapely's STRtree.

- `polygons`: queries a tree of the polygons with all points.
- `points`: queries a tree of the points with all polygons, each of which is
  prepared once and then tested with its candidates.
- `boxes`: candidates by boxes only, followed by `contains_xy` of prepared
  polygons.

With --ready the tree, and prepared polygons if there are any, are built
before timing starts.
"""

import numpy as np
import shapely
from geometry import Task

VERTICES, CHUNK, CANDIDATES = 33, 5_000, 50_000

task = Task("polygons", "points", "boxes")
x, y = task.load("x"), task.load("y")
points = shapely.points(x, y)
polygons = shapely.polygons(task.rings(VERTICES))
of_points = task.way != "polygons"


def tree():
    made = shapely.STRtree(points if of_points else polygons)
    # The first query builds the tree.
    made.query(shapely.box(0, 0, 1, 1))
    return made


def ask(tree):
    """The pairs of a point and a polygon."""
    if task.way == "polygons":
        return tree.query(points, predicate="within")
    if task.way == "boxes":
        polygon, point = tree.query(polygons)
        if not task.options.ready:
            shapely.prepare(polygons)

        def holds(part):
            return shapely.contains_xy(polygons[polygon[part]],
                                       x[point[part]], y[point[part]])

        kept = np.concatenate(task.map(holds, len(point), CANDIDATES))
        return point[kept], polygon[kept]

    def meet(part):
        polygon, point = tree.query(polygons[part],
                                    predicate="contains_properly")
        return point, polygon + part.start

    parts = task.map(meet, len(polygons),
                     len(polygons) if task.threads == 1 else CHUNK)
    return [np.concatenate(side) for side in zip(*parts)]


if task.options.ready:
    ready = tree()
    if of_points:
        shapely.prepare(polygons)
    pairs = task.measure(lambda: ask(ready))
else:
    pairs = task.measure(lambda: ask(tree()))
point, polygon = pairs
task.save("pairs", point.astype(np.int64) << 32 | polygon.astype(np.int64))
task.report()
