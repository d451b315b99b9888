"""Files in buckets answer as local ones: s3:// against a server with authentication, gs:// and az:// by their requests."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import EVI, ROOT, Command, run_command

CLINICS = "rasters/clinics.geojson"
# The names of many files, which the server lists in several pages.
NUMBERS = range(700, 1_050)
PAGE = 100


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def settings(**environment: str) -> dict[str, str]:
    """The environment of a program, without the credentials of the user who runs the tests."""
    inherited = {name: value for name, value in os.environ.items()
                 if not name.startswith(("AWS_", "GS_", "AZURE_"))}
    return inherited | {"AWS_CONFIG_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
                        "GDAL_HTTP_MAX_RETRY": "0"} | environment


def run(command: Command, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(
        [command.path, *arguments, "-q"], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env=settings(**environment))


def answer(command: Command, *arguments: str, **environment: str) -> str:
    done = run(command, *arguments, **environment)
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout


def failure(command: Command, *arguments: str, **environment: str) -> str:
    """The one line with which a run fails."""
    done = run(command, *arguments, **environment)
    assert done.returncode == 1, (done.stdout, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("plumb: "), done.stderr
    return lines[0]


class Store:
    """A server of S3 that checks every request, with a user who may read one bucket."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.keys: dict[str, str] = {}
        self.port = free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port),
             *options],
            env=os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": "1000000",
                              "MOTO_S3_DEFAULT_MAX_KEYS": str(PAGE)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError("the server did not start")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def fill(self, many: Path) -> None:
        import boto3

        def client(name: str) -> Any:
            return boto3.client(name, endpoint_url=self.url, region_name="us-east-1",
                                aws_access_key_id="a", aws_secret_access_key="b")

        s3, iam = client("s3"), client("iam")
        for bucket in ["open", "closed"]:
            s3.create_bucket(Bucket=bucket)
            s3.upload_file(str(ROOT / EVI), bucket, "evi.tif")
        for name in ["clinics.geojson", "points.csv"]:
            s3.upload_file(str(ROOT / "rasters" / name), "open", name)
        for path in sorted(many.iterdir()):
            s3.put_object(Bucket="open", Key=f"many/{path.name}", Body=path.read_bytes())
        page = s3.list_objects_v2(Bucket="open", Prefix="many/")
        assert len(page["Contents"]) == PAGE and page["IsTruncated"]
        for path in (many.parent / "evi.zarr").rglob("*"):
            if path.is_file():
                s3.upload_file(str(path), "open", str(path.relative_to(many.parent)))
        iam.create_user(UserName="reader")
        key = iam.create_access_key(UserName="reader")["AccessKey"]
        iam.put_user_policy(UserName="reader", PolicyName="open", PolicyDocument="""
            {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*",
             "Resource": ["arn:aws:s3:::open", "arn:aws:s3:::open/*"]}]}""")
        self.keys = {"AWS_ACCESS_KEY_ID": key["AccessKeyId"],
                     "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"], "AWS_REGION": "us-east-1",
                     "AWS_ENDPOINT_URL": self.url}
        self.authenticate(True)

    def authenticate(self, is_on: bool) -> None:
        """Starts or stops to check the signatures and the user's rights."""
        request = urllib.request.Request(
            f"{self.url}/moto-api/reset-auth", b"0" if is_on else b"1000000",
            {"Content-Type": "text/plain"})
        with urllib.request.urlopen(request):
            pass

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=120)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, command: Command) -> Iterator[Store]:
    pytest.importorskip("moto")
    pytest.importorskip("boto3")
    rasterio = pytest.importorskip("rasterio")
    import numpy as np

    folder = tmp_path_factory.mktemp("bucket")
    many = folder / "many"
    many.mkdir()
    for number in NUMBERS:
        row, column = divmod(number, 50)
        transform = rasterio.transform.from_origin(18 + column * 0.02, -33 - row * 0.02, 0.01, 0.01)
        with rasterio.open(many / f"t_{number:04}.tif", "w", driver="GTiff", width=2, height=2,
                           count=1, dtype="int16", crs="EPSG:4326", transform=transform) as tile:
            tile.write(np.full((1, 2, 2), number, "int16"))
    dates = folder / "dates.csv"
    dates.write_text(f"file,date\n{ROOT / EVI},2025-03-22\n")
    command("stack", str(ROOT / EVI), "--dates", str(dates), "-o", str(folder / "evi.zarr"))
    made = Store(folder)
    try:
        made.fill(many)
        yield made
    finally:
        made.stop()


