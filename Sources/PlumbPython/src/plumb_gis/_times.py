"""Times of points, from columns and arrays of any kind."""

from __future__ import annotations

import warnings
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, Literal

from ._checks import is_missing
from ._error import PlumbTypeError, PlumbValueError
from ._points import loaded
from ._warning import PlumbWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Times = NDArray[np.int64]
    Midnights = Literal["", "dates", "times"]

#: The time of a point without one.
NONE = -(1 << 63)
_DAY = 86_400_000_000
_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}


def times_of(values: Any, name: str, layout: str | None = None) -> tuple[Times, Midnights]:
    """Times in microseconds since 1970 in UTC, `NONE` for a missing time, and what datetimes that
    are all midnight are: dates, times, or "" if they are not all midnight.

    Dates without a time of day count as noon. Datetimes without a zone that are all midnight may be
    dates, because pandas and NumPy read dates in this way. Columns of polars and Arrow have a type for
    dates.

    Args:
        values: A series or an array of datetimes, dates, numbers or text.
        name: The name of the values in errors.
        layout: The unit of numbers since 1970, or a pattern of strptime for text.
    """
    import numpy as np

    values, mask, may_be_dates = _plain(values, name)
    if layout is not None and layout not in _UNITS and "%" not in layout:
        raise PlumbValueError(
            f"when: {layout} is not a format of times: s, ms, us, ns, or a pattern such as "
            "%d/%m/%Y"
        )
    is_datetime = values.dtype.kind == "M"
    if values.dtype.kind in "iuf" and layout is not None and "%" in layout:
        out, is_noon, _ = _from_objects(_digits(values), name, layout)
    elif values.dtype.kind in "iuf":
        out, is_noon = _from_numbers(values, layout), False
    elif is_datetime:
        out, is_noon = _from_datetimes(values)
    else:
        out, is_noon, zones = _from_objects(values, name, layout)
        is_datetime = zones != "text"
        may_be_dates = may_be_dates and zones == "naive"
    if mask is not None:
        out[mask] = NONE
    known = out[out != NONE]
    if is_noon and known.size > 0:
        _warn(f"{name}: {_NOON}", 6)
    midnights: Midnights = ""
    if is_datetime and not is_noon and known.size > 0 and not (known % _DAY).any():
        midnights = "dates" if may_be_dates else "times"
    return np.ascontiguousarray(out), midnights


