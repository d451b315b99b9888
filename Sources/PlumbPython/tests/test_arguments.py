"""Wrong arguments raise a clear exception that names the argument."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import DEM, EVI

import plumb_gis as plumb

GOOD = np.array([18.6, 18.4, 18.45])


def raises(kind: type, code: str, words: str, call: Any) -> None:
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, plumb.PlumbError)
    assert caught.value.code == code
    assert "\n" not in str(caught.value) and "--" not in str(caught.value)


def test_lengths() -> None:
    raises(
        ValueError, "bad_option", "^x and y have 3 and 4 values: give one of each per point$",
        lambda: plumb.sample(DEM, [1, 2, 3], [1, 2, 3, 4]),
    )  # fmt: skip
    raises(ValueError, "bad_option", "3 and 1", lambda: plumb.sample(DEM, GOOD, 1.0))


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (np.array(["18.6"] * 3), "x holds text"),
        (np.array([b"18.6"] * 3), "x holds text"),
        (np.array([18.6, 18.4, "a"], dtype=object), "x contains Python objects"),
        (np.array([object()] * 3), "x contains Python objects"),
        (np.array([True] * 3), "x is of type bool"),
        (np.array([1j] * 3), "x is of type complex128"),
        (np.array(["2020-01-01"] * 3, "M8[D]"), "x is of type datetime64"),
        (np.array([(1, 2)] * 3, "i4,i4"), "x is of type"),
        (pd.Series(["a", "b", "c"]), "x (contains|is)"),
        (pd.Series(pd.date_range("2020", periods=3)), "x is of type"),
        (pl.Series(["a", "b", "c"]), "x is of type"),
        (pa.array(["a", "b", "c"]), "x is text"),
        (pa.chunked_array([["a", "b", "c"]]), "x is text"),
        (["a", "b", "c"], "x holds text"),
        ([[1], [1, 2], [3]], "x is not an array"),
        ("18.6", "x is text"),
        ({1.0, 2.0, 3.0}, "x is a set"),
        ({"a": 1}, "x is a dict"),
        (object(), "x"),
    ],
)
def test_types(x: Any, words: str) -> None:
    raises(TypeError, "bad_type", words, lambda: plumb.sample(DEM, x, GOOD))


def test_dimensions() -> None:
    raises(ValueError, "bad_option", "3 × 1", lambda: plumb.sample(DEM, GOOD[:, None], GOOD))
    raises(TypeError, "bad_type", "y is missing", lambda: plumb.sample(DEM, GOOD))
    raises(TypeError, "bad_type", "give two arrays",
           lambda: plumb.sample(DEM, np.stack([GOOD, GOOD], axis=1)))  # fmt: skip
    raises(TypeError, "bad_type", "points are missing", lambda: plumb.sample(DEM))


def test_tables() -> None:
    frame = pd.DataFrame({"a": GOOD, "b": GOOD})
    raises(ValueError, "not_found", "from a, b", lambda: plumb.sample(DEM, frame))
    raises(ValueError, "not_found", "x names the column q",
           lambda: plumb.sample(DEM, frame, x="q", y="b"))  # fmt: skip
    raises(ValueError, "bad_option", "same column",
           lambda: plumb.sample(DEM, frame, x="a", y="a"))  # fmt: skip
    raises(TypeError, "bad_type", "y is missing", lambda: plumb.sample(DEM, frame, x="a"))
    raises(TypeError, "bad_type", "x is a ndarray: with the frame",
           lambda: plumb.sample(DEM, frame, x=GOOD, y=GOOD))  # fmt: skip
    table = pa.table({"a": GOOD, "b": ["x", "y", "z"]})
    raises(ValueError, "not_found", "from a, b", lambda: plumb.sample(DEM, table))
    raises(TypeError, "bad_type", "the column b is text",
           lambda: plumb.sample(DEM, table, x="a", y="b"))  # fmt: skip
    raises(
        ValueError, "not_found", "geometry names", lambda: plumb.sample(DEM, table, geometry="g")
    )
    raises(TypeError, "bad_type", "holds no points", lambda: plumb.sample(DEM, table, geometry="a"))
    both = pd.DataFrame({"x": GOOD, "y": GOOD, "lon": GOOD, "lat": GOOD})
    raises(ValueError, "ambiguous", "choose", lambda: plumb.sample(DEM, both))
    taken = pd.DataFrame({"lon": GOOD, "lat": GOOD, "dem": GOOD})
    raises(ValueError, "exists", "already has a column dem", lambda: plumb.sample(DEM, taken))


def test_references() -> None:
    frame = gpd.GeoDataFrame(geometry=gpd.points_from_xy(GOOD, -GOOD), crs=4326)
    raises(ValueError, "crs_mismatch", "crs is EPSG:32734, and the frame is in EPSG:4326",
           lambda: plumb.sample(DEM, frame, crs=32734))  # fmt: skip
    # An equal CRS in another notation is accepted.
    assert len(plumb.sample(DEM, frame, crs=frame.crs.to_wkt())) == 3
    assert len(plumb.sample(DEM, frame, crs=frame.crs.to_json_dict())) == 3
    raises(ValueError, "bad_option", "crs is empty", lambda: plumb.sample(DEM, GOOD, GOOD, crs=""))
    raises(TypeError, "bad_type", "crs is a bool", lambda: plumb.sample(DEM, GOOD, GOOD, crs=True))
    raises(TypeError, "bad_type", "crs is a float", lambda: plumb.sample(DEM, GOOD, GOOD, crs=4.0))
    with pytest.raises(plumb.PlumbError):
        plumb.sample(DEM, GOOD, GOOD, crs="EPSG:999999")
    with pytest.raises(plumb.PlumbError, match="CRS"):
        plumb.sample([EVI, DEM], GOOD, GOOD)


def test_rasters() -> None:
    with pytest.raises(plumb.PlumbError) as caught:
        plumb.sample("rasters/none.tif", GOOD, GOOD)
    assert caught.value.code == "not_found" and "none.tif" in str(caught.value)
    raises(ValueError, "bad_option", "no rasters", lambda: plumb.sample([], GOOD, GOOD))
    raises(TypeError, "bad_type", "raster is of type int", lambda: plumb.sample(3, GOOD, GOOD))
    raises(ValueError, "bad_option", "zero byte", lambda: plumb.sample("a\0b", GOOD, GOOD))
    raises(ValueError, "bad_option", "raster is empty", lambda: plumb.sample("", GOOD, GOOD))
    with pytest.raises(plumb.PlumbError):
        plumb.sample("rasters/points.csv", GOOD, GOOD)


def test_settings() -> None:
    raises(ValueError, "bad_option", "resampling is 'lanczos'",
           lambda: plumb.sample(DEM, GOOD, GOOD, resampling="lanczos"))  # fmt: skip
    raises(TypeError, "bad_type", "bands contains '1'",
           lambda: plumb.sample(DEM, GOOD, GOOD, bands=["1"]))  # fmt: skip
    raises(TypeError, "bad_type", "cache is '1GB'",
           lambda: plumb.sample(DEM, GOOD, GOOD, cache="1GB"))  # fmt: skip
    with pytest.raises(plumb.PlumbError):
        plumb.sample(DEM, GOOD, GOOD, bands=[9])
    raises(TypeError, "bad_type", "progress", lambda: plumb.sample(DEM, GOOD, GOOD, progress=3))


def test_streams_that_fail() -> None:
    def batches() -> Any:
        yield pa.record_batch({"x": [18.6], "y": [-34.1]})
        raise RuntimeError("the disk is gone")

    schema = pa.schema({"x": pa.float64(), "y": pa.float64()})
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(plumb.PlumbError, match="the disk is gone") as caught:
        plumb.sample(DEM, reader, crs=4326)
    assert caught.value.code == "read_error"

    class Odd:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError("no stream today")

    with pytest.raises(RuntimeError, match="no stream today"):
        plumb.sample(DEM, Odd())

    class Wrong:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return 3

    raises(TypeError, "bad_type", "not an Arrow stream", lambda: plumb.sample(DEM, Wrong()))


def test_results() -> None:
    result = plumb.sample(DEM, GOOD, -GOOD)
    with pytest.raises(KeyError, match="available: dem"):
        result["evi"]
    with pytest.raises(KeyError):
        result.status("evi")
    with pytest.raises(plumb.PlumbError, match="provenance"):
        result.cells("dem")


def test_exceptions_travel() -> None:
    import pickle

    for kind in (plumb.PlumbError, plumb.PlumbTypeError, plumb.PlumbValueError):
        back = pickle.loads(pickle.dumps(kind("what is wrong", "a_code")))
        assert type(back) is kind and back.code == "a_code" and str(back) == "what is wrong"


def test_values_are_value_errors() -> None:
    import shapely

    cape, gas = plumb.Map("rasters/cape.json"), plumb.Network("rasters/gas.json")
    walk, sights, start = "rasters/walk.csv", "rasters/garden_sights.geojson", "M0054:Load"
    point = shapely.Point(0, 0)
    for call in (
        lambda: plumb.sample(DEM, GOOD, GOOD, crs="EPSG:999999"),
        lambda: plumb.sample(DEM, GOOD, GOOD, crs="nowhere"),
        lambda: plumb.sample(DEM, GOOD, GOOD, bands=[9]),
        lambda: plumb.sample(DEM, GOOD, GOOD, bands=0),
        lambda: plumb.sample(DEM, GOOD, GOOD, threads=0),
        lambda: plumb.buffer(point, 1, unit="furlong"),
        lambda: plumb.buffer(point, 1, geodesic=True),
        lambda: plumb.buffer(point, float("nan")),
        lambda: plumb.buffer(point, 1, crs="nowhere"),
        lambda: plumb.buffer(point, 1, crs=4326, out_crs="nowhere"),
        lambda: cape.identify(18, -34, tolerance="12 furlongs"),
        lambda: cape.identify(18, -34, layer="none"),
        lambda: cape.identify(18, -34, layer="wards", where="AND"),
        lambda: cape.identify(18, -34, crs="nowhere"),
        lambda: cape.identify(float("nan"), -34),
        lambda: gas.trace("sideways", start),
        lambda: gas.trace("upstream", "none"),
        lambda: gas.isolate(start, one_way="ajar"),
        lambda: plumb.events(walk, sights, rule="loiter"),
        lambda: plumb.events(walk, sights, feed_filter="(("),
        lambda: plumb.events(walk, sights, area=[1, 2, 3]),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert isinstance(caught.value, plumb.PlumbError)
        assert caught.value.code not in ("", "failed", "bad_type")


def test_flags_are_true_or_false() -> None:
    walk, sights = "rasters/walk.csv", "rasters/garden_sights.geojson"
    for call in (
        lambda: plumb.sample(DEM, GOOD, GOOD, scaled="False"),
        lambda: plumb.sample(DEM, GOOD, GOOD, status="no"),
        lambda: plumb.sample(DEM, GOOD, GOOD, provenance=1),
        lambda: plumb.sample(DEM, GOOD, GOOD, anywhere="False"),
        lambda: plumb.Raster(DEM, anywhere=0),
        lambda: plumb.Map("rasters/cape.json", anywhere="False"),
        lambda: plumb.Map("rasters/cape.json").identify(18, -34, strict="False"),
        lambda: plumb.buffer([], 1, union="False"),
        lambda: plumb.events(walk, sights, initial="False"),
        lambda: plumb.Network("rasters/gas.json").isolate("M0054:Load", include_isolated="no"),
    ):
        with pytest.raises(TypeError, match="give True or False"):
            call()
    flag = np.bool_(True)
    assert plumb.sample(EVI, [18.6], [-34.1], crs=4326, scaled=flag)["evi_cape_town"][0] < 1


def test_numbers_of_numpy() -> None:
    for code in (np.int64(4326), np.int32(4326), np.uint16(4326)):
        assert plumb.sample(DEM, [18.6], [-34.1], crs=code)["dem"].tolist() == [29]
    assert plumb.sample(DEM, [18.6], [-34.1], bands=np.int64(1), crs=4326)["dem"].tolist() == [29]
    cape = plumb.Map("rasters/cape.json")
    assert cape.identify(np.float32(18.6), -34.1, tolerance=np.int64(0)).element_count > 0


def test_paths_of_all_kinds(tmp_path: Any) -> None:
    import io
    from pathlib import Path

    from conftest import write_raster

    odd = tmp_path / "year=2024, a%20b"
    odd.mkdir()
    path = Path(write_raster(odd / "x=y.tif", 7))
    url = "file://" + str(path).replace("%", "%25").replace(" ", "%20")
    named = {"a=b": path, "c": url}
    assert plumb.sample(named, 0.5, 0.5).columns == ["a=b", "c"]
    with open(path, "rb") as file:
        for one in (path, str(path), url, url.replace("file://", "file://localhost"), file):
            assert plumb.Raster(one).name == "x=y"
            assert plumb.sample(one, 0.5, 0.5)["x=y"].tolist() == [7]
    assert plumb.Raster(f"n={path}").name == "n"
    with open("rasters/cape.json") as file:
        assert plumb.Map(file).layers
    with open("rasters/walk.csv") as file:
        seen = plumb.events(file, "rasters/garden_sights.geojson", buffer=10, where="id=5")
    assert len(seen) == 4
    raises(TypeError, "bad_type", "BytesIO without a path",
           lambda: plumb.sample(io.BytesIO(path.read_bytes()), 0.5, 0.5))  # fmt: skip
    raises(ValueError, "bad_option", "file:///folder/name", lambda: plumb.Raster("file://host/x"))
    # The library opens object stores.
    from plumb_gis._paths import text_of

    assert text_of("s3://bucket/a.tif") == "s3://bucket/a.tif"
    assert text_of("gcs://bucket/a.tif") == "gs://bucket/a.tif"
