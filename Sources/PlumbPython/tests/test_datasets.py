"""Open datasets of rasterio, rioxarray and fsspec are read by their paths, or refused."""

from __future__ import annotations

import http.server
import multiprocessing
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import DEM, EVI, around, write_raster

import plumb_gis as plumb

rasterio = pytest.importorskip("rasterio")
rioxarray = pytest.importorskip("rioxarray")
xr = pytest.importorskip("xarray")
fsspec = pytest.importorskip("fsspec")

X, Y = [18.45, 18.65, 2.35], [-34.05, -34.25, 48.86]


def values(raster: Any, **settings: Any) -> list[Any]:
    out: list[Any] = plumb.sample({"v": raster}, X, Y, crs=4326, **settings)["v"].tolist()
    return out


def refused(raster: Any, words: str, kind: type = TypeError, **settings: Any) -> str:
    for call in (lambda: plumb.sample(raster, X, Y, crs=4326, **settings),
                 lambda: plumb.sample([DEM, raster], X, Y, crs=4326, **settings),
                 lambda: plumb.Stack({"a": raster}, **settings)):  # fmt: skip
        with pytest.raises(kind, match=words) as caught:
            call()
        assert isinstance(caught.value, plumb.PlumbError)
        text = str(caught.value)
        assert "give " in text and "\n" not in text
    return text


# Accepted.


def test_rasterio() -> None:
    with rasterio.open(EVI) as file:
        assert values(file) == values(EVI) == [3941, None, None]
        assert plumb.sample(file, X, Y, crs=4326).columns == ["evi_cape_town"]
        raster = plumb.Raster(file)
        assert plumb.Stack([file, DEM]).columns == ["evi_cape_town", "dem"]
    # The path remains valid when rasterio has closed the file.
    assert raster.sample(18.45, -34.05, crs=4326)["evi_cape_town"].tolist() == [3941]
    assert pickle.loads(pickle.dumps(raster)).name == "evi_cape_town"


def test_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(EVI, "inner/evi.tif")
    with rasterio.open(f"zip://{path}!inner/evi.tif") as file:
        assert values(file) == values(EVI)
    with rasterio.open(f"/vsizip/{path}/inner/evi.tif") as file:
        assert values(file) == values(EVI)


@pytest.mark.parametrize(
    "settings",
    [{}, {"masked": True}, {"cache": False}, {"lock": False}, {"chunks": True},
     {"chunks": {"x": 100, "y": 70}, "masked": True}, {"parse_coordinates": False}],
)  # fmt: skip
def test_rioxarray(settings: dict[str, Any]) -> None:
    array = rioxarray.open_rasterio(EVI, **settings)
    assert values(array) == values(EVI)
    assert plumb.Stack(array).columns == ["evi_cape_town"]
    assert plumb.Stack(array.rename("evi")).columns == ["evi"]
    # These select the whole array.
    assert values(array.isel(x=slice(None))) == values(EVI)
    if "chunks" not in settings:
        for whole in (array.squeeze(), array.isel(band=0), array.isel(x=slice(0, 600))):
            assert values(whole) == values(EVI)


def test_the_dataset_of_xarray() -> None:
    with xr.open_dataset(EVI, engine="rasterio", mask_and_scale=False) as dataset:
        found = plumb.sample(dataset, X, Y, crs=4326)
        assert found.columns == ["band_data"] and found["band_data"].tolist() == values(EVI)
        wards = plumb.zonal
        shapes = pytest.importorskip("shapely").box(18.4, -34.1, 18.5, -34.0)
        assert wards([shapes], dataset, "mean", crs=4326).equals(
            wards([shapes], {"band_data": EVI}, "mean", crs=4326)
        )


