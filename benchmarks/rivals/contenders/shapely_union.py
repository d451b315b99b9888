"""Shapely's union of circles.

With `--ready`, the circles are loaded before timing starts. Otherwise, creating them
with Shapely is part of the measured time.

With more than one thread, chunks of neighbouring circles are united, and then the
parts of these unions.
"""

import numpy as np
import shapely
from geometry import Task

QUARTER, CHUNKS, MAKE_CHUNK = 32, 32, 10_000

task = Task("unary_union", "union_all", "disjoint_subset_union_all")
unite = getattr(shapely, task.way)


def united(circles):
    return unite(circles) if task.threads == 1 else _in_chunks(circles)


def _in_chunks(circles):
    order = np.argsort(_curve(circles), kind="stable")
    chunks = np.array_split(circles[order], CHUNKS)
    unions = np.array(list(task.pool.map(unite, chunks)))
    return unite(shapely.get_parts(unions))


def _curve(circles):
    """The position of each circle on a Z curve, so that chunks contain neighbours."""
    low = shapely.bounds(circles)[:, :2]
    span = np.ptp(low, axis=0).max()
    cells = ((low - low.min(axis=0)) / span * 0xffff).astype(np.uint64)
    for shift, mask in ((8, 0x00ff00ff), (4, 0x0f0f0f0f), (2, 0x33333333),
                        (1, 0x55555555)):
        cells = (cells | cells << np.uint64(shift)) & np.uint64(mask)
    return cells[:, 0] | cells[:, 1] << np.uint64(1)


def made():
    points = shapely.points(task.load("x"), task.load("y"))
    distances = task.load("d")

    def buffers(part):
        return shapely.buffer(points[part], distances[part],
                              quad_segs=QUARTER)

    if task.threads == 1:
        return lambda: buffers(slice(None))
    return lambda: np.concatenate(task.map(buffers, len(points), MAKE_CHUNK))


if task.options.ready:
    circles = shapely.polygons(task.rings(4 * QUARTER + 1))
    union = task.measure(lambda: united(circles))
else:
    make = made()
    union = task.measure(lambda: united(make()))
_, xy, (rings, polygons, _) = shapely.to_ragged_array([union])
task.save("xy", xy)
task.save("rings", rings[1:])
task.save("parts", polygons[1:])
task.report()
