"""The accessor ``plumb`` of xarray's arrays and datasets. Importing this module registers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._sample import sample
from ._series import series
from ._tabular import needed

if TYPE_CHECKING:
    import xarray as xr

    from ._typing import Rasters


class Accessor:
    """Values of rasters at the points of a Dataset, or of a DataArray of geometries.

    >>> import plumb_gis.xarray, xarray
    >>> towns = xarray.Dataset({"lon": ("town", [18.45, 18.65]), "lat": ("town", [-34.05, -34.25])})
    >>> towns.plumb.sample({"evi": "rasters/evi_cape_town.tif"})["evi"].values.tolist()
    [3941.0, nan]
    """

    def __init__(self, points: xr.Dataset | xr.DataArray) -> None:
        self._points = points

    def sample(self, rasters: Rasters, **settings: Any) -> xr.Dataset:
        """Samples rasters at the points; the arguments are those of `plumb.sample`."""
        return sample(rasters, self._points, out="xarray", **settings)

    def series(self, rasters: Rasters, **settings: Any) -> xr.Dataset:
        """Reads all dates of rasters at the points; the arguments are those of `plumb.series`."""
        return series(rasters, self._points, out="xarray", **settings)


_xarray = needed("xarray", "plumb_gis.xarray")
_xarray.register_dataset_accessor("plumb")(Accessor)
_xarray.register_dataarray_accessor("plumb")(Accessor)
