"""Workloads of whole commands on files: tasks, rasters and contenders.

Each contender starts a new process that reads a file of points and writes a
file of results, both CSV unless the kind says otherwise.
"""

import math
from dataclasses import dataclass, replace

from aims import Aim
from raster_spec import RasterSpec

MILLION = 1_000_000
POLARS = "polars + rasterio"
LIMIT = "bare decode on one thread"
INFLATE = "bare inflate"
PLAIN = "plumb on the uncompressed raster"
TO_CSV = "plumb, CSV to CSV"
GRID = 10
"""The number of tiles of a mosaic, across and down."""
FAR_TILES = 200
LATENCY = 0.03
"""The delay of the far server before each reply, in seconds."""


@dataclass(frozen=True)
class CommandWorkload:
    """One row of the table."""

    key: str
    title: str
    kind: str
    """`cells` for one raster or many; `decode` for the processor time of
    decoding alone; `gpkg`, `parquet`, `postgis` and `jsonl` for other formats; `folder`
    and `vrt` for a mosaic; `bilinear`, `far`, and `start` for one point."""
    rasters: tuple[RasterSpec, ...]
    count: int = MILLION
    """The number of points."""
    rivals: tuple[str, ...] = (POLARS,)
    aim: Aim = Aim()
    limit: str | None = None
    beside: tuple[str, ...] = ()
    """Runs of Plumb that are measured and compared, but are not rivals."""

    @property
    def column(self) -> str:
        """The name of the column of a single raster."""
        return "mosaic" if self.is_mosaic else self.rasters[0].name

    @property
    def is_mosaic(self) -> bool:
        return self.kind in ("folder", "vrt")

    def scaled(self, factor: float) -> "CommandWorkload":
        """The same workload at `factor` of its points, cells and rasters."""
        if factor == 1:
            return self
        rasters = tuple(raster.scaled(factor) for raster in self.rasters)
        kept = max(3, math.ceil(len(rasters) * factor))
        count = 1 if self.kind == "start" else max(
            100, round(self.count * factor))
        return replace(self, rasters=rasters[:kept], count=count)


def _decode(key, title, aim, **raster):
    """Compressed tiles, and the same cells uncompressed."""
    spec = RasterSpec(key.removeprefix("o-"), tile=512, **raster)
    return CommandWorkload(key, f"decoding {title}: CPU", "decode",
                           (spec,), rivals=(), aim=Aim(limit=aim),
                           limit=LIMIT, beside=(PLAIN,))


def _codec(key, title, faster=None, rivals=(POLARS,), **raster):
    # Uses the rasters of the decoding workloads.
    spec = RasterSpec(key.removeprefix("q-"), **{"tile": 512, **raster})
    return CommandWorkload(key, f"1 M rows, {title}, CSV to CSV", "cells",
                           (spec,), rivals=rivals, aim=Aim(faster=faster))


FLOAT = {"type": "float32", "predictor": 3}
DECODING = (
    _decode("o-deflate-2", "int16, DEFLATE, predictor 2", 0.80, predictor=2),
    _decode("o-zstd-2", "int16, ZSTD, predictor 2", 0.65,
            compression="zstd", predictor=2),
    _decode("o-lzw-2", "int16, LZW, predictor 2", 0.75, compression="lzw",
            predictor=2),
    _decode("o-float-deflate", "float32, DEFLATE, predictor 3", 0.45,
            **FLOAT),
    _decode("o-float-zstd", "float32, ZSTD, predictor 3", 0.30,
            compression="zstd", **FLOAT),
    _decode("o-deflate-1", "int16, DEFLATE, predictor 1", 1.05),
    _decode("o-zstd-1", "int16, ZSTD, predictor 1", 1.05,
            compression="zstd"),
)

CODECS = (
    _codec("q-deflate-2", "int16, DEFLATE, predictor 2", predictor=2),
    _codec("q-zstd-2", "int16, ZSTD, predictor 2", compression="zstd",
           predictor=2),
    _codec("q-lzw-2", "int16, LZW, predictor 2", compression="lzw",
           predictor=2),
    _codec("q-float-deflate", "float32, DEFLATE, predictor 3", 2, **FLOAT),
    _codec("q-float-zstd", "float32, ZSTD, predictor 3", 2,
           compression="zstd", **FLOAT),
    _codec("q-strips", "int16, DEFLATE in strips", 1.5, tile=0),
    _codec("q-lerc", "float32, LERC without loss", 1.5, compression="lerc",
           type="float32"),
    _codec("q-jp2", "JPEG 2000 of 5490², uint16 without loss", 1, side=5490,
           compression="none", type="uint16", form="jp2", has_nodata=False),
)

