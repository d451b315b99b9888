"""Compares the shapes and pairs of all contenders."""

import numpy as np
import shapely
from pyproj import Geod

from agreement import Agreement
from geometry_inputs import GeometryInputs
from geometry_workloads import (DISC_DEVIATION, DISC_RADIUS, DISC_VERTICES,
                                GeometryWorkload)
from rivals import OURS, prefix

RELATIVE = 1e-9
"""The tolerance of an area, and of a circle's radius."""
METRES = 1e-6
"""The tolerance of the distance of a disc's vertex."""
TRIES = 10
"""Points around each disc that are tested to be inside."""


def compare(workload: GeometryWorkload, inputs: GeometryInputs,
            names: list[str]) -> Agreement:
    """Compares all contenders with the first rival, or with the definition."""
    agreement = Agreement()
    CHECKS[workload.kind](agreement, workload, inputs, names)
    return agreement


def _load(name, inputs, part):
    return np.load(f"{prefix(name, inputs)}_{part}.npy")


def _others(workload, names):
    return [name for name in names if name != workload.rivals[0]]


def _add(agreement, name, count):
    agreement.differing[name] = agreement.differing.get(name, 0) + int(count)


# Buffers

def _buffers(agreement, workload, inputs, names):
    first = workload.rivals[0]
    areas = _load(first, inputs, "areas")
    counts = _load(first, inputs, "counts")
    points = _load(first, inputs, "xy").reshape(-1, 2)
    radii = np.repeat(inputs.load("d")[inputs.load("sample").astype(int)],
                      counts)
    agreement.values = len(areas) + len(points)
    worst = [0.0, 0.0]
    for name in _others(workload, names):
        found = _load(name, inputs, "areas")
        if found.shape != areas.shape:
            _add(agreement, name, len(areas))
            continue
        off = np.abs(found - areas) / areas
        _add(agreement, name, np.count_nonzero(~(off <= RELATIVE)))
        if not np.array_equal(_load(name, inputs, "counts"), counts):
            _add(agreement, name, len(counts))
            continue
        away = _load(name, inputs, "xy").reshape(-1, 2) - points
        away = np.hypot(*away.T) / radii
        _add(agreement, name, np.count_nonzero(~(away <= RELATIVE)))
        worst = [max(worst[0], off.max()), max(worst[1], away.max())]
    agreement.notes.append(
        f"{len(areas):,} areas and {len(points):,} vertices of "
        f"{len(counts):,} buffers differ by at most {worst[0]:.0e} of the "
        f"area and {worst[1]:.0e} of the radius")


# Unions

def _unions(agreement, workload, inputs, names):
    first = _parts(workload.rivals[0], inputs)
    area = shapely.area(first).sum()
    holes = shapely.get_num_interior_rings(first).sum()
    agreement.values = len(first)
    worst = [0.0, 0.0]
    for name in _others(workload, names):
        found = _parts(name, inputs)
        off = abs(shapely.area(found).sum() - area) / area
        _add(agreement, name, not off <= RELATIVE)
        _add(agreement, name, abs(
            shapely.get_num_interior_rings(found).sum() - holes))
        if len(found) != len(first):
            _add(agreement, name, abs(len(found) - len(first)))
            continue
        apart = _apart(first, found) / area
        _add(agreement, name, not apart <= RELATIVE)
        worst = [max(worst[0], off), max(worst[1], apart)]
    low, high = np.min(shapely.bounds(first)[:, :2], axis=0), np.max(
        shapely.bounds(first)[:, 2:], axis=0)
    agreement.notes.append(
        f"They cover {area / np.prod(high - low):.1%} of the window. "
        f"{len(first):,} parts and {holes:,} holes in all results; the areas "
        f"differ by {worst[0]:.0e}, the symmetric difference is "
        f"{worst[1]:.0e} of the area")


