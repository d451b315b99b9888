"""Stores that `plumb stack` writes equal their sources, in xarray, zarr, GDAL and Plumb."""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import random as plain_random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rasterio
from conftest import Command, run_command
from rasterio.crs import CRS

xr = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")

PROJECTED = rasterio.Affine(30, 0, 300_000, 0, -30, 6_240_000)
# Edges that are not multiples of the step, and a step that is not a binary fraction.
DEGREES = rasterio.Affine(0.1, 0, -10.03, 0, -0.1, 50.07)
TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]
LARGE_TYPES = ["uint64", "int64"]


def open_store(path: Any, **options: Any) -> Any:
    return xr.open_zarr(str(path), consolidated=True, chunks=None, **options)


def array_of(path: Any, name: str = "v") -> Any:
    return zarr.open(str(Path(path) / name), mode="r")


def write(path: Path, values: Any, nodata: Any = None, transform: Any = PROJECTED,
          crs: str | None = "EPSG:32734", mask: Any = None, scale: tuple[float, float] | None = None,
          **options: Any) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    bands = values if values.ndim == 3 else values[None]
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        with rasterio.open(
                path, "w", driver="GTiff", height=bands.shape[1], width=bands.shape[2],
                count=len(bands), dtype=bands.dtype, crs=crs, transform=transform, nodata=nodata,
                **options) as target:
            if scale:
                target.scales, target.offsets = (scale[0],) * len(bands), (scale[1],) * len(bands)
            target.write(bands)
            if mask is not None:
                target.write_mask(mask)


def dates(count: int, step: int = 16) -> Any:
    return pd.date_range("2024-01-05", periods=count, freq=f"{step}D")


class Files:
    """Files of one stack, and their values."""

    def __init__(self, folder: Path, name: str, values: Any, axis: Any, form: str = "%Y%j",
                 **options: Any) -> None:
        (self.folder, self.name, self.values, self.axis) = (folder / name, name, values, axis)
        for date, grid in zip(axis, values):
            write(self.folder / f"{name}_{date.strftime(form)}.tif", grid, **options)
        self.argument = f"{name}={self.folder}/*.tif"
        self.pattern = f"*_{form}"

    def stack(self, command: Command, output: Path, *options: str) -> None:
        run = stack(command, self.argument, "--dates", self.pattern, "-o", str(output), *options)
        assert run.returncode == 0, run.stderr
        assert run.stderr == ""


def stack(command: Command, *arguments: str) -> Any:
    return run_command(
        [command.path, "stack", *arguments], capture_output=True, text=True)


def sample(dtype: str, shape: tuple[int, ...], seed: int = 1) -> Any:
    """Values over the whole range of the type."""
    generator = np.random.default_rng(seed)
    if dtype.startswith("float"):
        values = generator.normal(0, 1e4, shape).astype(dtype)
        values.flat[::7] = 0
        values.flat[1::31] = np.nan
        return values
    limits = np.iinfo(dtype)
    values = generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    values.flat[:2] = limits.min, limits.max
    return values


def fails(run: Any, *parts: str) -> None:
    assert run.returncode == 1, (run.returncode, run.stderr)
    # Libraries may warn about damaged files.
    lines = [line for line in run.stderr.splitlines() if not line.startswith("plumb: warning: ")]
    assert len(lines) == 1, run.stderr
    for part in parts:
        assert part in run.stderr, run.stderr


def no_rest(folder: Path) -> None:
    """No unfinished folders."""
    assert not [name for name in os.listdir(folder) if name.startswith(".plumb-")]


# MARK: values

@pytest.mark.parametrize("dtype", TYPES + LARGE_TYPES)
@pytest.mark.parametrize("has_nodata", [False, True])
def test_types(command: Command, tmp_path: Path, dtype: str, has_nodata: bool) -> None:
    values = sample(dtype, (5, 37, 53))
    nodata = None
    if has_nodata:
        nodata = -9999.0 if dtype.startswith("float") else int(np.iinfo(dtype).max)
        if dtype in LARGE_TYPES:
            # rasterio writes nodata values as doubles.
            nodata = 2**40
        values[2:4, 10:20, 30:40] = nodata
    files = Files(tmp_path, "v", values, dates(5), nodata=nodata)
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", "2KB")
    raw = array_of(store)
    assert raw.dtype == np.dtype(dtype)
    assert raw.chunks[0] == 5 and raw.chunks != raw.shape
    np.testing.assert_array_equal(raw[...], values)
    if nodata is not None:
        assert raw.fill_value == nodata
    elif dtype.startswith("float"):
        assert math.isnan(raw.fill_value)
    else:
        assert raw.fill_value is None
    dataset = open_store(store, mask_and_scale=False)
    assert dataset["v"].dims == ("time", "y", "x")
    np.testing.assert_array_equal(dataset["v"].values, values)
    np.testing.assert_array_equal(dataset["time"].values, dates(5).values)
    x = 300_000 + 30 * (np.arange(53) + 0.5)
    np.testing.assert_array_equal(dataset["x"].values, x)
    np.testing.assert_array_equal(dataset["y"].values, 6_240_000 - 30 * (np.arange(37) + 0.5))
    if has_nodata and dtype not in LARGE_TYPES:
        masked = open_store(store)["v"].values
        expected = np.where(values == nodata, np.nan, values.astype("float64"))
        np.testing.assert_array_equal(masked.astype("float64"), expected)
    no_rest(tmp_path)


def every_cell(folder: Path, shape: tuple[int, int], transform: Any) -> tuple[str, Any, Any]:
    rows, columns = (grid.ravel() for grid in np.mgrid[0:shape[0], 0:shape[1]])
    # Points within cells, and on their upper left corners, which belong to them.
    inside = np.random.default_rng(5).uniform(0.01, 0.99, (2, len(rows)))
    inside[:, ::9] = 0
    x = transform.c + (columns + inside[0]) * transform.a
    y = transform.f + (rows + inside[1]) * transform.e
    path = folder / "cells.csv"
    pd.DataFrame({"x": x, "y": y}).to_csv(path, index=False, float_format="%.17g")
    return str(path), rows, columns


def identify(command: Command, *arguments: str) -> pd.DataFrame:
    text = command("identify", *arguments)
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


