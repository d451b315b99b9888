"""The command lines of the geometry workloads."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from geometry_workloads import (DISC_DEVIATION, DISC_RADIUS, EDGES, QUARTER,
                                GeometryWorkload)
from measure import Command

if TYPE_CHECKING:
    from geometry_inputs import GeometryInputs

HERE = Path(__file__).parent
CORES = str(len(os.sched_getaffinity(0)))
ALL = ("--threads", CORES)


def ours(program: Path, workload: GeometryWorkload, inputs: "GeometryInputs",
         out: str) -> Command:
    """Plumb's command line."""
    files = {"buffers": ("x", "y", "d", "sample"), "union": ("xy",),
             "buffer-union": ("x", "y", "d"), "discs": ("x", "y")}
    options = []
    for name in files.get(workload.kind, ("x", "y", "xy")):
        options += [f"--{name}", str(inputs.file(name))]
    if workload.kind == "union":
        options += ["--ring", str(4 * QUARTER + 1)]
    elif workload.kind in ("within", "within-ready"):
        options += ["--ring", str(EDGES + 1)]
    elif workload.kind == "discs":
        options += ["--metres", str(DISC_RADIUS),
                    "--deviation", str(DISC_DEVIATION)]
    return Command((str(program), workload.kind, *options, "--out", out))


def rival(name: str, workload: GeometryWorkload, inputs: "GeometryInputs",
          out: str) -> Command:
    """A rival's command line."""
    file, *options = RIVALS[name]
    ready = workload.kind in ("union", "within-ready")
    return Command((sys.executable, str(HERE / "contenders" / file),
                    str(inputs.folder), "--out", out, *options,
                    *["--ready"] * ready))


RIVALS = {
    "shapely buffer": ("shapely_buffer.py",),
    "shapely buffer on all cores": ("shapely_buffer.py", *ALL),
    "shapely union_all": ("shapely_union.py", "--way", "union_all"),
    "shapely unary_union": ("shapely_union.py", "--way", "unary_union"),
    "shapely disjoint_subset_union_all":
        ("shapely_union.py", "--way", "disjoint_subset_union_all"),
    "shapely union on all cores":
        ("shapely_union.py", "--way", "disjoint_subset_union_all", *ALL),
    "STRtree of polygons, within": ("shapely_within.py", "--way", "polygons"),
    "STRtree of points, contains_properly":
        ("shapely_within.py", "--way", "points"),
    "STRtree of points on all cores":
        ("shapely_within.py", "--way", "points", *ALL),
    "STRtree boxes + contains_xy":
        ("shapely_within.py", "--way", "boxes", *ALL),
    "pyproj fwd": ("pyproj_discs.py", "--way", "vertices"),
    "pyproj fwd on all cores": ("pyproj_discs.py", "--way", "vertices", *ALL),
    "pyproj fwd + shapely polygons":
        ("pyproj_discs.py", "--way", "polygons", *ALL),
}
