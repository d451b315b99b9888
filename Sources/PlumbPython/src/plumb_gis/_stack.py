"""Rasters sampled together."""

from __future__ import annotations

import functools
from _thread import allocate_lock
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from ._closing import Closing
from ._error import PlumbError
from ._lazy import is_lazy, lazily
from ._sampler import (
    Sampler,
    matching_of,
    sampled,
    series_of,
    settings_of,
    sources_of,
)  # fmt: skip

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    import xarray as xr
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from . import _typing as T
    from ._dated import DatedResult, SeriesResult
    from ._result import SampleResult
    from ._tables import JoinedTable
    from ._typing import Dates, Progress, Rasters, Window


class Stack(Closing):
    """Rasters that are sampled together and stay open until the stack is closed.

    Decoded tiles are kept for later calls, up to `cache` bytes. Threads may share a stack.

    >>> import plumb_gis as plumb
    >>> stack = plumb.Stack({"evi": "rasters/evi_cape_town.tif", "dem": "rasters/dem"})
    >>> stack.columns
    ['evi', 'dem']
    >>> stack.sample(18.6, -34.1, crs="EPSG:4326")["evi"].tolist()
    [1478]

    With ``dates``, `sample` matches the dates of the rasters' files to times, and `series` returns
    all of them; see `plumb.sample` and `plumb.series`.

    Args:
        rasters: As for `plumb.sample`.
        bands: Bands, from 1. Default: all.
        resampling: The value at a point: that of its cell, or a double interpolated from 4 or 16
            cells. Default: nearest. One of ``nearest``, ``bilinear``, ``cubic``.
        scaled: Apply scale and offset; the values are then doubles.
        cache: Memory for decoded tiles. Default: 512 MB. In bytes.
        threads: The number of threads. Default: one per processor.
        connections: The maximum number of simultaneous requests to servers in the process. Default:
            8.
        anywhere: Allow files to refer to other folders and the network.
        pixels: Whether the points are columns and rows of the cells, counted from 0 at the outer
            corner of the first cell. They have no CRS; for rasters that are not georeferenced.
        dates: The dates of the rasters' files: a pattern for their names without extension, such as
            MOD13Q1_%Y%j, with the codes of strptime and the wildcards * and ?; tag:ITEM, a metadata
            item such as an acquisition time; or a CSV file with the columns file, date and
            optionally end. A list for several. Variables of arrays (FILE#VARIABLE) and assets of
            STAC items (FILE.json#ASSET) have their own dates.
        group: The files of one date: those of equal time, or those of one day in UTC. Default:
            time; day for STAC items, and if files cover different areas. One of ``time``, ``day``.
    """

    def __init__(
        self, rasters: Rasters, *, bands: Sequence[int] | None = None,
        resampling: str = "nearest", scaled: bool = False, cache: int | None = None,
        threads: int | None = None, connections: int | None = None, anywhere: bool = False,
        pixels: bool = False, dates: Dates = None, group: str | None = None,
    ) -> None:  # fmt: skip
        self._sources = sources_of(rasters, scaled)
        self._settings = settings_of(
            bands, resampling, scaled, pixels, cache, threads, connections, anywhere, dates=dates,
            group=group,
        )  # fmt: skip
        named = {
            "bands": self._settings["bands"], "resampling": resampling, "scaled": scaled,
            "cache": cache, "threads": threads, "connections": connections, "anywhere": anywhere,
            "pixels": pixels, "dates": self._settings["dates"], "group": group,
        }  # fmt: skip
        self._arguments = (([source.absolute() for source in self._sources],), named)
        self._lock = allocate_lock()
        self._sampler: Sampler | None = None
        self._closed = False
        self._open()

    def _open(self) -> Sampler:
        with self._lock:
            if self._closed:
                raise PlumbError("the rasters are closed: open them again", "closed_handle")
            if self._sampler is None:
                self._sampler = Sampler(self._sources, self._settings)
            return self._sampler

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a sample."""
        return [column["name"] for column in self._open().columns]

    @property
    def names(self) -> list[str]:
        """The names of the rasters."""
        return [raster["name"] for raster in self._open().rasters]

    @property
    def dtypes(self) -> dict[str, str]:
        """Each column's type, in NumPy's notation."""
        return {column["name"]: column["dtype"] for column in self._open().columns}

    @overload
    def sample(
        self,
        points: Any = None,
        y: Any = None,
        *,
        x: Any = None,
        geometry: str | None = None,
        when: Any = None,
        out: Literal["xarray"],
        **settings: Unpack[T.Matched],
    ) -> xr.Dataset: ...
    @overload
    def sample(
        self,
        points: T.Frame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        when: str | T.Times | None = None,
        **settings: Unpack[T.Matched],
    ) -> T.Frame: ...
    @overload
    def sample(
        self,
        points: xr.Dataset,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        when: str | T.Times | None = None,
        **settings: Unpack[T.Matched],
    ) -> xr.Dataset: ...
    @overload
    def sample(
        self,
        points: pl.LazyFrame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        when: str | T.Times | None = None,
        **settings: Unpack[T.Matched],
    ) -> pl.LazyFrame: ...
    @overload
    def sample(
        self,
        points: T.Table,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        when: str | T.Times | None = None,
        **settings: Unpack[T.Matched],
    ) -> T.Table: ...
    @overload
    def sample(
        self,
        points: T.ArrowStream,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        when: str | T.Times | None = None,
        **settings: Unpack[T.Matched],
    ) -> JoinedTable: ...
    @overload
    def sample(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        *,
        when: T.Times,
        **settings: Unpack[T.Matched],
    ) -> DatedResult: ...
    @overload
    def sample(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        **settings: Unpack[T.Matched],
    ) -> SampleResult: ...
    @overload
    def sample(
        self,
        *,
        x: ArrayLike,
        y: ArrayLike,
        **settings: Unpack[T.Matched],
    ) -> SampleResult: ...
    def sample(
        self, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
        geometry: str | None = None, status: bool = False, provenance: bool = False,
        progress: Progress = None, when: Any = None, match: str | None = None,
        within: Window = None, valid: str | None = None, search: str | None = None,
        interpolate: str | None = None, reduce: str | Sequence[str] | None = None,
        strict: bool = False, out: Any = None,
    ) -> Any:  # fmt: skip
        """Samples the rasters at points; see `plumb.sample`."""
        if is_lazy(points):
            call = functools.partial(
                self.sample, y=y, x=x, crs=crs, geometry=geometry, status=status,
                provenance=provenance, progress=progress, when=when, match=match, within=within,
                valid=valid, search=search, interpolate=interpolate, reduce=reduce, strict=strict,
            )  # fmt: skip
            return lazily(points, call, out)
        return sampled(
            self._open(), points, x, y, crs, geometry, status, provenance, progress,
            bool(self._settings["pixels"]), when,
            matching_of(match, within, valid, search, interpolate, reduce, strict), out,
        )  # fmt: skip

    @overload
    def series(
        self,
        points: Any = None,
        y: Any = None,
        *,
        x: Any = None,
        geometry: str | None = None,
        out: Literal["xarray"],
        **settings: Unpack[T.Serial],
    ) -> xr.Dataset: ...
    @overload
    def series(
        self,
        points: T.Frame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        long: bool = False,
        **settings: Unpack[T.Serial],
    ) -> T.Frame: ...
    @overload
    def series(
        self,
        points: xr.Dataset,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        long: bool = False,
        **settings: Unpack[T.Serial],
    ) -> xr.Dataset: ...
    @overload
    def series(
        self,
        points: pl.LazyFrame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        long: bool = False,
        **settings: Unpack[T.Serial],
    ) -> pl.LazyFrame: ...
    @overload
    def series(
        self,
        points: T.Table,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        long: bool = False,
        **settings: Unpack[T.Serial],
    ) -> T.Table: ...
    @overload
    def series(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        *,
        long: Literal[True],
        **settings: Unpack[T.Serial],
    ) -> pd.DataFrame: ...
    @overload
    def series(
        self,
        points: T.Points,
        y: ArrayLike | None = None,
        **settings: Unpack[T.Serial],
    ) -> SeriesResult: ...
    @overload
    def series(
        self,
        *,
        x: ArrayLike,
        y: ArrayLike,
        **settings: Unpack[T.Serial],
    ) -> SeriesResult: ...
    def series(
        self, points: Any = None, y: Any = None, *, x: Any = None, crs: Any = None,
        geometry: str | None = None, start: Any = None, end: Any = None, valid: str | None = None,
        long: bool = False, out: Any = None, status: bool = False, strict: bool = False,
        progress: Progress = None,
    ) -> Any:  # fmt: skip
        """Returns the values of all dates at points; see `plumb.series`."""
        if is_lazy(points):
            call = functools.partial(
                self.series, y=y, x=x, crs=crs, geometry=geometry, start=start, end=end,
                valid=valid, long=long, status=status, strict=strict, progress=progress,
            )  # fmt: skip
            return lazily(points, call, out, by_row=not long)
        return series_of(
            self._open(), points, x, y, crs, geometry, start, end, valid, long, out, status, strict,
            progress,
        )  # fmt: skip

    @property
    def dates(self) -> dict[str, NDArray[np.datetime64]]:
        """The dates of each raster, in ascending order."""
        import numpy as np

        found: dict[str, NDArray[np.datetime64]] = {}
        for raster in self._open().rasters:
            texts = raster.get("dates", [])
            unit = "D" if all(len(text) == 10 for text in texts) else "us"
            found[raster["name"]] = np.array([text.rstrip("Z") for text in texts], f"M8[{unit}]")
        return found

    def close(self) -> None:
        """Closes the files and drops the decoded tiles; running calls finish first."""
        self._closed = True
        sampler, self._sampler = self._sampler, None
        if sampler is not None:
            sampler.handle.close()

    def __repr__(self) -> str:
        if self._closed:
            return "<plumb.Stack, closed>"
        return f"<plumb.Stack: {', '.join(self.names)}>"
