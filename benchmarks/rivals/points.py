"""Patterns of points, in cells: column and row as floating point numbers."""

import numpy as np

TRACKS = 20
CLUSTERS = 40
CLUSTER_SIGMA = 120.0
"""In cells: most of a cluster is within two or three tiles."""
TRACK_LENGTH = 600.0
"""In cells of a raster of 10980 x 10980; 20 such tracks cross about 80 of
its 1849 tiles."""
MARGIN = 1.0
"""The margin without points along the raster's border, in cells."""


def coordinates(pattern: str, count: int, side: int, seed: int):
    """`count` points on a raster of `side` x `side` cells."""
    generator = np.random.default_rng(seed)
    column, row = PATTERNS[pattern](generator, count, side)
    low, high = MARGIN, side - MARGIN
    return np.clip(column, low, high), np.clip(row, low, high)


def _random(generator, count, side):
    return (generator.uniform(0, side, count),
            generator.uniform(0, side, count))


def _clusters(generator, count, side):
    centre = generator.uniform(0.05 * side, 0.95 * side, (2, CLUSTERS))
    member = generator.integers(0, CLUSTERS, count)
    return tuple(axis[member] + generator.normal(0, CLUSTER_SIGMA, count)
                 for axis in centre)


def _tracks(generator, count, side):
    """Walks that keep their heading with a slow drift, one after another, in the order in which
    vehicles or animals would log them.
    """
    length = TRACK_LENGTH * min(1.0, side / 10980)
    sizes = [len(part) for part in np.array_split(np.empty(count), TRACKS)]
    columns, rows = [], []
    for size in sizes:
        turn = generator.normal(0, 0.4 / np.sqrt(size), size).cumsum()
        heading = generator.uniform(0, 2 * np.pi) + turn
        step = generator.uniform(0.5, 1.5, size) * length / size
        start = generator.uniform(0.1 * side, 0.9 * side, 2)
        columns.append(start[0] + (step * np.cos(heading)).cumsum())
        rows.append(start[1] + (step * np.sin(heading)).cumsum())
    return np.concatenate(columns), np.concatenate(rows)


PATTERNS = {"random": _random, "clusters": _clusters, "tracks": _tracks}
