"""The geometry workloads: tasks, sizes and contenders."""

from dataclasses import dataclass, replace

from aims import Aim

QUARTER = 32
"""The number of edges in a quarter of every planar circle."""
EDGES = 32
"""The number of edges of every polygon that may contain points."""
DISC_RADIUS = 1000.0
"""In metres."""
DISC_VERTICES = 128
DISC_DEVIATION = 0.337
"""The tolerance in metres with which Plumb creates exactly `DISC_VERTICES` vertices: nine tenths of
the way from the sagitta of that many edges, 0.3012 m, to that of one edge fewer, 0.3059 m.
"""


@dataclass(frozen=True)
class GeometryWorkload:
    """One row of the table, timed inside the process."""

    key: str
    title: str
    kind: str
    """The mode of `plumb-workload`."""
    count: int
    """The number of points or circles."""
    rivals: tuple[str, ...]
    polygons: int = 0
    aim: Aim = Aim()
    limit: None = None
    """There is no bare limit."""

    def scaled(self, factor: float) -> "GeometryWorkload":
        """The same workload at `factor` of its size, with the same density."""
        if factor == 1:
            return self
        return replace(self, count=max(100, round(self.count * factor)),
                       polygons=round(self.polygons * factor))


UNIONS = ("shapely union_all", "shapely unary_union",
          "shapely disjoint_subset_union_all",
          "shapely union on all cores")
TREES = ("STRtree of polygons, within", "STRtree of points, contains_properly",
         "STRtree of points on all cores", "STRtree boxes + contains_xy")

GEOMETRY_WORKLOADS = (
    GeometryWorkload(
        "j", "1 M planar buffers of points, 32 segments per quarter",
        "buffers", 1_000_000,
        ("shapely buffer", "shapely buffer on all cores"),
        aim=Aim(faster=10)),
    GeometryWorkload(
        "k-union", "union of 200 k overlapping circles", "union", 200_000,
        UNIONS, aim=Aim(faster=2)),
    GeometryWorkload(
        "k-both", "200 k overlapping circles made and united", "buffer-union",
        200_000, UNIONS, aim=Aim(faster=2)),
    GeometryWorkload(
        "l-both", "1 M points in 100 k polygons: index built and queried",
        "within", 1_000_000, TREES, 100_000, aim=Aim(faster=4)),
    GeometryWorkload(
        "l-query", "1 M points in 100 k polygons: existing index queried",
        "within-ready", 1_000_000, TREES, 100_000, aim=Aim(faster=4)),
    GeometryWorkload(
        "m", "100 k geodesic buffers of 1 km, 128 vertices", "discs", 100_000,
        ("pyproj fwd", "pyproj fwd on all cores",
         "pyproj fwd + shapely polygons"), aim=Aim(faster=2)),
)
