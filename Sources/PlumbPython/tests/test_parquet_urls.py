"""Parquet files at URLs: the results of the local files, from few requests for only the needed parts."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import EVI, ROOT, Command, run_command

gpd = pytest.importorskip("geopandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
shapely = pytest.importorskip("shapely")

#: The number of bytes at the beginning and at the end of a file that are requested when it is opened.
END = 64 << 10
ROWS, GROUP = 60_000, 10_000


class Server:
    """Serves a folder, counts requests and bytes, and fails as a test requires."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: The path, the first byte, and the number of bytes sent of each request.
        self.requests: list[tuple[str, int, int]] = []
        self.headers: list[dict[str, str]] = []
        self.has_ranges = True
        #: The status of a request, by its number from 0; 0 for that of the file.
        self.status: Callable[[int], int] = lambda number: 0
        #: The tag of the file's version, by the number of the request.
        self.tag: Callable[[int], str] = lambda number: "1"
        self.redirects: dict[str, str] = {}
        #: The length that the reply for a path declares, in place of that of its body.
        self.lengths: dict[str, int] = {}
        outer, lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                pass

            def do_GET(self) -> None:
                name = self.path.split("?")[0]
                file = outer.folder / name[1:]
                content = file.read_bytes() if file.is_file() else None
                first, last, status = 0, len(content or b"") - 1, 200
                if outer.has_ranges and content and (text := self.headers.get("Range")):
                    start, end = text.removeprefix("bytes=").split("-")
                    first, last, status = int(start), min(int(end), last), 206
                body = (content or b"")[first:last + 1]
                with lock:
                    number = len(outer.requests)
                    outer.requests.append((name, first, len(body)))
                    outer.headers.append(dict(self.headers.items()))
                if name in outer.redirects:
                    self.send_response(302)
                    self.send_header("Location", outer.redirects[name])
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if failure := outer.status(number) or (404 if content is None else 0):
                    self.send_error(failure)
                    return
                self.send_response(status)
                self.send_header("ETag", f'"{outer.tag(number)}"')
                self.send_header("Content-Length", str(outer.lengths.get(name, len(body))))
                if status == 206:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(content or b'')}")
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}"

    @property
    def sent(self) -> int:
        return sum(count for _, _, count in self.requests)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    running = Server(folder)
    yield running
    running.server.shutdown()
    running.server.server_close()


def write_walk(path: Path) -> None:
    """Locations of one entity that crosses three areas, and a large column that a monitor does not read."""
    letters = np.frombuffer(b"abcdefghijklmnop", "S1")
    notes = np.random.default_rng(1).choice(letters, (ROWS, 60)).view("S60")[:, 0]
    table = pa.table({
        "id": pa.array(["v"] * ROWS),
        "time": pa.array(1_735_689_600_000 + 1000 * np.arange(ROWS), pa.timestamp("ms")),
        "note": pa.array([note.decode() for note in notes]),
        "x": np.linspace(18, 19, ROWS),
        "y": np.full(ROWS, -33.9),
    })
    pq.write_table(table, path, row_group_size=GROUP, compression="none", use_dictionary=False)


def write_areas(path: Path) -> None:
    boxes = [shapely.box(x, -34, x + 0.1, -33.8) for x in (18.1, 18.4, 18.7)]
    gpd.GeoDataFrame({"name": ["a", "b", "c"], "v": [1.5, 2.5, None]}, geometry=boxes,
                     crs="EPSG:4326").to_parquet(path)


def run(command: Command, *arguments: Any) -> subprocess.CompletedProcess[str]:
    return run_command([command.path, *map(str, arguments)], cwd=ROOT, capture_output=True,
                       text=True, timeout=120)


def failure(command: Command, *arguments: Any) -> str:
    """The line of a run that fails."""
    done = run(command, *arguments, "-q")
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1, (done.returncode, done.stdout, done.stderr)
    return lines[0]