def test_signed(command: Command, store: Store) -> None:
    points = ["--points", CLINICS, "--of", "csv"]
    expected = answer(command, "identify", f"n={EVI}", *points)
    for name in ["n=s3://open/evi.tif", "n=S3://open/evi.tif", "n=/vsis3/open/evi.tif"]:
        assert answer(command, "identify", name, *points, **store.keys) == expected
    endpoint = {"AWS_S3_ENDPOINT": f"127.0.0.1:{store.port}", "AWS_HTTPS": "NO",
                "AWS_VIRTUAL_HOSTING": "FALSE", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    assert answer(command, "identify", "n=s3://open/evi.tif", *points,
                  **store.keys | endpoint) == expected
    assert answer(command, "zonal", "n=s3://open/evi.tif", "--areas", "rasters/wards.geojson",
                  **store.keys) == answer(
        command, "zonal", f"n={EVI}", "--areas", "rasters/wards.geojson")


def test_features(command: Command, store: Store) -> None:
    for name in ["clinics.geojson", "points.csv"]:
        raster = ["identify", "rasters/dem", "--of", "csv", "--points"]
        found = answer(command, *raster, f"s3://open/{name}", **store.keys)
        expected = answer(command, *raster, f"rasters/{name}")
        assert found.splitlines()[1:] == expected.splitlines()[1:]
    buffer = ["--distance", "50", "--geodesic", "--of", "csv"]
    assert answer(command, "buffer", "s3://open/clinics.geojson", *buffer, **store.keys) == answer(
        command, "buffer", CLINICS, *buffer)


def test_parquet(command: Command, store: Store, tmp_path: Path) -> None:
    import boto3

    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "points.parquet"
    pq.write_table(pa.table({"lon": [18.42, 18.5, 18.6], "lat": [-33.92, -33.9, -33.8]}), path)
    # The server does not check the signatures of URLs: it refuses them.
    store.authenticate(False)
    try:
        boto3.client("s3", endpoint_url=store.url, region_name="us-east-1", aws_access_key_id="a",
                     aws_secret_access_key="b").upload_file(str(path), "open", path.name)
        arguments = ["identify", f"n={EVI}", "--of", "csv", "--points"]
        expected = answer(command, *arguments, str(path))
        for name in ["s3://open/points.parquet", "/vsis3/open/points.parquet"]:
            assert answer(command, *arguments, name, **store.keys) == expected
        line = failure(command, *arguments, "s3://open/none.parquet", **store.keys)
        assert "s3://open/none.parquet: the server answers 404" in line, line
    finally:
        store.authenticate(True)


def test_prefix(command: Command, store: Store) -> None:
    """A listing of several pages is a mosaic."""
    points = store.folder / "points.csv"
    points.write_text("x,y\n" + "".join(
        f"{18.005 + number % 50 * 0.02:.3f},{-33.005 - number // 50 * 0.02:.3f}\n"
        for number in NUMBERS))
    table = ["--points", str(points), "--provenance"]
    found = answer(command, "identify", "n=s3://open/many/t_*.tif", *table, **store.keys)
    expected = answer(command, "identify", f"n={store.folder}/many/t_*.tif", *table)
    assert found.replace("s3://open/", f"{store.folder}/") == expected
    assert [line.split(",")[2] for line in found.splitlines()[1:]] == [
        str(number) for number in NUMBERS]
    assert "no file matches s3://open/many/x*.tif" in failure(
        command, "identify", "s3://open/many/x*.tif", *table, **store.keys)


def test_stacks(command: Command, store: Store) -> None:
    series = ["--series", "--points", CLINICS, "--of", "csv"]
    local = answer(command, "identify", str(store.folder / "evi.zarr"), *series)
    # The server does not check the signatures of URLs: it refuses them.
    store.authenticate(False)
    try:
        assert answer(
            command, "identify", "s3://open/evi.zarr", *series, **store.keys) == local
        assert answer(command, "identify", "n=s3://open/evi.tif", "--points", CLINICS,
                      **store.keys) == answer(command, "identify", f"n={EVI}", "--points", CLINICS)
    finally:
        store.authenticate(True)
    pattern = ["identify", "--series", "--dates", "t_10%d", "--points", CLINICS, "--of", "csv"]
    found = run(command, *pattern, "n=s3://open/many/t_100[1-9].tif", **store.keys)
    expected = run(command, *pattern, f"n={store.folder}/many/t_100[1-9].tif")
    assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout), found.stderr


