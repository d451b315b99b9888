"""Many points in one request, compared with the values of the raster."""

import json
import time
import urllib.parse
import urllib.request

import numpy as np
import rasterio

from inputs import POSITIONS, Inputs
from rows import EDR, REST


def ask(address: str, inputs: Inputs) -> tuple[float, int]:
    """The seconds from the first byte sent to the last one read, and the
    number of values that differ from the raster."""
    points = np.load(inputs.samples)
    body = urllib.parse.urlencode({
        "f": "json", "geometryType": "esriGeometryMultipoint",
        "geometry": json.dumps({"points": points.tolist(),
                                "spatialReference": {"wkid": 4326}}),
    }).encode()
    start = time.perf_counter()
    with urllib.request.urlopen(f"{address}{REST}_0/ImageServer/getSamples",
                                body) as reply:
        text = reply.read()
    seconds = time.perf_counter() - start
    given = np.full(len(points), np.iinfo("int32").min)
    for sample in json.loads(text)["samples"]:
        if sample["value"] != "NoData":
            given[sample["locationId"]] = int(sample["value"])
    return seconds, int(np.count_nonzero(given != _truth(inputs, points)))


def ask_positions(address: str, inputs: Inputs) -> tuple[float, int]:
    """The same for points in a `MULTIPOINT` for EDR's `position`, with a separate connection for
    each request.
    """
    points = np.load(inputs.samples)[:POSITIONS]
    text = ",".join(f"({x} {y})" for x, y in points.tolist())
    body = urllib.parse.urlencode({"coords": f"MULTIPOINT({text})"}).encode()
    start = time.perf_counter()
    with urllib.request.urlopen(address + EDR, body) as reply:
        text = reply.read()
    seconds = time.perf_counter() - start
    given = np.array(json.loads(text)["ranges"]["Band_0"]["values"], float)
    return seconds, int(np.count_nonzero(given != _truth(inputs, points)))


def _truth(inputs, points):
    with rasterio.open(inputs.raster) as raster:
        values = raster.read(1)
        column, row = ~raster.transform * points.T
        return values[np.floor(row).astype(int), np.floor(column).astype(int)]
