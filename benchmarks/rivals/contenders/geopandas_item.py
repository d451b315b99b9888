"""One point after the other on five layers in memory.

GeoPandas' `sindex.query` finds the features of a layer at the point, and the attributes of the last
feature are taken; the raster's array is indexed. Prints the time per point.
"""

import argparse
import json
import time

import geopandas
import numpy as np
import pandas as pd
import rasterio
import shapely

LAYERS = {"parcels": "POLYGON", "roads": "LINESTRING", "points": "POINT",
          "districts": "POLYGON", "hydrants": "POINT"}
CLASSES = 9

parser = argparse.ArgumentParser()
parser.add_argument("folder", help="the folder of the inputs")
parser.add_argument("--out", required=True)
parser.add_argument("--reach", type=float, default=0)
options = parser.parse_args()


def load(name):
    return np.load(f"{options.folder}/{name}.npy")


def layer(name, kind):
    xy = load(f"{name}_xy").reshape(-1, 2)
    parts = {"POLYGON": ("rings", "parts"), "LINESTRING": ("parts",),
             "POINT": ()}[kind]
    ends = [np.append(0, load(f"{name}_{part}")).astype(np.int64)
            for part in parts]
    shapes = shapely.from_ragged_array(shapely.GeometryType[kind], xy,
                                       tuple(ends) or None)
    number = np.arange(len(shapes))
    frame = geopandas.GeoDataFrame(
        {"id": number + 1, "name": [f"{name} {i}" for i in number],
         "class": number % CLASSES, "value": number / 4}, geometry=shapes)
    frame.sindex  # Built before timing starts.
    return frame.sindex, pd.DataFrame(frame.drop(columns="geometry"))


layers = [layer(*item) for item in LAYERS.items()]
question = {"predicate": "intersects"}
if options.reach:
    question = {"predicate": "dwithin", "distance": options.reach}
with rasterio.open(f"{options.folder}/ndvi.tif") as dataset:
    band, (left, top) = dataset.read(1), dataset.transform[2:6:3]
    across, down = 1 / dataset.transform.a, 1 / dataset.transform.e
height, width = band.shape


def ask(x, y):
    point = shapely.Point(x, y)
    counts, elements = [], []
    for index, rows in layers:
        hits = index.query(point, **question)
        counts.append(len(hits))
        if len(hits):
            elements.append(rows.iloc[hits.max()])
    column, row = (x - left) * across // 1, (y - top) * down // 1
    inside = 0 <= column < width and 0 <= row < height
    counts.append(int(inside))
    if inside:
        elements.append(band[int(row), int(column)])
    return counts, elements


points = list(zip(load("x").tolist(), load("y").tolist()))
ask(*points[0])
answers = []
start = time.perf_counter()
for point in points:
    answers.append(ask(*point)[0])
seconds = time.perf_counter() - start
np.save(f"{options.out}_counts.npy", np.array(answers, np.int64).ravel())
print(json.dumps({"nanoseconds_per_call": seconds / len(points) * 1e9}))
