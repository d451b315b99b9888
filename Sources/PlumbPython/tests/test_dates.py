"""Dates matched to observations equal a model in pandas, NumPy and rasterio."""

from __future__ import annotations

import datetime as dt
import io
import math
from pathlib import Path
from typing import Any, Callable

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
from conftest import Command, run_command

DAY = 86_400_000_000
EPOCH = dt.datetime(1970, 1, 1)
TRANSFORM = rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)


def micros(time: dt.datetime) -> int:
    return (time - EPOCH) // dt.timedelta(microseconds=1)


def write(path: Path, values: Any, nodata: float | None = None,
          transform: Any = TRANSFORM, crs: str = "EPSG:32734", **options: Any) -> str:
    path.parent.mkdir(exist_ok=True)
    bands = values if values.ndim == 3 else values[None]
    with rasterio.open(
            path, "w", driver="GTiff", height=bands.shape[1], width=bands.shape[2],
            count=len(bands), dtype=bands.dtype, crs=crs, transform=transform, nodata=nodata,
            tiled=True, blockxsize=16, blockysize=16, compress="deflate", **options) as target:
        target.write(bands)
    return str(path)


class Stack:
    """A stack of files with dates, and its values."""

    def __init__(self, folder: Path, name: str, dates: list[dt.datetime], values: Any,
                 nodata: float | None, pattern: str = "%Y%j", **options: Any) -> None:
        self.dates, self.values, self.nodata = dates, values, nodata
        for date, grid in zip(dates, values):
            write(folder / name / f"{name}_{date.strftime(pattern)}.tif", grid, nodata, **options)
        self.argument = f"{name}={folder / name}/*.tif"
        noon = not any(code in pattern for code in ("%H", "%s"))
        self.times = np.array([micros(date) + (DAY // 2 if noon else 0) for date in dates])

    def valid(self) -> Any:
        """Whether each value is valid, by date, row and column."""
        values = self.values
        valid = np.ones(values.shape, bool)
        if values.dtype.kind == "f":
            valid &= ~np.isnan(values)
        if self.nodata is not None and not math.isnan(self.nodata):
            valid &= values != self.nodata
        return valid


def expected(stack: Stack, mask: Any, time: int | None, row: int, column: int, side: str,
             within: int) -> tuple[int | None, int]:
    """The index of the matched date, and the number of dates that were tried.

    - mask: by date, row and column; None if the nearest date is used without a condition.
    """
    order = sorted(range(len(stack.times)), key=lambda i: (abs(stack.times[i] - time), stack.times[i]))
    tried = 0
    for index in order:
        distance = int(stack.times[index]) - time
        if abs(distance) > within or side == "before" and distance > 0 \
                or side == "after" and distance < 0:
            continue
        tried += 1
        if mask is None or mask[index, row, column]:
            return index, tried
    return None, tried


def observations(random: np.random.Generator, stack: Stack, count: int, shape: tuple[int, int],
                 spread: int) -> pd.DataFrame:
    """Rows in cells, and some outside, with times near dates, at ties and at the ends of windows."""
    rows = random.integers(-1, shape[0] + 1, count)
    columns = random.integers(-1, shape[1] + 1, count)
    x = TRANSFORM.c + (columns + random.uniform(0.01, 0.99, count)) * TRANSFORM.a
    y = TRANSFORM.f + (rows + random.uniform(0.01, 0.99, count)) * TRANSFORM.e
    first, last = int(stack.times.min()), int(stack.times.max())
    times = random.integers(first - 2 * spread, last + 2 * spread, count)
    chosen = random.integers(0, len(stack.times), count)
    kinds = random.integers(0, 6, count)
    # The end of the window, one microsecond outside it, and the middle between two dates.
    times = np.where(kinds == 1, stack.times[chosen] - spread, times)
    times = np.where(kinds == 2, stack.times[chosen] + spread + 1, times)
    other = np.minimum(chosen + 1, len(stack.times) - 1)
    times = np.where(kinds == 3, (stack.times[chosen] + stack.times[other]) // 2, times)
    times = np.where(kinds == 4, stack.times[chosen], times)
    return pd.DataFrame({"id": range(count), "x": x, "y": y, "row": rows, "column": columns,
                         "time": times})


def save(frame: pd.DataFrame, path: Path) -> str:
    table = frame[["id", "x", "y"]].copy()
    table["when"] = [(EPOCH + dt.timedelta(microseconds=int(time))).isoformat() + "Z"
                     for time in frame["time"]]
    table.to_csv(path, index=False)
    return str(path)


def run(command: Command, *arguments: str) -> pd.DataFrame:
    return pd.read_csv(
        io.StringIO(command("identify", *arguments)), dtype=str, keep_default_na=False)


def check(frame: pd.DataFrame, result: pd.DataFrame, stack: Stack, name: str, mask: Any, side: str,
          within: int, has_time: bool) -> None:
    shape = stack.values.shape[1:]
    valid = stack.valid()
    assert len(frame) == len(result)
    statuses: set[str] = set()
    for observation, answer in zip(frame.itertuples(), result.to_dict("records")):
        time, row, column = int(observation.time), int(observation.row), int(observation.column)
        is_inside = 0 <= row < shape[0] and 0 <= column < shape[1]
        status, value, index, tried = "outside", "", None, 0
        if is_inside:
            usable = None if mask is None else mask & valid
            index, tried = expected(stack, usable, time, row, column, side, within)
            if index is None:
                status = "no_valid"
            else:
                cell = stack.values[index, row, column]
                status = "ok" if valid[index, row, column] else "nodata"
                value = cell if status == "ok" else ""
        else:
            _, tried = expected(stack, None if mask is None else np.zeros_like(mask),
                                time, 0, 0, side, within)
            if tried == 0:
                status = "no_valid"
        statuses.add(status)
        where = (observation.id, time, row, column)
        assert answer[f"{name}_status"] == status, where
        shown = answer[name]
        assert (shown == "") == (value == ""), where
        if value != "":
            assert stack.values.dtype.type(float(shown)) == value, where
        if index is None:
            assert answer[f"{name}_date"] == "" and answer[f"{name}_days"] == "", where
        else:
            date = stack.dates[index]
            wanted = date.isoformat() + "Z" if has_time else date.date().isoformat()
            assert answer[f"{name}_date"] == wanted, where
            assert float(answer[f"{name}_days"]) == (int(stack.times[index]) - time) / DAY, where
        if mask is not None:
            assert int(answer[f"{name}_tried"]) == tried, where
    assert {"ok", "no_valid"} <= statuses


def dates(start: dt.datetime, steps: list[int]) -> list[dt.datetime]:
    result = [start]
    for step in steps:
        result.append(result[-1] + dt.timedelta(days=step))
    return result


@pytest.mark.parametrize("side", ["nearest", "before", "after"])
@pytest.mark.parametrize("rule", [None, "(qa & 3) == 0", "qa >> 2 IN (1, 3) OR evi > 400",
                                  "NOT qa BETWEEN 2 AND 9 AND evi % 2 = 1"])
def test_nearest(command: Command, tmp_path: Path, side: str, rule: str | None) -> None:
    random = np.random.default_rng(39)
    # A leap year, the end of years, and gaps.
    axis = dates(dt.datetime(2023, 12, 3), [16, 13, 16, 16, 1, 2, 40, 16, 16, 16, 300, 16, 8])
    shape = (40, 50)
    evi = Stack(tmp_path, "evi", axis, random.integers(-200, 900, (len(axis), *shape)).astype("int16"),
                -200)
    qa = Stack(tmp_path, "qa", axis, random.integers(0, 20, (len(axis), *shape)).astype("uint8"), None)
    masks: dict[str | None, Callable[[Any, Any], Any]] = {
        None: lambda evi, qa: None,
        "(qa & 3) == 0": lambda evi, qa: (qa & 3) == 0,
        "qa >> 2 IN (1, 3) OR evi > 400":
            lambda evi, qa: np.isin(qa >> 2, (1, 3)) | (evi > 400) & (evi != -200),
        "NOT qa BETWEEN 2 AND 9 AND evi % 2 = 1":
            lambda evi, qa: ~((qa >= 2) & (qa <= 9)) & (np.fmod(evi, 2) == 1) & (evi != -200),
    }
    mask = masks[rule](evi.values, qa.values)
    within = 16 * DAY
    frame = observations(random, evi, 3000, shape, within)
    points = save(frame, tmp_path / "obs.csv")
    arguments = [evi.argument, qa.argument, "--dates", "*_%Y%j", "--points", points, "--when", "when",
                 "--within", "16d", "--match", side, "--status", "--crs", "EPSG:32734"]
    if rule:
        arguments += ["--valid", rule]
    result = run(command, *arguments)
    check(frame, result, evi, "evi", mask, side, within, False)
    check(frame, result, qa, "qa", mask if mask is None else mask, side, within, False)


@pytest.mark.parametrize("kind", ["float32", "uint16", "float64"])
def test_times_of_day(command: Command, tmp_path: Path, kind: str) -> None:
    random = np.random.default_rng(40)
    axis = [dt.datetime(2025, 3, 1, 10, 56, 21) + dt.timedelta(hours=int(hours))
            for hours in np.cumsum(random.integers(1, 90, 30))]
    shape = (20, 30)
    values = random.normal(0, 100, (len(axis), *shape)).astype(kind) if kind.startswith("float") \
        else random.integers(0, 60_000, (len(axis), *shape)).astype(kind)
    nodata = math.nan if kind == "float32" else None
    if kind == "float32":
        values[random.uniform(0, 1, values.shape) < 0.2] = math.nan
    stack = Stack(tmp_path, "s", axis, values, nodata, pattern="%Y%m%dT%H%M%S")
    within = 36 * 3600 * 1_000_000
    frame = observations(random, stack, 2000, shape, within)
    points = save(frame, tmp_path / "obs.csv")
    shared = [stack.argument, "--dates", "s_%Y%m%dT%H%M%S", "--points", points, "--when", "when",
              "--within", "36h", "--status", "--crs", "EPSG:32734"]
    check(frame, run(command, *shared), stack, "s", None, "nearest", within, True)
    mask = ~np.isnan(values) & (values > 20) if kind.startswith("float") else values > 20
    check(frame, run(command, *shared, "--valid", "s > 20"), stack, "s", mask, "nearest", within, True)


def test_quality_bits(command: Command, tmp_path: Path) -> None:
    """The bit rules of MODIS and of Landsat, and the classes of Sentinel-2, equal NumPy."""
    values = np.arange(65536, dtype="uint16").reshape(256, 256)
    write(tmp_path / "qa" / "qa_2025001.tif", values)
    write(tmp_path / "scl" / "scl_2025001.tif", (values % 12).astype("uint8"))
    frame = pd.DataFrame({"row": np.repeat(range(256), 256), "column": np.tile(range(256), 256)})
    frame["x"] = TRANSFORM.c + (frame["column"] + 0.5) * 100
    frame["y"] = TRANSFORM.f - (frame["row"] + 0.5) * 100
    frame["when"] = "2025-01-02"
    frame[["x", "y", "when"]].to_csv(tmp_path / "obs.csv", index=False)
    qa, scl = values.ravel().astype("int64"), (values % 12).ravel()
    rules: dict[str, Any] = {
        "(qa & 3) <= 1": (qa & 3) <= 1,
        "(qa >> 2 & 15) < 4": ((qa >> 2) & 15) < 4,
        "(qa >> 6 & 3) == 1 AND (qa & 1 << 8) = 0": ((qa >> 6 & 3) == 1) & ((qa & 1 << 8) == 0),
        "qa & (1<<3 | 1<<4) = 0 AND NOT (qa >> 8 & 3) = 3":
            ((qa & (1 << 3 | 1 << 4)) == 0) & ~((qa >> 8 & 3) == 3),
        "INCLUDES(qa, 12) OR qa ^ 255 = 0": ((qa & 12) == 12) | ((qa ^ 255) == 0),
        "scl IN (4, 5, 6, 7, 11)": np.isin(scl, (4, 5, 6, 7, 11)),
        "NOT INCLUDESANY(qa, 30) AND scl NOT IN (0, 1)": ((qa & 30) == 0) & ~np.isin(scl, (0, 1)),
    }
    rules |= {f"qa >> {bit} & 1 = 1": (qa >> bit & 1) == 1 for bit in range(16)}
    for rule, mask in rules.items():
        result = run(command, f"qa={tmp_path}/qa/*.tif", f"scl={tmp_path}/scl/*.tif", "--dates",
                     "*_%Y%j", "--points", str(tmp_path / "obs.csv"), "--when", "when", "--within",
                     "2d", "--valid", rule, "--status", "--crs", "EPSG:32734")
        assert ((result["qa_status"] == "ok").to_numpy() == mask).all(), rule


def small(tmp_path: Path, name: str = "s", count: int = 5, step: int = 8) -> Stack:
    random = np.random.default_rng(42)
    axis = dates(dt.datetime(2025, 1, 5), [step] * (count - 1))
    return Stack(tmp_path, name, axis, random.integers(1, 90, (count, 6, 7)).astype("int16"), 0)


@pytest.mark.parametrize(("column", "shown"), [
    ("when", lambda t: t.isoformat()), ("when", lambda t: str(int(t.timestamp()))),
    ("when:ms", lambda t: str(int(t.timestamp()) * 1000)),
    ("when:us", lambda t: str(int(t.timestamp()) * 1_000_000)),
    ("when:%d/%m/%Y %H.%M.%S", lambda t: t.strftime("%d/%m/%Y %H.%M.%S")),
    ("when:%Y%j%H%M%S", lambda t: t.strftime("%Y%j%H%M%S")),
    ("when", lambda t: t.strftime("%Y-%m-%dT%H:%M:%S+00:00")),
])
def test_formats_of_times(command: Command, tmp_path: Path, column: str, shown: Any) -> None:
    stack = small(tmp_path)
    random = np.random.default_rng(43)
    times = [dt.datetime(2025, 1, 1, tzinfo=dt.timezone.utc) + dt.timedelta(seconds=int(s))
             for s in random.integers(0, 50 * 86400, 200)]
    rows, columns = random.integers(0, 6, 200), random.integers(0, 7, 200)
    frame = pd.DataFrame({"x": 300_050 + columns * 100, "y": 6_239_950 - rows * 100,
                          "when": [shown(t) for t in times]})
    frame.to_csv(tmp_path / "obs.csv", index=False)
    result = run(command, stack.argument, "--dates", "s_%Y%j", "--points", str(tmp_path / "obs.csv"),
                 "--when", column, "--within", "3d", "--status", "--crs", "EPSG:32734")
    for row, col, time, answer in zip(rows, columns, times, result.to_dict("records")):
        index, _ = expected(stack, None, micros(time.replace(tzinfo=None)), row, col, "nearest", 3 * DAY)
        assert answer["s"] == ("" if index is None else str(stack.values[index, row, col]))
        assert answer["s_status"] == ("no_valid" if index is None else "ok")


@pytest.mark.parametrize("form", ["csv", "parquet", "geojson", "gpkg"])
def test_integers_match_patterns(command: Command, tmp_path: Path, form: str) -> None:
    """Integers such as 20250113 are read with a pattern from all formats, with and without nulls."""
    stack = small(tmp_path)
    days = [20250105, 20250113, 20250121, 20250132, 2025]
    frame = gpd.GeoDataFrame(
        {"when": days, "gaps": [*days[:3], None, None]},
        geometry=gpd.points_from_xy([300_050] * 5, [6_239_950] * 5), crs="EPSG:32734")
    path = tmp_path / f"obs.{form}"
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "csv":
        frame["gaps"] = frame["gaps"].astype("Int64")
        frame.assign(x=300_050, y=6_239_950).drop(columns="geometry").to_csv(path, index=False)
    else:
        frame.to_file(path)
    for column in ("when", "gaps"):
        result = run(command, stack.argument, "--dates", "s_%Y%j", "--points", str(path), "--when",
                     f"{column}:%Y%m%d", "--within", "3d", "--status", "--crs", "EPSG:32734", "--of",
                     "csv")
        assert list(result["s_status"]) == ["ok"] * 3 + ["bad_time"] * 2, column
        assert list(result["s_days"][:3]) == ["0.0"] * 3


def test_rows_without_a_time_or_a_point(command: Command, tmp_path: Path) -> None:
    stack = small(tmp_path)
    (tmp_path / "obs.csv").write_text(
        "x,y,when\n300050,6239950,2025-01-05\n300050,6239950,\n300050,6239950,soon\n,,2025-01-05\n"
        "300050,6239950,2030-01-01\n\"300050\",6239950,\"2025-01-06\"\n300050,6239950\n")
    result = run(command, stack.argument, "--dates", "s_%Y%j", "--points", str(tmp_path / "obs.csv"),
                 "--when", "when", "--within", "2d", "--status", "--crs", "EPSG:32734", "--valid", "s > 0")
    assert list(result["s_status"]) == ["ok", "bad_time", "bad_time", "bad_point", "no_valid", "ok",
                                        "bad_point"]
    assert list(result["s_tried"]) == ["1", "", "", "", "0", "1", ""]
    assert list(result["s_days"]) == ["0.0", "", "", "", "", "-1.0", ""]


def test_tables_of_dates(command: Command, tmp_path: Path) -> None:
    """Dates from a table, by path and by name; a period is represented by its middle."""
    grid = np.full((6, 7), 1, "uint8")
    for name, value in (("a", 1), ("b", 2), ("c", 3)):
        write(tmp_path / "files" / f"{name}.tif", grid * value)
    (tmp_path / "dates.csv").write_text(
        "file,date,end\nfiles/a.tif,2025-01-05,2025-01-07\nb.tif,2025-01-20T06:00:00Z,\n"
        f"{tmp_path}/files/c.tif,2025-02-01,\n")
    (tmp_path / "obs.csv").write_text("x,y,when\n" + "".join(
        f"300050,6239950,{when}\n" for when in ("2025-01-06", "2025-01-20", "2025-02-02T12:00:00Z")))
    result = run(command, f"s={tmp_path}/files/*.tif", "--dates", str(tmp_path / "dates.csv"), "--points",
                 str(tmp_path / "obs.csv"), "--when", "when", "--within", "2d", "--crs", "EPSG:32734")
    assert list(result["s"]) == ["1", "2", "3"]
    assert [float(days) for days in result["s_days"]] == [0, -0.25, -1]
    assert list(result["s_date"]) == ["2025-01-06T12:00:00Z", "2025-01-20T06:00:00Z",
                                      "2025-02-01T12:00:00Z"]


def test_metadata_items(command: Command, tmp_path: Path) -> None:
    for value, text in ((1, "2025-01-05T10:00:00Z"), (2, "2025-01-20"), (3, "2025:02:01 06:00:00")):
        path = write(tmp_path / "tags" / f"{value}.tif", np.full((6, 7), value, "uint8"))
        with rasterio.open(path, "r+") as file:
            file.update_tags(ACQUIRED=text)
    (tmp_path / "obs.csv").write_text("x,y,when\n" + "".join(
        f"300050,6239950,{when}\n" for when in ("2025-01-06T10:00:00Z", "2025-01-20", "2025-02-01")))
    arguments = [f"s={tmp_path}/tags/*.tif", "--points", str(tmp_path / "obs.csv"), "--when", "when",
                 "--within", "2d", "--crs", "EPSG:32734"]
    result = run(command, *arguments, "--dates", "tag:ACQUIRED")
    assert list(result["s"]) == ["1", "2", "3"]
    assert list(result["s_days"]) == ["-1.0", "0.0", "-0.25"]
    done = run_command([command.path, "identify", *arguments, "--dates", "tag:NOPE"],
                       capture_output=True, text=True)
    assert done.returncode == 1 and "1.tif has no metadata item NOPE" in done.stderr


def test_granules_of_one_day(command: Command, tmp_path: Path) -> None:
    """Files of several footprints form one mosaic per day; the first file by name with a value is
    used.
    """
    west, east = np.full((6, 7), 1, "uint8"), np.full((6, 7), 2, "uint8")
    west[:, 5] = 0
    shifted = rasterio.Affine(100, 0, 300_500, 0, -100, 6_240_000)
    write(tmp_path / "g" / "g_20250105T101500_a.tif", west, 0)
    write(tmp_path / "g" / "g_20250105T101530_b.tif", east, 0, transform=shifted)
    write(tmp_path / "g" / "g_20250110T101500_a.tif", west * 10, 0)
    (tmp_path / "obs.csv").write_text("x,y,when\n" + "".join(
        f"{300_050 + column * 100},6239950,2025-01-06\n" for column in range(13)))
    arguments = [f"g={tmp_path}/g/*.tif", "--dates", "g_%Y%m%dT%H%M%S_?", "--points",
                 str(tmp_path / "obs.csv"), "--when", "when", "--within", "2d", "--status", "--provenance",
                 "--crs", "EPSG:32734"]
    result = run(command, *arguments)
    assert list(result["g"]) == ["1"] * 5 + ["2", "1"] + ["2"] * 5 + [""]
    assert set(result["g_date"][:12]) == {"2025-01-05"}
    assert [Path(file).name for file in result["g_file"][:12]] == [
        f"g_20250105T1015{'30_b' if value == '2' else '00_a'}.tif" for value in result["g"][:12]]
    assert list(result["g_row"][:12]) == ["0"] * 12
    # With `time`, the two files are two dates.
    result = run(command, *arguments, "--group", "time")
    assert list(result["g"][:3]) == ["", "", ""]
    assert set(result["g_date"][7:12]) == {"2025-01-05T10:15:30Z"}


def test_series(command: Command, tmp_path: Path) -> None:
    random = np.random.default_rng(44)
    stack = small(tmp_path)
    qa = Stack(tmp_path, "qa", stack.dates[:4], random.integers(0, 4, (4, 6, 7)).astype("uint8"), None)
    rows, columns = random.integers(0, 6, 300), random.integers(0, 8, 300)
    pd.DataFrame({"name": [f'a "{i}", b' for i in range(300)], "x": 300_050 + columns * 100,
                  "y": 6_239_950 - rows * 100}).to_csv(tmp_path / "obs.csv", index=False)
    shared = [stack.argument, qa.argument, "--dates", "*_%Y%j", "--points", str(tmp_path / "obs.csv"),
              "--series", "--crs", "EPSG:32734"]
    labels = [date.strftime("%Y-%m-%d") for date in stack.dates]

    def value(name: str, index: int, row: int, column: int, valid: Any) -> tuple[str, str]:
        if column > 6:
            return "", "outside"
        if valid is not None and (index > 3 or not valid[index, row, column]):
            return "", "no_valid"
        grid = (stack if name == "s" else qa).values
        return str(grid[index, row, column]), "ok"

    for rule, valid in ((None, None), ("(qa & 1) = 0 AND s > 9", (qa.values & 1 == 0)
                                      & (stack.values[:4] > 9))):
        extra = ["--valid", rule] if rule else []
        wide = run(command, *shared, "--status", *extra)
        names = [f"s_{label}" for label in labels] + [f"qa_{label}" for label in labels[:4]]
        assert list(wide.columns) == ["name", "x", "y"] + [
            name + end for name in names for end in ("", "_status")]
        for row, column, answer in zip(rows, columns, wide.to_dict("records")):
            for name in names:
                stem, label = name.split("_")
                wanted = value(stem, labels.index(label), row, column, valid)
                assert (answer[name], answer[name + "_status"]) == wanted, (name, row, column)
        text = command("identify", *shared, "--long", *extra)
        assert text.splitlines()[1].startswith('"a ""0"", b",')
        long = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
        assert list(long.columns) == ["name", "x", "y", "stack", "band", "date", "value", "status"]
        assert len(long) == 300 * 9
        assert (wide["name"].repeat(9).to_numpy() == long["name"].to_numpy()).all()
        for index, answer in enumerate(long.to_dict("records")):
            row, column, name = rows[index // 9], columns[index // 9], names[index % 9]
            stem, label = name.split("_")
            assert (answer["stack"], answer["band"], answer["date"]) == (stem, "1", label)
            assert (answer["value"], answer["status"]) == value(
                stem, labels.index(label), row, column, valid)
    some = run(command, *shared, "--from", labels[1], "--to", labels[2])
    assert list(some.columns) == ["name", "x", "y"] + [
        f"{name}_{label}" for name in ("s", "qa") for label in labels[1:3]]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--when", "when", "--within", "16"], "a number with the unit s, min, h, d or w"),
    (["--when", "nope", "--within", "1d"], "there is no column nope"),
    (["--when", "when:hours", "--within", "1d"], "is not a format of times"),
    (["--when", "when", "--within", "1d", "--valid", "qa = 1"], "there is no raster qa"),
    (["--when", "when", "--within", "1d", "--valid", "s"], "is not a condition"),
    (["--when", "when"], "--when needs --within"),
    (["--series", "--when", "when", "--within", "1d"], "cannot be combined"),
    (["--when", "when", "--within", "1d", "--reduce", "median"], "median is not one of"),
    (["--when", "when", "--within", "1d", "--reduce", "mean,mean"], "mean is given twice"),
    (["--when", "when", "--within", "1d", "--reduce", "mean", "--interpolate", "linear"],
     "cannot be combined"),
    (["--series", "--from", "soon"], "a date such as 2025-03-22"),
    (["--series", "--from", "2025-02-01", "--to", "2025-01-01"], "--from is after --to"),
    (["--series", "--from", "2031-01-01"], "has no date in the period"),
])
def test_faults(command: Command, tmp_path: Path, arguments: list[str], message: str) -> None:
    stack = small(tmp_path)
    (tmp_path / "obs.csv").write_text("x,y,when\n300050,6239950,2025-01-05\n")
    done = run_command(
        [command.path, "identify", stack.argument, "--dates", "s_%Y%j", "--points",
         str(tmp_path / "obs.csv"), "--crs", "EPSG:32734", *arguments], capture_output=True, text=True)
    assert done.returncode in (1, 64) and done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.splitlines()) <= 2 or "Usage" in done.stderr


def test_files_without_a_date(command: Command, tmp_path: Path) -> None:
    stack = small(tmp_path)
    write(tmp_path / "s" / "other.tif", stack.values[0])
    (tmp_path / "obs.csv").write_text("x,y,when\n300050,6239950,2025-01-05\n")
    done = run_command(
        [command.path, "identify", stack.argument, "--dates", "s_%Y%j", "--points",
         str(tmp_path / "obs.csv"), "--when", "when", "--within", "1d"], capture_output=True, text=True)
    assert done.returncode == 1 and "other.tif" in done.stderr and "does not match" in done.stderr


def test_damaged_tiles_are_not_skipped(command: Command, tmp_path: Path) -> None:
    """A date that cannot be read is not silently replaced by another date."""
    stack = small(tmp_path)
    path = tmp_path / "s" / "s_2025013.tif"
    data = bytearray(path.read_bytes())
    with rasterio.open(path) as file:
        offset = int(file.tags(1, ns="TIFF").get("BLOCK_OFFSET_0_0", 0)) \
            or int(file.get_tag_item("BLOCK_OFFSET_0_0", "TIFF", bidx=1))
    data[offset:offset + 40] = b"\xff" * 40
    path.write_bytes(data)
    (tmp_path / "obs.csv").write_text("x,y,when\n" + "".join(
        f"300050,6239950,{when}\n" for when in ("2025-01-05", "2025-01-13", "2025-01-16", "2025-01-21")))
    for extra in ([], ["--valid", "s > 0"]):
        result = run(command, stack.argument, "--dates", "s_%Y%j", "--points", str(tmp_path / "obs.csv"),
                     "--when", "when", "--within", "9d", "--status", "--crs", "EPSG:32734", *extra)
        assert list(result["s_status"]) == ["ok", "read_error", "read_error", "ok"]


@pytest.mark.parametrize("kind", ["int16", "float32"])
@pytest.mark.parametrize("rule", [None, "(qa & 1) = 0"])
def test_statistics_and_interpolation(command: Command, tmp_path: Path, kind: str,
                                      rule: str | None) -> None:
    """Statistics and interpolated values of the valid dates in the window equal NumPy."""
    random = np.random.default_rng(45)
    axis = dates(dt.datetime(2024, 11, 5), [int(step) for step in random.integers(1, 12, 40)])
    shape = (20, 30)
    values = random.normal(50, 30, (len(axis), *shape)).round(2).astype(kind)
    values[random.uniform(0, 1, values.shape) < 0.3] = -9
    stack = Stack(tmp_path, "evi", axis, values, -9)
    qa = Stack(tmp_path, "qa", axis, random.integers(0, 4, values.shape).astype("uint8"), None)
    valid = stack.valid() & ((qa.values & 1) == 0 if rule else True)
    within = 20 * DAY
    frame = observations(random, stack, 1500, shape, within)
    points = save(frame, tmp_path / "obs.csv")
    shared = [stack.argument, qa.argument, "--dates", "*_%Y%j", "--points", points, "--when", "when",
              "--within", "20d", "--status", "--crs", "EPSG:32734", *(["--valid", rule] if rule else [])]
    reduced = run(command, *shared, "--reduce", "mean,min,max,count,slope")
    line = run(command, *shared, "--interpolate", "linear")
    assert list(reduced.columns[4:10]) == ["evi_mean", "evi_min", "evi_max", "evi_count", "evi_slope",
                                           "evi_status"]
    assert list(line.columns[4:8]) == ["evi", "evi_date", "evi_days", "evi_status"]
    for observation, some, between in zip(
            frame.itertuples(), reduced.to_dict("records"), line.to_dict("records")):
        time, row, column = int(observation.time), int(observation.row), int(observation.column)
        is_inside = 0 <= row < shape[0] and 0 <= column < shape[1]
        near = np.abs(stack.times - time) <= within
        if not is_inside:
            assert some["evi_status"] == between["evi_status"] == (
                "outside" if near.any() else "no_valid")
            continue
        used = np.flatnonzero(near & valid[:, row, column])
        y = values[used, row, column].astype(float)
        days = (stack.times[used] - time) / DAY
        assert int(some["evi_count"]) == len(used)
        assert some["evi_status"] == ("ok" if len(used) else "no_valid")
        if len(used):
            assert float(some["evi_mean"]) == pytest.approx(y.mean(), rel=1e-12, abs=1e-12)
            assert values.dtype.type(float(some["evi_min"])) == y.min()
            assert values.dtype.type(float(some["evi_max"])) == y.max()
        if len(used) > 1:
            slope = np.polyfit(days, y, 1)[0]
            assert float(some["evi_slope"]) == pytest.approx(slope, rel=1e-7, abs=1e-9)
        else:
            assert some["evi_slope"] == ""
        before, after = used[stack.times[used] <= time], used[stack.times[used] >= time]
        if not len(before) or not len(after):
            assert (between["evi_status"], between["evi"]) == ("no_valid", "")
            continue
        i, j = before[-1], after[0]
        share = 0.0 if i == j else (time - stack.times[i]) / (stack.times[j] - stack.times[i])
        a, b = (float(values[k, row, column]) for k in (i, j))
        assert between["evi_status"] == "ok"
        assert float(between["evi"]) == a + (b - a) * share
        nearer = i if time - stack.times[i] <= stack.times[j] - time else j
        assert between["evi_date"] == stack.dates[nearer].date().isoformat()
        assert float(between["evi_days"]) == (stack.times[nearer] - time) / DAY


def answers(command: Command, tmp_path: Path, text: str, *arguments: str) -> pd.DataFrame:
    (tmp_path / "rows.csv").write_text(text)
    return run(command, *arguments, "--points", str(tmp_path / "rows.csv"), "--crs", "EPSG:32734",
               "--status")


def daily(tmp_path: Path, name: str, values: list[Any], start: int = 5, pattern: str = "%Y%j") -> str:
    """Files of one value each, a day apart."""
    for index, value in enumerate(values):
        date = dt.datetime(2025, 1, start + index, 10, 15)
        write(tmp_path / name / f"{name}_{date.strftime(pattern)}.tif",
              np.full((6, 7), value, np.asarray(value).dtype))
    return f"{name}={tmp_path / name}/*.tif"


AT = "300050,6239950"


@pytest.mark.parametrize("driver", ["GPKG", "FlatGeobuf", "GeoJSON", "ESRI Shapefile"])
def test_points_of_vector_files(command: Command, tmp_path: Path, driver: str) -> None:
    import geopandas as gpd
    import shapely
    argument = daily(tmp_path, "s", [np.int16(n) for n in range(1, 8)])
    times = ["2025-01-06", "2025-01-08", "2025-01-20", "2025-01-11"]
    path = tmp_path / f"points.{driver.split()[0].lower()}"
    gpd.GeoDataFrame({"n": range(4), "day": times}, crs="EPSG:32734", geometry=[
        shapely.Point(300_050, 6_239_950)] * 4).to_file(path, driver=driver)
    result = run(command, argument, "--dates", "s_%Y%j", "--points", str(path), "--when", "day", "--within",
                 "2d", "--status", "--of", "csv")
    assert list(result["s"]) == ["2", "4", "", "7"]


def test_files_of_several_types(command: Command, tmp_path: Path) -> None:
    argument = daily(tmp_path, "s", [np.float32(100.75), np.int16(100), np.uint8(90), np.float32(3.5)])
    rows = "x,y,when\n" + "".join(f"{AT},2025-01-{day:02}\n" for day in (5, 6, 7, 8))
    for rule, values in (("s > 100", ["100.75", "", "", ""]), ("s = 100", ["", "100.0", "", ""]),
                         ("s < 95.5", ["", "", "90.0", "3.5"])):
        result = answers(command, tmp_path, rows, argument, "--dates", "s_%Y%j", "--when", "when",
                         "--within", "0d", "--valid", rule)
        assert list(result["s"]) == values, rule
        result = answers(command, tmp_path, f"x,y\n{AT}\n", argument, "--dates", "s_%Y%j", "--series",
                         "--valid", rule)
        found = [str(float(value)) if value else "" for value in result.iloc[0][2::2]]
        assert found == values, rule


def test_extremes_of_64_bits(command: Command, tmp_path: Path) -> None:
    for kind, values in (("int64", [2**53 + 1, -2**63, 2**63 - 1]), ("uint64", [2**63 + 12345, 2**64 - 1])):
        argument = daily(tmp_path, kind, [np.dtype(kind).type(value) for value in values])
        result = answers(command, tmp_path, f"x,y,when\n{AT},2025-01-06\n", argument, "--dates",
                         f"{kind}_%Y%j", "--when", "when", "--within", "9d", "--reduce", "min,max,count")
        assert list(result.iloc[0][3:6]) == [str(min(values)), str(max(values)), str(len(values))]


def test_conditions_use_stored_values(command: Command, tmp_path: Path) -> None:
    """With interpolation, a condition is evaluated for the cell that contains the point."""
    random = np.random.default_rng(46)
    axis = dates(dt.datetime(2025, 1, 5), [8] * 4)
    stack = Stack(tmp_path, "s", axis, random.integers(1, 90, (5, 6, 7)).astype("int16"), None)
    qa = Stack(tmp_path, "qa", axis, random.integers(0, 4, (5, 6, 7)).astype("uint8"), None)
    rows, columns = random.integers(1, 5, 60), random.integers(1, 6, 60)
    text = "x,y\n" + "".join(f"{300_000 + (c + 0.3) * 100},{6_240_000 - (r + 0.6) * 100}\n"
                             for r, c in zip(rows, columns))
    shared = [stack.argument, qa.argument, "--dates", "*_%Y%j", "--series", "-r", "bilinear"]
    masked = answers(command, tmp_path, text, *shared, "--valid", "(qa & 1) = 0")
    whole = answers(command, tmp_path, text, *shared)
    for index, date in enumerate(axis):
        name = f"s_{date:%Y-%m-%d}"
        valid = (qa.values[index, rows, columns] & 1) == 0
        assert list(masked[name]) == [
            value if ok else "" for value, ok in zip(whole[name], valid)]


def test_long_rows_have_one_form(command: Command, tmp_path: Path) -> None:
    argument = daily(tmp_path, "s", [np.int16(1), np.int16(2)])
    text = answers(command, tmp_path, f"x,y\n{AT}\n", argument, "--dates", "s_%Y%j", "--series", "--long")
    assert list(text["value"]) == ["1", "2"] and list(text["status"]) == ["ok", "ok"]
    (tmp_path / "rows.csv").write_text(f"x,y,value\n{AT},7\n")
    done = run_command([command.path, "identify", argument, "--dates", "s_%Y%j", "--series", "--long",
                           "--points", str(tmp_path / "rows.csv")], capture_output=True, text=True)
    assert done.returncode == 1 and "has a column value already" in done.stderr


@pytest.mark.parametrize(("when", "days", "status"), [
    (" 2025-01-05", "0.0", "ok"), ("2025-01-05\t", "0.0", "ok"), ("2025-01-05 ", "0.0", "ok"),
    ("20250105", "", "bad_time"), ("2025", "", "bad_time"), ("20250105T120000Z", "0.0", "ok"),
    ("1736078400", "0.0", "ok"), ("1736078400000", "0.0", "ok"),
])
def test_forms_of_times(command: Command, tmp_path: Path, when: str, days: str, status: str) -> None:
    argument = daily(tmp_path, "s", [np.int16(1)])
    result = answers(command, tmp_path, f"x,y,when\n{AT},{when}\n", argument, "--dates", "s_%Y%j",
                     "--when", "when", "--within", "2d")
    assert (result["s_days"][0], result["s_status"][0]) == (days, status)


def test_stacks_are_grouped_alike(command: Command, tmp_path: Path) -> None:
    """A stack with several footprints a day, one with one, and one without times of day."""
    grid = np.full((6, 7), 3, "uint8")
    shifted = rasterio.Affine(100, 0, 300_500, 0, -100, 6_240_000)
    write(tmp_path / "g" / "g_20250105T101500_a.tif", grid, 0)
    write(tmp_path / "g" / "g_20250105T101530_b.tif", grid, 0, transform=shifted)
    other = daily(tmp_path, "h", [np.uint8(1)], pattern="%Y%m%dT%H%M%S_c")
    plain = daily(tmp_path, "q", [np.uint8(1)], pattern="%Y%m%d")
    result = answers(
        command, tmp_path, f"x,y,when\n{AT},2025-01-06\n", f"g={tmp_path}/g/*.tif", other, plain,
        "--dates", "?_%Y%m%dT%H%M%S_?", "--dates", "q_%Y%m%d", "--when", "when", "--within", "2d",
        "--valid", "h = 1 AND q = 1")
    assert (result["g"][0], result["h"][0], result["q"][0]) == ("3", "1", "1")


def test_dates_of_scenes(command: Command, tmp_path: Path) -> None:
    """Numbers that are not dates are not read as dates."""
    name = "LC08_L2SP_174083_20250105_20250120_02_T1_SR_B4"
    write(tmp_path / "l" / f"{name}.tif", np.full((6, 7), 8, "uint8"))
    result = answers(command, tmp_path, f"x,y,when\n{AT},2025-01-06\n", f"l={tmp_path}/l/*.tif", "--dates",
                     "*_%Y%m%d_*", "--when", "when", "--within", "2d")
    assert (result["l"][0], result["l_date"][0]) == ("8", "2025-01-05")


def test_paths_of_tables(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths of a table are relative to its folder, however the stack is named."""
    daily(tmp_path, "s", [np.uint8(4)])
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "up.csv").write_text("file,date\n../s/./s_2025005.tif,2025-02-01\n")
    text = f"x,y,when\n{AT},2025-02-02\n"
    for argument in (f"s={tmp_path}/s/*.tif", f"s={tmp_path}/meta/../s/*.tif"):
        result = answers(command, tmp_path, text, argument, "--dates", str(tmp_path / "meta" / "up.csv"),
                         "--when", "when", "--within", "2d")
        assert list(result["s"]) == ["4"]
    (tmp_path / "twice.csv").write_text("file,date\ns/s_2025005.tif,2025-02-01\n./s/s_2025005.tif,2025-02-02\n")
    done = run_command(
        [command.path, "identify", f"s={tmp_path}/s/*.tif", "--dates", str(tmp_path / "twice.csv"), "--points",
         str(tmp_path / "rows.csv"), "--when", "when", "--within", "2d"], capture_output=True, text=True)
    assert done.returncode == 1 and "is listed twice" in done.stderr


def test_read_errors_of_conditions(command: Command, tmp_path: Path) -> None:
    """A condition whose raster cannot be read is not NULL, and leaves no cell of another file."""
    first = daily(tmp_path, "e", [np.int16(1), np.int16(2)])
    second = daily(tmp_path, "q", [np.int16(1), np.int16(2)])
    path = tmp_path / "e" / "e_2025006.tif"
    data = bytearray(path.read_bytes())
    with rasterio.open(path) as file:
        offset = int(file.get_tag_item("BLOCK_OFFSET_0_0", "TIFF", bidx=1))
    data[offset:offset + 20] = b"\xff" * 20
    path.write_bytes(data)
    for rule in ("e IS NULL OR e > 0", "e > 0"):
        shared = [first, second, "--dates", "*_%Y%j", "--valid", rule]
        result = answers(command, tmp_path, f"x,y,when\n{AT},2025-01-07\n{AT},2025-01-02\n", *shared,
                         "--when", "when", "--within", "9d", "--provenance")
        assert list(result["q"]) == ["", "1"]
        assert (result["q_status"][0], result["e_status"][0]) == ("read_error", "read_error")
        assert (result["e_file"][0], result["e_row"][0]) == ("", "")
        result = answers(command, tmp_path, f"x,y\n{AT}\n", *shared, "--series")
        assert list(result.iloc[0][2:]) == ["1", "ok", "", "read_error", "1", "ok", "", "read_error"]


def test_a_table_of_dates_is_not_overwritten(command: Command, tmp_path: Path) -> None:
    argument = daily(tmp_path, "s", [np.uint8(4)])
    table = tmp_path / "dates.csv"
    table.write_text("file,date\ns/s_2025005.tif,2025-02-01\n")
    (tmp_path / "rows.csv").write_text(f"x,y,when\n{AT},2025-02-02\n")
    for more in (["--when", "when", "--within", "2d"], ["--series"]):
        before = table.read_text()
        done = run_command(
            [command.path, "identify", argument, "--dates", str(table), "--points",
             str(tmp_path / "rows.csv"), *more, "-o", str(table), "--overwrite"], capture_output=True,
            text=True)
        assert done.returncode == 1 and table.read_text() == before


def test_long_rows_of_other_text(command: Command, tmp_path: Path) -> None:
    """Text without a header, and text with spaces between the fields."""
    argument = daily(tmp_path, "s", [np.uint8(4), np.uint8(0)])
    path = tmp_path / "s" / "s_2025006.tif"
    with rasterio.open(path, "r+") as file:
        file.nodata = 0
    shared = [argument, "--dates", "s_%Y%j", "--series", "--long", "--crs", "EPSG:32734"]
    (tmp_path / "bare.csv").write_text("300050,6239950,a\n")
    text = command("identify", *shared, "--points", str(tmp_path / "bare.csv"), "--x", "1",
                   "--y", "2")
    assert text.splitlines() == ["300050,6239950,a,s,1,2025-01-05,4,ok",
                                 "300050,6239950,a,s,1,2025-01-06,,nodata"]
    (tmp_path / "spaces.txt").write_text("x y name\n300050 6239950 a\n300050  6239950 b\n")
    text = command("identify", *shared, "--points", str(tmp_path / "spaces.txt"))
    assert text.splitlines()[:3] == ["x y name stack band date value status",
                                     "300050 6239950 a s 1 2025-01-05 4 ok",
                                     '300050 6239950 a s 1 2025-01-06 "" nodata']


def test_advice_about_formats(command: Command, tmp_path: Path) -> None:
    argument = daily(tmp_path, "s", [np.uint8(4)])
    (tmp_path / "rows.csv").write_text(f"x,y,when\n{AT},20.01.2025\n{AT},21.01.2025\n")
    done = run_command(
        [command.path, "identify", argument, "--dates", "s_%Y%j", "--points", str(tmp_path / "rows.csv"),
         "--when", "when", "--within", "2d"], capture_output=True, text=True)
    assert "2 rows have no time in the column when; the first is row 1; give the format of the times, " \
        "for example --when 'when:%d/%m/%Y'" in done.stderr


def test_warnings_about_grids_and_dates(command: Command, tmp_path: Path) -> None:
    """Files of other grids, files that overlap in part, and stacks without a common date are reported once."""
    grid = np.ones((32, 32), "int16")
    moved = TRANSFORM * rasterio.Affine.translation(16, 0)
    adjacent = TRANSFORM * rasterio.Affine.translation(32, 0)
    half = TRANSFORM * rasterio.Affine.scale(0.5)
    for name, transforms in (("same", [TRANSFORM]), ("adjacent", [TRANSFORM, adjacent]),
                             ("overlap", [TRANSFORM, moved]), ("half", [TRANSFORM, half]),
                             ("other", [TRANSFORM])):
        day = 25 if name == "other" else 5
        for number, transform in enumerate(transforms):
            later = number if name == "half" else 0
            write(tmp_path / name / f"{number}_2025{day + later:03}.tif", grid, transform=transform)
    points = tmp_path / "points.csv"
    points.write_text("x,y,when\n300050,6239950,2025-01-06\n")

    def warnings(*stacks: str) -> list[str]:
        rasters = [f"{name}={tmp_path / name}/*.tif" for name in stacks]
        condition = ["--valid", f"{stacks[1]} = 1"] if len(stacks) > 1 else []
        done = run_command(
            [command.path, "identify", *rasters, "--dates", "?_%Y%j", "--points", str(points),
             "--when", "when", "--within", "9d", "--crs", "EPSG:32734", *condition],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return [line for line in done.stderr.splitlines() if "12:00" not in line]

    assert warnings("same") == []
    assert warnings("adjacent") == []
    assert warnings("overlap") == [
        "plumb: warning: overlap: files overlap on 1 date; where several have a value, the first file by name is used"]
    assert warnings("half") == [
        "plumb: warning: half: 1 of 2 files have another CRS or cell size than "
        f"{tmp_path}/half/0_2025005.tif"]
    assert warnings("same", "other")[0] == (
        "plumb: warning: same and other have no date in common, so no date of same is valid")


def test_explanation_of_a_series(command: Command, tmp_path: Path) -> None:
    """A stack with many dates is one line."""
    stack = small(tmp_path)
    points = tmp_path / "points.csv"
    points.write_text("x,y\n300050,6239950\n")
    done = run_command(
        [command.path, "identify", stack.argument, "--dates", "*_%Y%j", "--points", str(points), "--series",
         "--explain"], capture_output=True, text=True, timeout=60)
    lines = [line for line in done.stderr.splitlines() if "to decode" in line]
    assert len(lines) == 1 and f"{len(stack.dates)} dates, {len(stack.dates)} tiles touched" in lines[0], done.stderr
