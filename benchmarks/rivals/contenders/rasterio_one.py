"""One point by rasterio's `sample`."""

import sys

import rasterio

path, x, y = sys.argv[1:]
with rasterio.open(path) as dataset:
    print(next(dataset.sample([(float(x), float(y))]))[0])
