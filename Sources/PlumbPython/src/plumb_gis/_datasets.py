"""Paths of open rasters: datasets of rasterio, and the arrays in which rioxarray opens files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._error import PlumbError, PlumbTypeError, PlumbValueError
from ._points import listed, loaded

if TYPE_CHECKING:
    import xarray as xr

# rasterio's names of archives.
_ARCHIVES = ("zip", "tar", "gzip")
# GDAL's folders without files that other processes can open.
_VOLATILE = ("/vsimem/", "/vsiriopener", "/vsipythonfilelike", "/vsistdin", "/vsisubfile")


def opened_path(raster: Any, scaled: bool) -> str | None:
    """The path of a raster that another package has open; None for any other object.

    An array must be the whole file, with the file's grid, CRS and nodata value, and unread: its
    values may otherwise differ from those of the file.

    Args:
        raster: A rasterio dataset, or a DataArray.
        scaled: Whether the call applies scale and offset to the values.

    Raises:
        PlumbTypeError: for datasets in memory, warped or writable datasets, single bands, and
            arrays that are not provably the file as it is.
        PlumbValueError: for an array whose values are scaled, without ``scaled``.
    """
    rasterio, xarray = loaded("rasterio"), loaded("xarray")
    if xarray is not None and isinstance(raster, xarray.DataArray):
        return _array_path(raster, scaled)
    if rasterio is None:
        return None
    if isinstance(raster, rasterio.Band):
        raise PlumbTypeError(
            "a raster is a rasterio Band: give the dataset, and the band in bands="
        )
    if isinstance(raster, (rasterio.io.MemoryFile, rasterio.DatasetBase)):
        return _dataset_path(raster)
    return None


def array_name(raster: Any) -> str | None:
    """The name of a DataArray; None if there is none, and for other objects."""
    xarray = loaded("xarray")
    if xarray is not None and isinstance(raster, xarray.DataArray) and isinstance(raster.name, str):
        return raster.name or None
    return None


# Datasets of rasterio.


def _dataset_path(dataset: Any) -> str:
    import rasterio

    what = f"a raster is a rasterio {type(dataset).__name__}"
    if not isinstance(dataset, rasterio.io.DatasetReader) or dataset.mode != "r":
        raise PlumbTypeError(
            f"{what}, whose values are not those of a file: write it to a file, and give the "
            "file's path"
        )
    path = _plain_path(dataset.name)
    if path is None:
        raise PlumbTypeError(
            f"{what} of {dataset.name}, which only rasterio can open: give the path of a file, or "
            "a URL"
        )
    if set(dataset.options) - _HARMLESS:
        raise PlumbTypeError(
            f"{what} of {path}, opened with the options {listed(list(dataset.options))}, which may "
            "change its values: give the path"
        )
    try:
        again = rasterio.open(dataset.name)
    except rasterio.errors.RasterioIOError as error:
        raise PlumbError(
            f"{what} of {path}, which does not open again: {error}", "read_error"
        ) from None
    with again as file:
        for word, own, other in zip(_WORDS, _about(dataset), _about(file)):
            if own != other:
                raise PlumbTypeError(
                    f"{what} of {path}, whose {word} differs from the file's, as it was opened "
                    "with options: give the path"
                )
    return path


def _plain_path(name: str) -> str | None:
    """A dataset's name as a path or URL; None for the names of open files and of memory."""
    if name.startswith(_VOLATILE):
        return None
    scheme, mark, rest = name.partition("://")
    if not mark or "/" in scheme:
        return name
    if scheme in _ARCHIVES:
        archive, _, inner = rest.partition("!")
        return f"/vsi{scheme}/{os.path.abspath(archive)}" + (
            f"/{inner.lstrip('/')}" if inner else ""
        )
    return None if "+" in scheme else name


# Options of GDAL that do not affect values.
_HARMLESS = {"NUM_THREADS"}

_WORDS = ("size", "number of bands", "type", "transform", "CRS", "nodata value")


def _about(dataset: Any) -> tuple[Any, ...]:
    # NaN differs from itself.
    nodata = [str(value) for value in dataset.nodatavals]
    return (
        dataset.shape, dataset.count, dataset.dtypes, dataset.transform, dataset.crs, nodata
    )  # fmt: skip


# Arrays of rioxarray.


def _array_path(array: xr.DataArray, scaled: bool) -> str:
    backend = _backend(array.variable)
    if backend is None:
        raise _changed(array, "that is not a whole file as rioxarray opens it, with unread values")
    if backend.vrt_params is not None:
        raise _changed(array, "which is warped")
    if getattr(backend, "_unsigned_dtype", None) is not None:
        raise _changed(array, "whose values are converted to unsigned integers")
    dataset = backend.manager.acquire()
    path = _dataset_path(dataset)
    about = _difference(array, dataset)
    if about is not None:
        raise _changed(array, f"whose {about} differs from the file's")
    is_scaled = any(pair != (1.0, 0.0) for pair in zip(dataset.scales, dataset.offsets))
    if backend.mask_and_scale and is_scaled and not scaled:
        raise PlumbValueError(
            f"{_words(array)} with scaled values: give scaled=True, or open it with "
            "mask_and_scale=False"
        )
    return path


