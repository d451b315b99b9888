"""Series: the values of all dates of rasters at points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from ._error import PlumbTypeError
from ._lazy import is_lazy
from ._sampler import Sampler, series_of, settings_of, sources_of
from ._stack import Stack

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray as xr
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from . import _typing as T
    from ._dated import SeriesResult
    from ._typing import Dates, Progress, Rasters


@overload
def series(
    rasters: Rasters,
    points: Any = None,
    y: Any = None,
    *,
    x: Any = None,
    geometry: str | None = None,
    out: Literal["xarray"],
    **settings: Unpack[T.OpenedSeries],
) -> xr.Dataset: ...
@overload
def series(
    rasters: Rasters,
    points: T.Frame,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    long: bool = False,
    **settings: Unpack[T.OpenedSeries],
) -> T.Frame: ...
@overload
def series(
    rasters: Rasters,
    points: xr.Dataset,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    long: bool = False,
    **settings: Unpack[T.OpenedSeries],
) -> xr.Dataset: ...
@overload
def series(
    rasters: Rasters,
    points: pl.LazyFrame,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    long: bool = False,
    **settings: Unpack[T.OpenedSeries],
) -> pl.LazyFrame: ...
@overload
def series(
    rasters: Rasters,
    points: T.Table,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    long: bool = False,
    **settings: Unpack[T.OpenedSeries],
) -> T.Table: ...
@overload
def series(
    rasters: Rasters,
    points: T.Points,
    y: ArrayLike | None = None,
    *,
    long: Literal[True],
    **settings: Unpack[T.OpenedSeries],
) -> pd.DataFrame: ...
@overload
def series(
    rasters: Rasters,
    points: T.Points,
    y: ArrayLike | None = None,
    **settings: Unpack[T.OpenedSeries],
) -> SeriesResult: ...
@overload
def series(
    rasters: Rasters,
    *,
    x: ArrayLike,
    y: ArrayLike,
    **settings: Unpack[T.OpenedSeries],
) -> SeriesResult: ...
def series(
    rasters: Rasters, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
    geometry: str | None = None, dates: Dates = None, group: str | None = None, start: Any = None,
    end: Any = None, valid: str | None = None, long: bool = False, out: str | None = None,
    bands: Sequence[int] | None = None, resampling: str = "nearest", scaled: bool = False,
    status: bool = False, strict: bool = False, cache: int | None = None,
    threads: int | None = None, connections: int | None = None, anywhere: bool = False,
    progress: Progress = None,
) -> Any:  # fmt: skip
    """Reads all dates of rasters at points: one column for each date of a raster.

    Args:
        rasters: The rasters, as for `plumb.sample`, each with files of several dates; or a `Stack`
            that was opened with ``dates``.
        points: The points, as for `plumb.sample`.
        y: As for `plumb.sample`.
        x: As for `plumb.sample`.
        crs: The points' CRS, as for `plumb.sample`.
        geometry: The name of the table's column of points, in GeoArrow's layouts or as WKB.
        dates: The dates of the rasters' files: a pattern for their names without extension, such as
            MOD13Q1_%Y%j, with the codes of strptime and the wildcards * and ?; tag:ITEM, a metadata
            item such as an acquisition time; or a CSV file with the columns file, date and
            optionally end. A list for several. Variables of arrays (FILE#VARIABLE) and assets of
            STAC items (FILE.json#ASSET) have their own dates.
        group: The files of one date: those of equal time, or those of one day in UTC. Default:
            time; day for STAC items, and if files cover different areas. One of ``time``, ``day``.
        start: The first date of the series.
        end: The last date of the series, inclusive.
        valid: Use only dates whose cells meet this condition on the rasters, such as (qa & 3) = 0.
            It has the operators & | ^ << >> on integers.
        long: Return a row for each date: the columns of the points, then ``stack``, ``band``,
            ``date``, ``value`` and ``status``.
        out: ``xarray`` for a Dataset with the dimensions of the points, or ``point``, and ``time``,
            with NaN where there is no value.
        bands: Bands, from 1. Default: all.
        resampling: The value at a point: that of its cell, or a double interpolated from 4 or 16
            cells. Default: nearest. One of ``nearest``, ``bilinear``, ``cubic``.
        scaled: Apply scale and offset; the values are then doubles.
        status: Add a column NAME_DATE_status for each date.
        strict: Fail on uncertain transformations, warnings about layers, and rows whose values
            cannot be read.
        cache: Memory for decoded tiles. Default: 512 MB. In bytes.
        threads: The number of threads. Default: one per processor.
        connections: The maximum number of simultaneous requests to servers in the process. Default:
            8.
        anywhere: Allow files to refer to other folders and the network.
        progress: True for a bar, or a function that is called with the completed share.

    Returns:
        A `SeriesResult` for arrays. For a table, a table of the same kind with the columns
        ``NAME_2025-03-22``, or ``NAME_2025-03-22T06:00Z`` with times of day, added. With ``long``,
        a table with a row for each point, band and date; for arrays, a pandas DataFrame with the
        column ``point``.

    Raises:
        PlumbError: with a ``code``; `PlumbTypeError` and `PlumbValueError` for wrong arguments.
    """
    if isinstance(rasters, Stack):
        given = (bands, resampling, scaled, cache, threads, connections, anywhere, dates, group)
        if given != (None, "nearest", False, None, None, None, False, None, None):
            raise PlumbTypeError(
                "a Stack has the settings with which it was opened: give dates, bands and others "
                "to plumb.Stack"
            )
        stack: Any = rasters
        return stack.series(
            points, y, x=x, crs=crs, geometry=geometry, start=start, end=end, valid=valid,
            long=long, out=out, status=status, strict=strict, progress=progress,
        )  # fmt: skip
    if is_lazy(points):
        opened: Any = Stack(
            rasters, bands=bands, resampling=resampling, scaled=scaled, cache=cache,
            threads=threads, connections=connections, anywhere=anywhere, dates=dates, group=group,
        )  # fmt: skip
        return opened.series(
            points, y, x=x, crs=crs, geometry=geometry, start=start, end=end, valid=valid,
            long=long, out=out, status=status, strict=strict, progress=progress,
        )  # fmt: skip
    settings = settings_of(
        bands, resampling, scaled, False, cache, threads, connections, anywhere, once=True,
        dates=dates, group=group,
    )  # fmt: skip
    sources = sources_of(rasters, scaled)
    return series_of(
        lambda: Sampler(sources, settings), points, x, y, crs, geometry, start, end, valid, long,
        out, status, strict, progress,
    )  # fmt: skip
