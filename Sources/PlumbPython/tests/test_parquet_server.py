"""Parquet in the server's interfaces: features of OGC collections, and tables of points in and out of /api/sample."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rasterio
import shapely
from conftest import Command

gpd = pytest.importorskip("geopandas")

TYPE = "application/vnd.apache.parquet"


class Server:
    def __init__(self, folder: Path, command: Command) -> None:
        program = os.environ.get("PLUMB_SERVER", str(Path(command.path).with_name("plumb-server")))
        if not Path(program).exists():
            pytest.skip("plumb-server is not built")
        self.folder = folder
        self.process = subprocess.Popen(
            [program, str(folder / "map.json"), "--port", "0"], stderr=subprocess.PIPE, text=True)
        line = ""
        assert self.process.stderr is not None
        while "http://" not in line:
            line = self.process.stderr.readline()
            assert line, "the server ended"
        self.root = re.search(r"http://[^/\s]+", line)[0]  # type: ignore[index]

    def reply(self, path: str, body: bytes | None = None, kind: str = "") -> tuple[int, Any, bytes]:
        request = urllib.request.Request(self.root + path, data=body, headers={"Content-Type": kind} if kind else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, reply.headers, reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()


def areas() -> Any:
    random = np.random.default_rng(4)
    boxes = [shapely.box(x, y, x + 1.5, y + 1) for x, y in random.uniform(0, 8, (30, 2))]
    frame = gpd.GeoDataFrame(
        {"name": [None if i == 3 else f"area {i}" for i in range(30)], "size": np.arange(30) * 1.5,
         "count": np.arange(30), "id": np.arange(30) + 100}, geometry=boxes, crs=4326)
    return frame


@pytest.fixture(scope="module")
def server(command: Command, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("parquet")
    areas().to_file(folder / "areas.gpkg", driver="GPKG")
    values = np.random.default_rng(2).integers(0, 200, (20, 20)).astype("int16")
    with rasterio.open(folder / "dem.tif", "w", driver="GTiff", width=20, height=20, count=1, dtype="int16",
                       nodata=7, crs="EPSG:4326", transform=rasterio.Affine(0.5, 0, 0, 0, -0.5, 10)) as file:
        file.write(values, 1)
    (folder / "map.json").write_text(json.dumps({"version": "2.31", "operationalLayers": [
        {"id": "dem", "title": "dem", "layerType": "RasterLayer", "url": "dem.tif"},
        {"id": "areas", "title": "areas", "layerType": "ArcGISFeatureLayer", "url": "areas.gpkg"}]}))
    started = Server(folder, command)
    yield started
    started.process.terminate()
    started.process.wait(10)


def points(count: int = 500) -> Any:
    random = np.random.default_rng(6)
    return pd.DataFrame({"key": [f"p{i}" for i in range(count)], "lon": random.uniform(-1, 11, count),
                         "lat": random.uniform(-1, 11, count)})


def parquet(frame: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    frame.to_parquet(sink, index=False, **options)
    return sink.getvalue()


@pytest.mark.parametrize("crs", ["", "http://www.opengis.net/def/crs/EPSG/0/3857",
                                 "http://www.opengis.net/def/crs/EPSG/0/4326"])
def test_items_equal_geojson(server: Server, crs: str) -> None:
    path = "/ogc/collections/map.areas/items?limit=1000" + (f"&crs={crs}" if crs else "")
    status, headers, body = server.reply(path + "&f=parquet")
    assert (status, headers["Content-Type"]) == (200, TYPE)
    assert (headers["OGC-NumberMatched"], headers["OGC-NumberReturned"]) == ("30", "30")
    frame = gpd.read_parquet(io.BytesIO(body))
    assert frame.crs.to_epsg() in ((3857,) if crs.endswith("3857") else (4326, None))
    features = json.loads(server.reply(path + "&f=json")[2])["features"]
    assert len(frame) == len(features)
    names = [name for name in frame.columns if name not in ("geometry", "bbox")]
    for row, feature in zip(frame.to_dict("records"), features):
        assert row[names[0]] == feature["id"]
        for name in names[1:]:
            value = row[name]
            assert (None if pd.isna(value) else value) == feature["properties"][name]
        shape = shapely.geometry.shape(feature["geometry"])
        if crs.endswith("4326"):
            shape = shapely.transform(shape, lambda xy: xy[:, ::-1])
        assert row["geometry"].equals(shape)


def test_items_are_filtered_and_paged(server: Server) -> None:
    path = "/ogc/collections/map.areas/items?f=parquet&limit=4&offset=2&count=5"
    assert len(gpd.read_parquet(io.BytesIO(server.reply(path)[2]))) == 0
    path = "/ogc/collections/map.areas/items?f=parquet&limit=4&offset=2&bbox=0,0,5,5"
    status, headers, body = server.reply(path)
    frame = gpd.read_parquet(io.BytesIO(body))
    wanted = json.loads(server.reply(path.replace("parquet", "json"))[2])
    assert frame.iloc[:, 0].tolist() == [feature["id"] for feature in wanted["features"]]
    assert headers["OGC-NumberMatched"] == str(wanted["numberMatched"])


def test_items_by_accept(server: Server) -> None:
    request = urllib.request.Request(
        server.root + "/ogc/collections/map.areas/items", headers={"Accept": TYPE})
    with urllib.request.urlopen(request, timeout=60) as reply:
        assert reply.headers["Content-Type"] == TYPE
        assert len(gpd.read_parquet(io.BytesIO(reply.read()))) == 10


@pytest.mark.parametrize("form", ["columns", "geometry"])
@pytest.mark.parametrize("output", [None, "parquet", "arrow", "csv", "geojson"])
def test_samples_equal_the_command(server: Server, command: Command, form: str, output: str | None) -> None:
    frame = points()
    if form == "geometry":
        frame = gpd.GeoDataFrame(frame[["key"]], geometry=gpd.points_from_xy(frame.lon, frame.lat), crs=4326)
    body = parquet(frame)
    file = server.folder / f"points-{form}.parquet"
    file.write_bytes(body)
    query = f"&format={output}" if output else ""
    status, headers, found = server.reply("/api/sample?map=map&status=true" + query, body, TYPE)
    assert status == 200, found
    target = server.folder / f"out.{output or 'parquet'}"
    command("identify", str(server.folder / "map.json"), "--points", str(file), "--status", "--of",
            output or "parquet", "-o", str(target), "--overwrite")
    if output == "arrow":
        assert headers["Content-Type"] == "application/vnd.apache.arrow.stream"
        with pa.ipc.open_stream(found) as stream, pa.ipc.open_stream(target.read_bytes()) as wanted:
            assert stream.read_all().equals(wanted.read_all())
    elif output in (None, "parquet"):
        assert headers["Content-Type"] == TYPE
        assert pq.read_table(io.BytesIO(found)).equals(pq.read_table(target))
    else:
        assert found == target.read_bytes()


def test_csv_in_parquet_out(server: Server) -> None:
    frame = points(50)
    status, _, found = server.reply(
        "/api/sample?map=map&format=parquet", frame.to_csv(index=False).encode(), "text/csv")
    assert status == 200
    assert pq.read_table(io.BytesIO(found)).num_rows == 50


def test_bad_tables(server: Server) -> None:
    body = parquet(points())
    for damaged in (body[:-5], body[:200], b"PAR1", b"PAR1" + bytes(500) + b"PAR1"):
        status, _, text = server.reply("/api/sample?map=map", damaged, TYPE)
        assert status == 400, text
        assert b"Parquet" in text or b"damaged" in text or b"too few" in text, text
    # Ten million equal numbers take few bytes when they are compressed.
    wide = pd.DataFrame({"lon": np.zeros(10_000_000), "lat": np.zeros(10_000_000)})
    bomb = parquet(wide, compression="zstd", row_group_size=10_000_000, use_dictionary=False)
    assert len(bomb) < 1_000_000
    status, _, text = server.reply("/api/sample?map=map", bomb, TYPE)
    assert status == 413 and b"row group" in text
