"""Samples rasters in new processes that import Plumb and other packages in several orders.

usage: check-wheel.py [alone]; `alone` imports only Plumb
"""

import itertools
import random
import subprocess
import sys

PACKAGES = ["plumb_gis", "rasterio", "fiona", "pyproj", "shapely", "pyogrio"]
ALONE = """
import plumb_gis as plumb
def sample(name, **options):
    result = plumb.sample("/work/rasters/" + name + ".tif", [18.5, 18.6], [-33.9, -33.95],
                          crs="EPSG:4326")
    assert list(result.status(name)) == ["ok", "ok"], result.status(name)
    return [float(value) for value in result.values(name)]
"""
TOGETHER = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
import fiona, pyproj, pyogrio, rasterio, shapely
from rasterio.warp import transform
def expected(name):
    with rasterio.open("/work/rasters/" + name + ".tif") as file:
        points = zip(*transform("EPSG:4326", file.crs, [18.5, 18.6], [-33.9, -33.95]))
        return [float(value[0]) for value in file.sample(points)]
for turn in range(2):
    for name in ("evi_cape_town", "ndvi_cape_town_3857"):
        assert sample(name) == expected(name), (name, sample(name), expected(name))
    x, y = pyproj.Transformer.from_crs(4326, 32734, always_xy=True).transform(18.5, -33.9)
    assert abs(x - 268832.2996) < 1e-3 and abs(y - 6246117.788) < 1e-3, (x, y)
    with fiona.open("/work/rasters/wards.geojson") as file:
        assert len(file) == pyogrio.read_info("/work/rasters/wards.geojson")["features"]
    assert shapely.Point(0, 0).buffer(1).area > 3
"""


def run(code: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)


if sys.argv[1:] == ["alone"]:
    run(ALONE + "sample('evi_cape_town'); sample('ndvi_cape_town_3857')")
else:
    orders = list(itertools.permutations(PACKAGES))
    for order in random.Random(1).sample(orders, 20):
        run(ALONE + TOGETHER, *order)
