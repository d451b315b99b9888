"""Maps, and the identification of their layers."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _native
from ._checks import flags, method_of
from ._closing import Closing
from ._crs import crs_text
from ._error import PlumbTypeError, PlumbValueError
from ._layout import AtPoints, one_of_out
from ._lazy import is_lazy, lazily
from ._paths import absolute, text_of
from ._rows import Rows
from ._tables import ArrowResult

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from . import _typing as T
    from ._tables import JoinedTable
    from ._typing import Progress


class Element:
    """A feature or a raster cell of a layer at a point."""

    def __init__(self, about: dict[str, Any]) -> None:
        #: ``feature`` or ``rasterCell``.
        self.type: str = about["type"]
        #: The values of the fields, or of the cell's bands.
        self.attributes: dict[str, Any] = about["attributes"]
        #: The shape as GeoJSON, or None.
        self.geometry: dict[str, Any] | None = about["geometry"]
        #: The distance from the point in metres along the ground; 0 within the shape.
        self.distance: float | None = about["distance"]
        #: For a raster cell: a status per band, and the position of the cell.
        self.status: list[str] | None = about.get("status")
        self.row: int | None = about.get("row")
        self.column: int | None = about.get("column")

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        return {"type": "Feature", "geometry": self.geometry, "properties": self.attributes}

    def __repr__(self) -> str:
        return f"<plumb.Element {self.attributes}>"


class Elements(Rows):
    """Elements of layers, with a row of tables for each: ``layer``, the fields, and ``distance``.

    A field that is called layer or distance is in the column ``LAYER.FIELD``.
    """

    #: The CRS of the shapes.
    crs: str | None

    def walk(self) -> Iterator[LayerResult]:
        """The results of all layers and sublayers, from the top."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """The layer, the fields and the distance of each element."""
        own = ("layer", "distance")
        return [
            {
                "layer": layer.name,
                **{
                    f"{layer.name}.{name}" if name in own else name: value
                    for name, value in element.attributes.items()
                },
                "distance": element.distance,
            }
            for layer in self.walk()
            for element in layer.elements
        ]

    def shapes(self) -> tuple[list[dict[str, Any] | None], str | None]:
        """The shape of each element, and their CRS."""
        return [one.geometry for layer in self.walk() for one in layer.elements], self.crs


class LayerResult(Elements):
    """The result of one layer at a point, with those of its sublayers."""

    def __init__(self, about: dict[str, Any], crs: str | None = None) -> None:
        layer = about["layer"]
        self.crs = crs
        #: The layer's id, name and type, such as ``feature`` or ``raster``.
        self.id: str = layer["id"]
        self.name: str = layer["name"]
        self.type: str = layer["type"]
        #: The elements, topmost first.
        self.elements: list[Element] = [Element(one) for one in about["geoElements"]]
        #: The popups, each with ``title``, ``text`` and ``fields``.
        self.popups: list[dict[str, Any]] = about["popups"]
        #: The results of the sublayers.
        self.sublayers: list[LayerResult] = [
            LayerResult(one, crs) for one in about["sublayerResults"]
        ]
        #: Whether there are more elements than requested.
        self.is_transfer_limit_exceeded: bool = about["isTransferLimitExceeded"]
        #: The layer's error, or None.
        self.error: Any = about["error"]

    @property
    def element_count(self) -> int:
        """The number of elements (or of popups, if there are none) including sublayers."""
        own = len(self.elements) or len(self.popups)
        return own + sum(layer.element_count for layer in self.sublayers)

    def walk(self) -> Iterator[LayerResult]:
        """This result and those of all sublayers, from the top."""
        yield self
        for layer in self.sublayers:
            yield from layer.walk()

    def __repr__(self) -> str:
        return f"<plumb.LayerResult {self.name}: {self.element_count}>"


class IdentifyResult(Sequence[LayerResult], Elements):
    """The results of a map's layers at a point, from the top to the bottom."""

    def __init__(self, text: str) -> None:
        #: The result as JSON, as the command prints it.
        self.json = text
        about = json.loads(text)
        #: x, y and crs of the point.
        self.point: dict[str, Any] = about["place"]
        self.crs = self.point["crs"]
        self.layers: list[LayerResult] = [LayerResult(one, self.crs) for one in about["results"]]

    def __len__(self) -> int:
        return len(self.layers)

    @overload
    def __getitem__(self, key: str | int) -> LayerResult: ...
    @overload
    def __getitem__(self, key: slice) -> list[LayerResult]: ...
    def __getitem__(self, key: Any) -> Any:
        """A layer's result, by its position or by its name or id."""
        if isinstance(key, str):
            for layer in self.walk():
                if key in (layer.name, layer.id):
                    return layer
            raise KeyError(f"no layer {key} has a result at this point")
        return self.layers[key]

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str):
            return any(key in (layer.name, layer.id) for layer in self.walk())
        return key in self.layers

    @property
    def element_count(self) -> int:
        """The number of elements of all layers."""
        return sum(layer.element_count for layer in self.layers)

    def walk(self) -> Iterator[LayerResult]:
        """The results of all layers and sublayers, from the top."""
        for layer in self.layers:
            yield from layer.walk()

    def __repr__(self) -> str:
        held = ", ".join(f"{layer.name} {layer.element_count}" for layer in self.layers)
        return f"<plumb.IdentifyResult: {held or 'nothing'}>"

    def _repr_html_(self) -> str:
        from ._html import table

        rows = []
        for layer in self.walk():
            for element in layer.elements:
                said = ", ".join(
                    f"{key}: {value}"
                    for key, value in element.attributes.items()
                    if value is not None
                )
                rows.append([layer.name, said, element.distance])
            for popup in layer.popups if not layer.elements else []:
                rows.append([layer.name, popup.get("title"), None])
            if layer.error is not None:
                rows.append([layer.name, f"error: {layer.error}", None])
        at = f"{self.point['x']}, {self.point['y']} ({self.point['crs']})"
        return table(["layer", "holds", "metres"], rows, at)


