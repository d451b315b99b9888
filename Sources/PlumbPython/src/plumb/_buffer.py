"""Areas within a distance of shapes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from . import _native
from ._error import PlumbTypeError, PlumbValueError
from ._points import crs_text, doubles, listed, loaded

if TYPE_CHECKING:
    from ._sample import Progress


def buffer(
    shapes: Any, distance: Any, *, unit: str | None = None, geodesic: bool = False,
    union: bool = False, max_deviation: float | None = None, curve: str | None = None,
    crs: Any = None, out_crs: Any = None, geometry: str | None = None, strict: bool = False,
    threads: int | None = None, progress: Progress = None,
) -> Any:  # fmt: skip
    """The areas within a distance of shapes.

    Args:
        shapes: A GeoDataFrame, a GeoSeries, shapely geometries or one of them, or a pyarrow Table
            with a column of WKB.
        distance: A number; one for each shape; or the name of a column. Negative ones shrink.
        unit: ``m``, ``km``, ``ft``, ``us-ft``, ``mi``, ``nmi`` or ``deg``. Default: that of the
            reference, and metres for geodesic ones.
        geodesic: Measure along the ellipsoid, not in the plane of the reference.
        union: Join all areas to one.
        max_deviation: How far a geodesic outline may lie from the true one, in metres. Default: the
            tighter of 0.2 % of the distance and 0.01.
        curve: How edges run between vertices, for geodesic ones: ``geodesic``, ``loxodrome``,
            ``great-elliptic``, ``normal-section`` or ``shape-preserving``.
        crs: What the shapes are in. Default: what the frame says; a different one is an error.
        out_crs: What the areas are to be in. Default: the same.
        geometry: The name of the column of shapes.
        strict: Make a shape that cannot be used an error; it gives no area otherwise, and a
            warning.
        threads: How many threads work. Default: one a processor.
        progress: True for a bar, or a function that is called with the share done.

    Returns:
        What came in, with areas for shapes: a frame keeps its rows, index and columns, but with
        ``union`` it is one row without attributes.

    >>> import geopandas, plumb
    >>> clinics = geopandas.read_file("rasters/clinics.geojson")
    >>> zone = plumb.buffer(clinics, 2, unit="km", geodesic=True, union=True)
    >>> len(zone), round(zone.to_crs(32734).area.sum() / 1e6)
    (1, 340)
    """
    taken = _Shapes(shapes, crs, geometry)
    distances = _distances(distance, taken)
    if out_crs is not None and taken.kind == "arrow":
        raise PlumbTypeError("out_crs goes with GeoPandas and shapely: leave it out for a table")
    target = crs_text(out_crs, "out_crs")
    options = _native.options(
        crs=taken.crs, out_crs=target, unit=unit, geodesic=geodesic or None, union=union or None,
        max_deviation=max_deviation, curve=curve, strict=strict or None, threads=threads,
    )  # fmt: skip
    from . import _arrow

    room = _arrow.Room()
    polling = _native.Polling(progress, "buffer")
    _native.call(
        "plumb_buffer", ctypes.byref(taken.shapes), distances.ctypes.data, distances.size, options,
        *_native.polled(polling), *room.addresses, polling=polling,
    )  # fmt: skip
    _native.warn()
    return taken.answer(_arrow.Table([room]), union, out_crs)


def _distances(distance: Any, taken: _Shapes) -> Any:
    import numpy as np

    if isinstance(distance, str):
        values = doubles(taken.column(distance), f"the column {distance}")
    elif isinstance(distance, bool):
        raise PlumbTypeError("distance is a bool: give a number")
    else:
        values = doubles(distance, "distance")
        if values.size != 1 and values.size != taken.count:
            raise PlumbValueError(
                f"there are {values.size} distances and {taken.count} shapes: give one, or one a "
                "shape"
            )
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise PlumbValueError(f"distance {row} (from 0) is {values[row]}: give finite numbers")
    return values


class _Shapes:
    """Shapes as WKB, out of whatever holds them."""

    def __init__(self, source: Any, crs: Any, geometry: str | None) -> None:
        self.source = source
        self.kind = "shapes"
        self.wkb: list[bytes | None] | None = None
        self.frame_crs: Any = None
        geopandas, pandas = loaded("geopandas"), loaded("pandas")
        if geopandas is not None and isinstance(source, geopandas.GeoDataFrame):
            self.kind = "frame"
            self.series = source[geometry] if geometry is not None else source.geometry
            self._geometries(self.series.array)
        elif geopandas is not None and isinstance(source, geopandas.GeoSeries):
            self.kind, self.series = "series", source
            self._geometries(source.array)
        elif pandas is not None and isinstance(source, pandas.DataFrame):
            raise PlumbTypeError("the shapes are a frame without geometries: give a GeoDataFrame")
        elif hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
            self.kind = "arrow"
            self._arrow(source, geometry)
        else:
            self._plain(source)
        if self.kind in ("frame", "series"):
            self.frame_crs = self.series.crs
        self.crs = _native.agreed_crs(crs, self.frame_crs, "the frame")
        self.given_crs = crs

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
            array[:] = items
        self._geometries(array)

    def _geometries(self, array: Any) -> None:
        import numpy as np
        import shapely

        try:
            parts = shapely.to_wkb(np.asarray(array, dtype=object))
        except TypeError:
            raise PlumbTypeError("the shapes are no geometries: give shapely geometries") from None
        self.count = len(parts)
        joined = [b"" if part is None else part for part in parts]
        self.data = np.frombuffer(b"".join(joined), dtype=np.uint8)
        self.offsets = np.zeros(self.count + 1, dtype=np.int64)
        np.cumsum([len(part) for part in joined], out=self.offsets[1:])
        self.valid = None
        self._filled()

    def _arrow(self, source: Any, geometry: str | None) -> None:
        import numpy as np

        from . import _arrow

        table = _arrow.Table(source)
        if not table.is_table:
            raise PlumbTypeError("the shapes are one Arrow column: give a table")
        index = (
            table.names.index(geometry) if geometry in table.names
            else _arrow._geometry_column(table) if geometry is None else None
        )  # fmt: skip
        if index is None:
            raise PlumbValueError(
                f"the table has no column of shapes that is known: name one of "
                f"{listed(table.names)} "
                "with geometry=",
                "not_found",
            )
        column = table.column(index)
        if column.field.format not in ("z", "Z"):
            raise PlumbTypeError(f"the column {column.field.name} holds no WKB: give shapes as WKB")
        values: list[bytes | None] = []
        for part in column.parts:
            one, _ = _arrow.Column(column.field, [part], part[2]).decoded()
            values += one.tolist()
        self.table, self.index = table, index
        self.count = len(values)
        joined = [value or b"" for value in values]
        self.data = np.frombuffer(b"".join(joined), dtype=np.uint8)
        self.offsets = np.zeros(self.count + 1, dtype=np.int64)
        np.cumsum([len(part) for part in joined], out=self.offsets[1:])
        said = _arrow._geometry_crs(table, index)
        self.frame_crs = said
        self._filled()

    def _filled(self) -> None:
        self.shapes = _native.Shapes()
        self.shapes.bytes = self.data.ctypes.data if self.data.size else None
        self.shapes.offsets = self.offsets.ctypes.data
        self.shapes.count = self.count

    def column(self, name: str) -> Any:
        if self.kind == "frame":
            if name not in self.source.columns:
                names = [str(one) for one in self.source.columns]
                raise PlumbValueError(
                    f"distance names the column {name}, and the frame has {listed(names)}",
                    "not_found",
                )
            return self.source[name]
        if self.kind == "arrow" and name in self.table.names:
            return self.table.column(self.table.names.index(name)).doubles(f"the column {name}")
        raise PlumbValueError(f"distance names the column {name}, and there is none", "not_found")

    def answer(self, table: Any, union: bool, out_crs: Any) -> Any:
        values, mask = table.column(table.names.index("geometry")).decoded()
        if self.kind == "arrow":
            return self._arrow_answer(values, mask, union)
        import shapely

        areas = shapely.from_wkb(values)
        if self.kind == "shapes":
            return areas[0] if (self.is_one or union) and len(areas) else areas
        import geopandas

        crs = next(
            (one for one in (out_crs, self.frame_crs, self.given_crs) if one is not None), None
        )
        if union:
            series = geopandas.GeoSeries(areas, crs=crs)
            return geopandas.GeoDataFrame(geometry=series) if self.kind == "frame" else series
        series = geopandas.GeoSeries(areas, index=self.series.index, crs=crs, name=self.series.name)
        if self.kind == "series":
            return series
        frame = self.source.assign(**{self.series.name: series})
        return frame.set_geometry(self.series.name, crs=crs, inplace=False)

    def _arrow_answer(self, values: Any, mask: Any, union: bool) -> Any:
        import pyarrow

        areas = pyarrow.array(values, type=pyarrow.binary(), mask=mask)
        name = self.table.names[self.index]
        given = (
            pyarrow.table(self.source)
            if not isinstance(self.source, pyarrow.Table)
            else self.source
        )
        field = given.schema.field(self.index)
        plain = pyarrow.field(name, pyarrow.binary(), metadata=field.metadata)
        if union:
            schema = pyarrow.schema([plain], given.schema.metadata)
            return pyarrow.Table.from_arrays([areas], schema=schema)
        return given.set_column(self.index, plain, areas)
