"""Values of NetCDF-4 and HDF5 files with chunks: the cells of every kind of chunk equal those of netCDF4 and h5py."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command, run_command

netCDF4 = pytest.importorskip("netCDF4")

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"]
TIMES, ROWS, COLUMNS = 7, 12, 11


def create(path: Path, kind: str, chunks: tuple[int, ...], *, north_up: bool = True, levels: int = 0,
           attributes: dict[str, Any] | None = None, unlimited: bool = False,
           written: slice = slice(None), **options: Any) -> np.ndarray:
    """Writes a variable `v`; returns its stored values, in the order of rows from north to south."""
    random = np.random.default_rng(len(kind) + sum(chunks))
    shape = (TIMES, *([levels] if levels else []), ROWS, COLUMNS)
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_maskandscale(False)
        sizes = [("time", None if unlimited else TIMES), ("level", levels), ("lat", ROWS), ("lon", COLUMNS)]
        names = [name for name, size in sizes if size != 0]
        for name, size in sizes:
            if size != 0:
                file.createDimension(name, size)
        latitude = np.arange(ROWS) + 0.5
        for name, values, unit in (
                ("time", np.arange(TIMES), "days since 2025-01-01"),
                ("lat", latitude[::-1] if north_up else latitude, "degrees_north"),
                ("lon", np.arange(COLUMNS) + 0.5, "degrees_east")):
            variable = file.createVariable(name, "f8", (name,))
            variable.units = unit
            variable[:] = values
        if levels:
            variable = file.createVariable("level", "f8", ("level",))
            variable.units = "hPa"
            variable[:] = np.arange(levels) * 100 + 100
        variable = file.createVariable("v", kind, tuple(names), chunksizes=chunks, **options)
        variable.set_auto_maskandscale(False)
        variable.setncatts(attributes or {})
        if kind.startswith("f"):
            values = (random.normal(0, 100, shape)).astype(kind)
            values.ravel()[::17] = np.nan
        else:
            values = random.integers(0, 120, shape).astype(kind)
        variable[written] = values[written]
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        stored = np.asarray(file["v"][:])
    return stored if north_up else stored[..., ::-1, :]


def all_points(folder: Path) -> Path:
    path = folder / "points.csv"
    rows = [f"{i},{i % COLUMNS + 0.4},{ROWS - i // COLUMNS - 0.6}" for i in range(ROWS * COLUMNS)]
    path.write_text("id,lon,lat\n" + "\n".join(rows) + "\n")
    return path


def series(command: Command, argument: str, points: Path, isolation: str = "most") -> list[dict[str, str]]:
    run = run_command(
        [command.path, "identify", "v=" + argument, "--points", str(points), "--series", "--long"],
        capture_output=True, text=True, env={**os.environ, "PLUMB_ISOLATION": isolation}, check=False)
    assert run.returncode == 0, run.stderr
    return list(csv.DictReader(io.StringIO(run.stdout)))


def route(command: Command, argument: str) -> str:
    """The decoder of the chunks."""
    return json.loads(command("info", argument, "--of", "json"))["route"]


def check(rows: list[dict[str, str]], values: np.ndarray, valid: Any = None) -> None:
    """Compares rows of all cells with the stored values of shape (time, row, column)."""
    assert len(rows) == values.size
    flat = values.reshape(len(values), -1).T.ravel()
    isvalid = (valid or (lambda array: ~np.isnan(array)))(flat.astype("f8"))
    for row, value, ok in zip(rows, flat, isvalid):
        assert row["status"] == ("ok" if ok else "nodata"), (row, value)
        if ok:
            given = np.array([row["value"]]).astype(values.dtype)[0]
            assert given == value, (row, value)


FILTERS: list[dict[str, Any]] = [
    {}, {"zlib": True, "shuffle": False}, {"zlib": True}, {"fletcher32": True},
    {"zlib": True, "fletcher32": True, "complevel": 9}]


@pytest.mark.parametrize("filters", FILTERS, ids=["plain", "zlib", "shuffle", "fletcher", "all"])
@pytest.mark.parametrize("kind", TYPES)
def test_types_and_filters(command: Command, tmp_path: Path, kind: str, filters: dict[str, Any]) -> None:
    values = create(tmp_path / "v.nc", kind, (3, 5, 4), **filters)
    argument, points = f"{tmp_path}/v.nc#v", all_points(tmp_path)
    rows = series(command, argument, points)
    fill = netCDF4.default_fillvals[kind]
    check(rows, values, lambda array: ~np.isnan(array) & ((array != fill) | (kind in ("i1", "u1"))))
    assert route(command, argument) == "Plumb"
    # GDAL decodes the chunks in a helper process.
    assert rows == series(command, argument, points, isolation="all")


SHAPES = [(1, ROWS, COLUMNS), (TIMES, 1, 1), (TIMES, 4, 4), (2, 6, 11), (7, 12, 3), (1, 3, 5)]


@pytest.mark.parametrize("north_up", [True, False], ids=["north", "south"])
@pytest.mark.parametrize("chunks", SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["i2", "f4"])
def test_shapes(command: Command, tmp_path: Path, kind: str, chunks: tuple[int, ...],
                north_up: bool) -> None:
    values = create(tmp_path / "v.nc", kind, chunks, north_up=north_up, zlib=True)
    rows = series(command, f"{tmp_path}/v.nc#v", all_points(tmp_path))
    check(rows, values)
    # Tiles of rows in the opposite order would not be chunks of the file.
    isdivided = ROWS % chunks[1] != 0
    assert route(command, f"{tmp_path}/v.nc#v") == ("GDAL" if isdivided and not north_up else "Plumb")


@pytest.mark.parametrize("north_up", [True, False], ids=["north", "south"])
def test_levels(command: Command, tmp_path: Path, north_up: bool) -> None:
    values = create(tmp_path / "v.nc", "f4", (3, 2, 4, 4), levels=3, north_up=north_up, zlib=True)
    points = all_points(tmp_path)
    for number in range(3):
        rows = series(command, f"{tmp_path}/v.nc#v[level={number * 100 + 100}]", points)
        check(rows, values[:, number])


@pytest.mark.parametrize("unlimited", [True, False])
@pytest.mark.parametrize("fill", [None, 77], ids=["default", "stated"])
@pytest.mark.parametrize("kind", ["i2", "u1", "f4"])
def test_chunks_that_were_never_written(command: Command, tmp_path: Path, kind: str,
                                        fill: int | None, unlimited: bool) -> None:
    values = create(tmp_path / "v.nc", kind, (2, 4, 4), written=slice(2, 4), unlimited=unlimited, zlib=True,
                    **({} if fill is None else {"fill_value": fill}))
    values = values[:4]
    points = all_points(tmp_path)
    rows = series(command, f"{tmp_path}/v.nc#v", points)
    rows = [row for row in rows if row["date"] < "2025-01-05"]
    missing = netCDF4.default_fillvals[kind] if fill is None else fill
    rule = (lambda array: ~np.isnan(array)) if fill is None and kind == "u1" else (
        lambda array: ~np.isnan(array) & (array != np.array(missing, kind)))
    check(rows, values, rule)


ATTRIBUTES: list[tuple[dict[str, Any], Any]] = [
    ({"valid_range": np.array([20, 90], "i2")}, lambda array: (array >= 20) & (array <= 90)),
    ({"valid_min": np.int16(20)}, lambda array: array >= 20),
    ({"missing_value": np.int16(33)}, lambda array: array != 33),
    ({"missing_value": np.array([33, 34], "i2")}, lambda array: ~np.isin(array, [33, 34]))]


@pytest.mark.parametrize("north_up", [True, False], ids=["north", "south"])
@pytest.mark.parametrize("number", range(len(ATTRIBUTES)))
def test_excluded_values(command: Command, tmp_path: Path, number: int, north_up: bool) -> None:
    attributes, rule = ATTRIBUTES[number]
    values = create(tmp_path / "v.nc", "i2", (3, 6, 11), attributes=attributes, north_up=north_up, zlib=True)
    rows = series(command, f"{tmp_path}/v.nc#v", all_points(tmp_path))
    check(rows, values, rule)


def test_packed_values_are_scaled_when_asked(command: Command, tmp_path: Path) -> None:
    scale = {"scale_factor": 0.5, "add_offset": 10.0}
    values = create(tmp_path / "v.nc", "i2", (3, 5, 4), attributes=scale, zlib=True)
    points = all_points(tmp_path)
    text = command("identify", f"v={tmp_path}/v.nc#v", "--points", str(points), "--series", "--long",
                   "--scaled")
    flat = values.reshape(TIMES, -1).T.ravel()
    for row, value in zip(csv.DictReader(io.StringIO(text)), flat):
        assert float(row["value"]) == value * 0.5 + 10


def test_h5_files(command: Command, tmp_path: Path) -> None:
    """A NetCDF-4 file without its format's name."""
    values = create(tmp_path / "v.nc", "f8", (3, 5, 4), zlib=True)
    (tmp_path / "v.nc").rename(tmp_path / "v.h5")
    rows = series(command, f"{tmp_path}/v.h5#v", all_points(tmp_path))
    check(rows, values)


