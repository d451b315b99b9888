"""Missing values, valid ranges, single times and indices of the variables of arrays."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import Command

netCDF4 = pytest.importorskip("netCDF4")

SHAPE = (5, 6)


def write(path: Path, values: Any, attributes: dict[str, Any], fill: Any = None,
          form: str = "NETCDF4", time: Any = None) -> None:
    """A variable v of lat and lon, with unscaled values."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.set_auto_maskandscale(False)
        for name, axis, unit in (("lat", np.arange(5.0), "degrees_north"),
                                 ("lon", np.arange(6.0), "degrees_east")):
            file.createDimension(name, len(axis))
            variable = file.createVariable(name, "f8", (name,))
            variable.units = unit
            variable[:] = axis
        variable = file.createVariable("v", values.dtype, ("lat", "lon"), fill_value=fill)
        variable.set_auto_maskandscale(False)
        for name, value in attributes.items():
            variable.setncattr(name, value)
        variable[:] = values
        if time is not None:
            for name, (units, number, standard) in time.items():
                coordinate = file.createVariable(name, "f8")
                coordinate.units = units
                if standard:
                    coordinate.standard_name = standard
                coordinate[...] = number
            variable.coordinates = " ".join(time)


def cells(command: Command, path: Path, folder: Path, *more: str) -> pd.DataFrame:
    table = folder / "cells.csv"
    table.write_text("lon,lat\n" + "".join(
        f"{column},{row}\n" for row in range(5) for column in range(6)))
    text = command("identify", f"v={path}#v", "--points", str(table), "--status", *more)
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def cells_of_files(command: Command, paths: list[Path], folder: Path) -> list[pd.DataFrame]:
    """The cells of several files by one run, because a run takes longer than the reads."""
    others = [f"v{index}={path}#v" for index, path in enumerate(paths)]
    result = cells(command, paths[0], folder, *others)
    return [
        pd.DataFrame({"v": result[f"v{index}"], "v_status": result[f"v{index}_status"]})
        for index in range(len(paths))]


def choices(kind: str) -> list[Any]:
    if kind.startswith("f"):
        return [-1e20, -9999.0, -0.5, 0.0, 0.1, 0.25, 7.5, 1e20]
    info = np.iinfo(kind)
    return [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 7, 100]


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"])
@pytest.mark.parametrize("seed", range(4))
def test_missing_values_and_ranges(command: Command, tmp_path: Path, kind: str, form: str,
                                   seed: int) -> None:
    """Each value that an attribute excludes is nodata, regardless of other attributes."""
    if form == "NETCDF3_CLASSIC" and kind in ("u1", "u2", "u4"):
        pytest.skip("the format has no such type")
    random = np.random.default_rng((seed, ord(kind[0]), int(kind[1])))
    pool = np.array(choices(kind), kind)
    cases = []
    for number in range(6):
        values = random.choice(pool, SHAPE)
        attributes: dict[str, Any] = {}
        excluded = np.zeros(SHAPE, bool)
        fill = random.choice(pool) if random.random() < 0.5 else None
        if fill is not None:
            excluded |= values == fill
        if random.random() < 0.7:
            missing = random.choice(pool, int(random.integers(1, 4)))
            attributes["missing_value"] = missing if len(missing) > 1 else missing[0]
            excluded |= np.isin(values, missing)
        low, high = np.sort(random.choice(pool, 2, replace=False))
        limit = random.integers(0, 4)
        if limit == 1:
            attributes["valid_range"] = np.array([low, high], kind)
            excluded |= (values < low) | (values > high)
        elif limit == 2:
            attributes["valid_min"] = low
            excluded |= values < low
        elif limit == 3:
            attributes["valid_max"] = high
            excluded |= values > high
        default = netCDF4.default_fillvals[kind]
        if fill is None and kind not in ("i1", "u1"):
            excluded |= values == np.array(default, kind)
        path = tmp_path / f"{number}.nc"
        write(path, values, attributes, fill, form)
        cases.append((path, values, attributes, fill, excluded))
    results = cells_of_files(command, [case[0] for case in cases], tmp_path)
    for result, (_, values, attributes, fill, excluded) in zip(results, cases):
        wanted = ["nodata" if cell else "ok" for cell in excluded.ravel()]
        assert result["v_status"].tolist() == wanted, (attributes, fill)
        shown = result["v"][~excluded.ravel()].astype(kind).to_numpy()
        assert shown.tolist() == values[~excluded].tolist()


