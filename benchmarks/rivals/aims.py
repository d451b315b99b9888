"""What is asked of Plumb in a workload."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Aim:
    """What Plumb should reach at least."""

    faster: float | None = None
    """Times as fast as the rival..."""
    than: str | None = None
    """...of this name; without one, the fastest rival."""
    also: tuple[tuple[float, str], ...] = ()
    """Further ones, each times as fast as a rival of that name."""
    limit: float | None = None
    """At most this many times the bare limit."""
    seconds: float | None = None
    memory: int | None = None
    """Peak bytes; of rasters in the first table, beside the tile cache."""
    decodes_once: bool = False
    """No tile is decoded again."""
    requests: int | None = None
    """At most as many requests as runs of neighbouring tiles and this many
    more."""
    traffic: float | None = None
    """At most this many times the bytes of the touched tiles and the header
    together."""

    @property
    def ratios(self) -> tuple[tuple[float, str | None], ...]:
        """All that are asked, each with the rival's name."""
        first = ((self.faster, self.than),) if self.faster else ()
        return first + self.also
