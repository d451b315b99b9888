"""The files of a workload on rasters."""

from dataclasses import dataclass, field
from pathlib import Path

import npy

TILE = 256


@dataclass(frozen=True)
class Inputs:
    """The files of one workload. Coordinates `x`, `y` are the question's;
    the text and the tile list are for those who need them spelled so."""

    folder: Path
    rasters: tuple[Path, ...]
    x: Path
    y: Path
    tiles_touched: int
    tiles: int
    lacks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Contenders that something is missing for, and what."""

    @property
    def point(self) -> tuple[str, str]:
        """x and y of the first."""
        return tuple(repr(npy.read(path)[0]) for path in (self.x, self.y))

    @property
    def text(self) -> Path:
        """`x y` lines in block order, for gdallocationinfo."""
        return self.folder / "points.txt"

    @property
    def order(self) -> Path:
        """Of each line of `text`, its number in the question."""
        return self.folder / "order.npy"

    @property
    def tile_list(self) -> Path:
        return self.folder / "tiles.bin"

    @property
    def indices(self) -> Path:
        return self.folder / "indices.bin"

    @property
    def values(self) -> Path:
        return self.folder / "values.bin"

    @property
    def table(self) -> Path:
        return self.folder / "points.csv"