@pytest.mark.parametrize("dtype", TYPES + LARGE_TYPES)
def test_series_equals_files(command: Command, tmp_path: Path, dtype: str) -> None:
    values = sample(dtype, (7, 23, 31))
    nodata = -1.0 if dtype.startswith("float") else 5
    values[:, 4:9, 5:20] = nodata
    files = Files(tmp_path, "v", values, dates(7), nodata=nodata)
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", "1KB")
    points, _, _ = every_cell(tmp_path, (23, 31), PROJECTED)
    for options in (["--series", "--long"], ["--series"]):
        common = ["--points", points, "--crs", "EPSG:32734", *options]
        expected = identify(
            command, files.argument, "--dates", files.pattern, *common)
        assert (expected.to_numpy() != "").mean() > 0.5
        pd.testing.assert_frame_equal(identify(command, f"{store}#v", *common), expected)
        pd.testing.assert_frame_equal(identify(command, f"v={store}", *common), expected)


@pytest.mark.parametrize("options", [
    {"tiled": True, "blockxsize": 16, "blockysize": 16}, {"blockysize": 1}, {"blockysize": 7},
    {"tiled": True, "blockxsize": 64, "blockysize": 32, "compress": "deflate", "predictor": 2},
    {"compress": "lzw", "blockysize": 200},
])
@pytest.mark.parametrize("chunk", ["500", "7KB", "1MB"])
def test_tiles_and_chunks(command: Command, tmp_path: Path, options: Any, chunk: str) -> None:
    values = sample("int16", (6, 101, 67))
    files = Files(tmp_path, "v", values, dates(6), nodata=-32768, **options)
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", chunk)
    np.testing.assert_array_equal(array_of(store)[...], values)
    one = tmp_path / "one.zarr"
    files.stack(command, one, "--chunk-size", chunk, "--threads", "1")
    assert (one / "v" / "0.0.0").read_bytes() == (store / "v" / "0.0.0").read_bytes()


def test_usual_chunks(command: Command, tmp_path: Path) -> None:
    values = np.zeros((92, 150, 150), "int16")
    Files(tmp_path, "v", values, dates(92), blockysize=1).stack(command, tmp_path / "v.zarr")
    assert array_of(tmp_path / "v.zarr").chunks == (92, 75, 75)


def test_wide_strips_need_several_windows(command: Command, tmp_path: Path) -> None:
    """Files of one strip each are decoded for each window."""
    values = sample("uint8", (3, 40, 3000))
    files = Files(tmp_path, "v", values, dates(3), blockysize=40, compress="deflate")
    files.stack(command, tmp_path / "v.zarr", "--chunk-size", "300")
    np.testing.assert_array_equal(
        array_of(tmp_path / "v.zarr")[...], values)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
def test_single_rows_and_columns(
        command: Command, tmp_path: Path, shape: tuple[int, int]) -> None:
    values = sample("int16", (3, *shape))
    files = Files(tmp_path, "v", values, dates(3))
    store = tmp_path / "v.zarr"
    files.stack(command, store)
    points, rows, columns = every_cell(tmp_path, shape, PROJECTED)
    found = identify(command, str(store), "--points", points, "--crs", "EPSG:32734", "--series")
    np.testing.assert_array_equal(
        found.iloc[:, 2:].to_numpy().astype(int), values[:, rows, columns].T)


def test_one_date(command: Command, tmp_path: Path) -> None:
    values = sample("int16", (1, 20, 30))
    files = Files(tmp_path, "v", values, dates(1))
    store = tmp_path / "v.zarr"
    files.stack(command, store)
    points, rows, columns = every_cell(tmp_path, (20, 30), PROJECTED)
    found = identify(command, str(store), "--points", points, "--crs", "EPSG:32734", "--series")
    assert found.columns[2] == "v_2024-01-05"
    np.testing.assert_array_equal(found.iloc[:, 2].astype(int), values[0, rows, columns])


# MARK: scale, masks

@pytest.mark.parametrize("dtype,stored", [
    ("int16", "float32"), ("uint8", "float32"), ("int32", "float64"), ("float32", "float32"),
    ("float64", "float64")])
def test_scale(command: Command, tmp_path: Path, dtype: str, stored: str) -> None:
    values = sample(dtype, (4, 20, 30))
    nodata = 7
    values[:, 3:6, 3:6] = nodata
    files = Files(tmp_path, "v", values, dates(4), nodata=nodata, scale=(0.0001, 2.5))
    expected = np.where(values == nodata, np.nan, values.astype("float64") * 0.0001 + 2.5)
    raw = tmp_path / "raw.zarr"
    files.stack(command, raw)
    np.testing.assert_array_equal(array_of(raw)[...], values)
    np.testing.assert_allclose(
        open_store(raw)["v"].values.astype("float64"), expected, rtol=1e-6, atol=1e-6)
    scaled = tmp_path / "scaled.zarr"
    files.stack(command, scaled, "--scaled")
    array = array_of(scaled)
    assert array.dtype == np.dtype(stored) and math.isnan(array.fill_value)
    np.testing.assert_array_equal(array[...], expected.astype(stored))
    assert "scale_factor" not in array.attrs
    points, _, _ = every_cell(tmp_path, (20, 30), PROJECTED)
    common = ["--points", points, "--crs", "EPSG:32734", "--series", "--scaled", "--long"]
    pd.testing.assert_frame_equal(
        identify(command, f"v={raw}", *common),
        identify(command, files.argument, "--dates", files.pattern, *common))


def test_masks(command: Command, tmp_path: Path) -> None:
    values = sample("float32", (3, 20, 30))
    masks = np.random.default_rng(3).integers(0, 2, (3, 20, 30)).astype("uint8") * 255
    folder = tmp_path / "v"
    for date, grid, mask in zip(dates(3), values, masks):
        write(folder / f"v_{date:%Y%j}.tif", grid, mask=mask)
    run = stack(command, f"v={folder}/*.tif", "--dates", "v_%Y%j", "-o", str(tmp_path / "v.zarr"))
    assert run.returncode == 0, run.stderr
    expected = np.where(masks == 0, np.nan, values)
    np.testing.assert_array_equal(
        array_of(tmp_path / "v.zarr")[...], expected)


def test_masks_of_integers(command: Command, tmp_path: Path) -> None:
    values = sample("uint8", (3, 20, 30))
    masks = np.random.default_rng(3).integers(0, 2, (3, 20, 30)).astype("uint8") * 255
    for date, grid, mask in zip(dates(3), values, masks):
        write(tmp_path / "v" / f"v_{date:%Y%j}.tif", grid, mask=mask)
        write(tmp_path / "a" / f"a_{date:%Y%j}.tif", np.stack([grid, mask]),
              photometric="MINISBLACK", alpha="YES")
    for name in "va":
        arguments = [f"{name}={tmp_path / name}/*.tif", "--dates", f"{name}_%Y%j"]
        output = tmp_path / f"{name}.zarr"
        fails(stack(command, *arguments, "-o", str(output)), "mask", "--scaled")
        assert not output.exists()
        run = stack(command, *arguments, "-o", str(output), "--scaled")
        assert run.returncode == 0, run.stderr
        np.testing.assert_array_equal(
            array_of(output, name)[...],
            np.where(masks == 0, np.nan, values.astype("float32")))


