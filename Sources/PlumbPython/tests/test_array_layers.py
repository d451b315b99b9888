"""Variables of Zarr stores, NetCDF and HDF5 files as layers of map documents and of the server."""

from __future__ import annotations

import ctypes
import json
import shutil
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pandas as pd
import pytest
from conftest import Command, run_command
from test_dates_server import Server

xr = pytest.importorskip("xarray")
h5py = pytest.importorskip("h5py")

DAYS = pd.date_range("2025-01-01", periods=5, freq="16D")
# The first point is in the first cell, the second one in the last cell.
POINTS = [(20.05, -30.05, 0, 0), (20.95, -30.95, 9, 9)]


def limits_files() -> bool:
    """Whether the kernel has Landlock, without which a document cannot name these files."""
    return int(ctypes.CDLL(None).syscall(444, None, 0, 1)) > 0


needs_landlock = pytest.mark.skipif(not limits_files(), reason="the kernel has no Landlock")


class Files:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values = np.random.default_rng(1).integers(0, 9000, (5, 10, 10)).astype("int16")
        data = xr.Dataset(
            {"evi": (("time", "lat", "lon"), self.values),
             "other": (("time", "lat", "lon"), self.values + np.int16(1))},
            {"time": DAYS,
             "lat": ("lat", np.linspace(-30.05, -30.95, 10), {"units": "degrees_north"}),
             "lon": ("lon", np.linspace(20.05, 20.95, 10), {"units": "degrees_east"})})
        data[["evi"]].to_zarr(folder / "evi.zarr", zarr_format=2)
        data.to_zarr(folder / "two.zarr", zarr_format=2)
        data[["evi"]].to_netcdf(folder / "evi.nc")
        data.to_netcdf(folder / "two.nc")

    def document(self, *urls: str, folder: Path | None = None, **members: Any) -> Path:
        path = (folder or self.folder) / "map.json"
        path.write_text(json.dumps({"operationalLayers": [
            {"id": f"layer{number}", "url": url, **members} for number, url in enumerate(urls)]}))
        return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("arrays"))


def identified(command: Command, document: Path, x: float, y: float, *options: str) -> dict[str, Any]:
    """The attributes of the cell of each layer, by the layer's id."""
    reply = json.loads(
        command("identify", str(document), f"--at={x},{y}", "--of", "json", *options))
    return {result["layer"]["id"]: (result["geoElements"] or [{}])[0].get("attributes")
            for result in reply["results"]}


@needs_landlock
def test_document(command: Command, files: Files) -> None:
    names = ["evi.zarr", "two.zarr#other", "evi.nc", "two.nc#evi", "e*.zarr#evi"]
    document = files.document(*names)
    for x, y, row, column in POINTS:
        for options, date in [((), 4), (("--date", "2025-01-18"), 1)]:
            found = identified(command, document, x, y, *options)
            assert len(found) == len(names)
            for number, name in enumerate(names):
                attributes = found[f"layer{number}"]
                expected = files.values[date, row, column] + (1 if "other" in name else 0)
                assert attributes["Band_0"] == expected, name
                assert attributes["Date"] == f"{DAYS[date]:%Y-%m-%d}", name


@needs_landlock
def test_rows(command: Command, files: Files) -> None:
    document = files.document("two.zarr#evi", layerType="RasterLayer", title="evi")
    rows = files.folder / "rows.csv"
    rows.write_text("x,y,when\n" + "".join(f"{x},{y},2025-02-01\n" for x, y, *_ in POINTS))
    lines = command("identify", str(document), "--points", str(rows), "--when", "when",
                    "--within", "16d").splitlines()[1:]
    assert [int(line.split(",")[3]) for line in lines] == [
        files.values[2, row, column] for _, _, row, column in POINTS]


