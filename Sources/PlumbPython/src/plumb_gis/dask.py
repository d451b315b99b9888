"""Sampling of rasters with Dask: ``sample`` for its data frames, including dask-geopandas'.

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
    """Samples rasters at the points of a data frame: adds one column per band.

    Each worker process opens the rasters once, and its threads share them and a tile cache. It
    opens the rasters again if a file was replaced or changed. Relative paths are relative to the
    working folder of the calling process.

    Args:
        dataframe: Points in columns, as geometries or as WKB.
        rasters: As for `plumb.sample`.
        x: The column of eastings or longitudes. Default, as for the next: the usual names.
        y: The column of northings or latitudes.
        crs: The points' CRS.
        geometry: The column of points.
        bands: Bands, from 1. Default: all.
        resampling: The value at a point: that of its cell, or a double interpolated from 4 or 16
            cells. Default: nearest. One of ``nearest``, ``bilinear``, ``cubic``.
        scaled: Apply scale and offset; the values are then doubles.
        status: Add a column NAME_status. One for each raster.
        cache: The maximum number of bytes of decoded tiles per worker. Default: 512 MB.
        threads: Threads for each partition; Dask already runs partitions in parallel.
        anywhere: Allow files to refer to other folders and the network.
        pixels: Whether the points are columns and rows of the cells, counted from 0 at the outer
            corner of the first cell. They have no CRS; for rasters that are not georeferenced.
    """
    try:
        import dask.dataframe  # noqa: F401
    except ImportError:
        raise PlumbError(
            "plumb.dask needs Dask: pip install 'dask[dataframe]'", "unsupported"
        ) from None
    from ._checks import flags
    from ._crs import crs_text
    from ._worker import Settings

    if not hasattr(dataframe, "map_partitions"):
        raise PlumbTypeError(
            f"dataframe is of type {type(dataframe).__name__}: give a Dask DataFrame"
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
