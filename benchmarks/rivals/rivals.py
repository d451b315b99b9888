"""The contenders and their command lines."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import command_rivals
import geometry_rivals
import geotrigger_rivals
import map_rivals
import network_rivals
from command_workloads import CommandWorkload
from geometry_workloads import GeometryWorkload
from geotrigger_workloads import GeotriggerWorkload
from given import Inputs
from map_workloads import MapWorkload
from measure import Command
from network_workloads import NetworkWorkload
from workloads import AnyWorkload

if TYPE_CHECKING:
    # The requirements of these modules may not be installed.
    from command_inputs import CommandInputs
    from geometry_inputs import GeometryInputs
    from geotrigger_inputs import GeotriggerInputs
    from map_inputs import MapInputs
    from network_inputs import NetworkInputs

    AnyInputs = (Inputs | GeometryInputs | MapInputs | NetworkInputs
                 | GeotriggerInputs | CommandInputs)

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PLUMB = ROOT / ".build/release/plumb"
MAKER = ROOT / ".build/release/plumb-rasters"
PLUMB_WORKLOAD = ROOT / ".build/release/plumb-workload"
PRODUCTS = {"plumb": PLUMB, "plumb-rasters": MAKER,
            "plumb-workload": PLUMB_WORKLOAD}
CORES = len(os.sched_getaffinity(0))

OURS = "plumb"
LIMITS = {"bare decode": ("-ltiff",), "bare gather": (),
          "bare inflate": ("-ltiff", "-ldeflate")}
"""The measured work that cannot be avoided; and its
libraries."""
WARM_ROUNDS = 3
CALLS = 2_000_000
SLOW_CALLS = 50_000
"""The number of calls of rasterio's `sample`, which is so slow that it is called less often."""


def build_limits(work: Path) -> None:
    """Compiles the programs of the bare limits; programs that do not compile
    are absent."""
    for name, libraries in LIMITS.items() if shutil.which("cc") else ():
        stem = name.replace(" ", "_")
        subprocess.run(
            ["cc", "-O2", "-std=gnu11", "-Wall", str(HERE / f"{stem}.c"),
             "-o", str(work / stem), *libraries, "-lpthread"])


def build_ours(products: list[str]) -> bool:
    """Builds these programs of Plumb; false, with a message on stderr, if that
    fails."""
    for product in products:
        outcome = subprocess.run(
            ["swift", "build", "-c", "release", "--package-path", str(ROOT),
             "--product", product], stdout=sys.stderr)
        if outcome.returncode != 0:
            print(f"run: {product} does not build", file=sys.stderr)
            return False
    return True


def prefix(name: str, inputs: "AnyInputs") -> Path:
    """The path prefix of the contender's results."""
    words = "".join(c if c.isalnum() else " " for c in name).split()
    return inputs.folder / "-".join(words)


def command(name: str, workload: AnyWorkload, inputs: "AnyInputs",
            work: Path) -> Command:
    """The command line of a contender for a workload."""
    if isinstance(workload, GeometryWorkload):
        out = str(prefix(name, inputs))
        if name == OURS:
            return geometry_rivals.ours(PLUMB_WORKLOAD, workload, inputs, out)
        return geometry_rivals.rival(name, workload, inputs, out)
    if isinstance(workload, MapWorkload):
        out = str(prefix(name, inputs))
        if name == OURS:
            return map_rivals.ours(PLUMB, PLUMB_WORKLOAD, workload, inputs,
                                   out)
        return map_rivals.rival(name, workload, inputs, out)
    if isinstance(workload, NetworkWorkload):
        out = str(prefix(name, inputs))
        if name == OURS:
            return network_rivals.ours(PLUMB, PLUMB_WORKLOAD, workload,
                                       inputs, out)
        return network_rivals.rival(name, workload, inputs, out)
    if isinstance(workload, GeotriggerWorkload):
        out = str(prefix(name, inputs))
        if name == OURS:
            return geotrigger_rivals.ours(PLUMB, PLUMB_WORKLOAD, workload,
                                          inputs, out)
        if name == workload.limit:
            return geotrigger_rivals.limit(inputs, out)
        return geotrigger_rivals.rival(name, workload, inputs, out)
    if isinstance(workload, CommandWorkload):
        out = str(prefix(name, inputs))
        if name in (OURS, *workload.beside):
            return command_rivals.ours(name, PLUMB, workload, inputs, out)
        if name == workload.limit:
            return command_rivals.limit(name, work, inputs)
        return command_rivals.rival(name, workload, inputs, out)
    if name == OURS:
        return _ours(workload, inputs)
    if name in LIMITS:
        return _limit(name, inputs, work)
    return RIVALS[name](name, workload, inputs)