STACK = ("polars + rasterio on all cores", "polars + rasterio on threads",
         "polars + rasterio on processes")
YEARS = 11
EVI = tuple(RasterSpec(f"evi-{number:02}", side=2400, seed=number)
            for number in range(1, 93))
LONG = tuple(replace(evi, name=f"{evi.name}-{year:02}", of=evi.name)
             for year in range(YEARS) for evi in EVI)
STACKS = (
    CommandWorkload(
        "s-evi", "92 rasters of 2400² (a year) x 100 k rows, CSV to CSV",
        "cells", EVI, 100_000, STACK, Aim(faster=2), limit=INFLATE),
    CommandWorkload(
        "s-deep", f"{len(LONG):,} rasters of 2400² x 100 k rows, CSV to CSV",
        "cells", LONG, 100_000, STACK,
        Aim(faster=2, memory=1_000_000_000, decodes_once=True),
        limit=INFLATE),
)

# The raster of (a) and (g).
DEFLATE = RasterSpec("deflate")
MOSAIC = RasterSpec("mosaic", side=10240)
ENDS = (
    CommandWorkload(
        "t-gpkg", "1 M points, GeoPackage to GeoPackage", "gpkg", (DEFLATE,),
        rivals=("GeoPandas + rasterio", "pyogrio + rasterio"),
        aim=Aim(faster=1.5)),
    CommandWorkload(
        "t-parquet", "10 M points, Parquet to Parquet", "parquet", (DEFLATE,),
        count=10 * MILLION, aim=Aim(faster=1.5)),
    CommandWorkload(
        "t-postgis", "1 M points, PostGIS to PostGIS", "postgis", (DEFLATE,),
        rivals=("GeoPandas + rasterio on PostGIS",), aim=Aim(faster=3)),
    CommandWorkload(
        "t-jsonl", "1 M rows, CSV to jsonl", "jsonl", (DEFLATE,), rivals=(),
        aim=Aim(faster=1 / 2, than=TO_CSV), beside=(TO_CSV,)),
)
VRT = ("polars + rasterio on the VRT, all cores",
       "polars + rasterio on the VRT, threads")
MOSAICS = (
    CommandWorkload(
        "u-folder", "1 M rows on a folder of 100 tiles, CSV to CSV", "folder",
        (MOSAIC,), rivals=VRT, aim=Aim(faster=3)),
    CommandWorkload(
        "u-vrt", "1 M rows on a VRT of 100 tiles, CSV to CSV", "vrt",
        (MOSAIC,), rivals=VRT, aim=Aim(faster=3)),
    CommandWorkload(
        "u-bilinear", "1 M rows, bilinear, CSV to CSV", "bilinear",
        (RasterSpec("smooth", has_nodata=False),),
        rivals=("polars + rasterio + map_coordinates, all cores",
                "polars + rasterio + numpy, all cores"),
        aim=Aim(faster=3)),
)

FAR = CommandWorkload(
    "v-far", f"1,000 rows over {FAR_TILES} scattered tiles of a far raster, "
    f"{LATENCY * 1000:g} ms a request", "far",
    (RasterSpec("far", form="cog"),), 1000,
    ("rasterio sample on /vsicurl", "rasterio on 8 threads on /vsicurl",
     "gdallocationinfo on /vsicurl"),
    Aim(faster=5, than="rasterio sample on /vsicurl",
        also=((5, "gdallocationinfo on /vsicurl"),), requests=3,
        traffic=1.2))

START = CommandWorkload(
    "w-start", "one point, from the start of the process", "start",
    (DEFLATE,), 1, ("gdallocationinfo", "rasterio", "rio sample"))

GROWTH = tuple(
    CommandWorkload(
        f"growth-1e{power}", f"{10 ** power:,} rows, CSV to CSV", "cells",
        (DEFLATE,), 10 ** power,
        aim=Aim(memory=1_000_000_000) if power > 6 else Aim())
    for power in range(4, 9))

COMMAND_WORKLOADS = (*DECODING, *CODECS, *STACKS, *ENDS, *MOSAICS, FAR, START,
                     *GROWTH)
