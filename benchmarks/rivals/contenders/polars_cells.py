"""CSV to CSV, or Parquet to Parquet: polars reads and writes, rasterio reads, numpy gathers.

- `whole`: one raster after the other, each with all cores.
- `threads`: each thread takes a raster.
- `processes`: each process takes a raster.
"""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import rasterio
from cells_table import Job
from common import cells


def pick(path, **options):
    """The cells of one raster, and its nodata."""
    with rasterio.open(path, **options) as dataset:
        rows, columns = cells(dataset.transform, job.x, job.y)
        return dataset.read(1)[rows, columns], dataset.nodata


job = Job("whole", "threads", "processes")
if job.way == "whole":
    # VRTs use this number of threads.
    with rasterio.Env(GDAL_NUM_THREADS="ALL_CPUS"):
        found = [pick(path, num_threads="ALL_CPUS") for path in job.rasters]
else:
    with (ThreadPoolExecutor(job.threads) if job.way == "threads" else
          # Forked processes already have the points.
          ProcessPoolExecutor(job.threads, get_context("fork"))) as pool:
        found = list(pool.map(pick, job.rasters))
job.write(found)
