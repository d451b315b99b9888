"""Mixed requests for some minutes, and the server's memory."""

import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

import numpy as np

import load
import rows
from inputs import Inputs
from servers import Server

EVERY = 30
"""The interval of memory samples in seconds."""
WARM = 60
"""The time in seconds from which growth counts."""


def paths(inputs: Inputs) -> list[str]:
    """Identify, points, queries, buffers, pictures and legends, mixed."""
    identify, point, query = (
        row.contenders[0].paths(inputs) for row in rows.ROWS
        if row.key in ("identify", "point", "query"))
    mixed = []
    for at, (x, y) in enumerate(np.load(inputs.questions)):
        mixed += [identify[at], point[at]]
        if at % 5 == 0:
            mixed.append(_buffer(x, y))
        if at % 10 == 0:
            mixed += [query[at // 10 % len(query)], _picture(x, y),
                      f"{rows.REST}/MapServer/legend?f=json",
                      f"{rows.REST}/FeatureServer/1?f=json"]
    return mixed


def run(server: Server, inputs: Inputs, minutes: float, folder: Path) -> dict:
    """The numbers of requests and failures, and the memory samples."""
    looks = []
    ended = threading.Event()

    def look():
        start = time.monotonic()
        while not ended.wait(EVERY):
            looks.append((time.monotonic() - start,
                          server.memory()["VmRSS"]))

    watch = threading.Thread(target=look)
    watch.start()
    seconds = round(minutes * 60)
    try:
        measured = load.rate(server.address, paths(inputs), seconds, folder)
    finally:
        ended.set()
        watch.join()
    warm = [memory for at, memory in looks if at >= WARM]
    return {"requests": round(measured.rate * seconds),
            "failed": measured.failed, "seconds": seconds,
            "memory": [memory for _, memory in looks],
            "growth": max(warm) / warm[0] - 1 if warm else None}


def _buffer(x, y):
    shapes = (f'{{"geometryType":"esriGeometryPoint","geometries":'
              f'[{{"x":{x},"y":{y}}}]}}')
    return ("/arcgis/rest/services/Utilities/Geometry/GeometryServer/buffer"
            "?f=json&inSR=4326&distances=500&unit=9001&geodesic=true"
            "&geometries=" + urllib.parse.quote(shapes))


def _picture(x, y):
    return (f"{rows.REST}/MapServer/export?f=image&format=png&size=256,256"
            f"&bbox={x - .01},{y - .01},{x + .01},{y + .01}")