def _parts(name, inputs):
    """The polygons of the union."""
    xy = _load(name, inputs, "xy").reshape(-1, 2)
    offsets = tuple(np.concatenate([[0], _load(name, inputs, part)])
                    for part in ("rings", "parts"))
    return shapely.from_ragged_array(
        shapely.GeometryType.POLYGON, xy, offsets)


def _apart(first, found):
    """The area of the symmetric difference, part by part."""
    tree = shapely.STRtree(shapely.box(*shapely.bounds(found).T))
    middles = shapely.box(*shapely.bounds(first).T)
    a, b = tree.query(middles)
    off = np.abs(shapely.bounds(first)[a] - shapely.bounds(found)[b])
    same = off.max(axis=1) < 1e-3
    a, b = a[same], b[same]
    if not (np.array_equal(a, np.arange(len(first)))
            and len(np.unique(b)) == len(found)):
        return np.inf
    return shapely.area(shapely.symmetric_difference(first, found[b])).sum()


# Points in polygons

def _pairs(agreement, workload, inputs, names):
    expected = np.sort(_load(workload.rivals[0], inputs, "pairs"))
    agreement.values = len(expected)
    for name in _others(workload, names):
        found = np.sort(_load(name, inputs, "pairs"))
        agreement.compare(name, expected, found)
    agreement.notes.append(
        f"{len(expected):,} pairs of a point and a polygon")


# Geodesic discs

def _discs(agreement, workload, inputs, names):
    x, y = inputs.load("x"), inputs.load("y")
    geod, worst = Geod(ellps="WGS84"), 0.0
    for name in names:
        counts = (_load(name, inputs, "counts") if name == OURS
                  else np.full(len(x), DISC_VERTICES))
        points = _load(name, inputs, "xy").reshape(-1, 2)
        disc = np.repeat(np.arange(len(x)), counts)
        if len(disc) != len(points):
            _add(agreement, name, len(points))
            continue
        distances = geod.inv(x[disc], y[disc], *points.T.copy())[2]
        off = np.abs(distances - DISC_RADIUS)
        _add(agreement, name, np.count_nonzero(~(off <= METRES)))
        agreement.values += len(points)
        worst = max(worst, off.max())
        if name == OURS:
            # The first vertex is also the last.
            _add(agreement, name,
                 np.count_nonzero(counts < DISC_VERTICES + 1))
            _inside(agreement, inputs, points, counts)
    agreement.notes.insert(
        0, f"{agreement.values:,} vertices, all at {DISC_RADIUS:,.0f} m by "
        f"pyproj's `inv` within {worst:.0e} m")


def _inside(agreement, inputs, points, counts):
    """Plumb's polygons contain the points nearer than the radius."""
    generator = np.random.default_rng(1)
    disc = np.repeat(np.arange(len(counts)), TRIES)
    geod = Geod(ellps="WGS84")
    distance = DISC_RADIUS * generator.uniform(0.99, 1.01, len(disc))
    x, y, _ = geod.fwd(inputs.load("x")[disc], inputs.load("y")[disc],
                       generator.uniform(0, 360, len(disc)), distance)
    polygons = shapely.polygons(shapely.linearrings(
        points, indices=np.repeat(np.arange(len(counts)), counts)))
    holds = shapely.contains_xy(polygons[disc], x, y)
    # An edge may deviate slightly from the circle.
    sure = np.abs(distance - DISC_RADIUS) > DISC_DEVIATION
    agreement.values += int(sure.sum())
    _add(agreement, f"{OURS}'s inside", np.count_nonzero(
        holds[sure] != (distance[sure] < DISC_RADIUS)))
    agreement.notes.append(
        f"{int(sure.sum()):,} points near the boundary are inside if they "
        f"are nearer than that; Plumb has {counts.min() - 1} to "
        f"{counts.max() - 1} vertices per disc")


CHECKS = {"buffers": _buffers, "union": _unions, "buffer-union": _unions,
          "within": _pairs, "within-ready": _pairs, "discs": _discs}
