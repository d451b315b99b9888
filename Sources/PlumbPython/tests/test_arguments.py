"""Wrong arguments: one clear exception each, which names the argument."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import DEM, EVI

import plumb

GOOD = np.array([18.6, 18.4, 18.45])


def raises(kind: type, code: str, words: str, call: Any) -> None:
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, plumb.PlumbError)
    assert caught.value.code == code
    assert "\n" not in str(caught.value) and "--" not in str(caught.value)


def test_lengths() -> None:
    raises(
        ValueError, "bad_option", "^x and y have 3 and 4 values: give one of each for a point$",
        lambda: plumb.sample(DEM, [1, 2, 3], [1, 2, 3, 4]),
    )  # fmt: skip
    raises(ValueError, "bad_option", "3 and 1", lambda: plumb.sample(DEM, GOOD, 1.0))


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (np.array(["18.6"] * 3), "x holds text"),
        (np.array([b"18.6"] * 3), "x holds text"),
        (np.array([18.6, 18.4, "a"], dtype=object), "x holds Python objects"),
        (np.array([object()] * 3), "x holds Python objects"),
        (np.array([True] * 3), "x is of type bool"),
        (np.array([1j] * 3), "x is of type complex128"),
        (np.array(["2020-01-01"] * 3, "M8[D]"), "x is of type datetime64"),
        (np.array([(1, 2)] * 3, "i4,i4"), "x is of type"),
        (pd.Series(["a", "b", "c"]), "x (holds|is)"),
        (pd.Series(pd.date_range("2020", periods=3)), "x is of type"),
        (pl.Series(["a", "b", "c"]), "x is of type"),
        (pa.array(["a", "b", "c"]), "x is text"),
        (pa.chunked_array([["a", "b", "c"]]), "x is text"),
        (["a", "b", "c"], "x holds text"),
        ([[1], [1, 2], [3]], "x is no array"),
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
    raises(TypeError, "bad_type", "columns apart",
           lambda: plumb.sample(DEM, np.stack([GOOD, GOOD], axis=1)))  # fmt: skip
    raises(TypeError, "bad_type", "points are missing", lambda: plumb.sample(DEM))


def test_tables() -> None:
    frame = pd.DataFrame({"a": GOOD, "b": GOOD})
    raises(ValueError, "not_found", "among a, b", lambda: plumb.sample(DEM, frame))
    raises(ValueError, "not_found", "x names the column q",
           lambda: plumb.sample(DEM, frame, x="q", y="b"))  # fmt: skip
    raises(ValueError, "bad_option", "same column",
           lambda: plumb.sample(DEM, frame, x="a", y="a"))  # fmt: skip
    raises(TypeError, "bad_type", "y is missing", lambda: plumb.sample(DEM, frame, x="a"))
    raises(TypeError, "bad_type", "x is a ndarray: beside the frame",
           lambda: plumb.sample(DEM, frame, x=GOOD, y=GOOD))  # fmt: skip
    table = pa.table({"a": GOOD, "b": ["x", "y", "z"]})
    raises(ValueError, "not_found", "among a, b", lambda: plumb.sample(DEM, table))
    raises(TypeError, "bad_type", "the column b is text",
           lambda: plumb.sample(DEM, table, x="a", y="b"))  # fmt: skip
    raises(
        ValueError, "not_found", "geometry names", lambda: plumb.sample(DEM, table, geometry="g")
    )
    raises(TypeError, "bad_type", "holds no points", lambda: plumb.sample(DEM, table, geometry="a"))
    raises(TypeError, "bad_type", "LazyFrame", lambda: plumb.sample(DEM, pl.LazyFrame({"x": [1]})))
    both = pd.DataFrame({"x": GOOD, "y": GOOD, "lon": GOOD, "lat": GOOD})
    raises(ValueError, "ambiguous", "say which", lambda: plumb.sample(DEM, both))
    taken = pd.DataFrame({"lon": GOOD, "lat": GOOD, "dem": GOOD})
    raises(ValueError, "exists", "column dem already", lambda: plumb.sample(DEM, taken))


def test_references() -> None:
    frame = gpd.GeoDataFrame(geometry=gpd.points_from_xy(GOOD, -GOOD), crs=4326)
    raises(ValueError, "crs_mismatch", "crs is EPSG:32734, and the frame is in EPSG:4326",
           lambda: plumb.sample(DEM, frame, crs=32734))  # fmt: skip
    # The same reference in other words is no disagreement.
    assert len(plumb.sample(DEM, frame, crs=frame.crs.to_wkt())) == 3
    assert len(plumb.sample(DEM, frame, crs=frame.crs.to_json_dict())) == 3
    raises(ValueError, "bad_option", "crs is empty", lambda: plumb.sample(DEM, GOOD, GOOD, crs=""))
    raises(TypeError, "bad_type", "crs is a bool", lambda: plumb.sample(DEM, GOOD, GOOD, crs=True))
    raises(TypeError, "bad_type", "crs is a float", lambda: plumb.sample(DEM, GOOD, GOOD, crs=4.0))
    with pytest.raises(plumb.PlumbError):
        plumb.sample(DEM, GOOD, GOOD, crs="EPSG:999999")
    with pytest.raises(plumb.PlumbError, match="reference"):
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
    raises(TypeError, "bad_type", "bands holds '1'",
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

    raises(TypeError, "bad_type", "no Arrow stream", lambda: plumb.sample(DEM, Wrong()))


def test_results() -> None:
    result = plumb.sample(DEM, GOOD, -GOOD)
    with pytest.raises(KeyError, match="there are dem"):
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
