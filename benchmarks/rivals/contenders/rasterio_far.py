"""CSV to CSV from a remote raster: rasterio on /vsicurl/.

One thread calls `sample` with the points in block order; several threads each
take a tile at a time and read it as a window.
"""

import argparse
import csv
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rasterio
from common import cells, in_block_order
from rasterio.windows import Window

# Merges neighbouring ranges and the header into one request. Larger chunks
# and caches make it slower here.
SETTINGS = {"GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES",
            "GDAL_INGESTED_BYTES_AT_OPEN": "32768"}

parser = argparse.ArgumentParser()
parser.add_argument("raster")
parser.add_argument("--points", required=True)
parser.add_argument("--out", required=True)
parser.add_argument("--threads", type=int, required=True)
options = parser.parse_args()

with open(options.points) as file:
    table = list(csv.reader(file))
x, y = np.array([row[2:4] for row in table[1:]], float).T
own = threading.local()


def dataset():
    """The dataset of this thread."""
    if not hasattr(own, "dataset"):
        own.environment = rasterio.Env(**SETTINGS)
        own.environment.__enter__()
        own.dataset = rasterio.open(options.raster, sharing=False)
    return own.dataset


def read(part):
    tile = tiles[part[0]]
    left, top = tile % across * side, tile // across * side
    window = Window(left, top, side, side)
    band = dataset().read(1, window=window)
    values[part] = band[rows[part] - top, columns[part] - left]


with rasterio.Env(**SETTINGS):
    first = dataset()
    side, nodata = first.block_shapes[0][0], first.nodata
    rows, columns = cells(first.transform, x, y)
    order = in_block_order(rows, columns, side)
    values = np.empty(len(x), first.dtypes[0])
    if options.threads == 1:
        points = zip(x[order].tolist(), y[order].tolist())
        for at, found in zip(order.tolist(), first.sample(points)):
            values[at] = found[0]
    else:
        across = -(-first.width // side)
        tiles = rows // side * across + columns // side
        parts = np.split(order, np.flatnonzero(np.diff(tiles[order])) + 1)
        with ThreadPoolExecutor(options.threads) as pool:
            list(pool.map(read, parts))

with open(options.out, "w", newline="") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([*table[0], "far"])
    rows.writerows([*row, "" if value == nodata else value] for row, value
                   in zip(table[1:], values.tolist()))