def _backend(variable: Any) -> Any:
    """rioxarray's reader of a file, if the variable is the whole file and its values are unread;
    otherwise None."""
    from xarray.core import indexing

    data = variable._data
    if hasattr(data, "dask"):
        data = _source(data)
    wrappers = (
        indexing.MemoryCachedArray, indexing.CopyOnWriteArray,
        indexing.ImplicitToExplicitIndexingAdapter,
    )  # fmt: skip
    while isinstance(data, wrappers):
        data = data.array
    if type(data) is not indexing.LazilyIndexedArray or not isinstance(
        data.key, indexing.BasicIndexer
    ):
        return None
    shape = data.array.shape
    if not all(_is_all(key, size) for key, size in zip(data.key.tuple, shape)):
        return None
    found: Any = data.array
    kind = type(found)
    if (kind.__module__, kind.__name__) != ("rioxarray._io", "RasterioArrayWrapper"):
        return None
    return found


def _source(data: Any) -> Any:
    """The array from which a Dask array reads its chunks; None if there are other steps."""
    layers = data.dask.layers
    origin = f"original-{data.name}"
    if set(layers) != {data.name, origin}:
        return None
    parts = list(dict(layers[origin]).values())
    return getattr(parts[0], "value", parts[0]) if len(parts) == 1 else None


def _is_all(key: Any, size: int) -> bool:
    """Whether an index selects a whole dimension."""
    if isinstance(key, slice):
        return key.indices(size) == (0, size, 1)
    return size == 1 and int(key) == 0


def _difference(array: xr.DataArray, dataset: Any) -> str | None:
    """What of an array differs from its file, in words; None if nothing does."""
    import numpy as np

    if array.dtype.kind != "f" and array.dtype != np.dtype(dataset.dtypes[0]):
        return "type"
    if array.dims[-2] == "x" or array.dims[-1] == "y":
        return "order of dimensions"
    for axis, (name, size) in enumerate(zip(array.dims[-2:], dataset.shape)):
        if array.sizes[name] != size:
            return "size"
        if name not in array.coords or array.coords[name].ndim != 1:
            continue
        transform = dataset.transform
        step, start = (transform.e, transform.f) if axis == 0 else (transform.a, transform.c)
        centers = start + (np.arange(size) + 0.5) * step
        values = array.coords[name].to_numpy()
        if values.dtype.kind not in "fiu" or np.abs(values - centers).max() > abs(step) * 1e-3:
            return f"coordinate {name}"
    for coordinate in array.coords.values():
        about = _mapping_difference(coordinate.attrs, dataset)
        if about is not None:
            return about
    given = {**array.encoding, **array.attrs}
    for word, key, own in (
        ("nodata value", "_FillValue", dataset.nodata),
        ("scale", "scale_factor", dataset.scales[0]),
        ("offset", "add_offset", dataset.offsets[0]),
    ):
        value = given.get(key)
        if value is None and key == "_FillValue":
            value = array.encoding.get("missing_value", array.attrs.get("missing_value"))
            if value is None and own is not None:
                return word
        if value is None or np.ndim(value):
            continue
        if own is None or not np.isclose(
            float(value), float(own), rtol=1e-6, atol=0, equal_nan=True
        ):
            return word
    return None


def _mapping_difference(attributes: Any, dataset: Any) -> str | None:
    wkt = attributes.get("crs_wkt", attributes.get("spatial_ref"))
    if isinstance(wkt, str):
        from rasterio.crs import CRS

        if dataset.crs is None or CRS.from_wkt(wkt) != dataset.crs:
            return "CRS"
    transform = attributes.get("GeoTransform")
    if isinstance(transform, str):
        numbers = [float(number) for number in transform.split()]
        if numbers != list(dataset.transform.to_gdal()):
            return "transform"
    return None


def _words(array: xr.DataArray) -> str:
    return f"a raster is a DataArray{f' {array.name}' if array.name is not None else ''}"


def _changed(array: xr.DataArray, what: str) -> PlumbTypeError:
    """The error for an array that is not its file."""
    source = array.encoding.get("source")
    if isinstance(source, str):
        if "rasterio_dtype" not in array.encoding and array.name is not None:
            source = f"{source}#{array.name}"
        hint = f"give the path, {source}, for the file as it is, or write the array to a file"
    else:
        hint = "write it to a file, as with .rio.to_raster, and give the file's path"
    return PlumbTypeError(f"{_words(array)} {what}: {hint}")
