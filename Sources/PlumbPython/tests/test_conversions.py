"""Each result converts to pandas, GeoPandas, polars and pyarrow, with equal values."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import DEM, EVI, ROOT, STACK, around, write_raster

import plumb_gis as plumb

pytestmark = pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")


class Stream:
    """Any object with an Arrow stream."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("dated")
    for day in (1, 2, 3):
        write_raster(folder / f"v_2024-03-0{day}.tif", day, -day, crs="EPSG:4326")
    return f"v={folder}/v_*.tif"


def results(dated: str) -> dict[str, Callable[[], Any]]:
    """Functions that compute each kind of result."""
    x, y = around(40, 2)
    walk, sights = "rasters/walk.csv", "rasters/garden_sights.geojson"
    cape, gas = plumb.Map("rasters/cape.json"), plumb.Network("rasters/gas.json")
    table = Stream(pa.table({
        "lon": x, "lat": y, "n": pa.array([None, 2] * 20), "list": [[1], []] * 20,
        "day": pa.array([None, 3] * 20, pa.date32()),
    }))  # fmt: skip
    times = np.array(["2024-03-01T20", "NaT", "2024-03-02T09"], "M8[h]")
    at = ([1.5, 2.5, 9.0], [1.5, np.nan, 1.0])
    return {
        "sample": lambda: plumb.sample(STACK, x, y, crs=4326, status=True, provenance=True),
        "one": lambda: plumb.sample(DEM, 18.6, -34.1),
        "none": lambda: plumb.sample(STACK, [], [], crs=4326, status=True),
        "series of points": lambda: plumb.sample(
            DEM, gpd.GeoSeries.from_xy(x, y, index=np.arange(40) * 3, crs=4326)),
        "dated": lambda: plumb.sample(dated, *at, dates="v_%Y-%m-%d", when=times, within="2d",
                              status=True),
        "series": lambda: plumb.series(dated, *at, dates="v_%Y-%m-%d", status=True),
        "batch": lambda: cape.identify_batch(x, y, crs=4326, status=True),
        "batch of none": lambda: cape.identify_batch([], [], crs=4326),
        "joined": lambda: plumb.sample(STACK, table, status=True),
        "identified": lambda: cape.identify(18.86, -33.93, tolerance="12px", scale=50_000),
        "identified elsewhere": lambda: cape.identify(2_099_000, -4_020_000, crs=3857),
        "nothing identified": lambda: cape.identify(0, 0),
        "layer": lambda: cape.identify(18.86, -33.93, tolerance="12px", scale=50_000)["wards"],
        "trace": lambda: gas.trace("upstream", "M0054:Load"),
        "isolation": lambda: gas.isolate("M0054:Load", filter_category="Isolating"),
        "segments": lambda: gas.segments(filter_category="Isolating"),
        "events": lambda: plumb.events(walk, sights, buffer=10),
    }  # fmt: skip


NAMES = (
    "sample", "one", "none", "series of points", "dated", "series", "batch", "batch of none",
    "joined", "identified", "identified elsewhere", "nothing identified", "layer", "trace",
    "isolation", "segments", "events",
)  # fmt: skip


