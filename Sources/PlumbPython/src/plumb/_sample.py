"""Rasters, and what they hold at points."""

from __future__ import annotations

import ctypes
import json
import operator
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _native
from ._checks import flags, unique_names
from ._closing import Closing
from ._error import PlumbError, PlumbTypeError, PlumbValueError
from ._memory import room
from ._paths import Source, source_of
from ._result import SampleResult, Values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from . import _typing as T
    from ._tables import JoinedTable
    from ._typing import Progress, Rasters

_SIZES = {"complex_int16": 4, "complex_int32": 8, "complex64": 8, "complex128": 16}


def _size(dtype: str) -> int:
    return _SIZES.get(dtype) or int(dtype.lstrip("uintfloa")) // 8


def sources_of(rasters: Any) -> list[Source]:
    """The rasters by their paths, NAME=PATH, folders, patterns, URLs, open files."""
    if isinstance(rasters, (Raster, Stack)):
        return list(rasters._sources)
    if isinstance(rasters, Source):
        return [rasters]
    if isinstance(rasters, Mapping):
        out = []
        for name, one in rasters.items():
            if not isinstance(name, str) or not name:
                raise PlumbTypeError(f"the name of a raster is {name!r}: give a text")
            of_one = sources_of(one)
            if len(of_one) > 1:
                raise PlumbValueError(f"{name} stands for {len(of_one)} rasters: name each")
            out += [Source(name, source.path) for source in of_one]
        return _some(out)
    if isinstance(rasters, (str, os.PathLike)) or hasattr(rasters, "read"):
        return [source_of(rasters, "raster")]
    if isinstance(rasters, Iterable) and not isinstance(rasters, bytes):
        return _some([source for one in rasters for source in sources_of(one)])
    raise PlumbTypeError(
        f"a raster is of type {type(rasters).__name__}: give a path, a Raster, or a list of them"
    )


def _some(sources: list[Source]) -> list[Source]:
    if not sources:
        raise PlumbValueError("there are no rasters: give one at least")
    return sources


