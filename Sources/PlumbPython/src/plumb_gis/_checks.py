"""Checks of arguments before they are passed to the library."""

from __future__ import annotations

from typing import Any

from ._error import PlumbTypeError, PlumbValueError


def flags(**given: Any) -> None:
    """Checks boolean settings.

    Raises:
        PlumbTypeError: for anything except True and False, such as the string ``False``.
    """
    for name, value in given.items():
        if value is True or value is False or type(value).__name__ in ("bool_", "bool"):
            continue
        raise PlumbTypeError(f"{name} is {value!r}: give True or False")


def method_of(resampling: Any) -> str | None:
    """The resampling method; None for the default.

    Raises:
        PlumbValueError: for an unknown word.
    """
    if resampling not in ("nearest", "bilinear", "cubic"):
        raise PlumbValueError(f"resampling is {resampling!r}: give nearest, bilinear or cubic")
    return None if resampling == "nearest" else str(resampling)


def same_index(first: Any, second: Any, words: tuple[str, str]) -> None:
    """Checks that values with an index per row have the same index, as GeoPandas does.

    Raises:
        PlumbValueError: if the indexes differ.
    """
    if first is not None and second is not None and not first.equals(second):
        raise PlumbValueError(
            f"the index of {words[0]} differs from that of {words[1]}: align them, or give an "
            "array, which is matched by position",
            "index_mismatch",
        )


def index_of(values: Any) -> Any:
    """The index of a pandas or GeoPandas series, or of a one-dimensional DataArray; otherwise
    None."""
    module = type(values).__module__.partition(".")[0]
    if module in ("pandas", "geopandas") and hasattr(values, "array"):
        return getattr(values, "index", None)
    if module == "xarray" and getattr(values, "ndim", 0) == 1:
        return values.indexes.get(values.dims[0])
    return None


def unique_names(names: list[str]) -> None:
    """Checks the names of columns for one table.

    Raises:
        PlumbValueError: if two are equal.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PlumbValueError(
                f"two output columns would be called {name}; rename the raster, as in "
                "{'name': path}, or the layer in its map",
                "exists",
            )
        seen.add(name)


def no_clash(given: list[str], added: list[str], what: str, fixed: bool = False) -> None:
    """Checks the names of columns that are added to a table or a dataset.

    Args:
        fixed: Whether the added names do not depend on the names of rasters.

    Raises:
        PlumbValueError: if it has one of them already.
    """
    both = [name for name in added if name in given]
    if both:
        word = "variable" if what == "the dataset" else "column"
        raster = "" if fixed else "rename the raster, as in {'name': path}, or "
        raise PlumbValueError(
            f"{what} already has a {word} {both[0]}: {raster}rename the {word}", "exists"
        )


def present(values: Any) -> Any:
    """The first value that is not missing; None if all are."""
    for value in values:
        if not is_missing(value):
            return value
    return None


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def utf8(text: str, where: str) -> bytes:
    """Text as UTF-8.

    Raises:
        PlumbValueError: for unpaired surrogates, as left by decoding other encodings.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise not_utf8(where) from None


def not_utf8(where: str) -> PlumbValueError:
    """The error for text that is not UTF-8, whose encoding is unknown."""
    return PlumbValueError(
        f"{where}: the text is not UTF-8; decode it from its encoding first", "bad_input"
    )


def article(value: Any) -> str:
    word = type(value).__name__
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
