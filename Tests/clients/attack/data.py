"""The data of the attacked servers, created in a folder."""

import json
import random
import shutil
import struct
from pathlib import Path

root = Path(__file__).resolve().parents[3]

# The extent of all generated layers: west, south, east, north.
BOX = (18.0, -34.5, 19.0, -33.5)


def _collection(path, features):
    with open(path, 'w') as file:
        file.write('{"type":"FeatureCollection","features":[\n')
        separator = ''
        for feature in features:
            file.write(separator + json.dumps(feature, separators=(',', ':')))
            separator = ',\n'
        file.write('\n]}\n')


def _points(path, count, seed):
    """Points in one text format: a million of them in a few seconds."""
    generator = random.Random(seed)
    west, south, east, north = BOX
    kinds = ('dam', 'well', 'pump', 'tank')
    with open(path, 'w') as file:
        file.write('{"type":"FeatureCollection","features":[\n')
        for number in range(count):
            x = west + generator.random() * (east - west)
            y = south + generator.random() * (north - south)
            file.write(
                f'{"," if number else ""}{{"type":"Feature","properties":{{"NUM":{number},'
                f'"KIND":"{kinds[number % 4]}","NAME":"place {number % 977}"}},'
                f'"geometry":{{"type":"Point","coordinates":[{x:.6f},{y:.6f}]}}}}\n')
        file.write(']}\n')


def _cells(side):
    west, south, east, north = BOX
    width, height = (east - west) / side, (north - south) / side
    for row in range(side):
        for column in range(side):
            x, y = west + column * width, south + row * height
            ring = [[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]]
            yield {'type': 'Feature', 'properties': {'NUM': row * side + column, 'ROW': row},
                   'geometry': {'type': 'Polygon', 'coordinates':
                                [[[round(a, 6), round(b, 6)] for a, b in ring]]}}


def write_raster(path, side, seed=5):
    """A GeoTIFF of incompressible noise in EPSG:4326."""
    west, south, east, north = BOX
    body = random.Random(seed).randbytes(side * side)
    doubles = struct.pack('<3d', (east - west) / side, (north - south) / side, 0)
    tie = struct.pack('<6d', 0, 0, 0, west, north, 0)
    keys = struct.pack('<16H', 1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)
    rows = 16
    strips = (side + rows - 1) // rows
    entries = 13
    base = 8 + 2 + entries * 12 + 4
    at_scale, at_tie = base, base + 24
    at_keys = at_tie + 48
    at_offsets = at_keys + 32
    at_counts = at_offsets + 4 * strips
    at_body = at_counts + 4 * strips
    offsets = [at_body + index * rows * side for index in range(strips)]
    counts = [min(rows, side - index * rows) * side for index in range(strips)]
    tags = [
        (256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
        (273, 4, strips, at_offsets), (277, 3, 1, 1), (278, 4, 1, rows),
        (279, 4, strips, at_counts), (339, 3, 1, 1), (33550, 12, 3, at_scale),
        (33922, 12, 6, at_tie), (34735, 3, 16, at_keys)]
    with open(path, 'wb') as file:
        file.write(b'II*\0' + struct.pack('<I', 8) + struct.pack('<H', len(tags)))
        for tag, kind, count, value in tags:
            file.write(struct.pack('<HHII', tag, kind, count, value))
        file.write(struct.pack('<I', 0) + doubles + tie + keys)
        file.write(struct.pack(f'<{strips}I', *offsets) + struct.pack(f'<{strips}I', *counts))
        file.write(body)


def layer(name, url):
    return {'id': name, 'title': name, 'layerType':
            'RasterLayer' if url.endswith('.tif') else 'ArcGISFeatureLayer',
            'url': url, 'visibility': True, 'opacity': 1}


def write_map(path, layers):
    """A map document whose first layer is at the bottom."""
    Path(path).write_text(json.dumps({
        'version': '2.31', 'spatialReference': {'wkid': 4326},
        'operationalLayers': [layer(name, url) for name, url in layers]}))


class Data:
    """Maps, a network and a monitor: `attack` is generated, `cape` and `gas` are the samples."""

    def __init__(self, folder, points):
        self.folder = Path(folder)
        self.points = points
        samples = self.folder / 'samples'
        shutil.copytree(root / 'rasters', samples, ignore=shutil.ignore_patterns(
            'Sources', '.build', 'Package*', 'check'))
        made = self.folder / 'made'
        made.mkdir()
        _points(made / 'points.geojson', points, 1)
        _points(made / 'few.geojson', 400, 2)
        _collection(made / 'cells.geojson', _cells(100))
        write_raster(made / 'noise.tif', 2000)
        write_map(made / 'attack.json', [
            ('noise', 'noise.tif'), ('cells', 'cells.geojson'), ('few', 'few.geojson'),
            ('points', 'points.geojson')])
        self.map = made / 'attack.json'
        self.arguments = [
            str(self.map), str(samples / 'cape.json'), '--network', str(samples / 'gas.json'),
            '--monitor', f'garden={samples / "garden.json"}']
        # The layers of `attack` are numbered from the top.
        self.layers = {'points': 0, 'few': 1, 'cells': 2, 'noise': 3}
