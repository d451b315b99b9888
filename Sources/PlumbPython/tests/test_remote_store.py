"""Zarr stores at URLs have the same results as local ones, and a file that a server fails to send
is never treated as a cell without data.
"""

from __future__ import annotations

import http.server
import io
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import Command, run_command

xr = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")

COUNT, HEIGHT, WIDTH = 11, 40, 50
COMPRESSORS = {
    "none": None,
    "zstd": numcodecs.Zstd(3),
    "zlib": numcodecs.Zlib(1),
    "blosc": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE),
    "blosc-zstd-bits": numcodecs.Blosc("zstd", 3, numcodecs.Blosc.BITSHUFFLE),
    "blosc-zlib": numcodecs.Blosc("zlib", 3, numcodecs.Blosc.NOSHUFFLE),
    "blosc-lz4hc": numcodecs.Blosc("lz4hc", 3, numcodecs.Blosc.SHUFFLE),
    "blosclz": numcodecs.Blosc("blosclz", 9, numcodecs.Blosc.SHUFFLE),
}


def write(path: Path, compressor: str = "blosc", chunks: tuple[int, int, int] = (4, 16, 16),
          separator: str = ".", consolidated: bool = True, dtype: str = "int16",
          order: str = "C", filters: Any = None) -> None:
    random = np.random.default_rng(5)
    values = random.integers(-5, 900, (COUNT, HEIGHT, WIDTH)).astype(dtype)
    # A block that is not stored, whose cells have the fill value.
    values[:4, :16, 16:32] = -5
    group = zarr.open_group(str(path), mode="w", **version())
    axes: dict[str, tuple[Any, dict[str, Any]]] = {
        "time": (np.arange(COUNT) * 8, {
            "units": "days since 2024-01-01", "calendar": "proleptic_gregorian", "axis": "T"}),
        "y": (6_239_985.0 - 30 * np.arange(HEIGHT), {
            "standard_name": "projection_y_coordinate", "units": "m"}),
        "x": (300_015.0 + 30 * np.arange(WIDTH), {
            "standard_name": "projection_x_coordinate", "units": "m"})}
    for name, (axis, attributes) in axes.items():
        array = create(group, name, axis.shape, (max(1, len(axis) // 3),), axis.dtype, None, None)
        array[:] = axis
        array.attrs.update({"_ARRAY_DIMENSIONS": [name]} | attributes)
    crs = create(group, "crs", (), (), np.dtype("int32"), None, None)
    crs.attrs.update({
        "_ARRAY_DIMENSIONS": [], "grid_mapping_name": "transverse_mercator",
        "crs_wkt": WKT})
    array = create(
        group, "evi", values.shape, chunks, values.dtype, COMPRESSORS[compressor], -5,
        dimension_separator=separator, order=order, filters=filters)
    array[:] = values
    array.attrs.update({"_ARRAY_DIMENSIONS": ["time", "y", "x"], "grid_mapping": "crs"})
    for chunk in path.joinpath("evi").glob("0.0.1" if separator == "." else "0/0/1"):
        if chunks == (4, 16, 16):
            chunk.unlink()
    if consolidated:
        zarr.consolidate_metadata(str(path))


def version() -> dict[str, Any]:
    return {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}


def create(group: Any, name: str, shape: Any, chunks: Any, dtype: Any, compressor: Any, fill: Any,
           **options: Any) -> Any:
    if version():
        separator = options.pop("dimension_separator", ".")
        return group.create_array(
            name, shape=shape, chunks=chunks, dtype=dtype,
            compressors=None if compressor is None else [compressor], fill_value=fill,
            chunk_key_encoding={"name": "v2", "separator": separator}, **options)
    return group.create_dataset(
        name, shape=shape, chunks=chunks or None, dtype=dtype, compressor=compressor,
        fill_value=fill, **options)


WKT = (
    'PROJCS["WGS 84 / UTM zone 34S",GEOGCS["WGS 84",DATUM["WGS_1984",'
    'SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
    'UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],'
    'PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",21],'
    'PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],'
    'PARAMETER["false_northing",10000000],UNIT["metre",1],AUTHORITY["EPSG","32734"]]')


class Server:
    def __init__(self, folder: Path) -> None:
        self.folder, self.requests = folder, list[str]()
        self.answers: dict[str, int] = {}
        outer = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments, directory=str(folder))

            def log_message(self, *arguments: Any) -> None:
                pass

            def do_GET(self) -> None:
                outer.requests.append(self.path)
                for ending, status in outer.answers.items():
                    if self.path.split("?")[0].endswith(ending):
                        self.send_error(status)
                        return
                super().do_GET()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    running = Server(folder)
    yield running
    running.server.shutdown()


@pytest.fixture
def points(tmp_path: Path) -> Path:
    random = np.random.default_rng(6)
    path = tmp_path / "points.csv"
    pd.DataFrame({
        "id": range(300), "x": random.uniform(299_950, 301_550, 300),
        "y": random.uniform(6_238_750, 6_240_050, 300)}).to_csv(path, index=False)
    return path


def plumb(command: Command, *arguments: Any) -> subprocess.CompletedProcess[str]:
    return run_command(
        [command.path, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def series(command: Command, source: str, points: Path) -> str:
    run = plumb(command, "identify", source, "--points", points, "--series", "--long")
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("compressor", list(COMPRESSORS))
def test_equals_the_local_store(
        command: Command, server: Server, points: Path, compressor: str) -> None:
    write(server.folder / "evi.zarr", compressor)
    local = series(command, f"evi={server.folder}/evi.zarr", points)
    # Values, cells without data, and points outside of the grid.
    for status in ["ok", "nodata", "outside"]:
        assert f",{status}\n" in local
    assert series(command, f"{server.url}/evi.zarr", points) == local
    assert series(command, f"{server.url}/evi.zarr/#evi", points) == local
    assert series(command, f"evi={server.url}/evi.zarr?key=a%2Fb#evi", points) == local
    assert series(command, f'evi=ZARR:"/vsicurl/{server.url}/evi.zarr":/evi', points) == local


@pytest.mark.parametrize("chunks", [(1, 40, 50), (11, 5, 5), (2, 7, 50), (20, 64, 64)])
@pytest.mark.parametrize("separator", [".", "/"])
@pytest.mark.parametrize("consolidated", [True, False])
def test_layouts(command: Command, server: Server, points: Path, chunks: Any, separator: str,
                 consolidated: bool) -> None:
    write(server.folder / "data.v2", "zstd", chunks, separator, consolidated)
    local = series(command, f"{server.folder}/data.v2#evi", points)
    assert series(command, f"{server.url}/data.v2#evi", points) == local
    # Each file is requested once.
    remote = [path for path in server.requests if path.startswith("/data.v2/")]
    assert len(remote) == len(set(remote)) > 0


def test_observations(command: Command, server: Server, points: Path) -> None:
    write(server.folder / "evi.zarr")
    frame = pd.read_csv(points)
    frame["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(300) % 80, unit="D")
    frame.to_csv(points, index=False)
    given = ["--points", points, "--when", "when", "--within", "9d", "--valid", "evi > 100"]
    local = plumb(command, "identify", f"evi={server.folder}/evi.zarr", *given)
    remote = plumb(command, "identify", f"{server.url}/evi.zarr", *given)
    assert local.returncode == remote.returncode == 0, remote.stderr
    assert local.stdout == remote.stdout


@pytest.mark.parametrize("status", [403, 500, 503])
def test_chunks_that_are_not_sent(
        command: Command, server: Server, points: Path, status: int) -> None:
    write(server.folder / "evi.zarr", "zstd")
    whole = series(command, f"{server.url}/evi.zarr", points).splitlines()
    server.answers["/evi/1.1.1"] = status
    run = plumb(
        command, "identify", f"{server.url}/evi.zarr", "--points", points, "--series", "--long")
    assert run.returncode == 0
    assert str(status) in run.stderr and "evi/1.1.1" in run.stderr
    rows = run.stdout.splitlines()
    assert len(rows) == len(whole)
    changed = [(a, b) for a, b in zip(whole, rows) if a != b]
    assert changed
    for before, after in changed:
        # The cells of the chunk at all dates, which are read together.
        _, x, y, *_ = before.split(",")
        column, row = (float(x) - 300_000) // 30, (6_240_000 - float(y)) // 30
        assert 16 <= column < 32 and 16 <= row < 32
        assert after.endswith(",,read_error")


@pytest.mark.parametrize("name", [".zmetadata", "/time/1", "/x/0", "/y/2"])
def test_coordinates_that_are_not_sent(
        command: Command, server: Server, points: Path, name: str) -> None:
    write(server.folder / "evi.zarr", "zstd")
    server.answers[name] = 403
    run = plumb(
        command, "identify", f"{server.url}/evi.zarr", "--points", points, "--series", "--long")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.count("\n") == 1 and "403" in run.stderr and name in run.stderr


@pytest.mark.parametrize("fill", [None, 0])
def test_missing_coordinates(
        command: Command, server: Server, points: Path, fill: int | None) -> None:
    """An incomplete copy of a store does not result in wrong dates or positions."""
    for name in ["time/1", "x/0", "y/2"]:
        store = server.folder / "evi.zarr"
        write(store, "zstd", consolidated=False)
        for axis in ["time", "x", "y"]:
            layout = json.loads((store / axis / ".zarray").read_text())
            (store / axis / ".zarray").write_text(json.dumps(layout | {"fill_value": fill}))
        zarr.consolidate_metadata(str(store))
        (store / name).unlink()
        for source in [f"{server.url}/evi.zarr", store]:
            run = plumb(command, "identify", source, "--points", points, "--series", "--long")
            assert (run.returncode, run.stdout) == (1, ""), (name, source)
            assert f"the chunk {name} of coordinates is missing" in run.stderr, run.stderr


@pytest.mark.parametrize("compressor", ["zstd", "none"])
def test_chunks_of_zeros(
        command: Command, server: Server, points: Path, compressor: str) -> None:
    """zarr-python does not write chunks of zeros of an array without a fill value."""
    store = server.folder / "evi.zarr"
    write(store, "zstd", consolidated=False)
    values = np.random.default_rng(8).integers(1, 900, (COUNT, HEIGHT, WIDTH)).astype("int16")
    values[:, :16, :16] = 0
    group = zarr.open_group(str(store), mode="a", **version())
    array = create(
        group, "rain", values.shape, (4, 16, 16), values.dtype, COMPRESSORS[compressor], None)
    array[:] = values
    array.attrs.update({"_ARRAY_DIMENSIONS": ["time", "y", "x"], "grid_mapping": "crs"})
    zarr.consolidate_metadata(str(store))
    if version():
        assert not (store / "rain" / "0.0.0").exists()
        np.testing.assert_array_equal(array[:], values)
    for index in range(3):
        (store / "rain" / f"{index}.0.0").unlink(missing_ok=True)
    local = series(command, f"{store}#rain", points)
    assert series(command, f"{server.url}/evi.zarr#rain", points) == local
    frame = pd.read_csv(io.StringIO(local))
    assert set(frame["status"]) == {"ok", "outside"}
    frame = frame[frame["status"] == "ok"]
    days = (pd.to_datetime(frame["date"]) - pd.Timestamp("2024-01-01")).dt.days // 8
    rows, columns = (6_240_000 - frame["y"]) // 30, (frame["x"] - 300_000) // 30
    expected = values[days, rows.astype(int), columns.astype(int)]
    np.testing.assert_array_equal(frame["value"], expected)
    assert (expected == 0).any()


def test_coordinates_of_zero(command: Command, server: Server, tmp_path: Path) -> None:
    """The only date is 0 days since itself, and the height is 0 m."""
    store = server.folder / "n.zarr"
    values = np.arange(1, 13, dtype="int16").reshape(1, 3, 4)
    xr.Dataset(
        {"n": (("time", "lat", "lon"), values)},
        {"time": [np.datetime64("2024-05-06", "ns")], "height": 0, "lat": [2.0, 1.0, 0.0],
         "lon": [0.0, 1.0, 2.0, 3.0]}).to_zarr(str(store), **version())
    for name in ["time/0", "height/0"]:
        assert not version() or not (store / name).exists()
        (store / name).unlink(missing_ok=True)
    points = tmp_path / "points.csv"
    points.write_text("x,y\n1,2\n3,0\n")
    for source in [f"{store}#n", f"{server.url}/n.zarr#n"]:
        run = plumb(command, "identify", source, "--points", points, "--series")
        assert (run.returncode, run.stdout) == (
            0, "x,y,n_2024-05-06\n1,2,2\n3,0,12\n"), (source, run)


def test_damaged_chunks(command: Command, server: Server, points: Path) -> None:
    for compressor in ["blosc", "zstd", "zlib", "none"]:
        store = server.folder / f"{compressor}.zarr"
        write(store, compressor)
        chunk = store / "evi/2.2.0"
        chunk.write_bytes(chunk.read_bytes()[:-9])
        for source in [f"evi={store}", f"{server.url}/{compressor}.zarr"]:
            run = plumb(command, "identify", source, "--points", points, "--series", "--long")
            assert run.returncode == 0 and "2.2.0" in run.stderr, (source, run.stderr)
            assert "read_error" in run.stdout


def test_messages(command: Command, server: Server, points: Path) -> None:
    write(server.folder / "evi.zarr")
    write(server.folder / "delta.zarr", "zstd", filters=[numcodecs.Delta("<i2")])
    write(server.folder / "unlisted.zarr", consolidated=False)
    write(server.folder / "two.zarr")
    shutil.copytree(server.folder / "two.zarr/evi", server.folder / "two.zarr/qa")
    zarr.consolidate_metadata(str(server.folder / "two.zarr"))
    (server.folder / "v3.zarr").mkdir()
    (server.folder / "v3.zarr/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (server.folder / "other.nc").write_bytes(b"CDF\x01")
    for path, word in [
            ("evi.zarr#ndvi", "has no variable ndvi; it has"),
            ("delta.zarr", "the filters delta"),
            ("unlisted.zarr", "name one"),
            ("two.zarr", "2 variables, evi, qa"),
            ("v3.zarr", "version 3"),
            ("none.zarr", "is not a Zarr store"),
            ("other.nc#t2m", "download it"),
            ("evi.zarr#evi[level=5]", "no dimension level")]:
        run = plumb(command, "identify", f"{server.url}/{path}", "--points", points, "--series")
        assert (run.returncode, run.stdout) == (1, ""), path
        assert word in run.stderr and run.stderr.count("\n") == 1, (path, run.stderr)


def test_unknown_filters_are_named(command: Command, tmp_path: Path, points: Path) -> None:
    scale = numcodecs.FixedScaleOffset(offset=0, scale=1, dtype="<i2")
    write(tmp_path / "evi.zarr", "zstd", filters=[scale])
    run = plumb(command, "identify", f"{tmp_path}/evi.zarr#evi", "--points", points, "--series")
    assert (run.returncode, run.stdout) == (1, "")
    assert "the compressor zstd, the filters fixedscaleoffset" in run.stderr, run.stderr


def test_no_temporary_files_are_left(
        command: Command, server: Server, points: Path, tmp_path: Path) -> None:
    write(server.folder / "evi.zarr")
    (folder := tmp_path / "temporary").mkdir()
    run = run_command(
        [command.path, "identify", f"{server.url}/evi.zarr", "--points", str(points), "--series"],
        capture_output=True, text=True, env={"TMPDIR": str(folder), "PATH": "/usr/bin:/bin"})
    assert run.returncode == 0, run.stderr
    assert not [path for path in folder.rglob("*") if "plumb-store" in path.name]
