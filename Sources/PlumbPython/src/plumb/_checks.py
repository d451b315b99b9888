"""Looks at arguments before the library does."""

from __future__ import annotations

from typing import Any

from ._error import PlumbTypeError, PlumbValueError


def flags(**given: Any) -> None:
    """Settings that are on or off.

    Raises:
        PlumbTypeError: for anything but True and False, as a text that says ``False``.
    """
    for name, value in given.items():
        if value is True or value is False or type(value).__name__ in ("bool_", "bool"):
            continue
        raise PlumbTypeError(f"{name} is {value!r}: give True or False")


def method_of(resampling: Any) -> str | None:
    """How values are made from cells; None for the usual way.

    Raises:
        PlumbValueError: for another word.
    """
    if resampling not in ("nearest", "bilinear", "cubic"):
        raise PlumbValueError(f"resampling is {resampling!r}: give nearest, bilinear or cubic")
    return None if resampling == "nearest" else str(resampling)


def same_index(first: Any, second: Any, words: tuple[str, str]) -> None:
    """Values that belong to rows by an index each, as GeoPandas checks them.

    Raises:
        PlumbValueError: when the indexes differ.
    """
    if first is not None and second is not None and not first.equals(second):
        raise PlumbValueError(
            f"the index of {words[0]} differs from that of {words[1]}: align them, or give an "
            "array, which goes by position",
            "index_mismatch",
        )


def index_of(values: Any) -> Any:
    """The index of a series of pandas or GeoPandas, or of a DataArray's one dimension; None of
    anything else."""
    module = type(values).__module__.partition(".")[0]
    if module in ("pandas", "geopandas") and hasattr(values, "array"):
        return getattr(values, "index", None)
    if module == "xarray" and getattr(values, "ndim", 0) == 1:
        return values.indexes.get(values.dims[0])
    return None


def unique_names(names: list[str]) -> None:
    """Names of columns that go into one table.

    Raises:
        PlumbValueError: when two are the same.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PlumbValueError(
                f"two output columns would be called {name}; name the raster otherwise, as "
                "{'name': path}, or the layer in its map",
                "exists",
            )
        seen.add(name)


def present(values: Any) -> Any:
    """The first value that is not missing; None when all are."""
    for value in values:
        if not is_missing(value):
            return value
    return None


def is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def utf8(text: str, where: str) -> bytes:
    """Text as UTF-8.

    Raises:
        PlumbValueError: for one with half of a surrogate pair, as decoding of other bytes leaves it.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise not_utf8(where) from None


def not_utf8(where: str) -> PlumbValueError:
    """The error of bytes that are not UTF-8: what they stand for is not known."""
    return PlumbValueError(
        f"{where}: the text is not UTF-8; decode it from its own encoding before", "bad_input"
    )
