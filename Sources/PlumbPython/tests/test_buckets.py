"""Files in buckets answer as local ones: s3:// against a server with authentication, gs:// and az:// by their requests."""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import EVI, ROOT, Command

CLINICS = "rasters/clinics.geojson"
COUNT = 1_050


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def run(command: Command, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items()
                 if not name.startswith(("AWS_", "GS_", "AZURE_"))}
    return subprocess.run(
        [command.path, *arguments, "-q"], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env=inherited | {"AWS_CONFIG_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
                         "GDAL_HTTP_MAX_RETRY": "0"} | environment)


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
            env=os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": "1000000"},
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
            s3.upload_file(str(path), "open", f"many/{path.name}")
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
        self.process.wait()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, command: Command) -> Iterator[Store]:
    pytest.importorskip("moto")
    pytest.importorskip("boto3")
    rasterio = pytest.importorskip("rasterio")
    import numpy as np

    folder = tmp_path_factory.mktemp("bucket")
    many = folder / "many"
    many.mkdir()
    for number in range(COUNT):
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
    """A listing of more than 1,000 keys is a mosaic."""
    points = store.folder / "points.csv"
    points.write_text("x,y\n" + "".join(
        f"{18.005 + number % 50 * 0.02:.3f},{-33.005 - number // 50 * 0.02:.3f}\n"
        for number in range(COUNT)))
    table = ["--points", str(points), "--provenance"]
    found = answer(command, "identify", "n=s3://open/many/t_*.tif", *table, **store.keys)
    expected = answer(command, "identify", f"n={store.folder}/many/t_*.tif", *table)
    assert found.replace("s3://open/", f"{store.folder}/") == expected
    assert [line.split(",")[2] for line in found.splitlines()[1:]] == [
        str(number) for number in range(COUNT)]
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