class BatchResult(ArrowResult, AtPoints):
    """The results of a map's layers at many points: ``LAYER.count`` and ``LAYER.FIELD`` of the
    topmost feature for a feature layer, ``LAYER`` for a raster layer."""


class Map(Closing):
    """An Esri web map in JSON, whose layers are files in its folder. Threads may share it.

    Its rasters are sampled with `resampling`: ``nearest``, ``bilinear`` or ``cubic``.

    >>> import plumb_gis as plumb
    >>> cape = plumb.Map("rasters/cape.json")
    >>> [layer["name"] for layer in cape.layers][:3]
    ['places', 'rivers', 'wards']
    >>> held = cape.identify(18.86, -33.93, tolerance="12px", scale=50_000)
    >>> held
    <plumb.IdentifyResult: places 1, wards 1, services 1, land_cover 1, evi 1, dem 1>
    >>> held["places"].elements[0].attributes["NAME"]
    'Stellenbosch'
    """

    def __init__(
        self, path: str | os.PathLike[str], *, resampling: str = "nearest",
        cache: int | None = None, threads: int | None = None, anywhere: bool = False,
    ) -> None:  # fmt: skip
        flags(anywhere=anywhere)
        options = _native.options(
            method=method_of(resampling), cache=cache, threads=threads,
            access="anywhere" if anywhere else None,
        )  # fmt: skip
        given = text_of(path)
        self._arguments = (
            (absolute(given),),
            {"resampling": resampling, "cache": cache, "threads": threads, "anywhere": anywhere},
        )
        polling = _native.Polling()
        self._handle = _native.opened(
            "plumb_map_open", "plumb_map_close", "the map", os.fsencode(given), options,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn()
        text = _native.text_call("plumb_map_describe", self._handle.pointer)
        #: The description, as ``plumb info --of json`` prints it.
        self.info: dict[str, Any] = json.loads(text)
        #: The path of the document.
        self.path: str = self.info["path"]
        #: The CRS, such as ``EPSG:4326``.
        self.crs: str | None = self.info.get("crs")
        #: The layers from the top, each with ``id``, ``name``, ``type`` and its content.
        self.layers: list[dict[str, Any]] = self.info["layers"]

    def identify(
        self, x: float, y: float, *, crs: Any = None, tolerance: str | float | None = None,
        scale: float | None = None, max_results: int | str = 1, popups_only: bool = False,
        layer: str | None = None, where: str | None = None, strict: bool = False,
    ) -> IdentifyResult:  # fmt: skip
        """Identifies the visible layers at a point.

        Args:
            x: Easting or longitude.
            y: Northing or latitude.
            crs: The point's CRS. Default: the map's.
            tolerance: The radius of the circle around the point, for example 50m, or 12px with
                scale. Default: 0. A number is in metres.
            scale: The denominator of the scale. With it, symbol sizes and the scale ranges of
                layers apply.
            max_results: The maximum number of elements of a layer, or all. Default: 1.
            popups_only: Return popups instead of elements; layers without popups are omitted.
            layer: Identify only the layer with this id. The id of a sublayer is, for example,
                ``services/1``.
            where: Identify only the features of layer that meet a condition.
            strict: Fail on uncertain transformations, warnings about layers, and rows whose values
                cannot be read.
        """
        options = _asked(tolerance, scale, max_results, popups_only, layer, where, strict)
        at = []
        for name, value in (("x", x), ("y", y)):
            try:
                at.append(float(value))
            except (TypeError, ValueError):
                raise PlumbTypeError(f"{name} is {value!r}: give a number") from None
        text = crs_text(crs)
        polling = _native.Polling()
        said = _native.text_call(
            "plumb_map_identify", self._handle.pointer, *at, text.encode() if text else None,
            options, *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn()
        return IdentifyResult(said)

    @overload
    def identify_batch(
        self,
        points: Any = None,
        y: Any = None,
        *,
        x: Any = None,
        geometry: str | None = None,
        out: Literal["xarray"],
        **settings: Unpack[T.Identified],
    ) -> xr.Dataset: ...
    @overload
    def identify_batch(
        self,
        points: T.Frame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Identified],
    ) -> T.Frame: ...
    @overload
    def identify_batch(
        self,
        points: xr.Dataset,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Identified],
    ) -> xr.Dataset: ...
    @overload
    def identify_batch(
        self,
        points: pl.LazyFrame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Identified],
    ) -> pl.LazyFrame: ...
    @overload
    def identify_batch(
        self,
        points: T.Table,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Identified],
    ) -> T.Table: ...
    @overload
    def identify_batch(
        self,
        points: T.ArrowStream,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Identified],
    ) -> JoinedTable: ...
    @overload
    def identify_batch(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        **settings: Unpack[T.Identified],
    ) -> BatchResult: ...
    @overload
    def identify_batch(
        self,
        *,
        x: ArrayLike,
        y: ArrayLike,
        **settings: Unpack[T.Identified],
    ) -> BatchResult: ...
    def identify_batch(
        self, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
        geometry: str | None = None, tolerance: str | float | None = None,
        scale: float | None = None, layer: str | None = None, where: str | None = None,
        fields: Sequence[str] | None = None, scaled: bool = False, status: bool = False,
        provenance: bool = False, strict: bool = False, progress: Progress = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        """Identifies the layers at many points; the results are columns next to those of the points.

        A feature layer has ``LAYER.count``, the number of features at the point, and
        ``LAYER.FIELD``, a field of the topmost one; a raster layer has ``LAYER`` in its own type.
        Points, results and ``out`` are as in `plumb.sample`; arrays give a `BatchResult`.
        ``fields`` selects the columns. With ``strict``, a fault that leaves a row without a result
        is an error.

        >>> import plumb_gis as plumb
        >>> cape = plumb.Map("rasters/cape.json")
        >>> held = cape.identify_batch([18.45, 2.35], [-34.05, 48.86])
        >>> held["wards.NAME"].tolist(), held["dem"].tolist()
        (['Retreat', None], [80, None])
        """
        from . import _arrow
        from ._tables import Points

        if is_lazy(points):
            call = functools.partial(
                self.identify_batch, y=y, x=x, crs=crs, geometry=geometry, tolerance=tolerance,
                scale=scale, layer=layer, where=where, fields=fields, scaled=scaled,
                status=status, provenance=provenance, strict=strict, progress=progress,
            )  # fmt: skip
            return lazily(points, call, out)
        one_of_out(out)
        flags(scaled=scaled, status=status, provenance=provenance)
        options = _asked(
            tolerance, scale, None, False, layer, where, strict,
            fields=list(fields) if fields is not None else None,
            scaled=scaled or None, status=status or None, provenance=provenance or None,
        )  # fmt: skip
        taken = Points.of(points, x, y, crs, geometry)
        first, second = taken.x, taken.y
        if isinstance(first, float):
            import numpy as np

            first, second = np.array([first]), np.array([second])
        room = _arrow.Room()
        polling = _native.Polling(progress, "identify")
        _native.call(
            "plumb_map_identify_batch", self._handle.pointer, first.ctypes.data,
            second.ctypes.data, first.size, taken.crs.encode() if taken.crs else None, options,
            *_native.polled(polling), *room.addresses, polling=polling,
        )  # fmt: skip
        _native.warn()
        return taken.answer(BatchResult(_arrow.Table([room])), self.crs, out)

    def close(self) -> None:
        """Closes the files; running calls finish first."""
        self._handle.close()

    def __repr__(self) -> str:
        return f"<plumb.Map {self.path}: {len(self.layers)} layers, {self.crs}>"

    def _repr_html_(self) -> str:
        from ._html import table

        rows: list[list[Any]] = []

        def add(layers: list[dict[str, Any]], depth: int) -> None:
            for layer in layers:
                holds = layer.get("features")
                content = f"{holds} features" if holds is not None else layer.get("pixelType")
                shown = "yes" if layer.get("visible") else "no"
                name = "\u2003" * depth + layer["name"]
                rows.append(
                    [name, layer["type"], shown, content, layer.get("crs"), layer.get("error")]
                )
                add(layer.get("layers", []), depth + 1)

        add(self.layers, 0)
        return table(["layer", "type", "drawn", "holds", "crs", "error"], rows, self.path)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or hasattr(value, "__index__")


def _asked(
    tolerance: str | float | None, scale: float | None, max_results: int | str | None,
    popups_only: bool, layer: str | None, where: str | None, strict: bool, **more: Any,
) -> bytes | None:  # fmt: skip
    flags(popups_only=popups_only, strict=strict)
    radius: str | None = None
    if isinstance(tolerance, str):
        radius = tolerance
    elif tolerance is not None:
        if isinstance(tolerance, bool) or not _is_number(tolerance):
            raise PlumbTypeError(f'tolerance is {tolerance!r}: give "12px", "50m" or metres')
        if not 0 <= tolerance < float("inf"):
            raise PlumbValueError(f"tolerance is {tolerance}: give 0 or more metres")
        radius = f"{tolerance}m"
    if max_results is not None and max_results != "all":
        if isinstance(max_results, bool) or not hasattr(max_results, "__index__"):
            raise PlumbTypeError(f'max_results is {max_results!r}: give a number or "all"')
    if scale is not None and (isinstance(scale, bool) or not _is_number(scale)):
        raise PlumbTypeError(f"scale is {scale!r}: give the scale's denominator, such as 50000")
    return _native.options(
        tolerance=radius, scale=scale, max_results=None if max_results == 1 else max_results,
        popups_only=popups_only or None, layer=layer, where=where, strict=strict or None, **more,
    )  # fmt: skip
