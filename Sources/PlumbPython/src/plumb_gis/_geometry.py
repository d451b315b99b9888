"""Geometry columns in Arrow tables: GeoArrow, WKB, GeoParquet metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ._error import PlumbTypeError, PlumbValueError
from ._points import chosen_columns, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._arrow import Table

_NAMES = ("geometry", "geom", "the_geom", "wkb", "wkb_geometry")


def point_columns(
    table: Table, x: Any, y: Any, geometry: str | None, what: str, pixels: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
    """The coordinates in a table, or columns and rows of cells, and their declared CRS."""
    names = table.names
    if geometry is not None:
        if x is not None or y is not None:
            raise PlumbTypeError("geometry= and x=, y= exclude each other: give one")
        return _points(table, named_column(names, geometry, what))
    if x is None and y is None and not pixels:
        at = geometry_column(table, what)
        if at is not None:
            return _points(table, at)
    found = chosen_columns(names, x, y, what, pixels)
    if found is None:
        raise PlumbValueError(
            f"{what} has no known column of points: give x= and y=, or geometry=, from "
            f"{listed(names)}",
            "not_found",
        )
    first = table.column(names.index(found[0])).doubles(f"the column {found[0]}")
    second = table.column(names.index(found[1])).doubles(f"the column {found[1]}")
    return first, second, "EPSG:4326" if found[2] else None


def named_column(names: list[str], name: str, what: str) -> int:
    """The index of a column that the caller names."""
    if name not in names:
        raise PlumbValueError(
            f"geometry names the column {name}, and {what} has {listed(names)}", "not_found"
        )
    if names.count(name) > 1:
        raise PlumbValueError(f"{what} has several columns {name}", "ambiguous")
    return names.index(name)


def geo_metadata(table: Table) -> dict[str, Any]:
    """The GeoParquet metadata of the columns."""
    try:
        geo = json.loads(table.field.metadata.get("geo", "{}"))
        return geo if isinstance(geo, dict) else {}
    except ValueError:
        return {}


def geometry_column(table: Table, what: str) -> int | None:
    """The index of the geometry column; None if there is none.

    Raises:
        PlumbValueError: if there are several, and the metadata has no primary one.
    """
    names = table.names
    primary = geo_metadata(table).get("primary_column")
    if primary in names:
        return names.index(primary)
    fields = table.field.children
    declared = [
        index
        for index, field in enumerate(fields)
        if field.extension.startswith("geoarrow.") or field.extension == "ogc.wkb"
    ]
    usual = [
        index
        for index, field in enumerate(fields)
        if field.is_binary and field.name.lower() in _NAMES
    ]
    found = declared or usual
    if len(found) > 1:
        raise PlumbValueError(
            f"{what} has several columns of geometries: name one of "
            f"{listed([names[index] for index in found])} with geometry=",
            "ambiguous",
        )
    return found[0] if found else None


def column_crs(table: Table, index: int) -> Any:
    """The CRS in a column's metadata."""
    field = table.field.children[index]
    crs = field.crs
    columns = geo_metadata(table).get("columns", {})
    if crs is None and field.name in columns:
        # GeoParquet's default.
        crs = columns[field.name].get("crs", "EPSG:4326")
    return crs


def agreed(declared: Any, named: str | None, what: str) -> Any:
    """The CRS of a column whose metadata and values may each have one."""
    if declared is None or named is None:
        return named if declared is None else declared
    from . import _native
    from ._crs import crs_text

    text = crs_text(declared)
    if text is not None and not _native.same_crs(text, named):
        raise PlumbValueError(
            f"{what} is declared as {_native.crs_label(text)}, and its values are in "
            f"{named}: correct one of them",
            "crs_mismatch",
        )
    return declared


def _points(table: Table, index: int) -> tuple[Any, Any, Any]:
    name = f"the column {table.field.children[index].name}"
    x, y, crs = table.column(index).points(name)
    return x, y, agreed(column_crs(table, index), crs, name)
