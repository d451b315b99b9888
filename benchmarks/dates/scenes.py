"""A server of scenes with a latency of 30 ms for each request, and rasterio on threads as its client."""

import asyncio
import json
import multiprocessing
import re
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import rasterio

COUNT = 50
LATENCY = 0.03
THREADS = 8
# The settings that GDAL's documentation recommends for reading in the cloud.
SETTINGS = {
    'GDAL_DISABLE_READDIR_ON_OPEN': 'EMPTY_DIR', 'GDAL_INGESTED_BYTES_AT_OPEN': '32768',
    'GDAL_HTTP_MERGE_CONSECUTIVE_RANGES': 'YES', 'GDAL_HTTP_MULTIPLEX': 'YES', 'VSI_CACHE': 'TRUE'}


class Connection(asyncio.Protocol):
    """Replies to the requests of one connection after the latency, without a thread, so that the server does not limit
    its clients.
    """

    def __init__(self, files, requests):
        self.files, self.requests, self.text = files, requests, b''

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.text += data
        while (end := self.text.find(b'\r\n\r\n')) >= 0:
            head, self.text = self.text[:end], self.text[end + 4:]
            method, path, _ = head.split(b'\r\n', 1)[0].split(b' ')
            if path == b'/count':
                body = b'%d' % self.requests[0]
                self.requests[0] = 0
                self.reply(b'200 OK', b'', len(body), body)
                continue
            self.requests[0] += 1
            # The first part of a path is ignored, so that caches of one run do not serve another.
            body = self.files.get(path.rsplit(b'/', 1)[1])
            part = re.search(rb'\r\nrange: *bytes=(\d+)-(\d*)', head, re.IGNORECASE)
            if body is None:
                self.later(b'404 Not Found', b'', 0, b'')
            elif part:
                first, last = int(part[1]), min(int(part[2] or len(body)), len(body) - 1)
                self.later(
                    b'206 Partial Content', b'Content-Range: bytes %d-%d/%d\r\n' % (first, last, len(body)),
                    last - first + 1, body[first:last + 1] if method == b'GET' else b'')
            else:
                self.later(b'200 OK', b'', len(body), body if method == b'GET' else b'')

    def later(self, *reply):
        asyncio.get_running_loop().call_later(LATENCY, self.reply, *reply)

    def reply(self, status, headers, length, body):
        if not self.transport.is_closing():
            self.transport.write(
                b'HTTP/1.1 %s\r\nContent-Length: %d\r\nAccept-Ranges: bytes\r\n%s\r\n' % (status, length, headers))
            self.transport.write(body)


def serve(folder, port):
    """Serves files, which are kept in memory, and parts of files."""
    files = {path.name.encode(): path.read_bytes() for path in (folder / 'evi').iterdir()}

    async def run():
        requests = [0]
        server = await asyncio.get_running_loop().create_server(
            lambda: Connection(files, requests), '127.0.0.1', 0)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(run())


class Scenes:
    def __init__(self, folder, dates, reference):
        self.folder, self.dates, self.turn = folder, dates[:COUNT], 0
        self.corners = reference
        port = multiprocessing.Value('i', 0)
        self.process = multiprocessing.Process(target=serve, args=(folder, port), daemon=True)
        self.process.start()
        while not port.value:
            time.sleep(0.01)
        self.address = f'http://127.0.0.1:{port.value}'
        self.requests = {}

    def url(self, date):
        return f'{self.address}/{self.turn}/evi_{date:%Y%j}.tif'

    def begin(self):
        self.turn += 1
        self.count()

    def count(self):
        with urllib.request.urlopen(f'{self.address}/count') as reply:
            return int(reply.read())

    def items(self):
        """Writes a list of STAC items."""
        west, south, east, north = self.corners
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        path = self.folder / f'items{self.turn}.json'
        path.write_text(json.dumps({'type': 'FeatureCollection', 'features': [{
            'type': 'Feature', 'stac_version': '1.0.0', 'id': f'{date:%Y%j}',
            'geometry': {'type': 'Polygon', 'coordinates': [ring]},
            'bbox': [west, south, east, north], 'links': [],
            'properties': {'datetime': f'{date:%Y-%m-%dT00:00:00Z}'},
            'assets': {'EVI': {'href': self.url(date)}}} for date in self.dates]}))
        return path

    def sample(self, points, output, nodata):
        """The nearest scene of each point with rasterio, on threads."""
        frame = pd.read_csv(points, parse_dates=['when'])
        times = frame['when'].to_numpy().astype('datetime64[D]').astype('int64')
        axis = self.dates.to_numpy().astype('datetime64[D]').astype('int64')
        right = np.searchsorted(axis, times).clip(1, len(axis) - 1)
        nearest = np.where(times - axis[right - 1] <= axis[right] - times, right - 1, right)
        values = np.zeros(len(frame), 'int16')
        places = frame[['x', 'y']].to_numpy()

        def read(index):
            chosen = np.flatnonzero(nearest == index)
            if not len(chosen):
                return
            with rasterio.Env(**SETTINGS), rasterio.open(self.url(self.dates[index])) as scene:
                # Points of the same block are consecutive.
                columns, rows = ~scene.transform * places[chosen].T
                order = chosen[np.lexsort((columns // 256, rows // 256))]
                values[order] = [value[0] for value in scene.sample(places[order], 1)]

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(read, range(len(axis))))
        frame['evi'] = pd.Series(values).where(values != nodata).astype('Int16')
        frame['evi_date'] = self.dates.strftime('%Y-%m-%d').to_numpy()[nearest]
        frame.to_csv(output, index=False, date_format='%Y-%m-%d')