def test_equal_results(command: Command, server: Server) -> None:
    """Points, areas, shapes, feeds and fences."""
    write_walk(server.folder / "walk.parquet")
    write_areas(server.folder / "areas.parquet")
    local = str(server.folder)
    for arguments in [
            ["identify", f"evi={EVI}", "--points", "{}/walk.parquet", "--of", "csv"],
            ["identify", f"evi={EVI}", "--points", "{}/walk.parquet", "--of", "csv", "--x", "x",
             "--y", "y"],
            ["zonal", EVI, "--areas", "{}/areas.parquet", "-o", "-", "--of", "csv"],
            ["buffer", "{}/areas.parquet", "--distance", "100", "--geodesic", "--of", "csv"],
            ["monitor", "--feed", "{}/walk.parquet", "--fences", "{}/areas.parquet"]]:
        expected = command(*[part.replace("{}", local) for part in arguments])
        assert expected.count("\n") > 2, arguments
        assert command(*[part.replace("{}", server.url) for part in arguments]) == expected
        # The extension is that of the path, before the query.
        signed = [part.replace("{}", server.url) for part in arguments]
        signed = [part + "?key=a%2Fb.csv" if part.endswith(".parquet") else part for part in signed]
        assert command(*signed) == expected
        named = [part.replace("{}", f"/vsicurl/{server.url}") for part in arguments]
        assert command(*named) == expected
    assert {name for name, _, _ in server.requests} == {"/walk.parquet", "/areas.parquet"}


def test_only_needed_columns(command: Command, server: Server) -> None:
    path = server.folder / "walk.parquet"
    write_walk(path)
    write_areas(server.folder.parent / "areas.parquet")
    fences = ["--fences", str(server.folder.parent / "areas.parquet")]
    expected = command("monitor", "--feed", str(path), *fences)
    assert command("monitor", "--feed", f"{server.url}/walk.parquet", *fences) == expected
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    chunks = [group.column(column) for group in groups for column in range(group.num_columns)]
    needed = sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema != "note")
    assert len(groups) == 6 and needed < path.stat().st_size / 3
    # A tenth of the bytes may be gaps. A chunk is read with up to 100 bytes after it.
    assert needed < server.sent <= needed * 1.1 + 2 * END + 100 * len(chunks)
    # Neighbouring chunks are one request, even if they belong to two row groups.
    assert len(server.requests) <= 2 + len(groups) + 1, server.requests


def test_all_columns(command: Command, server: Server) -> None:
    """Each byte is requested once, apart from the beginning and the end."""
    path = server.folder / "walk.parquet"
    write_walk(path)
    command("identify", EVI, "--points", f"{server.url}/walk.parquet", "--of", "csv")
    size = path.stat().st_size
    assert size / 2 < server.sent <= size + 2 * END
    assert len(server.requests) <= 4, server.requests


def test_small_file(command: Command, server: Server) -> None:
    """A file that is not larger than its first part is one request."""
    path = server.folder / "areas.parquet"
    write_areas(path)
    command("zonal", EVI, "--areas", f"{server.url}/areas.parquet", "-o", "-", "--of", "csv")
    assert path.stat().st_size < END
    assert server.requests == [("/areas.parquet", 0, path.stat().st_size)]


def test_large_column(command: Command, server: Server) -> None:
    """A long column of a row group is requested in parts."""
    path = server.folder / "large.parquet"
    random = np.random.default_rng(2)
    texts = [random.integers(97, 123, 6 << 20, "uint8").tobytes().decode() for _ in range(4)]
    pq.write_table(pa.table({"lon": np.full(4, 18.5), "text": texts, "lat": np.full(4, -33.9)}),
                   path, compression="none", use_dictionary=False, write_statistics=False)
    arguments = ["identify", f"evi={EVI}", "--of", "csv", "--points"]
    assert command(*arguments, f"{server.url}/large.parquet") == command(*arguments, str(path))
    assert max(count for _, _, count in server.requests) <= 8 << 20
    assert server.sent <= path.stat().st_size + 2 * END
    assert len(server.requests) <= 7, server.requests


