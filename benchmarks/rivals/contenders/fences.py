"""Shared code of the rivals of the geotrigger workloads.

Everything that exists before locations arrive is created before timing
starts: fences with their index, prepared, and each rival's form of the
locations.
"""

import numpy as np
import shapely

BUFFER = 50.0


class Locations:
    """The columns of a feed."""

    def __init__(self, task):
        self.entity = task.load("entity").astype(np.uint16)
        self.x, self.y = task.load("x"), task.load("y")
        self.count = len(self.x)

    def order(self):
        """The locations by entity, and the first position of each entity."""
        order = np.argsort(self.entity, kind="stable")
        size = np.bincount(self.entity)
        return order, np.cumsum(size) - size, size


def fences(task):
    """The fences as polygons."""
    xy, ends = task.load("xy").reshape(-1, 2), task.load("ends").astype(int)
    return polygons(xy, ring_numbers(ends))


def ring_numbers(ends):
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))


def polygons(xy, numbers):
    return shapely.polygons(shapely.linearrings(xy, indices=numbers))


def events(locations, order, starts, size, position, fence, fences):
    """The events at each location, from the pairs of a location's position in
    `order` and a fence that contains it.

    An event is the number of its location, whether it is an entry, and its
    fence, encoded as one number; events are sorted.
    """
    entity = locations.entity[order[position]].astype(np.int64)
    step = position - starts[entity]
    # A stay is a run of consecutive numbers.
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
    """The pairs of all chunks as two arrays."""
    return tuple(np.concatenate(side) for side in zip(*pairs))
