"""Shared code of the rivals that identify points on a map's layers."""

import argparse
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import rasterio

TABLE, POLYGONS, RASTER = "points.csv", "parcels.gpkg", "ndvi.tif"


class Job:
    """The arguments and threads of a rival, and the tables.

    The raster and the polygons are read in separate threads, in parallel with
    each other and with all work that does not need them.
    """

    def __init__(self, *ways):
        parser = argparse.ArgumentParser()
        parser.add_argument("folder", help="the folder of the inputs")
        parser.add_argument("--out", required=True)
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--way", choices=ways)
        options = parser.parse_args()
        self.folder, self.out = options.folder, options.out
        self.way, self.threads = options.way, options.threads
        self.pool = ThreadPoolExecutor(self.threads)
        beside = ThreadPoolExecutor(1)
        raster = beside.submit(self._read)
        self.table = pl.read_csv(f"{self.folder}/{TABLE}")
        self.x = self.table["lon"].to_numpy()
        self.y = self.table["lat"].to_numpy()
        self._values = beside.submit(lambda: self._pick(*raster.result()))

    def polygons(self, read):
        """The result of `read` for the file of polygons, as a future."""
        return ThreadPoolExecutor(1).submit(
            read, f"{self.folder}/{POLYGONS}")

    def parts(self, count, chunk):
        """The slices for the threads; a single one for one thread."""
        step = count if self.threads == 1 else chunk
        return [slice(start, min(count, start + step))
                for start in range(0, count, step)]

    def _read(self):
        with rasterio.open(f"{self.folder}/{RASTER}",
                           num_threads="ALL_CPUS") as dataset:
            return dataset.read(1), dataset.transform, dataset.nodata

    def _pick(self, band, transform, nodata):
        """The raster's values, null outside the raster and for nodata."""
        columns = np.floor((self.x - transform.c) * (1 / transform.a))
        rows = np.floor((self.y - transform.f) * (1 / transform.e))
        inside = ((columns >= 0) & (columns < band.shape[1])
                  & (rows >= 0) & (rows < band.shape[0]))
        columns[~inside] = rows[~inside] = 0
        values = band[rows.astype(np.intp), columns.astype(np.intp)]
        empty = ~inside if nodata is None else ~inside | (values == nodata)
        return pl.select(pl.when(pl.Series(~empty)).then(
            pl.Series("ndvi", values)).alias("ndvi"))["ndvi"]

    def write(self, count, attributes):
        """Writes the table with all results in the form of Plumb.

        `attributes` are those of the topmost polygon, null if there is none.
        """
        names = {name: f"parcels.{name}" for name in attributes.columns}
        added = self._values.result(), pl.Series("parcels.count", count)
        pl.concat([self.table.with_columns(*added), attributes.rename(names)],
                  how="horizontal").write_csv(f"{self.out}.csv")