class _Sampler:
    """Open rasters with settings, and their cache of tiles."""

    def __init__(self, sources: list[Source], settings: dict[str, Any]) -> None:
        if any(source.name is not None for source in sources):
            settings = {**settings, "names": [source.name or "" for source in sources]}
        paths = [os.fsencode(source.path) for source in sources]
        array = (ctypes.c_char_p * len(paths))(*paths)
        what = "the raster" if len(paths) == 1 else "the stack"
        options = _native.options(**settings)
        polling = _native.Polling()
        self.handle = _native.opened(
            "plumb_sampler_open", "plumb_sampler_close", what, array, len(paths), options,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn(5)
        self.about = json.loads(_native.text_call("plumb_sampler_describe", self.handle.pointer))
        self.columns: list[dict[str, Any]] = self.about["columns"]
        self.rasters: list[dict[str, Any]] = self.about["rasters"]
        self.sizes = [_size(column["dtype"]) for column in self.columns]

    def names(self, status: bool, provenance: bool) -> list[str]:
        """The names of the columns that a table gets, no two of which are the same."""
        out = []
        for raster in self.rasters:
            out += [self.columns[at]["name"] for at in raster["columns"]]
            suffixes = ["status"] if status else []
            suffixes += ["file", "row", "column"] if provenance else []
            out += [f"{raster['name']}_{suffix}" for suffix in suffixes]
        unique_names(out)
        return out

    def sample(
        self, x: Any, y: Any, crs: str | None, provenance: bool, status: bool, progress: Any
    ) -> SampleResult:
        """Asks at points: two float64 arrays, or two numbers."""
        flags(status=status, provenance=provenance)
        self.names(status, provenance)
        if isinstance(x, float):
            first, second = ctypes.c_double(x), ctypes.c_double(y)
            at_x, at_y = ctypes.addressof(first), ctypes.addressof(second)
            count = 1
            x, y = [x], [y]
        else:
            at_x, at_y, count = x.ctypes.data, y.ctypes.data, x.size
        outs = (_native.ColumnOut * len(self.columns))()
        values = []
        for index, (about, size) in enumerate(zip(self.columns, self.sizes)):
            answers, outs[index].values = room(size * count)
            statuses, outs[index].statuses = room(count)
            values.append(Values(about, answers, statuses, count))
        cells, cell_outs = None, None
        if provenance:
            cells = []
            cell_outs = (_native.CellsOut * len(self.rasters))()
            for index in range(len(self.rasters)):
                part = {}
                for key in ("file", "row", "column"):
                    part[key], address = room(4 * count)
                    setattr(cell_outs[index], key, address)
                cells.append(part)
        polling = _native.Polling(progress, "sample")
        _native.call(
            "plumb_sample", self.handle.pointer, at_x, at_y, count,
            crs.encode() if crs is not None else None, outs, len(outs), cell_outs,
            *_native.polled(polling), polling=polling,
        )  # fmt: skip
        _native.warn(5)
        return SampleResult(values, self.rasters, count, x, y, crs, cells, status)


class Stack(Closing):
    """Rasters that are asked together, open until it is closed.

    The decoded tiles stay for the next call, `cache` bytes of them. Threads may share one.

    >>> import plumb
    >>> stack = plumb.Stack({"evi": "rasters/evi_cape_town.tif", "dem": "rasters/dem"})
    >>> stack.columns
    ['evi', 'dem']
    >>> stack.sample(18.6, -34.1, crs="EPSG:4326")["evi"].tolist()
    [1478]
    """

    def __init__(
        self, rasters: Rasters, *, bands: Sequence[int] | None = None,
        resampling: str = "nearest", scaled: bool = False, cache: int | None = None,
        threads: int | None = None, connections: int | None = None, anywhere: bool = False,
        pixels: bool = False,
    ) -> None:  # fmt: skip
        self._sources = sources_of(rasters)
        self._settings = _settings(
            bands, resampling, scaled, pixels, cache, threads, connections, anywhere
        )
        named = {
            "bands": self._settings["bands"], "resampling": resampling, "scaled": scaled,
            "cache": cache, "threads": threads, "connections": connections, "anywhere": anywhere,
            "pixels": pixels,
        }  # fmt: skip
        self._arguments = (([source.absolute() for source in self._sources],), named)
        self._lock = threading.Lock()
        self._sampler: _Sampler | None = None
        self._closed = False
        self._open()

    def _open(self) -> _Sampler:
        with self._lock:
            if self._closed:
                raise PlumbError("the rasters are closed: open them again", "closed_handle")
            if self._sampler is None:
                self._sampler = _Sampler(self._sources, self._settings)
            return self._sampler

    @property
    def columns(self) -> list[str]:
        """The names of the columns that a sample has."""
        return [column["name"] for column in self._open().columns]

    @property
    def names(self) -> list[str]:
        """The names of the rasters."""
        return [raster["name"] for raster in self._open().rasters]

    @property
    def dtypes(self) -> dict[str, str]:
        """Each column's type, as NumPy calls it."""
        return {column["name"]: column["dtype"] for column in self._open().columns}

    @overload
    def sample(
        self,
        points: T.Table,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Asked],
    ) -> T.Table: ...
    @overload
    def sample(
        self,
        points: T.Frame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Asked],
    ) -> T.Frame: ...
    @overload
    def sample(
        self,
        points: T.ArrowStream,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Asked],
    ) -> JoinedTable: ...
    @overload
    def sample(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        **settings: Unpack[T.Asked],
    ) -> SampleResult: ...
    @overload
    def sample(
        self,
        *,
        x: ArrayLike,
        y: ArrayLike,
        **settings: Unpack[T.Asked],
    ) -> SampleResult: ...
    def sample(
        self, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
        geometry: str | None = None, status: bool = False, provenance: bool = False,
        progress: Progress = None,
    ) -> Any:  # fmt: skip
        """What the rasters hold at points; see `plumb.sample`."""
        return _sampled(self._open(), points, x, y, crs, geometry, status, provenance, progress)

    def close(self) -> None:
        """Lets go of the files and the decoded tiles; calls that run end first."""
        self._closed = True
        sampler, self._sampler = self._sampler, None
        if sampler is not None:
            sampler.handle.close()

    def __repr__(self) -> str:
        if self._closed:
            return "<plumb.Stack, closed>"
        return f"<plumb.Stack: {', '.join(self.names)}>"


class Band:
    """One band of a raster: its number from 1, and what the file says of it."""

    def __init__(self, about: dict[str, Any]) -> None:
        #: From 1.
        self.number: int = about["band"]
        #: The type of its cells, as NumPy calls it.
        self.dtype: str = about["type"]
        #: The value that stands for none, or None.
        self.nodata: Any = about.get("nodata")
        #: What a stored value is multiplied by, and what is then added.
        self.scale: float = about.get("scale", 1.0)
        self.offset: float = about.get("offset", 0.0)
        #: The unit of the values, or None.
        self.unit: str | None = about.get("unit")
        #: What the file calls the band, or None.
        self.description: str | None = about.get("description")
        #: What the band is for in a picture, as ``gray`` or ``alpha``, or None.
        self.color: str | None = about.get("color")

    def __repr__(self) -> str:
        return f"<plumb.Band {self.number}: {self.dtype}>"


