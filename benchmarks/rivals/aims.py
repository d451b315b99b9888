"""The target of Plumb in a workload."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Aim:
    """What Plumb should achieve at least."""

    faster: float | None = None
    """How many times as fast as the rival..."""
    than: str | None = None
    """...of this name; by default the fastest rival."""
    also: tuple[tuple[float, str], ...] = ()
    """Further ratios, each with the name of a rival."""
    limit: float | None = None
    """At most this many times the bare limit."""
    seconds: float | None = None
    memory: int | None = None
    """The peak memory in bytes; for rasters in the first table, in addition to the tile cache."""
    decodes_once: bool = False
    """No tile is decoded twice."""
    requests: int | None = None
    """At most as many requests as there are runs of neighbouring tiles, plus this number."""
    traffic: float | None = None
    """The traffic is at most this many times the bytes of the touched tiles and the header
    together.
    """

    @property
    def ratios(self) -> tuple[tuple[float, str | None], ...]:
        """All target ratios, each with the rival's name."""
        first = ((self.faster, self.than),) if self.faster else ()
        return first + self.also