@pytest.mark.parametrize("filters", [{"zlib": True}, {"fletcher32": True}], ids=["zlib", "fletcher"])
def test_damaged_chunks(command: Command, tmp_path: Path, filters: dict[str, Any]) -> None:
    """A damaged chunk is a read error of its cells, and of no others."""
    path = tmp_path / "v.nc"
    values = create(path, "i4", (TIMES, 4, 4), **filters)
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        pattern = np.asarray(file["v"][:, :4, :4]).tobytes()
    data = bytearray(path.read_bytes())
    if "zlib" in filters:
        import zlib

        shuffled = np.frombuffer(pattern, "u1").reshape(-1, 4).T.tobytes()
        pattern = zlib.compress(shuffled, 4)
    position = data.find(pattern)
    assert position > 0
    for offset in range(40, 60):
        data[position + offset] ^= 0x55
    path.write_bytes(data)
    rows = series(command, f"{path}#v", all_points(tmp_path))
    cells = [number for number in range(ROWS * COLUMNS) if number // COLUMNS < 4 and number % COLUMNS < 4]
    flat = values.reshape(TIMES, -1).T.ravel()
    for row, value in zip(rows, flat):
        if int(row["id"]) in cells:
            assert (row["status"], row["value"]) == ("read_error", "")
        else:
            assert (row["status"], row["value"]) == ("ok", str(value))


def test_truncated_files_and_damaged_bytes(command: Command, tmp_path: Path) -> None:
    """Files with damaged bytes are read with an error, or like GDAL reads them; the command never crashes."""
    path = tmp_path / "v.nc"
    create(path, "i2", (3, 4, 4), zlib=True, fletcher32=True)
    data, points = path.read_bytes(), all_points(tmp_path)
    random = np.random.default_rng(11)
    for number in range(60):
        damaged = bytearray(data)
        if number % 4 == 0:
            del damaged[int(random.integers(100, len(data))):]
        else:
            for position in random.integers(0, len(data), 4):
                damaged[position] = random.integers(0, 256)
        other = tmp_path / f"d{number}.nc"
        other.write_bytes(damaged)
        run = run_command(
            [command.path, "identify", f"v={other}#v", "--points", str(points), "--series", "--long"],
            capture_output=True, text=True, timeout=60, check=False)
        assert run.returncode in (0, 1), (number, run.returncode, run.stderr)
        if run.returncode == 1:
            assert run.stderr.splitlines()[-1].startswith("plumb: "), run.stderr
