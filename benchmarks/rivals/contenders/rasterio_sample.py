"""Rasterio's `sample` on points sorted by block and row."""

import numpy as np
import rasterio
from common import arguments, cells, in_block_order, save

options = arguments()
x, y = np.load(options.x), np.load(options.y)
transform = None
for path in options.rasters:
    with rasterio.open(path) as dataset:
        if dataset.transform != transform:
            transform = dataset.transform
            rows, columns = cells(transform, x, y)
            order = in_block_order(rows, columns, dataset.block_shapes[0][0])
            points = list(zip(x[order].tolist(), y[order].tolist()))
        answers = np.empty((len(x), dataset.count), dataset.dtypes[0])
        for point, values in zip(order.tolist(), dataset.sample(points)):
            answers[point] = values
    for number in range(1, answers.shape[1] + 1):
        save(options.out, path, number, answers[:, number - 1])
