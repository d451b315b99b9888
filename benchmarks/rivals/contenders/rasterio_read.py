"""Rasterio reads whole rasters on all cores; numpy gathers the cells.

With --crs, pyproj transforms the points to the raster's CRS first.
"""

import numpy as np
import rasterio
from common import arguments, cells, project, save

options = arguments()
x, y = np.load(options.x), np.load(options.y)
transform = None
for path in options.rasters:
    with rasterio.open(path, num_threads="ALL_CPUS") as dataset:
        if transform is None and options.crs:
            x, y = project(x, y, options.crs, dataset.crs.to_string(),
                           options.threads)
        if dataset.transform != transform:
            transform = dataset.transform
            rows, columns = cells(transform, x, y)
        bands = dataset.read()
    for number, band in enumerate(bands, start=1):
        save(options.out, path, number, band[rows, columns])
