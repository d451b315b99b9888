"""Cells around points without a valid date equal a brute force over all cells with pyproj's geodesics."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyproj
import pytest
import rasterio
from conftest import ROOT, Command, run_command

DAYS = [dt.date(2025, 3, 1) + dt.timedelta(days=step) for step in (0, 5, 9, 30)]
GEOD = pyproj.Geod(ellps="WGS84")
WINDOW = 6.0


class Case:
    """Stacks in a CRS, their tiles, and observations around them."""

    def __init__(self, folder: Path, crs: str, transform: Any, shape: tuple[int, int],
                 tiles: int = 1, share: float = 0.03) -> None:
        random = np.random.default_rng(8)
        self.folder, self.crs, self.transform, self.shape = folder, crs, transform, shape
        self.evi = random.integers(0, 100, (len(DAYS), *shape)).astype("int16")
        self.qa = (random.random((len(DAYS), *shape)) >= share).astype("uint8")
        self.evi[random.random(self.evi.shape) < 0.1] = -1
        edges = np.linspace(0, shape[1], tiles + 1).astype(int)
        for name, values, nodata in (("evi", self.evi, -1), ("qa", self.qa, None)):
            for index, day in enumerate(DAYS):
                for tile, (left, right) in enumerate(zip(edges, edges[1:])):
                    path = folder / name / f"{name}{tile}_{day:%Y%j}.tif"
                    path.parent.mkdir(exist_ok=True)
                    with rasterio.open(
                            path, "w", driver="GTiff", height=shape[0], width=right - left,
                            count=1, dtype=values.dtype, crs=crs, nodata=nodata,
                            transform=transform * rasterio.Affine.translation(left, 0)) as file:
                        file.write(values[index][:, left:right], 1)
        rows, columns = np.indices(shape)
        x = transform.c + (columns + 0.5) * transform.a
        y = transform.f + (rows + 0.5) * transform.e
        degrees = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
        self.x, self.y = degrees.transform(x, y)
        self.valid = (self.qa == 0) & (self.evi != -1)

    def observations(self, count: int, margin: int = 3) -> pd.DataFrame:
        random = np.random.default_rng(9)
        column = random.uniform(-margin, self.shape[1] + margin, count)
        row = random.uniform(-margin, self.shape[0] + margin, count)
        x = self.transform.c + column * self.transform.a
        y = self.transform.f + row * self.transform.e
        degrees = pyproj.Transformer.from_crs(self.crs, "EPSG:4326", always_xy=True)
        lon, lat = degrees.transform(x, y)
        start = dt.datetime.combine(DAYS[0], dt.time())
        times = [start + dt.timedelta(hours=int(hour)) for hour in random.integers(-240, 1000, count)]
        return pd.DataFrame({"id": range(count), "lon": lon, "lat": lat, "when": times,
                             "row": np.floor(row).astype(int), "column": np.floor(column).astype(int)})

    def date(self, time: dt.datetime, row: int, column: int) -> int | None:
        """The index of the date with the smallest distance that is valid in a cell."""
        best = None
        for index, day in enumerate(DAYS):
            days = (dt.datetime.combine(day, dt.time(12)) - time) / dt.timedelta(days=1)
            if abs(days) <= WINDOW and self.valid[index, row, column]:
                if best is None or abs(days) < best[0]:
                    best = (abs(days), index)
        return None if best is None else best[1]

    def expected(self, one: Any, radius: float) -> tuple[int, int, int, float] | None:
        """The date, the row, the column and the distance of the cell that is used."""
        inside = 0 <= one.row < self.shape[0] and 0 <= one.column < self.shape[1]
        if inside and (index := self.date(one.when, one.row, one.column)) is not None:
            return index, one.row, one.column, 0.0
        lon, lat = np.full(self.x.size, one.lon), np.full(self.x.size, one.lat)
        distances = GEOD.inv(lon, lat, self.x.ravel(), self.y.ravel())[2]
        for cell in np.lexsort((np.arange(self.x.size), np.round(distances * 1e6))):
            if distances[cell] > radius:
                return None
            row, column = divmod(int(cell), self.shape[1])
            if (index := self.date(one.when, row, column)) is not None:
                return index, row, column, float(distances[cell])
        return None


def run(command: Command, case: Case, frame: pd.DataFrame, radius: str, *more: str) -> pd.DataFrame:
    shown = frame[["id", "lon", "lat", "when"]].copy()
    shown["when"] = [time.isoformat() + "Z" for time in shown["when"]]
    path = case.folder / "obs.csv"
    shown.to_csv(path, index=False)
    text = command(
        "identify", f"evi={case.folder}/evi/*.tif", f"qa={case.folder}/qa/*.tif", "--dates",
        "*_%Y%j", "--points", str(path), "--when", "when", "--within", f"{WINDOW:g}d", "--valid",
        "qa = 0", "--search", radius, "--status", *more)
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


CASES = {
    "utm": ("EPSG:32734", rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000), (24, 30), 1),
    "tiles": ("EPSG:32734", rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000), (24, 30), 3),
    "degrees": ("EPSG:4326", rasterio.Affine(0.001, 0, 18, 0, -0.001, 69.5), (24, 30), 1),
    "mercator": ("EPSG:3857", rasterio.Affine(100, 0, 2_000_000, 0, -100, 9_000_000), (24, 30), 1),
    "south up": ("EPSG:32734", rasterio.Affine(80, 0, 300_000, 0, 120, 6_200_000), (24, 30), 1),
}


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("radius", [60, 450])
def test_nearest_valid_cell(command: Command, tmp_path: Path, name: str, radius: int) -> None:
    case = Case(tmp_path, *CASES[name])
    frame = case.observations(400)
    result = run(command, case, frame, f"{radius}m", "--provenance")
    kinds = set()
    grids: dict[str, Any] = {}
    for one in frame.itertuples():
        answer, wanted = result.loc[one.id], case.expected(one, radius)
        if wanted is None:
            assert answer["evi"] == "" and answer["evi_distance"] == "", one
            assert answer["evi_date"] == "" and answer["evi_status"] in ("no_valid", "outside"), one
            kinds.add("none")
            continue
        index, row, column, distance = wanted
        assert answer["evi_date"] == DAYS[index].isoformat(), one
        assert abs(float(answer["evi_distance"]) - distance) < 2e-6, (one, distance)
        assert int(answer["evi"]) == case.evi[index, row, column] and answer["evi_status"] == "ok"
        if answer["evi_file"] not in grids:
            with rasterio.open(answer["evi_file"]) as file:
                grids[answer["evi_file"]] = file.read(1)
        cell = grids[answer["evi_file"]][int(answer["evi_row"]), int(answer["evi_column"])]
        assert cell == case.evi[index, row, column] and int(answer["evi_row"]) == row
        kinds.add("own" if distance == 0 else "near")
    assert kinds == {"none", "own", "near"} or radius == 60 and "own" in kinds


@pytest.mark.parametrize("radius", [900, 3000])
def test_the_globe(command: Command, tmp_path: Path, radius: int) -> None:
    """Cells beyond the antimeridian, and around a pole."""
    case = Case(
        tmp_path, "EPSG:4326", rasterio.Affine(4, 0, -180, 0, -4, 90), (45, 90), share=0.05)
    frame = case.observations(150, margin=0)
    frame.loc[:40, "lon"] = np.where(frame["id"][:41] % 2 == 0, 179.5, -179.5)
    frame.loc[:40, "column"] = np.where(frame["id"][:41] % 2 == 0, 89, 0)
    frame.loc[20:60, "lat"], frame.loc[20:60, "row"] = 89.0, 0
    result = run(command, case, frame, f"{radius}km")
    found = 0
    for one in frame.itertuples():
        answer, wanted = result.loc[one.id], case.expected(one, radius * 1000)
        if wanted is None:
            assert answer["evi_distance"] == "", one
            continue
        assert abs(float(answer["evi_distance"]) - wanted[3]) < 2e-6, (one, wanted)
        assert int(answer["evi"]) == case.evi[wanted[0], wanted[1], wanted[2]], one
        found += wanted[3] > 0
    assert found > 20


def test_a_cell_that_cannot_be_read(command: Command, tmp_path: Path) -> None:
    """No farther cell silently replaces a nearer one that cannot be read."""
    random = np.random.default_rng(1)
    path = tmp_path / "evi_2025-03-01.tif"
    values = random.integers(1, 1 << 15, (16, 32)).astype("int16")
    values[:, 15] = 0
    with rasterio.open(
            path, "w", driver="GTiff", height=16, width=32, count=1, dtype="int16", tiled=True,
            blockxsize=16, blockysize=16, compress="deflate", crs="EPSG:32734", nodata=0,
            transform=rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000)) as file:
        file.write(values, 1)
    points = tmp_path / "obs.csv"
    # The nearest cells of the points are those of the columns 16 and 14.
    points.write_text("x,y,when\n300159,6239995,2025-03-01\n300151,6239995,2025-03-01\n")
    arguments = [
        "identify", f"evi={path}", "--dates", "evi_%Y-%m-%d", "--points", str(points), "--crs",
        "EPSG:32734", "--when", "when", "--within", "1d", "--valid", "evi > 0", "--search", "30m",
        "--status", "-q"]

    def rows() -> list[dict[str, str]]:
        done = run_command(
            [command.path, *arguments], cwd=ROOT, capture_output=True, text=True)
        frame = pd.read_csv(io.StringIO(done.stdout), dtype=str, keep_default_na=False)
        return frame.to_dict("records")

    assert [row["evi"] for row in rows()] == [str(values[0, 16]), str(values[0, 14])]
    content = bytearray(path.read_bytes())
    content[-200:] = bytes(200)
    path.write_bytes(content)
    first, second = rows()
    assert (first["evi"], first["evi_distance"], first["evi_status"]) == ("", "", "read_error")
    assert second["evi"] == str(values[0, 14]) and second["evi_status"] == "ok"


def test_python(command: Command, tmp_path: Path) -> None:
    plumb = pytest.importorskip("plumb_gis")
    case = Case(tmp_path, *CASES["utm"])
    frame = case.observations(200)
    stack = {"evi": f"{tmp_path}/evi/*.tif", "qa": f"{tmp_path}/qa/*.tif"}
    found = plumb.sample(
        stack, frame[["id", "lon", "lat", "when"]], dates="*_%Y%j", when="when", within="6d",
        valid="qa = 0", search="450m")
    result = run(command, case, frame, "450m")
    assert found["evi_distance"].isna().tolist() == [text == "" for text in result["evi_distance"]]
    assert found["evi_distance"].dropna().tolist() == [
        float(text) for text in result["evi_distance"] if text]


@pytest.mark.parametrize("arguments, words", [
    (["--when", "when", "--within", "6d", "--search", "1km"], "--search needs --valid"),
    (["--when", "when", "--within", "6d", "--valid", "evi > 0", "--search", "5"], "--search"),
    (["--when", "when", "--within", "6d", "--valid", "evi > 0", "--search", "0m"], "above 0"),
    (["--when", "when", "--within", "6d", "--valid", "evi > 0", "--search", "5px"], "above 0"),
    (["--when", "when", "--within", "6d", "--valid", "evi > 0", "--search", "1km", "--reduce", "mean"],
     "--search"),
    (["--series", "--valid", "evi > 0", "--search", "1km"], "--search"),
    (["--when", "when", "--within", "6d", "--valid", "evi > 1000", "--search", "90000km"],
     "more than 1048576 cells"),
])
def test_errors(command: Command, tmp_path: Path, arguments: list[str], words: str) -> None:
    day = "2025-03-01"
    with rasterio.open(
            tmp_path / f"evi_{day}.tif", "w", driver="GTiff", height=2000, width=2000, count=1,
            dtype="uint8", crs="EPSG:32734",
            transform=rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000)) as file:
        file.write(np.zeros((1, 2000, 2000), "uint8"))
    points = tmp_path / "obs.csv"
    points.write_text(f"x,y,when\n310000,6230000,{day}\n")
    done = run_command(
        [command.path, "identify", f"evi={tmp_path}/*.tif", "--dates", "evi_%Y-%m-%d", "--points",
         str(points), "--crs", "EPSG:32734", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (1, 64) and words in done.stderr, done.stderr
    assert not done.stdout