def test_attributes_of_other_types(command: Command, tmp_path: Path) -> None:
    """Attributes are converted to the type of the values; text is not a number."""
    path = tmp_path / "a.nc"
    values = np.zeros(SHAPE, "f4")
    values[0, :4] = [0.1, 0.2, 1e20, 5]
    write(path, values, {"missing_value": np.float64(1e20), "valid_max": np.float64(0.1)})
    statuses = cells(command, path, tmp_path)["v_status"].tolist()
    assert statuses[:6] == ["ok", "nodata", "nodata", "nodata", "ok", "ok"]
    for text, count in (("0.25", 1), ("none", 0)):
        values[0, 1] = 0.25
        write(path, values, {"missing_value": text})
        statuses = cells(command, path, tmp_path)["v_status"].tolist()
        assert statuses.count("nodata") == count
    counts = np.arange(30, dtype="i2").reshape(SHAPE)
    write(path, counts, {"missing_value": np.float64(1), "valid_min": np.float64(0.5)})
    statuses = cells(command, path, tmp_path)["v_status"].tolist()
    assert statuses == ["nodata"] * 2 + ["ok"] * 28
    write(path, counts, {"missing_value": np.array([np.nan, 3]), "valid_max": np.nan})
    statuses = cells(command, path, tmp_path)["v_status"].tolist()
    assert [index for index, status in enumerate(statuses) if status != "ok"] == [3]


def test_packed_values(command: Command, tmp_path: Path) -> None:
    """Missing values and ranges are those of the stored values, before scale and offset."""
    path = tmp_path / "a.nc"
    stored = np.arange(30, dtype="i2").reshape(SHAPE)
    write(path, stored, {"scale_factor": 0.5, "add_offset": 100.0, "missing_value": np.int16(4),
                         "valid_min": np.int16(3)}, fill=np.int16(7))
    result = cells(command, path, tmp_path, "--scaled")
    missing = {0, 1, 2, 4, 7}
    for index, (value, status) in enumerate(zip(result["v"], result["v_status"])):
        assert (status == "nodata") == (index in missing)
        assert status == "nodata" or float(value) == 100 + index / 2


def test_limits_of_doubles(command: Command, tmp_path: Path) -> None:
    """The limits of a range are valid, with all their digits."""
    random = np.random.default_rng(7)
    cases = []
    for number in range(20):
        values = random.uniform(-300, 300, SHAPE)
        low, high = np.sort(random.choice(values.ravel(), 2, replace=False))
        write(tmp_path / f"{number}.nc", values, {"valid_range": np.array([low, high])})
        cases.append((values, low, high))
    paths = [tmp_path / f"{number}.nc" for number in range(len(cases))]
    for result, (values, low, high) in zip(cells_of_files(command, paths, tmp_path), cases):
        statuses = result["v_status"].to_numpy().reshape(SHAPE)
        assert ((statuses == "ok") == ((values >= low) & (values <= high))).all()


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("kind", ["i1", "i2"])
@pytest.mark.parametrize("name", ["valid_range", "missing_value", "none"])
def test_unsigned_values(command: Command, tmp_path: Path, kind: str, form: str,
                         name: str) -> None:
    """Attributes of unsigned values are stored as signed values."""
    path = tmp_path / "a.nc"
    unsigned = np.dtype("u" + kind[1:])
    greatest = np.iinfo(unsigned).max
    values = np.linspace(0, greatest, 30).astype(unsigned).reshape(SHAPE)
    excluded = np.zeros(SHAPE, bool)
    attributes: dict[str, Any] = {"_Unsigned": "true"}
    if name == "valid_range":
        limits = values.ravel()[[17, 25]]
        attributes[name] = limits.view(kind)
        excluded |= (values < limits[0]) | (values > limits[1])
    elif name == "missing_value":
        attributes[name] = values.ravel()[20:21].view(kind)[0]
        excluded |= values == values[3, 2]
    if kind == "i2" and name != "none":
        excluded |= values.view(kind) == netCDF4.default_fillvals[kind]
    write(path, values.view(kind), attributes, form=form)
    result = cells(command, path, tmp_path)
    assert result["v_status"].tolist() == [
        "nodata" if cell else "ok" for cell in excluded.ravel()]
    assert result["v"][~excluded.ravel()].astype(int).tolist() == values[~excluded].tolist()


