"""An open monitor of the library."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _native
from ._attributes import fence_attributes
from ._error import PlumbTypeError
from ._paths import is_path, text_of
from ._shapes import ShapeInput


class Watch:
    """An open monitor of the library."""

    def __init__(self, fences: Any, settings: dict[str, Any]) -> None:
        self.holds: Any = None
        structure, files = self._fences(fences, settings)
        options = _native.options(**files, **settings)
        polling = _native.Polling()
        self.handle = _native.opened(
            "plumb_monitor_open", "plumb_monitor_close", "the monitor",
            ctypes.byref(structure) if structure is not None else None, options,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn(5)

    def _fences(self, fences: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if fences is None:
            if not settings.get("raster_fences"):
                raise PlumbTypeError(
                    "the fences are missing: give a file, a GeoDataFrame or shapes"
                )
            return None, {}
        if is_path(fences):
            return None, {"fences": [text_of(fences, "fences")]}
        if isinstance(fences, (list, tuple)) and fences and all(is_path(one) for one in fences):
            return None, {"fences": [text_of(one, "fences") for one in fences]}
        shapes = ShapeInput(fences, None, None)
        out = _native.Fences()
        out.shapes = shapes.shapes
        out.crs = shapes.crs.encode() if shapes.crs else None
        out.attributes = fence_attributes(shapes)
        name = settings.get("name")
        out.name = name.encode() if name else None
        self.holds = shapes
        return out, {}

    def push(self, locations: _native.Locations, as_table: bool, progress: Any = None) -> Any:
        """Passes locations and returns events: lines, or a filled room."""

        def ask(polled: Any, *outs: Any, polling: Any) -> None:
            _native.call(
                "plumb_monitor_push", self.handle.pointer, ctypes.byref(locations), *polled, *outs,
                polling=polling,
            )  # fmt: skip

        return self._events(ask, as_table, progress)

    def follow(self, path: bytes, options: bytes | None) -> None:
        polling = _native.Polling()
        _native.call(
            "plumb_monitor_follow", self.handle.pointer, path, options,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn(5)

    def next(self, as_table: bool, progress: Any = None) -> tuple[bool, Any]:
        """Waits for the feed's next rows: returns whether it continues, and their events."""
        more = ctypes.c_int()

        def ask(polled: Any, *outs: Any, polling: Any) -> None:
            _native.call(
                "plumb_monitor_next", self.handle.pointer, *polled, ctypes.byref(more), *outs,
                polling=polling,
            )  # fmt: skip

        events = self._events(ask, as_table, progress)
        return more.value != 0, events

    def _events(self, ask: Any, as_table: bool, progress: Any) -> Any:
        """The events that a call returns, as lines or as a table."""
        from . import _arrow

        room = _arrow.Room() if as_table else None
        out = ctypes.c_void_p()
        polling = _native.Polling(progress, "events")
        try:
            ask(
                _native.polled(polling), None if room else ctypes.byref(out),
                *(room.addresses if room else (None, None)), polling=polling,
            )  # fmt: skip
            text = _native.taken(out)
        finally:
            _native.freed(out)
        _native.warn(6)
        return room if room is not None else text.splitlines()