@needs_landlock
def test_files_outside(command: Command, files: Files, tmp_path: Path) -> None:
    inner, outer = tmp_path / "in", tmp_path / "out"
    inner.mkdir()
    outer.mkdir()
    shutil.copy(files.folder / "evi.nc", outer / "secret.nc")
    shutil.copytree(files.folder / "evi.zarr", outer / "evi.zarr")
    with h5py.File(inner / "link.nc", "w") as file:
        for name in ("evi", "lat", "lon", "time"):
            file[name] = h5py.ExternalLink(str(outer / "secret.nc"), "/" + name)
    for name, part in [("chunk.zarr", "evi/0.0.0"), ("array.zarr", "evi"),
                       ("metadata.zarr", ".zmetadata"), ("attributes.zarr", "evi/.zattrs")]:
        copy = inner / name
        shutil.copytree(files.folder / "evi.zarr", copy)
        if (copy / part).is_dir():
            shutil.rmtree(copy / part)
        else:
            (copy / part).unlink()
        (copy / part).symlink_to(outer / "evi.zarr" / part)
    with h5py.File(outer / "secret.nc") as source, h5py.File(inner / "virtual.nc", "w") as file:
        for name in ("evi", "lat", "lon", "time"):
            layout = h5py.VirtualLayout(source[name].shape, source[name].dtype)
            layout[...] = h5py.VirtualSource("../out/secret.nc", name, source[name].shape)
            if name == "evi":
                file.create_virtual_dataset(name, layout)
            else:
                source.copy(name, file)
        for number, name in enumerate(("time", "lat", "lon")):
            file["evi"].dims[number].attach_scale(file[name])
    for name, part in [("deep.zarr", "evi/0"), ("deeper.zarr", "evi/0/0/0")]:
        copy = inner / name
        with xr.open_zarr(files.folder / "evi.zarr") as data:
            for variable in data.variables.values():
                variable.encoding.clear()
            data.to_zarr(copy, zarr_format=2, encoding={
                "evi": {"chunk_key_encoding": {"name": "v2", "separator": "/"}}})
        shutil.copytree(copy, outer / name)
        if (copy / part).is_dir():
            shutil.rmtree(copy / part)
        else:
            (copy / part).unlink()
        (copy / part).symlink_to(outer / name / part)
    urls = ["link.nc#evi", "virtual.nc#evi", "deep.zarr", "deeper.zarr", "chunk.zarr", "array.zarr#evi", "metadata.zarr", "attributes.zarr#evi",
            "../out/evi.zarr#evi", "../out/secret.nc", f"NETCDF:\"{outer}/secret.nc\":evi",
            f"ZARR:\"{outer}/evi.zarr\":/evi"]
    document = files.document(*urls, folder=inner, layerType="RasterLayer")
    x, y, row, column = POINTS[0]
    done = run_command(
        [command.path, "identify", str(document), f"--at={x},{y}"], capture_output=True, text=True)
    assert done.returncode == 1
    assert str(files.values[4, row, column]) not in done.stdout
    assert done.stderr.count("plumb: warning: layer") == len(urls)
    found = identified(command, document, x, y, "--allow-outside")
    assert {value["Band_0"] for value in found.values()} == {files.values[4, row, column]}


def test_unknown_variables(command: Command, files: Files, tmp_path: Path) -> None:
    for url in ["two.zarr#none", "none.zarr#evi", "two.zarr", "two.nc#none"]:
        document = files.document(url, layerType="RasterLayer")
        done = run_command(
            [command.path, "identify", str(document), "--at=20.05,-30.05"], capture_output=True,
            text=True)
        assert done.returncode == 1
        assert url.split("#")[0] in done.stderr


@pytest.mark.parametrize("name", ["evi.zarr", "two.zarr#evi", "evi.nc", "two.nc#evi"])
def test_picture(command: Command, files: Files, tmp_path: Path, name: str) -> None:
    done = run_command(
        [command.path, "draw", str(files.folder / name), "--date", "2025-01-17", "--size", "100x100",
         "-o", str(tmp_path / "a.png")], capture_output=True, text=True, check=True)
    assert "drawn with its date 2025-01-17" in done.stderr


@pytest.fixture(params=["evi.zarr", "two.nc#evi"])
def server(files: Files, command: Command, request: Any, tmp_path: Path) -> Iterator[Server]:
    made = Server(command.path, files.folder / request.param, tmp_path / "log")
    yield made
    made.process.terminate()
    assert made.process.wait(60) == 0


def test_server(server: Server, files: Files) -> None:
    x, y, row, column = POINTS[1]
    series = files.values[:, row, column]
    cell = server.json("/api/identify", {"map": "evi", "at": [[x, y]], "date": "2025-01-17"})
    assert cell["results"][0]["geoElements"][0]["attributes"]["Band_0"] == series[1]
    status, text, _ = server(
        "/ogc/collections/evi.evi/position", coords=f"POINT({x} {y})",
        datetime="2025-01-01/2025-02-10", f="CSV")
    assert status == 200
    assert [int(line.split(",")[3]) for line in text.splitlines()[1:]] == list(series[:3])
    image = server.json(
        "/arcgis/rest/services/evi_0/ImageServer/identify", f="json", geometry=f"{x},{y}",
        geometryType="esriGeometryPoint", time=int(DAYS[2].timestamp() * 1000))
    assert image["value"] == str(series[2])
    layers = server.json("/ogc/collections/evi.evi")
    assert layers["extent"]["temporal"]["interval"][0][0].startswith("2025-01-01")


def test_read_errors(command: Command, files: Files, tmp_path: Path) -> None:
    """The dates of a damaged chunk are one line."""
    copy = tmp_path / "evi.zarr"
    shutil.copytree(files.folder / "evi.zarr", copy)
    chunk = copy / "evi" / "0.0.0"
    chunk.write_bytes(chunk.read_bytes()[:10])
    points = tmp_path / "p.csv"
    points.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y, *_ in POINTS))
    done = run_command(
        [command.path, "identify", str(copy), f"good={files.folder}/evi.nc", "--points", str(points),
         "--series", "--long"], capture_output=True, text=True)
    assert done.returncode in (0, 1)
    lines = [line for line in done.stderr.splitlines() if "read_error" in line]
    assert len(lines) == 1 and "evi: 10 values on 5 dates are read_error" in lines[0]


