"""What the rivals of the geotrigger workloads share.

Everything that is there before locations come is made before the clock runs:
fences with their index, prepared; each rival's own form of the locations too.
"""

import numpy as np
import shapely

BUFFER = 50.0


class Locations:
    """A feed's columns."""

    def __init__(self, task):
        self.entity = task.load("entity").astype(np.uint16)
        self.x, self.y = task.load("x"), task.load("y")
        self.count = len(self.x)

    def order(self):
        """The locations by entity, and where each entity's start."""
        order = np.argsort(self.entity, kind="stable")
        size = np.bincount(self.entity)
        return order, np.cumsum(size) - size, size


def fences(task):
    """Polygons."""
    xy, ends = task.load("xy").reshape(-1, 2), task.load("ends").astype(int)
    return polygons(xy, ring_numbers(ends))


def ring_numbers(ends):
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))


def polygons(xy, numbers):
    return shapely.polygons(shapely.linearrings(xy, indices=numbers))


def events(locations, order, starts, size, position, fence, fences):
    """Who entered and left what at which location, from the pairs of a
    location's position in `order` and a fence that holds it.

    An event is the number of its location, whether it is an entry, and its
    fence, in one number each, sorted.
    """
    entity = locations.entity[order[position]].astype(np.int64)
    step = position - starts[entity]
    # A stay is a run of numbers that follow one another.
    held = np.sort((entity * fences + fence) << 24 | step)
    gap = np.flatnonzero(np.diff(held) != 1)
    first = held[np.concatenate([[0], gap + 1])] if len(held) else held
    last = held[np.concatenate([gap, [len(held) - 1]])] if len(held) else held
    entity, fence = np.divmod(last >> 24, fences)
    after = (last & 0xFFFFFF) + 1
    leaves = after < size[entity]
    exits = code(order[starts[entity[leaves]] + after[leaves]], 0,
                 fence[leaves])
    entity, fence = np.divmod(first >> 24, fences)
    enters = code(order[starts[entity] + (first & 0xFFFFFF)], 1, fence)
    return np.sort(np.concatenate([exits, enters]))


def code(location, is_entry, fence):
    return (location.astype(np.int64) << 1 | is_entry) << 20 | fence


def joined(pairs):
    """The chunks' pairs as two arrays."""
    return tuple(np.concatenate(side) for side in zip(*pairs))
