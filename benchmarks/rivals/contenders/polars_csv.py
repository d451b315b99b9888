"""CSV to CSV: polars reads and writes, rasterio reads, numpy picks."""

import sys
from pathlib import Path

import polars as pl
import rasterio
from common import cells

path, source, target = sys.argv[1:]
frame = pl.read_csv(source)
with rasterio.open(path, num_threads="ALL_CPUS") as dataset:
    rows, columns = cells(dataset.transform, frame["x"].to_numpy(),
                          frame["y"].to_numpy())
    values = dataset.read(1)[rows, columns]
    nodata = dataset.nodata
name = Path(path).stem
frame = frame.with_columns(pl.Series(name, values))
if nodata is not None:
    missing = pl.col(name) == int(nodata)
    frame = frame.with_columns(
        pl.when(~missing).then(pl.col(name)).alias(name))
frame.write_csv(target)
