"""The machine and the versions a table was measured with."""

import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

from rivals import CORES, ROOT


def facts() -> dict[str, str]:
    """What a reader needs to know to compare with another machine."""
    import pyogrio
    import pyproj
    import rasterio
    import shapely
    return {
        "CPU": _cpu(),
        "cores": str(CORES),
        "memory": f"{_memory() / 2**30:.1f} GiB",
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "system": f"{_system()}, Linux {platform.release()}",
        "Swift": _first(r"Swift version (\S+)", "swift", "--version"),
        "commit": _commit(),
        "libtiff": _first(r"\d+\.\d+\.\d+", "pkg-config", "--modversion",
                          "libtiff-4"),
        "gdallocationinfo": _first(r"GDAL (\S+),", "gdalinfo", "--version"),
        "Python": platform.python_version(),
        "rasterio": f"{rasterio.__version__} "
                    f"(GDAL {rasterio.__gdal_version__})",
        "numpy": version("numpy"),
        "pyproj": f"{pyproj.__version__} (PROJ {pyproj.proj_version_str})",
        "polars": version("polars"),
        "GEOS, PROJ": _first(r"\S+", "geos-config", "--version") + ", "
                      + _first(r"\S+", "pkg-config", "--modversion", "proj"),
        "shapely": f"{shapely.__version__} (GEOS "
                   f"{shapely.geos_version_string})",
        "geopandas": f"{version('geopandas')} (pandas {version('pandas')})",
        "pyogrio": f"{pyogrio.__version__} (GDAL "
                   f"{pyogrio.__gdal_version_string__}), "
                   f"pyarrow {version('pyarrow')}",
        "scipy, igraph, WNTR": f"{version('scipy')}, {version('igraph')}, "
                               f"{version('wntr')} (networkx "
                               f"{version('networkx')})",
    }


def _cpu() -> str:
    text = Path("/proc/cpuinfo").read_text()
    found = {key: re.search(rf"^{key}\s*: (.*)$", text, re.MULTILINE)
             for key in ("model name", "cpu family", "model", "cpu MHz")}
    name, family, model, clock = (
        match[1] if match else "?" for match in found.values())
    clock = clock.partition(".")[0]
    return f"{name} (family {family}, model {model}, {clock} MHz)"


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _system() -> str:
    return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")


def _commit() -> str:
    commit = _first(r"[0-9a-f]{10}", "git", "-C", str(ROOT), "rev-parse",
                    "HEAD")
    changes = _first(r"\S+", "git", "-C", str(ROOT), "status",
                     "--porcelain", "--untracked-files=no", "--", "Sources")
    return commit if changes == "?" else f"{commit} with changes"


def _first(pattern: str, *command: str) -> str:
    try:
        outcome = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return "?"
    match = re.search(pattern, outcome.stdout)
    return match[match.lastindex or 0] if match else "?"
