"""The input of a geometry workload, as float64 `.npy` files."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely

from geometry_workloads import DISC_VERTICES, EDGES, QUARTER, GeometryWorkload

SAMPLE = 10_000
"""The number of buffers whose vertices are compared."""
CLUSTER = 250
"""The number of circles in a cluster; half of all are in clusters."""
CLUSTER_SIGMA = 3_000.0
SQUARE_METRES = 450_000.0
"""The average area per circle."""
ON_VERTICES = 0.001
"""The share of the points on a vertex of a polygon."""


@dataclass(frozen=True)
class GeometryInputs:
    """The files of one workload, which depend on its kind."""

    folder: Path
    about: str

    rasters = ()

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def load(self, name: str) -> np.ndarray:
        return np.load(self.file(name))

    def rings(self, ring: int) -> np.ndarray:
        """Closed rings: polygon, vertex, axis."""
        return self.load("xy").reshape(-1, ring, 2)


def prepare(workload: GeometryWorkload, work: Path) -> GeometryInputs:
    """Writes the workload's input, which is the same in every run."""
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Variants with the same letter have the same input.
    generator = np.random.default_rng(ord(workload.key[0]))
    arrays, about = MAKERS[workload.kind](workload, generator)
    inputs = GeometryInputs(folder, about)
    for name, values in arrays.items():
        np.save(inputs.file(name), np.ascontiguousarray(values).ravel())
    return inputs


def _buffers(workload, generator):
    count = workload.count
    sample = generator.choice(count, min(count, SAMPLE), replace=False)
    arrays = {"x": generator.uniform(300_000, 800_000, count),
              "y": generator.uniform(6_000_000, 6_300_000, count),
              "d": generator.uniform(10, 1_000, count),
              "sample": np.sort(sample).astype(float)}
    return arrays, f"{count:,} points in metres, radii from 10 to 1,000 m."


def _circles(workload, generator):
    """Half of the circles are evenly distributed, and half are in clusters."""
    count = workload.count
    side = np.sqrt(count * SQUARE_METRES)
    x, y = generator.uniform(0, side, (2, count))
    clustered = count // 2
    centres = generator.uniform(
        CLUSTER_SIGMA, side - CLUSTER_SIGMA,
        (2, max(1, clustered // CLUSTER)))
    member = generator.integers(0, centres.shape[1], clustered)
    for axis, middle in zip((x, y), centres):
        axis[:clustered] = middle[member] + generator.normal(
            0, CLUSTER_SIGMA, clustered)
    order = generator.permutation(count)
    x, y = x[order] + 300_000, y[order] + 6_000_000
    d = generator.uniform(200, 600, count)
    meeting = _meeting(x, y, d)
    about = (f"{count:,} circles of {4 * QUARTER} vertices, radii from 200 to "
             f"600 m, half of them in clusters; {meeting:.1%} overlap "
             "another.")
    arrays = {"x": x, "y": y, "d": d}
    if workload.kind == "union":
        arrays["xy"] = _vertices(x, y, d)
    return arrays, about


def _vertices(x, y, d):
    """Closed rings, clockwise from the east."""
    angle = -np.arange(4 * QUARTER) * (np.pi / 2 / QUARTER)
    angle = np.append(angle, 0.0)
    rings = np.empty((len(x), len(angle), 2))
    rings[:, :, 0] = x[:, None] + d[:, None] * np.cos(angle)
    rings[:, :, 1] = y[:, None] + d[:, None] * np.sin(angle)
    return rings


def _meeting(x, y, d):
    """The share of the circles that overlap another."""
    boxes = shapely.box(x - d, y - d, x + d, y + d)
    a, b = shapely.STRtree(boxes).query(boxes)
    apart = np.hypot(x[a] - x[b], y[a] - y[b])
    hits = (a != b) & (apart < d[a] + d[b])
    return len(np.unique(a[hits])) / len(x)


def _polygons(workload, generator):
    """Stars with rays of irregular length around jittered points of a grid, and points, some of
    which are on a vertex.
    """
    count, size = workload.polygons, 1_000.0
    across = int(np.ceil(np.sqrt(count)))
    down = -(-count // across)
    index = np.arange(count)
    jitter = generator.uniform(0.3, 0.7, (2, count))
    middle = np.stack(
        [index % across + jitter[0], index // across + jitter[1]], axis=1)
    angle = np.sort(generator.uniform(0, 2 * np.pi, (count, EDGES)))
    reach = generator.uniform(0.3, 0.8, (count, EDGES))
    rays = reach[..., None] * np.stack([np.cos(angle), -np.sin(angle)], axis=2)
    rings = (middle[:, None, :] + rays) * size + (300_000, 6_000_000)
    rings = np.concatenate([rings, rings[:, :1]], axis=1)
    x = generator.uniform(0, across, workload.count) * size + 300_000
    y = generator.uniform(0, down, workload.count) * size + 6_000_000
    on = generator.choice(workload.count,
                          round(workload.count * ON_VERTICES), replace=False)
    x[on], y[on] = rings[generator.integers(0, count, len(on)), 3].T
    about = (f"{workload.count:,} points, {len(on):,} of them on a vertex; "
             f"{count:,} polygons of {EDGES} vertices that partly overlap.")
    return {"x": x, "y": y, "xy": rings}, about


def _discs(workload, generator):
    """Points evenly distributed over the sphere, away from its poles and from the 180th meridian,
    where polygons are cut.
    """
    count = workload.count
    x = generator.uniform(-179, 179, count)
    edge = np.sin(np.radians(70))
    y = np.degrees(np.arcsin(generator.uniform(-edge, edge, count)))
    return {"x": x, "y": y}, (
        f"{count:,} points on the WGS84 ellipsoid between 70° S and 70° N, "
        f"179° W and 179° E, at least {DISC_VERTICES} vertices each.")


MAKERS = {"buffers": _buffers, "union": _circles, "buffer-union": _circles,
          "within": _polygons, "within-ready": _polygons, "discs": _discs}
