"""Sampling of rasters at points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from ._error import PlumbTypeError
from ._lazy import is_lazy
from ._raster import Raster
from ._sampler import Sampler, matching_of, sampled, settings_of, sources_of
from ._stack import Stack

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from . import _typing as T
    from ._dated import DatedResult
    from ._result import SampleResult
    from ._tables import JoinedTable
    from ._typing import Dates, Progress, Rasters, Window


@overload
def sample(
    rasters: Rasters,
    points: Any = None,
    y: Any = None,
    *,
    x: Any = None,
    geometry: str | None = None,
    when: Any = None,
    out: Literal["xarray"],
    **settings: Unpack[T.Opened],
) -> xr.Dataset: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Frame,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    when: str | T.Times | None = None,
    **settings: Unpack[T.Opened],
) -> T.Frame: ...
@overload
def sample(
    rasters: Rasters,
    points: xr.Dataset,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    when: str | T.Times | None = None,
    **settings: Unpack[T.Opened],
) -> xr.Dataset: ...
@overload
def sample(
    rasters: Rasters,
    points: pl.LazyFrame,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    when: str | T.Times | None = None,
    **settings: Unpack[T.Opened],
) -> pl.LazyFrame: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Table,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    when: str | T.Times | None = None,
    **settings: Unpack[T.Opened],
) -> T.Table: ...
@overload
def sample(
    rasters: Rasters,
    points: T.ArrowStream,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    when: str | T.Times | None = None,
    **settings: Unpack[T.Opened],
) -> JoinedTable: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Points,
    y: ArrayLike | None = None,
    *,
    when: T.Times,
    **settings: Unpack[T.Opened],
) -> DatedResult: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Points,
    y: ArrayLike | None = None,
    **settings: Unpack[T.Opened],
) -> SampleResult: ...
@overload
def sample(
    rasters: Rasters,
    *,
    x: ArrayLike,
    y: ArrayLike,
    **settings: Unpack[T.Opened],
) -> SampleResult: ...
def sample(
    rasters: Rasters, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
    geometry: str | None = None, bands: Sequence[int] | None = None, resampling: str = "nearest",
    scaled: bool = False, status: bool = False, provenance: bool = False,
    cache: int | None = None, threads: int | None = None, connections: int | None = None,
    anywhere: bool = False, progress: Progress = None, pixels: bool = False,
    dates: Dates = None, group: str | None = None, when: Any = None, match: str | None = None,
    within: Window = None, valid: str | None = None, search: str | None = None,
    interpolate: str | None = None, reduce: str | Sequence[str] | None = None,
    strict: bool = False, out: Any = None,
) -> Any:  # fmt: skip
    """Samples rasters at points: one column per band, null where there is no value.

    Args:
        rasters: A path, a folder of tiles or a pattern (one mosaic), a URL, ``"name=path"``, an
            open `Raster` or `Stack`, an open dataset of rasterio, an array or a dataset as
            rioxarray opens it, a file of fsspec, a list of these, or a mapping of names to them.
        points: x of each point, followed by ``y``; or a table of points: a pandas DataFrame, a
            GeoDataFrame or GeoSeries, a pyarrow Table or RecordBatch, a polars DataFrame or
            LazyFrame, an xarray Dataset, or any object with ``__arrow_c_stream__``. x and y may be
            DataArrays of any shape; dimensions that only one of them has are combined.
        y: y of each point: northing or latitude.
        x: With a table, the name of its column of eastings or longitudes, and ``y`` that of
            northings or latitudes; by default a column of geometries, then the usual names.
        crs: The points' CRS. Default: that of the table, EPSG:4326 for columns named longitude and
            latitude, else the rasters' CRS. One that differs from the table's is an error.
        geometry: The name of the table's column of points, in GeoArrow's layouts or as WKB.
        bands: Bands, from 1. Default: all.
        resampling: The value at a point: that of its cell, or a double interpolated from 4 or 16
            cells. Default: nearest. One of ``nearest``, ``bilinear``, ``cubic``.
        scaled: Apply scale and offset; the values are then doubles.
        status: Add a column NAME_status. One for each raster, in a table.
        provenance: Add columns NAME_file, NAME_row and NAME_column.
        cache: Memory for decoded tiles. Default: 512 MB. In bytes.
        threads: The number of threads. Default: one per processor.
        connections: The maximum number of simultaneous requests to servers in the process. Default:
            8.
        anywhere: Allow files to refer to other folders and the network.
        progress: True for a bar, or a function that is called with the completed share, from 0 to
            1.
        pixels: Whether the points are columns and rows of the cells, counted from 0 at the outer
            corner of the first cell. They have no CRS; for rasters that are not georeferenced.
        dates: The dates of the rasters' files: a pattern for their names without extension, such as
            MOD13Q1_%Y%j, with the codes of strptime and the wildcards * and ?; tag:ITEM, a metadata
            item such as an acquisition time; or a CSV file with the columns file, date and
            optionally end. A list for several. Variables of arrays (FILE#VARIABLE) and assets of
            STAC items (FILE.json#ASSET) have their own dates.
        group: The files of one date: those of equal time, or those of one day in UTC. Default:
            time; day for STAC items, and if files cover different areas. One of ``time``, ``day``.
        when: The time of each point: the name of a column of the table, or an array. Each raster
            returns its value on the matching date. Datetimes, dates (which count as noon; naive
            datetimes of pandas, xarray and NumPy that are all midnight are dates, unless a date of
            the rasters has a time of day), ISO 8601 text, or seconds or milliseconds since 1970.
            A series of pandas has the index of the points. ``"column:%d/%m/%Y"`` names the format
            of text, ``"column:s"`` the unit of numbers: s, ms, us or ns.
        match: The matching date: the nearest date (if two are equally near, the earlier one), the
            last date before, or the first date after the time. Default: nearest. One of
            ``nearest``, ``before``, ``after``.
        within: The largest distance of a date from the time, with the unit s, min, h, d or w.
        valid: Use only dates whose cells meet this condition on the rasters, such as (qa & 3) = 0.
            It has the operators & | ^ << >> on integers.
        search: Where no date is valid at the point, use the nearest cell on the ground that has a
            valid date, within this distance, for example 500m. Adds a column NAME_distance, in
            metres.
        interpolate: Return the value on the line between the nearest dates with a value before and
            after the time, both at a distance of at most within. One of ``linear``.
        reduce: Return statistics of the values of all dates at a distance of at most within from
            the time: mean, min, max, count and slope (per day, by least squares), separated by
            commas.
        strict: Fail on uncertain transformations, warnings about layers, and rows whose values
            cannot be read.
        out: ``xarray`` for a Dataset with the dimensions of the points, or ``point``, and with NaN
            where there is no value.

    Returns:
        A `SampleResult` for arrays, or a `DatedResult` with ``when``. For a table, a table of the
        same kind with its rows, index and columns, and the rasters' columns added. Integers keep
        their type, in pandas as nullable integers; in xarray they are float64.

    Raises:
        PlumbError: with a ``code``; `PlumbTypeError` and `PlumbValueError` for wrong arguments.

    >>> import plumb_gis as plumb
    >>> plumb.sample("rasters/dem", [18.6, 2.35], [-34.1, 48.86])["dem"]
    masked_array(data=[29, --],
                 mask=[False,  True],
           fill_value=-32768,
                dtype=int16)
    >>> import pandas
    >>> towns = pandas.DataFrame({"lon": [18.45, 18.65], "lat": [-34.05, -34.25]}, index=["a", "b"])
    >>> plumb.sample({"evi": "rasters/evi_cape_town.tif"}, towns, status=True)
         lon    lat   evi evi_status
    a  18.45 -34.05  3941         ok
    b  18.65 -34.25  <NA>     nodata
    """
    settled = (bands, resampling, scaled, pixels, cache, threads, connections, anywhere)
    is_plain = settled == (None, "nearest", False, False, None, None, None, False)
    matching = matching_of(match, within, valid, search, interpolate, reduce, strict)
    if isinstance(rasters, Stack):
        if not is_plain or dates is not None or group is not None:
            raise PlumbTypeError(
                "a Stack has the settings with which it was opened: give bands, resampling and "
                "others to plumb.Stack"
            )
        return rasters.sample(
            points, y, x=x, crs=crs, geometry=geometry, status=status, provenance=provenance,
            progress=progress, when=when, match=match, within=within, valid=valid,
            search=search, interpolate=interpolate, reduce=reduce, strict=strict, out=out,
        )  # fmt: skip
    if when is None and (dates is not None or group is not None):
        raise PlumbTypeError("dates needs when: the times of the points; or call plumb.series")
    is_own = settled[4:] == (None, None, None, False) and when is None and not matching
    if isinstance(rasters, Raster) and is_own:
        return rasters.sample(
            points, y, x=x, crs=crs, geometry=geometry, bands=bands, resampling=resampling,
            scaled=scaled, status=status, provenance=provenance, progress=progress, pixels=pixels,
            out=out,
        )  # fmt: skip
    if is_lazy(points):
        opened = Stack(
            rasters, bands=bands, resampling=resampling, scaled=scaled, cache=cache,
            threads=threads, connections=connections, anywhere=anywhere, pixels=pixels,
            dates=dates, group=group,
        )  # fmt: skip
        return sample(
            opened, points, y, x=x, crs=crs, geometry=geometry, status=status,
            provenance=provenance, progress=progress, when=when, match=match, within=within,
            valid=valid, search=search, interpolate=interpolate, reduce=reduce, strict=strict,
            out=out,
        )  # fmt: skip
    settings = settings_of(*settled, once=True, dates=dates, group=group)
    sources = sources_of(rasters, scaled)
    return sampled(
        lambda: Sampler(sources, settings), points, x, y, crs, geometry, status, provenance,
        progress, pixels, when, matching, out,
    )  # fmt: skip
