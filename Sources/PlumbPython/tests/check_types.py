"""Code for type checkers, run by Tests/check-python with mypy; never executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import plumb_gis as plumb

if TYPE_CHECKING:
    import geopandas
    import pandas
    import polars
    import xarray
    from numpy.typing import NDArray
    from typing_extensions import assert_type

    values: NDArray[np.float64] = np.zeros(2)
    assert_type(plumb.sample("dem.tif", [1.0], [2.0]), plumb.SampleResult)
    assert_type(plumb.sample({"a": "dem.tif"}, x=values, y=values, crs=4326), plumb.SampleResult)
    assert_type(plumb.Raster("dem.tif").sample(1.0, 2.0, bands=[1]), plumb.SampleResult)
    assert_type(plumb.Stack(["dem.tif"]).sample(values, values), plumb.SampleResult)
    assert_type(
        plumb.sample("a*.tif", values, values, dates="a%j", when=values, within="3d"),
        plumb.DatedResult)
    frame = geopandas.GeoDataFrame()
    assert_type(
        plumb.sample("a*.tif", frame, dates="a%j", when="date", within="3d"),
        geopandas.GeoDataFrame)
    assert_type(plumb.series("a*.tif", frame, dates="a%j", long=True), geopandas.GeoDataFrame)
    assert_type(plumb.series("a*.tif", values, values, dates="a%j"), plumb.SeriesResult)
    assert_type(plumb.Map("map.json").identify_batch(values, values), plumb.BatchResult)
    assert_type(plumb.zonal(geopandas.GeoDataFrame(), "dem.tif", "mean"), geopandas.GeoDataFrame)
    assert_type(plumb.events("walk.csv", "fences.geojson"), plumb.Events)
    assert_type(plumb.Stack("a*.tif", dates="a%j").series(values, values), plumb.SeriesResult)
    assert_type(
        plumb.Stack("a*.tif", dates="a%j").series(values, values, long=True), pandas.DataFrame)
    assert_type(plumb.Network("gas.json").segments(), plumb.Segments)

    # Arrays of xarray, lazy frames, and results of both.
    points = xarray.Dataset()
    x, y = points["x"], points["y"]
    assert_type(plumb.sample("dem.tif", points), xarray.Dataset)
    assert_type(plumb.sample("dem.tif", x, y), plumb.SampleResult)
    assert_type(plumb.sample("dem.tif", x, y, out="xarray"), xarray.Dataset)
    assert_type(plumb.sample("dem.tif", x=x, y=y, crs=4326, out="xarray"), xarray.Dataset)
    assert_type(plumb.sample("a*.tif", frame, when="t", out="xarray"), xarray.Dataset)
    assert_type(plumb.Raster("dem.tif").sample(1.0, 2.0, out="xarray"), xarray.Dataset)
    assert_type(plumb.Stack(["dem.tif"]).sample(points, status=True), xarray.Dataset)
    assert_type(plumb.Stack(["dem.tif"]).sample(values, values, out="xarray"), xarray.Dataset)
    assert_type(plumb.series("a*.tif", points, dates="a%j"), xarray.Dataset)
    assert_type(plumb.series("a*.tif", x, y, out="xarray"), xarray.Dataset)
    assert_type(plumb.Map("map.json").identify_batch(points), xarray.Dataset)
    assert_type(plumb.Map("map.json").identify_batch(x, y, out="xarray"), xarray.Dataset)
    lazy = polars.LazyFrame()
    assert_type(plumb.sample("dem.tif", lazy), polars.LazyFrame)
    assert_type(plumb.Stack(["dem.tif"]).series(lazy), polars.LazyFrame)
    assert_type(plumb.Map("map.json").identify_batch(lazy), polars.LazyFrame)
    result = plumb.sample({"dem": x, "evi": "evi.tif"}, [1.0], [2.0])
    assert_type(result.to_xarray(), xarray.Dataset)
    assert_type(result.to_polars(), polars.DataFrame)
    assert_type(result.to_pandas(), pandas.DataFrame)
    assert_type(result.to_geopandas(), geopandas.GeoDataFrame)
    assert_type(plumb.Map("map.json").identify(1, 2)["a"].to_pandas(), pandas.DataFrame)
    assert_type(plumb.Network("gas.json").trace("upstream", "a").to_polars(), polars.DataFrame)

    # Each of these is an error; strict checking reports a line that is not an error.
    plumb.sampel("dem.tif", [1.0], [2.0])  # type: ignore[attr-defined]
    plumb.sample("dem.tif", [1.0], [2.0], scaled="False")  # type: ignore[call-overload]
    plumb.Map("map.json").identify_batch(values, values, scaling=True)  # type: ignore[call-overload]
    plumb.sample("dem.tif", [1.0], [2.0], out="pandas")  # type: ignore[call-overload]
