"""Points from tables of all kinds, and results combined with tables of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _native
from ._checks import index_of, is_missing, no_clash, present, unique_names
from ._crs import crs_text
from ._error import PlumbTypeError, PlumbValueError
from ._layout import Layout
from ._points import chosen_columns, doubles, has_arrays, listed, loaded, pair
from ._shapely import is_shapes, shape_points
from ._tabular import Tabular, frame_columns, needed, with_geometry

if TYPE_CHECKING:
    import pyarrow as pa

    from . import _arrow


class Points:
    """The coordinates of points, and how to combine results with their table."""

    def __init__(
        self, layout: Layout, joined: Callable[[Any], Any], repeated: Callable[[Any], Any],
        holds: Any = None,
    ) -> None:  # fmt: skip
        self.layout = layout
        self.x = layout.x
        self.y = layout.y
        self.crs = layout.crs
        self._joined = joined
        #: Makes a long table from the columns of a series.
        self.repeated = repeated
        self.holds = holds
        #: The names of the columns of the table, and a function that returns one of them.
        self.names: list[str] = []
        self.column: Callable[[str], Any] | None = None
        #: The times of the points if they are an array of xarray; otherwise None.
        self.when: Any = None

    def answer(self, result: Any, default_crs: str | None, out: str | None = None) -> Any:
        """A result of the same kind as the points, or a dataset of xarray."""
        self.layout.default_crs = default_crs
        result.layout = self.layout
        return self._joined(result) if out is None else result.to_xarray()

    @staticmethod
    def of(
        points: Any, x: Any, y: Any, crs: Any, geometry: str | None, pixels: bool = False,
        when: Any = None,
    ) -> Points:  # fmt: skip
        """Extracts the points, or the columns and rows of cells, from any supported object."""
        if points is None:
            if x is None and y is None:
                raise PlumbTypeError("the points are missing: give x and y, or a table")
            points, x = x, None
        if geometry is not None and not isinstance(geometry, str):
            raise PlumbTypeError("geometry is not text: name a column of the table")
        is_number = type(points) in (float, int) and type(y) in (float, int)
        if has_arrays(points, y) or (is_number and has_arrays(when)):
            return _arranged(points, x, y, crs, geometry, pixels, when)
        pandas = loaded("pandas")
        if pandas is not None and isinstance(points, pandas.DataFrame):
            return _frame(points, x, y, crs, geometry, pixels)
        shapely = loaded("shapely")
        if shapely is not None and y is None and x is None:
            geopandas = loaded("geopandas")
            if geopandas is not None and (
                isinstance(points, geopandas.GeoSeries) or type(points).__name__ == "GeometryArray"
            ):
                x, y, own = shape_points(getattr(points, "array", points), points.crs)
                said = _native.agreed_crs(crs, own, "the series of points")
                return _plain_points(x, y, said, index_of(points))
            if is_shapes(points, shapely):
                x, y, own = shape_points(points, None)
                said = _native.agreed_crs(crs, own, "the array of points")
                return _plain_points(x, y, said, index_of(points))
        if (y is None or isinstance(y, str)) and _is_table(points):
            return _arrow_table(points, x, y, crs, geometry, pixels)
        if geometry is not None:
            raise PlumbTypeError("geometry names a column, but the points are not a table")
        if x is not None:
            raise PlumbTypeError("x is given twice: as the points and by name")
        if isinstance(y, str):
            raise PlumbTypeError(
                f"y names a column, but the points are of type {type(points).__name__}: give a "
                "table, or y as an array"
            )
        if type(points) in (float, int) and type(y) in (float, int):
            return _plain_points(float(points), float(y), crs_text(crs), None)
        if y is None and getattr(points, "ndim", 1) == 2 and points.shape[1] == 2:
            raise PlumbTypeError("y is missing: give two arrays, such as xy[:, 0] and xy[:, 1]")
        first, second = pair(points, y)
        index = index_of(points)
        return _plain_points(
            first, second, crs_text(crs), index_of(y) if index is None else index
        )


def _plain_points(x: Any, y: Any, crs: str | None, index: Any) -> Points:
    """Points without a table."""
    layout = Layout(x, y, crs, index)
    return Points(layout, lambda result: result, lambda long: long.frame(layout.index))


def _arranged(
    points: Any, x: Any, y: Any, crs: Any, geometry: str | None, pixels: bool, when: Any
) -> Points:
    """Points in arrays of xarray."""
    from ._xarray import arrays_of

    found = arrays_of(points, x, y, crs, geometry, pixels, when)
    layout = found.layout

    def joined(result: Any) -> Any:
        return result.to_xarray() if found.is_dataset else result

    def repeated(long: Any) -> Any:
        if found.is_dataset:
            raise PlumbTypeError(
                "long needs a table: give the points as to_dataframe() returns them"
            )
        return long.frame(layout.index)

    out = Points(layout, joined, repeated)
    out.names, out.column, out.when = found.names, found.column, found.when
    return out


def _is_table(points: Any) -> bool:
    if hasattr(points, "__arrow_c_stream__"):
        # A series or a chunked array also exports a stream, but is not a table.
        return not _is_column(points)
    pyarrow = loaded("pyarrow")
    return pyarrow is not None and isinstance(points, pyarrow.RecordBatch)


def _is_column(points: Any) -> bool:
    kind = type(points)
    return (kind.__module__.partition(".")[0], kind.__name__) in (
        ("pandas", "Series"), ("polars", "Series"), ("pyarrow", "ChunkedArray"),
        ("geopandas", "GeoSeries"), ("xarray", "DataArray"),
    )  # fmt: skip


# pandas and GeoPandas.


def _frame(frame: Any, x: Any, y: Any, crs: Any, geometry: str | None, pixels: bool) -> Points:
    geopandas = loaded("geopandas")
    is_geo = geopandas is not None and isinstance(frame, geopandas.GeoDataFrame)
    names = [str(name) for name in frame.columns]
    if geometry is not None or (is_geo and x is None and y is None and not pixels):
        if geometry is not None and (x is not None or y is not None):
            raise PlumbTypeError("geometry= and x=, y= exclude each other: give one")
        if geometry is not None and geometry not in names:
            raise PlumbValueError(
                f"geometry names the column {geometry}, and the frame has {listed(names)}",
                "not_found",
            )
        if geometry is not None and names.count(geometry) > 1:
            raise PlumbValueError(f"the frame has several columns {geometry}", "ambiguous")
        if geometry is None and frame._geometry_column_name not in frame.columns:
            raise PlumbValueError(
                "the frame has no active column of geometries: name one with geometry=", "not_found"
            )
        series = frame[geometry] if geometry is not None else frame.geometry
        xs, ys, said = _geometry_series(series)
    else:
        found = chosen_columns(names, x, y, "the frame", pixels)
        if found is None:
            raise PlumbValueError(
                "the frame has no known column of points: give x= and y=, or geometry=, "
                f"from {listed(names)}",
                "not_found",
            )
        for name in found[:2]:
            if names.count(name) > 1:
                raise PlumbValueError(f"the frame has several columns {name}", "ambiguous")
        by_name = dict(zip(names, frame.columns))
        xs, ys = (_frame_column(frame[by_name[name]], name) for name in found[:2])
        said = None
        if crs is None and found[2]:
            crs = "EPSG:4326"
    text = _native.agreed_crs(crs, said, "the frame")

    def joined(result: Any) -> Any:
        no_clash(names, result.names(), "the frame")
        return frame.assign(**dict(result.pandas_columns()))

    def repeated(long: Any) -> Any:
        no_clash(names, list(long.names), "the frame", fixed=True)
        return frame.iloc[long.rows].assign(**long.pandas())

    points = Points(Layout(xs, ys, text, frame.index), joined, repeated)
    points.names = names
    points.column = lambda name: frame.iloc[:, names.index(name)]
    return points


def _frame_column(series: Any, name: str) -> Any:
    return doubles(series, f"the column {name}")


def _geometry_series(series: Any) -> tuple[Any, Any, Any]:
    said = getattr(series, "crs", None)
    if type(series.array).__name__ == "GeometryArray":
        return shape_points(series.array, said)
    values = series.to_numpy(dtype=object)
    first = present(values)
    shapely = loaded("shapely")
    if shapely is not None and isinstance(first, shapely.Geometry):
        return shape_points(values, said)
    kinds = (bytes, bytearray, memoryview)
    if first is not None and not isinstance(first, kinds):
        raise PlumbTypeError(f"the column {series.name} has no geometries: give points or WKB")
    from ._geometry import agreed
    from ._wkb import Shapes, srid_crs

    what = f"the column {series.name}"
    parts = []
    for row, value in enumerate(values):
        if isinstance(value, kinds):
            parts.append(bytes(value))
        elif is_missing(value):
            parts.append(b"")
        else:
            raise PlumbTypeError(
                f"{what} has a value of type {type(value).__name__} in row {row} (from 0) among "
                "WKB: give only WKB"
            )
    shapes = Shapes.of(parts)
    return (*shapes.points(), agreed(said, srid_crs(shapes.srids(), what), what))


# Arrow, and objects that export it.


def _arrow_table(
    source: Any, x: Any, y: Any, crs: Any, geometry: str | None, pixels: bool
) -> Points:
    from . import _arrow, _geometry

    module = type(source).__module__.partition(".")[0]
    what = "the table"
    table = _arrow.Table(source, "the table" if module in ("pyarrow", "polars") else "the stream")
    if not table.is_table:
        raise PlumbTypeError("the points are one Arrow column: give a table, or x and y")
    xs, ys, said = _geometry.point_columns(table, x, y, geometry, what, pixels)
    by_name = (
        crs is not None
        and geometry is None
        and isinstance(said, str)
        and (x is not None or _geometry.geometry_column(table, what) is None)
    )
    text = _native.agreed_crs(crs, None if by_name else said, what)

    def joined(result: Any) -> Any:
        no_clash(table.names, result.names(), what)
        return _rejoined(source, module, table, result)

    def repeated(long: Any) -> Any:
        no_clash(table.names, list(long.names), what, fixed=True)
        if module == "polars":
            import polars

            return source[long.rows].hstack(polars.DataFrame(long.arrow()))
        return long.beside(_given(table, "long=True"))

    layout = Layout(doubles(xs, "x"), doubles(ys, "y"), text)
    points = Points(layout, joined, repeated, table)
    points.names = table.names
    points.column = lambda name: table.column(table.names.index(name)).decoded()
    return points


def _rejoined(source: Any, module: str, table: _arrow.Table, result: Any) -> Any:
    kind = type(source).__name__
    if module == "pyarrow" and kind in ("Table", "RecordBatch"):
        import pyarrow

        return _beside(source, pyarrow.table(Columns(result.arrow_columns(), table.length)))
    if module == "polars":
        import polars

        return source.hstack(polars.DataFrame(Columns(result.arrow_columns(), table.length)))
    return JoinedTable(table, result)


def _beside(source: Any, added: pa.Table) -> Any:
    import pyarrow

    if isinstance(source, pyarrow.RecordBatch):
        arrays, fields = list(source.columns), list(source.schema)
        for field, column in zip(added.schema, added.columns):
            chunks = column.chunks
            arrays.append(chunks[0] if chunks else pyarrow.array([], field.type))
            fields.append(field)
        schema = pyarrow.schema(fields, source.schema.metadata)
        return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
    for field, column in zip(added.schema, added.columns):
        source = source.append_column(field, column)
    return source


class Columns:
    """Columns for any reader of Arrow streams."""

    def __init__(self, columns: list[Any], length: int) -> None:
        self.columns = columns
        self.length = length

    def arrow_columns(self) -> list[Any]:
        """The columns for Arrow."""
        return self.columns

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from . import _arrow_out

        return _arrow_out.stream_capsule(self.columns, self.length)


class JoinedTable(Tabular):
    """An imported Arrow stream with the columns of results added.

    It can be read with ``pyarrow.table``, ``polars.DataFrame`` and other readers of
    ``__arrow_c_stream__``, any number of times.
    """

    def __init__(self, table: _arrow.Table, result: Any) -> None:
        self._table = table
        #: Only the results.
        self.result = result

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return [*self._table.names, *self.result.names()]

    def __len__(self) -> int:
        return int(self._table.length)

    def to_pandas(self) -> Any:
        """A pandas frame of all columns; those of the stream are converted by pyarrow."""
        frame = _given(self._table, "to_pandas").to_pandas()
        return frame.assign(**dict(self.result.pandas_columns()))

    def to_geopandas(self) -> Any:
        """The frame of `to_pandas` with the points; a column of WKB or GeoArrow called geometry
        becomes the points."""
        frame = self.to_pandas()
        if "geometry" in frame.columns and "geometry" in self._table.names:
            frame = frame.drop(columns="geometry")
        layout = self.result.layout
        crs = layout.default_crs if layout.crs is None else layout.crs
        return with_geometry(frame, layout.points(), crs)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from . import _arrow_out as _arrow

        given: list[_arrow.Out] = [
            _arrow.Given(self._table, index) for index in range(len(self._table.names))
        ]
        return _arrow.stream_capsule(
            [*given, *self.result.arrow_columns()], self._table.length, self._table,
            self._table.field.metadata_bytes,
        )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        return (_joined_again, (_given(self._table, "a pickle of a JoinedTable"), self.result))

    def __repr__(self) -> str:
        return f"<plumb.JoinedTable: {len(self)} rows, columns {', '.join(self.columns)}>"


def _given(table: _arrow.Table, call: str) -> pa.Table:
    """An imported table as a pyarrow table."""
    return needed("pyarrow", call).table(JoinedTable(table, Columns([], table.length)))


def _joined_again(given: pa.Table, result: Any) -> JoinedTable:
    """A joined table from its pickle."""
    from . import _arrow

    return JoinedTable(_arrow.Table(given), result)


# Results that the library returns in Arrow layouts.


class ArrowResult(Tabular):
    """Columns made by the library.

    ``result["name"]`` is a NumPy masked array; `to_pandas`, `to_arrow` and others convert the whole
    result.
    """

    def __init__(self, table: _arrow.Table) -> None:
        unique_names(table.names)
        self._table = table

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in vars(self).items() if name != "_table"}
        return (_restored, (type(self), packed(self._table), state))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.names

    def names(self) -> list[str]:
        """The names of the columns."""
        return self._table.names

    def __len__(self) -> int:
        return int(self._table.length)

    def __contains__(self, name: object) -> bool:
        return name in self._table.names

    def __getitem__(self, name: str) -> Any:
        """A column as a masked array; text is an array of objects. The values beneath the mask,
        which ``filled()`` also uses, are the extremes of integer types, or NaN, NaT, False or
        None."""
        from ._fill import masked

        values, mask = self._decoded(name)
        return masked(values, mask, None)

    def _decoded(self, name: str) -> tuple[Any, Any]:
        names = self._table.names
        if name not in names:
            raise KeyError(f"there is no column {name}; available: {listed(names)}")
        return self._table.column(names.index(name)).decoded()

    def arrow_columns(self) -> list[Any]:
        """The columns for Arrow."""
        from . import _arrow_out as _arrow

        return [_arrow.Sliced(self._table, index) for index in range(len(self._table.names))]

    def pandas_columns(self) -> list[tuple[str, Any]]:
        """The columns for pandas: nullable integers and booleans, floats with NaN."""
        return frame_columns(self._table)

    def plain_columns(self) -> Iterator[tuple[str, Any, Any]]:
        """The names and values of the columns, and which values are missing."""
        for name in self.columns:
            yield (name, *self._decoded(name))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from . import _arrow_out as _arrow

        columns: list[_arrow.Out] = [
            _arrow.Given(self._table, index) for index in range(len(self._table.names))
        ]
        return _arrow.stream_capsule(columns, len(self), self._table)

    def __repr__(self) -> str:
        return f"<plumb.{type(self).__name__}: {len(self)} rows, columns {listed(self.columns)}>"

    def _repr_html_(self) -> str:
        from ._html import table

        count = min(10, len(self))
        columns = [self[name][:count].tolist() for name in self.columns]
        more = f"{len(self)} rows" + (f", the first {count}" if count < len(self) else "")
        return table(self.columns, zip(*columns), more)


def packed(table: _arrow.Table) -> list[tuple[Any, ...]]:
    """The columns of a table of the library in a form that can be pickled."""
    return [
        (field.name, field.format, field.metadata, *table.column(index).decoded())
        for index, field in enumerate(table.field.children)
    ]


def _restored(kind: Any, columns: list[tuple[Any, ...]], state: dict[str, Any]) -> Any:
    """A result from its pickle."""
    from . import _arrow, _arrow_out

    out = [_arrow_out.column(*column) for column in columns]
    result = kind.__new__(kind)
    result._table = _arrow.Table(Columns(out, len(columns[0][3]) if columns else 0))
    vars(result).update(state)
    return result
