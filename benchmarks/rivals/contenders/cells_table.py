"""Shared code of the rivals that turn a table of points into one of cells."""

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

CHUNK = 65_536
"""The number of points that a thread takes at a time."""


class Job:
    """The arguments of a rival, and its table."""

    def __init__(self, *ways):
        parser = argparse.ArgumentParser()
        parser.add_argument("rasters", nargs="+")
        parser.add_argument("--points", required=True)
        parser.add_argument("--out", required=True)
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--way", choices=ways)
        options = parser.parse_args()
        self.rasters, self.points = options.rasters, options.points
        self.out, self.way = options.out, options.way
        self.threads = options.threads
        self.is_parquet = self.points.endswith(".parquet")
        read = pl.read_parquet if self.is_parquet else pl.read_csv
        self.table = read(self.points)
        self.x = self.table["x"].to_numpy()
        self.y = self.table["y"].to_numpy()

    def map(self, body):
        """Calls `body` with slices of the points, on the threads."""
        parts = [slice(start, start + CHUNK)
                 for start in range(0, len(self.x), CHUNK)]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(body, parts))

    def write(self, columns):
        """Writes the table with columns of values, each with its nodata."""
        names = [Path(path).stem for path in self.rasters]
        table = self.table.with_columns(
            empty_where(pl.Series(name, values), nodata)
            for name, (values, nodata) in zip(names, columns))
        if self.is_parquet:
            table.write_parquet(self.out)
        else:
            table.write_csv(self.out)


def empty_where(series, nodata):
    """The values, null if there is none."""
    if nodata is None:
        return series
    if np.isnan(nodata):
        return series.fill_nan(None)
    return series.set(series == int(nodata), None)
