"""Coordinates from arrays, columns and geometries."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ._checks import article, index_of, is_missing, same_index
from ._error import PlumbTypeError, PlumbValueError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

# Pairs of usual names in lower case, as in the command, and whether they are in degrees.
_USUAL: tuple[tuple[tuple[str, ...], tuple[str, ...], bool], ...] = (
    (("x",), ("y",), False),
    (("lon", "lng", "long"), ("lat",), True),
    (("longitude",), ("latitude",), True),
    (("easting",), ("northing",), False),
)
# Used if none of the above exists; the first match counts.
_OTHERS: tuple[tuple[tuple[str, ...], tuple[str, ...], bool], ...] = (
    (("decimallongitude",), ("decimallatitude",), True),
    (("decimal_longitude",), ("decimal_latitude",), True),
    (("longitude_deg",), ("latitude_deg",), True),
    (("longitude_degrees",), ("latitude_degrees",), True),
    (("lon_deg", "long_deg"), ("lat_deg",), True),
    (("lon_dd", "long_dd", "londd", "longdd"), ("lat_dd", "latdd"), True),
    (("lon_wgs84", "long_wgs84", "longitude_wgs84"), ("lat_wgs84", "latitude_wgs84"), True),
    (("gps_lon", "gps_long", "gps_lng", "gps_longitude"), ("gps_lat", "gps_latitude"), True),
    (("location-long", "location_long"), ("location-lat", "location_lat"), True),
    (("longitud",), ("latitud",), True),
    (("point_x",), ("point_y",), False),
    (("eastings",), ("northings",), False),
    (("east",), ("north",), False),
    (("x_coord", "xcoord"), ("y_coord", "ycoord"), False),
    (("coord_x", "coordx"), ("coord_y", "coordy"), False),
    (("x_coordinate",), ("y_coordinate",), False),
    (("utm_e", "utm_x", "utm_easting"), ("utm_n", "utm_y", "utm_northing"), False),
)

# Names of columns and rows of cells; the first match counts.
_CELLS: tuple[tuple[tuple[str, ...], tuple[str, ...], bool], ...] = (
    (("column", "col"), ("row",), False),
    (("pixel",), ("line",), False),
    (("x",), ("y",), False),
)


def doubles(values: Any, name: str) -> Doubles:
    """One coordinate as contiguous float64; masked values and nulls are NaN.

    A contiguous float64 array is used without a copy.
    """
    import numpy as np

    mask: Any = None
    if type(values).__module__.partition(".")[0] == "xarray":
        values = values.to_numpy()
    # An import of NumPy for this check would take longer than sampling a point.
    ma = sys.modules.get("numpy.ma")
    if ma is not None and isinstance(values, ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        values = values.data
    elif not isinstance(values, np.ndarray):
        values, mask = _plain(values, name)
    if values.dtype == object:
        values = _from_objects(values, name)
    kind = values.dtype.kind
    if kind in "US":
        raise PlumbTypeError(
            f"{name} holds text, not numbers: convert it with {name}.astype(float)"
        )
    if kind not in "fiu":
        raise PlumbTypeError(
            f"{name} is of type {values.dtype}, which is not a coordinate: give floats or integers"
        )
    if values.ndim == 0:
        values = values.reshape(1)
    if values.ndim != 1:
        shape = " × ".join(str(size) for size in values.shape)
        raise PlumbValueError(
            f"{name} has the shape {shape}: give one value per point, as in {name}.ravel()"
        )
    out: Doubles = np.ascontiguousarray(values, dtype=np.float64)
    if not out.flags.aligned:
        out = out.copy()
    if mask is not None and mask.any():
        out = np.where(mask, np.nan, out)
    return out


def _plain(values: Any, name: str) -> tuple[Any, Any]:
    """An array and a mask from a series, an Arrow array or a sequence of numbers."""
    import numpy as np

    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        return _pandas_values(values)
    if module == "polars" and not _exports_decimals(values):
        return _polars_values(values, name)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        from ._arrow import Table

        table = Table(values, name)
        if table.is_table:
            raise PlumbTypeError(f"{name} is a table: give one of its columns")
        return table.alone().doubles(name), None
    if isinstance(values, (str, bytes)):
        raise PlumbTypeError(
            f"{name} is text, not numbers: with a table, give the table before {name}="
        )
    if isinstance(values, (set, dict)) or values is None:
        raise PlumbTypeError(f"{name} is {article(values)}: give an array of numbers")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise PlumbTypeError(f"{name} is not an array of numbers ({error})") from None
    if array.size == 0:
        array = array.astype(np.float64)
    return array, None


def _from_objects(values: Any, name: str) -> Any:
    """Python numbers and decimals, some of them missing, as float64."""
    import numpy as np

    if values.ndim > 1:
        return values.astype(np.float64) if values.size == 0 else values
    from decimal import Decimal
    from numbers import Real

    def number(value: Any) -> float:
        if isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_)):
            return float(value)
        if is_missing(value):
            return float("nan")
        raise PlumbTypeError(
            f"{name} contains Python objects, not numbers: convert it with {name}.astype(float)"
        )

    return np.fromiter(map(number, values.reshape(-1)), np.float64, values.size)


def _exports_decimals(values: Any) -> bool:
    return bool(values.dtype.is_decimal()) and hasattr(values, "__arrow_c_stream__")


def _pandas_values(values: Any) -> tuple[Any, Any]:
    dtype = values.dtype
    # A nullable column has a separate mask; its numbers are not changed.
    if getattr(dtype, "numpy_dtype", None) is not None and getattr(dtype, "kind", "O") in "fiu":
        array = values.array if hasattr(values, "array") else values
        mask = array.isna()
        return array.to_numpy(dtype="float64", na_value=float("nan")), mask
    return values.to_numpy(), None


def _polars_values(values: Any, name: str) -> tuple[Any, Any]:
    if not values.dtype.is_numeric():
        raise PlumbTypeError(
            f"{name} is of type {values.dtype}, which is not a coordinate: give floats or integers"
        )
    import polars

    return values.cast(polars.Float64).fill_null(float("nan")).to_numpy(), None


def pair(x: Any, y: Any) -> tuple[Doubles, Doubles]:
    """Both coordinates, of equal length."""
    if x is None or y is None:
        missing, there = ("x", "y") if x is None else ("y", "x")
        raise PlumbTypeError(f"{missing} is missing: give it with {there}")
    same_index(index_of(x), index_of(y), ("x", "y"))
    first, second = doubles(x, "x"), doubles(y, "y")
    if first.size != second.size:
        raise PlumbValueError(
            f"x and y have {first.size} and {second.size} values: give one of each per point"
        )
    return first, second


def found_columns(names: list[str], pixels: bool = False) -> tuple[str, str, bool] | None:
    """The columns with the usual names, ignoring case, and whether they are in degrees; with
    ``pixels`` those of columns and rows of cells."""
    lower: dict[str, str] = {}
    for name in names:
        if isinstance(name, str):
            lower.setdefault(name.lower(), name)
    found: list[tuple[str, str, bool]] = []
    for pairs in (_CELLS,) if pixels else (_USUAL, _OTHERS):
        for xs, ys, degrees in pairs:
            x = [lower[word] for word in xs if word in lower]
            y = [lower[word] for word in ys if word in lower]
            if x and y:
                found.append((x[0], y[0], degrees))
        if found:
            break
    if len(found) > 1 and pairs is _USUAL:
        (a, b, _), (c, d, _) = found[:2]
        raise PlumbValueError(
            f"the points have the columns {a}, {b} and {c}, {d}: choose with x= and y=",
            "ambiguous",
        )
    return found[0] if found else None


def chosen_columns(
    names: list[str], x: Any, y: Any, what: str, pixels: bool = False
) -> tuple[str, str, bool] | None:
    """The columns given by x= and y=, otherwise those with the usual names."""
    if x is None and y is None:
        return found_columns(names, pixels)
    if x is None or y is None:
        missing = "x" if x is None else "y"
        raise PlumbTypeError(f"{missing} is missing: name both columns of coordinates")
    for word, name in (("x", x), ("y", y)):
        if not isinstance(name, str):
            raise PlumbTypeError(
                f"{word} is {article(name)}: with {what}, give the name of a column"
            )
        if name not in names:
            raise PlumbValueError(
                f"{word} names the column {name}, and {what} has {listed(names)}", "not_found"
            )
    if x == y:
        raise PlumbValueError(f"x and y name the same column {x}")
    usual = found_columns([x, y])
    return x, y, usual is not None and usual[2]


def listed(names: list[str], most: int = 12) -> str:
    """Names separated by commas, with the number of omitted ones."""
    shown = [str(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return ", ".join(shown) if shown else "none"


def loaded(name: str) -> Any:
    """A module if it is already loaded; otherwise no object can be of its types."""
    return sys.modules.get(name)


def has_arrays(*given: Any) -> bool:
    """Whether one of the arguments is a DataArray or a Dataset."""
    xarray = loaded("xarray")
    return xarray is not None and any(
        isinstance(one, (xarray.DataArray, xarray.Dataset)) for one in given
    )