# MARK: axes and CRS

@pytest.mark.parametrize("crs,transform", [
    ("EPSG:4326", DEGREES), ("EPSG:32734", PROJECTED), ("EPSG:2263", PROJECTED),
    ("EPSG:4326", rasterio.Affine(0.5, 0, 100, 0, 0.5, -40)),
    ("EPSG:3857", rasterio.Affine(1 / 3, 0, 1e6 / 3, 0, -1 / 3, -1e6 / 7))])
def test_references(command: Command, tmp_path: Path, crs: str, transform: Any) -> None:
    values = sample("int16", (3, 21, 33))
    files = Files(tmp_path, "v", values, dates(3), crs=crs, transform=transform)
    store = tmp_path / "v.zarr"
    files.stack(command, store)
    dataset = open_store(store)
    rows, columns = ("lat", "lon") if crs == "EPSG:4326" else ("y", "x")
    assert dataset["v"].dims == ("time", rows, columns)
    np.testing.assert_allclose(
        dataset[columns].values, transform.c + (np.arange(33) + 0.5) * transform.a, rtol=1e-15)
    np.testing.assert_allclose(
        dataset[rows].values, transform.f + (np.arange(21) + 0.5) * transform.e, rtol=1e-15)
    assert dataset[rows].attrs["axis"] == "Y" and dataset[columns].attrs["axis"] == "X"
    if crs == "EPSG:4326":
        assert dataset[rows].attrs["units"] == "degrees_north"
        assert dataset[columns].attrs["standard_name"] == "longitude"
    else:
        assert dataset[columns].attrs["standard_name"] == "projection_x_coordinate"
    mapping = dataset["crs"].attrs
    assert dataset["v"].encoding.get("grid_mapping", dataset["v"].attrs.get("grid_mapping")) == "crs"
    assert CRS.from_wkt(mapping["crs_wkt"]) == CRS.from_string(crs)
    assert CRS.from_wkt(mapping["spatial_ref"]) == CRS.from_string(crs)
    assert tuple(map(float, mapping["GeoTransform"].split())) == transform.to_gdal()
    attributes = json.loads((store / "v" / ".zattrs").read_text())
    assert CRS.from_wkt(attributes["_CRS"]["wkt"]) == CRS.from_string(crs)
    # Points on the corners of cells have the same cells as in the files.
    points, at_rows, at_columns = every_cell(tmp_path, (21, 33), transform)
    common = ["--points", points, "--crs", crs, "--series", "--long"]
    pd.testing.assert_frame_equal(
        identify(command, f"v={store}", *common),
        identify(command, files.argument, "--dates", files.pattern, *common))


@pytest.mark.parametrize("crs,transform,is_common", [
    ("EPSG:4326", DEGREES, True), ("EPSG:32734", PROJECTED, True), ("EPSG:2263", PROJECTED, False),
    ("EPSG:3857", rasterio.Affine(1 / 3, 0, 1e6 / 3, 0, -1 / 3, -1e6 / 7), True)])
@pytest.mark.parametrize("dtype,form", [("int16", "%Y%j"), ("float32", "%Y%jT%H%M"), ("int8", "%Y%j")])
def test_without_gdal(
        command: Command, tmp_path: Path, crs: str, transform: Any, is_common: bool, dtype: str,
        form: str) -> None:
    """Plumb opens its own stores without GDAL if they have a common CRS; the output is that of GDAL."""
    values = sample(dtype, (5, 21, 33))
    axis = dates(5, 1) + pd.Timedelta(hours=7 if "H" in form else 0)
    files = Files(tmp_path, "v", values, axis, form, crs=crs, transform=transform, scale=(0.5, 3.0),
                  nodata=-1)
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", "500")
    points, _, _ = every_cell(tmp_path, (21, 33), transform)
    outputs = {}
    for has_code in (True, False):
        metadata = json.loads((store / ".zmetadata").read_text())
        code = metadata.pop("plumb_crs", None)
        assert code == (crs if is_common else None)
        if has_code and code:
            metadata["plumb_crs"] = code
        (store / ".zmetadata").write_text(json.dumps(metadata))
        outputs[has_code] = [
            run_command([command.path, *arguments], capture_output=True, text=True)
            for arguments in (
                ["info", str(store)], ["info", str(store), "--format", "json"],
                ["identify", str(store), "--at", f"{transform.c + 2.5 * transform.a},"
                 f"{transform.f + 2.5 * transform.e}", "--crs", crs],
                ["identify", f"v={store}", "--points", points, "--crs", crs, "--series", "--provenance"],
                ["identify", f"v={store}", "--points", points, "--crs", crs, "--series", "--long"],
                ["identify", f"v={store}", "--points", points, "--crs", crs, "--scaled", "--band", "2"])]
        # A new process, which loads its libraries itself.
        loaded = subprocess.run(
            [command.path, "identify", f"v={store}", "--points", points, "--crs", crs, "--series"],
            capture_output=True, text=True, env=os.environ | {"LD_DEBUG": "files"}).stderr
        assert ("libgdal" in loaded) == (not (has_code and is_common)) and "libc" in loaded
    for mine, other in zip(outputs[True], outputs[False]):
        assert mine.returncode == 0 and len(mine.stdout) > 100
        assert (mine.stdout, mine.stderr) == (other.stdout, other.stderr)


@pytest.mark.parametrize("change", [
    lambda members: members["v/.zattrs"].update(valid_max=100),
    lambda members: members["v/.zattrs"].update(coordinates="label"),
    lambda members: members["v/.zattrs"].update(_FillValue=0),
    lambda members: members["v/.zarray"].update(fill_value=None),
    lambda members: members["v/.zarray"].update(fill_value=0),
    lambda members: members["v/.zarray"].update(dtype="<u2"),
    lambda members: members["v/.zarray"].update(shape=[5, 20, 33]),
    lambda members: members["time/.zattrs"].update(bounds="time_bounds"),
    lambda members: members["time/.zattrs"].update(units="hours since 2000-01-01"),
    lambda members: members["time/.zattrs"].update(calendar="noleap"),
    lambda members: members["time/.zattrs"].pop("_ARRAY_DIMENSIONS"),
    lambda members: members["x/.zattrs"].update(add_offset=30.0),
    lambda members: members["y/.zattrs"].update(units="km"),
    lambda members: members["y/.zarray"].update(shape=[20]),
    lambda members: members["crs/.zattrs"].update(GeoTransform="0 1 0 0 0 -1"),
    lambda members: members["crs/.zattrs"].update(crs_wkt=CRS.from_epsg(32735).to_wkt()),
    lambda members: members["v/.zattrs"]["_CRS"].update(wkt=CRS.from_epsg(32735).to_wkt())])