def at_noon(times: Times, midnights: Midnights, name: str) -> Times:
    """Times on rasters whose dates count as noon: midnights that are dates are noon, too."""
    import numpy as np

    if midnights == "times":
        _warn(
            f"{name}: all times are 00:00 UTC, and the dates of the rasters count as 12:00 UTC; give "
            "dates if the times are dates",
            5,
        )
        return times
    _warn(f"{name}: {_NOON}", 5)
    return np.where(times == NONE, times, times + _DAY // 2)


_NOON = "dates without a time of day count as 12:00 UTC"


def _warn(text: str, level: int) -> None:
    warnings.warn(text, PlumbWarning, stacklevel=level)


def _digits(values: Any) -> Any:
    """Whole numbers as text; None for other numbers."""
    import numpy as np

    texts = [str(int(value)) if float(value).is_integer() else None for value in values.tolist()]
    return np.array(texts, dtype=object)


def _plain(values: Any, name: str) -> tuple[Any, Any, bool]:
    """A one-dimensional array, which values are missing, and whether its datetimes may be dates."""
    import numpy as np

    if isinstance(values, tuple):
        # A decoded Arrow column.
        return (*values, False)
    module = type(values).__module__.partition(".")[0]
    pandas = loaded("pandas")
    if pandas is not None and isinstance(values, (pandas.Series, pandas.Index)):
        has_zone = getattr(values.dtype, "tz", None) is not None
        if has_zone:
            local = values.dt if isinstance(values, pandas.Series) else values
            values = local.tz_convert("UTC")
            local = values.dt if isinstance(values, pandas.Series) else values
            values = local.tz_localize(None)
        mask = np.asarray(values.isna())
        if values.dtype.kind in "iuf":
            return values.to_numpy(dtype="float64", na_value=np.nan), mask, True
        return values.to_numpy(), mask, not has_zone
    if module in ("polars", "pyarrow"):
        from ._arrow import Table

        column = Table(values, name)
        if column.is_table:
            raise PlumbTypeError(f"{name} is a table: give one of its columns")
        return (*column.alone().decoded(), False)
    if isinstance(values, (str, bytes, dict)) or values is None:
        raise PlumbTypeError(f"{name} is {type(values).__name__}: give a time for each point")
    if isinstance(values, (datetime, date)):
        values = [values]
    array = np.asarray(values)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1:
        raise PlumbValueError(f"{name} is not one-dimensional: give a time for each point")
    return array, None, True


def _from_numbers(values: Any, layout: str | None) -> Any:
    """Times from numbers since 1970; without a unit seconds or milliseconds, by their size."""
    import numpy as np

    numbers = values.astype(np.float64)
    out = np.full(numbers.shape, NONE, dtype=np.int64)
    size = np.abs(numbers)
    if layout is None:
        # Smaller numbers are more likely to be years, or dates such as 20250322.
        units = np.where(size >= 1e11, 1e3, 1e6)
        known = size >= 1e8
    else:
        if layout not in _UNITS:
            raise PlumbTypeError(f"when: the format {layout} is for text, and the times are numbers")
        units = np.full(numbers.shape, _UNITS[layout])
        known = np.isfinite(size)
    times = np.floor(numbers * units)
    known &= np.abs(times) < 4e17
    out[known] = times[known].astype(np.int64)
    return out


def _from_datetimes(values: Any) -> tuple[Any, bool]:
    import numpy as np

    missing = np.isnat(values)
    out = values.astype("M8[us]").astype(np.int64)
    is_day = np.datetime_data(values.dtype)[0] in ("D", "W", "M", "Y")
    if is_day:
        out = out + _DAY // 2
    out[missing] = NONE
    return out, bool(is_day)


def _from_objects(values: Any, name: str, layout: str | None) -> tuple[Any, bool, str]:
    """Times from text, dates and datetimes, whether some are dates, and "naive" or "zoned" if all
    are datetimes, otherwise "text". Each distinct value is read once."""
    import numpy as np

    known: dict[Any, tuple[int, bool]] = {}
    out = np.empty(len(values), dtype=np.int64)
    is_noon = False
    items = values.tolist()
    for row, value in enumerate(items):
        try:
            pair = known.get(value)
        except TypeError:
            raise PlumbTypeError(f"{name} contains {value!r}: give times") from None
        if pair is None:
            pair = _time(value, name, layout)
            known[value] = pair
        out[row] = pair[0]
        is_noon = is_noon or pair[1]
    moments = [value for value in known if not is_missing(value)]
    if not all(isinstance(value, datetime) for value in moments):
        return out, is_noon, "text"
    is_naive = all(value.tzinfo is None for value in moments)
    return out, is_noon, "naive" if is_naive else "zoned"


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _time(value: Any, name: str, layout: str | None) -> tuple[int, bool]:
    """A time, and whether it is a date without a time of day."""
    if is_missing(value):
        return NONE, False
    is_date = False
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        import numpy as np

        return int(_from_numbers(np.array([value]), layout)[0]), False
    if isinstance(value, str):
        parsed = _parsed(value.strip(), layout)
        if parsed is None:
            return NONE, False
        value, is_date = parsed
    elif isinstance(value, datetime):
        pass
    elif isinstance(value, date):
        value, is_date = datetime(value.year, value.month, value.day), True
    else:
        raise PlumbTypeError(f"{name} contains {value!r}: give datetimes, dates or ISO 8601 text")
    if value.tzinfo is None:
        value = value.replace(tzinfo=timezone.utc)
    passed = value - _EPOCH
    time = (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds
    return time + (_DAY // 2 if is_date else 0), is_date


def _parsed(text: str, layout: str | None) -> tuple[datetime, bool] | None:
    """A time in text, and whether it has no time of day; None for other text."""
    from ._track import moment

    try:
        if layout is None:
            return moment(text), len(text) <= 10
        if "%" not in layout:
            return None
        has_time = any(code in layout for code in ("%H", "%I", "%M", "%S", "%f", "%T", "%s"))
        return datetime.strptime(text, layout), not has_time
    except (ValueError, TypeError):
        return None
