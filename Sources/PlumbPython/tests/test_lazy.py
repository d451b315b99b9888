"""Lazy frames of polars give the values of frames."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEM, EVI, STACK, around, write_raster

import plumb_gis as plumb

pl = pytest.importorskip("polars")
from polars.testing import assert_frame_equal  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")


def frame(count: int = 500, seed: int = 1) -> Any:
    x, y = around(count, seed)
    return pl.DataFrame({"n": np.arange(count), "lon": x, "lat": y})


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_equal_to_frames(engine: Any) -> None:
    whole = frame(20_000)
    settings: dict[str, Any] = {"status": True, "provenance": True, "resampling": "bilinear"}
    expected = plumb.sample(STACK, whole, **settings)
    with plumb.Stack(STACK, resampling="bilinear") as stack:
        for lazy in (plumb.sample(STACK, whole.lazy(), **settings),
                     stack.sample(whole.lazy(), status=True, provenance=True)):  # fmt: skip
            assert isinstance(lazy, pl.LazyFrame)
            assert lazy.collect_schema() == expected.schema
            assert_frame_equal(lazy.collect(engine=engine).sort("n"), expected)
    lazy = plumb.Raster(EVI).sample(whole.lazy(), crs=4326, scaled=True)
    assert_frame_equal(
        lazy.collect(engine=engine).sort("n"), plumb.sample(EVI, whole, crs=4326, scaled=True))
    cape = plumb.Map("rasters/cape.json")
    lazy = cape.identify_batch(whole.head(300).lazy(), fields=["wards.NAME", "dem"])
    assert_frame_equal(lazy.collect(engine=engine).sort("n"),
                       cape.identify_batch(whole.head(300), fields=["wards.NAME", "dem"]))


def test_queries() -> None:
    whole = frame()
    expected = plumb.sample(STACK, whole)
    lazy = plumb.sample(STACK, whole.lazy())
    high = pl.col("dem") > 100
    assert_frame_equal(lazy.filter(high).collect(), expected.filter(high))
    south = (pl.col("lat") < -34) & high
    assert_frame_equal(lazy.filter(south).select("evi", "n").collect(),
                       expected.filter(south).select("evi", "n"))
    assert_frame_equal(lazy.select("dem").collect(), expected.select("dem"))
    assert_frame_equal(lazy.head(7).collect(), expected.head(7))
    assert_frame_equal(lazy.slice(490, 100).collect(), expected.slice(490, 100))
    assert_frame_equal(lazy.sort("dem", "n").tail(3).collect(),
                       expected.sort("dem", "n").tail(3))
    assert_frame_equal(plumb.sample({"again": DEM}, lazy).collect(),
                       plumb.sample({"again": DEM}, expected))


def test_files(tmp_path: Path) -> None:
    frame().write_parquet(tmp_path / "a.parquet")
    lazy = plumb.sample(STACK, pl.scan_parquet(tmp_path / "a.parquet"))
    lazy.sink_parquet(tmp_path / "b.parquet")
    assert_frame_equal(pl.read_parquet(tmp_path / "b.parquet").sort("n"),
                       plumb.sample(STACK, frame()))


def test_no_rows() -> None:
    none = frame().clear()
    assert_frame_equal(plumb.sample(STACK, none.lazy()).collect(), plumb.sample(STACK, none))


def test_dates(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        write_raster(tmp_path / f"v_2024-03-0{day}.tif", day)
    points = pl.DataFrame({
        "x": [0.5, 1.5, 9.0], "y": [0.5, 1.5, 1.0],
        "t": ["2024-03-01T09:00", "2024-03-02T23:00", "2024-03-03T12:00"],
    })  # fmt: skip
    asked: dict[str, Any] = {"dates": "v_%Y-%m-%d"}
    rasters = f"v={tmp_path}/v_*.tif"
    assert_frame_equal(
        plumb.sample(rasters, points.lazy(), when="t", within="9d", **asked).collect(),
        plumb.sample(rasters, points, when="t", within="9d", **asked))
    for long in (False, True):
        lazy = plumb.series(rasters, points.lazy(), long=long, **asked)
        expected = plumb.series(rasters, points, long=long, **asked)
        assert lazy.collect_schema() == expected.schema
        assert_frame_equal(lazy.collect(), expected)
        assert_frame_equal(lazy.head(4).collect(), expected.head(4))


def test_faults_are_found_at_once() -> None:
    lazy = frame().lazy()
    for call, words in (
        (lambda: plumb.sample("rasters/none.tif", lazy), "none.tif"),
        (lambda: plumb.sample(DEM, lazy, x="q", y="lat"), "x names the column q"),
        (lambda: plumb.sample({"n": DEM}, lazy), "already has a column n"),
        (lambda: plumb.sample(DEM, lazy, crs="nowhere"), "nowhere"),
        (lambda: plumb.sample(DEM, lazy, out="xarray"), "points are a LazyFrame: give a DataFrame"),
        (lambda: plumb.sample(DEM, pl.LazyFrame({"a": [1]})), "no known column of points"),
    ):  # fmt: skip
        with pytest.raises(plumb.PlumbError, match=words):
            call()


def test_queries_are_pickled() -> None:
    whole = frame(50)
    lazy = plumb.Stack(STACK).sample(whole.lazy())
    assert_frame_equal(pickle.loads(pickle.dumps(lazy)).collect(), plumb.sample(STACK, whole))
