"""Points and CRSs from shapely geometries."""

from __future__ import annotations

from typing import Any

from ._checks import is_missing, present
from ._wkb import srid_crs


def is_shapes(points: Any, shapely: Any) -> bool:
    """Whether an object is a shapely geometry, or a list or array of them."""
    if isinstance(points, shapely.Geometry):
        return True
    is_array = getattr(points, "dtype", None) == "O" and getattr(points, "ndim", 0) == 1
    if is_array or isinstance(points, (list, tuple)):
        return isinstance(present(points), shapely.Geometry)
    return False


def shape_points(shapes: Any, crs: Any) -> tuple[Any, Any, Any]:
    """The coordinates of shapely points, NaN for anything except a single point, and their CRS:
    `crs`, or if that is None the one given by the shapes' SRIDs."""
    import numpy as np
    import shapely

    array = np.asarray(shapes, dtype=object)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.size and any(isinstance(one, float) for one in (array[0], array[-1])):
        array = np.array([None if is_missing(one) else one for one in array], dtype=object)
    # GEOS has no coordinates for an empty point.
    empty = shapely.is_empty(array)
    if empty.any():
        array = np.array(array, dtype=object)
        array[empty] = None
    x = np.ascontiguousarray(shapely.get_x(array), dtype=np.float64)
    y = np.ascontiguousarray(shapely.get_y(array), dtype=np.float64)
    return x, y, shape_crs(array, "the array of points") if crs is None else crs


def shape_crs(array: Any, what: str) -> str | None:
    """The one CRS of the SRIDs of shapely geometries."""
    import numpy as np
    import shapely

    there = np.flatnonzero(~shapely.is_missing(array))
    numbers, first = np.unique(shapely.get_srid(array[there]), return_index=True)
    return srid_crs({int(n): int(there[f]) for n, f in zip(numbers, first)}, what)


def shape_areas(xy: Any, rings: Any, polygons: Any, rows: Any) -> Any:
    """Shapely areas from vertices and the starts of rings, polygons and rows, where each array of
    starts also has the end of its last item. A row with one polygon becomes a Polygon, and a row
    without polygons None."""
    import numpy as np
    import shapely

    count = rows.size - 1
    pieces = np.empty(0, dtype=object)
    if len(xy):
        kind = shapely.GeometryType.POLYGON
        pieces = shapely.from_ragged_array(kind, xy, (rings, polygons))
    sizes = np.diff(rows)
    if (sizes == 1).all():
        return pieces
    out = np.full(count, None, dtype=object)
    out[sizes == 1] = pieces[rows[:-1][sizes == 1]]
    several = np.flatnonzero(sizes > 1)
    if several.size:
        members = pieces[np.repeat(sizes > 1, sizes)]
        owners = np.repeat(np.arange(several.size), sizes[several])
        out[several] = shapely.multipolygons(members, indices=owners)
    return out
