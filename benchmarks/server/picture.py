"""`plumb draw` and python3-mapnik on the layers of the sample map: whole
processes on all cores."""

import statistics
import subprocess
import time
from pathlib import Path

from servers import ROOT

COMMAND = ROOT / ".build/release/plumb"
SAMPLE = ROOT / "rasters"
ROUNDS = 7
EXTENT = "18,-35,20,-33"
MERCATOR = ("2003750.83", "-4163881.14", "2226389.82", "-3895303.96")
"""The same extent in EPSG:3857."""
MAPNIK_PYTHON = "/usr/bin/python3"
"""Debian's python3-mapnik requires Debian's Python."""


def measure(folder: Path) -> dict:
    """Seconds of each, the median of rounds in turn."""
    ours, theirs = folder / "plumb.png", folder / "mapnik.png"
    commands = {
        "Plumb": [str(COMMAND), "draw", str(SAMPLE / "cape.json"), "-o",
                  str(ours), "--overwrite", "--size", "1200x800", "--extent",
                  EXTENT],
        "Mapnik": [MAPNIK_PYTHON,
                   str(Path(__file__).with_name("mapnik_map.py")),
                   str(SAMPLE), str(theirs), *MERCATOR],
    }
    times = {name: [] for name in commands}
    for round_ in range(ROUNDS + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if round_:  # The first round fills the page cache.
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in times.items()}