@pytest.mark.parametrize("version,files_of_store", [(1, ["meta", "attrs"]), (3, ["zarr.json"])])
def test_other_versions(
        command: Command, tmp_path: Path, version: int, files_of_store: list[str]) -> None:
    store = tmp_path / "old.zarr"
    store.mkdir()
    for name in files_of_store:
        (store / name).write_text('{"zarr_format": %d}' % version)
    done = run_command(
        [command.path, "info", str(store)], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"is a Zarr store of version {version}" in done.stderr


def test_store_without_metadata(command: Command, files: Files, tmp_path: Path) -> None:
    copy = tmp_path / "evi.zarr"
    shutil.copytree(files.folder / "evi.zarr", copy)
    for name in (".zmetadata", ".zgroup"):
        (copy / name).unlink(missing_ok=True)
    done = run_command(
        [command.path, "identify", str(copy), "--at=20.05,-30.05"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "is an incomplete Zarr store" in done.stderr


def test_band_descriptions(command: Command, files: Files, tmp_path: Path) -> None:
    """Bands whose descriptions are dates are a time axis in info and in layers, too."""
    rasterio = pytest.importorskip("rasterio")
    path = tmp_path / "evi.tif"
    with rasterio.open(
            path, "w", driver="GTiff", width=10, height=10, count=5, dtype="int16",
            crs="EPSG:4326", transform=rasterio.Affine(0.1, 0, 20, 0, -0.1, -30)) as target:
        target.write(files.values)
        for band, day in enumerate(DAYS, 1):
            target.set_band_description(band, f"{day:%Y-%m-%d}")
    text = command("info", str(path))
    assert "dates: 5\nfirstDate: 2025-01-01\nlastDate: 2025-03-06\nstepDays: 16\n" in text
    document = files.document(path.name, folder=tmp_path)
    x, y, row, column = POINTS[1]
    found = identified(command, document, x, y, "--date", "2025-01-18")["layer0"]
    assert found["Band_0"] == files.values[1, row, column] and found["Date"] == "2025-01-17"


@needs_landlock
def test_missing_coordinates(command: Command, files: Files, tmp_path: Path) -> None:
    """A layer whose dates are not complete is an error, not a layer with other dates."""
    shutil.copytree(files.folder / "evi.zarr", tmp_path / "evi.zarr")
    for chunk in (tmp_path / "evi.zarr" / "time").glob("[0-9]*"):
        chunk.unlink()
    document = files.document("evi.zarr", folder=tmp_path)
    done = run_command(
        [command.path, "identify", str(document), "--at=20.05,-30.05"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "of coordinates is missing" in done.stderr


@needs_landlock
@pytest.mark.parametrize("name", ["one.nc", "one.zarr"])
def test_one_date(command: Command, files: Files, tmp_path: Path, name: str) -> None:
    """A layer with one date has no value far from this date."""
    with xr.open_dataset(files.folder / "evi.nc") as data:
        one = data.isel(time=[0])
        if name.endswith(".nc"):
            one.to_netcdf(tmp_path / name)
        else:
            for variable in one.variables.values():
                variable.encoding.clear()
            one.to_zarr(tmp_path / name, zarr_format=2)
    document = files.document(name, folder=tmp_path)
    x, y, row, column = POINTS[0]
    found = identified(command, document, x, y, "--date", "2025-01-03", "--within", "3d")["layer0"]
    assert found["Band_0"] == files.values[0, row, column] and found["Date"] == "2025-01-01"
    done = run_command(
        [command.path, "identify", str(document), f"--at={x},{y}", "--date", "2025-06-01", "--within",
         "3d"], capture_output=True, text=True)
    assert done.returncode == 1 and "it has no date at the requested time" in done.stderr


def test_numbers_that_are_not_json(command: Command, tmp_path: Path) -> None:
    """xarray writes NaN in attributes."""
    values = np.random.default_rng(2).normal(0, 1, (2, 3, 4)).astype("float32")
    values[0, 0, 0] = np.nan
    data = xr.Dataset({"v": (("time", "lat", "lon"), values)}, {
        "time": DAYS[:2], "lat": ("lat", [3.0, 2, 1], {"units": "degrees_north"}),
        "lon": ("lon", [1.0, 2, 3, 4], {"units": "degrees_east"})})
    data["v"].attrs = {"missing_value": float("nan"), "range": [float("-inf"), float("inf")]}
    data.to_zarr(tmp_path / "v.zarr", zarr_format=2)
    assert "NaN" in (tmp_path / "v.zarr" / "v" / ".zattrs").read_text()
    points = tmp_path / "p.csv"
    points.write_text("x,y\n1,3\n4,1\n")
    lines = command("identify", str(tmp_path / "v.zarr"), "--points", str(points), "--series",
                    "--long").splitlines()[1:]
    assert [line.split(",")[6] for line in lines] == ["nodata", "ok", "ok", "ok"]
    found = [float(line.split(",")[5] or "nan") for line in lines]
    np.testing.assert_allclose(found, [np.nan, values[1, 0, 0], *values[:, 2, 3]], rtol=1e-6)