def test_errors(command: Command, store: Store) -> None:
    point = ["--at", "18.42,-33.92"]

    def message(name: str, **environment: str) -> str:
        return failure(command, "identify", name, *point, **store.keys | environment)

    text = message("s3://closed/evi.tif")
    assert "s3://closed/evi.tif" in text and ("403" in text or "denied" in text.lower()), text
    assert "s3://closed cannot be listed" in message("s3://closed/*.tif")
    wrong = message("s3://open/evi.tif", AWS_SECRET_ACCESS_KEY="wrong")
    assert "s3://open/evi.tif" in wrong and "ignature" in wrong, wrong
    missing = message("s3://open/absent.tif")
    assert "s3://open/absent.tif" in missing and "not" in missing
    none = failure(command, "identify", "s3://open/evi.tif", *point,
                   AWS_ENDPOINT_URL=store.url, AWS_SHARED_CREDENTIALS_FILE="/dev/null")
    assert "AWS_SECRET_ACCESS_KEY" in none, none


def test_untrusted_certificate(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("moto")
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-keyout", "key", "-out", "certificate"], cwd=tmp_path, check=True,
        capture_output=True)
    server = Store(tmp_path, "-s", "-c", str(tmp_path / "certificate"), "-k", str(tmp_path / "key"))
    try:
        text = failure(
            command, "identify", "s3://open/evi.tif", "--at", "18.42,-33.92",
            AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b",
            AWS_ENDPOINT_URL=f"https://127.0.0.1:{server.port}")
        assert "s3://open/evi.tif" in text and "certificate" in text, text
    finally:
        server.stop()


class Recorder:
    """A server that records requests, and sends ranges of a file or a fixed error."""

    def __init__(self, file: Path | None, error: tuple[int, str] = (404, "")) -> None:
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                recorder.paths.append(self.path)
                recorder.headers.append({key.lower(): value for key, value in self.headers.items()})
                status, body = error[0], error[1].encode()
                if file is not None and file.name in self.path.split("?")[0]:
                    status, body = 200, file.read_bytes()
                self.send_response(206 if "Range" in self.headers and status == 200 else status)
                if "Range" in self.headers and status == 200:
                    first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
                    size = len(body)
                    end = min(int(last or size - 1), size - 1)
                    body = body[int(first):end + 1]
                    self.send_header("Content-Range", f"bytes {first}-{end}/{size}")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_expired_token(command: Command) -> None:
    server = Recorder(None, (400, "<?xml version='1.0'?><Error><Code>ExpiredToken</Code><Message>"
                                  "The provided token has expired.</Message></Error>"))
    try:
        text = failure(
            command, "identify", "s3://open/evi.tif", "--at", "18.42,-33.92",
            AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", AWS_SESSION_TOKEN="c",
            AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.port}")
        assert "s3://open/evi.tif" in text and "expired" in text.lower(), text
    finally:
        server.stop()