@pytest.mark.parametrize("appends", [False, True])
def test_changed_metadata(command: Command, tmp_path: Path, change: Any, appends: bool) -> None:
    """Metadata that another program changed have the meaning that they have in a store without Plumb's members."""
    values = sample("int16", (6, 21, 33))
    files = Files(tmp_path, "v", values[:5], dates(6)[:5], nodata=-1)
    store = tmp_path / "v.zarr"
    files.stack(command, store)
    points, _, _ = every_cell(tmp_path, (21, 33), PROJECTED)
    metadata = json.loads((store / ".zmetadata").read_text())
    change(metadata["metadata"])
    members = ("v/.zattrs", "v/.zarray", "time/.zattrs", "x/.zattrs", "y/.zattrs", "y/.zarray", "crs/.zattrs")

    def save() -> None:
        (store / ".zmetadata").write_text(json.dumps(metadata))
        for name in members:
            (store / name).write_text(json.dumps(metadata["metadata"][name]))

    save()
    if appends:
        more = Files(tmp_path / "more", "v", values[5:], dates(6)[5:], nodata=-1)
        run = stack(command, more.argument, "--dates", more.pattern, "-o", str(store), "--append")
        assert run.returncode in (0, 1)
        metadata = json.loads((store / ".zmetadata").read_text())
        assert ("plumb_crs" in metadata) == (run.returncode == 1)
    runs = []
    for _ in range(2):
        runs.append(run_command(
            [command.path, "identify", f"v={store}", "--points", points, "--crs", "EPSG:32734",
             "--series", "--long"], capture_output=True, text=True))
        metadata.pop("plumb_crs", None)
        save()
    mine, other = ((run.returncode, run.stdout, run.stderr) for run in runs)
    assert mine == other


def test_gdal(command: Command, tmp_path: Path) -> None:
    """GDAL reads the values, the CRS, the geotransform and nodata."""
    if shutil.which("gdal_translate") is None:
        pytest.skip("gdal_translate is not installed")
    values = sample("int16", (3, 21, 33))
    files = Files(tmp_path, "v", values, dates(3), nodata=-32768)
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", "500")
    for index in range(3):
        target = tmp_path / f"{index}.tif"
        subprocess.run(
            ["gdal_translate", "-q", f'ZARR:"{store}":/v:{index}', str(target)], check=True)
        with rasterio.open(target) as file:
            np.testing.assert_array_equal(file.read(1), values[index])
            assert file.crs == CRS.from_epsg(32734)
            assert file.nodata == -32768
            assert file.transform.almost_equals(PROJECTED, 1e-9)


@pytest.mark.parametrize("form,axis,unit", [
    ("%Y%j", dates(4), "days"), ("%Y%m%dT%H%M%S", dates(4) + pd.Timedelta("10h17min3s"), "seconds"),
    ("%Y%m%dT%H%M%S%f", dates(4) + pd.Timedelta("10h17min3s") + pd.Timedelta(250_250, "us"),
     "microseconds"),
    ("%Y%j", pd.DatetimeIndex(["1899-12-31", "1969-12-31", "1970-01-01", "2100-03-01"]), "days")])
def test_times(command: Command, tmp_path: Path, form: str, axis: Any, unit: str) -> None:
    values = sample("int16", (4, 5, 6))
    files = Files(tmp_path, "v", values, axis, form)
    store = tmp_path / "v.zarr"
    files.stack(command, store)
    attributes = json.loads((store / "time" / ".zattrs").read_text())
    assert attributes["units"] == f"{unit} since 1970-01-01"
    assert attributes["calendar"] == "proleptic_gregorian"
    times = open_store(store)["time"].values
    np.testing.assert_array_equal(times.astype("datetime64[us]"), axis.values.astype("datetime64[us]"))
    points, _, _ = every_cell(tmp_path, (5, 6), PROJECTED)
    common = ["--points", points, "--crs", "EPSG:32734", "--series"]
    pd.testing.assert_frame_equal(
        identify(command, f"v={store}", *common),
        identify(command, files.argument, "--dates", files.pattern, *common))


def test_days_of_times(command: Command, tmp_path: Path) -> None:
    """Files of one day are one date with `--group day`."""
    axis = dates(3) + pd.Timedelta("10h")
    files = Files(tmp_path, "v", sample("int16", (3, 5, 6)), axis, "%Y%m%dT%H%M%S")
    files.stack(command, tmp_path / "v.zarr", "--group", "day")
    np.testing.assert_array_equal(
        open_store(tmp_path / "v.zarr")["time"].values, dates(3).values)


def test_several_variables(command: Command, tmp_path: Path) -> None:
    evi = Files(tmp_path, "evi", sample("int16", (4, 25, 35)), dates(4), nodata=-3000)
    qa = Files(tmp_path, "qa", sample("uint16", (4, 25, 35), 2), dates(4))
    store = tmp_path / "both.zarr"
    run = stack(command, evi.argument, qa.argument, "--dates", "*_%Y%j", "-o", str(store))
    assert run.returncode == 0, run.stderr
    dataset = open_store(store, mask_and_scale=False)
    np.testing.assert_array_equal(dataset["evi"].values, evi.values)
    np.testing.assert_array_equal(dataset["qa"].values, qa.values)
    points, rows, columns = every_cell(tmp_path, (25, 35), PROJECTED)
    common = ["--points", points, "--crs", "EPSG:32734", "--series", "--valid", "(qa & 3) = 0"]
    pd.testing.assert_frame_equal(
        identify(command, f"{store}#evi", f"{store}#qa", *common),
        identify(command, evi.argument, qa.argument, "--dates", "*_%Y%j", *common))
    run = run_command(
        [command.path, "identify", str(store), *common[:4], "--series"],
        capture_output=True, text=True)
    fails(run, "2 variables", "evi, qa", f"{store}#evi")


