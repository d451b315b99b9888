"""The geotrigger workloads: locations, fences and
contenders."""

from dataclasses import dataclass, replace

from aims import Aim

ENTITIES = 1_000
BUFFER = 50.0
"""The buffer of point fences in metres."""
RATE = 100_000
"""The number of locations per second of the live feed."""


@dataclass(frozen=True)
class GeotriggerWorkload:
    """One row of the table."""

    key: str
    title: str
    kind: str
    """`areas`, `points`, `moving` or `live`."""
    locations: int
    fences: int
    rivals: tuple[str, ...]
    aim: Aim = Aim()
    limit: str | None = None

    @property
    def steps(self) -> int:
        """The number of times that moving fences are replaced."""
        return self.locations // ENTITIES if self.kind == "moving" else 1

    @property
    def buffer(self) -> float:
        return BUFFER if self.kind == "points" else 0

    def scaled(self, factor: float) -> "GeotriggerWorkload":
        """The same workload at `factor` of its locations, and of its fences
        unless they move."""
        if factor == 1:
            return self
        fences = self.fences
        if self.kind != "moving":
            fences = max(100, round(fences * factor))
        each = max(10, round(self.locations / ENTITIES * factor))
        return replace(self, fences=fences, locations=each * ENTITIES)


MILLION = 1_000_000
SHAPELY = ("shapely STRtree of fences on all cores",
           "shapely boxes + intersects_xy on all cores",
           "shapely STRtree of locations on all cores")
JOINS = ("geopandas sjoin on all cores",
         "geopandas sjoin of fences on all cores")
AREAS = (*SHAPELY, *JOINS, "PostGIS")
LIVE_LIMIT = "cat"

GEOTRIGGER_WORKLOADS = (
    GeotriggerWorkload(
        "g-few", "geotriggers: 1 M locations of 1,000 entities, 1,000 polygon "
        "fences", "areas", MILLION, 1_000, SHAPELY),
    GeotriggerWorkload(
        "g-areas", "geotriggers: 10,000 polygon fences", "areas", MILLION,
        10_000, AREAS, Aim(faster=5)),
    GeotriggerWorkload(
        "g-many", "geotriggers: 100,000 polygon fences", "areas", MILLION,
        100_000, AREAS, Aim(faster=5)),
    GeotriggerWorkload(
        "g-buffer", f"geotriggers: 10,000 points, {BUFFER:g} m around them",
        "points", MILLION, 10_000,
        ("shapely STRtree + pyproj on all cores", "PostGIS geography"),
        Aim(faster=5)),
    GeotriggerWorkload(
        "g-moving",
        "geotriggers: 200 k locations, 1,000 fences replaced every 1,000",
        "moving", 200_000, 1_000,
        ("shapely STRtree of fences",
         "shapely STRtree of fences on all cores"), Aim(faster=5)),
    GeotriggerWorkload(
        "g-live", f"`plumb monitor --feed -` at {RATE:,} locations per second,"
        " 10,000 polygon fences: from line to event, 99 of 100", "live",
        MILLION // 2, 10_000, (), Aim(seconds=1e-3), limit=LIVE_LIMIT),
)
