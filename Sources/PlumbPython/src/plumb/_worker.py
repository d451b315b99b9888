"""What a worker process of an engine keeps: open rasters, and their one cache of tiles."""

from __future__ import annotations

import os
import threading
from typing import Any

from ._sample import Stack

_stacks: dict[Any, Stack] = {}
_lock = threading.Lock()

# A worker that is asked about ever other rasters lets go of the oldest.
_MOST = 4


class Settings:
    """Rasters and how they are asked, in a form that goes to other processes."""

    def __init__(
        self, paths: tuple[bytes, ...], bands: tuple[int, ...] | None, resampling: str,
        scaled: bool, cache: int | None, threads: int | None, anywhere: bool,
    ) -> None:  # fmt: skip
        self.key = (paths, bands, resampling, scaled, cache, threads, anywhere)

    def open(self) -> Stack:
        """A stack of their own, for who closes it."""
        paths, bands, resampling, scaled, cache, threads, anywhere = self.key
        return Stack(
            [os.fsdecode(path) for path in paths], bands=bands, resampling=resampling,
            scaled=scaled, cache=cache, threads=threads, anywhere=anywhere,
        )  # fmt: skip


def stack(settings: Settings) -> Stack:
    """The process's stack for these settings, opened by whoever comes first."""
    key = (os.getpid(), settings.key)
    with _lock:
        found = _stacks.get(key)
        if found is None:
            while len(_stacks) >= _MOST:
                _stacks.pop(next(iter(_stacks)))
            found = _stacks[key] = settings.open()
        return found