def test_from_netcdf(command: Command, tmp_path: Path) -> None:
    """A variable of a NetCDF file can be a stack, and keeps its scale."""
    netcdf = pytest.importorskip("netCDF4")
    values = sample("int16", (8, 12, 14))
    with netcdf.Dataset(tmp_path / "a.nc", "w") as file:
        for name, size in (("time", 8), ("lat", 12), ("lon", 14)):
            file.createDimension(name, size)
        axis = file.createVariable("time", "i4", ("time",))
        axis.units, axis.calendar = "hours since 2000-01-01", "standard"
        axis[:] = 6 * np.arange(8)
        for name, first in (("lat", 40), ("lon", 10)):
            axis = file.createVariable(name, "f8", (name,))
            axis.units = "degrees_north" if name == "lat" else "degrees_east"
            axis[:] = first + 0.25 * np.arange({"lat": 12, "lon": 14}[name])
        variable = file.createVariable("v", "i2", ("time", "lat", "lon"), fill_value=-32768)
        variable.set_auto_maskandscale(False)
        variable.scale_factor, variable.add_offset = 0.5, 100.0
        variable[:] = values
    store = tmp_path / "v.zarr"
    run = stack(command, f"v={tmp_path / 'a.nc'}#v", "-o", str(store))
    assert run.returncode == 0, run.stderr
    dataset = open_store(store)
    expected = xr.open_dataset(tmp_path / "a.nc")
    np.testing.assert_array_equal(dataset["time"].values, expected["time"].values)
    ours = dataset["v"].sortby("lat").values
    np.testing.assert_allclose(ours, expected["v"].sortby("lat").values)


# MARK: more dates

def test_append(command: Command, tmp_path: Path) -> None:
    axis = dates(11)
    values = sample("int16", (11, 41, 53))
    values[:, 5:9] = -32768
    store = tmp_path / "v.zarr"
    counts = [4, 1, 1, 5]
    start = 0
    points, rows, columns = every_cell(tmp_path, (41, 53), PROJECTED)
    for number, count in enumerate(counts):
        part = slice(start, start + count)
        files = Files(tmp_path / str(number), "v", values[part], axis[part], nodata=-32768)
        options = ["--append"] if number else ["--chunk-size", "2KB"]
        files.stack(command, store, *options)
        start += count
        array = array_of(store)
        assert array.chunks[0] == 4
        np.testing.assert_array_equal(array[...], values[:start])
        dataset = open_store(store, mask_and_scale=False)
        np.testing.assert_array_equal(dataset["time"].values, axis[:start].values)
        np.testing.assert_array_equal(dataset["v"].values, values[:start])
        metadata = json.loads((store / ".zmetadata").read_text())["metadata"]
        for name, content in metadata.items():
            assert json.loads((store / name).read_text()) == content
        found = identify(
            command, str(store), "--points", points, "--crs", "EPSG:32734", "--series")
        expected = np.where(values[:start, rows, columns].T == -32768, "",
                            values[:start, rows, columns].T.astype(str))
        np.testing.assert_array_equal(found.iloc[:, 2:].to_numpy(), expected)
        no_rest(store)


def test_append_many_times(command: Command, tmp_path: Path) -> None:
    """The axis of time has chunks of 1,024 dates."""
    axis = pd.date_range("2000-01-01", periods=1030, freq="1D")
    values = sample("uint8", (1030, 2, 3))
    first = Files(tmp_path / "a", "v", values[:1022], axis[:1022])
    second = Files(tmp_path / "b", "v", values[1022:], axis[1022:])
    first.stack(command, tmp_path / "v.zarr")
    second.stack(command, tmp_path / "v.zarr", "--append")
    dataset = open_store(tmp_path / "v.zarr")
    np.testing.assert_array_equal(dataset["time"].values, axis.values)
    np.testing.assert_array_equal(dataset["v"].values, values)


def test_append_keeps_attributes(command: Command, tmp_path: Path) -> None:
    values = sample("uint8", (3, 4, 5))
    store = tmp_path / "v.zarr"
    Files(tmp_path / "a", "v", values[:2], dates(3)[:2]).stack(command, store)
    attributes = json.loads((store / "v" / ".zattrs").read_text()) | {"long_name": "vegetation"}
    (store / "v" / ".zattrs").write_text(json.dumps(attributes))
    metadata = json.loads((store / ".zmetadata").read_text())
    metadata["metadata"]["v/.zattrs"] = attributes
    (store / ".zmetadata").write_text(json.dumps(metadata))
    Files(tmp_path / "b", "v", values[2:], dates(3)[2:]).stack(command, store, "--append")
    assert open_store(store)["v"].attrs["long_name"] == "vegetation"
    np.testing.assert_array_equal(open_store(store)["v"].values, values)


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*") if path.is_file()
    }


def test_append_errors(command: Command, tmp_path: Path) -> None:
    axis = dates(6)
    values = sample("int16", (6, 20, 30))
    store = tmp_path / "v.zarr"
    new = Files(tmp_path / "new", "v", values[4:], axis[4:], nodata=-1)
    fails(stack(command, new.argument, "--dates", "v_%Y%j", "-o", str(store), "--append"),
          "does not exist", "--append")
    Files(tmp_path / "old", "v", values[1:4], axis[1:4], nodata=-1).stack(command, store)
    before = content(store)

    def refuse(files: Files, *parts: str, name: str = "v") -> None:
        fails(stack(command, f"{name}={files.folder}/*.tif", "--dates", files.pattern, "-o",
                    str(store), "--append"), *parts)
        assert content(store) == before

    fails(stack(command, new.argument, "--dates", "v_%Y%j", "-o", str(store)),
          "exists", "--append", "delete it")
    refuse(Files(tmp_path / "equal", "v", values[3:5], axis[3:5], nodata=-1),
           "already has the date 2024-02-22")
    refuse(Files(tmp_path / "early", "v", values[:1], axis[:1], nodata=-1),
           "2024-01-05 is before 2024-02-22")
    refuse(Files(tmp_path / "type", "v", values[4:].astype("int32"), axis[4:], nodata=-1), "int16", "int32")
    refuse(Files(tmp_path / "nodata", "v", values[4:], axis[4:], nodata=-2), "fill value", "-1", "-2")
    refuse(Files(tmp_path / "none", "v", values[4:], axis[4:]), "fill value", "-1", "none")
    refuse(Files(tmp_path / "scale", "v", values[4:], axis[4:], nodata=-1, scale=(2, 0)), "scale")
    refuse(Files(tmp_path / "size", "v", values[4:, :, :9], axis[4:], nodata=-1), "different grids")
    refuse(Files(tmp_path / "place", "v", values[4:], axis[4:], nodata=-1,
                 transform=PROJECTED @ rasterio.Affine.translation(1, 0)), "different grids")
    refuse(Files(tmp_path / "crs", "v", values[4:], axis[4:], nodata=-1, crs="EPSG:32735"),
           "different grids")
    refuse(Files(tmp_path / "time", "v", values[4:], axis[4:] + pd.Timedelta("3h"), "%Y%m%dT%H%M%S",
                 nodata=-1), "days")
    refuse(new, "the variables v", "other", name="other")
    new.stack(command, store, "--append")
    np.testing.assert_array_equal(array_of(store)[...], values[1:])


