"""The files of a workload on rasters."""

from dataclasses import dataclass, field
from pathlib import Path

import npy

TILE = 256


@dataclass(frozen=True)
class Inputs:
    """The files of one workload. Coordinates `x`, `y` are in the order of the
    points; the text and the tile list are for contenders that need them."""

    folder: Path
    rasters: tuple[Path, ...]
    x: Path
    y: Path
    tiles_touched: int
    tiles: int
    lacks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Contenders with missing requirements, and these."""

    @property
    def point(self) -> tuple[str, str]:
        """The x and y of the first point."""
        return tuple(repr(npy.read(path)[0]) for path in (self.x, self.y))

    @property
    def text(self) -> Path:
        """`x y` lines in block order, for gdallocationinfo."""
        return self.folder / "points.txt"

    @property
    def order(self) -> Path:
        """The number of the point of each line of `text`."""
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
