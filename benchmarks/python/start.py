"""The package's start in new processes: the import, the first call, and one call for 1,000 points.

Each call is in a new process in which NumPy is imported, and reads files of the system's cache.
rasterio does the same work under the same conditions; the values are compared before a ratio is
printed. The time of a call does not contain the import; the time of a process contains both.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import inputs
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ROOT / "rasters" / "dem" / "S35E018.tif"
TITLES = {
    "first": "the first call, 1 point of a small GeoTIFF",
    "small": "1,000 points of a small GeoTIFF",
    "large": "1,000 points of 10,000 × 10,000 cells",
}
# The processes. They print the seconds of the import and of the call.
BEGIN = """
import json, sys, time
import numpy as np
path, points, answer = sys.argv[1:]
x, y = np.load(points)
begin = time.perf_counter()
"""
PROGRAMS = {
    "plumb": """
import plumb_gis as plumb
imported = time.perf_counter()
values = plumb.sample({"cells": path}, x, y).values("cells")
""",
    "rasterio.sample": """
import rasterio
imported = time.perf_counter()
with rasterio.open(path) as file:
    values = np.array([value[0] for value in file.sample(zip(x, y))])
""",
}
END = """
done = time.perf_counter()
np.save(answer, values)
print(json.dumps([imported - begin, done - imported]))
"""


def once(name: str, path: Path, points: Path, answer: Path) -> tuple[list[float], np.ndarray]:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + PROGRAMS[name] + END, path, points, answer],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"start: {name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout), np.load(answer)


def points_of(folder: Path) -> dict[str, tuple[Path, np.ndarray]]:
    """The rasters with the points of the calls."""
    random = np.random.default_rng(3)
    small = np.array([random.uniform(18.01, 18.99, 1000), random.uniform(-34.99, -34.01, 1000)])
    return {
        "first": (PLAIN, np.array([[18.6], [-34.1]])),
        "small": (PLAIN, small),
        "large": (Path(inputs.raster(folder)), np.array(inputs.points(1000))),
    }


def run(folder: Path, rounds: int) -> None:
    print("\n| new process, NumPy imported | | import | call | both | times Plumb's |")
    print("|---|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as scratch:
        points, answer = Path(scratch) / "points.npy", Path(scratch) / "answer.npy"
        for title, (path, at) in points_of(folder).items():
            np.save(points, at)
            times: dict[str, list[list[float]]] = {name: [] for name in PROGRAMS}
            # In rounds, so that other load affects both. The first round only fills the cache.
            for turn in range(rounds + 1):
                answers = {}
                for name in PROGRAMS:
                    seconds, answers[name] = once(name, path, points, answer)
                    if turn > 0:
                        times[name].append([*seconds, sum(seconds)])
                if not np.array_equal(*answers.values()):
                    raise SystemExit(f"start: the values of {title} differ")
            least = {name: np.median(np.array(rows), axis=0) for name, rows in times.items()}
            for name, medians in least.items():
                shown = " | ".join(f"{1000 * one:.1f} ms" for one in medians)
                ratios = medians / least["plumb"]
                said = "" if name == "plumb" else f"call {ratios[1]:.1f}, both {ratios[2]:.1f}"
                print(f"| {TITLES[title]} | {name} | {shown} | {said} |")
                sys.stdout.flush()
