"""The map workloads: tasks, layers and contenders."""

from dataclasses import dataclass, replace

from aims import Aim
from raster_spec import RasterSpec

SCALE = 50_000
"""The denominator of the map's scale if a tolerance is in pixels."""
PIXELS = 12
DEGREE = 6_378_137 * 3.141592653589793 / 180
"""The length of a degree in metres, for scales."""
REACH = PIXELS * 0.0254 / 96 * SCALE / DEGREE
"""The same in degrees."""


@dataclass(frozen=True)
class MapWorkload:
    """One row of the table."""

    key: str
    title: str
    kind: str
    """`batch` for a whole command; otherwise a mode of `plumb-workload`, which times single calls.
    """
    raster: RasterSpec
    count: int
    """The number of points."""
    features: int
    rivals: tuple[str, ...]
    aim: Aim = Aim()
    limit: None = None
    """There is no bare limit."""

    @property
    def is_batch(self) -> bool:
        return self.kind == "batch"

    def scaled(self, factor: float) -> "MapWorkload":
        """The same workload at `factor` of its size, with the same density."""
        if factor == 1:
            return self
        return replace(self, raster=self.raster.scaled(factor),
                       count=max(100, round(self.count * factor)),
                       features=max(100, round(self.features * factor)))


LONLAT = RasterSpec("lonlat", reference="EPSG:4326")

MAP_WORKLOADS = (
    MapWorkload(
        "n", "1 M rows on a map of 100 k polygons and a raster, CSV to CSV",
        "batch", LONLAT, 1_000_000, 100_000,
        ("geopandas sjoin on all cores",
         "geopandas sjoin of points on all cores",
         "shapely STRtree of polygons on all cores",
         "shapely STRtree of points on all cores",
         "shapely boxes + intersects_xy on all cores"), aim=Aim(faster=4)),
    MapWorkload(
        "n-one", "one point on a loaded map of 5 layers, 100 k features",
        "map-exact", LONLAT, 20_000, 100_000, ("geopandas sindex item",),
        aim=Aim(seconds=50e-6)),
    MapWorkload(
        "n-reach", f"{PIXELS} px around one point on that map at "
        f"1:{SCALE:,}", "map-reach", LONLAT, 20_000, 100_000,
        ("geopandas sindex item",), aim=Aim(seconds=50e-6)),
)
