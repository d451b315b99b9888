"""Shared test helpers: the repository's samples, the command, and seeded random points."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
DEM = "rasters/dem"
EVI = "rasters/evi_cape_town.tif"
COVER = "rasters/land_cover_cape_town.tif"
NDVI = "rasters/ndvi_cape_town_3857.tif"
STACK = {"evi": EVI, "dem": DEM, "cover": COVER, "ndvi": NDVI}


def command_path() -> str | None:
    """The command: PLUMB_COMMAND, otherwise one built in the tree."""
    named = os.environ.get("PLUMB_COMMAND")
    if named:
        return named
    for folder in (".build/release", ".build/debug"):
        path = ROOT / folder / "plumb"
        if path.is_file():
            return str(path)
    return shutil.which("plumb")


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples' paths are relative to the repository's root."""
    monkeypatch.chdir(ROOT)


class Command:
    """The command, whose results the package's results must equal."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, *arguments: str, input: str | None = None) -> str:
        done = subprocess.run(
            [self.path, *arguments, *(["-q"] if arguments[0] != "info" else [])],
            cwd=ROOT,
            input=input,
            capture_output=True,
            text=True,
        )
        assert done.returncode in (0, 2), done.stderr
        return done.stdout

    def rows(self, *arguments: str, input: str | None = None) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self(*arguments, input=input))))

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments))


@pytest.fixture(scope="session")
def command() -> Command:
    path = command_path()
    if path is None:
        pytest.skip("there is no command to compare with: build it, or set PLUMB_COMMAND")
    return Command(path)


def around(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes on the samples, some off them, some not finite."""
    random = np.random.default_rng(seed)
    x = random.uniform(17.7, 20.2, count)
    y = random.uniform(-35.2, -32.8, count)
    for row in random.integers(0, count, count // 50 + 1):
        (x, y)[row % 2][row] = (np.nan, np.inf, -np.inf, 1e300)[row % 4]
    return x, y


def as_csv(x: np.ndarray, y: np.ndarray) -> str:
    """The points as CSV for the command."""
    lines = ["lon,lat", *(f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist()))]
    return "\n".join(lines) + "\n"


def same_column(seen: list[str], values: Any, mask: Any) -> None:
    """Compares a column of the command's text with an array, bit for bit."""
    seen_mask = np.array([text == "" for text in seen])
    assert np.array_equal(seen_mask, mask)
    kind = values.dtype
    expected = np.array([kind.type(text) for text in seen if text], dtype=kind)
    assert expected.tobytes() == values[~mask].tobytes()


def write_raster(path: Any, *values: float, dtype: str = "int16", **profile: Any) -> str:
    """A raster of 4 × 4 cells from 0, 0 to 4, 4, one value per band."""
    import rasterio
    from rasterio.transform import from_origin

    new = f"{path}.new"
    settings: dict[str, Any] = {"transform": from_origin(0, 4, 1, 1), **profile}
    with rasterio.open(
        new, "w", driver="GTiff", height=4, width=4, count=len(values), dtype=dtype, **settings
    ) as file:
        for band, value in enumerate(values, 1):
            file.write(np.full((4, 4), value, dtype), band)
    os.replace(new, path)
    return str(path)
