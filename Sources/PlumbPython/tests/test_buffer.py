"""Buffers equal the command's areas, in the frame of the input."""

from __future__ import annotations

import json
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pytest
import shapely
from conftest import Command

import plumb_gis as plumb

CLINICS = "rasters/clinics.geojson"


def seen(command: Command, *arguments: str) -> list[Any]:
    features = json.loads(command("buffer", *arguments))["features"]
    return [
        None if one["geometry"] is None else shapely.from_geojson(json.dumps(one["geometry"]))
        for one in features
    ]


def same(seen: list[Any], areas: Any) -> None:
    assert len(seen) == len(areas)
    for one, other in zip(seen, areas):
        assert (one is None) == (other is None)
        if one is not None:
            assert (
                shapely.get_coordinates(one).tobytes() == shapely.get_coordinates(other).tobytes()
            )


@pytest.mark.parametrize(
    ("asked", "flags"),
    [
        ({"unit": "km", "geodesic": True}, ["--unit", "km", "--geodesic"]),
        (
            {"unit": "km", "geodesic": True, "union": True},
            ["--unit", "km", "--geodesic", "--union"],
        ),
        ({"geodesic": True, "max_deviation": 1.0, "unit": "mi"},
         ["--geodesic", "--max-deviation", "1", "--unit", "mi"]),
        ({"unit": "deg"}, ["--unit", "deg"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", [CLINICS, "rasters/rivers.geojson", "rasters/wards.geojson"])
def test_equals_the_command(
    command: Command, path: str, asked: dict[str, Any], flags: list[str]
) -> None:
    distance = 0.01 if asked["unit"] == "deg" else 2
    frame = gpd.read_file(path)
    out = plumb.buffer(frame, distance, **asked)
    same(seen(command, path, "--distance", str(distance), *flags), out.geometry)
    assert out.crs == frame.crs


def test_column_of_distances(command: Command) -> None:
    frame = gpd.read_file(CLINICS)
    areas = seen(command, CLINICS, "--distance-field", "BEDS", "--unit", "ft", "--geodesic")
    same(areas, plumb.buffer(frame, "BEDS", unit="ft", geodesic=True).geometry)
    same(areas, plumb.buffer(frame, frame["BEDS"], unit="ft", geodesic=True).geometry)


def test_frame_keeps_all() -> None:
    frame = gpd.read_file(CLINICS).set_index("NAME")
    before = frame.copy()
    out = plumb.buffer(frame, 2, unit="km", geodesic=True)
    assert out.index.equals(frame.index) and list(out.columns) == list(frame.columns)
    assert out.geometry.geom_type.unique().tolist() == ["Polygon"]
    assert frame.equals(before)
    one = plumb.buffer(frame, 2, unit="km", geodesic=True, union=True)
    assert len(one) == 1 and one.crs == frame.crs


def test_series_and_shapes() -> None:
    frame = gpd.read_file(CLINICS)
    areas = plumb.buffer(frame, 1, unit="km", geodesic=True).geometry
    series = plumb.buffer(frame.geometry, 1, unit="km", geodesic=True)
    assert isinstance(series, gpd.GeoSeries) and series.geom_equals_exact(areas, 0).all()
    plain = plumb.buffer(list(frame.geometry), 1, unit="km", geodesic=True, crs=4326)
    same(list(areas), list(plain))
    one = plumb.buffer(frame.geometry[0], 1, unit="km", geodesic=True, crs=4326)
    assert one.equals_exact(areas[0], 0)


def test_arrow() -> None:
    frame = gpd.read_file(CLINICS)
    table = pa.table(frame.to_arrow(geometry_encoding="WKB"))
    out = plumb.buffer(table, 1, unit="km", geodesic=True)
    assert out.schema.names == table.schema.names
    areas = shapely.from_wkb(out["geometry"].to_pylist())
    same(list(plumb.buffer(frame, 1, unit="km", geodesic=True).geometry), areas)


def test_shapes_and_tables_give_the_same_areas() -> None:
    ring = [(0, 0), (9, 0), (9, 9), (0, 9), (1, 1)]
    shapes = [
        shapely.LineString([(0, 0), (40, 3), (41, 90)]),
        shapely.LineString(ring),
        None,
        shapely.MultiPoint([(0, 0), (50, 0), (100, 0)]),
        shapely.Polygon(ring),
        shapely.MultiLineString([ring, [(90, 90), (99, 90)]]),
        shapely.LineString(),
    ]
    distances = [5.0, 1, 1, 3, -20, 1, 1]
    table = pa.table({"geometry": shapely.to_wkb(np.array(shapes, dtype=object))})
    with pytest.warns(plumb.PlumbWarning):
        areas = plumb.buffer(np.array(shapes, dtype=object), distances)
        written = plumb.buffer(table, distances, geometry="geometry")["geometry"].to_pylist()
    assert shapely.to_wkb(areas).tolist() == written
    kinds = [None if one is None else one.geom_type for one in areas]
    assert kinds == ["Polygon", "Polygon", None, "MultiPolygon", None, "MultiPolygon", None]
    assert len(areas[1].interiors) == 1
    for some in ([], [0], [1, 3]):
        again = plumb.buffer(areas[some], 0)
        assert shapely.to_wkb(again).tolist() == [written[row] for row in some]


def test_missing_shapes_stay_rows() -> None:
    frame = gpd.GeoDataFrame(geometry=[shapely.Point(18.4, -33.9), None, shapely.Point()], crs=4326)
    with pytest.warns(plumb.PlumbWarning, match="features 1, 2"):
        out = plumb.buffer(frame, 1, unit="km", geodesic=True)
    assert out.geometry.isna().tolist() == [False, True, True]
    assert len(plumb.buffer(frame.iloc[:0], 1, unit="km", geodesic=True)) == 0


def test_last_distance_serves_for_all_that_follow() -> None:
    shapes = gpd.GeoSeries(gpd.points_from_xy([0, 10, 20], [0, 0, 0]), crs=32634)
    few = plumb.buffer(shapes, [1, 2])
    assert few.geom_equals(plumb.buffer(shapes, [1, 2, 2])).all()


def test_out_crs() -> None:
    frame = gpd.read_file(CLINICS)
    out = plumb.buffer(frame, 1, unit="km", geodesic=True, out_crs="EPSG:32734")
    assert out.crs == "EPSG:32734"
    assert (out.area / 1e6).between(3.1, 3.2).all()


def test_arguments() -> None:
    frame = gpd.read_file(CLINICS)
    for call, words in (
        (lambda: plumb.buffer(frame, [1] * 30), "30 distances and 29 shapes"),
        (lambda: plumb.buffer(frame, []), "0 distances and 29 shapes"),
        (lambda: plumb.buffer(frame, np.nan), "distance 0"),
        (lambda: plumb.buffer(frame, "WIDTH"), "WIDTH"),
        (lambda: plumb.buffer(frame, "NAME"), "NAME"),
        (lambda: plumb.buffer(frame, True), "distance is a bool"),
        (lambda: plumb.buffer(frame, 1, unit="league"), "league"),
        (lambda: plumb.buffer(frame, 1, crs=32734), "the frame is in EPSG:4326"),
        (lambda: plumb.buffer(frame.drop(columns="geometry"), 1), "GeoDataFrame"),
        (lambda: plumb.buffer([1, 2], 1), "geometries"),
        (lambda: plumb.buffer(3, 1), "type int"),
    ):
        with pytest.raises(plumb.PlumbError, match=words):
            call()


def covered(folder: Any, kind: str = "float64") -> Any:
    """A GeoParquet table with a column of extents, with fields of a given type."""
    import pyarrow.parquet as pq

    frame = gpd.GeoDataFrame(
        {"n": [1, 2, 3]}, crs=32634,
        geometry=[*gpd.points_from_xy([305000, 306000], [6295000, 6294000]), None],
    )  # fmt: skip
    frame.to_parquet(folder / "w.parquet", write_covering_bbox=True)
    table = pq.read_table(folder / "w.parquet")
    at = table.schema.names.index("bbox")
    fields = [pa.field(name, pa.type_for_alias(kind)) for name in ("xmin", "ymin", "xmax", "ymax")]
    return table.set_column(at, "bbox", table["bbox"].cast(pa.struct(fields)))


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")
def test_extents_of_geoparquet_are_those_of_the_areas(tmp_path: Any, kind: str) -> None:
    import pyarrow.parquet as pq

    out = plumb.buffer(covered(tmp_path, kind), 500)
    about = json.loads(out.schema.metadata[b"geo"])["columns"]["geometry"]
    areas = shapely.from_wkb(out["geometry"].to_pylist())
    assert about["geometry_types"] == ["Polygon"]
    assert about["bbox"] == [*shapely.total_bounds(areas[:2])]
    boxes = out["bbox"].to_pylist()
    assert boxes[2] is None
    for area, box in zip(areas[:2], boxes):
        least_x, least_y, most_x, most_y = area.bounds
        assert box["xmin"] <= least_x < box["xmin"] + 1 and box["ymin"] <= least_y
        assert box["xmax"] >= most_x > box["xmax"] - 1 and box["ymax"] >= most_y
    assert out.schema.field("bbox").type.field("xmin").type == kind
    pq.write_table(out, tmp_path / "out.parquet")
    window = (305400, 6294990, 305450, 6295010)
    found = gpd.read_parquet(tmp_path / "out.parquet", bbox=window)
    assert len(found) == 1 and found.intersects(shapely.box(*window)).all()
    one = plumb.buffer(covered(tmp_path, kind), 500, union=True)
    geo = json.loads(one.schema.metadata[b"geo"])
    assert one.schema.names == ["geometry"] and list(geo["columns"]) == ["geometry"]
    assert "covering" not in geo["columns"]["geometry"]
    pq.write_table(one, tmp_path / "one.parquet")
    assert len(gpd.read_parquet(tmp_path / "one.parquet")) == 1


def test_every_table_of_wkb() -> None:
    import polars as pl

    wkb = list(shapely.to_wkb([shapely.Point(0, 0), None, shapely.LineString([(0, 0), (5, 5)])]))
    table = pa.table({"n": [1, 2, 3], "geometry": pa.array(wkb, pa.binary()), "d": [1.0, 2.0, 3.0]})
    expected = plumb.buffer(table, "d")
    assert expected["geometry"].null_count == 1
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert plumb.buffer(reader, "d") == expected
    assert plumb.buffer(table.to_batches()[0], "d") == expected
    frame = pl.DataFrame({"n": [1, 2, 3], "geometry": wkb, "d": [1.0, 2.0, 3.0]})
    out = plumb.buffer(frame, "d")
    assert isinstance(out, pl.DataFrame) and out.columns == frame.columns
    assert out["geometry"].to_list() == expected["geometry"].to_pylist()
    assert len(plumb.buffer(frame, 5, union=True)) == 1
    for kind in (pa.large_binary(), pa.binary_view()):
        at = table.set_column(1, "geometry", table["geometry"].cast(kind))
        assert plumb.buffer(at, "d")["geometry"].to_pylist() == out["geometry"].to_list()


def test_several_columns_of_geometries() -> None:
    wkb = pa.array(list(shapely.to_wkb([shapely.Point(18.6, -34.1)])))
    meta = {"ARROW:extension:name": "geoarrow.wkb"}
    schema = pa.schema([pa.field(name, pa.binary(), metadata=meta) for name in ("a", "b")])
    table = pa.table([wkb, wkb], schema=schema)
    for call in (lambda: plumb.buffer(table, 1), lambda: plumb.sample("rasters/dem", table)):
        with pytest.raises(ValueError, match="several columns of geometries: name one of a, b"):
            call()
    assert plumb.sample("rasters/dem", table, geometry="b", crs=4326)["dem"].to_pylist() == [29]


def srids(*numbers: int) -> list[Any]:
    return [shapely.set_srid(shapely.Point(305000, 6295000), number) for number in numbers]


def test_references_of_the_shapes_themselves_count(tmp_path: Any) -> None:
    import pandas as pd
    import polars as pl
    from conftest import write_raster
    from rasterio.transform import from_origin

    path = write_raster(
        tmp_path / "u.tif",
        7,
        crs="EPSG:32634",
        transform=from_origin(300000, 6300000, 10000, 10000),
    )

    def ways(shapes: list[Any]) -> list[Any]:
        wkb = list(shapely.to_wkb(shapes, include_srid=True))
        big = list(shapely.to_wkb(shapes, include_srid=True, byte_order=0))
        series = pd.Series(shapes, dtype=object)
        return [
            pa.table({"geometry": wkb}), pa.table({"geometry": pa.array(big, pa.large_binary())}),
            pa.table({"geometry": pa.array(wkb, pa.binary_view())}),
            pl.DataFrame({"geometry": wkb}), pd.DataFrame({"geometry": wkb}),
            pd.DataFrame({"geometry": series}), np.array(shapes, dtype=object), shapes,
        ]  # fmt: skip

    def status(points: Any, **asked: Any) -> list[Any]:
        is_frame = isinstance(points, pd.DataFrame)
        named = {"geometry": "geometry"} if is_frame else {}
        out = plumb.sample(path, points, status=True, **named, **asked)
        found = out.status("u") if isinstance(points, (list, np.ndarray)) else out["u_status"]
        return list(getattr(found, "to_pylist", lambda: found)())

    for given, expected in ((32634, "ok"), (32633, "outside")):
        for points in ways(srids(given, given)):
            assert status(points) == [expected] * 2
    for points in ways(srids(32633)):
        with pytest.raises(ValueError, match="crs is EPSG:32634") as caught:
            status(points, crs=32634)
        assert caught.value.code == "crs_mismatch"
    for mixed in (srids(32634, 32633), srids(32634, 0)):
        for points in ways(mixed):
            with pytest.raises(ValueError, match="several CRSs: EPSG:32634 in row 0"):
                status(points)
    table = ways(srids(32634))[0]
    areas = shapely.from_wkb(plumb.buffer(table, 1, unit="km")["geometry"].to_pylist())
    assert shapely.get_srid(areas).tolist() == [32634]
    assert shapely.get_srid(plumb.buffer(srids(32634), 1, unit="km")).tolist() == [32634]
    with pytest.raises(ValueError, match="several CRSs"):
        plumb.buffer(srids(32634, 32633), 1)
