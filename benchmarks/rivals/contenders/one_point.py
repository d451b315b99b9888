"""One point, read repeatedly from a raster in memory.

`--with numpy` indexes the array; `--with sample` calls `sample` of the open
rasterio dataset, whose blocks are cached. Prints the time of one call.
"""

import argparse
import json
import time

import rasterio

parser = argparse.ArgumentParser()
parser.add_argument("raster")
parser.add_argument("--x", type=float, required=True)
parser.add_argument("--y", type=float, required=True)
parser.add_argument("--rounds", type=int, required=True)
parser.add_argument("--with", dest="tool", required=True)
options = parser.parse_args()

with rasterio.open(options.raster) as dataset:
    array = dataset.read(1)
    left, top = dataset.transform.c, dataset.transform.f
    across, down = 1 / dataset.transform.a, 1 / dataset.transform.e

    def by_index(x, y):
        return array[int((y - top) * down), int((x - left) * across)]

    def by_sample(x, y):
        return next(dataset.sample([(x, y)]))[0]

    call = {"numpy": by_index, "sample": by_sample}[options.tool]
    x, y, rounds = options.x, options.y, range(options.rounds)
    value = call(x, y)
    start = time.perf_counter()
    for _ in rounds:
        call(x, y)
    seconds = time.perf_counter() - start
print(json.dumps({"nanoseconds_per_call": seconds / len(rounds) * 1e9,
                  "value": int(value)}))
