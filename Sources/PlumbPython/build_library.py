"""Puts the shared library into the wheel, building it in the tree when it is not there."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    """A wheel for any Python 3 on this platform, with ``libplumb.so`` beside the module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        machine = platform.machine()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{machine}"
        package = Path(self.root) / "src" / "plumb"
        library = package / "libplumb.so"
        if version == "editable":
            if not library.exists():
                shutil.copyfile(self.built(), library)
            return
        build_data["force_include"][str(self.built())] = "plumb/libplumb.so"

    def built(self) -> Path:
        """The library: what PLUMB_LIBRARY names, else what the tree's own script links."""
        named = os.environ.get("PLUMB_LIBRARY")
        if named:
            if not Path(named).is_file():
                raise RuntimeError(f"PLUMB_LIBRARY names {named}, and there is no such file")
            return Path(named).resolve()
        script = Path(self.root).resolve().parent / "PlumbC" / "link-library"
        if not script.is_file():
            raise RuntimeError(
                "the library is built in Plumb's own tree: run pip install ./Sources/PlumbPython "
                "from a clone, or name a built libplumb.so in PLUMB_LIBRARY"
            )
        if shutil.which("swift") is None:
            raise RuntimeError(
                "building the library needs Swift 6.3 (https://www.swift.org/install/linux/); "
                "a built wheel needs none"
            )
        output = Path(self.root) / "build" / "libplumb.so"
        output.parent.mkdir(exist_ok=True)
        subprocess.run([str(script), str(output)], check=True)
        return output
