"""Tables of random points as CSV. Needs nothing that `run` installs."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from raster_spec import PLACEMENTS, RasterSpec

MARGIN = 1
"""The margin without points along the raster's border, in cells."""
HEADER = "id,name,x,y\n"
MILLIMETRES = 3
"""The last digit of a coordinate, which is never on the edge of a cell."""


def cells(spec: RasterSpec, count: int, seed: int) -> Iterator[tuple]:
    """Random points in hundredths of a cell: columns and rows."""
    draw = random.Random(seed).random
    low = 100 * MARGIN
    span = 100 * (spec.side - 2 * MARGIN)
    for _ in range(count):
        yield low + int(draw() * span), low + int(draw() * span)


def write(path: Path, spec: RasterSpec, points: Iterable[tuple]) -> None:
    """Writes columns and rows in hundredths of a cell of 10 m, with
    three decimals."""
    west, north, cell = PLACEMENTS[spec.reference]
    # A hundredth of a cell of ten metres is a decimetre.
    step = round(cell * 10)
    west, north = round(west * 1000), round(north * 1000)

    def lines():
        for number, (column, row) in enumerate(points, start=1):
            x = west + column * step + MILLIMETRES
            y = north - row * step - MILLIMETRES
            yield (f"{number},point {number * 7919 % 100_003},"
                   f"{x // 1000}.{x % 1000:03d},{y // 1000}.{y % 1000:03d}\n")

    with open(path, "w") as file:
        file.write(HEADER)
        file.writelines(lines())


def coordinates(path: Path) -> Iterator[tuple[str, str]]:
    """The x and y of a table, as text."""
    with open(path) as file:
        next(file)
        for line in file:
            yield tuple(line.rstrip("\n").split(",")[2:4])
