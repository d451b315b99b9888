"""A map of a remote service: 1,000 points with a latency of 30 ms."""

import asyncio
import contextlib
import csv
import http.client
import json
import subprocess
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import servers
from inputs import Inputs
from rows import REST

POINTS = 1000
LATENCY = 0.03
"""The minimum time from a request to the first byte of its reply."""
TOGETHER = 8
"""The number of connections of a client with simultaneous requests."""
SHARE_ASKED = 0.1
"""The target share of the requests and time of one request per point."""
PLUMB = servers.ROOT / ".build/release/plumb"
METHODS = (b"GET ", b"POST ")


@dataclass
class Line:
    """Forwards bytes to a server and back, each with half of the latency."""

    server: int
    port: int = 0
    requests: int = 0
    _loop: asyncio.AbstractEventLoop = field(
        default_factory=asyncio.new_event_loop)

    async def _pass(self, reader, writer, is_asking):
        """Each received chunk is sent as one chunk; counts requests."""
        waiting = asyncio.Queue()

        async def send():
            while (due := await waiting.get()) is not None:
                at, piece = due
                await asyncio.sleep(max(0, at - time.perf_counter()))
                writer.write(piece)
                await writer.drain()
            writer.close()

        sending = asyncio.create_task(send())
        with contextlib.suppress(OSError):
            while piece := await reader.read(1 << 18):
                if is_asking and piece.startswith(METHODS):
                    self.requests += 1
                waiting.put_nowait((time.perf_counter() + LATENCY / 2, piece))
        waiting.put_nowait(None)
        with contextlib.suppress(OSError):
            await sending

    async def _connected(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection(
            "127.0.0.1", self.server)
        await asyncio.gather(self._pass(reader, far_writer, True),
                             self._pass(far_reader, writer, False))

    async def _listen(self):
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0,
                                            limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]

    def __enter__(self):
        self._loop.run_until_complete(self._listen())
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        return self

    async def _end(self):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def measure(inputs: Inputs, folder: Path) -> dict:
    points = np.load(inputs.questions)[:POINTS]
    result = {"seconds": {}, "requests": {}, "differing": {}}
    with servers.plumb(inputs, folder) as server, \
            Line(int(server.address.rsplit(":", 1)[1])) as line:
        answers = {}
        for name, ask in (("Plumb", _plumb), ("one request per point", _one),
                          (f"the same, {TOGETHER} requests at a time", _several)):
            line.requests = 0
            start = time.perf_counter()
            answers[name] = ask(line.port, points, folder)
            result["seconds"][name] = time.perf_counter() - start
            result["requests"][name] = line.requests
        for name, theirs in answers.items():
            result["differing"][name] = sum(
                a != b for a, b in zip(answers["Plumb"], theirs))
    result["differing"] = {name: count for name, count
                           in result["differing"].items() if count}
    return result


def _plumb(port, points, folder):
    """The whole command, on a map with the service's layer."""
    document, asked = folder / "far.json", folder / "far.csv"
    document.write_text(json.dumps({
        "spatialReference": {"wkid": 4326}, "operationalLayers": [{
            "id": "parcels", "layerType": "ArcGISFeatureLayer",
            "url": f"http://127.0.0.1:{port}{REST}/FeatureServer/1"}]}))
    asked.write_text("x,y\n" + "".join(f"{x!r},{y!r}\n"
                                       for x, y in points.tolist()))
    printed = subprocess.run(
        [str(PLUMB), "identify", str(document), "--points", str(asked),
         "--allow-host", f"127.0.0.1:{port}", "-q"],
        capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(printed.splitlines()))
    column = next(name for name in rows[0] if name.endswith("erf"))
    return [int(row[column]) if row[column] else None for row in rows]


def _ask(connection, point):
    x, y = point
    connection.request("GET", f"{REST}/FeatureServer/1/query?" +
                       urllib.parse.urlencode({
                           "f": "json", "geometry": f"{x!r},{y!r}",
                           "geometryType": "esriGeometryPoint", "inSR": 4326,
                           "outFields": "*", "returnGeometry": "false"}))
    found = json.loads(connection.getresponse().read())["features"]
    return int(found[-1]["attributes"]["erf"]) if found else None


def _one(port, points, _):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    return [_ask(connection, point) for point in points.tolist()]


def _several(port, points, _):
    connections = threading.local()

    def ask(point):
        if not hasattr(connections, "own"):
            connections.own = http.client.HTTPConnection("127.0.0.1", port)
        return _ask(connections.own, point)

    with ThreadPoolExecutor(TOGETHER) as pool:
        return list(pool.map(ask, points.tolist()))
