"""Only numpy: the raster is in memory; points are converted to cells, whose
values are gathered, repeatedly. Prints the seconds of every round.

With more than one thread, blocks of points that fit the core's cache are
distributed to a pool; numpy releases Python's lock in each of its loops.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rasterio
from common import arguments, cells, save

BLOCK = 1 << 16

options = arguments()
x, y = np.load(options.x), np.load(options.y)
[path] = options.rasters
with rasterio.open(path, num_threads="ALL_CPUS") as dataset:
    array, transform = dataset.read(1), dataset.transform


def pick():
    rows, columns = cells(transform, x, y)
    return array[rows, columns]


def pick_on(pool):
    answers = np.empty(len(x), array.dtype)

    def one(start):
        part = slice(start, start + BLOCK)
        rows, columns = cells(transform, x[part], y[part])
        answers[part] = array[rows, columns]

    list(pool.map(one, range(0, len(x), BLOCK)))
    return answers


seconds = []
with ThreadPoolExecutor(options.threads) as pool:
    for _ in range(options.rounds + 1):
        start = time.perf_counter()
        answers = pick() if options.threads == 1 else pick_on(pool)
        seconds.append(time.perf_counter() - start)
save(options.out, path, 1, answers)
print(json.dumps({"seconds": seconds[1:]}))