def test_several_bands(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "b.tif", 1, 2, crs="EPSG:32634")
    array = rioxarray.open_rasterio(path)
    assert plumb.sample(array, 0.5, 0.5).columns == ["b_1", "b_2"]
    assert plumb.sample(array, 0.5, 0.5, bands=2)["b_2"].tolist() == [2]
    refused(array.sel(band=2), "not a whole file")
    refused(rioxarray.open_rasterio(path, band_as_variable=True), "SingleBandDatasetReader")


def test_fsspec(tmp_path: Path) -> None:
    local = fsspec.open(str(Path(EVI).resolve()))
    assert values(local) == values(EVI)
    with local as file:
        assert values(file) == values(EVI)
    # Maps and feeds take them, too.
    cape = Path("rasters/cape.json").resolve()
    assert plumb.Map(fsspec.open(str(cape))).layers
    walk = fsspec.open(str(Path("rasters/walk.csv").resolve()))
    assert len(plumb.events(walk, "rasters/garden_sights.geojson", buffer=10, where="id=5")) == 4


class Store(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A file system without files."""


@pytest.mark.parametrize(
    ("protocol", "path", "url"),
    [("s3", "bucket/a.tif", "s3://bucket/a.tif"), (("gs", "gcs"), "b/c.tif", "gs://b/c.tif"),
     (("gcs", "gs"), "b/c.tif", "gs://b/c.tif"), ("abfs", "c/d.tif", "az://c/d.tif"),
     (("http", "https"), "https://example.org/a.tif", "https://example.org/a.tif")],
)  # fmt: skip
def test_urls_of_fsspec(protocol: Any, path: str, url: str) -> None:
    from plumb_gis._sampler import sources_of

    store = Store(skip_instance_cache=True)
    store.protocol = protocol
    assert sources_of(fsspec.core.OpenFile(store, path))[0].path == url
    far = Store(skip_instance_cache=True, client_kwargs={"endpoint_url": "http://localhost:9000"})
    far.protocol = protocol
    if path != url:
        refused(fsspec.core.OpenFile(far, path), "endpoint")


class Ranges(http.server.BaseHTTPRequestHandler):
    """Serves a raster, or ranges of its bytes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path != "/evi.tif":
            self.send_error(404)
            return
        data = Path(EVI).read_bytes()
        asked = self.headers.get("Range")
        first, last = 0, len(data) - 1
        if asked is not None:
            start, _, end = asked.partition("=")[2].partition("-")
            first, last = int(start), min(last, int(end or last))
        self.send_response(200 if asked is None else 206)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last - first + 1))
        if asked is not None:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data[first : last + 1])

    do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        pass


def serve(port: Any) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    port.put(server.server_port)
    server.serve_forever()


