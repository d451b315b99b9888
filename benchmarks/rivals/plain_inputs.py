"""The input of a workload on rasters, at small sizes, without libraries."""

import math
import random
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import npy
import raster_files
import tables
from given import TILE, Inputs
from raster_files import NotMade
from workloads import Workload

CLUSTERS, SIGMA = 10, 120.0
"""The number of clusters, and their size in cells."""
TRACKS = 20


def prepare(workload: Workload, work: Path, maker: Path | None) -> Inputs:
    """Creates or finds the rasters, and writes the workload's points."""
    paths = tuple(raster_files.raster(spec, work / "rasters", maker)
                  for spec in workload.rasters)
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    spec = workload.rasters[0]
    points = list(islice(PATTERNS[workload.pattern](spec, workload.count),
                         workload.count))
    across = spec.tiles_across
    # Sorted by tile, row and column, which is the order of blocks.
    blocks = [(row // 100 // TILE * across + column // 100 // TILE,
               row // 100, column // 100) for column, row in points]
    tiles = sorted({tile for tile, _, _ in blocks})
    inputs = Inputs(folder, paths, folder / "x.npy", folder / "y.npy",
                    len(tiles), across ** 2, {"bare gather": ("numpy",)})
    inputs.tile_list.write_bytes(
        b"".join(tile.to_bytes(4, "little") for tile in tiles))
    tables.write(inputs.table, spec, points)
    texts = list(tables.coordinates(inputs.table))
    if workload.crs:
        texts = _projected(texts, spec.reference, workload.crs)
    order = sorted(range(len(points)), key=blocks.__getitem__)
    npy.write(inputs.order, order)
    inputs.text.write_text(
        "".join("{} {}\n".format(*texts[number]) for number in order))
    for path, values in zip((inputs.x, inputs.y), zip(*texts)):
        npy.write(path, map(float, values))
    return inputs


# Patterns, in hundredths of a cell

def _random(spec, count):
    return tables.cells(spec, count, count)


def _clusters(spec, count):
    draw = random.Random(count)
    middles = list(tables.cells(spec, CLUSTERS, count))
    for number in range(count):
        yield tuple(_inside(spec, middle + 100 * draw.gauss(0, SIGMA))
                    for middle in middles[number % CLUSTERS])


def _tracks(spec, count):
    """Walks that keep their heading with a slow drift."""
    draw = random.Random(count)
    size = -(-count // TRACKS)
    for start in list(tables.cells(spec, TRACKS, count))[:count]:
        column, row = start
        heading = draw.uniform(0, 2 * math.pi)
        for _ in range(min(size, count)):
            heading += draw.gauss(0, 0.02)
            column += 100 * math.cos(heading)
            row += 100 * math.sin(heading)
            yield _inside(spec, column), _inside(spec, row)


def _inside(spec, value):
    return round(min(max(value, 100), 100 * (spec.side - 1)))


PATTERNS = {"random": _random, "clusters": _clusters, "tracks": _tracks}


def _projected(points, source, target):
    lines = "".join(f"{x} {y}\n" for x, y in points)
    try:
        outcome = subprocess.run(
            ["gdaltransform", "-s_srs", source, "-t_srs", target,
             "-output_xy"], input=lines, capture_output=True, text=True,
            check=True)
    except FileNotFoundError:
        raise NotMade("gdaltransform is not installed") from None
    return [tuple(line.split()) for line in outcome.stdout.splitlines()]
