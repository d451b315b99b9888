"""A city's pipes: a street-like grid with irregularities, loops, valves that
divide it into quarters, several supplies, and a separate village."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import cKDTree

BLOCK = 50.0
"""The approximate distance between junctions in metres."""
JITTER = 0.3
STREETS = 1.8
"""Streets per junction."""
DIAGONALS = 0.01
"""Diagonal streets per junction."""
VALVES = 0.2
"""Valves per junction."""
QUARTER = 10.3
"""The approximate number of streets across a quarter."""
MISSING = 0.01
"""The share of the streets between quarters that should have a valve but do not."""
ONE_SIDED = 0.08
"""The share of the quarters with a single neighbour."""
BEND = 0.1
"""The share of the streets with a bend."""
SUPPLIES = 40
"""Supplies of a city of a million junctions; at least four."""
VILLAGE = 0.05
"""The side of the village that is not connected to the city, as a multiple of the city's side."""
ORIGIN = np.array([260_000.0, 6_240_000.0])
"""The south-west corner, in EPSG:32734."""


@dataclass(frozen=True)
class City:
    """Nodes are junctions, followed by supplies. The first streets are between
    junctions; the last, one each, connect a supply to a junction."""

    xy: np.ndarray
    junctions: int
    streets: np.ndarray
    """The first and last node of each street."""
    valve_streets: np.ndarray
    """The street of each valve, ascending."""
    valve_sides: np.ndarray
    """The end of the street at which the valve is: 0 or 1."""


def build(junctions: int, seed: int) -> City:
    """The city; the same for the same arguments."""
    generator = np.random.default_rng(seed)
    side = round(junctions ** 0.5)
    count = side * side
    rows, columns = np.divmod(np.arange(count), side)
    xy = np.stack([columns, rows], axis=1) * BLOCK + ORIGIN
    xy += generator.uniform(-JITTER, JITTER, xy.shape) * BLOCK
    village = np.maximum(rows, columns) < max(2, round(side * VILLAGE))
    streets = _grid(side, generator)
    streets = streets[village[streets[:, 0]] == village[streets[:, 1]]]

    across = max(1, round(side / QUARTER))
    points = np.stack(np.divmod(np.arange(across * across), across), axis=1)
    seeds = (points + generator.uniform(0.1, 0.9, points.shape)) \
        * (side / across * BLOCK) + ORIGIN
    quarters = cKDTree(seeds).query(xy)[1]
    streets = _with_one_neighbour(streets, quarters, len(seeds), generator)
    supplies = max(4, round(SUPPLIES * count / 1e6))
    wanted = round(STREETS * count) - supplies
    streets = _thinned(streets, count, wanted, generator)

    between = quarters[streets[:, 0]] != quarters[streets[:, 1]]
    valved = _valved(between, round(VALVES * count), generator)
    sides = generator.integers(0, 2, len(valved))
    fed = np.concatenate([
        generator.choice(np.flatnonzero(village), 1),
        generator.choice(np.flatnonzero(~village), supplies - 1, False)])
    xy = np.concatenate([xy, xy[fed] + [BLOCK / 7, BLOCK / 5]])
    feeds = np.stack([count + np.arange(supplies), fed], axis=1)
    return City(xy, count, np.concatenate([streets, feeds]), valved, sides)


def _grid(side, generator):
    """Streets along rows and columns, and some diagonals."""
    number = np.arange(side * side).reshape(side, side)
    pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    streets = [np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs]
    diagonal = np.stack([number[:-1, :-1].ravel(), number[1:, 1:].ravel()],
                        axis=1)
    chosen = generator.random(len(diagonal)) < DIAGONALS
    return np.concatenate([*streets, diagonal[chosen]])


def _with_one_neighbour(streets, quarters, count, generator):
    """Some quarters keep only the streets to one neighbour."""
    chosen = generator.random(count) < ONE_SIDED
    first, last = quarters[streets].T
    keeps = np.ones(len(streets), bool)
    neighbour = np.full(count, -1)
    for here, there in ((first, last), (last, first)):
        ask = (here != there) & chosen[here] & ~chosen[there]
        neighbour[here[ask]] = there[ask]
    for here, there in ((first, last), (last, first)):
        ends = chosen[here] & (neighbour[here] >= 0) & (here != there)
        keeps &= ~ends | (neighbour[here] == there)
    return streets[keeps]


def _thinned(streets, count, wanted, generator):
    """The given number of streets; connected nodes remain connected."""
    weights = generator.uniform(1, 2, len(streets))
    shape = (count, count)
    tree = minimum_spanning_tree(
        coo_array((weights, streets.T), shape=shape).tocsr()).tocoo()
    kept = np.isin(streets[:, 0] * count + streets[:, 1],
                   tree.row.astype(np.int64) * count + tree.col)
    spare = np.flatnonzero(~kept)
    more = wanted - np.count_nonzero(kept)
    if not 0 <= more <= len(spare):
        raise SystemExit(f"run: {len(streets):,} streets do not suffice for "
                         f"{wanted:,}")
    kept[generator.choice(spare, more, False)] = True
    return streets[kept]


def _valved(between, wanted, generator):
    """Most streets between quarters and a few others have a valve."""
    borders = np.flatnonzero(between)
    borders = generator.permutation(borders)[
        :min(round(len(borders) * (1 - MISSING)), wanted)]
    others = generator.choice(np.flatnonzero(~between),
                              wanted - len(borders), False)
    return np.sort(np.concatenate([borders, others]))
