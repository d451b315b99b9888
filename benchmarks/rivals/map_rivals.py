"""The command lines of the map workloads."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from map_workloads import PIXELS, REACH, SCALE, MapWorkload
from measure import Command

if TYPE_CHECKING:
    from map_inputs import MapInputs

HERE = Path(__file__).parent
ALL = ("--threads", str(len(os.sched_getaffinity(0))))


def ours(plumb: Path, program: Path, workload: MapWorkload,
         given: "MapInputs", out: str) -> Command:
    """Plumb's command line."""
    if workload.is_batch:
        return Command((str(plumb), "identify", str(given.document),
                        "--points", str(given.table), "-o", out + ".csv",
                        "--overwrite", "-q"))
    reach = ("--pixels", str(PIXELS), "--scale", str(SCALE))
    return Command((str(program), workload.kind, str(given.raster),
                    "--layers", str(given.folder), "--out", out,
                    *reach * (workload.kind == "map-reach")))


def rival(name: str, workload: MapWorkload, given: "MapInputs",
          out: str) -> Command:
    """A rival's command line."""
    file, *options = RIVALS[name]
    if workload.kind == "map-reach":
        options += ["--reach", repr(REACH)]
    return Command((sys.executable, str(HERE / "contenders" / file),
                    str(given.folder), "--out", out, *options))


RIVALS = {
    "geopandas sjoin on all cores":
        ("geopandas_identify.py", "--way", "polygons", *ALL),
    "geopandas sjoin of points on all cores":
        ("geopandas_identify.py", "--way", "points", *ALL),
    "shapely STRtree of polygons on all cores":
        ("shapely_identify.py", "--way", "polygons", *ALL),
    "shapely STRtree of points on all cores":
        ("shapely_identify.py", "--way", "points", *ALL),
    "shapely boxes + intersects_xy on all cores":
        ("shapely_identify.py", "--way", "boxes", *ALL),
    "geopandas sindex item": ("geopandas_item.py",),
}
