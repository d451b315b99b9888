"""The geometry workloads: what is asked, of how much, and who answers."""

from dataclasses import dataclass, replace

from aims import Aim

QUARTER = 32
"""Edges in a quarter of every planar circle."""
EDGES = 32
"""Edges of every polygon that points are looked for in."""
DISC_RADIUS = 1000.0
"""Metres."""
DISC_VERTICES = 128
DISC_DEVIATION = 0.337
"""Metres that Plumb may be off so that it makes `DISC_VERTICES` vertices and
not one less: nine tenths of it are between the sagittas of that many edges,
0.3012 m, and of one edge less, 0.3059 m."""


@dataclass(frozen=True)
class GeometryWorkload:
    """One line of the table, timed inside the process."""

    key: str
    title: str
    kind: str
    """The mode of `plumb-workload`."""
    count: int
    """Points or circles."""
    rivals: tuple[str, ...]
    polygons: int = 0
    aim: Aim = Aim()
    limit: None = None
    """There is no bare limit."""

    def scaled(self, factor: float) -> "GeometryWorkload":
        """The same question at `factor` of its size, as dense as before."""
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
        "j", "1 M planar buffers of points, 32 segments a quarter", "buffers",
        1_000_000, ("shapely buffer", "shapely buffer on all cores"),
        aim=Aim(faster=10)),
    GeometryWorkload(
        "k-union", "union of 200 k overlapping circles", "union", 200_000,
        UNIONS, aim=Aim(faster=2)),
    GeometryWorkload(
        "k-both", "200 k overlapping circles made and united", "buffer-union",
        200_000, UNIONS, aim=Aim(faster=2)),
    GeometryWorkload(
        "l-both", "1 M points in 100 k polygons: index made and asked",
        "within", 1_000_000, TREES, 100_000, aim=Aim(faster=4)),
    GeometryWorkload(
        "l-query", "1 M points in 100 k polygons: ready index asked",
        "within-ready", 1_000_000, TREES, 100_000, aim=Aim(faster=4)),
    GeometryWorkload(
        "m", "100 k geodesic buffers of 1 km, 128 vertices", "discs", 100_000,
        ("pyproj fwd", "pyproj fwd on all cores",
         "pyproj fwd + shapely polygons"), aim=Aim(faster=2)),
)
