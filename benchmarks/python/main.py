"""Runs the contenders in turn, compares their results, and prints a table."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import inputs
import numpy as np
import start

HERE = Path(__file__).resolve().parent
# The tasks: their rivals with the target ratios, the number of points, the tolerance of results.
WORK = {
    "cells": ("values at points, cold", {"rasterio read": 2, "rasterio.sample": 20,
              "rioxarray and xvec": 20, "sedonadb": 20}, 1_000_000, 0),
    "uncached": (
        "values at points, cold, against the Swift library", {"Swift": 0.95}, 10_000_000, 0),
    "cached": ("the same, already decoded", {"Swift": 0.95}, 10_000_000, 0),
    "parcels": ("points in 100 k polygons", {"geopandas.sjoin": 6, "sedonadb": 3}, 1_000_000, 0),
    "areas": ("areas joined", {"shapely": None}, 20_000, 0.002),
    "fences": ("events of locations, 2 k fences", {"shapely": None}, 1_000_000, 0),
    "spark": ("points in Spark", {"rasterio read": 3, "rasterio read, kept": None}, 20_000_000, 0),
    "sparkfew": ("fewer points in Spark", {"rasterio.sample": 3}, 1_000_000, 0),
}  # fmt: skip


def once(work: str, name: str, folder: Path, count: int) -> tuple[float, np.ndarray]:
    # A virtual machine is slow to provide pages that have not been used recently, so a gigabyte of
    # pages is used before each contender runs.
    np.ones(1 << 27)
    with tempfile.TemporaryDirectory() as scratch:
        answer = Path(scratch) / "answer.npy"
        done = subprocess.run(
            [sys.executable, str(HERE / "contenders.py"), work, name, str(folder), str(count),
             str(answer)],
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode != 0:
            raise SystemExit(f"{work}: {name} failed:\n{done.stderr[-3000:]}")
        return json.loads(done.stdout.splitlines()[-1])["seconds"], np.load(answer)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--only", action="append", choices=[*WORK, "start"])
    asked.add_argument("--points", type=int, help="instead of the default number of each work")
    asked.add_argument("--runs", type=int, default=3)
    asked.add_argument("--folder", type=Path, default=HERE.parent / "work" / "python")
    options = asked.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    inputs.raster(options.folder)
    inputs.parcels(options.folder, 100_000)
    chosen = options.only or [*WORK, "start"]
    if {"cached", "uncached"} & set(chosen):
        subprocess.run(
            ["swift", "build", "-c", "release", "--product", "plumb-workload"],
            cwd=HERE.parents[1], check=True, stdout=sys.stderr,
        )  # fmt: skip
    for work in [name for name in WORK if name in chosen]:
        words, rivals, count, tolerance = WORK[work]
        count = options.points or count
        names = ["plumb", *rivals]
        if work in ("spark", "sparkfew"):
            names.insert(0, "identity")
            _spark_points(options.folder, count)
        times: dict[str, list[float]] = {name: [] for name in names}
        answers: dict[str, np.ndarray] = {}
        # In rounds, so that other load affects all contenders.
        for _ in range(options.runs):
            for name in names:
                seconds, answers[name] = once(work, name, options.folder, count)
                times[name].append(seconds)
        own = answers["plumb"]
        for name in rivals:
            other = answers[name]
            same = other.shape == own.shape and (
                np.array_equal(own, other) if tolerance == 0
                else np.allclose(own, other, rtol=tolerance)
            )  # fmt: skip
            if not same:
                differ = int((own != other).sum()) if own.shape == other.shape else "all"
                raise SystemExit(f"{work}: {name} has different results at {differ} points")
        least = {name: statistics.median(seconds) for name, seconds in times.items()}
        print(
            f"\n{words} ({count:,}); results are equal\n\n"
            "| | s | times Plumb's | aim |\n|---|---|---|---|"
        )
        # The time that Spark needs to pass rows to Python and back is not part of any contender's
        # time.
        taken = least.get("identity", 0.0)
        own_time = least["plumb"] - taken
        spread = max(times["identity"]) - min(times["identity"]) if "identity" in times else 0.0
        for name, seconds in least.items():
            said = ""
            if name in rivals:
                ratio = (seconds - taken) / own_time if own_time > 0 else 0.0
                said = f"{ratio:.1f}" if ratio >= 1.5 else f"{ratio:.2f}"
                if own_time <= spread and taken:
                    said = "Plumb's part is within the variation of the identity"
            print(f"| {name} | {seconds:.3f} | {said} | {rivals.get(name) or ''} |")
        if taken:
            print(f"\nRatios after {taken:.2f} s of the identity, which varies by {spread:.2f} s.")
        sys.stdout.flush()
    if "start" in chosen:
        # A single call takes milliseconds, so other load affects it more than a longer run.
        start.run(options.folder, max(options.runs, 9))


def _spark_points(folder: Path, count: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"points{count}.parquet"
    if not path.exists():
        x, y = inputs.points(count, 7)
        table = pa.table({"id": np.arange(count), "x": x, "y": y})
        pq.write_table(table, path, row_group_size=max(1, count // 16))


if __name__ == "__main__":
    main()
