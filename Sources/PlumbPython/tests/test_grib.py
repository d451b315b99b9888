"""Parameters and levels of GRIB files as stacks with dates; the values equal rasterio's bands."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from conftest import Command, run_command
from rasterio.io import MemoryFile

HOURS = (0, 6, 12, 18)
# Category, number, kind and value of the surface of each field, and GDAL's names.
FIELDS = [((0, 0, 103, 2), "TMP", "2-HTGL"), ((0, 0, 100, 50_000), "TMP", "50000-ISBL"),
          ((0, 0, 100, 85_000), "TMP", "85000-ISBL"), ((2, 2, 103, 10), "UGRD", "10-HTGL")]


@pytest.fixture(scope="module")
def grib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("grib") / "forecast.grib2"
    messages = [(hour, field) for hour in HOURS for field, *_ in FIELDS]
    values = np.random.default_rng(3).uniform(250, 300, (len(messages), 6, 8)).astype("float32")
    options = {}
    for band, (hour, (category, number, surface, value)) in enumerate(messages, 1):
        options[f"BAND_{band}_DISCIPLINE"] = "0"
        options[f"BAND_{band}_IDS"] = (
            "CENTER=98 SUBCENTER=0 MASTER_TABLE=2 LOCAL_TABLE=0 SIGNF_REF_TIME=1 "
            "REF_TIME=2025-01-01T00:00:00Z PROD_STATUS=0 TYPE=1")
        options[f"BAND_{band}_PDS_PDTN"] = "0"
        options[f"BAND_{band}_PDS_TEMPLATE_ASSEMBLED_VALUES"] = (
            f"{category} {number} 2 0 0 0 0 1 {hour} {surface} 0 {value} 255 0 0")
    with MemoryFile() as memory:
        with memory.open(
                driver="GTiff", width=8, height=6, count=len(messages), dtype="float32",
                crs="EPSG:4326", transform=rasterio.Affine(1, 0, 10, 0, -1, 50)) as target:
            target.write(values)
        with memory.open() as source:
            rasterio.shutil.copy(source, path, driver="GRIB", **options)
    return path


def expected(path: Path, parameter: str, level: str, row: int, column: int) -> list[float]:
    with rasterio.open(path) as source:
        bands = [band for band in source.indexes
                 if source.tags(band)["GRIB_ELEMENT"] == parameter
                 and source.tags(band)["GRIB_SHORT_NAME"] == level]
        return [float(source.read(band)[row, column]) for band in bands]


@pytest.mark.parametrize("name,field", [
    ("TMP_2-HTGL", 0), ("TMP[level=2]", 0), ("TMP[level=50000]", 1), ("TMP_85000-ISBL", 2),
    ("UGRD", 3), ("UGRD_10-HTGL", 3), ("UGRD[level=10]", 3)])
def test_series(command: Command, grib: Path, tmp_path: Path, name: str, field: int) -> None:
    _, parameter, level = FIELDS[field]
    points = tmp_path / "p.csv"
    points.write_text("x,y\n10.5,49.5\n17.5,44.5\n")
    lines = command("identify", f"v={grib}#{name}", "--points", str(points), "--series").splitlines()
    assert lines[0] == "x,y," + ",".join(f"v_2025-01-01T{hour:02}:00Z" for hour in HOURS)
    for line, (row, column) in zip(lines[1:], [(0, 0), (5, 7)]):
        # The versions of GDAL convert temperatures to degrees Celsius in different precision.
        np.testing.assert_allclose(
            [float(value) for value in line.split(",")[2:]],
            expected(grib, parameter, level, row, column), atol=1e-3)


def test_when(command: Command, grib: Path, tmp_path: Path) -> None:
    points = tmp_path / "p.csv"
    points.write_text("x,y,at\n10.5,49.5,2025-01-01T07:00:00Z\n17.5,44.5,2025-01-01T16:00:00Z\n")
    lines = command("identify", f"v={grib}#TMP[level=2]", "--points", str(points), "--when", "at",
                    "--within", "3h").splitlines()[1:]
    first = expected(grib, "TMP", "2-HTGL", 0, 0)
    last = expected(grib, "TMP", "2-HTGL", 5, 7)
    assert abs(float(lines[0].split(",")[3]) - first[1]) < 1e-3
    assert abs(float(lines[1].split(",")[3]) - last[3]) < 1e-3
    assert lines[0].split(",")[4] == f"{dt.datetime(2025, 1, 1, 6):%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("name,message", [
    ("", "has several parameters or levels: name one, such as"),
    ("#TMP", "TMP has several levels: name one of TMP_2-HTGL, TMP_50000-ISBL, TMP_85000-ISBL"),
    ("#TMP[level=7]", "TMP has no level 7"), ("#RH", "has no parameter RH; it has TMP, UGRD"),
    ("#TMP[time=2]", "has no dimension time, only level")])
def test_messages(command: Command, grib: Path, tmp_path: Path, name: str, message: str) -> None:
    points = tmp_path / "p.csv"
    points.write_text("x,y\n10.5,49.5\n")
    done = run_command(
        [command.path, "identify", f"v={grib}{name}", "--points", str(points), "--series"],
        capture_output=True, text=True)
    assert done.returncode == 1
    assert message in done.stderr and done.stderr.count("\n") == 1


def test_layer(command: Command, grib: Path) -> None:
    document = grib.with_name("map.json")
    document.write_text(
        '{"operationalLayers": [{"id": "t", "url": "%s#TMP_2-HTGL"}]}' % grib.name)
    reply = command("identify", str(document), "--at=10.5,49.5", "--date", "2025-01-01T05:00:00Z")
    value = expected(grib, "TMP", "2-HTGL", 0, 0)[1]
    assert f"Band_0 {value:.2f}"[:12] in reply and "Date 2025-01-01T06:00:00Z" in reply


def test_files_of_a_family(command: Command, grib: Path, tmp_path: Path) -> None:
    """Reading creates no files, although HDF5 opens numbered files as a family."""
    parts = tmp_path / "parts"
    parts.mkdir()
    for number in (10, 11):
        (parts / f"fc_{number}.grib2").write_bytes(grib.read_bytes()[:None if number == 11 else 2000])
    (parts / "fc_10.grib2").write_bytes(grib.read_bytes())
    with open(parts / "fc_11.grib2", "ab") as file:
        file.write(grib.read_bytes())
    points = tmp_path / "p.csv"
    points.write_text("x,y\n10.5,49.5\n")
    for name in ("fc_*.grib2#UGRD", "fc_10.grib2#UGRD", "fc_10.grib2#none"):
        run_command([command.path, "identify", f"v={parts}/{name}", "--points", str(points),
                        "--series"], capture_output=True)
        run_command([command.path, "info", f"{parts}/{name}"], capture_output=True)
    assert sorted(path.name for path in parts.iterdir()) == ["fc_10.grib2", "fc_11.grib2"]


def test_several_messages_of_a_time(command: Command, grib: Path, tmp_path: Path) -> None:
    """Only the first message of a valid time is used, with a warning."""
    path = tmp_path / "twice.grib2"
    path.write_bytes(2 * grib.read_bytes())
    points = tmp_path / "p.csv"
    points.write_text("x,y\n10.5,49.5\n")
    done = run_command(
        [command.path, "identify", f"v={path}#UGRD", "--points", str(points), "--series"],
        capture_output=True, text=True, check=True)
    assert "v: 4 bands have the date of an earlier band" in done.stderr
    assert len(done.stdout.splitlines()[0].split(",")) == 2 + len(HOURS)


def test_files_of_several_parameters(command: Command, grib: Path, tmp_path: Path) -> None:
    for name, field in (("a", "TMP_2-HTGL"), ("b", "UGRD_10-HTGL")):
        with rasterio.open(grib) as source:
            bands = [band for band in source.indexes
                     if f"{source.tags(band)['GRIB_ELEMENT']}_{source.tags(band)['GRIB_SHORT_NAME']}" == field]
            options = {}
            for number, band in enumerate(bands, 1):
                options[f"BAND_{number}_IDS"] = (
                    "CENTER=98 SUBCENTER=0 MASTER_TABLE=2 LOCAL_TABLE=0 SIGNF_REF_TIME=1 "
                    "REF_TIME=2025-01-01T00:00:00Z PROD_STATUS=0 TYPE=1")
                options[f"BAND_{number}_PDS_PDTN"] = "0"
                options[f"BAND_{number}_PDS_TEMPLATE_ASSEMBLED_VALUES"] = source.tags(band)[
                    "GRIB_PDS_TEMPLATE_ASSEMBLED_VALUES"]
            with MemoryFile() as memory:
                with memory.open(driver="GTiff", width=8, height=6, count=len(bands), dtype="float32",
                                 crs="EPSG:4326", transform=source.transform) as target:
                    target.write(source.read(bands).astype("float32"))
                with memory.open() as copy:
                    rasterio.shutil.copy(copy, tmp_path / f"{name}.grib2", driver="GRIB", **options)
    points = tmp_path / "p.csv"
    points.write_text("x,y\n10.5,49.5\n")
    done = run_command(
        [command.path, "identify", f"v={tmp_path}/?.grib2", "--points", str(points), "--series"],
        capture_output=True, text=True)
    assert done.returncode == 1
    assert "has TMP_2-HTGL, and" in done.stderr and "has UGRD_10-HTGL" in done.stderr
