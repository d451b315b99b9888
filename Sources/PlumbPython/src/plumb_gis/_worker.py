"""The state of an engine's worker process: open rasters, and their shared tile cache."""

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

# A worker that opens other rasters repeatedly closes the oldest.
_MOST = 4


class Settings:
    """Rasters and their sampling options, in a form that can be pickled."""

    def __init__(
        self, rasters: Any, bands: Any, resampling: str, scaled: bool, cache: int | None,
        threads: int | None, anywhere: bool, pixels: bool,
    ) -> None:  # fmt: skip
        self.sources: tuple[Source, ...] = tuple(one.absolute() for one in sources_of(rasters, scaled))
        if bands is not None and not hasattr(bands, "__index__"):
            bands = list(bands)
        self.named: dict[str, Any] = {
            "bands": bands, "resampling": resampling, "scaled": scaled, "cache": cache,
            "threads": threads, "anywhere": anywhere, "pixels": pixels,
        }  # fmt: skip
        #: The columns and their types in the driver process.
        self.dtypes: dict[str, str] = {}
        self._seen = self.stamps()

    def stamps(self) -> tuple[Stamp, ...]:
        """The current files of the rasters."""
        return stamps(source.path for source in self.sources)

    @property
    def key(self) -> Any:
        """A key that is equal for settings with the same paths and options."""
        return (self.sources, repr(self.named))

    def __dask_tokenize__(self) -> Any:
        # Dask identifies its results by this token.
        return (self.key, self._seen)

    def open(self) -> Stack:
        """A separate stack, which the caller closes."""
        rasters: Any = list(self.sources)
        return Stack(rasters, **self.named)

    def check(self, stack: Stack) -> None:
        """Raises an error if a stack differs from the one in the driver process."""
        if self.dtypes and stack.dtypes != self.dtypes:
            raise PlumbError(
                "the rasters' columns or types have changed since the data frame was made: make "
                "it again",
                "changed",
            )


def stack(settings: Settings) -> Stack:
    """The process's stack for these settings. It is opened on first use, and again if a file was
    replaced or changed."""
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
