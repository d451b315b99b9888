"""Attributes of fences and locations as JSON, with exact numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ._checks import is_missing
from ._error import PlumbTypeError, PlumbValueError

if TYPE_CHECKING:
    from ._arrow import Table
    from ._shapes import ShapeInput


def fence_attributes(shapes: ShapeInput) -> bytes | None:
    """The attributes of fences: the columns other than the shapes; None if there are none."""
    if shapes.kind == "frame":
        return frame_json(shapes.source)
    if shapes.kind == "arrow":
        return table_json(shapes.table, 0, shapes.count, but=shapes.at)
    return None


def frame_json(frame: Any) -> bytes | None:
    """The rows of a pandas frame, without its geometries."""
    columns: dict[str, Sequence[Any]] = {}
    for at, name in enumerate(str(name) for name in frame.columns):
        series = frame.iloc[:, at]
        if series.dtype == "geometry":
            continue
        if name in columns:
            raise PlumbValueError(f"there are several columns {name}: rename one", "ambiguous")
        columns[name] = _series(series)
    return rows_json(columns, len(frame)) if columns else None


def _series(series: Any) -> Sequence[Any]:
    kind = series.dtype.kind
    # Times keep all their digits only as strings.
    if kind == "M":
        zone = getattr(series.dtype, "tz", None) is not None
        if zone:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return _times(series.to_numpy(), zone)
    if kind == "f" and series.dtype == "float32":
        return list(map(float, series))
    out: list[Any] = series.tolist()
    return out


def table_json(table: Table, first: int, last: int, but: int | None = None) -> bytes | None:
    """Rows of an Arrow table, without geometries and types that JSON lacks."""
    columns: dict[str, Sequence[Any]] = {}
    for index, field in enumerate(table.field.children):
        if index == but or field.is_binary or field.extension.startswith(("geoarrow", "ogc.")):
            continue
        try:
            values, mask = table.column(index).decoded()
        except PlumbTypeError:
            continue
        values, mask = values[first:last], mask[first:last]
        if values.dtype.kind == "M":
            rows = _times(values, len(field.format) > 4)
        else:
            rows = values.tolist()
        if field.name in columns:
            raise PlumbValueError(
                f"there are several columns {field.name}: rename one", "ambiguous"
            )
        columns[field.name] = [None if null else one for one, null in zip(rows, mask.tolist())]
    return rows_json(columns, last - first) if columns else None


def rows_json(columns: Mapping[str, Sequence[Any]], count: int) -> bytes:
    """An array with one object per row."""
    names = list(columns)
    plain = [[_plain(value) for value in columns[name]] for name in names]
    rows = [dict(zip(names, row)) for row in zip(*plain)] if names else [{}] * count
    return json.dumps(rows, allow_nan=False, default=str).encode()


def _plain(value: Any) -> Any:
    """A value in JSON: non-finite numbers are null, decimals are numbers."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if is_missing(value):
        return None
    if kind is Decimal:
        whole = value.is_finite() and value == value.to_integral_value()
        return int(value) if whole else _plain(float(value))
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            text = value.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec="auto")
            return text + "Z"
        return value.isoformat(timespec="auto")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if kind is list or kind is tuple:
        return [_plain(one) for one in value]
    if kind.__name__ == "datetime64":
        return str(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist()) if getattr(value, "ndim", 0) == 0 else value.tolist()
    return value


def _times(values: Any, has_zone: bool) -> list[str | None]:
    """Times as ISO 8601 in milliseconds, or finer if needed."""
    import numpy as np

    unit = "D" if values.dtype == "M8[D]" else "ms"
    if unit == "ms" and not (values.astype("M8[ms]") == values)[~np.isnat(values)].all():
        unit = np.datetime_data(values.dtype)[0]
    written: Any = np.datetime_as_string
    texts: list[str] = written(values, unit=unit).tolist()
    end = "Z" if has_zone and unit != "D" else ""
    return [None if text == "NaT" else text + end for text in texts]
