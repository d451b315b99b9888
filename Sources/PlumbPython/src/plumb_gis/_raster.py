"""A raster and the metadata of its file."""

from __future__ import annotations

import functools
import json
import os
from _thread import allocate_lock
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _native
from ._closing import Closing
from ._error import PlumbError, PlumbTypeError, PlumbValueError
from ._lazy import is_lazy, lazily
from ._paths import Source
from ._sampler import Sampler, sampled, settings_of, sources_of

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from . import _typing as T
    from ._result import SampleResult
    from ._tables import JoinedTable
    from ._typing import Progress


class Band:
    """One band of a raster: its number from 1, and its metadata."""

    def __init__(self, about: dict[str, Any]) -> None:
        #: From 1.
        self.number: int = about["band"]
        #: The type of its cells, in NumPy's notation.
        self.dtype: str = about["type"]
        #: The nodata value, or None.
        self.nodata: Any = about.get("nodata")
        #: Scale and offset: stored values are multiplied by the former, then the latter is
        #: added.
        self.scale: float = about.get("scale", 1.0)
        self.offset: float = about.get("offset", 0.0)
        #: The unit of the values, or None.
        self.unit: str | None = about.get("unit")
        #: The band's description in the file, or None.
        self.description: str | None = about.get("description")
        #: The colour interpretation, such as ``gray`` or ``alpha``, or None.
        self.color: str | None = about.get("color")

    def __repr__(self) -> str:
        return f"<plumb.Band {self.number}: {self.dtype}>"


class Raster(Closing):
    """A raster: a file, a folder of tiles, or a pattern of them as one mosaic.

    Its attributes are those of ``plumb info``; `sample` reads it at points. Threads may share it.

    Args:
        path: A path, a folder of tiles or a pattern (one mosaic), a URL, or ``"name=path"``.
        cache: Memory for decoded tiles. Default: 512 MB. In bytes.
        threads: The number of threads. Default: one per processor.
        connections: The maximum number of simultaneous requests to servers in the process. Default:
            8.
        anywhere: Allow files to refer to other folders and the network.

    >>> import plumb_gis as plumb
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
        settings_of(None, "nearest", False, False, *self._opening)
        named = {
            "cache": cache, "threads": threads, "connections": connections, "anywhere": anywhere
        }  # fmt: skip
        self._arguments = ((self._sources[0].absolute(),), named)
        self._samplers: dict[Any, Sampler] = {}
        self._lock = allocate_lock()
        self._closed = False
        given, plain = self._sources[0].name, os.fsencode(self._sources[0].path)
        polling = _native.Polling()
        access = _native.options(access="anywhere" if anywhere else None)
        text = _native.text_call(
            "plumb_info", plain, access, *_native.polled(polling), polling=polling
        )
        _native.warn()
        #: The description, as ``plumb info --of json`` prints it.
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
        #: The path; for several files that of the first.
        self.path: str = about["path"]
        #: The number of files.
        self.files: int = about["files"]
        #: The driver that reads it, such as ``GTiff``.
        self.driver: str = about["driver"]
        #: The number of columns.
        self.width: int = about["width"]
        #: The number of rows.
        self.height: int = about["height"]
        #: The CRS, such as ``EPSG:4326``, or its name if it has no code.
        self.crs: str | None = about.get("crs")
        #: x of the left edge, cell width, rotation, y of the top edge, rotation, cell height,
        #: which is negative if rows go down.
        self.geotransform: list[float] | None = about.get("geotransform")
        #: Minimum x, minimum y, maximum x, maximum y.
        self.extent: list[float] | None = about.get("extent")
        #: The compression and layout of cells, and how they are read.
        self.compression: str | None = about.get("compression")
        self.interleaving: str | None = about.get("interleaving")
        self.block_width: int | None = about.get("blockWidth")
        self.block_height: int | None = about.get("blockHeight")
        self.route: str | None = about.get("route")
        #: The overviews in the file; values are never taken from them.
        self.overviews: list[Any] = about.get("overviews", [])
        #: The bands, from the first.
        self.bands: list[Band] = [Band(band) for band in about["bands"]]

    @overload
    def sample(
        self,
        points: Any = None,
        y: Any = None,
        *,
        x: Any = None,
        geometry: str | None = None,
        out: Literal["xarray"],
        **settings: Unpack[T.Banded],
    ) -> xr.Dataset: ...
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
        points: xr.Dataset,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Banded],
    ) -> xr.Dataset: ...
    @overload
    def sample(
        self,
        points: pl.LazyFrame,
        y: str | None = None,
        *,
        x: str | None = None,
        geometry: str | None = None,
        **settings: Unpack[T.Banded],
    ) -> pl.LazyFrame: ...
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
        out: Any = None,
    ) -> Any:  # fmt: skip
        """Samples the raster at points; see `plumb.sample`."""
        if is_lazy(points):
            call = functools.partial(
                self.sample, y=y, x=x, crs=crs, geometry=geometry, bands=bands,
                resampling=resampling, scaled=scaled, status=status, provenance=provenance,
                progress=progress, pixels=pixels,
            )  # fmt: skip
            return lazily(points, call, out)
        sampler = self._open(bands, resampling, scaled, pixels)
        return sampled(
            sampler, points, x, y, crs, geometry, status, provenance, progress, pixels, out=out
        )

    def _open(self, bands: Any, resampling: str, scaled: bool, pixels: bool) -> Sampler:
        settings = settings_of(bands, resampling, scaled, pixels, *self._opening)
        key = _native.options(**settings)
        with self._lock:
            if self._closed:
                raise PlumbError("the raster is closed: open it again", "closed_handle")
            sampler = self._samplers.get(key)
            if sampler is None:
                sampler = self._samplers[key] = Sampler(self._sources, settings)
            return sampler

    def close(self) -> None:
        """Closes the files and drops the decoded tiles; running calls finish first."""
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
