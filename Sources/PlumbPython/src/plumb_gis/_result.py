"""The result of sampling: columns of values with a status per point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._checks import unique_names
from ._error import PlumbValueError
from ._layout import AtPoints, Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The names of the status bytes; a test compares them with the library's.
STATUSES = (
    "ok", "nodata", "masked", "outside", "transform_failed", "read_error", "bad_point", "bad_time",
    "no_valid",
)

_COMPLEX = {"complex_int16": "int16", "complex_int32": "int32"}


class Values:
    """One column: its description, and the arrays that the library filled in."""

    def __init__(self, about: dict[str, Any], values: Any, statuses: Any, count: int) -> None:
        self.about = about
        self.name: str = about["name"]
        self.dtype: str = about["dtype"]
        self.raw_values = values
        self.raw_statuses = statuses
        self.count = count
        self._values: Any = None

    @property
    def codes(self) -> NDArray[np.uint8]:
        import numpy as np

        return np.frombuffer(self.raw_statuses, np.uint8, self.count)

    @property
    def mask(self) -> Any:
        return self.codes != 0

    @property
    def values(self) -> Any:
        if self._values is None:
            import numpy as np

            part = _COMPLEX.get(self.dtype)
            if part is None:
                out = np.frombuffer(self.raw_values, self.dtype, self.count)
            else:
                # NumPy has no complex integers.
                pairs = np.frombuffer(self.raw_values, part, 2 * self.count).reshape(-1, 2)
                wide = "f4" if part == "int16" else "f8"
                out = pairs.astype(wide).view(f"c{8 if wide == 'f4' else 16}").ravel()
            self._values = out
        return self._values

    @property
    def nodata(self) -> Any:
        """The file's nodata value, if the values are those of the file."""
        return self.about.get("nodata") if self.dtype == self.about.get("stored_dtype") else None

    def masked(self) -> Any:
        """The values, with the nodata value beneath the mask."""
        from ._fill import masked

        return masked(self.values, self.mask, self.nodata)

    def filled(self) -> Any:
        """The values, with the nodata value where there is none."""
        from ._fill import filled

        return filled(self.values, self.mask, self.nodata)[0]

    def pandas(self) -> Any:
        """Integers as pandas' nullable integers, with or without nulls; floats with NaN."""
        import numpy as np

        values, mask = self.values, self.mask
        if values.dtype.kind in "iu":
            import pandas as pd

            return pd.arrays.IntegerArray(values.copy(), mask)
        return np.where(mask, np.array(np.nan, dtype=values.dtype), values)


