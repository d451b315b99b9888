"""Puts the shared library into the wheel; builds it in the tree if needed."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# pip prints the message of SystemExit without a traceback.
WHEEL = "install a wheel with pip install ./plumb_gis-VERSION-….whl"


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    """A wheel for any Python 3 on this platform, with ``libplumb.so`` and its helper next to the module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        machine = platform.machine()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{machine}"
        package = Path(self.root) / "src" / "plumb_gis"
        library, reader = package / "libplumb.so", package / "plumb-reader"
        if version == "editable":
            if not (library.exists() and reader.exists()):
                built = self.built()
                shutil.copyfile(built, library)
                shutil.copy2(self.reader(built), reader)
            return
        built = self.built()
        build_data["force_include"][str(built)] = "plumb_gis/libplumb.so"
        build_data["force_include"][str(self.reader(built))] = "plumb_gis/plumb-reader"
        if (built.parent / "lib" / "libraries.txt").is_file():
            # The folder was made by Sources/PlumbPackaging/collect-libraries on Debian 12.
            for name in ("lib", "share", "licences"):
                build_data["force_include"][str(built.parent / name)] = f"plumb_gis/{name}"
            build_data["tag"] = f"py3-none-manylinux_2_35_{machine}"

    def reader(self, library: Path) -> Path:
        """The program that reads formats for the library and is built with it."""
        reader = library.parent / "plumb-reader"
        if not reader.is_file():
            raise SystemExit(
                f"plumb-gis: {reader} was not found: copy it from the folder in which "
                "Sources/PlumbC/link-library wrote libplumb.so"
            )
        return reader

    def built(self) -> Path:
        """The library: PLUMB_LIBRARY, otherwise the one linked by the tree's own script."""
        named = os.environ.get("PLUMB_LIBRARY")
        if named:
            if not Path(named).is_file():
                raise SystemExit(f"plumb-gis: PLUMB_LIBRARY is {named}, which does not exist")
            return Path(named).resolve()
        script = Path(self.root).resolve().parent / "PlumbC" / "link-library"
        if not script.is_file():
            raise SystemExit(
                "plumb-gis: the source distribution contains only the Python files, not "
                f"libplumb.so: {WHEEL}, run pip install ./Sources/PlumbPython in a clone of Plumb "
                "(with Swift 6.3), or set PLUMB_LIBRARY to the path of a built libplumb.so"
            )
        if shutil.which("swift") is None:
            raise SystemExit(
                "plumb-gis: swift was not found, which builds libplumb.so: install Swift 6.3 "
                f"(https://www.swift.org/install/linux/), or {WHEEL}"
            )
        output = Path(self.root) / "build" / "libplumb.so"
        output.parent.mkdir(exist_ok=True)
        subprocess.run([str(script), str(output)], check=True)
        return output
