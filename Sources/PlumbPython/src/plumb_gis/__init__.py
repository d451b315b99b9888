"""Samples rasters, identifies map layers, traces networks and watches fences.

`sample` samples rasters at points. `Map.identify` identifies the layers of a map. `buffer` draws
areas around shapes, `zonal` computes statistics of cells under areas, `Network` traces utility networks, and `monitor` and `events` report which
moving objects enter and leave which fences (areas). x is always easting or longitude, y northing or
latitude. Every failure is a `PlumbError` with a ``code``.

Only the standard library is imported up front; everything else is imported when needed.
The distribution is `plumb-gis`. Examples, messages and representations use the name of
``import plumb_gis as plumb``.
"""

from __future__ import annotations

from ._error import PlumbError, PlumbImportError, PlumbTypeError, PlumbValueError
from ._version import __version__

# Not the constant of `typing`: importing that module would take longer than all other code here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import dask as dask, spark as spark
    from ._buffer import buffer
    from ._dated import DatedResult, SeriesResult
    from ._map import BatchResult, Element, IdentifyResult, LayerResult, Map
    from ._monitor import Event, Events, Monitor, events, monitor
    from ._network import Isolation, Network, NetworkElement, Segment, Segments, Trace
    from ._raster import Band, Raster
    from ._result import SampleResult
    from ._sample import sample
    from ._series import series
    from ._stack import Stack
    from ._tables import JoinedTable
    from ._warning import PlumbWarning
    from ._zonal import zonal

__all__ = [
    "Band", "BatchResult", "DatedResult", "Element", "Event", "Events", "IdentifyResult", "Isolation",
    "JoinedTable", "LayerResult", "Map", "Monitor", "Network", "NetworkElement", "PlumbError",
    "PlumbImportError", "PlumbTypeError", "PlumbValueError", "PlumbWarning", "Raster",
    "SampleResult", "Segment", "Segments", "SeriesResult", "Stack", "Trace", "__version__", "buffer", "events",
    "monitor", "sample", "series", "zonal",
]  # fmt: skip

_HOMES = {
    "Band": "_raster", "BatchResult": "_map", "DatedResult": "_dated", "Element": "_map", "Event": "_monitor",
    "Events": "_monitor", "IdentifyResult": "_map", "Isolation": "_network",
    "JoinedTable": "_tables", "LayerResult": "_map", "Map": "_map", "Monitor": "_monitor",
    "Network": "_network", "NetworkElement": "_network", "PlumbWarning": "_warning",
    "Raster": "_raster", "SampleResult": "_result", "Segment": "_network", "Segments": "_network", "Stack": "_stack",
    "Trace": "_network", "buffer": "_buffer", "events": "_monitor", "monitor": "_monitor",
    "SeriesResult": "_dated", "sample": "_sample", "series": "_series", "zonal": "_zonal",
}  # fmt: skip

_MODULES = ("dask", "spark")


if not TYPE_CHECKING:
    # Hidden from type checkers, which know the names above and report all others as errors.
    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
