"""Statistics of areas equal the command's, in the frame of the input."""

from __future__ import annotations

import csv
import io
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import shapely
from conftest import Command

import plumb_gis as plumb

WARDS = "rasters/wards.geojson"
EVI = "rasters/evi_cape_town.tif"


def seen(command: Command, *arguments: str) -> list[dict[str, str]]:
    text = command("zonal", f"evi={EVI}", "--areas", WARDS, *arguments)
    return list(csv.DictReader(io.StringIO(text)))


def same(rows: list[dict[str, str]], frame: pd.DataFrame) -> None:
    """Compares the columns of a frame with those of the command."""
    names = [name for name in frame.columns if name.startswith("evi_")]
    assert len(rows) == len(frame) and names
    for name in names:
        for row, value in zip(rows, frame[name].tolist()):
            if isinstance(value, str):
                assert row[name] == value
            elif row[name] == "":
                assert pd.isna(value)
            else:
                assert float(row[name]) == float(value)


@pytest.mark.parametrize(
    ("asked", "flags"),
    [
        ({}, []),
        ({"stat": ["mean", "quantile:0.9"]}, ["--stat", "mean,quantile:0.9"]),
        ({"stat": "count,area", "cells": "center"}, ["--stat", "count,area", "--cells", "center"]),
        (
            {"stat": "count", "coverage_threshold": 0.5},
            ["--stat", "count", "--coverage-threshold", "0.5"],
        ),
        (
            {"stat": "weighted_mean", "weights": EVI},
            ["--stat", "weighted_mean", "--weights", EVI],
        ),
        (
            {"stat": "weighted_sum", "weights": "area", "scaled": True},
            ["--stat", "weighted_sum", "--weights", "area", "--scaled"],
        ),
    ],
)
def test_frames(command: Command, asked: dict[str, Any], flags: list[str]) -> None:
    wards = gpd.read_file(WARDS)
    wards.index = pd.Index(range(100, 100 + len(wards)))
    frame = plumb.zonal(wards, {"evi": EVI}, **asked)
    assert isinstance(frame, gpd.GeoDataFrame) and frame.crs == wards.crs
    assert list(frame.columns[: len(wards.columns)]) == list(wards.columns)
    assert frame.index.equals(wards.index)
    same(seen(command, *flags), frame)


def test_tables() -> None:
    wards = gpd.read_file(WARDS)
    wanted = plumb.zonal(wards, {"evi": EVI}, ["mean", "min"])["evi_mean"].tolist()
    table = pa.table({"ward": wards.WARD.tolist(), "geometry": wards.geometry.to_wkb().tolist()})
    found = plumb.zonal(table, {"evi": EVI}, "mean,min", crs=4326, geometry="geometry")
    assert isinstance(found, pa.Table) and found["evi_mean"].to_pylist() == wanted
    assert pa.types.is_integer(found.schema.field("evi_min").type)
    frame = plumb.zonal(pl.DataFrame(table), {"evi": EVI}, "mean", crs=4326, geometry="geometry")
    assert isinstance(frame, pl.DataFrame) and frame["evi_mean"].to_list() == wanted
    series = plumb.zonal(wards.geometry, {"evi": EVI}, "mean")
    assert series["evi_mean"].tolist() == wanted and series.index.equals(wards.index)
    shapes = plumb.zonal(wards.geometry.tolist(), {"evi": EVI}, "mean", crs="EPSG:4326")
    assert shapes["evi_mean"].tolist() == wanted


def test_long_and_classes(command: Command) -> None:
    wards = gpd.read_file(WARDS)
    frame = plumb.zonal(wards, {"evi": EVI}, "mean,max", long=True)
    rows = seen(command, "--stat", "mean,max", "--long")
    assert [float(row["value"]) for row in rows] == frame["value"].tolist()
    assert [row["NAME"] for row in rows] == frame["NAME"].tolist()
    classes = plumb.zonal(wards.head(3), {"evi": EVI}, classes=True)
    known = [row for row in seen(command, "--classes") if int(row["WARD"]) <= 3]
    assert [float(row["area"]) for row in known] == classes["area"].tolist()


def test_groups(command: Command) -> None:
    wards = gpd.read_file(WARDS)
    wards["side"] = ["east" if ward % 3 else None for ward in wards.WARD]
    frame = plumb.zonal(wards, {"evi": EVI}, "count,max", by="side")
    assert list(frame.columns) == [
        "side", "evi_count", "evi_max", "evi_status", "evi_valid_fraction",
    ]  # fmt: skip
    assert frame["side"].tolist()[0] == "east" and pd.isna(frame["side"].tolist()[1])
    whole = plumb.zonal(wards, {"evi": EVI}, "max")
    east = whole[whole.side == "east"]["evi_max"].max()
    assert frame["evi_max"].tolist()[0] == east


def test_lists_and_nulls() -> None:
    far = shapely.box(100, 10, 101, 11)
    near = shapely.box(18.4, -34, 18.45, -33.95)
    frame = plumb.zonal([near, far], {"evi": EVI}, "values,coverages,min", crs=4326)
    values, coverages = frame["evi_values"], frame["evi_coverages"]
    assert isinstance(values[0], np.ndarray) and len(values[0]) == len(coverages[0]) > 10
    assert values[0].min() == frame["evi_min"][0]
    assert len(values[1]) == 0 and pd.isna(frame["evi_min"][1])
    assert frame["evi_status"].tolist()[1] == "outside"


def test_discs(command: Command) -> None:
    points = gpd.read_file("rasters/clinics.geojson")
    frame = plumb.zonal(points, {"evi": EVI}, "count,mean", radius="700m")
    text = command(
        "zonal", f"evi={EVI}", "--points", "rasters/clinics.geojson", "--radius", "700m",
        "--stat", "count,mean",
    )  # fmt: skip
    same(list(csv.DictReader(io.StringIO(text))), frame)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"stat": "nope"}, "unknown statistic nope"),
        ({"stat": [1]}, "names of statistics"),
        ({"cells": "none"}, "cells"),
        ({"by": "NOPE"}, "NOPE"),
        ({"stat": "weighted_mean"}, "weights"),
        ({"radius": "5px"}, "radius"),
        ({"coverage_threshold": 2}, "coverage_threshold"),
        ({"classes": True, "long": True}, "classes"),
        ({"weights": "nothing.tif", "stat": "weighted_mean"}, "nothing.tif"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], text: str) -> None:
    wards = gpd.read_file(WARDS)
    with pytest.raises((plumb.PlumbError, TypeError), match=text):
        plumb.zonal(wards, {"evi": EVI}, **asked)


def test_columns_are_not_replaced() -> None:
    wards = gpd.read_file(WARDS).rename(columns={"POP": "evi_mean"})
    with pytest.raises(plumb.PlumbError, match="evi_mean"):
        plumb.zonal(wards, {"evi": EVI}, "mean")
