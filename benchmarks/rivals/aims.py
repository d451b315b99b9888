"""What is asked of Plumb in a workload."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Aim:
    """What Plumb should reach at least."""

    faster: float | None = None
    """Times as fast as the rival..."""
    than: str | None = None
    """...of this name; without one, the fastest rival."""
    limit: float | None = None
    """At most this many times the bare limit."""
    seconds: float | None = None
    memory: int | None = None
    """Peak bytes; of rasters, beside the tile cache."""
