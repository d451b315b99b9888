"""A server of scenes with a latency of 30 ms for each request, and rasterio on threads as its client."""

import http.server
import json
import multiprocessing
import re
import threading
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


def serve(folder, port):
    """Serves parts of files. The first part of a path is ignored, so that caches of one run do not serve another."""
    requests, lock = [0], threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def log_message(self, *arguments):
            pass

        def reply(self, status, body, headers=()):
            self.send_response(status)
            self.send_header('Content-Length', str(len(body)))
            self.send_header('Accept-Ranges', 'bytes')
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            if self.command == 'GET':
                self.wfile.write(body)

        def do_GET(self):
            if self.path == '/count':
                with lock:
                    self.reply(200, str(requests[0]).encode())
                    requests[0] = 0
                return
            with lock:
                requests[0] += 1
            time.sleep(LATENCY)
            path = folder / 'evi' / self.path.rsplit('/', 1)[1]
            if not path.is_file():
                self.reply(404, b'')
                return
            part = re.fullmatch(r'bytes=(\d+)-(\d*)', self.headers.get('Range', ''))
            with path.open('rb') as file:
                if not part:
                    self.reply(200, file.read())
                    return
                size = path.stat().st_size
                first, last = int(part[1]), min(int(part[2] or size), size - 1)
                file.seek(first)
                self.reply(206, file.read(last - first + 1), [
                    ('Content-Range', f'bytes {first}-{last}/{size}')])

        do_HEAD = do_GET

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    port.value = server.server_port
    server.serve_forever()


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
