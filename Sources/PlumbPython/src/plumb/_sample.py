"""Sampling of rasters at points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from ._error import PlumbTypeError
from ._raster import Raster
from ._sampler import Sampler, sampled, settings_of, sources_of
from ._stack import Stack

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from . import _typing as T
    from ._result import SampleResult
    from ._tables import JoinedTable
    from ._typing import Progress, Rasters


@overload
def sample(
    rasters: Rasters,
    points: T.Table,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Opened],
) -> T.Table: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Frame,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Opened],
) -> T.Frame: ...
@overload
def sample(
    rasters: Rasters,
    points: T.ArrowStream,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Opened],
) -> JoinedTable: ...
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
) -> Any:  # fmt: skip
    """Samples rasters at points: one column per band, null where there is no value.

    Args:
        rasters: A path, a folder of tiles or a pattern (one mosaic), a URL, ``"name=path"``, an
            open `Raster` or `Stack`, a list of these, or a mapping of names to them.
        points: x of each point, followed by ``y``; or a table of points: a pandas DataFrame, a
            GeoDataFrame or GeoSeries, a pyarrow Table or RecordBatch, a polars DataFrame, or any
            object with ``__arrow_c_stream__``.
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

    Returns:
        A `SampleResult` for arrays. For a table, a table of the same kind with its rows, index and
        columns, and the rasters' columns added. Integers keep their type, in pandas as nullable
        integers.

    Raises:
        PlumbError: with a ``code``; `PlumbTypeError` and `PlumbValueError` for wrong arguments.

    >>> import plumb
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
    if settled == (None, "nearest", False, False, None, None, None, False):
        if isinstance(rasters, (Raster, Stack)):
            return rasters.sample(
                points, y, x=x, crs=crs, geometry=geometry, status=status, provenance=provenance,
                progress=progress,
            )  # fmt: skip
    elif isinstance(rasters, Stack):
        raise PlumbTypeError(
            "a Stack has the settings with which it was opened: give bands, resampling and others "
            "to plumb.Stack"
        )
    elif isinstance(rasters, Raster) and settled[4:] == (None, None, None, False):
        return rasters.sample(
            points, y, x=x, crs=crs, geometry=geometry, bands=bands, resampling=resampling,
            scaled=scaled, status=status, provenance=provenance, progress=progress, pixels=pixels,
        )  # fmt: skip
    settings = settings_of(*settled, once=True)
    sources = sources_of(rasters)
    return sampled(
        lambda: Sampler(sources, settings), points, x, y, crs, geometry, status, provenance,
        progress, pixels,
    )  # fmt: skip
