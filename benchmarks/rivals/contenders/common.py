"""Shared code of the rivals: arguments, cell arithmetic, results."""

import argparse
from pathlib import Path

import numpy as np


def arguments(parser=None):
    """The arguments of a rival with arrays of points."""
    parser = parser or argparse.ArgumentParser()
    parser.add_argument("rasters", nargs="+")
    parser.add_argument("--x", required=True)
    parser.add_argument("--y", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--crs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


def cells(transform, x, y):
    """Rows and columns of points inside a raster without rotation.

    There the conversion truncates like floor, which saves a pass over the
    points.
    """
    columns = ((x - transform.c) * (1 / transform.a)).astype(np.intp)
    rows = ((y - transform.f) * (1 / transform.e)).astype(np.intp)
    return rows, columns


def in_block_order(rows, columns, tile):
    """The order by blocks, and by rows within a block."""
    return np.lexsort((columns, rows, columns // tile, rows // tile))


def project(x, y, source, target, threads=1):
    """The points in another CRS; PROJ runs without Python's lock."""
    from concurrent.futures import ThreadPoolExecutor

    from pyproj import Transformer

    def convert(x, y):
        transformer = Transformer.from_crs(source, target, always_xy=True)
        return transformer.transform(x, y)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(convert, np.array_split(x, threads),
                              np.array_split(y, threads)))
    if threads == 1:
        return parts[0]
    return tuple(np.concatenate(axis) for axis in zip(*parts))


def save(prefix, path, band, values):
    """Writes one band's results as PREFIX_<raster>_<band>.npy."""
    np.save(f"{prefix}_{Path(path).stem}_{band}.npy", values)
