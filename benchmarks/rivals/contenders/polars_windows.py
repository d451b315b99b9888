"""CSV to CSV on a mosaic: each thread opens the VRT and takes bands of rows.

A thread reads a window of whole rows and gathers the cells in it.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rasterio
from cells_table import Job
from common import cells
from rasterio.windows import Window

DEPTH = 512
"""The number of rows of a window."""

job = Job()
[path] = job.rasters
with rasterio.open(path) as dataset:
    height, width = dataset.shape
    nodata, kind = dataset.nodata, dataset.dtypes[0]
    rows, columns = cells(dataset.transform, job.x, job.y)
order = np.argsort(rows // DEPTH, kind="stable")
ends = np.cumsum(np.bincount(rows // DEPTH, minlength=-(-height // DEPTH)))
values = np.empty(len(rows), kind)
own = threading.local()


def read(number):
    if not hasattr(own, "dataset"):
        own.dataset = rasterio.open(path, sharing=False)
    top = number * DEPTH
    window = Window(0, top, width, min(DEPTH, height - top))
    start = ends[number - 1] if number else 0
    chosen = order[start:ends[number]]
    band = own.dataset.read(1, window=window)
    values[chosen] = band[rows[chosen] - top, columns[chosen]]


with ThreadPoolExecutor(job.threads) as pool:
    list(pool.map(read, range(len(ends))))
job.write([(values, nodata)])