def _ours(workload, inputs):
    out = str(prefix(OURS, inputs))
    rasters = _texts(inputs.rasters)
    if workload.kind == "table":
        return Command((str(PLUMB), "identify", *rasters, "--points",
                        str(inputs.table), "-o", out + ".csv", "--overwrite",
                        "-q"))
    start = (str(PLUMB_WORKLOAD), workload.kind, *rasters)
    if workload.kind == "single":
        return Command((*start, *_point(inputs), "--rounds", str(CALLS)))
    rounds = ("--rounds", str(WARM_ROUNDS)) * (workload.kind == "warm")
    crs = ("--crs", workload.crs) if workload.crs else ()
    return Command((*start, *_points(inputs), "--out", out, *rounds, *crs))


def _limit(name, inputs, work):
    program = str(work / name.replace(" ", "_"))
    if name == "bare decode":
        return Command((program, str(inputs.rasters[0]), str(CORES),
                        str(inputs.tile_list)))
    return Command((program, str(inputs.values), str(inputs.indices),
                    str(CORES), str(WARM_ROUNDS),
                    str(prefix(name, inputs)) + ".bin"))


def _script(file, *options):
    """A rival that takes the raster, the points and a prefix."""
    def build(name, workload, inputs):
        crs = ("--crs", workload.crs) if workload.crs else ()
        return Command((*_python(file), *_texts(inputs.rasters),
                        *_points(inputs), "--out",
                        str(prefix(name, inputs)), *crs, *options))
    return build


def _item(tool, calls):
    def build(name, workload, inputs):
        return Command((*_python("one_point.py"), *_texts(inputs.rasters),
                        *_point(inputs), "--with", tool,
                        "--rounds", str(calls)))
    return build


def _polars(name, workload, inputs):
    return Command((*_python("polars_cells.py"), *_texts(inputs.rasters),
                    "--points", str(inputs.table), "--out",
                    str(prefix(name, inputs)) + ".csv", "--way", "whole"))


def _gdallocationinfo(name, workload, inputs):
    """One process per raster, as many at once as there are cores."""
    out = str(prefix(name, inputs))
    ask = ("gdallocationinfo", "-valonly", "-geoloc")
    if len(inputs.rasters) == 1:
        [path] = inputs.rasters
        return Command((*ask, str(path)), str(inputs.text),
                       f"{out}_{path.stem}.txt")
    names = inputs.folder / "rasters.txt"
    names.write_text("".join(f"{path}\n" for path in inputs.rasters))
    one = (f'{" ".join(ask)} "$3" < "$1" > '
           '"$2_$(basename "$3" .tif).txt"')
    return Command(("xargs", f"-P{CORES}", "-n1", "sh", "-c", one, "sh",
                    str(inputs.text), out), str(names))


def _python(file):
    return sys.executable, str(HERE / "contenders" / file)


def _texts(paths):
    return tuple(str(path) for path in paths)


def _points(inputs):
    return "--x", str(inputs.x), "--y", str(inputs.y)


def _point(inputs):
    x, y = inputs.point
    return "--x", x, "--y", y


RIVALS = {
    "rasterio read": _script("rasterio_read.py"),
    "rasterio sample": _script("rasterio_sample.py"),
    "gdallocationinfo": _gdallocationinfo,
    "polars + rasterio": _polars,
    "pyproj + rasterio read":
        _script("rasterio_read.py", "--threads", str(CORES)),
    "numpy": _script("numpy_gather.py", "--rounds", str(WARM_ROUNDS)),
    "numpy on all cores":
        _script("numpy_gather.py", "--rounds", str(WARM_ROUNDS),
                "--threads", str(CORES)),
    "numpy item": _item("numpy", CALLS),
    "rasterio sample item": _item("sample", SLOW_CALLS),
}
