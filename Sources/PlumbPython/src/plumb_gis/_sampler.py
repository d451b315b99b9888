"""Open rasters and their sampling."""

from __future__ import annotations

import ctypes
import datetime
import json
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from ._checks import flags, method_of, unique_names
from ._error import PlumbTypeError, PlumbValueError
from ._layout import Layout, one_of_out
from ._memory import room
from ._paths import Source, is_path, source_of, text_of
from ._points import has_arrays, loaded
from ._result import SampleResult, Values

_SIZES = {"complex_int16": 4, "complex_int32": 8, "complex64": 8, "complex128": 16}


def _size(dtype: str) -> int:
    return _SIZES.get(dtype) or int(dtype.lstrip("uintfloa")) // 8


def sources_of(rasters: Any, scaled: bool = False) -> list[Source]:
    """The rasters from paths, NAME=PATH, folders, patterns, URLs, open files and datasets.

    Args:
        rasters: One raster, an iterable of rasters, or a mapping of names to rasters.
        scaled: Whether the call applies scale and offset to the values.
    """
    if hasattr(rasters, "_sources"):
        return list(rasters._sources)
    if isinstance(rasters, Source):
        return [rasters]
    if loaded("rasterio") is not None or has_arrays(rasters):
        from ._datasets import array_name, opened_path

        path = opened_path(rasters, scaled)
        if path is not None:
            return [Source(array_name(rasters), text_of(path, "raster"))]
    if isinstance(rasters, Mapping):
        out = []
        for name, one in rasters.items():
            if not isinstance(name, str) or not name:
                raise PlumbTypeError(f"the name of a raster is {name!r}: give text")
            of_one = sources_of(one, scaled)
            if len(of_one) > 1:
                raise PlumbValueError(f"{name} is {len(of_one)} rasters: name each")
            out += [Source(name, source.path) for source in of_one]
        return _some(out)
    if is_path(rasters):
        return [source_of(rasters, "raster")]
    if isinstance(rasters, Iterable) and not isinstance(rasters, bytes):
        return _some([source for one in rasters for source in sources_of(one, scaled)])
    raise PlumbTypeError(
        f"a raster is of type {type(rasters).__name__}: give a path, a Raster, or a list of them"
    )


def _some(sources: list[Source]) -> list[Source]:
    if not sources:
        raise PlumbValueError("there are no rasters: give at least one")
    return sources


class Sampler:
    """Open rasters with settings, and their tile cache."""

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
        #: Whether dates of files were given.
        self.is_dated = bool(settings.get("dates"))
        self.about = json.loads(_native.text_call("plumb_sampler_describe", self.handle.pointer))
        self.columns: list[dict[str, Any]] = self.about["columns"]
        self.rasters: list[dict[str, Any]] = self.about["rasters"]
        self.sizes = [_size(column["dtype"]) for column in self.columns]

    def names(self, status: bool, provenance: bool) -> list[str]:
        """The names of the columns of a table, without duplicates."""
        out = []
        for raster in self.rasters:
            out += [self.columns[at]["name"] for at in raster["columns"]]
            suffixes = ["status"] if status else []
            suffixes += ["file", "row", "column"] if provenance else []
            out += [f"{raster['name']}_{suffix}" for suffix in suffixes]
        unique_names(out)
        return out

    @property
    def has_times_of_day(self) -> bool:
        """Whether a date of the rasters has a time of day."""
        return any(len(text) > 10 for raster in self.rasters for text in raster.get("dates", []))

    @property
    def crs(self) -> str | None:
        """The CRS of all rasters as text for PROJ; None if there are several, or none."""
        known = {json.dumps(raster.get("crs")): raster.get("crs") for raster in self.rasters}
        about = next(iter(known.values())) if len(known) == 1 else None
        if not about:
            return None
        if about.get("authority") and about.get("code"):
            return f"{about['authority']}:{about['code']}"
        return str(about["definition"])

    def sample(self, layout: Layout, provenance: bool, status: bool, progress: Any) -> SampleResult:
        """Samples points: two float64 arrays, or two numbers."""
        x, y, crs = layout.x, layout.y, layout.crs
        flags(status=status, provenance=provenance)
        self.names(status, provenance)
        if isinstance(x, float):
            first, second = ctypes.c_double(x), ctypes.c_double(y)
            at_x, at_y = ctypes.addressof(first), ctypes.addressof(second)
            count = 1
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
        return SampleResult(values, self.rasters, layout, count, cells, status)

    def dates(
        self, x: Any, y: Any, times: Any, crs: str | None, options: dict[str, Any], progress: Any
    ) -> Any:
        """The values of dates as a table: of those that match times, or of all if they are None."""
        import numpy as np

        from . import _arrow

        x, y = np.atleast_1d(np.asarray(x)), np.atleast_1d(np.asarray(y))
        room = _arrow.Room()
        polling = _native.Polling(progress, "sample")
        _native.call(
            "plumb_sample_dates", self.handle.pointer, x.ctypes.data, y.ctypes.data,
            times.ctypes.data if times is not None else None, x.size,
            crs.encode() if crs is not None else None, _native.options(**options),
            *_native.polled(polling), *room.addresses, polling=polling,
        )  # fmt: skip
        _native.warn(5)
        return _arrow.Table([room])


