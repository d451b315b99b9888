"""A raster that a workload reads."""

import math
from dataclasses import dataclass, replace

UTM_TILE = 10980
"""Columns and rows of a Sentinel-2 tile of 10 m cells."""
PLACEMENTS = {"EPSG:32734": (199_980.0, 6_300_040.0, 10.0),
              "EPSG:4326": (18.3, -33.3, 0.0001)}
"""The upper left corner and the width of a cell, by CRS."""
SIZES = {"int16": 2, "uint16": 2, "float32": 4}
"""The bytes of a cell, by type."""
NODATA = {"int16": -3000.0, "uint16": 65535.0, "float32": math.nan}
SMALLEST = 600
"""The minimum number of columns and rows of a raster at any share."""


@dataclass(frozen=True)
class RasterSpec:
    """A raster to generate."""

    name: str
    compression: str = "deflate"
    side: int = UTM_TILE
    bands: int = 1
    seed: int = 1
    reference: str = "EPSG:32734"
    type: str = "int16"
    tile: int = 256
    """The side of a tile in cells; 0 for strips."""
    predictor: int = 1
    form: str = "tiff"
    """`tiff`; `cog` or `jp2` for its conversion by gdal_translate."""
    has_nodata: bool = True
    of: str | None = None
    """The name of a raster that this one is a link to."""

    @property
    def file_name(self) -> str:
        return self.name + (".jp2" if self.form == "jp2" else ".tif")

    @property
    def decoded_bytes(self) -> int:
        return self.side * self.side * self.bands * SIZES[self.type]

    @property
    def nodata(self) -> float | None:
        return NODATA[self.type] if self.has_nodata else None

    @property
    def tiles_across(self) -> int:
        return -(-self.side // self.tile)

    def scaled(self, factor: float) -> "RasterSpec":
        """The same raster with `factor` of its cells."""
        side = max(SMALLEST, round(self.side * math.sqrt(factor)))
        of = self.of and f"{self.of}-{factor:g}"
        return replace(self, name=f"{self.name}-{factor:g}", side=side, of=of)

    def plain(self) -> "RasterSpec":
        """The same cells uncompressed; compressed if this is uncompressed."""
        packed = self.compression == "none" and self.form == "tiff"
        words = ("packed" if packed else "plain", self.type, self.tile,
                 self.side, self.bands, self.seed, self.reference[5:],
                 *["whole"] * (not self.has_nodata))
        return replace(self, name="-".join(map(str, words)), predictor=1,
                       compression="deflate" if packed else "none",
                       form="tiff", of=None)
