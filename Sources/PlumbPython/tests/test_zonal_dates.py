"""Statistics of areas for each date equal those of the single files."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import plumb_gis as plumb
import pytest
import rasterio
import shapely
from conftest import Command

CRS = "EPSG:32734"
TRANSFORM = rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)


@pytest.fixture
def stack(tmp_path: Path) -> tuple[Path, list[str]]:
    random = np.random.default_rng(6)
    (tmp_path / "evi").mkdir()
    days = []
    for index in range(6):
        day = dt.date(2025, 1, 1) + dt.timedelta(days=16 * index)
        days.append(day.isoformat())
        with rasterio.open(
                tmp_path / "evi" / f"evi_{day:%Y%j}.tif", "w", driver="GTiff", height=40, width=30,
                count=1, dtype="int16", crs=CRS, transform=TRANSFORM, nodata=-1) as target:
            target.write(random.integers(-1, 9, (40, 30)).astype("int16"), 1)
    return tmp_path, days


def areas() -> Any:
    random = np.random.default_rng(7)
    shapes = [shapely.Point(x, y).buffer(r) for x, y, r in zip(
        random.uniform(300_000, 303_000, 20), random.uniform(6_236_000, 6_240_000, 20),
        random.uniform(50, 800, 20))]
    return gpd.GeoDataFrame({"id": range(20)}, geometry=shapes, crs=CRS)


def read(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def test_each_date_has_its_columns(command: Command, stack: Any) -> None:
    folder, days = stack
    table = folder / "areas.gpkg"
    areas().to_file(table)
    given = ["--areas", str(table), "--stat", "mean,median,count", "--of", "csv"]
    wide = read(command("zonal", f"evi={folder}/evi/*.tif", "--dates", "evi_%Y%j", *given))
    for day in days:
        name = dt.date.fromisoformat(day).strftime("evi_%Y%j.tif")
        single = read(command("zonal", f"evi={folder}/evi/{name}", *given))
        for stat in ("mean", "median", "count", "status", "valid_fraction"):
            assert wide[f"evi_{day}_{stat}"].tolist() == single[f"evi_{stat}"].tolist()
    long = read(command("zonal", f"evi={folder}/evi/*.tif", "--dates", "evi_%Y%j", *given, "--long",
                        "--from", days[1], "--to", days[3]))
    assert long.columns.tolist()[-6:] == ["raster", "band", "date", "stat", "value", "status"]
    assert long["date"].unique().tolist() == days[1:4] and set(long["raster"]) == {"evi"}
    part = long[(long["date"] == days[2]) & (long["stat"] == "median")]
    assert part["value"].tolist() == wide[f"evi_{days[2]}_median"].tolist()
    classes = read(command("zonal", f"evi={folder}/evi/*.tif", "--dates", "evi_%Y%j", "--areas",
                           str(table), "--of", "csv", "--classes"))
    assert set(classes["date"]) == set(days)


def test_frames(command: Command, stack: Any) -> None:
    folder, days = stack
    frame = areas()
    found = plumb.zonal(frame, {"evi": f"{folder}/evi/*.tif"}, "mean", dates="evi_%Y%j",
                        start=days[4])
    assert found.columns.tolist()[2:] == [
        f"evi_{day}_{stat}" for day in days[4:] for stat in ("mean", "status", "valid_fraction")]
    name = dt.date.fromisoformat(days[4]).strftime("evi_%Y%j.tif")
    single = plumb.zonal(frame, {"evi": f"{folder}/evi/{name}"}, "mean")
    np.testing.assert_array_equal(found[f"evi_{days[4]}_mean"], single["evi_mean"])


def test_variables(command: Command, stack: Any) -> None:
    netcdf = pytest.importorskip("netCDF4")
    folder, _ = stack
    path = folder / "a.nc"
    values = np.random.default_rng(1).normal(0, 1, (4, 10, 12)).astype("f4")
    with netcdf.Dataset(path, "w") as file:
        for name, axis, units in (("time", np.arange(4), "days since 2025-01-01"),
                                  ("lat", np.arange(10.0), "degrees_north"),
                                  ("lon", np.arange(12.0), "degrees_east")):
            file.createDimension(name, len(axis))
            variable = file.createVariable(name, "f8", (name,))
            variable.units, variable[:] = units, axis
        file.createVariable("v", "f4", ("time", "lat", "lon"))[:] = values
    table = folder / "box.geojson"
    box = shapely.box(1.5, 2.5, 6.5, 5.5)
    gpd.GeoDataFrame({"id": [1]}, geometry=[box], crs="EPSG:4326").to_file(table)
    result = read(command(
        "zonal", f"{path}#v", "--areas", str(table), "--stat", "mean", "--of", "csv"))
    for day in range(4):
        assert float(result[f"v_2025-01-0{day + 1}_mean"][0]) == pytest.approx(
            values[day, 3:6, 2:7].astype("f8").mean(), abs=1e-12)
