"""Rasters sampled by Dask: ``sample`` for its data frames, dask-geopandas' among them.

Importing this module needs no Dask; calling it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._error import PlumbError, PlumbTypeError

if TYPE_CHECKING:
    from ._typing import Rasters
    from ._worker import Settings


def sample(
    dataframe: Any, rasters: Rasters, *, x: str | None = None, y: str | None = None,
    crs: Any = None, geometry: str | None = None, bands: Sequence[int] | None = None,
    resampling: str = "nearest", scaled: bool = False, status: bool = False,
    cache: int | None = None, threads: int | None = 1, anywhere: bool = False,
    pixels: bool = False,
) -> Any:  # fmt: skip
    """What rasters hold at a data frame's points: its columns, then one a band.

    Each process that works opens the rasters once and keeps them, and one cache of tiles, which
    its threads share; it opens them again when a file was replaced or changed. Relative paths are
    those of the process that calls this. The arguments are those of `plumb.sample`; ``threads``
    are those of each partition, which Dask works on side by side already.
    """
    try:
        import dask.dataframe  # noqa: F401
    except ImportError:
        raise PlumbError(
            "plumb.dask needs Dask: pip install 'plumb-gis[dask]'", "unsupported"
        ) from None
    from ._checks import flags
    from ._points import crs_text
    from ._worker import Settings

    if not hasattr(dataframe, "map_partitions"):
        raise PlumbTypeError(
            f"dataframe is of type {type(dataframe).__name__}: give a DataFrame of Dask's"
        )
    flags(status=status)
    settings = Settings(rasters, bands, resampling, scaled, cache, threads, anywhere, pixels)
    points: dict[str, Any] = {"x": x, "y": y, "crs": crs_text(crs), "geometry": geometry}
    with settings.open() as stack:
        meta = stack.sample(dataframe._meta, status=status, **points)
        settings.dtypes = stack.dtypes
    return dataframe.map_partitions(_partition, settings, points, status, meta=meta)


def _partition(frame: Any, settings: Settings, points: dict[str, Any], status: bool) -> Any:
    from . import _worker

    return _worker.stack(settings).sample(frame, status=status, **points)
