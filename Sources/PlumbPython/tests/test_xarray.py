"""Arrays and datasets of xarray as points and as results."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import DEM, EVI, STACK, around, write_raster

import plumb_gis as plumb

xr = pytest.importorskip("xarray")

BOTH = {"evi": EVI, "dem": DEM}


def array(values: Any, dims: Any = "site", **coords: Any) -> Any:
    return xr.DataArray(np.asarray(values, dtype=float), dims=dims, coords=coords)


def same(dataset: Any, frame: pd.DataFrame) -> None:
    """Compares the variables of a dataset, row by row, with the columns of a frame."""
    for name in frame.columns:
        seen = dataset[name].values.reshape(-1)
        column = frame[name]
        if str(column.dtype).startswith(("Int", "UInt", "float")):
            expected = column.to_numpy(dtype="float64", na_value=np.nan)
            np.testing.assert_array_equal(seen, expected)
        else:
            assert [str(one) for one in seen] == [str(one) for one in column]


# Edges.


def test_no_points() -> None:
    for shape in ((0,), (0, 3), (3, 0)):
        x = xr.DataArray(np.empty(shape), dims=["a", "b"][: len(shape)])
        out = plumb.sample(BOTH, x, x, crs=4326, out="xarray", status=True)
        assert out["evi"].shape == out["evi_status"].shape == shape
        assert out["evi"].dtype == np.float64
    none = xr.Dataset(coords={"lon": ("p", []), "lat": ("p", [])})
    assert plumb.sample(BOTH, none)["dem"].shape == (0,)
    assert plumb.sample(BOTH, [], [], crs=4326, out="xarray")["dem"].sizes == {"point": 0}


def test_a_single_point() -> None:
    out = plumb.sample(BOTH, array(18.45, ()), array(-34.05, ()), crs=4326, out="xarray")
    assert out["evi"].dims == () and out["evi"].item() == 3941
    assert plumb.sample(BOTH, array(18.45, ()), -34.05, crs=4326)["evi"].tolist() == [3941]
    site = xr.Dataset(coords={"lon": 18.45, "lat": -34.05})
    assert plumb.sample(BOTH, site)["dem"].item() == 80
    assert plumb.sample(BOTH, 18.45, -34.05, crs=4326, out="xarray")["evi"].sizes == {"point": 1}


def test_missing_coordinates() -> None:
    x, y = array([18.45, np.nan, np.inf, 18.65]), array([-34.05, -34, -34, np.nan])
    out = plumb.sample(BOTH, x, y, crs=4326, out="xarray", status=True)
    assert out["evi_status"].values.tolist() == ["ok", "bad_point", "bad_point", "bad_point"]
    np.testing.assert_array_equal(out["evi"], [3941, np.nan, np.nan, np.nan])
    frame = plumb.sample(BOTH, x, y, crs=4326).to_geopandas()
    assert frame.geometry.isna().tolist() == [False, True, True, True]


def test_integers_and_text_are_points() -> None:
    x = xr.DataArray(np.array([18, 19], dtype="i2"), dims="p")
    assert plumb.sample(DEM, x, -34 * xr.ones_like(x), crs=4326, out="xarray")["dem"].shape == (2,)
    for bad in (xr.DataArray(["a", "b"], dims="p"), xr.DataArray([True, False], dims="p")):
        with pytest.raises(TypeError, match="y (holds text|is of type bool)"):
            plumb.sample(DEM, x, bad, crs=4326)


# Dimensions.


def test_dimensions_are_kept() -> None:
    random = np.random.default_rng(1)
    names = {"row": list("ab"), "col": [10, 20, 30]}
    x = array(random.uniform(18.3, 18.8, (2, 3)), ("row", "col"), **names)
    y = array(random.uniform(-34.2, -33.9, (2, 3)), ("row", "col"), **names)
    x = x.assign_coords(height=("col", [1.0, 2.0, 3.0])).assign_attrs(units="degrees_east")
    out = plumb.sample(BOTH, x, y, crs=4326, out="xarray", status=True, provenance=True)
    assert out["evi"].dims == ("row", "col") and out["evi"].shape == (2, 3)
    assert set(out.coords) == {"row", "col", "height", "x", "y"}
    np.testing.assert_array_equal(out["x"].values, x.values)
    assert out["x"].attrs == x.attrs
    flat = plumb.sample(BOTH, x.values.ravel(), y.values.ravel(), crs=4326, status=True,
                        provenance=True).to_pandas()  # fmt: skip
    same(out, flat)
    # The frame has the dimensions as its index, in the same order.
    frame = plumb.sample(BOTH, x, y, crs=4326).to_pandas()
    assert frame.index.names == ["row", "col"] and frame.index[1] == ("a", 20)
    same(out, frame)
    # A transposed y is combined by the names of dimensions.
    again = plumb.sample(BOTH, x, y.transpose(), crs=4326, out="xarray")
    xr.testing.assert_equal(again["evi"].transpose("row", "col"), out["evi"])


def test_different_dimensions_are_combined() -> None:
    grid = xr.Dataset(coords={"lon": [18.45, 18.5, 18.65], "lat": [-34.05, -34.25]})
    out = plumb.sample(BOTH, grid)
    assert out["dem"].dims == ("lat", "lon") and set(out.coords) == {"lon", "lat"}
    lon, lat = np.meshgrid(grid.lon, grid.lat)
    same(out, plumb.sample(BOTH, lon.ravel(), lat.ravel(), crs=4326).to_pandas())
    pair = plumb.sample(BOTH, grid["lon"], grid["lat"], crs=4326, out="xarray")
    xr.testing.assert_identical(pair, out)
    # The variables of a dataset are kept.
    more = grid.assign(name=("lon", list("abc")), deep=(("z", "lat"), np.zeros((4, 2))))
    kept = plumb.sample(BOTH, more)
    assert {"name", "deep", "evi", "dem"} == set(kept.data_vars)
    # Coordinates of an array are its points.
    data = xr.DataArray(np.ones((2, 3)), coords=grid.coords, dims=("lat", "lon"), name="ones")
    both = plumb.sample(BOTH, data)
    assert set(both.data_vars) == {"ones", "evi", "dem"}
    xr.testing.assert_equal(both["dem"], out["dem"])


def test_names_of_dimensions_that_are_not_text() -> None:
    x, y = array([18.45, 18.65], (0,)), array([-34.05, -34.25], (0,))
    out = plumb.sample(DEM, x, y, crs=4326, out="xarray")
    assert out["dem"].dims == (0,) and out["dem"].values.tolist() == [80, 0]


def test_plain_arrays_beside_data_arrays() -> None:
    x, y = array([18.45, 18.65], site=["a", "b"]), np.array([-34.05, -34.25])
    for out in (plumb.sample(BOTH, x, y, crs=4326, out="xarray"),
                plumb.sample(BOTH, y=x * 0 + y, x=x.values, crs=4326, out="xarray")):  # fmt: skip
        assert out["dem"].dims == ("site",) and out["dem"].values.tolist() == [80, 0]
    along = plumb.sample(BOTH, x, -34.05, crs=4326, out="xarray")
    assert along["dem"].dims == ("site",)
    with pytest.raises(TypeError, match="give DataArrays, or arrays for all"):
        plumb.sample(BOTH, array([[1.0, 2.0]], ("a", "b")), y, crs=4326)


def test_different_indexes() -> None:
    x, y = array([18.45, 18.65], site=["a", "b"]), array([-34.05, -34.25], site=["b", "a"])
    with pytest.raises(ValueError, match="the index of (x|y) differs from that of (x|y)") as caught:
        plumb.sample(DEM, x, y, crs=4326)
    assert caught.value.code == "index_mismatch"
    with pytest.raises(ValueError, match="y and x have 3 and 2 values along site"):
        plumb.sample(DEM, array([18.45, 18.65]), array([-34.0, -34, -34]), crs=4326)


# CRSs.


def test_coordinates_of_a_crs() -> None:
    pyproj = pytest.importorskip("pyproj")
    crs = pyproj.CRS("EPSG:32734")
    east, north = pyproj.Transformer.from_crs(4326, crs, always_xy=True).transform(
        [18.45, 18.65], [-34.05, -34.25])  # fmt: skip
    for attributes in (crs.to_cf(), {"crs_wkt": crs.to_wkt()}, {"spatial_ref": crs.to_wkt()},
                       {k: v for k, v in crs.to_cf().items() if k != "crs_wkt"}):  # fmt: skip
        mapping = xr.DataArray(0, attrs=attributes)
        points = xr.Dataset(
            coords={"x": ("site", east), "y": ("site", north), "spatial_ref": mapping})
        assert plumb.sample(DEM, points)["dem"].values.tolist() == [80, 0]
        out = plumb.sample(DEM, points["x"], points["y"], out="xarray")
        assert out["dem"].values.tolist() == [80, 0]
        assert plumb.sample(DEM, points, crs=32734)["dem"].values.tolist() == [80, 0]
        with pytest.raises(ValueError, match="the dataset is in|WGS 84 / UTM") as caught:
            plumb.sample(DEM, points, crs=4326)
        assert caught.value.code == "crs_mismatch"
        frame = plumb.sample(DEM, points["x"], points["y"]).to_geopandas()
        assert frame.crs == crs
    # Degrees together with a grid mapping of projected coordinates.
    both = points.rename(x="east", y="north").assign_coords(
        lon=("site", [18.45, 18.65]), lat=("site", [-34.05, -34.25]))
    assert plumb.sample(DEM, both)["dem"].values.tolist() == [80, 0]
    other = points["y"].assign_coords(spatial_ref=xr.DataArray(0, attrs={"crs_wkt": "EPSG:4326"}))
    with pytest.raises(ValueError, match="the CRSs spatial_ref, spatial_ref"):
        plumb.sample(DEM, points["x"], other)
    two = points.assign_coords(other=xr.DataArray(0, attrs={"crs_wkt": "EPSG:4326"}))
    with pytest.raises(ValueError, match="the CRSs spatial_ref, other"):
        plumb.sample(DEM, two)
    with pytest.raises(ValueError, match="grid mapping m is not understood"):
        plumb.sample(DEM, xr.Dataset(coords={
            "x": 1.0, "y": 2.0, "m": xr.DataArray(0, attrs={"grid_mapping_name": "flat"})}))


def test_geometries() -> None:
    shapely = pytest.importorskip("shapely")
    shapes = np.array([shapely.Point(18.45, -34.05), None, shapely.Point(18.65, -34.25)])
    points = xr.DataArray(shapes, dims="site", coords={"site": [1, 2, 3]})
    out = plumb.sample(BOTH, points, crs=4326, out="xarray", status=True)
    assert out["dem_status"].values.tolist() == ["ok", "bad_point", "ok"]
    cube = plumb.sample(BOTH, points.expand_dims(run=2), crs=4326, out="xarray")
    assert cube["dem"].shape == (2, 3)
    named = xr.Dataset({"n": ("g", [5, 6, 7])}, coords={"g": shapes})
    assert plumb.sample(DEM, named, geometry="g", crs=4326)["dem"].dims == ("g",)
    for call in (lambda: plumb.sample(DEM, named, geometry="h", crs=4326),
                 lambda: plumb.sample(DEM, named, geometry="n", crs=4326)):  # fmt: skip
        with pytest.raises(plumb.PlumbError, match="geometry names|holds no geometries"):
            call()
    xvec = pytest.importorskip("xvec")
    assert xvec
    indexed = named.isel(g=[0, 2]).xvec.set_geom_indexes("g", crs=4326)
    assert plumb.sample(DEM, indexed)["dem"].values.tolist() == [80, 0]
    with pytest.raises(ValueError, match="crs is"):
        plumb.sample(DEM, indexed, crs=32734)


# Faults.


def test_faults() -> None:
    points = xr.Dataset(coords={"lon": ("site", [18.45]), "lat": ("site", [-34.05])})
    with pytest.raises(ValueError, match="already has a variable lon") as caught:
        plumb.sample({"lon": DEM}, points)
    assert caught.value.code == "exists"
    with pytest.raises(ValueError, match="already has a variable site"):
        plumb.sample({"site": DEM}, points)
    with pytest.raises(ValueError, match="already has a variable point"):
        plumb.sample({"point": DEM}, [18.45], [-34.05], out="xarray")
    with pytest.raises(ValueError, match="no known coordinates of points.*from a"):
        plumb.sample(DEM, xr.Dataset({"a": 1}))
    with pytest.raises(ValueError, match="x names the column q, and the dataset has lon, lat"):
        plumb.sample(DEM, points, x="q", y="lat")
    with pytest.raises(TypeError, match="geometry names a variable"):
        plumb.sample(DEM, points["lon"], points["lat"], geometry="g")
    with pytest.raises(ValueError, match="out is 'pandas': give xarray"):
        plumb.sample(DEM, [18.45], [-34.05], out="pandas")
    with pytest.raises(TypeError, match="x is missing|y is missing"):
        plumb.sample(DEM, x=None, y=points["lat"], crs=4326)


def test_integers_beyond_doubles(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "big.tif", 2**53 + 1, dtype="int64")
    with pytest.raises(ValueError, match="integers beyond 2.53"):
        plumb.sample(path, [0.5], [0.5], out="xarray")
    path = write_raster(tmp_path / "small.tif", -(2**53), dtype="int64")
    assert plumb.sample(path, [0.5], [0.5], out="xarray")["small"].item() == -(2**53)
    path = write_raster(tmp_path / "c.tif", 1 + 2j, dtype="complex64")
    out = plumb.sample(path, [0.5, 9], [0.5, 9], out="xarray")["c"]
    assert out.dtype == np.complex64 and out.values[0] == 1 + 2j and np.isnan(out.values[1])
    path = write_raster(tmp_path / "f.tif", 0.1, dtype="float32")
    assert plumb.sample(path, [0.5], [0.5], out="xarray")["f"].dtype == np.float32


# Equal to other inputs, and to xarray.


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_frames(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 6, random.integers(1, 4)))
    lon, lat = around(int(np.prod(shape)), seed)
    dims = tuple("abc"[: len(shape)])
    points = xr.Dataset({"lon": (dims, lon.reshape(shape)), "lat": (dims, lat.reshape(shape))})
    settings: dict[str, Any] = {
        "status": True, "provenance": bool(seed % 2), "scaled": seed % 3 == 0,
        "resampling": ("nearest", "bilinear")[seed % 2],
    }  # fmt: skip
    frame = plumb.sample(STACK, pd.DataFrame({"lon": lon, "lat": lat}), **settings)
    expected = frame.drop(columns=["lon", "lat"])
    x, y = points["lon"], points["lat"]
    chunked = points.chunk({dims[0]: 2})
    found = [
        plumb.sample(STACK, points, **settings),
        plumb.sample(STACK, points, out="xarray", **settings),
        plumb.sample(STACK, x, y, crs=4326, out="xarray", **settings),
        plumb.sample(STACK, x=x, y=y, crs=4326, out="xarray", **settings),
        plumb.sample(STACK, lon, lat, crs=4326, out="xarray", **settings),
        plumb.sample(STACK, frame[["lon", "lat"]], out="xarray", **settings),
        plumb.sample(STACK, chunked, **settings),
        plumb.sample(STACK, chunked["lon"], chunked["lat"], crs=4326, out="xarray", **settings),
    ]
    for dataset in found:
        same(dataset, expected)
    same(found[2], plumb.sample(STACK, x, y, crs=4326, **settings).to_pandas())
    assert found[0]["evi"].dims == found[6]["evi"].dims == dims


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_the_selection_of_xarray(seed: int) -> None:
    rioxarray = pytest.importorskip("rioxarray")
    random = np.random.default_rng(seed)
    raster = rioxarray.open_rasterio("rasters/land_cover_cape_town.tif").squeeze(drop=True)
    left, bottom, right, top = raster.rio.bounds()
    shape = [(40,), (5, 7), (3, 4, 2), ()][seed]
    dims = tuple("pqr"[: len(shape)])
    x = array(random.uniform(left, right, shape), dims)
    y = array(random.uniform(bottom, top, shape), dims)
    nodata = raster.rio.nodata
    seen = raster.sel(x=x, y=y, method="nearest")
    expected = seen.where(seen != nodata) if nodata is not None else seen
    out = plumb.sample({"v": "rasters/land_cover_cape_town.tif"}, x, y, out="xarray")["v"]
    assert out.dims == expected.dims
    np.testing.assert_array_equal(out.values, expected.values)
    # Separate dimensions of x and y, with the arrays' names.
    if seed == 0:
        x, y = x[:6].rename(p="u"), y[:5].rename(p="v")
        grid = raster.sel(x=x, y=y, method="nearest")
        out = plumb.sample({"w": "rasters/land_cover_cape_town.tif"}, x, y, out="xarray")["w"]
        assert out.dims == grid.dims == ("v", "u")
        np.testing.assert_array_equal(out.values, grid.where(grid != nodata).values)


def test_the_cells_of_a_raster_are_points() -> None:
    rioxarray = pytest.importorskip("rioxarray")
    array = rioxarray.open_rasterio(EVI, masked=True).squeeze(drop=True)
    part = array.isel(x=slice(200, 240), y=slice(100, 130))
    out = plumb.sample({"v": array, "dem": DEM}, part)
    assert out["v"].dims == ("y", "x") and set(out.coords) == {"x", "y", "spatial_ref"}
    np.testing.assert_array_equal(out["v"].values, part.values)
    # The CRS of the grid mapping is that of the points.
    other = plumb.sample({"v": EVI}, part.rio.write_crs(4326))
    assert np.isnan(other["v"].values).all()


# Dates.


def cube(folder: Path) -> tuple[str, Any]:
    """A variable of time, lat and lon, and the dataset."""
    pytest.importorskip("netCDF4")
    random = np.random.default_rng(3)
    times = pd.date_range("2024-03-01", periods=8, freq="5D")
    data = xr.Dataset(
        {"v": (("time", "lat", "lon"), random.normal(size=(8, 6, 7)).astype("f4"))},
        coords={"time": times + pd.Timedelta("6h"), "lat": 40 + np.arange(6.0),
                "lon": -5 + np.arange(7.0)},
    )  # fmt: skip
    data["lon"].attrs["units"], data["lat"].attrs["units"] = "degrees_east", "degrees_north"
    data.to_netcdf(folder / "cube.nc", engine="netcdf4")
    return f"{folder}/cube.nc#v", data


def test_times_of_points(tmp_path: Path) -> None:
    path, data = cube(tmp_path)
    random = np.random.default_rng(4)
    site = {"site": list("abcd")}
    lon, lat = (array(random.uniform(low, low + 5, 4), **site) for low in (-5, 40))
    per_point = xr.DataArray(
        data["time"].values[[0, 3, 3, 7]] + np.timedelta64(20, "h"), dims="site", coords=site)
    out = plumb.sample(path, lon, lat, when=per_point, within="30d", out="xarray", status=True)
    expected = data["v"].sel(lon=lon, lat=lat, time=per_point, method="nearest")
    np.testing.assert_array_equal(out["v"].values, expected.values)
    np.testing.assert_array_equal(out["v_date"].values.astype("M8[h]"),
                                  expected["time"].values.astype("M8[h]"))
    # A dimension of times: each point at each time.
    times = xr.DataArray(data["time"].values[::3] + np.timedelta64(90, "m"), dims="time",
                         coords={"time": data["time"].values[::3]})  # fmt: skip
    both = plumb.sample(path, lon, lat, when=times, within="30d", out="xarray")
    assert both["v"].dims == ("site", "time")
    every = data["v"].sel(lon=lon, lat=lat, method="nearest").sel(time=times, method="nearest")
    np.testing.assert_array_equal(both["v"].transpose(*every.dims).values, every.values)
    # One location, many times.
    one = plumb.sample(path, -3.2, 42.1, when=times, within="30d", out="xarray")
    np.testing.assert_array_equal(
        one["v"].values,
        data["v"].sel(lon=-3.2, lat=42.1, method="nearest").sel(time=times, method="nearest"))
    # The times of a dataset, by the name of a variable.
    points = xr.Dataset(coords={"lon": lon, "lat": lat, "seen": per_point})
    named = plumb.sample(path, points, when="seen", within="30d")
    np.testing.assert_array_equal(named["v"].values, out["v"].values)
    axis = xr.Dataset(coords={"lon": lon, "lat": lat, "time": times})
    np.testing.assert_array_equal(
        plumb.sample(path, axis, when="time", within="30d")["v"].values, both["v"].values)
    texts = points.assign_coords(seen=("site", ["2024-03-01T07:00Z", "", "2024-03-16", "never"]))
    with pytest.warns(plumb.PlumbWarning):
        seen = plumb.sample(path, texts, when="seen", within="30d", status=True)
    assert seen["v_status"].values.tolist()[1::2] == ["bad_time", "bad_time"]
    with pytest.raises(ValueError, match="when names the column none, and the points have"):
        plumb.sample(path, points, when="none", within="30d")
    timed = points.assign(old=("time", [1.0, 2.0])).assign_coords(time=[1, 2])
    with pytest.raises(ValueError, match="the index of when differs from that of the dataset"):
        plumb.sample(path, timed, when=times, within="30d")
    with pytest.raises(ValueError, match="along site"):
        plumb.sample(path, lon, lat, when=per_point[:2].drop_vars("site"), within="30d")


def test_times_in_arrays_beside_other_points(tmp_path: Path) -> None:
    path, data = cube(tmp_path)
    when = data["time"][:2]
    asked: dict[str, Any] = {"when": when, "within": "30d"}
    frame = pd.DataFrame({"lon": [-3.2, 0.1], "lat": [42.1, 43.0]})
    expected = plumb.sample(path, frame, **{**asked, "when": when.values})["v"].tolist()
    assert plumb.sample(path, frame, **asked)["v"].tolist() == expected
    assert plumb.sample(path, frame["lon"], frame["lat"], **asked)["v"].tolist() == expected
    assert plumb.sample(path, [-3.2, 0.1], [42.1, 43.0], **asked)["v"].tolist() == expected


def test_series(tmp_path: Path) -> None:
    path, data = cube(tmp_path)
    grid = xr.Dataset(coords={"lon": [-4.9, 0.2, 30.0], "lat": [40.2, 44.6]})
    out = plumb.series(path, grid)
    assert out["v"].dims == ("lat", "lon", "time")
    expected = data["v"].sel(lon=grid.lon, lat=grid.lat, method="nearest").transpose(
        "lat", "lon", "time")  # fmt: skip
    np.testing.assert_array_equal(out["v"].values[:, :2], expected.values[:, :2])
    assert np.isnan(out["v"].values[:, 2]).all()
    np.testing.assert_array_equal(out["time"].values, data["time"].values)
    pair = plumb.series(path, grid["lon"], grid["lat"], out="xarray")
    xr.testing.assert_identical(pair["v"], out["v"])
    result = plumb.series(path, grid["lon"], grid["lat"])
    assert result.to_pandas().shape == (6, 8)
    assert result.long()["point"].iloc[8] == (40.2, 0.2)
    with pytest.raises(ValueError, match="already has a variable time"):
        plumb.series(path, grid.assign_coords(time=[1, 2]))
    with pytest.raises(TypeError, match="long needs a table"):
        plumb.series(path, grid, long=True)


# Other calls, and the accessor.


def test_maps() -> None:
    cape = plumb.Map("rasters/cape.json")
    lon, lat = around(60, 5)
    points = xr.Dataset({"lon": (("a", "b"), lon.reshape(6, 10)),
                         "lat": (("a", "b"), lat.reshape(6, 10))})  # fmt: skip
    frame = cape.identify_batch(pd.DataFrame({"lon": lon, "lat": lat}))
    out = cape.identify_batch(points, fields=["wards.NAME", "wards.count", "dem"])
    assert out["wards.NAME"].dims == ("a", "b")
    same(out, frame[["wards.count", "dem"]])
    names = pd.Series(out["wards.NAME"].values.ravel(), dtype=object)
    assert names[names.notna()].tolist() == frame["wards.NAME"].dropna().tolist()
    pair = cape.identify_batch(points["lon"], points["lat"], crs=4326, out="xarray")
    same(pair, frame[["dem", "evi"]])


def test_the_accessor() -> None:
    import plumb_gis.xarray

    assert plumb.xarray.Accessor
    grid = xr.Dataset(coords={"lon": [18.45, 18.65], "lat": [-34.05, -34.25]})
    xr.testing.assert_identical(grid.plumb.sample(BOTH), plumb.sample(BOTH, grid))
    assert grid["lon"].plumb is not None


def test_results_are_pickled_with_their_arrangement() -> None:
    grid = xr.Dataset(coords={"lon": [18.45, 18.65], "lat": [-34.05, -34.25]})
    result = plumb.sample(BOTH, grid["lon"], grid["lat"], crs=4326, status=True)
    xr.testing.assert_identical(pickle.loads(pickle.dumps(result)).to_xarray(), result.to_xarray())
