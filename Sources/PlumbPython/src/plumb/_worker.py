"""What a worker process of an engine keeps: open rasters, and their one cache of tiles."""

from __future__ import annotations

import os
import threading
from typing import Any

from ._error import PlumbError
from ._paths import Source, Stamp, stamps
from ._sampler import sources_of
from ._stack import Stack

_stacks: dict[Any, tuple[tuple[Stamp, ...], Stack]] = {}
_lock = threading.Lock()

# A worker that is asked about other rasters again and again closes the oldest.
_MOST = 4


class Settings:
    """Rasters and how they are asked, in a form that goes to other processes."""

    def __init__(
        self, rasters: Any, bands: Any, resampling: str, scaled: bool, cache: int | None,
        threads: int | None, anywhere: bool, pixels: bool,
    ) -> None:  # fmt: skip
        self.sources: tuple[Source, ...] = tuple(one.absolute() for one in sources_of(rasters))
        if bands is not None and not hasattr(bands, "__index__"):
            bands = list(bands)
        self.named: dict[str, Any] = {
            "bands": bands, "resampling": resampling, "scaled": scaled, "cache": cache,
            "threads": threads, "anywhere": anywhere, "pixels": pixels,
        }  # fmt: skip
        #: The columns and their types as the driver saw them.
        self.dtypes: dict[str, str] = {}
        self._seen = self.stamps()

    def stamps(self) -> tuple[Stamp, ...]:
        """The files of the rasters as they are now."""
        return stamps(source.path for source in self.sources)

    @property
    def key(self) -> Any:
        """What two settings have in common that ask the same of the same paths."""
        return (self.sources, repr(self.named))

    def __dask_tokenize__(self) -> Any:
        # Dask keeps what it has computed by this.
        return (self.key, self._seen)

    def open(self) -> Stack:
        """A stack of its own, which the caller closes."""
        rasters: Any = list(self.sources)
        return Stack(rasters, **self.named)

    def check(self, stack: Stack) -> None:
        """Raises an error where a stack is not what the driver saw."""
        if self.dtypes and stack.dtypes != self.dtypes:
            raise PlumbError(
                "the rasters have other columns or types than when the data frame was made: make "
                "it again",
                "changed",
            )


def stack(settings: Settings) -> Stack:
    """The process's stack for these settings, opened by the first that asks, and again whenever a
    file was replaced or changed."""
    key = (os.getpid(), settings.key)
    with _lock:
        now = settings.stamps()
        known = _stacks.pop(key, None)
        if known is None or known[0] != now:
            while len(_stacks) >= _MOST:
                _stacks.pop(next(iter(_stacks)))
            opened = settings.open()
            settings.check(opened)
            known = (now, opened)
        _stacks[key] = known
        return known[1]
