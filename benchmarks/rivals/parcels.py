"""Irregular areas that, like parcels, have shared borders and cover the ground without gaps.

The areas are the cells of a Voronoi diagram of jittered sites. The edges become irregular
lines, and neighbours have bitwise identical vertices. Some areas have a hole.
"""

from dataclasses import dataclass

import numpy as np
import shapely

INNER = (2, 5)
"""The minimum and maximum number of vertices between an edge's ends."""
SHORT = 0.05
"""Edges shorter than this share of a cell's width remain straight."""
SWAY = 0.07
"""The maximum distance of a vertex from the edge, in lengths of the edge."""
WITH_HOLE = 0.03
MARGIN = 3
"""The number of extra rows of sites on each side."""
ATTEMPTS = 10


def settled(degrees: np.ndarray) -> np.ndarray:
    """Coordinates with eight decimals, the last of which is 3: none is on the edge of a raster's
    cell, and each equals the number that its text represents.
    """
    return (np.floor(degrees * 1e7) * 10 + 3) / 1e8


def tiling(count: int, corner, side: float, generator) -> np.ndarray:
    """`count` polygons that approximately cover a square in degrees.

    `corner` is the south-western corner of the square. The order of the polygons is independent of
    their positions.
    """
    across = int(np.ceil(np.sqrt(count)))
    sites = _sites(across, generator)
    cells = _voronoi(sites)
    inner = np.arange(len(sites)).reshape(across + 2 * MARGIN, -1)
    inner = inner[MARGIN:-MARGIN, MARGIN:-MARGIN].ravel()
    kept = generator.permutation(inner[:count])
    edges = _Edges.of(cells[kept], generator)
    scale = np.array(side / across)

    def degrees(points):
        return settled(np.asarray(corner) + points * scale)

    for _ in range(ATTEMPTS):
        areas = edges.polygons(degrees)
        bad = ~shapely.is_valid(areas)
        if not bad.any():
            break
        edges.straighten(bad)
    if bad.any() or not shapely.coverage_is_valid(areas):
        raise SystemExit("run: the parcels do not tile the ground")
    return _with_holes(areas, degrees(sites[kept]), generator)


def _sites(across, generator):
    """The sites of a grid, by row. The first inner site is in the first cell."""
    index = np.arange(across + 2 * MARGIN) - MARGIN
    grid = np.stack(np.meshgrid(index, index), axis=2).reshape(-1, 2)
    return grid + generator.uniform(0.1, 0.9, grid.shape)


def _voronoi(sites):
    cells = shapely.voronoi_polygons(shapely.multipoints(sites), ordered=True)
    return shapely.get_parts(cells)


@dataclass
class _Edges:
    """The edges of cells; shared edges are stored once."""

    ends: np.ndarray
    """The two points of each edge: edge, end, axis."""
    inner: np.ndarray
    """The number of vertices between the ends of each edge."""
    along: np.ndarray
    """The position of each vertex along the edge..."""
    off: np.ndarray
    """...and its distance from the edge, both in lengths of the edge."""
    edge: np.ndarray
    """The edge of each side of a cell..."""
    backwards: np.ndarray
    """...and whether it runs from the edge's second end."""
    cell: np.ndarray
    """The cell of each side."""

    @staticmethod
    def of(cells, generator):
        points, cell = shapely.get_coordinates(cells, return_index=True)
        _, first, node = np.unique(np.round(points, 9), axis=0,
                                   return_index=True, return_inverse=True)
        node = node.ravel()
        side = np.flatnonzero(cell[1:] == cell[:-1])
        start, end = node[side], node[side + 1]
        keep = start != end
        start, end, cell = start[keep], end[keep], cell[side][keep]
        pairs = np.stack([np.minimum(start, end), np.maximum(start, end)], 1)
        pairs, edge = np.unique(pairs, axis=0, return_inverse=True)
        ends = points[first][pairs]
        length = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
        inner = generator.integers(*INNER, len(ends), endpoint=True)
        inner[length < SHORT] = 0
        total = inner.sum()
        step = np.arange(total) - np.repeat(np.cumsum(inner) - inner, inner)
        along = (step + generator.uniform(0.7, 1.3, total)) / (
            np.repeat(inner, inner) + 1)
        off = (SWAY * 4 * along * (1 - along)
               * generator.uniform(-1, 1, total))
        return _Edges(ends, inner, along, off, edge.ravel(), start > end, cell)

    def straighten(self, cells):
        """Straightens all edges of some cells."""
        flat = np.zeros(len(self.ends), bool)
        flat[self.edge[cells[self.cell]]] = True
        self.off[np.repeat(flat, self.inner)] = 0

    def polygons(self, degrees):
        """The cells, with `degrees` applied to their vertices."""
        ends = degrees(self.ends.reshape(-1, 2)).reshape(-1, 2, 2)
        start, way = self.ends[:, 0], self.ends[:, 1] - self.ends[:, 0]
        of = np.repeat(np.arange(len(way)), self.inner)
        beside = np.stack([-way[:, 1], way[:, 0]], axis=1)
        crooked = degrees(start[of] + self.along[:, None] * way[of]
                          + self.off[:, None] * beside[of])
        offset = np.cumsum(self.inner) - self.inner

        # Each side is its first end, followed by the vertices between the ends.
        size = 1 + self.inner[self.edge]
        side = np.repeat(np.arange(len(size)), size)
        step = np.arange(len(side)) - np.repeat(np.cumsum(size) - size, size)
        edge, backwards = self.edge[side], self.backwards[side]
        points = ends[edge, backwards.astype(int)]
        between = step > 0
        at = np.where(backwards, self.inner[edge] - step, step - 1)
        points[between] = crooked[(offset[edge] + at)[between]]
        return shapely.polygons(shapely.linearrings(
            points, indices=self.cell[side]))


def _with_holes(areas, sites, generator):
    """Adds a hole around the site of some of the areas."""
    chosen = np.sort(generator.choice(
        len(areas), round(len(areas) * WITH_HOLE), replace=False))
    borders = shapely.boundary(areas[chosen])
    radius = shapely.distance(borders, shapely.points(sites[chosen]))
    for area, size in zip(chosen, radius):
        count = generator.integers(6, 12, endpoint=True)
        angle = (np.arange(count) + generator.uniform(0, 0.8, count)) * (
            2 * np.pi / count)
        reach = size * generator.uniform(0.4, 0.8, count)
        ring = sites[area] + reach[:, None] * np.stack(
            [np.cos(angle), np.sin(angle)], axis=1)
        areas[area] = shapely.Polygon(
            shapely.get_coordinates(areas[area]), [settled(ring)])
    if not shapely.is_valid(areas[chosen]).all():
        raise SystemExit("run: a parcel's hole is not inside it")
    return areas
