"""Dates in JSON Lines, GeoJSON and GeoPackage equal those in CSV."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command, run_command

rasterio = pytest.importorskip("rasterio")

KINDS = ["uint8", "int16", "float32", "float64"]


def stack(folder: Path, kind: str, bands: int = 1) -> str:
    random = np.random.default_rng(3)
    for day in (1, 9, 17):
        values = random.integers(0, 200, (bands, 5, 6)).astype(kind)
        if kind.startswith("f"):
            values = (values * 0.37).astype(kind)
        values[:, 0, 0] = 9
        with rasterio.open(folder / f"s_202501{day:02}.tif", "w", driver="GTiff", width=6, height=5,
                           count=bands, dtype=kind, nodata=9, crs="EPSG:4326",
                           transform=rasterio.Affine(1, 0, 0, 0, -1, 5)) as file:
            file.write(values)
    return f"s={folder}/s_*.tif"


def points(folder: Path, form: str) -> str:
    rows = [(f'p "{i}" é', (i * 7 % 60) / 10, (i * 11 % 50) / 10, 1.5 if i % 3 else None)
            for i in range(40)] + [("away", 99.0, 9.0, 2.0)]
    path = folder / ("one.geojson" if form == "single" else f"points.{form}")
    if form == "csv":
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["name", "lon", "lat", "size", "when"])
            for name, x, y, size in rows:
                writer.writerow([name, x, y, "" if size is None else size, "2025-01-06"])
        return str(path)
    features = [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, y]},
                 "properties": {"name": name, "size": size, "when": "2025-01-06"}}
                for name, x, y, size in rows]
    if form == "single":
        path.write_text(json.dumps(features[3]))
    elif form == "geojsonl":
        path.write_text("".join(json.dumps(feature) + "\n" for feature in features))
    else:
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return str(path)


def typed(text: str, like: Any) -> Any:
    if text == "":
        return None
    return text if isinstance(like, str) else type(like)(text)


def same(rows: list[dict[str, Any]], table: list[dict[str, str]]) -> None:
    assert len(rows) == len(table)
    for row, wanted in zip(rows, table):
        for name, value in row.items():
            if name not in wanted:
                continue
            assert value == typed(wanted[name], value), (name, row, wanted)


VERBS = [["--series", "--long"], ["--series"],
         ["--when", "when", "--within", "9d", "--status", "--provenance"],
         ["--when", "when", "--within", "20d", "--reduce", "mean,count,slope"],
         ["--when", "when", "--within", "20d", "--interpolate", "linear"]]


@pytest.mark.parametrize("options", VERBS, ids=["long", "series", "when", "reduce", "linear"])
@pytest.mark.parametrize("form", ["csv", "geojson", "geojsonl"])
@pytest.mark.parametrize(("kind", "bands"), [(kind, 1) for kind in KINDS] + [("int16", 2)])
def test_formats_are_equal(command: Command, tmp_path: Path, kind: str, bands: int, form: str,
                           options: list[str]) -> None:
    given = [stack(tmp_path, kind, bands), "--dates", "s_%Y%m%d", "--points", points(tmp_path, form),
             *options]
    table = list(csv.DictReader(io.StringIO(command("identify", *given, "--of", "csv"))))
    lines = command("identify", *given, "--of", "jsonl").splitlines()
    rows = [json.loads(line) for line in lines]
    same(rows, table)
    assert all(set(row) == set(table[0]) for row in rows)
    same([json.loads(line)["properties"]
          for line in command("identify", *given, "--of", "geojsonseq").splitlines()], table)
    collection = json.loads(command("identify", *given, "--of", "geojson"))
    assert collection["type"] == "FeatureCollection"
    same([feature["properties"] for feature in collection["features"]], table)
    assert [feature["geometry"]["coordinates"] for feature in collection["features"]][:2]
    path = tmp_path / "out.gpkg"
    command("identify", *given, "-o", str(path))
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    name = base.execute("SELECT table_name FROM gpkg_contents").fetchone()[0]
    found = [{key: row[key] for key in row.keys() if key not in ("fid", "geom")}
             for row in base.execute(f'SELECT * FROM "{name}" ORDER BY fid')]
    base.close()
    for row in found:
        for key, value in row.items():
            if isinstance(value, float):
                row[key] = float(f"{value:.6g}")
    for wanted in table:
        for key, value in wanted.items():
            if "." in value and not value.startswith("/"):
                try:
                    wanted[key] = f"{float(value):.6g}"
                except ValueError:
                    pass
    same(found, table)


def test_a_single_feature_becomes_a_collection(command: Command, tmp_path: Path) -> None:
    given = [stack(tmp_path, "int16"), "--dates", "s_%Y%m%d", "--points", points(tmp_path, "single"),
             "--series"]
    assert json.loads(command("identify", *given, "--of", "geojson"))["type"] == "Feature"
    collection = json.loads(command("identify", *given, "--long", "--of", "geojson"))
    assert [feature["properties"]["date"] for feature in collection["features"]] == [
        "2025-01-01", "2025-01-09", "2025-01-17"]


@pytest.mark.parametrize("form", ["jsonl", "geojson", "csv"])
def test_names_that_clash(command: Command, tmp_path: Path, form: str) -> None:
    (tmp_path / "p.csv").write_text("lon,lat,date,s_2025-01-01\n1,1,a,b\n")
    for options, name in ((["--long"], "date"), ([], "s_2025-01-01")):
        done = run_command(
            [command.path, "identify", stack(tmp_path, "int16"), "--dates", "s_%Y%m%d", "--points",
             str(tmp_path / "p.csv"), "--series", *options, "--of", form],
            capture_output=True, text=True)
        assert done.returncode == 1 and done.stdout == ""
        assert f"the input has a column {name} already" in done.stderr


def test_properties_that_clash(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.geojson"
    path.write_text('{"type":"Feature","geometry":{"type":"Point","coordinates":[1,1]},'
                    '"properties":{"status":1}}')
    done = run_command(
        [command.path, "identify", stack(tmp_path, "int16"), "--dates", "s_%Y%m%d", "--points",
         str(path), "--series", "--long", "--of", "geojson"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "status already" in done.stderr


def test_many_dates(command: Command, tmp_path: Path) -> None:
    """The rows of a table that is larger than the buffers are complete and in order."""
    random = np.random.default_rng(5)
    values = random.integers(0, 100, (400, 5, 6)).astype("int16")
    with rasterio.open(tmp_path / "s.tif", "w", driver="GTiff", width=6, height=5, count=400,
                       dtype="int16", crs="EPSG:4326",
                       transform=rasterio.Affine(1, 0, 0, 0, -1, 5)) as file:
        file.write(values)
        days = np.datetime64("2024-01-01") + np.arange(400)
        for band in range(400):
            file.set_band_description(band + 1, str(days[band]))
    cells = random.integers(0, 30, 700)
    (tmp_path / "p.csv").write_text("id,lon,lat\n" + "".join(
        f"{index},{cell % 6 + 0.5},{4.5 - cell // 6}\n" for index, cell in enumerate(cells)))
    text = command("identify", f"s={tmp_path}/s.tif", "--points", str(tmp_path / "p.csv"), "--series",
                   "--long", "--of", "jsonl")
    for number, line in enumerate(text.splitlines()):
        row = json.loads(line)
        index, band = divmod(number, 400)
        assert (row["id"], row["date"]) == (index, str(days[band]))
        assert row["value"] == values[band, cells[index] // 6, cells[index] % 6]
    assert number + 1 == 700 * 400