def plain(values: Any) -> list[Any]:
    """The values of a column, with None for missing ones."""
    out = []
    for value in values:
        if isinstance(value, (list, np.ndarray)):
            out.append([plain([one])[0] for one in value])
        elif value is None or value is pd.NA or value is pd.NaT or value != value:
            out.append(None)
        elif hasattr(value, "isoformat"):
            out.append(pd.Timestamp(value).tz_localize(None).isoformat())
        else:
            out.append(value.item() if isinstance(value, np.generic) else value)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_all_tables_are_equal(dated: str, name: str) -> None:
    result = results(dated)[name]()
    arrow, frame, polars = result.to_arrow(), result.to_pandas(), result.to_polars()
    assert isinstance(arrow, pa.Table) and isinstance(frame, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert arrow.column_names == list(frame.columns) == polars.columns
    assert arrow.num_rows == len(frame) == len(polars)
    if name not in ("segments",) and not name.endswith(("identified", "elsewhere", "layer")):
        assert arrow.num_rows == len(result)
    for column in arrow.column_names:
        expected = plain(arrow[column].to_pylist())
        assert plain(frame[column]) == expected, column
        assert plain(polars[column].to_list()) == expected, column
        kind = arrow[column].type
        if pa.types.is_integer(kind) and name != "joined":
            assert str(frame[column].dtype) in ("UInt8", "Int8", "Int16", "UInt16", "Int32",
                                                "UInt32", "Int64", "UInt64")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_geopandas(dated: str, name: str) -> None:
    result = results(dated)[name]()
    frame = result.to_geopandas()
    assert isinstance(frame, gpd.GeoDataFrame) and frame.active_geometry_name == "geometry"
    crs = {"identified elsewhere": 3857}.get(name, 4326)
    assert frame.crs == crs
    if name not in ("isolation", "trace", "segments"):
        expected = result.to_pandas()
        assert set(frame.columns) == {*expected.columns, "geometry"}
        assert len(frame) == len(expected) and frame.index.equals(expected.index)
    if name == "sample":
        x, y = around(40, 2)
        there = np.isfinite(x) & np.isfinite(y)
        assert frame.geometry.notna().tolist() == there.tolist()
        assert frame.geometry.x[there].tolist() == x[there].tolist()
        again = plumb.sample(STACK, frame[["geometry"]], status=True, provenance=True)
        pd.testing.assert_frame_equal(
            again.drop(columns="geometry"), result.to_pandas())
    if name == "layer":
        assert frame.geometry.iloc[0].contains(gpd.points_from_xy([18.86], [-33.93])[0])


def test_points_without_a_crs_are_in_that_of_the_rasters() -> None:
    raster = plumb.Raster(EVI)
    assert raster.extent is not None
    x, y = raster.extent[0] + 1000, raster.extent[1] + 1000
    frame = plumb.sample(EVI, [x], [y]).to_geopandas()
    import rasterio

    with rasterio.open(EVI) as file:
        assert frame.crs == gpd.GeoSeries([], crs=file.crs).crs
    assert plumb.sample(EVI, [5.5], [5.5], pixels=True).to_geopandas().crs is None


def test_a_column_called_geometry(tmp_path: Path) -> None:
    result = plumb.sample({"geometry": DEM}, [18.6], [-34.1])
    with pytest.raises(TypeError, match="has a column geometry: rename"):
        result.to_geopandas()
    shapes = gpd.GeoDataFrame({"a": [1]}, geometry=gpd.points_from_xy([18.6], [-34.1]), crs=4326)
    joined = plumb.sample(DEM, Stream(pa.table(shapes.to_arrow())))
    back = joined.to_geopandas()
    assert back.geometry.iloc[0].equals(shapes.geometry.iloc[0])
    assert back["dem"].tolist() == [29] and back.crs == 4326


def test_fields_with_the_names_of_own_columns() -> None:
    from plumb_gis._map import LayerResult

    about = {
        "layer": {"id": "a", "name": "a", "type": "feature"}, "popups": [], "sublayerResults": [],
        "isTransferLimitExceeded": False, "error": None,
        "geoElements": [{
            "type": "feature", "geometry": None, "distance": 1.5,
            "attributes": {"layer": 3, "distance": "far", "mixed": [1, {"b": None}], "big": 2**70},
        }],
    }  # fmt: skip
    table = LayerResult(about).to_arrow()
    assert table.to_pylist() == [
        {"layer": "a", "a.layer": 3, "a.distance": "far", "mixed": '[1, {"b": null}]',
         "big": str(2**70), "distance": 1.5}
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_pickles(dated: str, name: str) -> None:
    result = results(dated)[name]()
    back = pickle.loads(pickle.dumps(result))
    assert type(back) is type(result) and repr(back) == repr(result)
    first, second = result.to_arrow(), back.to_arrow()
    assert second.schema.equals(first.schema, check_metadata=True)
    assert second.to_pylist() == first.to_pylist()
    pd.testing.assert_frame_equal(back.to_pandas(), result.to_pandas())
    assert back.to_geopandas().equals(result.to_geopandas())
    twice = pickle.loads(pickle.dumps(back))
    assert twice.to_arrow().equals(first)
    if name == "series":
        pd.testing.assert_frame_equal(back.long(), result.long())
    if hasattr(result, "to_xarray"):
        pytest.importorskip("xarray").testing.assert_identical(
            back.to_xarray(), result.to_xarray())


def test_a_missing_package_is_named() -> None:
    program = """
import sys
import plumb_gis as plumb
result = plumb.sample("rasters/dem", [18.6], [-34.1])
events = plumb.events("rasters/walk.csv", "rasters/garden_sights.geojson", buffer=10)
for name in ("pandas", "polars", "pyarrow", "geopandas", "xarray", "shapely"):
    sys.modules[name] = None
for call in (result.to_pandas, result.to_polars, result.to_arrow, result.to_geopandas,
             result.to_xarray, events.to_pandas, events.to_geopandas):
    try:
        call()
    except plumb.PlumbImportError as error:
        print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 7 and all("pip install" in line for line in lines), done
    assert lines[4] == "out='xarray' needs xarray: pip install xarray"
