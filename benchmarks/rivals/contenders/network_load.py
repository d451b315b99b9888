"""Loads a city's GeoPackage into a graph by pyogrio and numpy, finds its
components by scipy, and prints their numbers."""

import json
import sys

import numpy as np
import pyogrio
import shapely
from scipy.sparse.csgraph import connected_components

from network import graph

path = sys.argv[1] + "/city.gpkg"


def layer(name):
    """The shapes and columns of a layer."""
    meta, _, shapes, columns = pyogrio.raw.read(path, layer=name)
    return shapely.from_wkb(shapes), dict(zip(meta["fields"], columns))


def keys(points):
    """Coordinates as single numbers, so that sorting groups equal ones."""
    return shapely.get_x(points) + 1j * shapely.get_y(points)


lines, pipes = layer("pipes")
nodes = [layer(name) for name in ("junctions", "valves", "supplies")]
names = np.concatenate([columns["ID"] for _, columns in nodes])
at = np.concatenate([keys(points) for points, _ in nodes])
order = np.argsort(at)
ends = np.stack([order[np.searchsorted(at, keys(shapely.get_point(
    lines, end)), sorter=order)] for end in (0, -1)], axis=1)
components, _ = connected_components(graph(ends, len(at)), directed=False)
print(json.dumps({"junctions": len(names), "edges": len(ends),
                  "connectedComponents": components,
                  "controllers": len(nodes[2][0])}))