def test_damaged_store(command: Command, tmp_path: Path) -> None:
    axis = dates(6)
    values = sample("int16", (6, 20, 30))
    new = Files(tmp_path / "new", "v", values[3:4], axis[3:4])
    store = tmp_path / "v.zarr"
    Files(tmp_path / "old", "v", values[:3], axis[:3]).stack(command, store)
    Files(tmp_path / "more", "v", values[3:5], axis[3:5]).stack(command, store, "--append")
    points, _, _ = every_cell(tmp_path, (20, 30), PROJECTED)
    chunk = store / "v" / "1.0.0"
    whole = chunk.read_bytes()
    last = Files(tmp_path / "last", "v", values[5:], axis[5:])
    for damage in (None, b"", whole[:-5], b"x" * len(whole)):
        chunk.unlink()
        if damage is not None:
            chunk.write_bytes(damage)
        run = stack(command, last.argument, "--dates", "v_%Y%j", "-o", str(store), "--append")
        fails(run, "v.zarr/v", "the chunk 1.0.0 is")
        run = run_command(
            [command.path, "identify", str(store), "--points", points, "--crs", "EPSG:32734",
             "--series", "--long"], capture_output=True, text=True)
        assert run.returncode == 1 and "read_error" in run.stdout
        frame = pd.read_csv(io.StringIO(run.stdout))
        assert (frame["status"] != "ok").all()
        chunk.write_bytes(whole)
    for name in (".zmetadata", "time/.zarray"):
        kept = (store / name).read_bytes()
        (store / ".zmetadata").write_bytes(b"{")
        fails(stack(command, new.argument, "--dates", "v_%Y%j", "-o", str(store), "--append"),
              ".zmetadata")
        (store / name).write_bytes(kept)


# MARK: kills

def big(folder: Path, count: int, start: int = 0) -> tuple[Files, Any]:
    values = sample("int16", (count, 300, 400), start)
    axis = dates(start + count)[start:]
    return Files(folder, "v", values, axis, nodata=-32768), values


def killed(command: Command, delay: float, *arguments: str) -> bool:
    """Runs the command and kills it after a delay; returns whether it was killed."""
    process = subprocess.Popen([command.path, "stack", *arguments], stderr=subprocess.DEVNULL)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    return process.wait(timeout=120) != 0


def duration(body: Any) -> float:
    start = time.perf_counter()
    body()
    return time.perf_counter() - start


def test_kills_of_new_stores(command: Command, tmp_path: Path) -> None:
    files, values = big(tmp_path, 12)
    store = tmp_path / "v.zarr"
    arguments = [files.argument, "--dates", "v_%Y%j", "-o", str(store), "--chunk-size", "20KB"]
    length = duration(lambda: files.stack(command, store, "--chunk-size", "20KB"))
    chooser = plain_random.Random(1)
    for _ in range(20):
        shutil.rmtree(store, ignore_errors=True)
        killed(command, chooser.uniform(0, 1.2 * length), *arguments)
        if store.exists():
            np.testing.assert_array_equal(open_store(store, mask_and_scale=False)["v"].values, values)
    shutil.rmtree(store, ignore_errors=True)
    files.stack(command, store)
    # The next run removes the remains of killed runs.
    no_rest(tmp_path)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*") if path.is_file()}


def test_killed_runs_continue(command: Command, tmp_path: Path) -> None:
    values = sample("int16", (12, 640, 400))
    files = Files(tmp_path, "v", values, dates(12), nodata=-32768, blockysize=16)
    store, whole, state = (tmp_path / name for name in ("v.zarr", "whole.zarr", "v.zarr.resume"))
    options = ["--chunk-size", "20KB"]
    length = duration(lambda: files.stack(command, whole, *options))
    arguments = [
        files.argument, "--dates", "v_%Y%j", "-o", str(store), *options, "--resume"]
    chooser = plain_random.Random(3)
    kept = 0
    for _ in range(6):
        is_killed = True
        for _ in range(8):
            if store.exists():
                break
            before = {
                path: path.stat().st_mtime_ns for path in state.glob("output/v/*")}
            is_killed = killed(
                command, chooser.uniform(0.2 * length, 1.1 * length), *arguments)
            # Complete chunks are not written again, except for those of the window that was being written.
            rest = {path for path in before if path.exists()}
            if not store.exists():
                assert rest == set(before)
                kept += sum(path.stat().st_mtime_ns == before[path] for path in rest)
        if not store.exists():
            run = stack(command, *arguments)
            assert run.returncode == 0, run.stderr
            is_killed = False
        assert tree(store) == tree(whole)
        # A run that is killed after its store is complete leaves its state.
        if not is_killed:
            assert not state.exists()
            no_rest(tmp_path)
        shutil.rmtree(store)
        shutil.rmtree(state, ignore_errors=True)
    assert kept > 0


def test_resume_of_other_runs(command: Command, tmp_path: Path) -> None:
    files, values = big(tmp_path, 12)
    store, state = tmp_path / "v.zarr", tmp_path / "v.zarr.resume"
    arguments = [files.argument, "--dates", "v_%Y%j", "-o", str(store)]
    # The run is killed as soon as its identity is written.
    while not (state / "run").exists():
        shutil.rmtree(store, ignore_errors=True)
        process = subprocess.Popen(
            [command.path, "stack", *arguments, "--chunk-size", "1KB", "--resume"])
        while process.poll() is None and not (state / "run").exists():
            time.sleep(0.002)
        process.kill()
        process.wait(timeout=120)
    run = stack(command, *arguments, "--chunk-size", "3KB", "--resume")
    fails(run, "v.zarr.resume belongs to a run with other options")
    first = min(files.folder.iterdir())
    os.utime(first, (1, 1))
    fails(stack(command, *arguments, "--chunk-size", "1KB", "--resume"), "other files")
    # A run that does not continue another run leaves the other run's state unchanged.
    files.stack(command, store)
    assert state.exists()
    fails(stack(command, *arguments, "--resume"), "exists")


def test_interrupts_leave_nothing(command: Command, tmp_path: Path) -> None:
    files, values = big(tmp_path, 12)
    store = tmp_path / "v.zarr"
    arguments = [files.argument, "--dates", "v_%Y%j", "-o", str(store), "--chunk-size", "5KB"]
    length = duration(lambda: files.stack(command, store, "--chunk-size", "5KB"))
    shutil.rmtree(store)
    for share in (0.2, 0.5, 0.8):
        process = subprocess.Popen(
            [command.path, "stack", *arguments], stderr=subprocess.PIPE, text=True)
        time.sleep(share * length)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        no_rest(tmp_path)
        if store.exists():
            shutil.rmtree(store)


