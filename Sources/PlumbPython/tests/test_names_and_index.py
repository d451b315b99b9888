"""Columns have unique names, and rows keep their index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from conftest import DEM, EVI, write_raster

import plumb_gis as plumb

X, Y = [18.6, 18.45], [-34.1, -34.05]


def collisions(folder: Path) -> list[Any]:
    write_raster(folder / "s.tif", 11, 12)
    write_raster(folder / "s_2.tif", 99)
    write_raster(folder / "dem.tif", 7)
    write_raster(folder / "dem_status.tif", 55)
    return [
        ([str(folder / "s.tif"), str(folder / "s_2.tif")], {}),
        ([str(folder / "dem.tif"), str(folder / "dem_status.tif")], {"status": True}),
    ]


@pytest.mark.parametrize("which", [0, 1])
def test_columns_of_one_name_are_refused(tmp_path: Path, which: int) -> None:
    paths, asked = collisions(tmp_path)[which]
    frame = pd.DataFrame({"x": [0.5], "y": [0.5]})
    for points in (frame, pa.table(frame), pl.DataFrame({"x": [0.5], "y": [0.5]})):
        with pytest.raises(ValueError, match="two output columns would be called") as caught:
            plumb.sample(paths, points, **asked)
        assert caught.value.code == "exists"
    named = {"a": paths[0], "b": paths[1]}
    assert len(plumb.sample(named, frame, **asked)) == 1


def test_columns_of_one_name_are_refused_by_dask(tmp_path: Path) -> None:
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"x": [0.5], "y": [0.5]}), npartitions=1)
    for paths, asked in collisions(tmp_path):
        with pytest.raises(ValueError, match="two output columns"):
            plumb.dask.sample(frame, paths, **asked)


def test_results_keep_the_index() -> None:
    index = pd.Index(["b", "a"])
    points = gpd.GeoSeries(gpd.points_from_xy(X, Y), index=index, crs=4326)
    x, y = pd.Series(X, index=index), pd.Series(Y, index=index)
    cape = plumb.Map("rasters/cape.json")
    for given in ((points,), (x, y), (X, y), (x, np.array(Y))):
        crs = None if len(given) == 1 else 4326
        assert plumb.sample(DEM, *given, crs=crs).to_pandas().index.equals(index)
        held = cape.identify_batch(*given, crs=crs, fields=["dem"])
        assert held.to_pandas()["dem"].to_dict() == {"b": 29, "a": 80}
    assert plumb.sample(DEM, X, Y, crs=4326).to_pandas().index.equals(pd.RangeIndex(2))
    frame = gpd.GeoDataFrame({"n": [1, 2]}, geometry=points, index=index)
    turned = frame.sort_values("n", ascending=False)
    frame["dem"] = plumb.sample(DEM, turned.geometry).to_pandas()["dem"]
    assert frame["dem"].tolist() == [29, 80]


def test_series_of_different_indexes_are_refused() -> None:
    x, y = pd.Series(X, index=["a", "b"]), pd.Series(Y, index=["b", "a"])
    shapes = gpd.GeoSeries(gpd.points_from_xy([0, 1000], [0, 0]), index=["a", "b"], crs=32634)
    distance = pd.Series([100.0, 1.0], index=["b", "a"])
    for call in (
        lambda: plumb.sample(DEM, x, y, crs=4326),
        lambda: plumb.Map("rasters/cape.json").identify_batch(x, y),
        lambda: plumb.buffer(shapes, distance),
        lambda: plumb.buffer(gpd.GeoDataFrame(geometry=shapes), distance),
    ):
        with pytest.raises(ValueError, match="index") as caught:
            call()
        assert caught.value.code == "index_mismatch"
    same = plumb.buffer(shapes, distance.sort_index())
    assert same.index.tolist() == ["a", "b"] and same.area["a"] < same.area["b"]
    # An array of shapes has no index that could differ.
    assert len(plumb.buffer(list(shapes), distance)) == 2


def test_masked_arrays_have_no_plausible_value(tmp_path: Path) -> None:
    for dtype, nodata, expected in (
        ("uint8", 255, 255), ("uint8", None, 255), ("int16", -1, -1), ("int16", None, -32768),
        ("float32", -9999, -9999), ("float32", None, np.nan),
    ):  # fmt: skip
        path = write_raster(tmp_path / "r.tif", 7, dtype=dtype, nodata=nodata)
        column = plumb.sample(path, [0.5, 99.0], [0.5, 0.5])["r"]
        fill = np.array(expected, dtype)
        assert column.tolist() == [7, None]
        for values in (column.filled(), column.data, np.asarray(column)):
            assert np.array_equal(values, np.array([7, fill], dtype), equal_nan=dtype == "float32")
        assert column.dtype == dtype
    scaled = plumb.sample({"evi": EVI}, [18.65], [-34.25], crs=4326, scaled=True)["evi"]
    assert np.isnan(scaled.data[0])
    # Also for a map's columns, whose memory outlives their table.
    held = plumb.Map("rasters/cape.json").identify_batch([18.6, 2.35], [-34.1, 48.86])["land_cover"]
    assert held.dtype == np.uint8 and held.data[1] == 255


def test_shapes_after_any_number_of_missing_ones(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "f.tif", 7)
    point = shapely.Point(0.5, 0.5)
    for missing in (0, 99, 100, 1000):
        for one in (point, shapely.to_wkb(point)):
            held = [*[None] * missing, one]
            frame = pd.DataFrame({"g": pd.Series(held, dtype=object)})
            assert plumb.sample(path, frame, geometry="g")["f"].tolist()[-1] == 7
        shapes = np.array([*[None] * missing, point], dtype=object)
        assert plumb.sample(path, shapes)["f"].tolist() == [*[None] * missing, 7]
        assert len(plumb.buffer(list(shapes), 1)) == missing + 1
    none = pd.DataFrame({"g": pd.Series([None, None], dtype=object)})
    out = plumb.sample(path, none, geometry="g", status=True)
    assert out["f_status"].tolist() == ["bad_point"] * 2