class Raster(Closing):
    """A raster: a file, a folder of tiles, or a pattern of them as one mosaic.

    Its attributes are what ``plumb info`` says; `sample` asks it at points. Threads may share one.

    >>> import plumb
    >>> raster = plumb.Raster("rasters/evi_cape_town.tif")
    >>> raster.width, raster.height, raster.bands[0].dtype, raster.bands[0].nodata
    (600, 600, 'int16', -3000)
    >>> raster.sample(18.6, -34.1, crs="EPSG:4326")["evi_cape_town"].tolist()
    [1478]
    """

    def __init__(
        self, path: str | os.PathLike[str], *, cache: int | None = None,
        threads: int | None = None, connections: int | None = None, anywhere: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(path, (list, tuple, dict)) and not isinstance(path, Source):
            raise PlumbTypeError("a Raster is one raster: give several to plumb.Stack")
        self._sources = sources_of(path)
        self._opening = (cache, threads, connections, anywhere)
        _settings(None, "nearest", False, False, *self._opening)
        named = {
            "cache": cache, "threads": threads, "connections": connections, "anywhere": anywhere
        }  # fmt: skip
        self._arguments = ((self._sources[0].absolute(),), named)
        self._samplers: dict[Any, _Sampler] = {}
        self._lock = threading.Lock()
        self._closed = False
        given, plain = self._sources[0].name, os.fsencode(self._sources[0].path)
        polling = _native.Polling()
        access = _native.options(access="anywhere" if anywhere else None)
        text = _native.text_call(
            "plumb_info", plain, access, *_native.polled(polling), polling=polling
        )
        _native.warn()
        #: All of it, as ``plumb info --of json`` prints it.
        self.info: dict[str, Any] = json.loads(text.splitlines()[0])
        if "bands" not in self.info:
            raise PlumbValueError(
                f"{os.fsdecode(plain)} is not a raster: open a map with plumb.Map, a network with "
                "plumb.Network",
                "bad_input",
            )
        about = self.info
        #: The name of its columns.
        self.name: str = about["name"] if given is None else given
        #: The path, of the first file for several.
        self.path: str = about["path"]
        #: How many files there are.
        self.files: int = about["files"]
        #: The driver that reads it, as ``GTiff``.
        self.driver: str = about["driver"]
        #: Cells from left to right.
        self.width: int = about["width"]
        #: Cells from top to bottom.
        self.height: int = about["height"]
        #: The reference, as ``EPSG:4326``, or its name where it has no code.
        self.crs: str | None = about.get("crs")
        #: x of the left border, a cell's width, a rotation, y of the top border, a rotation, a
        #: cell's height, which is negative where rows go down.
        self.geotransform: list[float] | None = about.get("geotransform")
        #: Least x, least y, greatest x, greatest y.
        self.extent: list[float] | None = about.get("extent")
        #: How cells are compressed and laid out, and by which way they are read.
        self.compression: str | None = about.get("compression")
        self.interleaving: str | None = about.get("interleaving")
        self.block_width: int | None = about.get("blockWidth")
        self.block_height: int | None = about.get("blockHeight")
        self.route: str | None = about.get("route")
        #: Smaller copies in the file, which no value is taken from.
        self.overviews: list[Any] = about.get("overviews", [])
        #: The bands, from the first.
        self.bands: list[Band] = [Band(band) for band in about["bands"]]

    @overload
    def sample(
        self,
        points: T.Table,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Banded],
    ) -> T.Table: ...
    @overload
    def sample(
        self,
        points: T.Frame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Banded],
    ) -> T.Frame: ...
    @overload
    def sample(
        self,
        points: T.ArrowStream,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Banded],
    ) -> JoinedTable: ...
    @overload
    def sample(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        **settings: Unpack[T.Banded],
    ) -> SampleResult: ...
    @overload
    def sample(
        self,
        *,
        x: ArrayLike,
        y: ArrayLike,
        **settings: Unpack[T.Banded],
    ) -> SampleResult: ...
    def sample(
        self, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
        geometry: str | None = None, bands: Sequence[int] | None = None,
        resampling: str = "nearest", scaled: bool = False, status: bool = False,
        provenance: bool = False, progress: Progress = None, pixels: bool = False,
    ) -> Any:  # fmt: skip
        """What the raster holds at points; see `plumb.sample`."""
        sampler = self._open(bands, resampling, scaled, pixels)
        return _sampled(sampler, points, x, y, crs, geometry, status, provenance, progress)

    def _open(self, bands: Any, resampling: str, scaled: bool, pixels: bool) -> _Sampler:
        settings = _settings(bands, resampling, scaled, pixels, *self._opening)
        key = _native.options(**settings)
        with self._lock:
            if self._closed:
                raise PlumbError("the raster is closed: open it again", "closed_handle")
            sampler = self._samplers.get(key)
            if sampler is None:
                sampler = self._samplers[key] = _Sampler(self._sources, settings)
            return sampler

    def close(self) -> None:
        """Lets go of the files and the decoded tiles; calls that run end first."""
        self._closed = True
        with self._lock:
            samplers, self._samplers = self._samplers, {}
        for sampler in samplers.values():
            sampler.handle.close()

    def __repr__(self) -> str:
        return (
            f"<plumb.Raster {self.name}: {self.width} × {self.height}, {len(self.bands)} "
            f"{'band' if len(self.bands) == 1 else 'bands'}, {self.crs}>"
        )

    def _repr_html_(self) -> str:
        from ._html import pairs

        items: list[tuple[str, Any]] = [
            (key, value)
            for key, value in self.info.items()
            if key not in ("bands", "name") and value not in (None, [])
        ]
        for band in self.info["bands"]:
            said = ", ".join(f"{key} {value}" for key, value in band.items() if key != "band")
            items.append((f"band {band['band']}", said))
        return pairs(items, self.name)