def settings_of(
    bands: Any, resampling: str, scaled: bool, pixels: bool, cache: int | None,
    threads: int | None, connections: int | None, anywhere: bool, once: bool = False,
    dates: Any = None, group: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The options for opening rasters."""
    method = method_of(resampling)
    flags(scaled=scaled, pixels=pixels, anywhere=anywhere)
    chosen = None
    if bands is not None:
        if is_whole(bands):
            bands = [bands]
        elif isinstance(bands, (str, bytes)) or not isinstance(bands, Iterable):
            raise PlumbTypeError(f"bands is {bands!r}: give numbers from 1")
        chosen = []
        for band in bands:
            if not is_whole(band):
                raise PlumbTypeError(f"bands contains {band!r}: give numbers from 1")
            chosen.append(operator.index(band))
    for name, value in (("cache", cache), ("threads", threads), ("connections", connections)):
        if value is not None and not is_whole(value):
            raise PlumbTypeError(f"{name} is {value!r}: give a whole number")
    return {
        "bands": chosen, "method": method,
        "scaled": True if scaled else None, "cache": cache, "threads": threads,
        "connections": connections, "once": True if once else None,
        "access": "anywhere" if anywhere else None, "pixels": True if pixels else None,
        "dates": patterns_of(dates), "group": group,
    }  # fmt: skip


def patterns_of(dates: Any) -> list[str] | None:
    """The patterns and tables with the dates of files."""
    if dates is None:
        return None
    if isinstance(dates, (str, os.PathLike)):
        dates = [dates]
    if not isinstance(dates, Iterable) or isinstance(dates, bytes):
        raise PlumbTypeError(f"dates is {dates!r}: give a pattern, tag:ITEM or the path of a table")
    out = []
    for one in dates:
        if not isinstance(one, (str, os.PathLike)):
            raise PlumbTypeError(
                f"dates contains {one!r}: give patterns, tag:ITEM or paths of tables"
            )
        out.append(os.fsdecode(one))
    return out or None


def is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def matching_of(
    match: Any, within: Any, valid: Any, search: Any, interpolate: Any, reduce: Any, strict: Any
) -> dict[str, Any]:
    """The options for matching dates that are given."""
    flags(strict=strict)
    if reduce is not None and not isinstance(reduce, str):
        if not isinstance(reduce, Iterable) or isinstance(reduce, bytes):
            raise PlumbTypeError(f"reduce is {reduce!r}: give names of statistics")
        names = list(reduce)
        for name in names:
            if not isinstance(name, str):
                raise PlumbTypeError(f"reduce contains {name!r}: give names of statistics")
        reduce = ",".join(names)
    if isinstance(within, datetime.timedelta):
        within = f"{within.total_seconds():.6f}s"
    elif type(within).__module__ == "numpy" and type(within).__name__ == "timedelta64":
        within = f"{within.astype('timedelta64[us]').astype(int) / 1e6:.6f}s"
    given = {
        "match": match, "within": within, "valid": valid, "search": search,
        "interpolate": interpolate, "reduce": reduce, "strict": True if strict else None,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


def sampled(
    sampler: Any, points: Any, x: Any, y: Any, crs: Any, geometry: str | None, status: bool,
    provenance: bool, progress: Any, pixels: bool, when: Any = None,
    matching: dict[str, Any] | None = None, out: str | None = None,
) -> Any:  # fmt: skip
    """Extracts the points, samples them, and combines the result with the input."""
    from ._tables import Points

    # The points are checked before a file is opened.
    one_of_out(out)
    taken = Points.of(points, x, y, crs, geometry, pixels, when)
    if when is None and matching:
        raise PlumbTypeError(f"{next(iter(matching))} needs when: the times of the points")
    times: Any = None
    midnights: Any = ""
    word = ""
    if when is not None:
        from ._dated import DatedResult, matched

        flags(status=status, provenance=provenance)
        times, midnights, word = matched(taken, when)
    own = not isinstance(sampler, Sampler)
    if own:
        sampler = sampler()
    try:
        if times is not None:
            if midnights and not sampler.has_times_of_day:
                from ._times import at_noon

                times = at_noon(times, midnights, word)
            options = {**(matching or {}), "status": status or None, "provenance": provenance or None}
            result: Any = DatedResult(
                sampler.dates(taken.x, taken.y, times, taken.crs, options, progress)
            )
        elif sampler.is_dated:
            raise PlumbTypeError(
                "the rasters have dates: give when=, the times of the points, or call plumb.series"
            )
        else:
            result = sampler.sample(taken.layout, provenance, status, progress)
    finally:
        if own:
            sampler.handle.close()
    return taken.answer(result, None if pixels else sampler.crs, out)


def series_of(
    sampler: Any, points: Any, x: Any, y: Any, crs: Any, geometry: str | None, start: Any,
    end: Any, valid: str | None, long: bool, out: str | None, status: bool, strict: bool,
    progress: Any,
) -> Any:  # fmt: skip
    """Extracts the points, reads all dates, and combines the result with the input."""
    from ._dated import SeriesResult, text_of
    from ._tables import Points

    flags(long=long, status=status, strict=strict)
    one_of_out(out)
    if out is not None and long:
        raise PlumbTypeError("long and out exclude each other: give one")
    taken = Points.of(points, x, y, crs, geometry)
    options = {
        "series": True, "start": text_of(start, "start"), "end": text_of(end, "end"),
        "valid": valid, "status": True, "strict": strict or None,
    }  # fmt: skip
    own = not isinstance(sampler, Sampler)
    if own:
        sampler = sampler()
    try:
        table = sampler.dates(taken.x, taken.y, None, taken.crs, options, progress)
    finally:
        if own:
            sampler.handle.close()
    result = SeriesResult(table, status)
    if long:
        return taken.repeated(result.long_columns())
    return taken.answer(result, sampler.crs, out)