def test_other_requests(command: Command) -> None:
    """Requests for the requester to pay, to Google Cloud Storage and to Azure."""
    arguments = ["identify", "--points", CLINICS, "--of", "csv"]
    expected = answer(command, *arguments, f"n={EVI}")
    server = Recorder(ROOT / EVI)
    host = f"127.0.0.1:{server.port}"
    key = "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_ENDPOINT_URL": f"http://{host}"}
    cases: list[tuple[str, dict[str, str]]] = [
        ("s3", keys), ("s3", keys | {"AWS_REQUEST_PAYER": "requester"}),
        ("s3", {"AWS_NO_SIGN_REQUEST": "YES", "AWS_ENDPOINT_URL": f"http://{host}"}),
        ("gs", {"GS_ACCESS_KEY_ID": "a", "GS_SECRET_ACCESS_KEY": "b",
                "CPL_GS_ENDPOINT": f"http://{host}/"}),
        ("gs", {"GS_NO_SIGN_REQUEST": "YES", "CPL_GS_ENDPOINT": f"http://{host}/"}),
        ("az", {"AZURE_STORAGE_CONNECTION_STRING":
                f"DefaultEndpointsProtocol=http;AccountName=town;AccountKey={key};"
                f"BlobEndpoint=http://{host}/town"})]
    try:
        for scheme, environment in cases:
            server.paths.clear()
            server.headers.clear()
            found = answer(
                command, *arguments, f"n={scheme}://maps/evi_cape_town.tif", **environment)
            assert found == expected
            files = [path for path in server.paths if "/maps/evi_cape_town.tif" in path]
            assert files, server.paths
            if environment == keys:
                assert all("X-Amz-Signature=" in path for path in files)
            if "AWS_REQUEST_PAYER" in environment:
                assert any(head.get("x-amz-request-payer") == "requester"
                           for head in server.headers)
            if "YES" in environment.values():
                assert not any("Signature" in path for path in server.paths)
                assert not any("authorization" in head for head in server.headers)
            if scheme == "az":
                # Shared access signatures have these parameters:
                # https://learn.microsoft.com/rest/api/storageservices/create-service-sas
                parts = ["sig=", "sv=", "se=", "sp=r", "sr="]
                assert all(part in files[0] for part in parts), files
    finally:
        server.stop()


# Documents, which reach only the buckets that their user allows.

AT = ["--at", "18.42,-33.92"]


def write_map(path: Path, url: str, kind: str = "RasterLayer") -> str:
    layer = {"id": "n", "title": "n", "layerType": kind, "url": url}
    path.write_text(json.dumps({"version": "2.31", "spatialReference": {"wkid": 4326},
                                "operationalLayers": [layer]}))
    return str(path)


