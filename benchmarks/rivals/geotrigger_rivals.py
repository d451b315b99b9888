"""The command lines of the geotrigger workloads."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from geotrigger_workloads import LIVE_LIMIT, RATE, GeotriggerWorkload
from measure import Command

if TYPE_CHECKING:
    from geotrigger_inputs import GeotriggerInputs

HERE = Path(__file__).parent
ALL = ("--threads", str(len(os.sched_getaffinity(0))))


def ours(plumb: Path, program: Path, workload: GeotriggerWorkload,
         given: "GeotriggerInputs", out: str) -> Command:
    """Plumb's command line."""
    if workload.kind == "live":
        return _live(given, out, str(plumb), "monitor", "--feed", "-",
                     "--fences", str(given.fences))
    return Command((str(program), "geotriggers", "--folder",
                    str(given.folder), "--out", out, "--steps",
                    str(workload.steps), "--buffer", repr(workload.buffer)))


def limit(given: "GeotriggerInputs", out: str) -> Command:
    """The round trip without any work."""
    return _live(given, out, LIVE_LIMIT)


def _live(given, out, *command):
    return Command((str(given.feeder), str(given.feed), out + "_events.txt",
                    str(RATE), *command))


def rival(name: str, workload: GeotriggerWorkload, given: "GeotriggerInputs",
          out: str) -> Command:
    """A rival's command line."""
    file, *options = RIVALS[name]
    if workload.steps > 1:
        file = "shapely_moving_fences.py"
    return Command((sys.executable, str(HERE / "contenders" / file),
                    str(given.folder), "--out", out, *options))


RIVALS = {
    "shapely STRtree of fences": ("shapely_fences.py", "--way", "fences"),
    "shapely STRtree of fences on all cores":
        ("shapely_fences.py", "--way", "fences", *ALL),
    "shapely boxes + intersects_xy on all cores":
        ("shapely_fences.py", "--way", "boxes", *ALL),
    "shapely STRtree of locations on all cores":
        ("shapely_fences.py", "--way", "locations", *ALL),
    "geopandas sjoin on all cores":
        ("geopandas_fences.py", "--way", "locations", *ALL),
    "geopandas sjoin of fences on all cores":
        ("geopandas_fences.py", "--way", "fences", *ALL),
    "shapely STRtree + pyproj on all cores": ("pyproj_fences.py", *ALL),
    "PostGIS": ("postgis_fences.py", "--way", "areas"),
    "PostGIS geography": ("postgis_fences.py", "--way", "points"),
}
