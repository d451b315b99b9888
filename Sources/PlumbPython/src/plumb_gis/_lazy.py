"""Points in lazy frames of polars."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._error import PlumbTypeError
from ._points import loaded

if TYPE_CHECKING:
    import polars as pl


def is_lazy(points: Any) -> bool:
    """Whether the points are a LazyFrame."""
    polars = loaded("polars")
    return polars is not None and isinstance(points, polars.LazyFrame)


def lazily(
    points: pl.LazyFrame, call: Callable[[Any], Any], out: str | None = None, by_row: bool = True
) -> Any:
    """A LazyFrame with the columns that a call adds to a frame.

    The call runs at once on a frame without rows, for the types of its columns and to check its
    arguments.

    Args:
        points: The points.
        call: A function of a DataFrame, which can be pickled.
        out: The requested kind of the result; only None is possible.
        by_row: Whether the call returns a row for each row.

    Raises:
        PlumbTypeError: if another kind is requested.
    """
    import polars

    if out is not None:
        raise PlumbTypeError(f"out is {out!r}, and the points are a LazyFrame: give a DataFrame")
    schema = call(polars.DataFrame(schema=points.collect_schema())).schema
    # Conditions and selections may refer to the new columns.
    return points.map_batches(
        call, schema=schema, predicate_pushdown=False, projection_pushdown=False,
        slice_pushdown=by_row, streamable=True,
    )  # fmt: skip
