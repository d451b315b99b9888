"""Stand-in rasters, for trying the rivals before Plumb is built.

Smooth hills, a little noise in every cell and a corner without data:
approximately as compressible as an elevation model.
"""

import numpy as np
import rasterio
from rasterio.transform import from_origin
from rasterio.windows import Window

from raster_spec import PLACEMENTS

DEPTH = 256
"""The number of rows to write at a time."""
KNOTS = 48


def write(path, spec):
    """Writes the raster a few rows at a time."""
    generator = np.random.default_rng(spec.seed)
    hills = generator.normal(800, 400, (KNOTS, KNOTS)).astype(np.float32)
    across = _interpolation(spec.side)
    west, north, cell = PLACEMENTS[spec.reference]
    profile = {
        "driver": "GTiff", "dtype": spec.type, "count": spec.bands,
        "width": spec.side, "height": spec.side, "nodata": spec.nodata,
        "crs": spec.reference,
        "transform": from_origin(west, north, cell, cell),
        "interleave": "pixel", "compress": spec.compression.upper(),
        "num_threads": "ALL_CPUS", "bigtiff": "IF_SAFER",
    }
    if spec.tile:
        profile |= {"tiled": True, "blockxsize": spec.tile,
                    "blockysize": spec.tile}
    if spec.predictor > 1:
        profile["predictor"] = spec.predictor
    with rasterio.open(path, "w", **profile) as dataset:
        for top in range(0, spec.side, DEPTH):
            height = min(DEPTH, spec.side - top)
            rows = np.arange(top, top + height)
            smooth = _weights(rows, spec.side) @ hills @ across
            strip = np.empty((spec.bands, height, spec.side), spec.type)
            for band in strip:
                band[:] = smooth + generator.standard_normal(
                    smooth.shape, dtype=np.float32) * 6
                smooth += 25
            empty = np.arange(spec.side) + rows[:, None] < spec.side // 6
            strip[:, empty] = spec.nodata
            dataset.write(strip, window=Window(0, top, spec.side, height))


def _interpolation(side):
    return _weights(np.arange(side), side).T.copy()


def _weights(cells, side):
    """Linear interpolation from the knots to the cells, as a matrix."""
    position = cells * (KNOTS - 1.001) / side
    left = position.astype(int)
    share = (position - left).astype(np.float32)
    weights = np.zeros((len(cells), KNOTS), np.float32)
    weights[np.arange(len(cells)), left] = 1 - share
    weights[np.arange(len(cells)), left + 1] = share
    return weights
