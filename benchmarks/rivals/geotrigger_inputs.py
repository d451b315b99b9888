"""The input of a geotrigger workload: locations, fences, the live feed."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geotrigger_workloads import ENTITIES, GeotriggerWorkload

HERE = Path(__file__).parent
CORNER = np.array([18.3, -34.1])
SIDE = 0.36
"""The size of the city in degrees, 33 km by 40 km."""
METRE = np.array([1 / 92_300, 1 / 110_900])
"""The approximate length of a metre there in degrees."""
SPEED = (5.0, 25.0)
"""The range of speeds in metres per second; a location per second."""
ON_VERTICES = 0.001
"""The share of the locations moved to the nearest vertex of a fence."""
VERTICES = (8, 40)
RADIUS = (80.0, 380.0)
"""The size in metres of 10,000 fences; for other numbers of fences the size differs, so that they
cover the same area.
"""
START = 1_790_000_000_000
"""The time of the first location in milliseconds."""


@dataclass(frozen=True)
class GeotriggerInputs:
    """The files of one workload.

    Locations consist of entity, time, x and y. Fences consist of the coordinates of their vertices
    x, y, x, y… and the end of each fence; moving fences are stored step after step.
    """

    folder: Path
    about: str

    rasters = ()

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.npy"

    def load(self, name: str) -> np.ndarray:
        return np.load(self.file(name))

    @property
    def feed(self) -> Path:
        return self.folder / "locations.csv"

    @property
    def fences(self) -> Path:
        return self.folder / "fences.geojson"

    @property
    def feeder(self) -> Path:
        return self.folder / "live_feed"


def prepare(workload: GeotriggerWorkload, work: Path) -> GeotriggerInputs:
    """Writes the workload's input, which is the same in every run."""
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # Variants with the same letter have the same locations.
    generator = np.random.default_rng(ord(workload.key[0]))
    entity, position = _walks(workload.locations // ENTITIES, generator)
    if workload.kind == "points":
        xy, ends = _settled(_middles(workload.fences, generator)), None
        about = f"{len(xy):,} points"
    else:
        xy, ends = _areas(workload.fences, generator)
        size = np.diff(ends, prepend=0) - 1
        about = (f"{len(ends):,} polygons of {size.min()} to {size.max()} "
                 "vertices")
    given = GeotriggerInputs(folder, "")
    on = 0
    if workload.kind == "moving":
        xy = _moving(xy, ends, workload.steps, generator)
        about += f", at {workload.steps} positions each"
    elif ends is not None:
        on = _put_on_vertices(position, xy, generator)
    time = START + 1000 * (np.arange(len(entity)) // ENTITIES)
    columns = {"entity": entity, "time": time, "x": position[:, 0],
               "y": position[:, 1], "xy": xy}
    columns |= {} if ends is None else {"ends": ends}
    for name, values in columns.items():
        np.save(given.file(name), np.ravel(values).astype(float))
    if workload.kind == "live":
        _write_live(given, entity, time, position, xy, ends)
    on = f", {on:,} of them on a vertex" if on else ""
    return GeotriggerInputs(folder, (
        f"{len(entity):,} locations of {ENTITIES:,} entities, one a second"
        f"{on}; "
        f"{about}."))


def _settled(degrees):
    """Coordinates with seven decimals, as in text."""
    return np.round(degrees, 7)


# Locations

def _walks(steps, generator):
    """Entities in a new order each second, and their positions: vehicles that
    keep their heading with a slow drift, and turn at the city's border."""
    heading = generator.uniform(0, 2 * np.pi, ENTITIES) + np.cumsum(
        generator.normal(0, 0.05, (steps, ENTITIES)), axis=0)
    speed = np.clip(generator.uniform(*SPEED, ENTITIES) + np.cumsum(
        generator.normal(0, 0.2, (steps, ENTITIES)), axis=0), *SPEED)
    way = np.cumsum(np.stack(
        [speed * np.cos(heading), speed * np.sin(heading)], axis=2) * METRE,
        axis=0)
    way += generator.uniform(0, SIDE, (ENTITIES, 2))
    # Back and forth.
    way = np.abs((way + SIDE) % (2 * SIDE) - SIDE)
    order = np.argsort(generator.random((steps, ENTITIES)), axis=1)
    position = np.take_along_axis(way, order[..., None], axis=1)
    return order.ravel(), _settled(CORNER + position.reshape(-1, 2))


def _put_on_vertices(position, vertices, generator):
    count = len(position)
    chosen = generator.choice(count, round(count * ON_VERTICES),
                              replace=False)
    _, nearest = cKDTree(vertices).query(position[chosen])
    position[chosen] = vertices[nearest]
    return len(chosen)


# Fences

def _middles(count, generator):
    return CORNER + generator.uniform(0, SIDE, (count, 2))


def _areas(count, generator):
    """Stars with irregular outlines, some of which overlap."""
    size = generator.integers(*VERTICES, count, endpoint=True)
    fence = np.repeat(np.arange(count), size)
    first = np.cumsum(size) - size
    step = np.arange(len(fence)) - first[fence]
    # Clockwise, as for exterior rings.
    angle = -2 * np.pi / size[fence] * (
        step + generator.uniform(0, 0.7, len(fence)))
    radius = generator.uniform(*RADIUS, count) * np.sqrt(10_000 / count)
    radius = radius[fence] * generator.uniform(0.6, 1, len(fence))
    way = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    xy = _settled(_middles(count, generator)[fence]
                  + radius[:, None] * way * METRE)
    # Closed: each ring's first vertex is repeated.
    at = np.arange(len(fence)) + fence
    closed = np.empty((len(fence) + count, 2))
    closed[at] = xy
    ends = np.cumsum(size + 1)
    closed[ends - 1] = xy[first]
    if not shapely.is_valid(polygons(closed, ends)).all():
        raise SystemExit("run: a fence is not valid")
    return closed, ends


def polygons(xy, ends):
    size = np.diff(ends, prepend=0)
    return shapely.polygons(shapely.linearrings(
        xy, indices=np.repeat(np.arange(len(ends)), size)))


def _moving(xy, ends, steps, generator):
    """The vertices at each step: every fence has its own velocity."""
    count = len(ends)
    angle = generator.uniform(0, 2 * np.pi, count)
    velocity = generator.uniform(*SPEED, count)[:, None] * METRE * np.stack(
        [np.cos(angle), np.sin(angle)], axis=1)
    fence = np.repeat(np.arange(count), np.diff(ends, prepend=0))
    step = np.arange(steps)[:, None, None]
    return _settled(xy + step * velocity[fence])


# Live

def _write_live(given, entity, time, position, xy, ends):
    """Writes the feed and the fences, and builds the feeding program."""
    with open(given.feed, "w") as file:
        file.write("id,time,x,y\n")
        file.writelines(
            f"{e},{t},{x:.7f},{y:.7f}\n" for e, t, (x, y) in zip(
                entity.tolist(), time.tolist(), position.tolist()))
    rings = np.split(xy, ends[:-1])
    given.fences.write_text(json.dumps({
        "type": "FeatureCollection", "features": [
            {"type": "Feature", "id": number, "properties": {"id": number},
             "geometry": {"type": "Polygon", "coordinates": [ring.tolist()]}}
            for number, ring in enumerate(rings)]}))
    subprocess.run(
        ["cc", "-O2", "-std=gnu11", "-Wall", str(HERE / "live_feed.c"), "-o",
         str(given.feeder)], check=True)
