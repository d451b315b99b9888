"""Conversions of results to the tables of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._error import PlumbImportError, PlumbTypeError

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from . import _arrow


def needed(module: str, call: str) -> Any:
    """An optional package.

    Raises:
        PlumbImportError: if it is not installed.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise PlumbImportError(f"{call} needs {module}: pip install {module}") from None


class Tabular:
    """A result that converts to the tables of pandas, GeoPandas, polars, pyarrow, and of any
    library that reads ``__arrow_c_stream__``."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        raise NotImplementedError

    def to_arrow(self) -> pa.Table:
        """A pyarrow table of the columns, null where there is no value."""
        return needed("pyarrow", "to_arrow").table(_Stream(self))

    def to_polars(self) -> pl.DataFrame:
        """A polars frame of the columns, null where there is no value."""
        return needed("polars", "to_polars").DataFrame(_Stream(self))

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame of the columns: nullable integers, and floats with NaN."""
        from . import _arrow

        pandas = needed("pandas", "to_pandas")
        frame: pd.DataFrame = pandas.DataFrame(dict(frame_columns(_arrow.Table(self))))
        return frame

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """The frame of `to_pandas` with geometries.

        Raises:
            PlumbTypeError: if the result has no geometries.
        """
        raise PlumbTypeError(
            f"a plumb.{type(self).__name__} has no geometries: call to_pandas, or give points"
        )


class _Stream:
    """The columns of a result, which may also be a sequence of objects."""

    def __init__(self, result: Tabular) -> None:
        self.__arrow_c_stream__ = result.__arrow_c_stream__


def with_geometry(frame: pd.DataFrame, shapes: Any, crs: Any) -> gpd.GeoDataFrame:
    """A frame with a column of geometries.

    Raises:
        PlumbTypeError: if it has such a column already.
    """
    geopandas = needed("geopandas", "to_geopandas")
    if "geometry" in frame.columns:
        raise PlumbTypeError("the result has a column geometry: rename the raster or the field")
    return geopandas.GeoDataFrame(frame, geometry=shapes, crs=crs)


def frame_columns(table: _arrow.Table) -> list[tuple[str, Any]]:
    """The columns of an Arrow table for pandas: nullable integers and booleans, floats with NaN."""
    import numpy as np
    import pandas as pd

    out: list[tuple[str, Any]] = []
    for index, name in enumerate(table.names):
        values, mask = table.column(index).decoded()
        column: Any = values
        if values.dtype.kind in "iu":
            column = pd.arrays.IntegerArray(values.copy(), mask)
        elif values.dtype.kind == "b":
            column = pd.arrays.BooleanArray(values.copy(), mask)
        elif values.dtype.kind == "f":
            column = np.where(mask, np.nan, values).astype(values.dtype)
        elif values.dtype.kind == "M":
            is_day = np.datetime_data(values.dtype)[0] == "D"
            column = pd.array(values.astype("M8[s]") if is_day else values).copy()
            column[mask] = None
            if not is_day:
                column = column.tz_localize("UTC")
        else:
            column = pd.Series(values).array
        out.append((name, column))
    return out
