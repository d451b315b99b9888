"""Conversion of shapes to WKB, and of areas to objects of the same kind as the input."""

from __future__ import annotations

from typing import Any

from . import _native
from ._checks import index_of, is_missing
from ._error import PlumbTypeError, PlumbValueError
from ._points import listed, loaded


class ShapeInput:
    """Shapes converted to WKB."""

    def __init__(self, source: Any, crs: Any, geometry: str | None) -> None:
        if geometry is not None and not isinstance(geometry, str):
            raise PlumbTypeError("geometry is not text: name a column of the table")
        #: ``frame``, ``series``, ``arrow`` or ``shapes``.
        self.kind = "shapes"
        self.source = source
        self.module = type(source).__module__.partition(".")[0]
        self.index: Any = None
        self.said: Any = None
        geopandas, pandas = loaded("geopandas"), loaded("pandas")
        if geopandas is not None and isinstance(source, geopandas.GeoDataFrame):
            self.kind = "frame"
            self._frame(geometry)
        elif geopandas is not None and isinstance(source, geopandas.GeoSeries):
            self.kind, self.series = "series", source
            self._geometries(source.array, source.crs)
        elif pandas is not None and isinstance(source, pandas.DataFrame):
            raise PlumbTypeError("the shapes are a frame without geometries: give a GeoDataFrame")
        elif hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
            self.kind = "arrow"
            self._arrow(geometry)
        else:
            self._plain(source)
        if self.kind in ("frame", "series"):
            self.index = self.series.index
        elif self.kind == "shapes":
            self.index = index_of(source)
        #: The CRS of the shapes.
        self.crs = _native.agreed_crs(crs, self.said, "the frame")
        self.given_crs = crs

    # Extraction of shapes.

    def _frame(self, geometry: str | None) -> None:
        names = [str(name) for name in self.source.columns]
        if geometry is not None and geometry not in names:
            raise PlumbValueError(
                f"geometry names the column {geometry}, and the frame has {listed(names)}",
                "not_found",
            )
        if geometry is not None and names.count(geometry) > 1:
            raise PlumbValueError(f"the frame has several columns {geometry}", "ambiguous")
        if geometry is None and self.source._geometry_column_name not in self.source.columns:
            raise PlumbValueError(
                "the frame has no active column of geometries: name one with geometry=", "not_found"
            )
        self.series = self.source[geometry] if geometry is not None else self.source.geometry
        if type(self.series.array).__name__ != "GeometryArray":
            raise PlumbTypeError(f"the column {geometry} has no geometries: give shapes")
        self._geometries(self.series.array, self.series.crs)

    def _plain(self, source: Any) -> None:
        shapely = loaded("shapely")
        if shapely is None:
            raise PlumbTypeError(
                f"the shapes are of type {type(source).__name__}: give a GeoDataFrame, or shapely "
                "geometries"
            )
        import numpy as np

        self.is_one = isinstance(source, shapely.Geometry)
        if self.is_one:
            array = np.empty(1, dtype=object)
            array[0] = source
        else:
            try:
                items = list(source)
            except TypeError:
                raise PlumbTypeError(
                    f"the shapes are of type {type(source).__name__}: give a GeoDataFrame, or "
                    "shapely geometries"
                ) from None
            array = np.empty(len(items), dtype=object)
            array[:] = [None if is_missing(item) else item for item in items]
        self._geometries(array, None)

    def _geometries(self, array: Any, said: Any) -> None:
        import numpy as np
        import shapely

        from ._shapely import shape_crs

        shapes = np.asarray(array, dtype=object)
        try:
            parts = shapely.to_wkb(shapes)
            self.said = shape_crs(shapes, "the array of shapes") if said is None else said
        except TypeError:
            raise PlumbTypeError("the shapes are not geometries: give shapely geometries") from None
        self._join(parts.tolist())

    def _arrow(self, geometry: str | None) -> None:
        from . import _geometry
        from ._arrow import Table
        from ._columns import Column

        if self.module == "pyarrow" and type(self.source).__name__ == "RecordBatchReader":
            # Its rows can only be read once.
            self.source = self.source.read_all()
        self.table = Table(self.source, "the table")
        if not self.table.is_table:
            raise PlumbTypeError("the shapes are one Arrow column: give a table")
        names = self.table.names
        if geometry is not None:
            at: int | None = _geometry.named_column(names, geometry, "the table")
        else:
            at = _geometry.geometry_column(self.table, "the table")
        if at is None:
            raise PlumbValueError(
                f"the table has no known column of shapes: give one of {listed(names)} "
                "with geometry=",
                "not_found",
            )
        self.at = at
        column = self.table.column(at)
        what = f"the column {column.field.name}"
        if not column.field.is_binary:
            raise PlumbTypeError(f"{what} has no WKB: give shapes as WKB")
        pieces = [piece for part in column.parts for piece in column.shapes(part)]
        named = Column.crs_of(pieces, what)
        self.srid = int(named.partition(":")[2]) if named is not None else None
        self.said = _geometry.agreed(_geometry.column_crs(self.table, at), named, what)
        values, mask = column.decoded()
        self._join([None if null else value for value, null in zip(values.tolist(), mask.tolist())])

    def _join(self, parts: list[bytes | None]) -> None:
        import numpy as np

        self.count = len(parts)
        joined = [b"" if part is None else part for part in parts]
        self.data = np.frombuffer(b"".join(joined), dtype=np.uint8)
        self.offsets = np.zeros(self.count + 1, dtype=np.int64)
        np.cumsum([len(part) for part in joined], out=self.offsets[1:])
        self.shapes = _native.Shapes()
        self.shapes.bytes = self.data.ctypes.data if self.data.size else None
        self.shapes.offsets = self.offsets.ctypes.data
        self.shapes.count = self.count

    # Other columns.

    def column(self, name: str) -> Any:
        """A column of numbers by name."""
        if self.kind == "frame":
            names = [str(one) for one in self.source.columns]
            if name not in names:
                raise PlumbValueError(
                    f"distance names the column {name}, and the frame has {listed(names)}",
                    "not_found",
                )
            if names.count(name) > 1:
                raise PlumbValueError(f"the frame has several columns {name}", "ambiguous")
            return self.source.iloc[:, names.index(name)]
        if self.kind == "arrow" and name in self.table.names:
            return self.table.column(self.table.names.index(name)).doubles(f"the column {name}")
        raise PlumbValueError(f"distance names the column {name}, but there is none", "not_found")

    @property
    def wants_bounds(self) -> bool:
        """Whether a column next to the areas contains their extents."""
        return self.kind == "arrow" and b"geo" in (self.table.field.metadata_bytes or b"")

    # The areas.

    def answer(self, table: Any, union: bool, out_crs: Any) -> Any:
        """The areas as objects of the same kind as the input."""
        column = table.column(table.names.index("geometry"))
        if self.kind == "arrow":
            from ._geoparquet import arrow_answer

            values, mask = column.decoded()
            return arrow_answer(self, table, values, mask, union)
        areas = column.areas()
        if self.kind == "shapes":
            return self._plain_answer(areas, union, out_crs)
        import geopandas

        crs = next((one for one in (out_crs, self.said, self.given_crs) if one is not None), None)
        if union:
            series = geopandas.GeoSeries(areas, crs=crs)
            return geopandas.GeoDataFrame(geometry=series) if self.kind == "frame" else series
        series = geopandas.GeoSeries(areas, index=self.series.index, crs=crs, name=self.series.name)
        if self.kind == "series":
            return series
        frame = self.source.copy(deep=False)
        frame[self.series.name] = series.array
        return frame.set_geometry(self.series.name, crs=crs, inplace=False)

    def _plain_answer(self, areas: Any, union: bool, out_crs: Any) -> Any:
        import shapely

        if self.said is not None and out_crs is None:
            areas = shapely.set_srid(areas, int(self.said.partition(":")[2]))
        return areas[0] if (self.is_one or union) and len(areas) else areas