def test_datasets_at_urls() -> None:
    # In another process, because rasterio may wait for a reply with the interpreter's lock.
    context = multiprocessing.get_context("spawn")
    port: Any = context.Queue()
    server = context.Process(target=serve, args=(port,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{port.get(timeout=60)}/evi.tif"
    try:
        assert values(url) == values(EVI)
        with rasterio.open(url) as file:
            assert values(file) == values(EVI)
        assert values(rioxarray.open_rasterio(url)) == values(EVI)
        assert values(rioxarray.open_rasterio(url, chunks=True)) == values(EVI)
        refused(rioxarray.open_rasterio(url) + 1, "a raster is a DataArray")
        with rasterio.open(f"/vsicurl/{url}") as file:
            assert values(file) == values(EVI)
    finally:
        server.terminate()


# Refused.


def test_datasets_in_memory(tmp_path: Path) -> None:
    with rasterio.io.MemoryFile(Path(EVI).read_bytes()) as memory:
        refused(memory, "MemoryFile")
        with memory.open() as file:
            refused(file, "only rasterio can open")
            refused(rioxarray.open_rasterio(file), "only rasterio can open")
    with open(EVI, "rb") as plain, rasterio.open(plain) as file:
        refused(file, "only rasterio can open")
    with rasterio.open(EVI, opener=fsspec.filesystem("file").open) as file:
        refused(file, "only rasterio can open")
    with rasterio.open(EVI) as file:
        refused(rasterio.band(file, 1), "rasterio Band")
        with rasterio.vrt.WarpedVRT(file, crs="EPSG:4326") as warped:
            refused(warped, "WarpedVRT")
            refused(rioxarray.open_rasterio(warped), "warped|WarpedVRT")
    path = write_raster(tmp_path / "a.tif", 1)
    with rasterio.open(path, "r+") as file:
        refused(file, "DatasetWriter")
    memory_files = fsspec.filesystem("memory")
    with memory_files.open("/evi.tif", "wb") as target:
        target.write(Path(EVI).read_bytes())
    with memory_files.open("/evi.tif") as file:
        refused(file, "the file system memory of fsspec")
    refused(fsspec.open("memory://evi.tif"), "the file system memory of fsspec")
    refused(fsspec.open(f"simplecache::file://{Path(EVI).resolve()}"), "simplecache")
    refused(fsspec.open(str(Path(EVI).resolve()), compression="gzip"), "decompresses")
    refused(fsspec.open(str(tmp_path / "new.tif"), "wb"), "open for writing")


def test_a_dataset_of_an_overview(tmp_path: Path) -> None:
    path = tmp_path / "o.tif"
    path.write_bytes(Path(EVI).read_bytes())
    with rasterio.open(path, "r+") as file:
        file.build_overviews([2, 4])
    with rasterio.open(path, overview_level=0) as file:
        refused(file, "whose size differs|the options OVERVIEW_LEVEL|overview_level")
    array = rioxarray.open_rasterio(path, overview_level=0)
    refused(array, "size differs|overview_level|OVERVIEW_LEVEL")


def test_a_dataset_with_options() -> None:
    with rasterio.open(EVI, NUM_THREADS=2) as file:
        assert values(file) == values(EVI)
    with rasterio.open(EVI, IGNORE_COG_LAYOUT_BREAK="YES") as file:
        refused(file, "opened with the options IGNORE_COG_LAYOUT_BREAK, which may")


def test_a_file_that_was_deleted(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "a.tif", 1)
    with rasterio.open(path) as file:
        Path(path).unlink()
        with pytest.raises(plumb.PlumbError, match="does not open again") as caught:
            plumb.sample(file, 0.5, 0.5)
    assert caught.value.code == "read_error"


def changes() -> dict[str, Any]:
    def set_value(array: Any) -> Any:
        array[0, 0, 0] = 1
        return array

    def set_memory(array: Any) -> Any:
        array.values[:] = 0
        return array

    def read(array: Any) -> Any:
        array.mean()
        return array

    return {
        "computed": lambda a: a + 1,
        "computed, and named as the file": lambda a: (a + 1).assign_attrs(a.attrs).rename(a.name),
        "computed, with the encoding": lambda a: a.copy(data=a.values * 2),
        "masked": lambda a: a.where(a > 0),
        "of a part": lambda a: a.isel(x=slice(0, 300)),
        "of every other cell": lambda a: a.isel(x=slice(None, None, 2)),
        "flipped": lambda a: a[:, ::-1],
        "transposed": lambda a: a.transpose("x", "y", "band"),
        "selected by place": lambda a: a.sel(y=slice(-3.71e6, -3.75e6)),
        "converted": lambda a: a.astype("float32"),
        "with one new value": set_value,
        "with new values in memory": set_memory,
        "read": read,
        "loaded": lambda a: a.load(),
        "filled": lambda a: a.fillna(0),
        "interpolated": lambda a: a.interp(x=a.x[:10] + 1),
        "reprojected": lambda a: a.rio.reproject("EPSG:4326"),
        "clipped": lambda a: a.rio.clip_box(*(float(v) for v in (
            a.x[10], a.y[90], a.x[90], a.y[10]))),
        "in dask": lambda a: a.chunk({"x": 100}) + 1,
        "a part in dask": lambda a: a.chunk({"x": 100}).isel(x=slice(0, 200)),
        "persisted": lambda a: a.chunk({"x": 100}).persist(),
        "with exchanged dimensions": lambda a: a.rename(x="y", y="x"),
        "moved": lambda a: a.assign_coords(x=a.x + 231.66),
        "mirrored": lambda a: a.assign_coords(y=a.y[::-1].values),
        "of another CRS": lambda a: a.rio.write_crs("EPSG:32734"),
        "of another transform": lambda a: a.rio.write_transform(
            rasterio.transform.from_origin(0, 0, 1, 1)),
        "with other nodata": lambda a: a.rio.write_nodata(0),
        "without nodata": lambda a: a.drop_attrs(),
        "with another scale": lambda a: a.assign_attrs(scale_factor=0.5),
    }  # fmt: skip


@pytest.mark.parametrize("change", changes())
@pytest.mark.parametrize("settings", [{}, {"chunks": True}, {"masked": True}], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_changed_arrays(change: str, settings: dict[str, Any]) -> None:
    """No array is read from its file unless it is the file."""
    array = rioxarray.open_rasterio(EVI, **settings)
    try:
        changed = changes()[change](array)
    except (TypeError, NotImplementedError, ValueError) as error:
        pytest.skip(f"xarray does not do this: {error}")
    # The missing values of a masked array are NaN, and Dask computes values without keeping them.
    same = {"masked": ["without nodata"], "chunks": ["read", "with new values in memory"]}
    if any(change in same[setting] for setting in settings):
        assert values(changed) == values(EVI)
        return
    refused(changed, "a raster is a DataArray")
    # Refused in a Dataset, too.
    refused(changed.to_dataset(name="v"), "a raster is a DataArray v")


def test_the_error_names_the_file() -> None:
    array = rioxarray.open_rasterio(EVI).load()
    assert f"give the path, {EVI}, for the file as it is" in refused(array, "with unread values")
    other = xr.DataArray(np.zeros((4, 4)), dims=("y", "x"))
    assert "to_raster" in refused(other, "a raster is a DataArray that is not a whole file")
    refused(xr.Dataset({"a": other}), "DataArray a that is not a whole file")
    with pytest.raises(ValueError, match="no rasters"):
        plumb.sample(xr.Dataset(), X, Y)


def test_arrays_of_other_readers(tmp_path: Path) -> None:
    pytest.importorskip("netCDF4")
    path = tmp_path / "a.nc"
    xr.Dataset({"v": (("lat", "lon"), np.zeros((3, 3)))}, coords={"lat": [0, 1, 2.0],
               "lon": [0, 1, 2.0]}).to_netcdf(path, engine="netcdf4")  # fmt: skip
    with xr.open_dataset(path, engine="netcdf4") as dataset:
        text = refused(dataset["v"], "DataArray v that is not a whole file as rioxarray opens it")
        assert f"give the path, {path}#v, for the file as it is" in text


def test_scaled_values() -> None:
    for chunks in (None, True):
        array = rioxarray.open_rasterio(EVI, mask_and_scale=True, chunks=chunks)
        refused(array, "give scaled=True", ValueError)
        with pytest.raises(ValueError, match="scaled=True"):
            plumb.Raster(array)
        assert values(array, scaled=True) == values(EVI, scaled=True)
        assert np.isclose(values(array, scaled=True)[0], 0.3941)


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_the_path(seed: int) -> None:
    x, y = around(500, seed)
    expected = plumb.sample({"v": EVI}, x, y, crs=4326, status=True).to_pandas()
    with rasterio.open(EVI) as file:
        for one in (file, rioxarray.open_rasterio(EVI), rioxarray.open_rasterio(EVI, chunks=True),
                    fsspec.open(str(Path(EVI).resolve()))):  # fmt: skip
            found = plumb.sample({"v": one}, x, y, crs=4326, status=True).to_pandas()
            pd.testing.assert_frame_equal(found, expected)
