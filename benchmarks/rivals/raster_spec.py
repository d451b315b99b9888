"""A raster that a workload reads."""

import math
from dataclasses import dataclass, replace

UTM_TILE = 10980
"""Columns and rows of a Sentinel-2 tile of 10 m cells."""


@dataclass(frozen=True)
class RasterSpec:
    """A raster of 256 x 256 tiles of int16 to generate."""

    name: str
    compression: str = "deflate"
    side: int = UTM_TILE
    bands: int = 1
    seed: int = 1
    reference: str = "EPSG:32734"

    @property
    def decoded_bytes(self) -> int:
        return self.side * self.side * self.bands * 2

    def scaled(self, factor: float) -> "RasterSpec":
        """The same with `factor` of its cells."""
        return replace(self, name=f"{self.name}-{factor:g}",
                       side=max(600, round(self.side * math.sqrt(factor))))
