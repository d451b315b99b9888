"""Dates of NetCDF variables equal those of xarray and cftime."""

from __future__ import annotations

import datetime as dt
import io
import itertools
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plumb_gis as plumb
import pytest
from conftest import Command, run_command

xr = pytest.importorskip("xarray")
netCDF4 = pytest.importorskip("netCDF4")
cftime = pytest.importorskip("cftime")

DAY = 86_400_000_000


def write(path: Path, values: Any, numbers: Any, units: str, calendar: str | None = None,
          bounds: Any = None, level: Any = None, descending: bool = False,
          packed: bool = False, west: float = -10.0, chunks: Any = None) -> tuple[Any, Any]:
    """A variable v of time, perhaps level, lat and lon; returns the coordinates."""
    rows, columns = values.shape[-2:]
    lat = 40 + 0.5 * np.arange(rows)
    if descending:
        lat = lat[::-1]
    lon = west + 0.5 * np.arange(columns)
    with netCDF4.Dataset(path, "w") as file:
        names = ["time", *(["level"] if level is not None else []), "lat", "lon"]
        for name, size in zip(names, values.shape):
            file.createDimension(name, size)
        time = file.createVariable("time", np.asarray(numbers).dtype, ("time",))
        time.units = units
        if calendar is not None:
            time.calendar = calendar
        if bounds is not None:
            file.createDimension("nv", 2)
            time.bounds = "time_bnds"
            file.createVariable("time_bnds", "f8", ("time", "nv"))[:] = bounds
        time[:] = numbers
        if level is not None:
            file.createVariable("level", "f8", ("level",))[:] = level
        for name, axis, unit in (("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            variable = file.createVariable(name, "f8", (name,))
            variable.units = unit
            variable[:] = axis
        kind = "i2" if packed else values.dtype
        variable = file.createVariable(
            "v", kind, names, zlib=True, fill_value=-32768 if packed else None, chunksizes=chunks)
        if packed:
            variable.scale_factor = 0.01
            variable.add_offset = 270.0
        variable[:] = values
    return lat, lon


def rows(command: Command, *arguments: str) -> pd.DataFrame:
    return pd.read_csv(
        io.StringIO(command("identify", *arguments)), dtype=str, keep_default_na=False)


def points(folder: Path, random: np.random.Generator, count: int = 60, west: float = -10.0,
           times: Any = None) -> tuple[str, pd.DataFrame]:
    frame = pd.DataFrame({
        "lon": west - 0.2 + random.uniform(0, 7.4, count),
        "lat": 39.8 + random.uniform(0, 6.9, count),
    })
    frame["t"] = "" if times is None else [time.isoformat() + "Z" for time in times]
    path = folder / "points.csv"
    frame.to_csv(path, index=False)
    return str(path), frame


AXES: list[tuple[str, str | None, Any]] = [
    ("hours since 1900-01-01 00:00:0.0", "gregorian", 6 * np.arange(40) + 1_086_960),
    ("hours since 1900-01-01", None, np.arange(40.0) * 5.25 + 1_086_960),
    ("days since 2024-02-20", "proleptic_gregorian", np.arange(40)),
    ("days since 0001-01-01 00:00:00", "standard", 738_900 + np.arange(40)),
    ("days since 1582-09-25", "standard", np.arange(40)),
    ("hours since 1500-02-20", "standard", 24 * np.arange(40)),
    ("days since 0001-01-01", "proleptic_gregorian", 738_900 + np.arange(40)),
    ("seconds since 1970-01-01T00:00:00Z", "standard", 1_700_000_000 + 3607 * np.arange(40)),
    ("minutes since 2024-01-01 12:30:15 +05:30", "standard", 17 * np.arange(40)),
    ("days since 2023-12-30", "noleap", np.arange(0, 400, 10)),
    ("days since 2023-12-30 06:00", "365_day", np.arange(0, 400, 10) + 0.25),
    ("days since 2023-02-20", "366_day", np.arange(40)),
    ("days since 2024-01-15", "360_day", np.arange(40) + 0.5),
    ("hours since 2024-01-15", "360_day", 36 * np.arange(40)),
    ("days since 2024-01-01", "julian", np.arange(40) * 3.125),
]


def expected_dates(units: str, calendar: str | None, numbers: Any) -> list[dt.datetime]:
    """The dates by year, month and day; a day that does not exist is the last of its month."""
    out = []
    for date in cftime.num2date(numbers, units, calendar or "standard"):
        last = pd.Period(f"{date.year:04}-{date.month:02}").days_in_month
        out.append(dt.datetime(date.year, date.month, min(date.day, last), date.hour, date.minute,
                               date.second))
    return out


@pytest.mark.parametrize(("units", "calendar", "numbers"), AXES)
def test_axes(command: Command, tmp_path: Path, units: str, calendar: str | None,
              numbers: Any) -> None:
    random = np.random.default_rng(4)
    path = tmp_path / "a.nc"
    values = random.normal(280, 5, (len(numbers), 13, 14)).astype("f4")
    write(path, values, numbers, units, calendar)
    table, frame = points(tmp_path, random)
    result = rows(command, f"{path}#v", "--points", table, "--series", "--long")
    dates = expected_dates(units, calendar, numbers)
    is_day = units.startswith("days") and all(date.time() == dt.time() for date in dates)
    shown = [date.date().isoformat() if is_day else date.isoformat() + "Z" for date in dates]
    unique = list(dict.fromkeys(sorted(shown)))
    assert result["date"].tolist() == unique * len(frame)
    column = np.floor((frame["lon"] + 10.25) / 0.5).astype(int)
    row = np.floor((frame["lat"] - 39.75) / 0.5).astype(int)
    for index in range(len(frame)):
        part = result.iloc[index * len(unique):(index + 1) * len(unique)]
        inside = 0 <= column[index] < 14 and 0 <= row[index] < 13
        assert set(part["status"]) == {"ok" if inside else "outside"}
        if not inside:
            continue
        wanted = [values[shown.index(date), row[index], column[index]] for date in unique]
        assert part["value"].astype("f4").tolist() == wanted


@pytest.mark.parametrize("seed", range(6))
def test_nearest_equals_xarray(command: Command, tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    path = tmp_path / "a.nc"
    count = 120
    numbers = np.sort(random.choice(3000, count, replace=False))
    west = float(random.choice([-10.0, 350.0, 0.0, 176.0]))
    packed = bool(seed % 2)
    values = np.round(random.normal(280, 5, (count, 13, 14)), 2).astype("f4")
    write(path, values, numbers, "hours since 2024-01-01", packed=packed, west=west,
          descending=bool(seed % 3), chunks=(int(random.integers(1, 40)), 5, 7))
    times = [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=int(minute), seconds=7)
             for minute in random.integers(0, 3000 * 60, 60)]
    table, frame = points(tmp_path, random, west=west, times=times)
    result = rows(command, f"v={path}#v", "--points", table, "--when", "t", "--within", "30d",
                  "--scaled", "--status", "--provenance")
    with xr.open_dataset(path) as data:
        inside = ((frame["lon"] > west - 0.25) & (frame["lon"] < west + 6.75)
                  & (frame["lat"] > 39.75) & (frame["lat"] < 46.25)).to_numpy()
        found = data["v"].sel(
            time=xr.DataArray(np.array(times, "M8[ns]"), dims="p"),
            lat=xr.DataArray(frame["lat"].to_numpy(), dims="p"),
            lon=xr.DataArray(frame["lon"].to_numpy(), dims="p"),
            method="nearest")
        assert (result["v_status"] == "ok").tolist() == inside.tolist()
        shown = result["v"][inside].astype(float)
        np.testing.assert_allclose(shown, found.values[inside], rtol=0, atol=1e-4)
        moments = pd.to_datetime(result["v_date"][inside]).dt.tz_localize(None)
        assert moments.tolist() == pd.to_datetime(found["time"].values[inside]).tolist()
    assert set(result["v_file"][inside]) == {f"{path}#v"}


def test_bounds(command: Command, tmp_path: Path) -> None:
    """Monthly means: the middle of the month, without a time of day only if it is noon."""
    path = tmp_path / "a.nc"
    starts = np.array([0.0, 31, 60, 91])
    write(path, np.zeros((3, 5, 5), "f4"), starts[:3], "days since 2024-01-01",
          bounds=np.stack([starts[:3], starts[1:]], axis=1))
    info = command("info", f"{path}#v").splitlines()
    assert "firstDate: 2024-01-16" in info and "lastDate: 2024-03-16" in info
    write(path, np.zeros((3, 5, 5), "f4"), starts[:3] * 24, "hours since 2024-01-01",
          bounds=np.stack([starts[:3], starts[1:]], axis=1) * 24)
    info = command("info", f"{path}#v").splitlines()
    assert "firstDate: 2024-01-16T12:00:00Z" in info and "lastDate: 2024-03-16T12:00:00Z" in info
    write(path, np.zeros((3, 5, 5), "f4"), starts[:3], "days since 2024-01-01",
          bounds=np.stack([starts[:3], starts[:3] + 1], axis=1))
    info = command("info", f"{path}#v").splitlines()
    assert "firstDate: 2024-01-01" in info and "lastDate: 2024-03-01" in info


def test_levels(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    path = tmp_path / "a=b.nc"
    values = random.normal(0, 1, (20, 3, 13, 14)).astype("f4")
    write(path, values, np.arange(20), "days since 2024-01-01", level=[1000.0, 500, 200.5])
    table, frame = points(tmp_path, random)
    for index, level in enumerate(("1000", "5e2", "200.5")):
        result = rows(
            command, f"t={path}#v[level={level}]", "--points", table, "--series", "--long")
        first = result.iloc[:20]
        column = int((frame["lon"][0] + 10.25) // 0.5)
        row = int((frame["lat"][0] - 39.75) // 0.5)
        assert first["value"].astype("f4").tolist() == values[:, index, row, column].tolist()
    for text, message in (
            ("#v", "select one of the 3 coordinates of level, such as v[level=1000]"),
            ("#v[level=400]", "level has no coordinate 400"),
            ("#v[depth=1]", "v has no dimension depth; its dimensions besides x and y are time, level"),
            ("#v[level=x]", "as a number, such as level=500"),
            ("#w", "w")):
        with pytest.raises(AssertionError, match=message.replace("[", r"\[").split("; ")[0]):
            command("identify", f"{path}{text}", "--points", table)


def test_files_of_several_years(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    all_values = []
    for year in (2023, 2024):
        values = random.normal(0, 1, (12, 13, 14)).astype("f4")
        all_values.append(values)
        write(tmp_path / f"v_{year}.nc", values, np.arange(12) * 30, f"days since {year}-01-05")
    table, frame = points(tmp_path, random)
    result = rows(command, f"v={tmp_path}/v_*.nc#v", "--points", table, "--series", "--long",
                  "--from", "2023-06-01", "--to", "2024-05-01")
    dates = result["date"].unique()
    assert len(dates) == 7 + 4
    column = int((frame["lon"][0] + 10.25) // 0.5)
    row = int((frame["lat"][0] - 39.75) // 0.5)
    wanted = np.concatenate(all_values)[5:16, row, column]
    assert result["value"][:11].astype("f4").tolist() == wanted.tolist()


def test_files_of_different_lengths(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(9)
    for year, count in ((2019, 5), (2020, 7)):
        write(tmp_path / f"v_{year}.nc", random.normal(0, 1, (count, 13, 14)).astype("f4"),
              np.arange(count), f"days since {year}-01-05")
    table, _ = points(tmp_path, random)
    result = rows(command, f"v={tmp_path}/v_*.nc#v", "--points", table, "--series")
    assert len(result.columns) == 3 + 12
    with pytest.raises(AssertionError, match="have dates: give --when or --series"):
        command("identify", f"v={tmp_path}/v_*.nc#v", "--points", table)


@pytest.mark.parametrize("uneven", [False, True])
def test_kilometres(command: Command, tmp_path: Path, uneven: bool) -> None:
    """Axes in kilometres are converted to the metres of the CRS."""
    from pyproj import CRS

    path = tmp_path / "a.nc"
    x = 3000 + 10.0 * np.arange(12)
    y = 2000 + 10.0 * np.arange(10)
    if uneven:
        y = y + 0.3 * np.arange(10) ** 2
    values = np.arange(240.0).reshape(2, 10, 12)
    with netCDF4.Dataset(path, "w") as file:
        for name, axis, units in (("time", [0, 1], "days since 2024-01-01"), ("y", y, "km"),
                                  ("x", x, "km")):
            file.createDimension(name, len(axis))
            variable = file.createVariable(name, "f8", (name,))
            variable.units = units
            if name != "time":
                variable.standard_name = f"projection_{name}_coordinate"
            variable[:] = axis
        variable = file.createVariable("v", "f8", ("time", "y", "x"))
        variable[:] = values
        variable.grid_mapping = "crs"
        crs = file.createVariable("crs", "i4")
        for name, value in CRS("EPSG:3035").to_cf().items():
            if value is not None:
                crs.setncattr(name, value)
    table = tmp_path / "p.csv"
    table.write_text("x,y\n" + "".join(
        f"{1000 * x[column]},{1000 * y[row]}\n" for row in range(10) for column in range(12)))
    result = rows(
        command, f"{path}#v", "--points", str(table), "--crs", "EPSG:3035", "--series")
    assert result["v_2024-01-02"].astype(float).tolist() == values[1].ravel().tolist()


def test_hours_are_not_joined_to_days(command: Command, tmp_path: Path) -> None:
    """Tiles of hourly values remain hourly; `day` is rejected, because it would use only the first
    hour of each day.
    """
    random = np.random.default_rng(3)
    for name, west in (("a", -10.0), ("b", 0.0)):
        write(tmp_path / f"v_{name}.nc", random.normal(0, 1, (4, 13, 14)).astype("f4"),
              np.arange(4) * 6, "hours since 2024-01-01", west=west)
    table, _ = points(tmp_path, random)
    given = [f"v={tmp_path}/v_*.nc#v", "--points", table, "--series"]
    assert len(rows(command, *given).columns) == 3 + 4
    with pytest.raises(AssertionError, match="has several times on 2024-01-01: set --group time"):
        command("identify", *given, "--group", "day")


def test_libraries_print_nothing(command: Command, tmp_path: Path) -> None:
    """HDF5 has a setting for each thread that prints the errors that netCDF expects."""
    for year in range(2015, 2023):
        write(tmp_path / f"v_{year}.nc", np.zeros((3, 5, 5), "f4"), np.arange(3),
              f"days since {year}-01-05")
    table = tmp_path / "p.csv"
    table.write_text("lon,lat\n-9,41\n")
    # A new process: the test is about what libraries print when they are loaded.
    done = subprocess.run(
        [command.path, "identify", f"v={tmp_path}/v_*.nc#v", "--points", str(table), "--series",
         "-q", "--threads", "4"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_middles_of_periods(command: Command, tmp_path: Path) -> None:
    """The middle of two days is midnight, in any unit."""
    path = tmp_path / "a.nc"
    for factor, unit in ((1, "days"), (24, "hours")):
        starts = np.array([0.0, 2, 4]) * factor
        write(path, np.zeros((3, 5, 5), "f4"), starts, f"{unit} since 2024-01-01",
              bounds=np.stack([starts, starts + 2 * factor], axis=1))
        info = command("info", f"{path}#v").splitlines()
        assert "firstDate: 2024-01-02T00:00:00Z" in info


def test_other_axes_of_time(command: Command, tmp_path: Path) -> None:
    """A reference time or an unknown calendar does not result in dates."""
    path = tmp_path / "a.nc"
    for units, name, message in (("days since 2024-01-01", "forecast_reference_time", "unknown"),
                                 ("months since 2024-01-01", "time", "units, calendar or values"),
                                 ("days since 9999999-01-01", "time", "units, calendar or values")):
        write(path, np.zeros((3, 5, 5), "f4"), np.arange(3), units)
        with netCDF4.Dataset(path, "a") as file:
            file["time"].standard_name = name
        with pytest.raises(AssertionError, match=message):
            command("info", f"{path}#v")
        command("info", f"{path}#v[time=1]")


def test_ranges_of_bytes(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    write(path, np.full((1, 5, 5), 3, "u1"), [0], "days since 2024-01-01")
    for limits, shown in (([10, 120], "nodata"), ([3, 120], "ok")):
        with netCDF4.Dataset(path, "a") as file:
            file["v"].valid_range = np.array(limits, "u1")
        assert f"Status: {shown}" in command("identify", f"{path}#v", "--at", "-9,41")


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"])
@pytest.mark.parametrize("is_upright", [False, True])
def test_missing_values(command: Command, tmp_path: Path, dtype: str, is_upright: bool) -> None:
    """The cells without data are those of netCDF4: NaN, fill values and values outside the range."""
    shape = (2, 4, 5)
    places = [(x + 0.5, y + 0.5) for y in range(shape[1]) for x in range(shape[2])]
    (tmp_path / "p.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in places))
    wanted, cases = [], []
    for fill, limits, packed, layout in itertools.product(
            (False, None, 7), (None, (-10, 10), (0, 10)), (False, True),
            ({}, {"zlib": True}, {"contiguous": True})):
        if dtype[0] == "u" and limits == (-10, 10):
            continue
        path = tmp_path / f"{len(cases)}.nc"
        values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        if dtype[0] != "u":
            values[:, 0] -= 12
        if dtype[0] == "f":
            values[0, 1, 2] = values[1, 3, 4] = np.nan
        with netCDF4.Dataset(path, "w") as file:
            for name, size in zip(("time", "lat", "lon"), shape):
                file.createDimension(name, size)
                axis = file.createVariable(name, "f8", (name,))
                axis.units = {"time": "days since 2025-01-01", "lat": "degrees_north",
                              "lon": "degrees_east"}[name]
                numbers = np.arange(size) + (0.0 if name == "time" else 0.5)
                axis[:] = numbers[::-1] if name == "lat" and is_upright else numbers
            variable = file.createVariable("v", dtype, ("time", "lat", "lon"), fill_value=fill, **layout)
            variable.set_auto_maskandscale(False)
            if limits:
                variable.setncattr("valid_range", np.array(limits, dtype))
            if packed:
                variable.scale_factor = 0.5
            variable[:] = values
        with netCDF4.Dataset(path) as file:
            file["v"].set_auto_scale(False)
            file["v"].set_always_mask(True)
            masked = np.ma.masked_invalid(file["v"][:])
        wanted.append(masked[:, ::-1] if is_upright else masked)
        cases.append((fill, limits, packed, layout))
    # One run for all files, because a run takes longer than the reads.
    frame = rows(command, *(f"v{index}={tmp_path}/{index}.nc#v" for index in range(len(cases))),
                 "--points", str(tmp_path / "p.csv"), "--series")
    assert len(frame.columns) == 2 + 2 * len(cases)
    for index, case in enumerate(cases):
        for number, date in enumerate(("2025-01-01", "2025-01-02")):
            found = pd.to_numeric(frame[f"v{index}_{date}"].replace("", np.nan)).to_numpy()
            expected = wanted[index][number].astype("f8").filled(np.nan).ravel()
            np.testing.assert_array_equal(found, expected, str(case))


def test_several_variables(tmp_path: Path) -> None:
    path = tmp_path / "two.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("lat", 4), ("lon", 5)):
            file.createDimension(name, size)
        for group, name in ((file, "a"), (file, "b"), (file.createGroup("more"), "c")):
            group.createVariable(name, "f4", ("lat", "lon"))[:] = 1
    names = f"{path} has 3 variables, a, b, more/c: name one, such as {path}#a"
    for argument, message in ((path, names), (f"{path}#x", f"{path}#x cannot be read: {names}")):
        with pytest.raises(plumb.PlumbError) as error:
            plumb.Stack(str(argument))
        assert str(error.value) == message
    plumb.Stack(f"{path}#more/c", pixels=True).close()


def test_conditions_on_variables(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    values = random.normal(0, 1, (30, 13, 14)).astype("f4")
    quality = random.integers(0, 8, (30, 13, 14)).astype("i2")
    write(tmp_path / "v.nc", values, np.arange(30), "days since 2024-01-01")
    write(tmp_path / "q.nc", quality, np.arange(30), "days since 2024-01-01")
    times = [dt.datetime(2024, 1, int(day), 12) for day in random.integers(1, 31, 60)]
    table, frame = points(tmp_path, random, times=times)
    result = rows(command, f"v={tmp_path}/v.nc#v", f"q={tmp_path}/q.nc#v", "--points", table,
                  "--when", "t", "--within", "4d", "--valid", "(q & 3) = 0", "--status")
    column = np.floor((frame["lon"] + 10.25) / 0.5).astype(int)
    row = np.floor((frame["lat"] - 39.75) / 0.5).astype(int)
    seen = set()
    for index, time in enumerate(times):
        if not (0 <= column[index] < 14 and 0 <= row[index] < 13):
            continue
        day = time.day - 1
        order = sorted((abs(date - day), date) for date in range(30) if abs(date - day) <= 4)
        good = [date for _, date in order if quality[date, row[index], column[index]] & 3 == 0]
        seen.add(result["v_status"][index])
        if not good:
            assert result["v_status"][index] == "no_valid"
            continue
        assert np.float32(result["v"][index]) == values[good[0], row[index], column[index]]
        assert result["v_tried"][index] == str([date for _, date in order].index(good[0]) + 1)
    assert "ok" in seen


def test_names_of_bands(command: Command, tmp_path: Path) -> None:
    import rasterio

    path = tmp_path / "stack.tif"
    with rasterio.open(path, "w", driver="GTiff", height=4, width=4, count=3, dtype="uint8",
                       crs="EPSG:4326", transform=rasterio.Affine(1, 0, 0, 0, -1, 4)) as target:
        for band, date in enumerate(("2024-05-01", "2024-04-01", "2024-06-01"), 1):
            target.write(np.full((4, 4), band, "uint8"), band)
            target.set_band_description(band, date)
    table = tmp_path / "p.csv"
    table.write_text("x,y,t\n1,1,2024-04-20\n1,1,2024-05-25\n")
    result = rows(command, str(path), "--points", str(table), "--when", "t", "--within", "30d")
    assert result["stack"].tolist() == ["1", "3"]
    assert result["stack_date"].tolist() == ["2024-05-01", "2024-06-01"]
    result = rows(command, str(path), "--points", str(table), "--series")
    assert result.columns[3:].tolist() == [
        "stack_2024-04-01", "stack_2024-05-01", "stack_2024-06-01"]
    assert result.iloc[0, 3:].tolist() == ["2", "1", "3"]


def test_frames(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    path = tmp_path / "a.nc"
    values = random.normal(0, 1, (10, 13, 14)).astype("f4")
    write(path, values, np.arange(10) * 6, "hours since 2024-01-01")
    frame = pd.DataFrame({"lon": [-9.0, -5.0], "lat": [41.0, 42.0]})
    wide = plumb.series(f"v={path}#v", frame)
    assert wide.columns[2:4].tolist() == ["v_2024-01-01T00:00Z", "v_2024-01-01T06:00Z"]
    dataset = plumb.series(f"v={path}#v", frame, out="xarray")
    with xr.open_dataset(path) as data:
        wanted = data["v"].sel(lat=xr.DataArray([41.0, 42.0], dims="point"),
                               lon=xr.DataArray([-9.0, -5.0], dims="point"))
        np.testing.assert_array_equal(dataset["v"].values, wanted.values.T)
    with plumb.Stack({"v": f"{path}#v"}) as stack:
        assert len(stack.dates["v"]) == 10
        found = stack.sample(
            frame, when=np.array(["2024-01-01T07:00", "2024-01-02T01:00"], "M8[s]"), within="6h")
        assert found["v_days"].tolist() == pytest.approx([-1 / 24, -1 / 24])


@pytest.mark.parametrize("group", [None, "inner"])
@pytest.mark.parametrize("kind", ["projected", "spatial_ref", "kilometres", "NAD27", "ellipsoid", "extended"])
def test_grid_mappings_of_zarr(command: Command, tmp_path: Path, kind: str, group: str | None) -> None:
    """Stores of xarray have their CRS in the grid mapping, which GDAL does not read."""
    pyproj = pytest.importorskip("pyproj")
    isProjected = kind in ("projected", "spatial_ref", "kilometres")
    crs = pyproj.CRS(3035 if isProjected else 4267)
    mapping = crs.to_cf()
    if kind == "spatial_ref":
        mapping = {"spatial_ref": mapping["crs_wkt"]}
    if kind == "ellipsoid":
        del mapping["crs_wkt"]
        crs = pyproj.CRS(f"+proj=longlat +a={mapping['semi_major_axis']} +b={mapping['semi_minor_axis']}")
    step = 1000.0 if isProjected else 0.001
    x, y = ((4_000_000, 3_000_000) if isProjected else (-100.0, 40.0))
    xs, ys = x + step * np.arange(30), y - step * np.arange(20)
    random = np.random.default_rng(7)
    values = random.uniform(0, 1, (2, 20, 30))
    names = ("y", "x") if isProjected else ("lat", "lon")
    units = ["degrees_north", "degrees_east"]
    if isProjected:
        units = ["km"] * 2 if kind == "kilometres" else ["m"] * 2
    shown = 0.001 if kind == "kilometres" else 1
    attributes = [{"units": unit} for unit in units]
    if isProjected:
        for axis, name in zip(attributes, "yx"):
            axis["standard_name"] = f"projection_{name}_coordinate"
    data = xr.Dataset(
        {"v": (("time", *names), values, {
            "grid_mapping": f"crs: {names[1]} {names[0]}" if kind == "extended" else "crs"}),
         "crs": ((), 0, mapping)},
        coords={"time": pd.date_range("2024-01-01", periods=2),
                names[0]: (names[0], ys * shown, attributes[0]), names[1]: (names[1], xs * shown, attributes[1])})
    data.to_zarr(tmp_path / "a.zarr", zarr_format=2, mode="w", group=group)
    columns, lines = random.integers(0, 30, 50), random.integers(0, 20, 50)
    inside = random.uniform(-0.4, 0.4, (2, 50)) * step
    lon, lat = pyproj.Transformer.from_crs(crs, 4326, always_xy=True).transform(
        xs[columns] + inside[0], ys[lines] + inside[1])
    pd.DataFrame({"lon": lon, "lat": lat}).to_csv(tmp_path / "p.csv", index=False)
    variable = f"v={tmp_path}/a.zarr#{group}/v" if group else f"v={tmp_path}/a.zarr#v"
    table = pd.read_csv(io.StringIO(command(
        "identify", variable, "--points", str(tmp_path / "p.csv"), "--crs", "EPSG:4326", "--series")))
    assert (table["v_2024-01-01"].to_numpy() == values[0, lines, columns]).all()
    assert (table["v_2024-01-02"].to_numpy() == values[1, lines, columns]).all()


def test_unknown_grid_mapping_of_zarr(command: Command, tmp_path: Path) -> None:
    """A projected grid mapping without WKT is reported; one without a datum is that of EPSG:4326."""
    for mapping, names, unit, message in [
            ({"grid_mapping_name": "transverse_mercator"}, "yx", ("m", "m"), "has no crs_wkt"),
            # A PROJ string can name files.
            ({"crs_wkt": "+proj=utm +zone=33 +datum=WGS84"}, "yx", ("m", "m"), "has no crs_wkt that can be read"),
            ({"spatial_ref": "PROJCS[\"damaged"}, "yx", ("m", "m"), "has no crs_wkt that can be read"),
            ({"grid_mapping_name": "latitude_longitude"}, ("lat", "lon"), ("degrees_north", "degrees_east"),
             "its grid mapping has no datum: EPSG:4326 is assumed")]:
        xr.Dataset(
            {"v": (tuple(names), np.arange(6.0).reshape(2, 3), {"grid_mapping": "crs"}), "crs": ((), 0, mapping)},
            coords={names[0]: (names[0], [2.0, 1.0], {"units": unit[0]}),
                    names[1]: (names[1], [1.0, 2.0, 3.0], {"units": unit[1]})},
        ).to_zarr(tmp_path / "a.zarr", zarr_format=2, mode="w")
        done = run_command(
            [command.path, "identify", f"v={tmp_path}/a.zarr#v", "--at", "2.1,1.1", "--crs", "EPSG:4326"],
            capture_output=True, text=True, timeout=60)
        assert message in done.stderr, done
