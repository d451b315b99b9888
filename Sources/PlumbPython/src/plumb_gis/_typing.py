"""Types of arguments and results, for type checkers only: never imported at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from os import PathLike
from typing import Any, Protocol, TypedDict, TypeVar, Union

import geopandas as gpd
import pandas as pd
import polars as pl
import pyarrow as pa
import shapely
import xarray as xr
from numpy.typing import ArrayLike

from . import _native
from ._raster import Raster
from ._stack import Stack

Path = Union[str, PathLike[str]]
Dates = Union[Path, Sequence[Path], None]
# A duration, such as 16d.
Window = Union[str, timedelta, None]
# An array or a series of datetimes, dates, numbers or text.
Times = Any
Progress = Union[bool, _native.Progress, None]
# Also datasets of rasterio and files of fsspec.
RasterLike = Union[Path, Raster, Stack, xr.DataArray, xr.Dataset, "Dataset", "File"]
Rasters = Union[RasterLike, Sequence[RasterLike], Mapping[str, RasterLike]]
CRS = Any

# The result is of the same kind as the input.
Frame = TypeVar("Frame", bound=pd.DataFrame)
Table = TypeVar("Table", pl.DataFrame, pa.Table, pa.RecordBatch)
Shape = Union[shapely.Geometry, None]
Points = Union[ArrayLike, Shape, Sequence[Shape], gpd.GeoSeries]


class Dataset(Protocol):
    """An open dataset of rasterio."""

    @property
    def name(self) -> str: ...

    @property
    def crs(self) -> Any: ...


class File(Protocol):
    """A file of fsspec, open or not."""

    @property
    def fs(self) -> Any: ...

    @property
    def path(self) -> Any: ...


class ArrowStream(Protocol):
    """Anything that exports its rows through Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Asked(TypedDict, total=False):
    """The arguments for sampling open rasters."""

    crs: CRS
    status: bool
    provenance: bool
    progress: Progress


class Banded(Asked, total=False):
    """The arguments for sampling an open raster."""

    bands: Sequence[int] | None
    resampling: str
    scaled: bool
    pixels: bool


class Matched(Asked, total=False):
    """The arguments for sampling open rasters with dates."""

    match: str | None
    within: Window
    valid: str | None
    search: str | None
    interpolate: str | None
    reduce: str | Sequence[str] | None
    strict: bool


class Opening(TypedDict, total=False):
    """The arguments for opening rasters."""

    bands: Sequence[int] | None
    resampling: str
    scaled: bool
    cache: int | None
    threads: int | None
    connections: int | None
    anywhere: bool
    dates: Dates
    group: str | None


class Opened(Matched, Opening, total=False):
    """The arguments for sampling rasters that are opened by the call."""

    pixels: bool


class Serial(TypedDict, total=False):
    """The arguments for reading all dates of open rasters."""

    crs: CRS
    start: Any
    end: Any
    valid: str | None
    status: bool
    strict: bool
    progress: Progress


class OpenedSeries(Serial, Opening, total=False):
    """The arguments for reading all dates of rasters that are opened by the call."""


class Identified(Asked, total=False):
    """The arguments for identifying a map at many points."""

    tolerance: str | float | None
    scale: float | None
    layer: str | None
    where: str | None
    fields: Sequence[str] | None
    scaled: bool
    strict: bool


class Buffered(TypedDict, total=False):
    """The arguments for drawing areas."""

    unit: str | None
    geodesic: bool
    max_deviation: float | None
    curve: str | None
    crs: CRS
    out_crs: CRS
    strict: bool
    threads: int | None
    progress: Progress


class Summarised(TypedDict, total=False):
    """The arguments for statistics of areas."""

    bands: Sequence[int] | None
    radius: str | None
    cells: str | None
    coverage_threshold: float | None
    coverage: Path | None
    weights: RasterLike | None
    approximate: bool
    scaled: bool
    classes: bool
    wide: bool
    long: bool
    crs: CRS
    strict: bool
    cache: int | None
    threads: int | None
    dates: Dates
    group: str | None
    start: Any
    end: Any
    progress: Progress


class Watched(TypedDict, total=False):
    """The arguments for monitoring fences."""

    buffer: float
    rule: str
    accuracy: bool
    relationship: str | None
    feed_filter: str | None
    message: str | None
    name: str | None
    dwell: float | None
    cooldown: float | None
    forget: float | None
    crossings: bool
    initial: bool
    explain: bool
    where: str | None
    area: Sequence[float] | None
    raster_fences: str | Sequence[str] | None
    id: str | None
    time: str | None
    x: str | None
    y: str | None
    max_ahead: float | None
    simulate: bool
    velocity: float | None
    segment: float | None
    start: str | datetime | None
    anywhere: bool
    progress: Progress
