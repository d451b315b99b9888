"""The workloads: tasks, rasters and contenders."""

from dataclasses import dataclass, replace

from aims import Aim
from command_workloads import COMMAND_WORKLOADS, CommandWorkload
from geometry_workloads import GEOMETRY_WORKLOADS, GeometryWorkload
from geotrigger_workloads import GEOTRIGGER_WORKLOADS, GeotriggerWorkload
from map_workloads import MAP_WORKLOADS, MapWorkload
from network_workloads import NETWORK_WORKLOADS, NetworkWorkload
from raster_spec import RasterSpec

COLD = ("rasterio read", "rasterio sample", "gdallocationinfo")
"""The rivals of every workload that starts a new process."""


@dataclass(frozen=True)
class Workload:
    """One row of the table."""

    key: str
    title: str
    kind: str
    """`cold`, `warm`, `single` or `table`: how Plumb is started."""
    rasters: tuple[RasterSpec, ...]
    pattern: str
    count: int
    rivals: tuple[str, ...]
    aim: Aim
    limit: str | None = None
    crs: str | None = None
    tile_share: float | None = None
    """The points touch at most this share of the tiles (at full size)."""

    def scaled(self, factor: float) -> "Workload":
        """The same workload at `factor` of its points and cells."""
        if factor == 1:
            return self
        rasters = tuple(raster.scaled(factor) for raster in self.rasters)
        count = max(1, round(self.count * factor))
        return replace(self, rasters=rasters, count=count, tile_share=None)


DEFLATE = RasterSpec("deflate")
DATES = tuple(RasterSpec(f"date-{day:03}", side=2400, seed=day)
              for day in range(1, 1 + 16 * 23, 16))
MILLION = 1_000_000

WORKLOADS = (
    Workload("a", "1 M random points, DEFLATE, cold", "cold", (DEFLATE,),
             "random", MILLION, COLD, Aim(faster=2.5, limit=1.2),
             limit="bare decode"),
    Workload("b-lzw", "1 M random points, LZW, cold", "cold",
             (RasterSpec("lzw", "lzw"),), "random", MILLION, COLD,
             Aim(faster=2.2, limit=1.2), limit="bare decode"),
    Workload("b-zstd", "1 M random points, ZSTD, cold", "cold",
             (RasterSpec("zstd", "zstd"),), "random", MILLION, COLD,
             Aim(faster=4, limit=1.2), limit="bare decode"),
    Workload("c", "1 M points along 20 tracks, cold", "cold", (DEFLATE,),
             "tracks", MILLION, COLD, Aim(faster=15), limit="bare decode",
             tile_share=0.05),
    Workload("d", "20 M random points, tiles in memory", "warm", (DEFLATE,),
             "random", 20 * MILLION, ("numpy", "numpy on all cores"),
             Aim(faster=6, than="numpy", also=((3.5, "numpy on all cores"),)),
             limit="bare gather"),
    Workload("e", "one point, tiles in memory", "single", (DEFLATE,),
             "random", 1, ("numpy item", "rasterio sample item"),
             Aim(seconds=1e-6)),
    Workload("f-none", "10 k clustered points, 1 GB uncompressed, cold",
             "cold", (RasterSpec("large-none", "none", 23170),),
             "clusters", 10_000, COLD, Aim(faster=4), limit="bare decode"),
    Workload("f-deflate", "10 k clustered points, 1 GB decoded, DEFLATE, cold",
             "cold", (RasterSpec("large-deflate", "deflate", 23170),),
             "clusters", 10_000, COLD, Aim(faster=2.5), limit="bare decode"),
    Workload("g", "10 M rows, CSV to CSV", "table", (DEFLATE,),
             "random", 10 * MILLION, ("polars + rasterio",),
             Aim(faster=3, memory=300_000_000)),
    Workload("h", "10 M lon/lat points on a UTM raster, cold", "cold",
             (DEFLATE,), "random", 10 * MILLION,
             ("pyproj + rasterio read",), Aim(faster=1.5),
             crs="EPSG:4326"),
    Workload("i-dates", "23 rasters of one grid x 100 k points, cold",
             "cold", DATES, "random", 100_000, COLD, Aim(faster=3)),
    Workload("i-bands", "23 interleaved bands x 100 k points, cold",
             "cold", (RasterSpec("bands", side=2400, bands=23),),
             "random", 100_000, COLD, Aim(faster=3)),
    *GEOMETRY_WORKLOADS,
    *MAP_WORKLOADS,
    *NETWORK_WORKLOADS,
    *GEOTRIGGER_WORKLOADS,
    *COMMAND_WORKLOADS,
)


AnyWorkload = (Workload | GeometryWorkload | MapWorkload | NetworkWorkload
               | GeotriggerWorkload | CommandWorkload)


def chosen(keys: str | None, growth: float) -> list[AnyWorkload]:
    """The workloads of a list such as `a,f-none,g`; the first part of a key
    selects all its variants, and with a `-` those with a name after it.

    Workloads of growth are limited to `growth` points.
    """
    wanted = {key.strip() for key in keys.split(",")} if keys else set()
    found = [w for w in WORKLOADS if not w.key.startswith("growth")
             or w.count <= growth or w.key in wanted]
    if not wanted:
        return found
    known = {word for w in WORKLOADS for word in _words(w.key)}
    if unknown := wanted - known:
        raise SystemExit(f"run: no workload {', '.join(sorted(unknown))}; "
                         "there are " + ", ".join(w.key for w in WORKLOADS))
    return [w for w in found if not wanted.isdisjoint(_words(w.key))]


def _words(key):
    """The words that select the workload of a key."""
    first, dash, _ = key.partition("-")
    return {key, first, first + dash}
