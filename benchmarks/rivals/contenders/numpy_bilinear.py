"""CSV to CSV, bilinear: rasterio reads, numpy gathers four cells per point and
interpolates, in chunks on all threads."""

import numpy as np
import rasterio
from cells_table import Job

job = Job()
[path] = job.rasters
with rasterio.open(path, num_threads="ALL_CPUS") as dataset:
    band, transform = dataset.read(1), dataset.transform
width = band.shape[1]
cells = band.ravel()


def blend(part):
    # Relative to cell centres. No point is less than one cell from the border.
    across = (job.x[part] - transform.c) / transform.a - 0.5
    down = (job.y[part] - transform.f) / transform.e - 0.5
    column, row = across.astype(np.intp), down.astype(np.intp)
    across -= column
    down -= row
    first = row * width + column
    above = cells[first] * (1 - across) + cells[first + 1] * across
    first += width
    below = cells[first] * (1 - across) + cells[first + 1] * across
    return above * (1 - down) + below * down


job.write([(np.concatenate(job.map(blend)), None)])
