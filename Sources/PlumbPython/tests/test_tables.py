"""Each kind of table has results of the same kind."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from conftest import EVI, STACK, around

import plumb_gis as plumb

X = [18.4512, 18.6512, 2.35, 18.6012]
Y = [-34.0512, -34.2512, 48.86, -34.1012]
DEM_VALUES = [80, 0, None, 29]
EVI_VALUES = [4448, None, None, 1840]
TWO = {"evi": EVI, "dem": "rasters/dem"}


def points() -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(
        {"name": list("abcd"), "n": [1, 2, 3, 4]}, geometry=gpd.points_from_xy(X, Y),
        crs="EPSG:4326", index=[10, 7, 7, -1],
    )  # fmt: skip


def test_geodataframe_keeps_all() -> None:
    frame = points()
    before = frame.copy()
    out = plumb.sample(TWO, frame, status=True)
    assert isinstance(out, gpd.GeoDataFrame) and out.crs == frame.crs
    assert out.index.equals(frame.index)
    assert list(out.columns) == ["name", "n", "geometry", "evi", "evi_status", "dem", "dem_status"]
    assert out["evi"].dtype == pd.Int16Dtype() and out["dem"].dtype == pd.Int16Dtype()
    assert [None if pd.isna(v) else v for v in out["evi"]] == EVI_VALUES
    assert out["evi_status"].tolist() == ["ok", "nodata", "outside", "ok"]
    pd.testing.assert_frame_equal(pd.DataFrame(frame), pd.DataFrame(before))


def test_integers_are_nullable_even_without_nulls() -> None:
    out = plumb.sample("rasters/dem", points().iloc[:2])
    assert out["dem"].dtype == pd.Int16Dtype() and not out["dem"].isna().any()


def test_floats_stay_floats() -> None:
    out = plumb.sample({"ndvi": STACK["ndvi"]}, points())
    assert out["ndvi"].dtype == np.float32 and out["ndvi"].isna().tolist() == [
        False, *out["ndvi"].isna().tolist()[1:]
    ]  # fmt: skip


def test_frame_in_another_reference() -> None:
    out = plumb.sample(TWO, points().iloc[[0, 1, 3]].to_crs(32734))
    assert [None if pd.isna(v) else v for v in out["dem"]] == [80, 0, 29]


def test_geometries_that_are_no_points() -> None:
    frame = gpd.GeoDataFrame(
        geometry=[shapely.Point(18.6, -34.1), None, shapely.Point(),
                  shapely.LineString([(18, -34), (19, -33)])], crs=4326,
    )  # fmt: skip
    out = plumb.sample("rasters/dem", frame, status=True)
    assert out["dem_status"].tolist() == ["ok", "bad_point", "bad_point", "bad_point"]


def test_series_and_shapes() -> None:
    for given in (points().geometry, points().geometry.array, list(points().geometry)):
        kind = {} if isinstance(given, gpd.GeoSeries) else {"crs": 4326}
        assert plumb.sample(TWO, given, **kind)["dem"].tolist() == DEM_VALUES
    assert plumb.sample(TWO, shapely.Point(18.6, -34.1), crs=4326)["dem"].tolist() == [29]


def test_plain_frame_by_names() -> None:
    for names in (("lon", "lat"), ("Longitude", "LATITUDE"), ("easting_", "northing_")):
        frame = pd.DataFrame({names[0]: X, names[1]: Y}, index=list("wxyz"))
        named = {} if names[0][-1] != "_" else {"x": names[0], "y": names[1], "crs": 4326}
        out = plumb.sample(TWO, frame, **named)
        assert type(out) is pd.DataFrame and out.index.equals(frame.index)
        assert [None if pd.isna(v) else v for v in out["dem"]] == DEM_VALUES


def test_wkb_column_of_a_plain_frame() -> None:
    frame = pd.DataFrame({"where": points().geometry.to_wkb()})
    out = plumb.sample(TWO, frame, geometry="where", crs=4326)
    assert [None if pd.isna(v) else v for v in out["dem"]] == DEM_VALUES


def table() -> pa.Table:
    return pa.table(
        {"name": list("abcd"), "lon": pa.chunked_array([X[:1], X[1:]]), "lat": Y},
        metadata={"made": "here"},
    )


def test_pyarrow_table() -> None:
    out = plumb.sample(TWO, table(), status=True)
    assert isinstance(out, pa.Table)
    assert out.schema.names == ["name", "lon", "lat", "evi", "evi_status", "dem", "dem_status"]
    assert out.schema.metadata == {b"made": b"here"}
    assert out["evi"].type == pa.int16() and out["evi"].to_pylist() == EVI_VALUES
    assert out["dem_status"].to_pylist() == ["ok", "ok", "outside", "ok"]
    out.validate(full=True)


def test_pyarrow_batch_and_slices() -> None:
    batch = table().combine_chunks().to_batches()[0]
    out = plumb.sample(TWO, batch)
    assert isinstance(out, pa.RecordBatch) and out["dem"].to_pylist() == DEM_VALUES
    assert plumb.sample(TWO, batch.slice(1, 2))["dem"].to_pylist() == DEM_VALUES[1:3]
    assert plumb.sample(TWO, table().slice(2))["dem"].to_pylist() == DEM_VALUES[2:]
    none = plumb.sample(TWO, table().slice(4))
    assert none.num_rows == 0 and none["evi"].type == pa.int16()


def test_nulls_in_arrow_are_bad_points() -> None:
    given = pa.table({"x": [18.6, None, 18.6], "y": pa.array([-34.1, 1, None], pa.float32())})
    out = plumb.sample("rasters/dem", given, status=True, crs=4326)
    assert out["dem_status"].to_pylist() == ["ok", "bad_point", "bad_point"]


def test_polars() -> None:
    frame = pl.from_arrow(table())
    out = plumb.sample(TWO, frame)
    assert isinstance(out, pl.DataFrame) and out.columns == ["name", "lon", "lat", "evi", "dem"]
    assert out["evi"].dtype == pl.Int16 and out["evi"].to_list() == EVI_VALUES
    result = plumb.sample(TWO, frame["lon"], frame["lat"], crs=4326)
    assert result["dem"].tolist() == DEM_VALUES
    frame = pl.DataFrame({"geometry": list(points().geometry.to_wkb()), "k": ["a longer text"] * 4})
    assert plumb.sample(TWO, frame, crs=4326)["dem"].to_list() == DEM_VALUES


class Stream:
    """An object that exports Arrow but does not belong to a known library."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


