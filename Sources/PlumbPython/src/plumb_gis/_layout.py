"""The points of a result: their coordinates, and how they are arranged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._checks import no_clash
from ._error import PlumbValueError
from ._tabular import Tabular, needed, with_geometry

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    import xarray as xr

# The largest integer below which each integer is a float64.
_EXACT = 1 << 53


class Layout:
    """The coordinates of points, their index, and the dimensions of arrays of points."""

    def __init__(self, x: Any, y: Any, crs: str | None, index: Any = None) -> None:
        self.x = x
        self.y = y
        #: The points' CRS as it was given; None for that of the rasters or of the map.
        self.crs = crs
        #: The CRS of points without one, as text for PROJ.
        self.default_crs: str | None = None
        self._index = index
        #: For points in arrays of xarray: their dimensions and sizes, and a dataset with them.
        self.dims: tuple[Any, ...] | None = None
        self.shape: tuple[int, ...] = ()
        self.template: Any = None

    def arrange(self, dims: tuple[Any, ...], shape: tuple[int, ...], template: xr.Dataset) -> None:
        """Arranges the points in arrays, in row-major order."""
        self.dims, self.shape, self.template = dims, shape, template

    @property
    def index(self) -> Any:
        """The index of the points for pandas; None if they have none."""
        if self._index is not None or not self.dims:
            return self._index
        indexes = [self.template.indexes.get(name) for name in self.dims]
        if len(indexes) == 1 or all(one is None for one in indexes):
            return indexes[0]
        import pandas as pd

        levels = [
            pd.RangeIndex(size) if one is None else one for one, size in zip(indexes, self.shape)
        ]
        return pd.MultiIndex.from_product(levels, names=self.dims)

    def coordinates(self) -> tuple[Any, Any]:
        """x and y of the points as float64 arrays."""
        import numpy as np

        x, y = (np.atleast_1d(np.asarray(one, dtype=np.float64)) for one in (self.x, self.y))
        return x, y

    def points(self) -> Any:
        """The points as shapely geometries; None for one that is not finite."""
        import numpy as np

        shapely = needed("shapely", "to_geopandas")
        x, y = self.coordinates()
        there = np.isfinite(x) & np.isfinite(y)
        out = np.full(x.size, None, dtype=object)
        out[there] = shapely.points(x[there], y[there])
        return out

    def dataset(
        self, variables: Mapping[str, Any], dims: tuple[str, ...] = (),
        coords: Mapping[str, Any] | None = None,
    ) -> xr.Dataset:  # fmt: skip
        """A dataset of variables with the dimensions of the points.

        Args:
            variables: Arrays, each with a row per point and an axis for each of ``dims``.
            dims: Dimensions in addition to those of the points.
            coords: Their coordinates.

        Raises:
            PlumbValueError: if the points have a variable or a dimension of the same name.
        """
        xarray = needed("xarray", "out='xarray'")
        base, own, shape = self.template, self.dims, self.shape
        if own is None:
            x, y = self.coordinates()
            own, shape = ("point",), x.shape
            named: dict[str, Any] = {"x": ("point", x), "y": ("point", y)}
            if self._index is not None and getattr(self._index, "nlevels", 1) == 1:
                import numpy as np

                named["point"] = np.asarray(self._index)
            base = xarray.Dataset(coords=named)
        given = [str(name) for name in (*base.variables, *base.sizes)]
        no_clash([*given, *map(str, own)], [*variables, *dims], "the dataset")
        arrays = {
            name: ((*own, *dims), values.reshape((*shape, *values.shape[1:])))
            for name, values in variables.items()
        }
        made: xr.Dataset = base.assign_coords(coords or {}).assign(arrays)
        return made


class AtPoints(Tabular):
    """A result with a row for each point, in their order."""

    layout: Layout

    @property
    def crs(self) -> str | None:
        """The points' CRS as it was given; None for that of the rasters or of the map."""
        return self.layout.crs

    @property
    def index(self) -> Any:
        """The index of the points' series, for frames; or None."""
        return self.layout.index

    def pandas_columns(self) -> list[tuple[str, Any]]:
        """The columns for pandas."""
        raise NotImplementedError

    def plain_columns(self) -> Iterator[tuple[str, Any, Any]]:
        """The names and values of the columns, and which values are missing."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """A frame of the columns with the points' index: nullable integers, and floats with NaN for
        missing values."""
        pandas = needed("pandas", "to_pandas")
        columns = dict(self.pandas_columns())
        frame: pd.DataFrame = pandas.DataFrame(columns, index=self.layout.index)
        return frame

    def to_geopandas(self) -> gpd.GeoDataFrame:
        """The frame of `to_pandas` with the points, None for one without coordinates."""
        layout = self.layout
        crs = layout.default_crs if layout.crs is None else layout.crs
        return with_geometry(self.to_pandas(), layout.points(), crs)

    def to_xarray(self) -> xr.Dataset:
        """A dataset with a variable for each column.

        Points in arrays of xarray keep their dimensions and coordinates. Other points have the
        dimension ``point`` and the coordinates ``x`` and ``y``. Integers become float64; missing
        values are NaN, NaT in times, and None or NaN in text, depending on pandas.

        Raises:
            PlumbValueError: if the points have a variable or a dimension of the same name, or if an
                integer is not exact as float64.
        """
        return self.layout.dataset(
            {name: filled(name, values, mask) for name, values, mask in self.plain_columns()}
        )


def one_of_out(out: Any) -> None:
    """Checks the kind of the result.

    Raises:
        PlumbValueError: for anything except None and ``xarray``.
    """
    if out not in (None, "xarray"):
        raise PlumbValueError(f"out is {out!r}: give xarray, or omit it")


def in_nanoseconds(times: Any) -> Any:
    """Times as datetime64 in nanoseconds, or in microseconds if a time is not in the range of
    nanoseconds."""
    import numpy as np

    times = times.astype("M8[us]")
    first, last = np.datetime64("1678-01-01", "us"), np.datetime64("2262-01-01", "us")
    return times if ((times < first) | (times >= last)).any() else times.astype("M8[ns]")


def filled(name: str, values: Any, mask: Any) -> Any:
    """A column as a variable of a dataset."""
    import numpy as np

    kind = values.dtype.kind
    if kind in "iu":
        if values.itemsize == 8 and values.size:
            there = values[~mask]
            if there.size and (int(there.max()) > _EXACT or int(there.min()) < -_EXACT):
                raise PlumbValueError(
                    f"{name} has integers beyond 2^53, which a dataset with missing values does "
                    "not hold: call to_pandas or to_arrow"
                )
        return np.where(mask, np.nan, values.astype(np.float64))
    if kind in "fc":
        return np.where(mask, np.array(np.nan, dtype=values.dtype), values)
    if kind == "M":
        return in_nanoseconds(np.where(mask, np.datetime64("NaT"), values))
    if kind == "b" and not mask.any():
        return values
    return np.where(mask, None, values) if mask is not None else values
