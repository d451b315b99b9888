"""Requirements that may not be installed: Python modules and programs.

Only imports at the top of a file are considered; imports in a function matter only to the
function's callers.
"""

import ast
import glob
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from measure import Command

HERE = Path(__file__).parent
LOCAL = (HERE, HERE / "contenders")
OLDEST = {"shapely": 2, "polars": 1}
"""Earlier versions are treated as missing."""
POSTGIS = "/usr/share/postgresql/*/extension/postgis.control"
OPEN = ("import rasterio, sys; rasterio.open(sys.argv[1])"
        ".read(1, window=((0, 1), (0, 1)))")


@cache
def modules(path: Path) -> frozenset[str]:
    """The missing modules of a file and of the local files it imports."""
    missing = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module]
        else:
            continue
        for name in names:
            if local := _local(name):
                missing |= modules(local)
            elif not _is_there(name.partition(".")[0]):
                missing.add(name.partition(".")[0])
    return frozenset(missing)


def absent(name: str, command: Command) -> list[str]:
    """The missing requirements of a contender, by its name and command."""
    program, *words = command.arguments
    missing = set()
    if program == sys.executable:
        missing |= modules(Path(words[0]))
    elif not shutil.which(program):
        missing.add(Path(program).name)
    if name.startswith("gdallocationinfo") and not shutil.which(
            "gdallocationinfo"):
        missing.add("gdallocationinfo")
    if name.startswith("PostGIS") and not glob.glob(POSTGIS):
        missing.add("PostGIS")
    if name.startswith("pyproj") and not _is_there("pyproj"):
        missing.add("pyproj")
    return sorted(missing)


def unreadable(raster: Path) -> str | None:
    """The reason why rasterio cannot read a file; None if it can."""
    outcome = subprocess.run([sys.executable, "-c", OPEN, str(raster)],
                             capture_output=True, text=True)
    if outcome.returncode == 0:
        return None
    return outcome.stderr.strip().splitlines()[-1]


def _local(name):
    for folder in LOCAL:
        path = folder / (name.replace(".", "/") + ".py")
        if path.exists():
            return path
    return None


@cache
def _is_there(name):
    if name in sys.stdlib_module_names:
        return True
    if find_spec(name) is None:
        return False
    if name not in OLDEST:
        return True
    try:
        return int(re.match(r"\d+", version(name))[0]) >= OLDEST[name]
    except PackageNotFoundError:
        return False
