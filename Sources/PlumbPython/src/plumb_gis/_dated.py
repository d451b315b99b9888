"""Values of rasters with dates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._checks import index_of, same_index
from ._error import PlumbTypeError, PlumbValueError
from ._layout import AtPoints, filled, in_nanoseconds
from ._points import listed
from ._result import STATUSES
from ._tables import ArrowResult
from ._times import times_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from . import _arrow
    from ._times import Midnights


_STATUS_WORDS: Any = list(STATUSES)


class DatedResult(ArrowResult, AtPoints):
    """Values of rasters with dates, in the order of the points.

    ``result["evi"]`` is a masked array, as are ``result["evi_date"]`` and ``result["evi_days"]``;
    `to_pandas`, `to_arrow` and others convert the whole result.
    """

    def __init__(self, table: _arrow.Table) -> None:
        super().__init__(table)
        self._codes = [
            field.metadata.get("plumb:kind") == "status" for field in table.field.children
        ]

    def _words(self, index: int) -> Any:
        import numpy as np

        codes, _ = self._table.column(index).decoded()
        return np.array(STATUSES, dtype=object)[codes]

    def __getitem__(self, name: str) -> Any:
        """A column as a masked array; statuses are words."""
        if name in self._table.names:
            index = self._table.names.index(name)
            if self._codes[index]:
                return self._words(index)
        return super().__getitem__(name)

    def pandas_columns(self) -> list[tuple[str, Any]]:
        """The columns for pandas: nullable integers, floats with NaN, and datetimes."""
        import pandas as pd

        out: list[tuple[str, Any]] = []
        for index, (name, column) in enumerate(super().pandas_columns()):
            if self._codes[index]:
                codes, _ = self._table.column(index).decoded()
                column = pd.Categorical.from_codes(codes, _STATUS_WORDS)
            out.append((name, column))
        return out

    def plain_columns(self) -> Iterator[tuple[str, Any, Any]]:
        """The names and values of the columns, and which values are missing."""
        for name, values, mask in super().plain_columns():
            index = self._table.names.index(name)
            yield (name, self._words(index), None) if self._codes[index] else (name, values, mask)

    def arrow_columns(self) -> list[Any]:
        """The columns for Arrow."""
        from . import _arrow_out

        out = super().arrow_columns()
        for index, is_code in enumerate(self._codes):
            if is_code:
                codes, _ = self._table.column(index).decoded()
                out[index] = _arrow_out.Words(self._table.names[index], codes, STATUSES)
        return out

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from . import _arrow_out

        return _arrow_out.stream_capsule(self.arrow_columns(), len(self), self._table)


def matched(taken: Any, when: Any) -> tuple[Any, Midnights, str]:
    """The times of points, those of a column of their table or an array, what midnights are, and the
    name of the times in messages."""
    name, layout = when, None
    if isinstance(when, str):
        if taken.column is None:
            raise PlumbTypeError(
                "when names a column, but the points are not a table: give a time for each point"
            )
        if when not in taken.names and ":" in when:
            name, _, layout = when.partition(":")
        if name not in taken.names:
            raise PlumbValueError(
                f"when names the column {name}, and the points have {listed(taken.names)}",
                "not_found",
            )
        if taken.names.count(name) > 1:
            raise PlumbValueError(f"the points have several columns {name}", "ambiguous")
        values, word = taken.column(name), f"the column {name}"
    else:
        values, word = when if taken.when is None else taken.when, "when"
    times, midnights = times_of(values, word, layout)
    count = 1 if isinstance(taken.x, float) else len(taken.x)
    if len(times) != count:
        raise PlumbValueError(f"when has {len(times)} times for {count} points: give one for each")
    if not isinstance(when, str) and hasattr(values, "array") and taken.layout.dims is None:
        # A series of pandas is matched by its index. The index of an array of xarray is not compared.
        same_index(taken.layout.index, index_of(values), ("the points", "when"))
    return times, midnights, word


def text_of(moment: Any, name: str) -> str | None:
    """A date or a time as ISO 8601; None for None."""
    if moment is None or isinstance(moment, str):
        return moment
    if type(moment).__name__ == "datetime64":
        moment = moment.item()
    if not hasattr(moment, "isoformat"):
        raise PlumbTypeError(f"{name} is {moment!r}: give a date, a datetime or ISO 8601 text")
    if getattr(moment, "tzinfo", None) is not None:
        from datetime import timezone

        moment = moment.astimezone(timezone.utc)
    text: str = moment.isoformat()
    return text


def _moments(texts: list[str]) -> Any:
    """Dates as datetime64."""
    import numpy as np

    return in_nanoseconds(np.array([text.rstrip("Z") for text in texts], dtype="M8[us]"))


class _Label:
    """The stack, the band and the date of a column."""

    def __init__(self, index: int, name: str, about: dict[str, str]) -> None:
        self.index = index
        self.name = name
        self.stack = about["plumb:stack"]
        self.band = int(about["plumb:band"])
        self.date = about["plumb:date"]


class SeriesResult(DatedResult):
    """The values of all dates at points, in the order of the points: a column for each date."""

    def __init__(self, table: _arrow.Table, has_status: bool) -> None:
        super().__init__(table)
        self._labels = [
            _Label(index, field.name, field.metadata)
            for index, field in enumerate(table.field.children)
            if not self._codes[index]
        ]
        status = {
            (about["plumb:stack"], about["plumb:date"]): index
            for index, about in enumerate(field.metadata for field in table.field.children)
            if self._codes[index]
        }
        self._status = [status[label.stack, label.date] for label in self._labels]
        self._has_status = has_status

    def _shown(self) -> list[int]:
        if self._has_status:
            return list(range(len(self._codes)))
        return [label.index for label in self._labels]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [self._table.names[index] for index in self._shown()]

    def names(self) -> list[str]:
        """The names of the columns."""
        return self.columns

    def pandas_columns(self) -> list[tuple[str, Any]]:
        """The columns for pandas."""
        found = super().pandas_columns()
        return [found[index] for index in self._shown()]

    def arrow_columns(self) -> list[Any]:
        """The columns for Arrow."""
        found = super().arrow_columns()
        return [found[index] for index in self._shown()]

    def _stacked(self) -> tuple[Any, Any, Any]:
        """The values, which are null, and the codes of statuses: a row for each point and a column
        for each date and band."""
        import numpy as np

        shape = (len(self), len(self._labels))
        parts = [self._table.column(label.index).decoded() for label in self._labels]
        kinds = {values.dtype for values, _ in parts}
        kind = np.result_type(*kinds) if all(one.kind in "iuf" for one in kinds) else object
        values = np.empty(shape, dtype=kind)
        mask = np.empty(shape, dtype=bool)
        codes = np.empty(shape, dtype=np.uint8)
        for number, (part, nulls) in enumerate(parts):
            values[:, number], mask[:, number] = part, nulls
            codes[:, number] = self._table.column(self._status[number]).decoded()[0]
        return values, mask, codes

    def long(self) -> pd.DataFrame:
        """A frame with a row for each point, band and date: ``point``, ``stack``, ``band``,
        ``date``, ``value`` and ``status``."""
        frame: pd.DataFrame = self.long_columns().frame(self.layout.index)
        return frame

    def long_columns(self) -> _Long:
        """The columns of a long table, and the row of the points for each of its rows."""
        import numpy as np

        values, mask, codes = self._stacked()
        count = len(self._labels)
        rows = np.repeat(np.arange(len(self)), count)
        labels = np.tile(np.arange(count), len(self))
        return _Long(rows, self._labels, labels, values.ravel(), mask.ravel(), codes.ravel())

    def to_xarray(self) -> xr.Dataset:
        """A dataset with a variable for each band, with the dimensions of the points and ``time``.

        Points that are not in arrays of xarray have the dimension ``point`` and the coordinates
        ``x`` and ``y``. Missing values are NaN.
        """
        import numpy as np

        times = sorted({label.date for label in self._labels})
        axis = _moments(times)
        variables: dict[str, Any] = {}
        bands: dict[str, set[int]] = {}
        for label in self._labels:
            bands.setdefault(label.stack, set()).add(label.band)
        for label in self._labels:
            values, mask = self._table.column(label.index).decoded()
            name = label.stack if len(bands[label.stack]) == 1 else f"{label.stack}_{label.band}"
            if values.dtype.kind == "O":
                raise PlumbTypeError(f"{name} has complex values, which a dataset does not hold")
            column = filled(name, values, mask)
            if name not in variables:
                variables[name] = np.full((len(self), len(times)), np.nan, dtype=column.dtype)
            variables[name][:, times.index(label.date)] = column
        return self.layout.dataset(variables, ("time",), {"time": axis})


class _Long:
    """The added columns of a long table, and the row of the points for each of its rows."""

    names = ("stack", "band", "date", "value", "status")

    def __init__(
        self, rows: Any, labels: list[_Label], label: Any, values: Any, mask: Any, codes: Any
    ) -> None:
        self.rows = rows
        self._labels = labels
        self._label = label
        self._values, self._mask, self._codes = values, mask, codes

    def pandas(self) -> dict[str, Any]:
        """The columns for pandas."""
        import numpy as np
        import pandas as pd

        value: Any = self._values
        if value.dtype.kind in "iu":
            value = pd.arrays.IntegerArray(value, self._mask)
        elif value.dtype.kind == "f":
            value = np.where(self._mask, np.array(np.nan, dtype=value.dtype), value)
        else:
            value = np.where(self._mask, None, value)
        stacks: Any = list(dict.fromkeys(label.stack for label in self._labels))
        numbers = np.array([stacks.index(label.stack) for label in self._labels], dtype=np.int32)
        bands = np.array([label.band for label in self._labels], dtype=np.int32)
        texts = [label.date for label in self._labels]
        dates = pd.Series(_moments(texts))
        if any(len(text) > 10 for text in texts):
            dates = dates.dt.tz_localize("UTC")
        return {
            "stack": pd.Categorical.from_codes(numbers[self._label], stacks),
            "band": bands[self._label],
            "date": dates.array.take(self._label),
            "value": value,
            "status": pd.Categorical.from_codes(self._codes, _STATUS_WORDS),
        }

    def frame(self, index: Any = None) -> Any:
        """A frame with the number of each point, or its value in an index."""
        import pandas as pd

        points = self.rows if index is None else index.take(self.rows)
        return pd.DataFrame({"point": points, **self.pandas()})

    def arrow(self) -> Any:
        """The columns as a pyarrow table."""
        import pandas as pd
        import pyarrow

        return pyarrow.Table.from_pandas(pd.DataFrame(self.pandas()), preserve_index=False)

    def beside(self, table: Any) -> Any:
        """A pyarrow table with its rows repeated, and the added columns."""
        import pyarrow

        given, added = table.take(pyarrow.array(self.rows)), self.arrow()
        for field, column in zip(added.schema, added.columns):
            given = given.append_column(pyarrow.field(field.name, field.type), column)
        return given