@pytest.mark.parametrize("layout", [{}, {"chunksizes": (2, 3)},
                                    {"chunksizes": (3, 4), "zlib": True}, {"contiguous": True}])
@pytest.mark.parametrize("is_southward", [False, True])
def test_unsigned_bytes_of_bands(command: Command, tmp_path: Path, layout: Any,
                                 is_southward: bool) -> None:
    """Unsigned bytes that are stored as signed bytes, of several dates and levels, in both orders of rows."""
    path = tmp_path / "a.nc"
    random = np.random.default_rng(11)
    values = random.integers(0, 256, (3, 2, *SHAPE), "u1")
    if "chunksizes" in layout:
        layout = {**layout, "chunksizes": (1, 1, *layout["chunksizes"])}
    rows = np.arange(5.0)[::-1] if is_southward else np.arange(5.0)
    with netCDF4.Dataset(path, "w") as file:
        for name, axis, unit in (("time", np.arange(3.0), "days since 2024-01-01"),
                                 ("level", np.array([850.0, 500.0]), "hPa"),
                                 ("lat", rows, "degrees_north"),
                                 ("lon", np.arange(6.0), "degrees_east")):
            file.createDimension(name, len(axis))
            file.createVariable(name, "f8", (name,)).units = unit
            file[name][:] = axis
        variable = file.createVariable("v", "i1", ("time", "level", "lat", "lon"), **layout)
        variable.set_auto_maskandscale(False)
        variable.setncattr("_Unsigned", "true")
        variable[:] = values.view("i1")
    table = tmp_path / "cells.csv"
    table.write_text("lon,lat\n" + "".join(
        f"{column},{row}\n" for row in rows for column in range(6)))
    for index, level in enumerate((850, 500)):
        text = command("identify", f"v={path}#v[level={level}]", "--points", str(table), "--series",
                       "--crs", "EPSG:4326")
        result = pd.read_csv(io.StringIO(text)).iloc[:, 2:].to_numpy()
        np.testing.assert_array_equal(result, values[:, index].reshape(3, 30).T)


@pytest.mark.parametrize("kind", ["i1", "u1", "i2"])
@pytest.mark.parametrize("layout", [{}, {"chunksizes": (2, 3), "zlib": True}])
@pytest.mark.parametrize("extension", ["h5", "nc"])
def test_signs_of_hdf5(command: Command, tmp_path: Path, kind: str, layout: Any,
                       extension: str) -> None:
    """GDAL's driver of HDF5 reads signed bytes as unsigned bytes."""
    path = tmp_path / f"a.{extension}"
    info = np.iinfo(kind)
    values = np.linspace(info.min, info.max, 30).astype(kind).reshape(SHAPE)
    missing = values[2, 3]
    with netCDF4.Dataset(path, "w") as file:
        for name in ("v", "other"):
            group = file.createGroup("g")
            if name == "v":
                group.createDimension("row", 5)
                group.createDimension("column", 6)
            variable = group.createVariable(name, kind, ("row", "column"), fill_value=missing,
                                            **layout)
            variable.set_auto_maskandscale(False)
            variable[:] = values if name == "v" else values[::-1]
    table = tmp_path / "cells.csv"
    table.write_text("column,row\n" + "".join(
        f"{column},{row}\n" for row in range(5) for column in range(6)))
    for name, expected in (("v", values), ("other", values[::-1])):
        text = command("identify", f'v=HDF5:"{path}"://g/{name}', "--pixels", str(table), "--status")
        result = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
        is_missing = (expected == missing).ravel()
        assert result["v_status"].tolist() == ["nodata" if cell else "ok" for cell in is_missing]
        assert result["v"][~is_missing].astype(int).tolist() == expected.ravel()[~is_missing].tolist()


