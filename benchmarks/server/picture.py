"""`plumb draw` of the sample map and python3-mapnik on its layers: whole
processes on one core."""

import json
import statistics
import subprocess
import time
from pathlib import Path

from servers import ROOT, SERVER_CORE

COMMAND = ROOT / ".build/release/plumb"
SAMPLE = ROOT / "rasters"
ROUNDS = 7
MAPNIK_PYTHON = "/usr/bin/python3"
"""Debian's python3-mapnik is for Debian's Python."""


def measure(folder: Path) -> dict:
    """Seconds of each, the median of rounds in turn."""
    ours, theirs = folder / "plumb.png", folder / "mapnik.png"
    commands = {
        "Plumb": [str(COMMAND), "draw", str(SAMPLE / "cape.json"), "-o",
                  str(ours), "--size", "1200x800"],
        "Mapnik": [MAPNIK_PYTHON, str(Path(__file__).with_name("mapnik_map.py")),
                   str(SAMPLE), str(theirs)],
    }
    times = {name: [] for name in commands}
    for round_ in range(ROUNDS + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(["taskset", "-c", SERVER_CORE, *command],
                           check=True, stdout=subprocess.DEVNULL)
            if round_:  # The first one fills the caches of the disk.
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in times.items()}