def _settings(
    bands: Any, resampling: str, scaled: bool, pixels: bool, cache: int | None,
    threads: int | None, connections: int | None, anywhere: bool, once: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """The options that rasters are opened with."""
    if resampling not in ("nearest", "bilinear", "cubic"):
        raise PlumbValueError(f"resampling is {resampling!r}: give nearest, bilinear or cubic")
    flags(scaled=scaled, pixels=pixels, anywhere=anywhere)
    chosen = None
    if bands is not None:
        if _is_whole(bands):
            bands = [bands]
        elif isinstance(bands, (str, bytes)) or not isinstance(bands, Iterable):
            raise PlumbTypeError(f"bands is {bands!r}: give numbers from 1")
        chosen = []
        for band in bands:
            if not _is_whole(band):
                raise PlumbTypeError(f"bands holds {band!r}: give numbers from 1")
            chosen.append(operator.index(band))
    for name, value in (("cache", cache), ("threads", threads), ("connections", connections)):
        if value is not None and not _is_whole(value):
            raise PlumbTypeError(f"{name} is {value!r}: give a whole number")
    return {
        "bands": chosen, "method": None if resampling == "nearest" else resampling,
        "scaled": True if scaled else None, "cache": cache, "threads": threads,
        "connections": connections, "once": True if once else None,
        "access": "anywhere" if anywhere else None, "pixels": True if pixels else None,
    }  # fmt: skip


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


@overload
def sample(
    rasters: Rasters,
    points: T.Table,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Opened],
) -> T.Table: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Frame,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Opened],
) -> T.Frame: ...
@overload
def sample(
    rasters: Rasters,
    points: T.ArrowStream,
    y: str | None = None,
    *,
    x: str | None = None,
    geometry: str | None = None,
    **settings: Unpack[T.Opened],
) -> JoinedTable: ...
@overload
def sample(
    rasters: Rasters,
    points: T.Points,
    y: ArrayLike | None = None,
    **settings: Unpack[T.Opened],
) -> SampleResult: ...
@overload
def sample(
    rasters: Rasters,
    *,
    x: ArrayLike,
    y: ArrayLike,
    **settings: Unpack[T.Opened],
) -> SampleResult: ...
def sample(
    rasters: Rasters, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
    geometry: str | None = None, bands: Sequence[int] | None = None, resampling: str = "nearest",
    scaled: bool = False, status: bool = False, provenance: bool = False,
    cache: int | None = None, threads: int | None = None, connections: int | None = None,
    anywhere: bool = False, progress: Progress = None, pixels: bool = False,
) -> Any:  # fmt: skip
    """What rasters hold at points: a column a band, null where there is no value.

    Args:
        rasters: A path, a folder of tiles or a pattern (one mosaic), a URL, ``"name=path"``, a
            `Raster` or `Stack` that is open, a list of these, or a mapping of names to them.
        points: x of each point, with ``y`` after it; or a table that holds the points: a pandas
            DataFrame, a GeoDataFrame or GeoSeries, a pyarrow Table or RecordBatch, a polars
            DataFrame, or anything with ``__arrow_c_stream__``.
        y: y of each point: northing or latitude.
        x: With a table, the name of its column of eastings or longitudes, and ``y`` that of the
            other; without, the usual names are looked for, after a column of geometries.
        crs: The points' reference. Default: what the table says, EPSG:4326 for columns of
            longitude and latitude by their names, else the rasters' own. One that differs from
            the table's is an error.
        geometry: The name of the table's column of points, in GeoArrow's layouts or as WKB.
        bands: The bands, from 1. Default: all.
        resampling: ``nearest``, ``bilinear`` or ``cubic``; the last two give float64.
        scaled: Apply scale and offset; such columns are float64.
        status: Add a column ``NAME_status`` for each raster to a table.
        provenance: Add columns ``NAME_file``, ``NAME_row`` and ``NAME_column``.
        cache: Bytes of decoded tiles to keep at most.
        threads: How many threads work. Default: one a processor.
        connections: Requests to servers at once, at most.
        anywhere: Let files lead to other folders and the network.
        progress: True for a bar, or a function that is called with the share done, from 0 to 1.
        pixels: Take x for columns and y for rows of the rasters' cells, counted from 0, without a
            reference: the way to ask a raster that is not georeferenced.

    Returns:
        A `SampleResult` for arrays; for a table one of its kind, its rows, index and columns kept
        and the rasters' columns added. Integers keep their type, as pandas' nullable integers.

    Raises:
        PlumbError: with a ``code``; `PlumbTypeError` and `PlumbValueError` for wrong arguments.

    >>> import plumb
    >>> plumb.sample("rasters/dem", [18.6, 2.35], [-34.1, 48.86])["dem"]
    masked_array(data=[29, --],
                 mask=[False,  True],
           fill_value=-32768,
                dtype=int16)
    >>> import pandas
    >>> towns = pandas.DataFrame({"lon": [18.45, 18.65], "lat": [-34.05, -34.25]}, index=["a", "b"])
    >>> plumb.sample({"evi": "rasters/evi_cape_town.tif"}, towns, status=True)
         lon    lat   evi evi_status
    a  18.45 -34.05  3941         ok
    b  18.65 -34.25  <NA>     nodata
    """
    settled = (bands, resampling, scaled, pixels, cache, threads, connections, anywhere)
    if settled == (None, "nearest", False, False, None, None, None, False):
        if isinstance(rasters, (Raster, Stack)):
            return rasters.sample(
                points, y, x=x, crs=crs, geometry=geometry, status=status, provenance=provenance,
                progress=progress,
            )  # fmt: skip
    elif isinstance(rasters, Stack):
        raise PlumbTypeError(
            "a Stack has its settings from where it was made: give bands, resampling and others "
            "to plumb.Stack"
        )
    elif isinstance(rasters, Raster) and settled[4:] == (None, None, None, False):
        return rasters.sample(
            points, y, x=x, crs=crs, geometry=geometry, bands=bands, resampling=resampling,
            scaled=scaled, status=status, provenance=provenance, progress=progress, pixels=pixels,
        )  # fmt: skip
    settings = _settings(*settled, once=True)
    sources = sources_of(rasters)
    return _sampled(
        lambda: _Sampler(sources, settings), points, x, y, crs, geometry, status, provenance,
        progress,
    )  # fmt: skip


def _sampled(
    sampler: Any, points: Any, x: Any, y: Any, crs: Any, geometry: str | None, status: bool,
    provenance: bool, progress: Any,
) -> Any:  # fmt: skip
    """Takes the points from what holds them, asks, and puts the answer beside them."""
    from ._tables import Points

    # The points are looked at before a file is opened.
    taken = Points.of(points, x, y, crs, geometry)
    own = not isinstance(sampler, _Sampler)
    if own:
        sampler = sampler()
    try:
        result = sampler.sample(taken.x, taken.y, taken.crs, provenance, status, progress)
    finally:
        if own:
            sampler.handle.close()
    return taken.joined(result)
