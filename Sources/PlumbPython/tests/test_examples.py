"""The gallery: each script runs, prints its result, and writes a picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

FOLDER = ROOT / "Sources/PlumbPython/examples"
SAID = {
    "buffer_list": "29 clinics",
    "valve_isolation": "close V0031, V0045, V0049",
    "raster_cell": "Band_0: 2056",
    "identify_layers": "places: 2",
    "geotriggers": "entered",
    "phenology": "1000 fields, 46 dates",
}


@pytest.mark.parametrize("name", SAID)
def test_example(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", str(FOLDER / f"{name}.py"), str(tmp_path)],
        capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert SAID[name] in done.stdout
    from matplotlib.image import imread

    picture = imread(tmp_path / f"{name}.png")
    assert picture.shape[0] > 300 and picture.shape[1] > 400 and picture.std() > 0.02