def test_streams_in_and_out() -> None:
    given = table().append_column("tags", [[["p"], [], None, ["q", "r"]]])
    out = plumb.sample(TWO, Stream(given), status=True)
    assert len(out) == 4 and out.columns[-1] == "dem_status"
    for _ in range(2):
        back = pa.table(out)
        back.validate(full=True)
        assert back.select(given.schema.names).to_pydict() == given.to_pydict()
        assert back["evi"].to_pylist() == EVI_VALUES
    assert pl.DataFrame(out)["dem"].to_list() == DEM_VALUES


def test_result_is_a_stream() -> None:
    result = plumb.sample(STACK, X, Y, crs=4326)
    back = pa.table(result)
    back.validate(full=True)
    assert back.schema.types == [pa.int16(), pa.int16(), pa.uint8(), pa.float32()]
    assert back["dem"].to_pylist() == DEM_VALUES
    assert pl.DataFrame(result)["dem"].to_list() == DEM_VALUES
    assert result.to_arrow() == back
    frame = result.to_pandas()
    assert frame["evi"].dtype == pd.Int16Dtype()


@pytest.mark.parametrize("encoding", ["WKB", "geoarrow"])
@pytest.mark.parametrize("interleaved", [True, False])
def test_geoarrow(encoding: str, interleaved: bool) -> None:
    given = pa.table(points().to_arrow(geometry_encoding=encoding, interleaved=interleaved))
    out = plumb.sample(TWO, given)
    assert out["dem"].to_pylist() == DEM_VALUES
    with pytest.raises(plumb.PlumbError) as caught:
        plumb.sample(TWO, given, crs="EPSG:32734")
    assert caught.value.code == "crs_mismatch"
    # The CRS in the column's metadata is used.
    given = pa.table(points().iloc[[0, 1, 3]].to_crs(32734).to_arrow(
        geometry_encoding=encoding, interleaved=interleaved))  # fmt: skip
    assert plumb.sample(TWO, given)["dem"].to_pylist() == [80, 0, 29]


def test_geoparquet(tmp_path: Any) -> None:
    import pyarrow.parquet as pq

    points().to_parquet(tmp_path / "points.parquet")
    out = plumb.sample(TWO, pq.read_table(tmp_path / "points.parquet"))
    assert out["dem"].to_pylist() == DEM_VALUES


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("flavor", ["iso", "extended"])
def test_wkb_of_all_kinds(order: str, flavor: str) -> None:
    shapes = [shapely.Point(18.6, -34.1), shapely.Point(18.45, -34.05, 3), None,
              shapely.MultiPoint([(1, 2)]), shapely.Point(18.65, -34.25)]  # fmt: skip
    wkb = [
        one if one is None else shapely.to_wkb(
            shapely.set_srid(one, 4326), byte_order=int(order == "<"), flavor=flavor,
            include_srid=flavor == "extended")
        for one in shapes
    ]  # fmt: skip
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        given = pa.table({"geom": pa.array(wkb, kind)})
        out = plumb.sample("rasters/dem", given, crs=4326)
        assert out["dem"].to_pylist() == [29, 80, None, None, 0]


def test_provenance_columns() -> None:
    out = plumb.sample(TWO, points(), provenance=True)
    assert out["dem_row"].dtype == pd.Int32Dtype()
    assert out["dem_file"].tolist()[0].endswith("S35E018.tif") and out["dem_file"].isna()[7].iloc[1]
    arrow = plumb.sample(TWO, table(), provenance=True)
    assert arrow["dem_row"].to_pylist()[2] is None and arrow["dem_row"].type == pa.int32()


@pytest.mark.parametrize("seed", range(3))
def test_all_ways_agree(seed: int) -> None:
    x, y = around(500, seed)
    x[~np.isfinite(x)] = np.nan
    y[~np.isfinite(y)] = np.nan
    result = plumb.sample(STACK, x, y, crs=4326)
    plain = pa.table({"x": x, "y": y})
    ways = [
        plumb.sample(STACK, plain, crs=4326),
        plumb.sample(STACK, pl.DataFrame({"x": x, "y": y}), crs=4326).to_arrow(),
        pa.table(plumb.sample(STACK, Stream(plain), crs=4326)),
        pa.table(plumb.sample(STACK, pd.DataFrame({"x": x, "y": y}), crs=4326)),
    ]
    for way in ways:
        for name in STACK:
            assert way[name].to_pylist() == result[name].tolist()
