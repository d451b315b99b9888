"""Attributes of fences and locations in filters and messages."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely

import plumb_gis as plumb


def fences(**columns: Any) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(columns, geometry=[shapely.box(0, 0, 1, 1)], crs=4326)


def track(**columns: Any) -> pd.DataFrame:
    times = pd.to_datetime(["2024-01-01 00:00", "2024-01-01 00:01"])
    return pd.DataFrame({"id": [1, 1], "time": times, "lon": [0.5, 5], "lat": [0.5, 5], **columns})


@pytest.mark.parametrize("value", [1e-12, 0.1 + 0.2, 1 / 3, 1e300, -5e-324, 9007199254740993])
def test_numbers_are_exact(tmp_path: Any, value: Any) -> None:
    filter = f"$locationupdate.c == {value!r}"
    frame = track(c=[value] * 2)
    for given in (frame, pa.table(frame), pl.from_pandas(frame), frame.to_dict("records")):
        seen = list(plumb.monitor(given, fences(name=["z"]), feed_filter=filter))
        assert [event.type for event in seen] == ["entered", "exited"]
    message = "$fencefeature.p == " + repr(value)
    area = fences(name=["z"], p=[value])
    area.to_file(tmp_path / "f.geojson", driver="GeoJSON", COORDINATE_PRECISION=15)
    table = pa.table(area.to_arrow(geometry_encoding="WKB"))
    for given in (area, table):
        assert plumb.events(track(), given, message=message)["message"].tolist() == ["true"] * 2


def test_values_of_every_kind() -> None:
    from plumb_gis._arrow import Table
    from plumb_gis._attributes import frame_json, table_json

    times = pd.to_datetime(["2024-01-01 00:00:00.123456789", None])
    frame = pd.DataFrame(
        {
            "f": [0.1, np.nan], "g": np.array([0.1, np.inf], "f4"),
            "i": pd.array([1, None], "Int64"), "b": [True, False], "t": ["ä\"", None],
            "m": times, "z": times.tz_localize("UTC"),
            "d": [Decimal("0.10"), Decimal(12345678901234567890)],
        }
    )  # fmt: skip
    expected = [
        {"f": 0.1, "g": float(np.float32(0.1)), "i": 1, "b": True, "t": 'ä"',
         "m": "2024-01-01T00:00:00.123456789", "z": "2024-01-01T00:00:00.123456789Z", "d": 0.1},
        {"f": None, "g": None, "i": None, "b": False, "t": None, "m": None, "z": None,
         "d": 12345678901234567890},
    ]  # fmt: skip
    assert json.loads(frame_json(frame) or b"") == expected
    whole = Table(pa.table(frame.assign(t=['ä"', None]).assign(d=frame["d"].astype(object))))
    assert json.loads(table_json(whole, 0, 2) or b"") == expected


def test_fences_of_tables_have_names() -> None:
    area = fences(name=["Spring"], id=[7])
    table = pa.table(area.to_arrow(geometry_encoding="WKB"))
    wkb = list(shapely.to_wkb(area.geometry.to_numpy()))
    given = [
        area, table, pa.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        pl.DataFrame({"geometry": wkb, "name": ["Spring"], "id": [7]}),
    ]  # fmt: skip
    for one in given:
        seen = plumb.events(track(), one)
        assert seen[["fence", "fenceId"]].values.tolist() == [["Spring", "7"]] * 2


def test_a_location_without_a_time() -> None:
    frame = track()
    frame.loc[1, "time"] = pd.NaT
    for given in (frame, pa.table(frame), pl.from_pandas(frame), frame.astype({"time": object})):
        with pytest.raises(ValueError, match="^row 1 .from 0. of the column time has no time"):
            plumb.events(given, fences(name=["z"]))
    for time in (pd.NaT, None, np.datetime64("NaT"), float("nan"), pd.NA):
        feed = [{"x": 0.5, "y": 0.5, "time": 0}, {"x": 0.5, "y": 0.5, "time": time}]
        with pytest.raises(ValueError, match="^location 1 .from 0. has no time") as caught:
            list(plumb.monitor(feed, fences(name=["z"])))
        assert isinstance(caught.value, plumb.PlumbError)


def test_decimals_and_data_arrays_are_coordinates() -> None:
    xarray = pytest.importorskip("xarray")
    x = [Decimal("18.600"), Decimal("18.450")]
    y = [Decimal("-34.100"), Decimal("-34.050")]
    tables = [
        pd.DataFrame({"x": x, "y": y}),
        pl.DataFrame({"x": pl.Series(x, dtype=pl.Decimal(10, 3)), "y": [float(one) for one in y]}),
        *(pa.table({"x": pa.array(x, kind), "y": pa.array(y, kind)})
          for kind in (pa.decimal128(10, 3), pa.decimal128(38, 20), pa.decimal256(50, 30))),
    ]  # fmt: skip
    for table in tables:
        assert list(map(int, plumb.sample("rasters/dem", table, crs=4326)["dem"].to_numpy())) == [
            29, 80
        ]  # fmt: skip
    assert plumb.sample("rasters/dem", x, y, crs=4326)["dem"].tolist() == [29, 80]
    first, second = (xarray.DataArray([float(one) for one in v], dims="p") for v in (x, y))
    assert plumb.sample("rasters/dem", first, second, crs=4326)["dem"].tolist() == [29, 80]
    assert plumb.sample("rasters/dem", x=first, y=second, crs=4326)["dem"].tolist() == [29, 80]
    named = first.assign_coords(p=["a", "b"]), second.assign_coords(p=["b", "a"])
    with pytest.raises(ValueError, match="index"):
        plumb.sample("rasters/dem", *named, crs=4326)


def test_decimals_are_rounded_once() -> None:
    from plumb_gis._arrow import Table

    values = [Decimal("0.1"), Decimal("123456789012345678.9"), Decimal("-9007199254740993"), None]
    for kind in (pa.decimal128(38, 4), pa.decimal256(60, 30)):
        table = Table(pa.table({"v": pa.array(values, kind)}))
        found = table.column(0).doubles("v")
        expected = [float("nan") if one is None else float(one) for one in values]
        np.testing.assert_array_equal(found, expected)


def latin(*texts: str) -> pa.Array:
    """Latin-1 text in an Arrow UTF-8 column, which is invalid."""
    data = [text.encode("latin-1") for text in texts]
    return pa.Array.from_buffers(
        pa.binary(), len(data), pa.array(data, pa.binary()).buffers()
    ).view(pa.utf8())


@pytest.mark.parametrize("wide", [False, True])
def test_text_that_is_not_utf8_names_its_row(wide: bool) -> None:
    times = pa.array([0, 1, 2], pa.timestamp("ms"))
    names = pa.chunked_array([latin("a"), latin("b", "Z\xfcrich")])
    if wide:
        names = names.cast(pa.binary()).cast(pa.large_binary()).combine_chunks().view(pa.large_utf8())
    table = pa.table({"id": names, "time": times, "lon": [0.5] * 3, "lat": [0.5] * 3})
    with pytest.raises(plumb.PlumbError, match=r"the column id, row 2 \(from 0\).*not UTF-8"):
        list(plumb.monitor(table, fences(name=["z"])))
    half = track(id=pd.Series(["a", "b\udcfc"], dtype=object))
    with pytest.raises(plumb.PlumbError, match=r"the column id, row 1 \(from 0\).*not UTF-8"):
        list(plumb.monitor(half, fences(name=["z"])))