def refused(command: Command, *arguments: str, **environment: str) -> str:
    """The output of a run in which the only layer is refused."""
    done = run(command, *arguments, **environment)
    assert done.returncode == 1, (done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.fixture
def unsigned(store: Store) -> Iterator[Store]:
    """The store without authentication, because it does not check the signatures of URLs: it refuses them."""
    store.authenticate(False)
    yield store
    store.authenticate(True)


def upload(store: Store, path: Path) -> str:
    """Copies a file to the bucket `open`."""
    import boto3

    boto3.client("s3", endpoint_url=store.url, region_name="us-east-1", aws_access_key_id="a",
                 aws_secret_access_key="b").upload_file(str(path), "open", path.name)
    return f"s3://open/{path.name}"


def others(store: Store) -> list[list[str]]:
    """Options that do not allow the bucket `open`: none, the server, and other buckets."""
    host = f"127.0.0.1:{store.port}"
    entries = [[], [host], ["127.0.0.1"], ["s3://closed"], ["s3://Open"], ["gs://open"],
               [host, "s3://closed"]]
    return [[word for entry in found for word in ("--allow-host", entry)] for found in entries]


def test_rasters_of_documents(command: Command, unsigned: Store, tmp_path: Path) -> None:
    shutil.copy(ROOT / EVI, tmp_path / "evi.tif")
    points = ["--points", CLINICS, "--of", "csv"]
    expected = answer(command, "identify", write_map(tmp_path / "map.json", "evi.tif"), *points)
    far = write_map(tmp_path / "far.json", "s3://open/evi.tif")
    for options in others(unsigned):
        text = refused(command, "identify", far, *AT, *options, **unsigned.keys)
        assert "s3://open is not an allowed bucket" in text, text
        assert "--allow-host s3://open" in text, text
    for bucket in ["s3://open", "S3://open/"]:
        assert answer(command, "identify", far, *points, "--allow-host", bucket,
                      **unsigned.keys) == expected
    assert answer(command, "identify", far, *points, "--allow-outside", **unsigned.keys) == expected
    # The bucket alone does not allow other requests to its server.
    plain = write_map(tmp_path / "plain.json", f"{unsigned.url}/open/evi.tif")
    assert "is not an allowed host" in refused(
        command, "identify", plain, *AT, "--allow-host", "s3://open", **unsigned.keys)
    for name in ["s3://open/../closed/evi.tif", "s3://open/%2e%2e/closed/evi.tif",
                 "s3://open@closed/evi.tif", "s3://open%2F..%2Fclosed/evi.tif", "s3://OPEN/evi.tif",
                 "s3://closed/evi.tif", "/vsis3/open/evi.tif", "/vsis3_streaming/open/evi.tif",
                 f"/vsicurl/{unsigned.url}/open/evi.tif", "s3://open/many/t_*.tif"]:
        refused(command, "identify", write_map(tmp_path / "bad.json", name), *AT, "--allow-host",
                "s3://open", **unsigned.keys)
    # Plumb itself reads only TIFF files, and GDAL may not use the network.
    assert "only to TIFF files" in refused(
        command, "identify", write_map(tmp_path / "img.json", "s3://open/evi.img"), *AT,
        "--allow-host", "s3://open", **unsigned.keys)


def test_stores_of_documents(command: Command, unsigned: Store, tmp_path: Path) -> None:
    points = ["--points", CLINICS, "--of", "csv"]
    shutil.copy(ROOT / EVI, tmp_path / "evi.tif")
    expected = answer(command, "identify", write_map(tmp_path / "map.json", "evi.tif"), *points)
    for name in ["s3://open/evi.zarr", "s3://open/evi.zarr#evi_cape_town"]:
        far = write_map(tmp_path / "far.json", name)
        assert answer(command, "identify", far, *points, "--allow-host", "s3://open",
                      **unsigned.keys) == expected
        assert "s3://open is not an allowed bucket" in refused(
            command, "identify", far, *AT, **unsigned.keys)


def test_parquet_layers_of_documents(command: Command, unsigned: Store, tmp_path: Path) -> None:
    gpd = pytest.importorskip("geopandas")
    pytest.importorskip("pyarrow")
    wards = tmp_path / "wards.parquet"
    gpd.read_file(ROOT / "rasters" / "wards.geojson").to_parquet(wards)
    kind, points = "ArcGISFeatureLayer", ["--points", CLINICS, "--of", "csv"]
    expected = answer(
        command, "identify", write_map(tmp_path / "map.json", wards.name, kind), *points)
    far = write_map(tmp_path / "far.json", upload(unsigned, wards), kind)
    for options in others(unsigned):
        text = refused(command, "identify", far, *AT, *options, **unsigned.keys)
        assert "s3://open is not an allowed bucket" in text, text
    assert answer(command, "identify", far, *points, "--allow-host", "s3://open",
                  **unsigned.keys) == expected
    # Other features may be read only by GDAL.
    text = refused(command, "identify", write_map(
        tmp_path / "json.json", "s3://open/clinics.geojson", kind), *AT, "--allow-host",
        "s3://open", **unsigned.keys)
    assert "a document may name only single files of GeoTIFF, Zarr and Parquet" in text, text


def write_networks(store: Store, folder: Path) -> tuple[str, str]:
    """A network whose pipes are a local Parquet file, and one whose pipes are in a bucket."""
    gpd = pytest.importorskip("geopandas")
    pytest.importorskip("pyarrow")
    for path in (ROOT / "rasters").glob("gas*"):
        shutil.copy(path, folder)
    pipes = folder / "gas_pipes.parquet"
    gpd.read_file(folder / "gas_pipes.geojson").to_parquet(pipes)
    network = (folder / "gas.json").read_text()
    assert '"gas_pipes.geojson"' in network
    near, far = folder / "near.json", folder / "far.json"
    near.write_text(network.replace("gas_pipes.geojson", pipes.name))
    far.write_text(network.replace("gas_pipes.geojson", upload(store, pipes)))
    return str(near), str(far)


def test_networks(command: Command, unsigned: Store, tmp_path: Path) -> None:
    near, far = write_networks(unsigned, tmp_path)
    trace = ["--start", "M0054:2", "--type", "isolation", "--filter-category", "Isolating",
             "--format", "json"]
    expected = answer(command, "trace", near, *trace)
    assert answer(command, "trace", far, *trace, "--allow-host", "s3://open",
                  **unsigned.keys) == expected
    for options in others(unsigned):
        text = failure(command, "trace", far, *trace, *options, **unsigned.keys)
        assert "s3://open is not an allowed bucket; this requires --allow-host s3://open" in text


def test_items(command: Command, unsigned: Store, tmp_path: Path) -> None:
    """Assets of STAC items."""
    def document(href: str, **members: Any) -> str:
        path = tmp_path / "items.json"
        item = {"type": "Feature", "stac_version": "1.0.0", "id": "a", "geometry": None,
                "properties": {"datetime": "2025-03-22T00:00:00Z"}, "links": [],
                "assets": {"EVI": {"href": href, "type": "image/tiff"}}} | members
        path.write_text(json.dumps({"type": "FeatureCollection", "features": [item]}))
        return f"{path}#EVI"

    allowed = ["--allow-host", "s3://open"]
    series = ["--series", "--points", CLINICS, "--of", "csv"]
    shutil.copy(ROOT / EVI, tmp_path / "evi.tif")
    expected = answer(command, "identify", document("evi.tif"), *series)
    (tmp_path / "evi.tif").unlink()
    assert answer(command, "identify", document("s3://open/evi.tif"), *series, *allowed,
                  **unsigned.keys) == expected
    links = [{"rel": "self", "href": "s3://open/a.json"}]
    assert answer(command, "identify", document("evi.tif", links=links), *series, *allowed,
                  **unsigned.keys) == expected
    for options in others(unsigned):
        text = failure(
            command, "identify", document("s3://open/evi.tif"), *series, *options, **unsigned.keys)
        assert "s3://open is not an allowed bucket; this requires --allow-host s3://open" in text
    assert "is refused" in failure(
        command, "identify", document("s3://open/../closed/evi.tif"), *series, *allowed,
        **unsigned.keys)


def test_usage(command: Command, tmp_path: Path) -> None:
    document = write_map(tmp_path / "map.json", "evi.tif")
    for entry in ["s3://open/evi.tif", "s3://open/many/", "s3://", "s3://user@open", "s3://open?x",
                  "s3://*", "s3://open:9000", "s3://..", "/vsis3/open", "https://open"]:
        done = run(command, "identify", document, *AT, "--allow-host", entry)
        assert done.returncode == 64, (entry, done)
        assert ("expected HOST, HOST:PORT, s3://BUCKET, gs://BUCKET or az://CONTAINER"
                in done.stderr), done.stderr


def test_requests_for_documents(command: Command, tmp_path: Path) -> None:
    """Only the bucket's files are requested, at the server of the user's settings."""
    points = ["--points", CLINICS, "--of", "csv"]
    shutil.copy(ROOT / EVI, tmp_path)
    expected = answer(
        command, "identify", write_map(tmp_path / "map.json", Path(EVI).name), *points)
    server = Recorder(ROOT / EVI)
    host = f"127.0.0.1:{server.port}"
    key = "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"
    cases: list[tuple[str, dict[str, str]]] = [
        ("s3", {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
                "AWS_ENDPOINT_URL": f"http://{host}"}),
        ("s3", {"AWS_NO_SIGN_REQUEST": "YES", "AWS_ENDPOINT_URL": f"http://{host}"}),
        ("gs", {"GS_ACCESS_KEY_ID": "a", "GS_SECRET_ACCESS_KEY": "b",
                "CPL_GS_ENDPOINT": f"http://{host}/"}),
        ("az", {"AZURE_STORAGE_CONNECTION_STRING":
                f"DefaultEndpointsProtocol=http;AccountName=town;AccountKey={key};"
                f"BlobEndpoint=http://{host}/town"})]
    try:
        for scheme, environment in cases:
            server.paths.clear()
            far = write_map(tmp_path / "far.json", f"{scheme}://maps/{Path(EVI).name}")
            allowed = ["--allow-host", f"{scheme}://maps"]
            for options in [[], ["--allow-host", host], ["--allow-host", f"{scheme}://map"]]:
                assert f"{scheme}://maps is not an allowed bucket" in refused(
                    command, "identify", far, *AT, *options, **environment)
            for name in ["../evil/", "%2e%2e/evil/", "a/../../evil/"]:
                bad = write_map(
                    tmp_path / "bad.json", f"{scheme}://maps/{name}{Path(EVI).name}")
                assert "is refused" in refused(
                    command, "identify", bad, *AT, *allowed, **environment)
            assert server.paths == []
            assert answer(command, "identify", far, *points, *allowed, **environment) == expected
            folder = "/town/maps" if scheme == "az" else "/maps"
            assert server.paths and all(path.startswith(folder) for path in server.paths)
        # Without credentials, the requests cannot be signed, and GDAL does not try others.
        server.paths.clear()
        text = refused(command, "identify", write_map(
            tmp_path / "far.json", f"s3://maps/{Path(EVI).name}"), *AT, "--allow-host", "s3://maps",
            AWS_ENDPOINT_URL=f"http://{host}", AWS_SHARED_CREDENTIALS_FILE="/dev/null")
        assert "requests for it cannot be signed" in text, text
    finally:
        server.stop()


class Server:
    """A server of documents on a free port."""

    def __init__(self, command: Command, log: Path, *arguments: str, **environment: str) -> None:
        program = os.environ.get("PLUMB_SERVER", str(Path(command.path).with_name("plumb-server")))
        if not Path(program).exists():
            pytest.skip("plumb-server is not built")
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                [program, *arguments, "--port", "0"], stdout=file, stderr=file,
                env=settings(**environment))
        found = None
        for _ in range(600):
            found = re.search(r"listening on (http://[^/\s]+)", log.read_text())
            if found or self.process.poll() is not None:
                break
            time.sleep(0.1)
        assert found, log.read_text()
        self.root = found[1]

    def __call__(self, path: str, body: Any = None) -> tuple[int, str]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.root + path, data, {"Content-Type": "application/json"} if data else {})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def test_server(command: Command, tmp_path: Path) -> None:
    """A server reads the buckets of its documents, and requests cannot name buckets."""
    store = Recorder(ROOT / EVI)
    name = Path(EVI).name
    shutil.copy(ROOT / EVI, tmp_path)
    server = Server(
        command, tmp_path / "log", write_map(tmp_path / "near.json", name),
        write_map(tmp_path / "far.json", f"s3://maps/{name}"),
        write_map(tmp_path / "other.json", f"s3://other/{name}"), "--allow-host", "s3://maps",
        AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b",
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{store.port}")
    point = {"at": [18.42, -33.92]}
    try:
        near, far = (server("/api/identify", {"map": map, **point}) for map in ("near", "far"))
        assert near[0] == 200 and "Band_0" in near[1], near
        assert far == near
        assert store.paths and all(path.startswith("/maps") for path in store.paths)
        store.paths.clear()
        assert "s3://other is not an allowed bucket" in server(
            "/api/identify", {"map": "other", **point})[1]
        for named in ["s3://maps/" + name, "s3://other/" + name, "/vsis3/maps/" + name]:
            for body in [{"map": named}, {"raster": named}, {"rasters": [named]},
                         {"map": "far", "raster": named}]:
                status, text = server("/api/identify", {**body, **point})
                assert 400 <= status < 500 and "Band_0" not in text, (body, status, text)
            status, text = server("/api/zonal", {"map": "far", "areas": named})
            assert 400 <= status < 500, (status, text)
        assert store.paths == []
    finally:
        server.stop()
        store.stop()


def test_networks_of_a_server(command: Command, unsigned: Store, tmp_path: Path) -> None:
    near, far = write_networks(unsigned, tmp_path)
    server = Server(
        command, tmp_path / "log", "--network", near, far, "--allow-host", "s3://open",
        **unsigned.keys)
    try:
        counts = [server(f"/arcgis/rest/services/{name}/FeatureServer/130/query"
                         "?where=1%3D1&returnCountOnly=true&f=json") for name in ("near", "far")]
        assert counts[0] == (200, counts[1][1]) and '"count":1234' in counts[0][1], counts
    finally:
        server.stop()


def test_expiring_credentials_are_renewed(command: Command) -> None:
    """A service with credentials for a short time, such as that of a virtual machine, is asked again."""
    bucket = Recorder(ROOT / EVI)
    issued: list[str] = []

    class Service(http.server.BaseHTTPRequestHandler):
        def reply(self) -> None:
            body = "role"
            if self.path.endswith("/role"):
                issued.append(f"token{len(issued)}")
                body = json.dumps({
                    "Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "a", "SecretAccessKey": "b",
                    "Token": issued[-1], "LastUpdated": "2020-01-01T00:00:00Z",
                    "Expiration": "2020-01-01T01:00:00Z"})
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_PUT = reply

        def log_message(self, *_: Any) -> None:
            pass

    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    try:
        answer(
            command, "identify", "s3://maps/evi_cape_town.tif", "--points", CLINICS, "--of", "csv",
            AWS_ENDPOINT_URL=f"http://127.0.0.1:{bucket.port}", AWS_SHARED_CREDENTIALS_FILE="/dev/null",
            AWS_CONFIG_FILE="/dev/null", CPL_AWS_AUTODETECT_EC2="NO",
            CPL_AWS_EC2_API_ROOT_URL=f"http://127.0.0.1:{service.server_port}")
        used = [path for path in bucket.paths if "X-Amz-Security-Token=" in path]
        tokens = [path.split("X-Amz-Security-Token=")[1].split("&")[0] for path in used]
        # The first credentials have expired when they are issued.
        assert len(issued) > 1 and len(set(tokens)) > 1 and set(tokens) <= set(issued), (issued, used)
    finally:
        service.shutdown()
        service.server_close()
        bucket.stop()


def test_google_emulator(command: Command) -> None:
    emulator = pytest.importorskip("gcp_storage_emulator.server")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = emulator.create_server("127.0.0.1", port, in_memory=True, default_bucket="maps")
    server.start()
    try:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/upload/storage/v1/b/maps/o?uploadType=media&name=evi.tif",
            (ROOT / EVI).read_bytes(), {"Content-Type": "image/tiff"})
        with urllib.request.urlopen(request):
            pass
        arguments = ["identify", "--points", CLINICS, "--of", "csv"]
        expected = answer(command, *arguments, f"n={EVI}")
        for keys in [{"GS_NO_SIGN_REQUEST": "YES"}, {"GS_ACCESS_KEY_ID": "a", "GS_SECRET_ACCESS_KEY": "b"}]:
            found_rows = answer(
                command, *arguments, "n=gs://maps/evi.tif", CPL_GS_ENDPOINT=f"http://127.0.0.1:{port}/", **keys)
            assert found_rows == expected
    finally:
        server.stop()