def test_kills_of_added_dates(command: Command, tmp_path: Path) -> None:
    old, old_values = big(tmp_path / "old", 5)
    new, new_values = big(tmp_path / "new", 8, 5)
    store, whole = tmp_path / "v.zarr", tmp_path / "whole.zarr"
    old.stack(command, whole, "--chunk-size", "20KB")
    arguments = [new.argument, "--dates", "v_%Y%j", "-o", str(store), "--append"]
    shutil.copytree(whole, store)
    length = duration(lambda: new.stack(command, store, "--append"))
    both = np.concatenate([old_values, new_values])
    chooser = plain_random.Random(2)
    states = set()
    for _ in range(20):
        shutil.rmtree(store)
        shutil.copytree(whole, store)
        killed(command, chooser.uniform(0, 1.2 * length), *arguments)
        dataset = open_store(store, mask_and_scale=False)
        count = dataset.sizes["time"]
        states.add(count)
        assert count in (5, 13)
        np.testing.assert_array_equal(dataset["v"].values, both[:count])
        np.testing.assert_array_equal(dataset["time"].values, dates(13)[:count].values)
        if count == 5:
            new.stack(command, store, "--append")
            dataset = open_store(store, mask_and_scale=False)
            np.testing.assert_array_equal(dataset["v"].values, both)
            no_rest(store)
    assert 5 in states


# MARK: errors

def test_errors(command: Command, tmp_path: Path) -> None:
    values = sample("int16", (3, 20, 30))
    output = tmp_path / "v.zarr"

    def refuse(*parts: str, stacks: list[str] | None = None, pattern: str = "*_%Y%j") -> None:
        run = stack(command, *(stacks or [f"v={tmp_path / 'v'}/*.tif"]), "--dates", pattern, "-o",
                    str(output))
        fails(run, *parts)
        assert not output.exists()
        no_rest(tmp_path)

    def other(grid: Any, **options: Any) -> None:
        shutil.rmtree(tmp_path / "v", ignore_errors=True)
        Files(tmp_path, "v", values[:2], dates(2), nodata=-1)
        write(tmp_path / "v" / "z_2025001.tif", grid, **{"nodata": -1, **options})

    first, last = "v_2024005.tif", "z_2025001.tif"
    other(values[2, :, :9])
    refuse(first, last, "9 x 20 and 30 x 20", "warp")
    other(values[2], transform=PROJECTED @ rasterio.Affine.translation(0.5, 0))
    refuse(first, last, "geotransforms", "not resampled")
    other(values[2], crs="EPSG:32735")
    refuse(first, last, "CRSs")
    other(values[2].astype("int32"))
    refuse(first, last, "int32 and int16")
    other(values[2], nodata=-2)
    refuse(first, last, "nodata values -2 and -1")
    other(values[2], nodata=None)
    refuse(first, last, "nodata values none and -1")
    other(values[2], scale=(2, 0))
    refuse(first, last, "scale")
    other(np.stack([values[2]] * 2))
    refuse("bands")
    other(values[2])
    write(tmp_path / "v" / "w_2025001.tif", values[2], nodata=-1)
    refuse("2 files on 2025-01-01")
    (tmp_path / "v" / "w_2025001.tif").unlink()
    refuse("does not match", pattern="x_%Y%j")
    refuse("no file", stacks=[f"v={tmp_path / 'absent'}/*.tif"])
    for name in ("time", "crs", ".v"):
        refuse("name", stacks=[f"{name}={tmp_path / 'v'}/*.tif"])
    whole = tmp_path / "v" / last
    whole.write_bytes(whole.read_bytes()[:-200])
    refuse(last)
    whole.unlink()
    Files(tmp_path, "w", values[:1], dates(1), nodata=-1)
    refuse("different dates", stacks=[f"v={tmp_path / 'v'}/*.tif", f"w={tmp_path / 'w'}/*.tif"])
    shutil.rmtree(tmp_path / "v")
    Files(tmp_path, "v", values, dates(3), transform=PROJECTED @ rasterio.Affine.rotation(10))
    refuse("rotated")
    shutil.rmtree(tmp_path / "v")
    Files(tmp_path, "v", values.astype("complex64"), dates(3))
    refuse("complex64")


def test_usage(command: Command, tmp_path: Path) -> None:
    files = Files(tmp_path, "v", sample("uint8", (2, 4, 5)), dates(2))
    for options in ([], ["-o", "x.zarr", "--chunk-size", "0"],
                    ["-o", "x.zarr", "--chunk-size", "1GB"],
                    ["-o", "x.zarr", "--append", "--chunk-size", "1MB"]):
        run = stack(command, files.argument, "--dates", "v_%Y%j", *options)
        assert run.returncode == 64, run.stderr
    blocked = tmp_path / "file.zarr"
    blocked.write_text("")
    fails(stack(command, files.argument, "--dates", "v_%Y%j", "-o", str(blocked)), "exists")
    fails(stack(command, files.argument, "--dates", "v_%Y%j", "-o", str(blocked), "--append"),
          "not a Zarr store")
    fails(stack(command, files.argument, "--dates", "v_%Y%j", "-o", str(tmp_path / "no" / "x.zarr")),
          "x.zarr")


# MARK: stores of other programs