class SampleResult(AtPoints):
    """Columns of values, in the order of the points.

    ``result["dem"]`` is a NumPy masked array in the raster's own type, masked where there is no
    value; ``result.status("dem")`` gives the reason. `to_pandas`, `to_arrow`, and any library that
    reads ``__arrow_c_stream__`` convert the whole result.

    >>> import plumb_gis as plumb
    >>> result = plumb.sample("rasters/dem", [18.6, 18.4], [-34.1, -33.9], crs="EPSG:4326")
    >>> result.columns
    ['dem']
    >>> result["dem"].tolist()
    [29, 15]
    >>> result.status("dem").tolist()
    ['ok', 'ok']
    """

    def __init__(
        self, values: list[Values], rasters: list[dict[str, Any]], layout: Layout, count: int,
        cells: list[Any] | None, with_status: bool,
    ) -> None:  # fmt: skip
        self._values = {column.name: column for column in values}
        self._order = values
        self._rasters = {raster["name"]: raster for raster in rasters}
        self._count = count
        self.layout = layout
        self._cells = cells
        self._with_status = with_status

    @property
    def columns(self) -> list[str]:
        """The names of the columns, one per band."""
        return [column.name for column in self._order]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> np.ma.MaskedArray[Any, Any]:
        """A column's values, masked unless the status is ``ok``.

        The values beneath the mask, which ``filled()`` also uses, are the file's nodata value. If
        the file has none, they are NaN, the minimum of signed integers or the maximum of unsigned
        integers.
        """
        out: np.ma.MaskedArray[Any, Any] = self._column(name).masked()
        return out

    def keys(self) -> list[str]:
        """The names of the columns."""
        return self.columns

    def values(self, name: str) -> NDArray[Any]:
        """A column's values without a mask; those whose status is not ``ok`` are the nodata
        value."""
        out: NDArray[Any] = self._column(name).filled()
        return out

    def status(self, name: str, *, codes: bool = False) -> NDArray[Any]:
        """The status of each point in a column, or in all columns of a raster with that name.

        Words: ``ok``, ``nodata``, ``masked``, ``outside``, ``transform_failed``, ``read_error`` or
        ``bad_point``. With ``codes`` their bytes, from 0 for ``ok`` in this order.
        """
        import numpy as np

        found: NDArray[Any] = self._codes(name)
        if not codes:
            found = np.array(STATUSES, dtype=object)[found]
        return found

    def cells(self, name: str) -> dict[str, NDArray[Any]]:
        """The cell of a raster at each point: ``file``, ``row`` and ``column``, each -1 if there is
        no cell. Requires ``provenance=True``."""
        import numpy as np

        if self._cells is None:
            raise PlumbValueError("the cells were not requested: sample with provenance=True")
        names = list(self._rasters)
        if name not in names:
            raise self._unknown(name, names)
        part = self._cells[names.index(name)]
        return {
            key: np.frombuffer(part[key], np.int32, self._count)
            for key in ("file", "row", "column")
        }

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from . import _arrow_out

        return _arrow_out.stream_capsule(self.arrow_columns(), self._count)

    def pandas_columns(self) -> list[tuple[str, Any]]:
        """The columns for pandas, with statuses and cells if requested."""
        return list(self._pandas_columns())

    def _pandas_columns(self) -> Iterator[tuple[str, Any]]:
        for kind, name, content in self._parts():
            if kind == "status":
                import pandas as pd

                words: Any = list(STATUSES)
                yield name, pd.Categorical.from_codes(content, words)
            elif kind == "file":
                import numpy as np

                yield name, np.array([*content[1], None], dtype=object)[content[0]]
            elif kind == "cell":
                import pandas as pd

                yield name, pd.arrays.IntegerArray(content.copy(), content < 0)
            else:
                yield name, content.pandas()

    def plain_columns(self) -> Iterator[tuple[str, Any, Any]]:
        """The names and values of the columns, and which values are missing."""
        import numpy as np

        for kind, name, content in self._parts():
            if kind == "status":
                yield name, np.array(STATUSES, dtype=object)[content], None
            elif kind == "file":
                files = np.array([*content[1], None], dtype=object)
                yield name, files[content[0]], content[0] < 0
            elif kind == "cell":
                yield name, content, content < 0
            else:
                yield name, content.values, content.mask

    def arrow_columns(self) -> list[Any]:
        """The columns for Arrow."""
        from . import _arrow_out as _arrow

        out: list[Any] = []
        for kind, name, content in self._parts():
            if kind == "status":
                out.append(_arrow.Words(name, content, STATUSES))
            elif kind == "file":
                files = [*content[1], None]
                out.append(_arrow.Texts(name, [files[index] for index in content[0]]))
            elif kind == "cell":
                out.append(_arrow.Numbers(name, content, content < 0))
            elif content.values.dtype.kind == "c":
                out.append(_arrow.Pairs(name, content.values, content.mask))
            else:
                out.append(_arrow.Numbers(name, content.values, content.mask))
        return out

    def names(self) -> list[str]:
        """The names of all columns of a table."""
        out = [name for _, name, _ in self._parts()]
        unique_names(out)
        return out

    def _parts(self) -> Iterator[tuple[str, str, Any]]:
        for name, raster in self._rasters.items():
            for at in raster["columns"]:
                yield "values", self._order[at].name, self._order[at]
            if self._with_status:
                yield "status", f"{name}_status", self._codes(name)
            if self._cells is not None:
                cells = self.cells(name)
                yield "file", f"{name}_file", (cells["file"], self._rasters[name]["files"])
                yield "cell", f"{name}_row", cells["row"]
                yield "cell", f"{name}_column", cells["column"]

    def _codes(self, name: str) -> Any:
        import numpy as np

        if name in self._values:
            return self._values[name].codes
        raster = self._rasters.get(name)
        if raster is None:
            raise self._unknown(name, self.columns)
        # ok if any band except alpha is ok; otherwise the status of the first band.
        columns = [self._order[at] for at in raster["columns"]]
        columns = [one for one in columns if not one.about.get("alpha")] or columns
        out = columns[0].codes.copy()
        for column in columns[1:]:
            np.minimum(out, np.where(column.codes == 0, 0, out), out=out)
        return out

    def _column(self, name: str) -> Values:
        if name not in self._values:
            raise self._unknown(name, self.columns)
        return self._values[name]

    def _unknown(self, name: object, names: list[str]) -> KeyError:
        from ._points import listed

        return KeyError(f"there is no column {name}; available: {listed(names)}")

    def __repr__(self) -> str:
        return f"<plumb.SampleResult: {self._count} points, columns {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from ._html import table

        count = min(self._count, 10)
        heads = ["x", "y"]
        for name in self.columns:
            heads += [name, "status"]
        rows = []
        for row in range(count):
            cells: list[Any] = [*(_number(one, row) for one in (self.layout.x, self.layout.y))]
            for column in self._order:
                code = column.raw_statuses[row]
                cells += [column.values[row] if code == 0 else None, STATUSES[code]]
            rows.append(cells)
        more = f"{self._count} points" + (f", the first {count}" if count < self._count else "")
        return table(heads, rows, more)


def _number(values: Any, row: int) -> float:
    return float(values if isinstance(values, float) else values[row])
