"""Areas within a distance of shapes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, overload

from . import _native
from ._checks import flags, index_of, same_index
from ._crs import crs_text
from ._error import PlumbTypeError, PlumbValueError
from ._points import doubles
from ._shapes import ShapeInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    import geopandas as gpd
    import pyarrow as pa
    import shapely
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from . import _typing as T
    from ._typing import Progress


@overload
def buffer(
    shapes: T.Table,
    distance: ArrayLike | str,
    *,
    union: bool = False,
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> T.Table: ...
@overload
def buffer(
    shapes: pa.RecordBatchReader,
    distance: ArrayLike | str,
    *,
    union: bool = False,
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> pa.Table: ...
@overload
def buffer(
    shapes: gpd.GeoDataFrame,
    distance: ArrayLike | str,
    *,
    union: bool = False,
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> gpd.GeoDataFrame: ...
@overload
def buffer(
    shapes: gpd.GeoSeries,
    distance: ArrayLike | str,
    *,
    union: bool = False,
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> gpd.GeoSeries: ...
@overload
def buffer(
    shapes: shapely.Geometry,
    distance: ArrayLike | str,
    *,
    union: bool = False,
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> shapely.Geometry: ...
@overload
def buffer(
    shapes: Sequence[T.Shape] | NDArray[Any],
    distance: ArrayLike,
    *,
    union: Literal[True],
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> shapely.Geometry: ...
@overload
def buffer(
    shapes: Sequence[T.Shape] | NDArray[Any],
    distance: ArrayLike | str,
    *,
    union: bool = False,
    geometry: str | None = None,
    **settings: Unpack[T.Buffered],
) -> NDArray[Any]: ...
def buffer(
    shapes: Any, distance: Any, *, unit: str | None = None, geodesic: bool = False,
    union: bool = False, max_deviation: float | None = None, curve: str | None = None,
    crs: Any = None, out_crs: Any = None, geometry: str | None = None, strict: bool = False,
    threads: int | None = None, progress: Progress = None,
) -> Any:  # fmt: skip
    """Returns the areas within a distance of shapes.

    Args:
        shapes: A GeoDataFrame, a GeoSeries, shapely geometries or a single one, a pyarrow or polars
            table, or a RecordBatchReader with a WKB column.
        distance: A number, a list or the name of a column. The last number of a list also applies
            to all following shapes. Negative distances shrink. A series must have the index
            of the shapes.
        unit: The unit of the distances. One of ``m``, ``km``, ``ft``, ``us-ft``, ``mi``, ``nmi``,
            ``deg``. Default: that of the CRS, and metres for geodesic areas.
        geodesic: Measure along the ellipsoid instead of in the plane of the CRS.
        union: Join all areas into one, without attributes.
        max_deviation: The largest deviation of the outline from the true one, in metres. Default:
            the lesser of 0.2 % of the distance and 0.01.
        curve: The curve of the input's edges between their vertices. Default: geodesic. One of
            ``geodesic``, ``loxodrome``, ``great-elliptic``, ``normal-section``,
            ``shape-preserving``.
        crs: The CRS of the shapes. Default: that of the frame; a different one is an error.
        out_crs: The CRS of the areas. Default: the same.
        geometry: The name of the column of shapes.
        strict: Fail on uncertain transformations, and if the shape of a feature cannot be used.
        threads: The number of threads. Default: one per processor.
        progress: True for a bar, or a function that is called with the completed share.

    Returns:
        The input with areas instead of shapes: a frame keeps its rows, index and columns, but with
        ``union`` it is one row without attributes. GeoParquet metadata and the column of extents
        describe the areas.

    >>> import geopandas, plumb_gis as plumb
    >>> clinics = geopandas.read_file("rasters/clinics.geojson")
    >>> zone = plumb.buffer(clinics, 2, unit="km", geodesic=True, union=True)
    >>> len(zone), round(zone.to_crs(32734).area.sum() / 1e6)
    (1, 340)
    """
    flags(geodesic=geodesic, union=union, strict=strict)
    taken = ShapeInput(shapes, crs, geometry)
    distances = _distances(distance, taken)
    if out_crs is not None and taken.kind == "arrow":
        raise PlumbTypeError("out_crs is only for GeoPandas and shapely: omit it for a table")
    target = crs_text(out_crs, "out_crs")
    options = _native.options(
        crs=taken.crs, out_crs=target, unit=unit, geodesic=geodesic or None, union=union or None,
        max_deviation=max_deviation, curve=curve, strict=strict or None, threads=threads,
        bounds=taken.wants_bounds or None, layout=None if taken.kind == "arrow" else "geoarrow",
    )  # fmt: skip
    from . import _arrow

    room = _arrow.Room()
    polling = _native.Polling(progress, "buffer")
    _native.call(
        "plumb_buffer", ctypes.byref(taken.shapes), distances.ctypes.data, distances.size, options,
        *_native.polled(polling), *room.addresses, polling=polling,
    )  # fmt: skip
    _native.warn()
    return taken.answer(_arrow.Table([room]), union, out_crs)


def _distances(distance: Any, taken: ShapeInput) -> Any:
    import numpy as np

    if isinstance(distance, str):
        values = doubles(taken.column(distance), f"the column {distance}")
    elif isinstance(distance, bool):
        raise PlumbTypeError("distance is a bool: give a number")
    else:
        same_index(taken.index, index_of(distance), ("the shapes", "distance"))
        values = doubles(distance, "distance")
        if not 1 <= values.size <= max(1, taken.count):
            raise PlumbValueError(
                f"there are {values.size} distances and {taken.count} shapes: give one, or at most "
                "one per shape"
            )
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise PlumbValueError(f"distance {row} (from 0) is {values[row]}: give finite numbers")
    return values
