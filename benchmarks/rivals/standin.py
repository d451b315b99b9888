"""Stand-in rasters, for trying the rivals before Plumb is built.

Smooth hills, a little noise in every cell and a corner without data: about
as compressible as an elevation model.
"""

import numpy as np
import rasterio
from rasterio.transform import from_origin
from rasterio.windows import Window

NODATA = -32768
PLACEMENTS = {"EPSG:32734": (300_000.0, 6_300_040.0, 10.0),
              "EPSG:4326": (18.3, -33.3, 0.0001)}
"""The upper left corner and the width of a cell, by reference."""
TILE = 256
KNOTS = 48


def write(path, spec):
    """Writes the raster strip of tiles by strip of tiles."""
    generator = np.random.default_rng(spec.seed)
    hills = generator.normal(800, 400, (KNOTS, KNOTS)).astype(np.float32)
    across = _interpolation(spec.side)
    west, north, cell = PLACEMENTS[spec.reference]
    profile = {
        "driver": "GTiff", "dtype": "int16", "count": spec.bands,
        "width": spec.side, "height": spec.side, "nodata": NODATA,
        "crs": spec.reference,
        "transform": from_origin(west, north, cell, cell),
        "tiled": True, "blockxsize": TILE, "blockysize": TILE,
        "interleave": "pixel", "compress": spec.compression.upper(),
        "num_threads": "ALL_CPUS", "bigtiff": "IF_SAFER",
    }
    with rasterio.open(path, "w", **profile) as dataset:
        for top in range(0, spec.side, TILE):
            height = min(TILE, spec.side - top)
            rows = np.arange(top, top + height)
            smooth = _weights(rows, spec.side) @ hills @ across
            strip = np.empty((spec.bands, height, spec.side), np.int16)
            for band in strip:
                band[:] = smooth + generator.standard_normal(
                    smooth.shape, dtype=np.float32) * 6
                smooth += 25
            empty = np.arange(spec.side) + rows[:, None] < spec.side // 6
            strip[:, empty] = NODATA
            dataset.write(strip, window=Window(0, top, spec.side, height))


def _interpolation(side):
    return _weights(np.arange(side), side).T.copy()


def _weights(cells, side):
    """Linear interpolation from the knots to the cells, as a matrix."""
    place = cells * (KNOTS - 1.001) / side
    left = place.astype(int)
    share = (place - left).astype(np.float32)
    weights = np.zeros((len(cells), KNOTS), np.float32)
    weights[np.arange(len(cells)), left] = 1 - share
    weights[np.arange(len(cells)), left + 1] = share
    return weights
