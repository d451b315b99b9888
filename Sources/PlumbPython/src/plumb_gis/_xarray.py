"""Points in arrays and datasets of xarray."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _native
from ._checks import present, same_index
from ._error import PlumbTypeError, PlumbValueError
from ._layout import Layout
from ._points import chosen_columns, doubles, listed, loaded, pair
from ._shapely import shape_points

if TYPE_CHECKING:
    import xarray as xr


class Arrays:
    """Points from arrays of xarray, and the names of their other variables."""

    def __init__(self, layout: Layout, is_dataset: bool) -> None:
        self.layout = layout
        #: Whether the result is a dataset, as the points are.
        self.is_dataset = is_dataset
        self.names: list[str] = []
        self.column: Callable[[str], Any] | None = None
        #: The time of each point if it is a DataArray; or None.
        self.when: Any = None


def arrays_of(
    points: Any, x: Any, y: Any, crs: Any, geometry: str | None, pixels: bool, when: Any
) -> Arrays:
    """The points of a dataset, or those of arrays of x and y; dimensions that only one of x, y and
    the times has are combined, as in vectorized indexing.

    Raises:
        PlumbTypeError: for arguments that do not fit together.
        PlumbValueError: for unknown variables, different indexes, and several CRSs.
    """
    import xarray

    if isinstance(points, xarray.DataArray) and (y is None or isinstance(y, str)):
        if points.dtype == object:
            return _shapes(points, crs, when, is_dataset=False)
        coords = points.coords.to_dataset()
        named = points.name is not None and points.name not in points.coords
        points = points.to_dataset() if named else coords
    if isinstance(points, xarray.Dataset):
        return _of_dataset(points, x, y, crs, geometry, pixels, when)
    if geometry is not None:
        raise PlumbTypeError("geometry names a variable, but the points are not a Dataset")
    if x is not None:
        raise PlumbTypeError("x is given twice: as the points and by name")
    return _of_pair(points, y, crs, when)


# Datasets.


def _of_dataset(
    dataset: xr.Dataset, x: Any, y: Any, crs: Any, geometry: str | None, pixels: bool, when: Any
) -> Arrays:
    names = [str(name) for name in dataset.variables]
    if geometry is None and x is None and y is None and not pixels:
        shapes = [name for name, index in dataset.xindexes.items() if hasattr(index, "sindex")]
        geometry = str(shapes[0]) if len(shapes) == 1 else None
    if geometry is not None:
        if x is not None or y is not None:
            raise PlumbTypeError("geometry= and x=, y= exclude each other: give one")
        if geometry not in names:
            raise PlumbValueError(
                f"geometry names the variable {geometry}, and the dataset has {listed(names)}",
                "not_found",
            )
        return _shapes(dataset[geometry], crs, when, is_dataset=True, dataset=dataset)
    found = chosen_columns(names, x, y, "the dataset", pixels)
    if found is None:
        raise PlumbValueError(
            "the dataset has no known coordinates of points: give x= and y=, or geometry=, from "
            f"{listed(names)}",
            "not_found",
        )
    said = _mapping_crs(dataset)
    if found[2] and not (said or "").lstrip().startswith("GEOG"):
        said = "EPSG:4326" if crs is None else None
    text = _native.agreed_crs(crs, said, "the dataset")
    arrays = [dataset[found[1]], dataset[found[0]]]
    return _combined(arrays, dataset, text, when, is_dataset=True)


def _shapes(
    array: xr.DataArray, crs: Any, when: Any, is_dataset: bool, dataset: Any = None
) -> Arrays:
    """Points as geometries in an array of objects."""
    import xarray

    values = array.to_numpy().reshape(-1)
    shapely = loaded("shapely")
    first = present(values)
    word = f"the array {array.name}" if array.name is not None else "the array of points"
    if shapely is None or not (first is None or isinstance(first, shapely.Geometry)):
        raise PlumbTypeError(f"{word} holds no geometries: give points of shapely, or x and y")
    x, y, said = shape_points(values, getattr(array.xindexes.get(array.name), "crs", None))
    text = _native.agreed_crs(crs, said, word)
    base = array.coords.to_dataset() if dataset is None else dataset
    arrays = [
        xarray.DataArray(one.reshape(array.shape), dims=array.dims, coords=array.coords)
        for one in (y, x)
    ]
    return _combined(arrays, base, text, when, is_dataset)


# Arrays of x and y.


def _of_pair(x: Any, y: Any, crs: Any, when: Any) -> Arrays:
    import numpy as np
    import xarray

    if x is None or y is None:
        missing, there = ("x", "y") if x is None else ("y", "x")
        raise PlumbTypeError(f"{missing} is missing: give it with {there}")
    own = [one for one in (x, y) if isinstance(one, xarray.DataArray)]
    plain = [one for one in (x, y) if not isinstance(one, xarray.DataArray) and np.ndim(one)]
    if plain and own and own[0].ndim == 1:
        xs, ys = pair(x, y)
        arrays = [xarray.DataArray(one, dims=own[0].dims, coords=own[0].coords) for one in (ys, xs)]
    elif plain:
        word, other = ("x", "y") if x is plain[0] else ("y", "x")
        reason = f"{other} is" if own else "when is"
        raise PlumbTypeError(
            f"{word} is of type {type(plain[0]).__name__}, and {reason} a DataArray: give "
            "DataArrays, or arrays for all"
        )
    else:
        arrays = [
            one if isinstance(one, xarray.DataArray) else xarray.DataArray(_number(one, word))
            for word, one in (("y", y), ("x", x))
        ]
    _check_sizes(arrays, ["y", "x"])
    parts = [one.coords.to_dataset() for one in reversed(arrays)]
    said = _mapping_crs(*parts)
    base = xarray.merge(parts, compat="minimal", join="exact")
    for word, array in zip(("y", "x"), arrays):
        name = word if array.name is None else array.name
        if name not in base.variables and name not in {*arrays[0].dims, *arrays[1].dims}:
            base = base.assign_coords({name: array.variable})
    text = _native.agreed_crs(crs, said, "x")
    return _combined(arrays, base, text, when, is_dataset=False)


def _number(value: Any, word: str) -> float:
    return float(doubles(value, word)[0])


# Both.


def _combined(
    arrays: list[xr.DataArray], base: xr.Dataset, crs: str | None, when: Any, is_dataset: bool
) -> Arrays:
    """Points from arrays of y and x, combined with their times."""
    import xarray

    words = ["y", "x"]
    named = when if isinstance(when, str) else ""
    if named not in base.variables:
        # A format may follow the name.
        named = named.partition(":")[0]
    if is_dataset and named in base.variables:
        arrays, words = [*arrays, base[named]], [*words, f"the variable {named}"]
    elif isinstance(when, xarray.DataArray):
        arrays, words = [*arrays, when], [*words, "when"]
        _check_sizes(arrays, words)
        try:
            base = xarray.merge([base, when.coords.to_dataset()], compat="override", join="exact")
        except ValueError:
            raise PlumbValueError(
                "the index of when differs from that of the dataset: align them, or rename the "
                "dimension",
                "index_mismatch",
            ) from None
    _check_sizes(arrays, words)
    flat = xarray.broadcast(*[xarray.DataArray(one.variable) for one in arrays])
    values = [one.to_numpy().reshape(-1) for one in flat]
    y, x = doubles(values[0], "y"), doubles(values[1], "x")
    points = Layout(x, y, crs)
    points.arrange(flat[0].dims, flat[0].shape, base)
    out = Arrays(points, is_dataset)
    if isinstance(when, xarray.DataArray):
        out.when = values[2]
    if is_dataset:
        out.names = [str(one) for one in base.variables]
        out.column = lambda _: values[2]
    return out


def _check_sizes(arrays: list[xr.DataArray], words: list[str]) -> None:
    """Checks that arrays have the same sizes and indexes along the dimensions that they share."""
    for number, second in enumerate(arrays):
        for first, word in zip(arrays[:number], words):
            for dim in first.dims:
                if dim not in second.dims:
                    continue
                sizes = first.sizes[dim], second.sizes[dim]
                if sizes[0] != sizes[1]:
                    raise PlumbValueError(
                        f"{word} and {words[number]} have {sizes[0]} and {sizes[1]} values along "
                        f"{dim}: give one of each per point"
                    )
                indexes = first.indexes.get(dim), second.indexes.get(dim)
                same_index(*indexes, (word, words[number]))


def _mapping_crs(*datasets: xr.Dataset) -> str | None:
    """The CRS of the grid mappings of datasets, as WKT; None if there is none.

    Raises:
        PlumbValueError: if there are several CRSs, or a grid mapping that is not understood.
    """
    found: dict[str, str] = {}
    variables = [item for dataset in datasets for item in dataset.variables.items()]
    for name, variable in variables:
        attributes = variable.attrs
        wkt = attributes.get("crs_wkt", attributes.get("spatial_ref"))
        if wkt is None and "grid_mapping_name" in attributes:
            wkt = _cf_crs(str(name), attributes)
        if isinstance(wkt, str) and wkt.strip():
            found.setdefault(wkt, str(name))
    texts = list(found)
    for text in texts[1:]:
        if not _native.same_crs(texts[0], text):
            raise PlumbValueError(
                f"the points have the CRSs {listed(list(found.values()))}: drop one of them",
                "ambiguous",
            )
    return texts[0] if texts else None


def _cf_crs(name: str, attributes: Any) -> str:
    try:
        from pyproj import CRS

        text: str = CRS.from_cf(attributes).to_wkt()
    except Exception as error:
        raise PlumbValueError(
            f"the grid mapping {name} is not understood ({error}): drop it, and give crs="
        ) from None
    return text
