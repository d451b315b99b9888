"""The machine and the versions with which a table was measured."""

import os
import platform
import re
import subprocess
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rivals import CORES, ROOT


def facts() -> dict[str, str]:
    """The properties needed for comparisons with another machine."""
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
        "rasterio": _module("rasterio", GDAL="__gdal_version__"),
        "numpy": _version("numpy"),
        "pyproj": _module("pyproj", PROJ="proj_version_str"),
        "polars": _version("polars"),
        "GEOS, PROJ": _first(r"\S+", "geos-config", "--version") + ", "
                      + _first(r"\S+", "pkg-config", "--modversion", "proj"),
        "shapely": _module("shapely", GEOS="geos_version_string"),
        "geopandas": f"{_version('geopandas')} (pandas {_version('pandas')})",
        "pyogrio": _module("pyogrio", GDAL="__gdal_version_string__")
                   + f", pyarrow {_version('pyarrow')}",
        "scipy, igraph, WNTR": f"{_version('scipy')}, {_version('igraph')}, "
                               f"{_version('wntr')} (networkx "
                               f"{_version('networkx')})",
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _module(name: str, **libraries: str) -> str:
    """The versions of a module and of the libraries inside it."""
    try:
        module = import_module(name)
    except ImportError:
        return "not installed"
    inside = ", ".join(f"{library} {getattr(module, attribute, '?')}"
                       for library, attribute in libraries.items())
    return f"{_version(name)} ({inside})"


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