def test_groups(command: Command, tmp_path: Path) -> None:
    """A variable of a group is named with or without a slash at the beginning."""
    path = tmp_path / "a.nc"
    values = np.arange(30, dtype="i2").reshape(SHAPE)
    with netCDF4.Dataset(path, "w") as file:
        group = file.createGroup("g")
        for name, axis, unit in (("lat", np.arange(5.0), "degrees_north"),
                                 ("lon", np.arange(6.0) + 177, "degrees_east")):
            group.createDimension(name, len(axis))
            variable = group.createVariable(name, "f8", (name,))
            variable.units = unit
            variable[:] = axis
        variable = group.createVariable("v", "i2", ("lat", "lon"))
        variable.missing_value = np.int16(7)
        variable[:] = values
    table = tmp_path / "points.csv"
    table.write_text("lon,lat\n178,1\n-178,1\n179,1\n")
    for name in ("g/v", "/g/v"):
        text = command("identify", f"v={path}#{name}", "--points", str(table), "--status",
                       "--crs", "EPSG:4326")
        assert text.splitlines()[1:] == ["178,1,,nodata", "-178,1,11,ok", "179,1,8,ok"]


def test_wide_integers_are_refused(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    values = np.arange(30, dtype="i8").reshape(SHAPE)
    write(path, values, {"missing_value": np.int64(4)}, fill=np.int64(-1))
    with pytest.raises(AssertionError, match="cannot be applied"):
        cells(command, path, tmp_path)
    write(path, values, {"missing_value": np.int64(4)}, fill=np.int64(4))
    statuses = cells(command, path, tmp_path)["v_status"].tolist()
    assert statuses == ["ok"] * 4 + ["nodata"] + ["ok"] * 25


def test_other_readers(command: Command, tmp_path: Path) -> None:
    """Statistics of areas, and a file with the extension of HDF5."""
    path = tmp_path / "a.h5"
    values = np.arange(30, dtype="i2").reshape(SHAPE)
    write(path, values, {"missing_value": np.int16(3)}, fill=np.int16(4))
    statuses = cells(command, path, tmp_path)["v_status"].tolist()
    assert statuses == ["ok"] * 3 + ["nodata"] * 2 + ["ok"] * 25
    area = tmp_path / "area.geojson"
    area.write_text('{"type":"Polygon","coordinates":[[[-0.5,-0.5],[5.5,-0.5],[5.5,4.5],[-0.5,4.5],'
                    '[-0.5,-0.5]]]}')
    text = command("zonal", f"v={path}#v", "--areas", str(area), "--stat", "min,max,sum,count",
                   "--of", "csv")
    row = pd.read_csv(io.StringIO(text)).iloc[0]
    assert row["v_sum"] == values.sum() - 7 and row["v_count"] == 28


def test_single_times(command: Command, tmp_path: Path) -> None:
    """A variable with one time is the date of a file, even if it is not a dimension."""
    folder = tmp_path / "days"
    folder.mkdir()
    for day in range(3):
        values = np.full(SHAPE, day, "f4")
        write(folder / f"{day}.nc", values, {}, time={
            "time": ("days since 2024-01-01", day, None),
            "reference": ("days since 2020-01-01", 0, "forecast_reference_time")})
    result = cells(command, folder / "*.nc", tmp_path, "--series")
    assert [name for name in result.columns if not name.endswith("_status")] == [
        "lon", "lat", "v_2024-01-01", "v_2024-01-02", "v_2024-01-03"]
    assert result.iloc[0]["v_2024-01-03"] == "2.0"
    # Two times of values are not the time of a file.
    write(folder / "0.nc", np.zeros(SHAPE, "f4"), {}, time={
        "time": ("days since 2024-01-01", 1, None), "end": ("days since 2024-01-01", 2, "time")})
    with pytest.raises(AssertionError, match="has no date"):
        cells(command, folder / "*.nc", tmp_path, "--series")


def test_single_times_of_levels(command: Command, tmp_path: Path) -> None:
    """A selected level of a file with one time has that time."""
    path = tmp_path / "a.nc"
    write(path, np.zeros(SHAPE, "f4"), {}, time={"time": ("days since 2024-01-01", 5, None)})
    with netCDF4.Dataset(path, "a") as file:
        file.createDimension("level", 2)
        level = file.createVariable("level", "f8", ("level",))
        level[:] = [850, 500]
        variable = file.createVariable("w", "f4", ("level", "lat", "lon"))
        variable.coordinates = "time"
        variable[:] = np.arange(60).reshape(2, *SHAPE)
    table = tmp_path / "p.csv"
    table.write_text("lon,lat\n2,1\n")
    for number, name in enumerate(("850", "500")):
        text = command("identify", f"w={path}#w[level={name}]", "--points", str(table), "--series")
        assert text.splitlines() == ["lon,lat,w_2024-01-06", f"2,1,{float(30 * number + 8)}"]


def test_indices(command: Command, tmp_path: Path) -> None:
    """A dimension without coordinates is selected by an index from 0."""
    path = tmp_path / "a.nc"
    write(path, np.zeros(SHAPE, "f4"), {})
    with netCDF4.Dataset(path, "a") as file:
        file.createDimension("member", 3)
        variable = file.createVariable("w", "f4", ("member", "lat", "lon"))
        variable[:] = np.arange(90).reshape(3, *SHAPE)
    for member in range(3):
        text = command("identify", f"{path}#w[member={member}]", "--at", "2,1")
        assert f"{float(30 * member + 8)}" in text
    for index in ("3", "-1", "0.5", "1e30"):
        with pytest.raises(AssertionError, match="member has no coordinate"):
            command("identify", f"{path}#w[member={index}]", "--at", "2,1")


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("seed", range(12))
def test_masked_rows_keep_their_order(command: Command, tmp_path: Path, form: str, seed: int) -> None:
    """Rows are never upside down, however many of them are masked, on any axis."""
    random = np.random.default_rng(seed)
    rows = int(random.choice([2, 3, 5, 30, 64]))
    lat = 10 + np.cumsum(random.uniform(0.4, 0.6, rows)) if seed % 2 else 10 + 0.5 * np.arange(rows)
    if seed % 3:
        lat = lat[::-1]
    values = np.arange(1, 2 * rows * 4 + 1, dtype="f4").reshape(2, rows, 4)
    masked = random.choice(["south", "north", "first", "edges", "constant"])
    half = slice(rows // 2, None) if (masked == "south") == bool(seed % 3) else slice(0, (rows + 1) // 2)
    if masked in ("south", "north"):
        values[0, half] = 8000
    elif masked == "first":
        values[0] = 8000
    elif masked == "edges":
        values[:, : rows // 3] = values[:, rows - rows // 3:] = 8000
    else:
        values[0] = 7
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.set_auto_maskandscale(False)
        for name, axis, unit in (("time", np.arange(2.0), "days since 2020-01-01"),
                                 ("lat", lat, "degrees_north"), ("lon", np.arange(4.0), "degrees_east")):
            file.createDimension(name, len(axis))
            variable = file.createVariable(name, "f8", (name,))
            variable.units = unit
            variable[:] = axis
        variable = file.createVariable("v", "f4", ("time", "lat", "lon"), fill_value=8000)
        if seed % 4 == 0:
            variable.valid_range = np.array([0, 5000], "f4")
        variable[:] = values
    table = tmp_path / "p.csv"
    table.write_text("lon,lat\n" + "".join(f"2,{y!r}\n" for y in lat.tolist()))
    text = command("identify", f"v={path}#v", "--points", str(table), "--series")
    found = pd.read_csv(io.StringIO(text))
    for time in range(2):
        wanted = np.where(values[time, :, 2] == 8000, np.nan, values[time, :, 2])
        np.testing.assert_array_equal(found[f"v_2020-01-0{time + 1}"], wanted)