def other_array(folder: Path, values: Any, chunks: Any, attributes: dict[str, Any],
                compressor: Any = None, separator: str = ".", order: str = "C",
                fill: Any = None) -> None:
    """Writes an array by the specification of Zarr 2."""
    folder.mkdir(parents=True)
    metadata = {
        "zarr_format": 2, "shape": values.shape, "chunks": chunks, "dtype": values.dtype.str,
        "compressor": compressor.get_config() if compressor else None, "fill_value": fill,
        "order": order, "filters": None, "dimension_separator": separator}
    (folder / ".zarray").write_text(json.dumps(metadata))
    (folder / ".zattrs").write_text(json.dumps(attributes))
    counts = [range(-(-size // length)) for size, length in zip(values.shape, chunks)]
    for index in itertools.product(*counts):
        part = values[tuple(
            slice(i * length, (i + 1) * length) for i, length in zip(index, chunks))]
        chunk = np.full(chunks, 0 if fill is None else fill, values.dtype)
        chunk[tuple(slice(size) for size in part.shape)] = part
        if fill is not None and (chunk == fill).all():
            continue
        path = folder / separator.join(map(str, index))
        path.parent.mkdir(parents=True, exist_ok=True)
        data = chunk.tobytes(order)
        path.write_bytes(compressor.encode(data) if compressor else data)


def other_store(path: Path, values: Any, chunks: Any, **options: Any) -> None:
    count, rows, columns = values.shape
    (path / "v").parent.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    other_array(path / "v", values, chunks, {
        "_ARRAY_DIMENSIONS": ["time", "y", "x"],
        "_CRS": {"wkt": CRS.from_epsg(32734).to_wkt()}}, **options)
    for name, numbers, attributes in (
            ("time", 16 * np.arange(count), {"units": "days since 2024-01-05", "axis": "T"}),
            ("y", 6_240_000 - 30 * (np.arange(rows) + 0.5), {"axis": "Y", "units": "m"}),
            ("x", 300_000 + 30 * (np.arange(columns) + 0.5), {"axis": "X", "units": "m"})):
        other_array(path / name, numbers, numbers.shape, {"_ARRAY_DIMENSIONS": [name], **attributes})


@pytest.mark.parametrize("chunks", [(7, 8, 8), (1, 40, 50), (3, 7, 11), (20, 64, 64)])
@pytest.mark.parametrize("name", ["none", "zstd", "zlib", "blosc", "f", "big"])
def test_other_stores(command: Command, tmp_path: Path, chunks: Any, name: str) -> None:
    """Plumb decodes plain, zstd, zlib and Blosc chunks itself; GDAL decodes the others."""
    numcodecs = pytest.importorskip("numcodecs")
    values = sample("int16", (7, 40, 50))
    compressor = {
        "zstd": numcodecs.Zstd(5), "zlib": numcodecs.Zlib(4), "blosc": numcodecs.Blosc(),
    }.get(name)
    # Whole chunks without values have no files.
    values[:, :16, 20:45] = 77
    other_store(
        tmp_path / "v.zarr", values.astype(">i2") if name == "big" else values, chunks,
        compressor=compressor, separator="/" if name == "zlib" else ".",
        order="F" if name == "f" else "C", fill=77)
    if name == "zstd":
        metadata = {
            str(path.relative_to(tmp_path / "v.zarr")): json.loads(path.read_text())
            for path in (tmp_path / "v.zarr").rglob(".z*")}
        (tmp_path / "v.zarr" / ".zmetadata").write_text(
            json.dumps({"zarr_consolidated_format": 1, "metadata": metadata}))
    points, rows, columns = every_cell(tmp_path, (40, 50), PROJECTED)
    for argument in (str(tmp_path / "v.zarr"), f"{tmp_path / 'v.zarr'}#v"):
        found = identify(
            command, argument, "--points", points, "--crs", "EPSG:32734", "--series")
        assert list(found.columns[2:]) == [f"v_{date:%Y-%m-%d}" for date in dates(7)]
        expected = values[:, rows, columns].T
        expected = np.where(expected == 77, "", expected.astype(str))
        np.testing.assert_array_equal(found.iloc[:, 2:].to_numpy(), expected)


def test_version_3(command: Command, tmp_path: Path) -> None:
    store = tmp_path / "v.zarr"
    store.mkdir()
    (store / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    for argument in (str(store), f"{store}#v"):
        run = run_command(
            [command.path, "identify", argument, "--at", "0,0"], capture_output=True, text=True)
        fails(run, "version 3", "zarr_format=2")


def test_zonal_of_store(command: Command, tmp_path: Path) -> None:
    values = sample("int16", (4, 40, 50))
    files = Files(tmp_path, "v", values, dates(4))
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", "1KB")
    areas = tmp_path / "areas.csv"
    areas.write_text(
        'id,WKT\n1,"POLYGON ((300100 6239900, 301000 6239900, 301000 6239100, 300100 6239900))"\n')
    common = ["--areas", str(areas), "--crs", "EPSG:32734", "--stat", "count,mean,min,max"]
    # The sums of tiles of other sizes differ in rounding.
    ours = pd.read_csv(io.StringIO(command("zonal", f"v={store}", *common)))
    theirs = pd.read_csv(io.StringIO(
        command("zonal", files.argument, "--dates", files.pattern, *common)))
    assert (ours["v_2024-01-05_count"] > 100).all()
    pd.testing.assert_frame_equal(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("cache", ["512MB", "20KB", "1"])
def test_matched_dates_of_store(command: Command, tmp_path: Path, cache: str) -> None:
    """With a small cache, rows are processed in groups by tile."""
    values = sample("int16", (9, 40, 50))
    values[values % 5 == 0] = -32768
    files = Files(tmp_path, "v", values, dates(9), nodata=-32768)
    store = tmp_path / "v.zarr"
    files.stack(command, store, "--chunk-size", "1KB")
    path, _, _ = every_cell(tmp_path, (40, 50), PROJECTED)
    frame = pd.read_csv(path)
    days = np.random.default_rng(8).integers(-20, 160, len(frame))
    frame["when"] = (pd.Timestamp("2024-01-05") + pd.to_timedelta(days, "D")).strftime("%Y-%m-%d")
    frame.to_csv(path, index=False)
    common = ["--points", path, "--crs", "EPSG:32734", "--when", "when", "--within", "20d",
              "--status"]
    for options in ([], ["--valid", "v > 0"], ["--interpolate", "linear"],
                    ["--reduce", "mean,count"]):
        found = identify(command, f"v={store}", *common, *options, "--cache", cache)
        expected = identify(
            command, files.argument, "--dates", files.pattern, *common, *options)
        pd.testing.assert_frame_equal(found, expected)
        assert (found["v_status"] == "ok").mean() > 0.3


def test_info(command: Command, tmp_path: Path) -> None:
    files = Files(tmp_path, "v", sample("int16", (4, 40, 50)), dates(4))
    store = tmp_path / "v.zarr"
    files.stack(command, store)
    run = run_command([command.path, "info", str(store)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for line in ("dates: 4", "compression: ZSTD", "firstDate: 2024-01-05", "lastDate: 2024-02-22", "route: Plumb",
                 "geotransform: [300000.0,30.0,0.0,6240000.0,0.0,-30.0]"):
        assert line in run.stdout, run.stdout




def test_pictures_of_a_store(command: Command, tmp_path: Path) -> None:
    """A date of a store is drawn like that date of its files."""
    random = np.random.default_rng(3)
    files = Files(tmp_path, "v", random.integers(0, 200, (4, 40, 50)).astype("uint8"), dates(4))
    files.stack(command, tmp_path / "v.zarr")
    for date in ("2024-01-21", "2024-02-22"):
        pictures = []
        for source in ([f"{tmp_path}/v.zarr"], [f"{files.folder}/*.tif", "--dates", files.pattern]):
            output = tmp_path / "a.png"
            run_command(
                [command.path, "draw", *source, "--date", date, "-o", str(output), "--overwrite", "--size", "100x80"],
                check=True, timeout=60)
            with rasterio.open(output) as picture:
                pictures.append(picture.read())
        assert (pictures[0] == pictures[1]).all() and pictures[0].std() > 0
