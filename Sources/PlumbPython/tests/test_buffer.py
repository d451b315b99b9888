"""Buffers: the command's areas, in the frame that came in."""

from __future__ import annotations

import json
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pytest
import shapely
from conftest import Command

import plumb

CLINICS = "rasters/clinics.geojson"


def told(command: Command, *arguments: str) -> list[Any]:
    features = json.loads(command("buffer", *arguments))["features"]
    return [
        None if one["geometry"] is None else shapely.from_geojson(json.dumps(one["geometry"]))
        for one in features
    ]


def same(told: list[Any], areas: Any) -> None:
    assert len(told) == len(areas)
    for one, other in zip(told, areas):
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
    same(told(command, path, "--distance", str(distance), *flags), out.geometry)
    assert out.crs == frame.crs


def test_column_of_distances(command: Command) -> None:
    frame = gpd.read_file(CLINICS)
    areas = told(command, CLINICS, "--distance-field", "BEDS", "--unit", "ft", "--geodesic")
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


def test_missing_shapes_stay_rows() -> None:
    frame = gpd.GeoDataFrame(geometry=[shapely.Point(18.4, -33.9), None, shapely.Point()], crs=4326)
    with pytest.warns(plumb.PlumbWarning, match="features 2, 3"):
        out = plumb.buffer(frame, 1, unit="km", geodesic=True)
    assert out.geometry.isna().tolist() == [False, True, True]
    assert len(plumb.buffer(frame.iloc[:0], 1, unit="km", geodesic=True)) == 0


def test_out_crs() -> None:
    frame = gpd.read_file(CLINICS)
    out = plumb.buffer(frame, 1, unit="km", geodesic=True, out_crs="EPSG:32734")
    assert out.crs == "EPSG:32734"
    assert (out.area / 1e6).between(3.1, 3.2).all()


def test_arguments() -> None:
    frame = gpd.read_file(CLINICS)
    for call, words in (
        (lambda: plumb.buffer(frame, [1, 2]), "2 distances and 29 shapes"),
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
