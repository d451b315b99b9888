"""Dask has the same results as a single process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, STACK, around, write_raster

import plumb_gis as plumb

dd = pytest.importorskip("dask.dataframe")

PATHS = {name: str(ROOT / path) for name, path in STACK.items()}


def frame() -> pd.DataFrame:
    x, y = around(2000, 8)
    return pd.DataFrame({"lon": x, "lat": y, "n": np.arange(2000)}, index=np.arange(2000) * 3)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_equals_one_machine(scheduler: str) -> None:
    whole = frame()
    out = plumb.dask.sample(dd.from_pandas(whole, npartitions=5), PATHS, status=True)
    expected = plumb.sample(PATHS, whole, status=True)
    assert out.dtypes.to_dict() == expected.dtypes.to_dict()
    pd.testing.assert_frame_equal(out.compute(scheduler=scheduler), expected)


def test_parquet_in_and_out(tmp_path: Any) -> None:
    whole = frame()
    whole.to_parquet(tmp_path / "in.parquet")
    out = plumb.dask.sample(dd.read_parquet(tmp_path / "in.parquet"), PATHS)
    out.to_parquet(tmp_path / "out")
    back = pd.read_parquet(tmp_path / "out")
    pd.testing.assert_frame_equal(back, plumb.sample(PATHS, whole), check_names=False)


def test_pixels(tmp_path: Any) -> None:
    path = write_raster(tmp_path / "plain.tif", 1, 2, transform=None)
    cells = pd.DataFrame({"column": [0.5, 3.0, 4.0], "row": [0.5, 1.0, 0.0]})
    out = plumb.dask.sample(dd.from_pandas(cells, npartitions=2), path, pixels=True)
    assert out.compute(scheduler="sync")["plain_2"].tolist() == [2, 2, pd.NA]


def test_arguments() -> None:
    with pytest.raises(plumb.PlumbError, match="dataframe is of type int"):
        plumb.dask.sample(3, PATHS)


def held(path: str, **asked: Any) -> list[Any]:
    points = dd.from_pandas(pd.DataFrame({"x": [0.5], "y": [0.5]}), npartitions=1)
    out = plumb.dask.sample(points, {"r": path}, **asked)
    computed = out.compute(scheduler="threads")
    assert computed.dtypes.to_dict() == out.dtypes.to_dict()
    values: list[Any] = computed["r"].tolist()
    return values


def test_workers_see_a_file_that_was_replaced(tmp_path: Any, monkeypatch: Any) -> None:
    path = str(tmp_path / "live.tif")
    for value in (1, 2):
        assert held(write_raster(path, value)) == [value]
    assert held(write_raster(path, 2.5, dtype="float32")) == [2.5]
    # A folder of tiles, a pattern, a virtual raster, an overwritten file.
    folder = tmp_path / "tiles"
    folder.mkdir()
    for value in (3, 4):
        write_raster(folder / "tile.tif", value)
        assert held(str(folder)) == held(str(folder / "*.tif")) == [value]
    source = '<SourceFilename relativeToVRT="1">part.tif</SourceFilename><SourceBand>1</SourceBand>'
    (tmp_path / "live.vrt").write_text(
        f"""<VRTDataset rasterXSize="4" rasterYSize="4">
        <GeoTransform>0, 1, 0, 4, 0, -1</GeoTransform>
        <VRTRasterBand dataType="Int16" band="1"><SimpleSource>{source}</SimpleSource>
        </VRTRasterBand></VRTDataset>"""
    )
    for value in (5, 6):
        write_raster(tmp_path / "part.tif", value)
        assert held(str(tmp_path / "live.vrt")) == [value]
    # The same relative path in another folder.
    for name, value in (("2023", 10), ("2024", 20)):
        (tmp_path / name).mkdir()
        write_raster(tmp_path / name / "dem.tif", value)
        monkeypatch.chdir(tmp_path / name)
        assert held("dem.tif") == [value]


def test_other_types_than_the_driver_saw_are_refused(tmp_path: Any) -> None:
    path = write_raster(tmp_path / "live.tif", 1)
    points = dd.from_pandas(pd.DataFrame({"x": [0.5], "y": [0.5]}), npartitions=1)
    out = plumb.dask.sample(points, path)
    write_raster(path, 2.5, dtype="float32")
    with pytest.raises(plumb.PlumbError, match="columns or types have changed") as caught:
        out.compute(scheduler="threads")
    assert caught.value.code == "changed"
