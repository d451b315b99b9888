"""Dates matched in Python equal those of the command, for points of every kind."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import plumb_gis as plumb
import polars as pl
import pyarrow as pa
import pytest
import rasterio
import xarray as xr
from conftest import Command

TRANSFORM = rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)
CRS = "EPSG:32734"


def write(path: Path, values: Any, nodata: float | None, **options: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    with rasterio.open(
            path, "w", driver="GTiff", height=values.shape[0], width=values.shape[1], count=1,
            dtype=values.dtype, crs=CRS, transform=TRANSFORM, nodata=nodata, tiled=True,
            blockxsize=16, blockysize=16, **options) as target:
        target.write(values, 1)


class Data:
    """Two stacks with dates, and observations."""

    def __init__(self, folder: Path, seed: int = 5, pattern: str = "%Y%j") -> None:
        random = np.random.default_rng(seed)
        self.dates = [dt.datetime(2024, 12, 2) + dt.timedelta(days=int(day))
                      for day in np.cumsum(random.integers(1, 20, 14))]
        if "%H" in pattern:
            self.dates = [date + dt.timedelta(minutes=int(random.integers(0, 1440)))
                          for date in self.dates]
        for date in self.dates:
            stem = date.strftime(pattern)
            values = random.integers(-5, 2000, (40, 30)).astype("int16")
            write(folder / "evi" / f"evi_{stem}.tif", values, -5)
            write(folder / "qa" / f"qa_{stem}.tif",
                  random.integers(0, 16, (40, 30)).astype("uint8"), None)
        self.arguments = [f"evi={folder}/evi/*.tif", f"qa={folder}/qa/*.tif"]
        self.patterns = [f"evi_{pattern}", f"qa_{pattern}"]
        self.rasters = {"evi": f"{folder}/evi/*.tif", "qa": f"{folder}/qa/*.tif"}
        count = 300
        seconds = random.integers(0, 200 * 86_400, count)
        self.frame = pd.DataFrame({
            "id": [f"p{index}" for index in range(count)],
            "x": 300_000 + random.uniform(-100, 3_100, count),
            "y": 6_240_000 - random.uniform(-100, 4_100, count),
            "when": pd.to_datetime("2024-12-01") + pd.to_timedelta(seconds, unit="s"),
        })
        self.frame.loc[7, "when"] = pd.NaT
        self.table = folder / "points.csv"
        shown = self.frame.copy()
        shown["when"] = [
            "" if pd.isna(time) else time.isoformat() + "Z" for time in shown["when"]]
        shown.to_csv(self.table, index=False)

    def command(self, command: Command, *arguments: str) -> pd.DataFrame:
        dates = [word for pattern in self.patterns for word in ("--dates", pattern)]
        return pd.read_csv(
            io.StringIO(command(
                "identify", *self.arguments, *dates, "--points", str(self.table), "--crs", CRS,
                *arguments)),
            dtype=str, keep_default_na=False)


def texts(column: Any) -> list[str]:
    """Values as the command writes them."""
    out = []
    for value in column:
        if value is None or value is pd.NA or value is pd.NaT or value != value:
            out.append("")
        elif isinstance(value, (pd.Timestamp, dt.datetime)):
            zone = "Z" if value.tzinfo is not None else ""
            text = value.strftime("%Y-%m-%dT%H:%M:%S") + zone
            out.append(text if zone else text[:10])
        elif isinstance(value, dt.date):
            out.append(value.isoformat())
        else:
            out.append(str(value))
    return out


def numbers(column: Any) -> list[float]:
    return [float("nan") if text == "" else float(text) for text in column]


def same(found: pd.DataFrame, wanted: pd.DataFrame) -> None:
    assert list(found.columns)[-len(wanted.columns) + 4:] == list(wanted.columns)[4:]
    for name in wanted.columns[4:]:
        if name.endswith(("_date", "_status", "_file")):
            assert texts(found[name]) == wanted[name].tolist(), name
        else:
            np.testing.assert_array_equal(
                np.array(numbers(texts(found[name]))), np.array(numbers(wanted[name])), name)


OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (["--within", "8d"], {"within": "8d"}),
    (["--within", "8d", "--match", "before"], {"within": "8d", "match": "before"}),
    (["--within", "12h", "--match", "after"], {"within": "12h", "match": "after"}),
    (["--within", "30d", "--valid", "(qa & 3) == 0"],
     {"within": "30d", "valid": "(qa & 3) == 0"}),
    (["--within", "30d", "--valid", "qa < 9", "--interpolate", "linear"],
     {"within": "30d", "valid": "qa < 9", "interpolate": "linear"}),
    (["--within", "60d", "--reduce", "mean,min,max,count,slope"],
     {"within": "60d", "reduce": ["mean", "min", "max", "count", "slope"]}),
    (["--within", "20d", "-r", "bilinear"], {"within": "20d", "resampling": "bilinear"}),
]


@pytest.mark.parametrize("pattern", ["%Y%j", "%Y%m%dT%H%M%S"])
@pytest.mark.parametrize(("arguments", "options"), OPTIONS)
def test_frames_equal_the_command(
        command: Command, tmp_path: Path, pattern: str, arguments: list[str],
        options: dict[str, Any]) -> None:
    data = Data(tmp_path, pattern=pattern)
    wanted = data.command(command, "--when", "when", "--status", *arguments)
    with pytest.warns(plumb.PlumbWarning):
        found = plumb.sample(data.rasters, data.frame, crs=CRS, dates=data.patterns, when="when",
                             status=True, **options)
    assert isinstance(found, pd.DataFrame)
    same(found, wanted)
    assert found.index.equals(data.frame.index)


@pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")
@pytest.mark.parametrize("within", [
    pd.Timedelta("8d12h"), np.timedelta64(204, "h"), dt.timedelta(days=8.5)])
def test_durations(tmp_path: Path, within: Any) -> None:
    data = Data(tmp_path)
    given: dict[str, Any] = dict(crs=CRS, dates=data.patterns, when="when")
    wanted = plumb.sample(data.rasters, data.frame, within="204h", **given)
    pd.testing.assert_frame_equal(plumb.sample(data.rasters, data.frame, within=within, **given), wanted)


@pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")
def test_points_of_every_kind(command: Command, tmp_path: Path) -> None:
    data = Data(tmp_path)
    wanted = data.command(command, "--when", "when", "--within", "9d", "--status", "--provenance",
                          "--valid", "qa > 3")
    frame = data.frame
    given: dict[str, Any] = dict(
        dates=data.patterns, within="9d", valid="qa > 3", status=True, provenance=True)
    points = gpd.points_from_xy(frame["x"], frame["y"], crs=CRS)
    geo = plumb.sample(
        data.rasters, gpd.GeoDataFrame(frame[["id", "when"]], geometry=points), when="when",
        **given)
    assert isinstance(geo, gpd.GeoDataFrame)
    same(geo, wanted)
    table = plumb.sample(
        data.rasters, pa.Table.from_pandas(frame), crs=CRS, when="when", **given)
    assert isinstance(table, pa.Table)
    same(table.to_pandas(), wanted)
    polars = plumb.sample(data.rasters, pl.from_pandas(frame), crs=CRS, when="when", **given)
    assert isinstance(polars, pl.DataFrame)
    same(polars.to_pandas(), wanted)
    arrays = plumb.sample(
        data.rasters, frame["x"].to_numpy(), frame["y"].to_numpy(), crs=CRS,
        when=frame["when"].to_numpy(), **given)
    assert isinstance(arrays, plumb.DatedResult)
    same(arrays.to_pandas(), wanted)
    assert arrays["evi_status"].tolist() == wanted["evi_status"].tolist()
    assert pa.table(arrays).column_names == arrays.columns
    with plumb.Stack(data.rasters, dates=data.patterns) as stack:
        assert stack.dates["evi"].astype("M8[s]").tolist() == data.dates
        given.pop("dates")
        for _ in range(2):
            same(stack.sample(frame, crs=CRS, when="when", **given), wanted)
        same(plumb.sample(stack, frame, crs=CRS, when="when", **given), wanted)
        with pytest.raises(plumb.PlumbTypeError, match="the rasters have dates: give when="):
            stack.sample(frame, crs=CRS)


@pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")
def test_times_of_every_kind(tmp_path: Path) -> None:
    data = Data(tmp_path, pattern="%Y%m%dT%H%M%S")
    frame = data.frame.drop(index=7).reset_index(drop=True)
    moments = frame["when"]
    seconds = moments.astype("M8[s]").astype("int64")

    def days(when: Any) -> list[float]:
        table = frame.assign(t=when) if not isinstance(when, str) else frame.assign(t=moments)
        found = plumb.sample(data.rasters["evi"], table, crs=CRS, dates="evi_%Y%m%dT%H%M%S",
                             when=when if isinstance(when, str) else "t", within="40d")
        return [float(value) for value in found[found.columns[-1]]]

    wanted = days(moments)
    assert not all(np.isnan(wanted))
    for when in (
            moments.dt.tz_localize("UTC"), moments.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
            moments.astype("M8[s]"), moments.astype(object), moments.astype(str), seconds,
            seconds.astype(float), seconds * 1000, moments.dt.strftime("%Y-%m-%dT%H:%M:%S+00:00"),
            pd.Series([time.to_pydatetime() for time in moments], dtype=object)):
        np.testing.assert_array_equal(days(when), wanted, str(when.dtype))
    for name, values in {
            "t:%d/%m/%Y %H.%M.%S": moments.dt.strftime("%d/%m/%Y %H.%M.%S"),
            "t:%Y%m%d%H%M%S": moments.dt.strftime("%Y%m%d%H%M%S").astype("int64"),
            "t:us": seconds * 1_000_000, "t:ns": seconds * 1_000_000_000}.items():
        table = frame.assign(t=values)
        found = plumb.sample(data.rasters["evi"], table, crs=CRS, dates="evi_%Y%m%dT%H%M%S",
                             when=name, within="40d")
        np.testing.assert_array_equal(found[found.columns[-1]].astype(float), wanted, name)


def test_dates_count_as_noon(tmp_path: Path) -> None:
    data = Data(tmp_path, pattern="%Y%m%dT%H%M%S")
    days = data.frame["when"].dt.floor("D").drop(index=7).reset_index(drop=True)
    frame = data.frame.drop(index=7).reset_index(drop=True)
    noon = plumb.sample(
        data.rasters, frame.assign(when=days + pd.Timedelta(hours=12)), crs=CRS,
        dates=data.patterns, when="when", within="40d")
    for when in (days.dt.strftime("%Y-%m-%d"), days.dt.date,
                 days.dt.strftime("%Y-%m-%d").astype("string")):
        with pytest.warns(plumb.PlumbWarning, match="count as 12:00 UTC"):
            found = plumb.sample(data.rasters, frame.assign(when=when), crs=CRS,
                                 dates=data.patterns, when="when", within="40d")
        assert found["evi_days"].equals(noon["evi_days"])
    for when in (days.to_numpy().astype("M8[D]"), pa.array(days.dt.date.tolist()),
                 pl.Series(days.dt.date.tolist())):
        with pytest.warns(plumb.PlumbWarning, match="count as 12:00 UTC"):
            result = plumb.sample(
                data.rasters, frame["x"], frame["y"], crs=CRS, dates=data.patterns, when=when,
                within="40d")
        assert result.to_pandas()["evi_days"].equals(noon["evi_days"])


@pytest.mark.parametrize("pattern", ["%Y%j", "%Y%m%dT%H%M%S"])
def test_datetimes_at_midnight(tmp_path: Path, pattern: str) -> None:
    """Naive datetimes of pandas and NumPy are dates if the rasters have dates; others never."""
    data = Data(tmp_path, pattern=pattern)
    frame = data.frame.drop(index=7).reset_index(drop=True)
    days = data.frame["when"].dt.floor("D").drop(index=7).reset_index(drop=True)

    def sample(when: Any) -> Any:
        result = plumb.sample(data.rasters, frame["x"], frame["y"], crs=CRS, dates=data.patterns,
                              when=when, within="40d")
        return result.to_pandas()["evi_days"].fillna(-999).tolist()

    exact = sample(days.dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
    noon = sample((days + pd.Timedelta(hours=12)).dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert exact != noon
    for when in (days, days.to_numpy(), days.to_numpy().tolist(), days.astype(object)):
        if "H" in pattern:
            assert sample(when) == exact
            continue
        with pytest.warns(plumb.PlumbWarning, match="count as 12:00 UTC"):
            assert sample(when) == noon
    zoned = days.dt.tz_localize("UTC")
    for when in (zoned, zoned.dt.tz_convert("Asia/Tokyo"), zoned.astype(object),
                 pl.Series(days.tolist()), pa.array(days.tolist(), pa.timestamp("us"))):
        if "H" in pattern:
            assert sample(when) == exact, type(when)
        else:
            with pytest.warns(plumb.PlumbWarning, match="all times are 00:00 UTC") as caught:
                assert sample(when) == exact, type(when)
            assert caught[0].filename == __file__
    for missing in (None, float("nan"), pd.NaT, pd.NA):
        times = days.astype(object)
        times[0] = missing
        assert sample(times)[1:] == (exact if "H" in pattern else noon)[1:], missing
    # The rows of a batch do not change the times of other rows.
    table = pl.DataFrame({"x": frame["x"], "y": frame["y"], "t": days.to_numpy()})
    table = table.with_columns(pl.col("t").cast(pl.Datetime("us")))
    given = dict(crs=CRS, dates=data.patterns, when="t", within="40d")
    lazy = plumb.sample(data.rasters, table.lazy(), **given).collect()
    assert lazy["evi_days"].equals(plumb.sample(data.rasters, table, **given)["evi_days"])


def test_times_with_another_index(tmp_path: Path) -> None:
    """Times in a series are matched by index, as coordinates are."""
    data = Data(tmp_path)
    frame = data.frame
    for points in ((frame,), (frame["x"], frame["y"])):
        given = dict(crs=CRS, dates=data.patterns, within="40d")
        plumb.sample(data.rasters, *points, when=frame["when"], **given)
        plumb.sample(data.rasters, *points, when=frame["when"].iloc[::-1].to_numpy(), **given)
        with pytest.raises(plumb.PlumbValueError, match="the index of the points differs"):
            plumb.sample(data.rasters, *points, when=frame["when"].iloc[::-1], **given)


def test_series_of_distant_dates(tmp_path: Path) -> None:
    """Dates that nanoseconds cannot represent."""
    for year in (1668, 2000, 2297):
        with rasterio.open(tmp_path / f"a_{year}0214.tif", "w", driver="GTiff", width=2, height=2,
                           count=1, dtype="int16", crs="EPSG:32734",
                           transform=rasterio.Affine(10, 0, 0, 0, -10, 20)) as file:
            file.write(np.full((1, 2, 2), year, "int16"))
    given = dict(crs="EPSG:32734", dates="a_%Y%m%d")
    rasters, points = {"a": str(tmp_path / "a_*.tif")}, pd.DataFrame({"x": [5.0], "y": [5.0]})
    long = plumb.series(rasters, points, long=True, **given)
    assert [str(date)[:10] for date in long["date"]] == ["1668-02-14", "2000-02-14", "2297-02-14"]
    assert long["value"].tolist() == [1668, 2000, 2297]
    cube = plumb.series(rasters, points, out="xarray", **given)
    assert [str(date)[:10] for date in cube["time"].values] == [
        "1668-02-14", "2000-02-14", "2297-02-14"]
    arrays = xr.Dataset({"x": ("p", [5.0] * 3), "y": ("p", [5.0] * 3)})
    when = np.array(["2297-02-14", "1668-02-14", "1900-02-14"], "M8[D]")
    matched = plumb.sample(rasters, arrays, when=when, within="1d", **given)
    assert [str(date)[:10] for date in matched["a_date"].values] == [
        "2297-02-14", "1668-02-14", "NaT"]
    polars = plumb.series(rasters, pl.from_pandas(points), long=True, **given)
    assert [str(date)[:10] for date in polars["date"]] == ["1668-02-14", "2000-02-14", "2297-02-14"]


@pytest.mark.parametrize("pattern", ["%Y%j", "%Y%m%dT%H%M%S"])
def test_series_equal_the_command(command: Command, tmp_path: Path, pattern: str) -> None:
    data = Data(tmp_path, pattern=pattern)
    first, last = data.dates[2].date().isoformat(), data.dates[11].date().isoformat()
    options = ["--series", "--valid", "qa <> 3", "--from", first, "--to", last]
    given: dict[str, Any] = dict(
        crs=CRS, dates=data.patterns, valid="qa <> 3", start=first, end=data.dates[11].date())
    wanted = data.command(command, *options, "--status")
    same(plumb.series(data.rasters, data.frame, status=True, **given), wanted)
    wide = plumb.series(data.rasters, data.frame["x"], data.frame["y"], **given)
    assert isinstance(wide, plumb.SeriesResult)
    assert wide.columns == [name for name in wanted.columns[4:] if not name.endswith("_status")]
    polars = plumb.series(data.rasters, pl.from_pandas(data.frame), **given)
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns[4:] == wide.columns

    rows = data.command(command, *options, "--long")
    for frame in (
            plumb.series(data.rasters, data.frame, long=True, **given),
            plumb.series(data.rasters, pa.Table.from_pandas(data.frame), long=True,
                         **given).to_pandas(),
            plumb.series(data.rasters, pl.from_pandas(data.frame), long=True, **given).to_pandas()):
        assert frame["id"].tolist() == rows["id"].tolist()
        assert frame["stack"].astype(str).tolist() == rows["stack"].tolist()
        assert frame["band"].tolist() == [int(band) for band in rows["band"]]
        assert texts(frame["date"]) == rows["date"].tolist()
        assert frame["status"].astype(str).tolist() == rows["status"].tolist()
        np.testing.assert_array_equal(
            np.array(numbers(texts(frame["value"]))), np.array(numbers(rows["value"])))
    arrays = plumb.series(data.rasters, data.frame["x"], data.frame["y"], long=True, **given)
    assert arrays["point"].tolist() == np.repeat(np.arange(300), 20).tolist()

    xr = pytest.importorskip("xarray")
    dataset = plumb.series(data.rasters, data.frame, out="xarray", **given)
    assert isinstance(dataset, xr.Dataset)
    assert dict(dataset.sizes) == {"point": 300, "time": 10}
    for number, name in enumerate(wide.columns):
        stack = name.split("_")[0]
        np.testing.assert_array_equal(
            dataset[stack].values[:, number % 10], wide[name].astype(float).filled(np.nan))


@pytest.mark.parametrize(("call", "message"), [
    (dict(when="when"), "within"),
    (dict(when="nothing", within="3d"), "when names the column nothing"),
    (dict(within="3d"), "within needs when"),
    (dict(when="when", within="3"), "unit"),
    (dict(when="when", within="3d", match="later"), "match"),
    (dict(when="id:xy", within="3d"), "is not a format of times"),
    (dict(when="when", within="3d", valid="qb = 1"), "qb"),
    (dict(when="when", within="3d", dates="evi_%Y"), "does not match"),
    (dict(when=[1, 2], within="3d"), "2 times for 300 points"),
    (dict(when="when", within="3d", dates=None), "dates"),
])
def test_faults(tmp_path: Path, call: dict[str, Any], message: str) -> None:
    data = Data(tmp_path)
    arguments: dict[str, Any] = {"dates": data.patterns, **call}
    if "when" not in call:
        arguments.pop("dates")
    with pytest.raises(plumb.PlumbError, match=message):
        plumb.sample(data.rasters, data.frame, crs=CRS, **arguments)


@pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")
def test_times_beyond_all_calendars(tmp_path: Path) -> None:
    data = Data(tmp_path)
    numbers = [2**63 - 1, -(2**63) + 1, 400_000_000_000_000_000]
    found = plumb.sample(
        data.rasters, [300_050.0] * 3, [6_239_950.0] * 3, crs=CRS, dates=data.patterns,
        when=np.array(numbers).view("M8[us]"), within="3d", status=True)
    assert found["evi_status"].tolist() == ["bad_time"] * 3


def test_files_with_dates_are_not_one_mosaic(tmp_path: Path) -> None:
    netcdf = pytest.importorskip("netCDF4")
    for year in (2023, 2024):
        with netcdf.Dataset(tmp_path / f"v_{year}.nc", "w") as file:
            for name, axis, units in (("time", [0, 1], f"days since {year}-01-01"),
                                      ("lat", [0.0, 1, 2], "degrees_north"),
                                      ("lon", [0.0, 1, 2], "degrees_east")):
                file.createDimension(name, len(axis))
                variable = file.createVariable(name, "f8", (name,))
                variable.units, variable[:] = units, axis
            file.createVariable("v", "f4", ("time", "lat", "lon"))[:] = year
    with pytest.raises(plumb.PlumbError, match="have dates"):
        plumb.sample(f"v={tmp_path}/v_*.nc#v", [1.0], [1.0])


def test_no_points(tmp_path: Path) -> None:
    data = Data(tmp_path)
    none = data.frame.iloc[:0]
    found = plumb.sample(
        data.rasters, none, crs=CRS, dates=data.patterns, when="when", within="3d")
    assert len(found) == 0 and "evi_date" in found.columns
    assert len(plumb.series(data.rasters, none, crs=CRS, dates=data.patterns)) == 0