def test_settings_of_requests(
        command: Command, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    write_walk(server.folder / "walk.parquet")
    monkeypatch.setenv("GDAL_HTTP_HEADERS", "X-Key: five")
    command("identify", EVI, "--points", f"{server.url}/walk.parquet", "--of", "csv")
    assert server.headers and all(lines["X-Key"] == "five" for lines in server.headers)


def test_failed_requests_are_retried(
        command: Command, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    write_walk(server.folder / "walk.parquet")
    monkeypatch.setenv("GDAL_HTTP_RETRY_DELAY", "0.01")
    arguments = ["identify", EVI, "--of", "csv", "--points"]
    expected = command(*arguments, str(server.folder / "walk.parquet"))
    server.status = lambda number: 503 if number % 2 == 0 else 0
    assert command(*arguments, f"{server.url}/walk.parquet") == expected
    monkeypatch.setenv("GDAL_HTTP_MAX_RETRY", "1")
    server.status = lambda number: 503
    line = failure(command, *arguments, f"{server.url}/walk.parquet")
    assert f"{server.url}/walk.parquet: the server answers 503" in line


def test_a_server_without_ranges(command: Command, server: Server) -> None:
    write_walk(server.folder / "walk.parquet")
    arguments = ["identify", EVI, "--of", "csv", "--points"]
    expected = command(*arguments, str(server.folder / "walk.parquet"))
    server.has_ranges = False
    assert command(*arguments, f"{server.url}/walk.parquet") == expected
    assert len(server.requests) == 1
    server.lengths["/walk.parquet"] = 70 << 20
    line = failure(command, *arguments, f"{server.url}/walk.parquet")
    assert f"{server.url}/walk.parquet: the server does not support range requests" in line


def test_failures(command: Command, server: Server) -> None:
    write_walk(server.folder / "walk.parquet")
    whole = (server.folder / "walk.parquet").read_bytes()
    (server.folder / "short.parquet").write_bytes(whole[:-9])
    (server.folder / "page.parquet").write_text("<html>Sign in</html>")
    (server.folder / "empty.parquet").write_bytes(b"")
    verbs = [["identify", EVI, "--of", "csv", "--points"],
             ["zonal", EVI, "-o", "-", "--of", "csv", "--areas"],
             ["buffer", "--distance", "5", "--of", "csv"],
             ["monitor", "--fences", "rasters/garden_sections.geojson", "--feed"]]
    for verb in verbs:
        for name, reason in [
                ("none.parquet", "the server answers 404 (not found)"),
                ("short.parquet", "the file is truncated: it does not end with PAR1"),
                ("page.parquet", "this is not Parquet"), ("empty.parquet", "")]:
            line = failure(command, *verb, f"{server.url}/{name}")
            assert f"{server.url}/{name}: " in line and reason in line, line
    server.status = lambda number: 403
    assert "the server answers 403 (not allowed)" in failure(
        command, *verbs[0], f"{server.url}/walk.parquet")


def test_a_file_that_is_replaced(command: Command, server: Server) -> None:
    write_walk(server.folder / "walk.parquet")
    server.tag = lambda number: "1" if number < 2 else "2"
    line = failure(command, "identify", EVI, "--of", "csv", "--points",
                   f"{server.url}/walk.parquet")
    assert f"{server.url}/walk.parquet: the file was replaced while it was being read" in line


def test_layers_of_documents(command: Command, server: Server, tmp_path: Path) -> None:
    """A document reaches only the hosts that its user allows."""
    write_areas(server.folder / "areas.parquet")
    (tmp_path / "areas.parquet").write_bytes((server.folder / "areas.parquet").read_bytes())
    (tmp_path / "p.csv").write_text("lon,lat\n18.15,-33.9\n18.75,-33.9\n18.3,-33.9\n")

    def document(url: str, **members: Any) -> str:
        layer = {"id": "areas", "title": "areas", "layerType": "ArcGISFeatureLayer", "url": url}
        layer = {key: value for key, value in (layer | members).items() if value is not None}
        path = tmp_path / "map.json"
        path.write_text(json.dumps({"version": "2.31", "operationalLayers": [layer]}))
        return str(path)

    points, point = ["--points", str(tmp_path / "p.csv")], ["--at", "18.15,-33.9"]
    expected = command("identify", document("areas.parquet"), *points)
    far = f"{server.url}/areas.parquet"
    for hosts in [[], ["--allow-host", "e.org"]]:
        done = run(command, "identify", document(far), *point, *hosts)
        assert done.returncode == 1
        assert f"{server.url} is not an allowed host" in done.stdout + done.stderr, done
    assert server.requests == []
    allowed = ["--allow-host", server.host]
    assert command("identify", document(far), *points, *allowed) == expected
    assert command("identify", document(far, layerType=None), *points, *allowed) == expected
    assert command("identify", document(far), *points, "--allow-outside") == expected
    # A redirect must not lead to another host.
    server.redirects["/other.parquet"] = far.replace("127.0.0.1", "localhost")
    server.requests.clear()
    done = run(command, "identify", document(f"{server.url}/other.parquet"), *point, *allowed)
    assert done.returncode == 1 and "is not an allowed host" in done.stdout + done.stderr, done
    assert [name for name, _, _ in server.requests] == ["/other.parquet"]
