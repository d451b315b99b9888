"""Coverage files, areas around a pole, and quantiles of many distinct values in zonal.

A coverage file does not change any byte of the output, is rejected for any other input, and is
never trusted if it is damaged. Areas around a pole equal points that pyproj transforms and Shapely
tests. Quantiles equal those of NumPy.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import rasterio
import shapely
from conftest import Command, run_command
from test_zonal_options import (
    ALL,
    EXACT,
    GRIDS,
    WGS84,
    moved,
    number,
    raster_of,
    save,
    some_shapes,
    star,
    tiles,
    write,
)

EVERY = ",".join([*ALL, "area", "values", "coverages", "frac", "min_center", "max_center"])
Shape = Any


def run(command: Command, *arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    return run_command([command.path, "zonal", *map(str, arguments)], capture_output=True,
                       text=True, **{"timeout": 60, **options})


def result(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    return done.returncode, done.stdout, done.stderr


def same_with_file(command: Command, file: Path, *arguments: Any, later: list[Any] | None = None,
                   **options: Any) -> str:
    """Compares a run without a coverage file, a run that writes the file, and a run that reads it.
    """
    file.unlink(missing_ok=True)
    plain = result(run(command, *arguments, **options))
    assert plain[0] == 0, plain[2]
    written = result(run(command, *arguments, "--coverage", file, **options))
    content = file.read_bytes()
    read = result(run(command, *(later or arguments), "--coverage", file, **options))
    assert written == plain
    assert read == plain
    assert file.read_bytes() == content
    return plain[1]


def difficult(random: np.random.Generator, height: int, width: int, is_exact: bool) -> list[Shape]:
    """Areas, lines and points in cell coordinates, in any order: unusable ones, ones that need
    repair, and others.
    """
    def points(count: int) -> Any:
        return random.uniform([-2, -2], [width, height], (count, 2))

    shapes = some_shapes(random, height, width, 40, is_exact)
    shapes += [
        None, shapely.Polygon(), shapely.Polygon([(1, 1), (8, 8), (8, 1), (1, 8)]),
        shapely.Polygon([(1, 1), (3, 3), (1, 1)]), shapely.box(0, 0, width, height),
        shapely.box(-99, -99, 99, 99), shapely.LineString([(5, 5), (5, 5)]),
        shapely.LineString([(0, 0), (width, 0)]), shapely.LineString([(5, 5), (15, 5), (5, 5)]),
        shapely.MultiLineString([[(20, 20), (1, 2)], [(1, 1), (3, 1)], [(20, 20), (1, 2)]]),
        shapely.Point(5.5, 5.5), shapely.Point(-5, -5), shapely.Point(width, height),
        shapely.MultiPoint([(20, 20), (3, 3), (20.2, 20.1), (19, 20), (50, 50), (1, 29)]),
        shapely.MultiPolygon([shapely.box(1, 1, 4, 4), shapely.box(2, 2, 6, 6)]),
        shapely.GeometryCollection([shapely.Point(3, 3), shapely.box(5, 5, 8, 8)]),
        *(shapely.MultiPoint(points(20)) for _ in range(5)),
        *(shapely.LineString(points(8)) for _ in range(5)),
        *(shapely.Polygon(points(8)) for _ in range(5))]
    return [shapes[index] for index in random.permutation(len(shapes))]


def in_plane(shapes: list[Shape], transform: Any) -> list[Shape]:
    return [shape if shape is None else moved(shape, transform) for shape in shapes]


class Case:
    """A raster of two bands, another raster of its grid, and difficult areas."""

    def __init__(self, folder: Path, grid: str, seed: int = 1) -> None:
        random = np.random.default_rng(seed)
        self.crs, self.transform = GRIDS[grid]
        self.values = random.integers(0, 25, (2, 30, 41)).astype("float32")
        self.raster = raster_of(grid, folder / "r.tif", self.values, nodata=7, **tiles(True))
        self.other = raster_of(
            grid, folder / "s.tif", random.integers(0, 25, (30, 41)).astype("int16"), nodata=3,
            **tiles(True))
        self.shapes = in_plane(difficult(random, 30, 41, grid in EXACT), self.transform)
        count = len(self.shapes)
        self.areas = save(folder / "a.gpkg", self.shapes, self.crs,
                          kind=[f"k{i % 7}" for i in range(count)],
                          level=[i % 3 for i in range(count)])
        self.file = folder / "c.cov"


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path, "north_up")


@pytest.mark.parametrize("grid", ["north_up", "rotated", "turn"])
@pytest.mark.parametrize("rule", ["exact", "center", "all-touched"])
def test_file_changes_no_statistic(
        command: Command, tmp_path: Path, grid: str, rule: str) -> None:
    case = Case(tmp_path, grid)
    for threshold in ([], ["--coverage-threshold", "0.3"])[:1 if grid == "turn" else 2]:
        same_with_file(command, case.file, case.raster, case.other, "--areas", case.areas,
                       "--cells", rule, *threshold, "--stat", EVERY)


@pytest.mark.parametrize("form", [
    ["--by", "kind"], ["--where", "id % 3 = 1"], ["--by", "kind", "--where", "id % 3 = 1"],
    ["--where", "id < 0"], ["--long", "--stat", "count,max"], ["--classes"],
    ["--classes", "--wide"], ["--by", "kind", "--classes", "--wide"], ["--of", "geojson"],
    ["--weights", "area", "--stat", "weighted_mean,weighted_stdev"], ["-b", "1"], ["-q"]],
    ids=" ".join)
def test_file_changes_no_form(command: Command, case: Case, form: list[str]) -> None:
    same_with_file(command, case.file, case.raster, "--areas", case.areas, *form)


@pytest.mark.parametrize("form", [[], ["--by", "kind"], ["--where", "id > 20"]], ids=" ".join)
def test_strict_run_with_a_file(command: Command, case: Case, form: list[str]) -> None:
    """A strict run fails with the same line and leaves no file; it can read the file of a run that
    is not strict.
    """
    arguments = [case.raster, "--areas", case.areas, *form]
    plain = run(command, *arguments, "--strict")
    assert plain.returncode == 1 and plain.stderr.count("\n") == 1
    written = run(command, *arguments, "--strict", "--coverage", case.file)
    assert written.stderr == plain.stderr and not case.file.exists()
    assert run(command, *arguments, "--coverage", case.file).returncode == 0
    read = run(command, *arguments, "--strict", "--coverage", case.file)
    assert (read.returncode, read.stderr) == (1, plain.stderr)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Any, Path]:
    """A raster, 20 000 areas, and the values of the raster."""
    folder = tmp_path_factory.mktemp("many")
    random = np.random.default_rng(2)
    crs, transform = GRIDS["north_up"]
    values = random.integers(0, 25, (300, 400)).astype("int16")
    raster = write(folder / "r.tif", values, transform, nodata=7, **tiles(True))
    shapes: list[Shape] = []
    for index in range(20_000):
        reach = 10 ** random.uniform(-1, 0.8)
        corners = random.uniform([-2, -2], [402, 302]) + random.uniform(-reach, reach, (3, 2))
        shapes.append(shapely.Polygon(corners))
        if index % 997 == 50:
            shapes[-1] = None if index % 2 else shapely.Polygon([(1, 1), (8, 8), (8, 1), (1, 8)])
    areas = save(folder / "a.gpkg", in_plane(shapes, transform), crs,
                 kind=[f"k{i % 333}" for i in range(len(shapes))])
    return raster, areas, values, folder


@pytest.mark.parametrize(("first", "later"), [(1, 4), (3, 1)])
def test_many_areas_and_other_threads(
        command: Command, many: Any, tmp_path: Path, first: int, later: int) -> None:
    raster, areas, *_ = many
    same_with_file(
        command, tmp_path / "c.cov", raster, "--areas", areas, "--threads", first, "--cache", "1MB",
        later=[raster, "--areas", areas, "--threads", later, "--cache", "64MB"])


@pytest.mark.parametrize("form", [["--by", "kind"], ["--where", "id > 15000"],
                                  ["--where", "id < 500", "--classes"]],
                         ids=" ".join)
def test_forms_of_many_areas(
        command: Command, many: Any, tmp_path: Path, form: list[str]) -> None:
    raster, areas, *_ = many
    same_with_file(command, tmp_path / "c.cov", raster, "--areas", areas, *form)


def test_new_dates(command: Command, many: Any, tmp_path: Path) -> None:
    """A coverage file can be used for other rasters of the grid, with other tiles, types and values
    of missing cells.
    """
    raster, areas, values, _ = many
    file = tmp_path / "c.cov"
    assert run(command, raster, "--areas", areas, "--coverage", file).returncode == 0
    random = np.random.default_rng(3)
    transform = GRIDS["north_up"][1]
    for index, (dtype, options) in enumerate((
            ("float32", tiles(False)), ("uint8", tiles(True)),
            ("float64", {"tiled": True, "blockxsize": 128, "blockysize": 64}))):
        new = random.integers(0, 9, values.shape).astype(dtype)
        other = write(tmp_path / f"n{index}.tif", new, transform, nodata=index, **options)
        arguments = [other, "--areas", areas, "--stat", "count,sum,median"]
        assert result(run(command, *arguments)) == result(
            run(command, *arguments, "--coverage", file))


def test_mosaics(command: Command, many: Any, tmp_path: Path) -> None:
    """The coverage file of a raster can be used for a mosaic of several files on its grid."""
    raster, areas, values, _ = many
    transform = GRIDS["north_up"][1]
    folder = tmp_path / "mosaic"
    folder.mkdir()
    write(folder / "a.tif", values[:, :200], transform, nodata=7, **tiles(True))
    write(folder / "b.tif", values[:, 180:], transform * rasterio.Affine.translation(180, 0),
          nodata=7, **tiles(False))
    arguments = ["--areas", areas, "--stat", "count,sum,max"]
    file = tmp_path / "c.cov"
    assert run(command, raster, *arguments, "--coverage", file).returncode == 0
    read = run(command, f"r={folder}", *arguments, "--coverage", file)
    assert result(read) == result(run(command, f"r={folder}", *arguments))


@pytest.mark.parametrize("form", ["gpkg", "geojson", "stdin", "csv", "shp"])
def test_areas_of_other_formats(
        command: Command, case: Case, tmp_path: Path, form: str) -> None:
    """Areas in degrees, whose coverage depends on the projection."""
    random = np.random.default_rng(4)
    shapes = [moved(star(random, random.uniform(0, 40, 2), 5, 8), case.transform)
              for _ in range(300)]
    frame = gpd.GeoDataFrame({"id": range(300)}, geometry=shapes, crs=case.crs).to_crs("EPSG:4326")
    path = tmp_path / f"areas.{'geojson' if form == 'stdin' else form}"
    text = None
    more: list[str] = []
    if form == "csv":
        lines = [f'{i},"{shape.wkt}"' for i, shape in enumerate(frame.geometry)]
        path.write_text("\n".join(["id,WKT", *lines]) + "\n")
        more = ["--crs", "EPSG:4326"]
    else:
        frame.to_file(path)
    if form == "stdin":
        text = path.read_text()
    same_with_file(command, case.file, case.raster, "--areas", "-" if text else path, *more,
                   "--stat", "count,sum,area", input=text)


@pytest.mark.parametrize("rule", ["exact", "center"])
def test_discs(command: Command, case: Case, tmp_path: Path, rule: str) -> None:
    random = np.random.default_rng(5)
    x, y = random.uniform(299_000, 305_000, 800), random.uniform(6_236_000, 6_241_000, 800)
    frame = gpd.GeoDataFrame({"id": range(800)}, geometry=gpd.points_from_xy(x, y), crs=case.crs)
    frame.loc[7, "geometry"] = None
    frame.to_file(tmp_path / "p.gpkg")
    arguments = [case.raster, "--points", tmp_path / "p.gpkg", "--cells", rule]
    same_with_file(command, case.file, *arguments, "--radius", "350m", "--of", "geojson",
                   later=[*arguments, "--radius", "0.35km", "--of", "geojson"])
    refused(command, case, "areas", *arguments, "--radius", "350.001m")


@pytest.mark.parametrize("name", ["o.gpkg", "o.geojson", "o.tsv"])
def test_outputs_in_files(command: Command, case: Case, tmp_path: Path, name: str) -> None:
    outputs: list[Any] = []
    for index in range(3):
        output = tmp_path / f"{index}{name}"
        file = ["--coverage", case.file] if index else []
        assert run(command, case.raster, "--areas", case.areas, "-o", output,
                   *file).returncode == 0
        outputs.append(gpd.read_file(output) if name != "o.tsv" else output.read_text())
    for other in outputs[1:]:
        assert other.equals(outputs[0]) if name != "o.tsv" else other == outputs[0]


TEXTS = {"areas": "is the coverage of other areas", "grid": "is the coverage of another grid",
         "rule": "was computed with another rule for cells, or another threshold",
         "version": "version 9 of the format",
         "operations": "was computed with another version of PROJ, or with other transformation grids"}


def refused(command: Command, case: Case, what: str, *arguments: Any) -> None:
    """Checks that the file of a case is rejected and not changed, and that no output is created."""
    content = case.file.read_bytes()
    output = case.file.with_name("output.csv")
    done = run(command, *arguments, "--coverage", case.file, "-o", output)
    assert done.returncode == 1, (what, arguments)
    assert TEXTS[what] in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not output.exists()
    assert case.file.read_bytes() == content


def test_other_areas_are_refused(command: Command, case: Case, tmp_path: Path) -> None:
    assert run(command, case.raster, "--areas", case.areas, "--coverage",
               case.file).returncode == 0
    shapes = case.shapes
    index = next(i for i, s in enumerate(shapes) if s is not None and s.geom_type == "Polygon"
                 and not s.is_empty)
    xy = shapely.get_coordinates(shapes[index])
    xy[1, 0] = np.nextafter(xy[1, 0], np.inf)
    nudged = [*shapes]
    nudged[index] = shapely.set_coordinates(shapely.from_wkb(shapes[index].wkb), xy)
    for number_, other in enumerate((
            nudged, shapes[:-1], shapes[1:], [*shapes, None], [*shapes, shapes[0]], shapes[::-1])):
        path = save(tmp_path / f"other{number_}.gpkg", other, case.crs)
        refused(command, case, "areas", case.raster, "--areas", path)
    for more in (["--where", "id > 3"], ["--where", "id < 0"], ["--by", "kind"],
                 ["--crs", "EPSG:32733"]):
        refused(command, case, "areas", case.raster, "--areas", case.areas, *more)


def test_other_groups_are_refused(command: Command, case: Case) -> None:
    by = [case.raster, "--areas", case.areas, "--by"]
    assert run(command, *by, "kind", "--coverage", case.file).returncode == 0
    refused(command, case, "areas", *by, "level")
    refused(command, case, "areas", *by, "kind", "--where", "id > 0")
    refused(command, case, "areas", case.raster, "--areas", case.areas)


def test_other_grids_and_rules_are_refused(
        command: Command, case: Case, tmp_path: Path) -> None:
    areas = ["--areas", case.areas]
    assert run(command, case.raster, *areas, "--coverage", case.file).returncode == 0
    v, t = case.values, case.transform
    for index, (values, transform, crs) in enumerate((
            (v, t * rasterio.Affine.translation(1e-6, 0), case.crs),
            (v, t * rasterio.Affine.translation(0, 1), case.crs),
            (v, t * rasterio.Affine.scale(1.0000001), case.crs),
            (v[:, :-1], t, case.crs), (v[:, :, :-1], t, case.crs),
            (v.transpose(0, 2, 1), t, case.crs), (v, GRIDS["south_up"][1], case.crs),
            (v, t, "EPSG:32733"))):
        other = write(tmp_path / f"g{index}.tif", values, transform, crs, nodata=7)
        refused(command, case, "grid", other, *areas)
        done = run(command, case.raster, other, *areas, "--coverage", tmp_path / "new.cov")
        assert done.returncode == 1 and "different grids" in done.stderr
        assert done.stderr.count("\n") == 1 and not (tmp_path / "new.cov").exists()
    for rule in (["--cells", "center"], ["--cells", "all-touched"],
                 ["--coverage-threshold", "0.1"], ["--coverage-threshold", "1e-300"]):
        refused(command, case, "rule", case.raster, *areas, *rule)
    case.file.write_bytes(patched(case.file.read_bytes(), 8, "<I", 9))
    refused(command, case, "version", case.raster, *areas)


@pytest.mark.parametrize("radius", [[], ["--radius", "5km"]])
def test_another_version_of_proj_is_refused(
        command: Command, tmp_path: Path, radius: list[str]) -> None:
    case = Case(tmp_path, "degrees")
    shapes = [shapely.Point(250_000 + 999 * i, 6_300_000) for i in range(5)] if radius else case.shapes
    areas = save(tmp_path / "utm.gpkg", shapes, "EPSG:32733")
    arguments = [case.raster, "--points" if radius else "--areas", areas, *radius]
    done = run(command, *arguments, "--coverage", case.file)
    assert done.returncode == 0, done.stderr
    content = case.file.read_bytes()
    # The operations are the fourth of the strings at the start.
    offset = 12
    for _ in range(3):
        offset += 4 + struct.unpack_from("<I", content, offset)[0]
    size = struct.unpack_from("<I", content, offset)[0]
    version, *operations = content[offset + 4:][:size].decode().split("\n")
    assert re.fullmatch(r"\d+(\.\d+)+", version) and "UTM zone 33S" in operations[0]
    case.file.write_bytes(patched(content, offset + 4, "B", ord("0")))
    refused(command, case, "operations", *arguments)


def patched(content: bytes, offset: int, form: str, value: int) -> bytes:
    copy = bytearray(content)
    struct.pack_into(form, copy, offset, value)
    return bytes(copy)


def first_block(content: bytes) -> int:
    """The offset of the first block, after the magic number, the version and three strings."""
    offset = 12
    for _ in range(3):
        offset += 4 + struct.unpack_from("<I", content, offset)[0]
    return offset


class Damage:
    """A run whose coverage file is replaced by damaged files."""

    def __init__(self, command: Command, folder: Path) -> None:
        self.case = Case(folder, "north_up", 6)
        self.command, self.output = command, folder / "o.csv"
        self.good = self.run()
        self.content = self.case.file.read_bytes()

    def run(self) -> tuple[int, str, str | None]:
        self.output.unlink(missing_ok=True)
        done = run(self.command, self.case.raster, "--areas", self.case.areas, "--coverage",
                   self.case.file, "--stat", "count,coverages", "-b", "1", "-o", self.output,
                   timeout=20)
        return (done.returncode, done.stderr,
                self.output.read_text() if self.output.exists() else None)

    def check(self, content: bytes, context: Any) -> int:
        """Checks that a run fails with one line, or has the output of the undamaged file."""
        self.case.file.write_bytes(content)
        code, text, output = self.run()
        assert self.case.file.read_bytes() == content
        if (code, text, output) != self.good:
            assert (code, output) == (1, None), (context, code, text[:300])
            assert text.count("\n") == 1 and "--coverage" in text, context
        return code


@pytest.fixture
def damage(command: Command, tmp_path: Path) -> Damage:
    return Damage(command, tmp_path)


def test_truncated_files(damage: Damage) -> None:
    random = np.random.default_rng(7)
    size = len(damage.content)
    start = first_block(damage.content)
    lengths = {0, 1, 7, 8, 11, 12, 15, start - 1, start, start + 4, start + 28, size - 1,
               size - 24, size - 28, *random.integers(0, size, 8).tolist()}
    for length in sorted(lengths):
        assert damage.check(damage.content[:length], length) == 1, length


def test_changed_bytes(damage: Damage) -> None:
    """Each byte before the counts at the end, except the count of repairs of a block."""
    random = np.random.default_rng(8)
    content = damage.content
    start = first_block(content)
    offsets = {*range(7, 12), *range(start, start + 4), *range(start + 8, start + 30, 3),
               *random.integers(0, len(content) - 16, 20).tolist()}
    for offset in sorted(offsets - set(range(start + 4, start + 8))):
        changed = bytearray(content)
        changed[offset] ^= 1 << int(random.integers(8))
        damage.check(bytes(changed), offset)


def test_huge_counts(damage: Damage) -> None:
    start = first_block(damage.content)
    for offset, form in ((12, "<I"), (start, "<I"), (start + 8, "<Q"), (start + 16, "<Q"),
                         (len(damage.content) - 24, "<Q")):
        bits = 32 if form == "<I" else 64
        for value in (0, 2**31 - 1, 2**40, 2**64 - 1):
            damage.check(patched(damage.content, offset, form, value % 2**bits), (offset, value))


def test_other_content(damage: Damage) -> None:
    random = np.random.default_rng(9)
    content = damage.content
    for other in (b"", random.bytes(5000), content + b"\0", content + content,
                  content[:12] + random.bytes(500)):
        damage.check(other, len(other))


def test_files_that_are_refused(command: Command, case: Case, tmp_path: Path) -> None:
    """The inputs, a folder and a device are rejected as coverage files, and remain unchanged."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for path in (case.areas, case.raster, case.other, folder, tmp_path / "none" / "c", "/dev/null"):
        before = Path(path).read_bytes() if Path(path).is_file() else None
        done = run(command, case.raster, "--areas", case.areas, "--coverage", path)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, path
        assert before is None or Path(path).read_bytes() == before
    assert run(command, case.raster, "--areas", case.areas, "--coverage",
               case.file).returncode == 0
    content = case.file.read_bytes()
    done = run(command, case.raster, "--areas", case.areas, "--coverage", case.file, "-o",
               case.file, "--of", "csv", "--overwrite")
    assert done.returncode == 1 and case.file.read_bytes() == content


@pytest.mark.parametrize("arguments", [
    ["--stat", "nonsense"], ["--where", "nothing = 1"], ["--by", "nothing"], ["--strict"],
    ["-o", "/dev/full", "--of", "csv"], ["-o", "/nonexistent/o.csv"]], ids=" ".join)
def test_failed_runs_leave_no_file(command: Command, case: Case, arguments: list[str]) -> None:
    before = set(os.listdir(case.file.parent))
    done = run(command, case.raster, "--areas", case.areas, "--coverage", case.file, *arguments)
    assert done.returncode != 0
    assert set(os.listdir(case.file.parent)) == before


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_ended_runs_leave_no_file(
        command: Command, many: Any, tmp_path: Path, name: str) -> None:
    raster, areas, *_ = many
    file = tmp_path / "c.cov"
    for delay in (0.03, 0.1):
        child = subprocess.Popen(
            [command.path, "zonal", raster, "--areas", areas, "--coverage", str(file), "--stat",
             "median,values,coverages", "-o", str(tmp_path / "o.csv")], stderr=subprocess.PIPE)
        try:
            child.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            child.send_signal(getattr(signal, name))
            child.communicate(timeout=30)
        if child.returncode != 0:
            assert os.listdir(tmp_path) == []


# Areas around a pole.

STEP = 5
PLACES = {"greenwich": (-180, 180), "turn": (0, 360), "south_up": (-180, 180), "odd": (-170, 190),
          "far": (360, 720), "part": (-30, 75), "across": (150, 210), "wide": (-200, 220)}
WHOLE = {"greenwich", "turn", "south_up", "odd", "far"}
POLAR = ["EPSG:3995", "EPSG:3413", "EPSG:3571", "EPSG:3031", "EPSG:6932",
         "+proj=aeqd +lat_0=90 +lon_0=20 +datum=WGS84"]


def place(name: str, is_north: bool, height: int = 6) -> tuple[Any, int, int]:
    """The transform and the size of a grid in degrees at a pole."""
    west, east = PLACES[name]
    north = 90 if is_north else -90 + height * STEP
    if name == "south_up":
        transform = rasterio.Affine(STEP, 0, west, 0, STEP, north - height * STEP)
    else:
        transform = rasterio.Affine(STEP, 0, west, 0, -STEP, north)
    return transform, height, (east - west) // STEP


def sampled(shape: Shape, crs: str, transform: Any, height: int, width: int,
            parts: int = 12) -> Any:
    """The covered fraction of each cell, by points."""
    column = (np.arange(width * parts) + 0.5) / parts
    row = (np.arange(height * parts) + 0.5) / parts
    lon, lat = np.meshgrid(transform.c + transform.a * column, transform.f + transform.e * row)
    to_plane = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    x, y = to_plane.transform((lon + 180) % 360 - 180, lat)
    is_finite = np.isfinite(x) & np.isfinite(y)
    shapely.prepare(shape)
    inside = shapely.contains_xy(shape, np.where(is_finite, x, 1e12), np.where(is_finite, y, 1e12))
    return inside.reshape(height, parts, width, parts).mean((1, 3))


def around(radius: Any, count: int, turn: float = 0.013, centre: tuple[float, float] = (0, 0),
           ) -> Shape:
    angles = np.linspace(0, 2 * math.pi, count, endpoint=False) + turn
    reach = radius(angles) if callable(radius) else np.full(count, radius)
    return shapely.Polygon(np.column_stack((np.cos(angles), np.sin(angles))) * reach[:, None]
                           + centre)


def wedge(size: float, degrees: float, turn: float) -> Shape:
    angles = np.linspace(turn, turn + math.radians(degrees), 20)
    return shapely.Polygon([(0, 0), *zip(np.cos(angles) * size, np.sin(angles) * size)])


def wiggles(size: float, meridian: float) -> Shape:
    """A ring around the pole that crosses a meridian many times."""
    angles = [*np.linspace(meridian + 0.2, meridian + 2 * math.pi - 0.2, 40),
              *(meridian + (0.15 if i % 2 else -0.15) for i in range(7)),
              *(meridian + (0.18 if i % 2 else 0.25) for i in range(7))]
    reach = [*[0.9] * 40, *np.linspace(0.9, 0.3, 7), *np.linspace(0.25, 0.9, 7)]
    points = np.column_stack((np.cos(angles), np.sin(angles))) * np.array(reach)[:, None] * size
    return shapely.Polygon(points)


def polar_shapes(random: np.random.Generator, size: float) -> dict[str, Shape]:
    disc = around(size, 64)
    shapes: dict[str, Shape] = {
        "disc": disc, "octagon": around(size, 8), "triangle": around(size, 3),
        "square": shapely.box(-size, -size, size, size),
        "off": around(size, 64, centre=(0.3 * size, 0.2 * size)),
        "star": around(lambda a: size * (0.6 + 0.4 * np.cos(7 * a)), 40),
        "rough": around(lambda a: size * random.uniform(0.2, 1, len(a)), 60),
        "annulus": disc.difference(around(size * 0.5, 64)),
        "annulus with a hole": disc.difference(around(size * 0.3, 64)).difference(
            around(size * 0.1, 9, centre=(0, 0.7 * size))),
        "parts": shapely.MultiPolygon([
            around(size * 0.4, 20), around(size * 0.2, 20, centre=(size * 0.8, 0)),
            around(size * 0.1, 20, centre=(-size * 0.8, 0))]),
        "nested": shapely.MultiPolygon(
            [disc.difference(around(size * 0.6, 64)), around(size * 0.3, 20)]),
        "hole beside": disc.difference(around(size * 0.1, 9, centre=(0.15 * size, 0.1 * size))),
        "hole with the pole as a vertex": disc.difference(shapely.Polygon(
            [(0, 0), (0.5 * size, 0.1 * size), (0.3 * size, 0.5 * size)])),
        "beside": around(size * 0.5, 64, centre=(0.50005 * size, 0)),
        "keyhole": disc.difference(
            shapely.box(-0.05 * size, -0.05 * size, 2 * size, 0.05 * size)),
        "bracket": disc.difference(around(size * 0.5, 64)).difference(
            shapely.box(-2 * size, -0.1 * size, 0, 0.1 * size)),
        "parts that overlap": shapely.MultiPolygon(
            [around(size * 0.5, 20), around(size * 0.5, 20, centre=(0.3 * size, 0))]),
        "many vertices": around(size, 20_000)}
    for degrees in (30, 90, 180, 200, 300, 350):
        for turn in (0, 0.5, math.pi, 4):
            shapes[f"wedge of {degrees} from {turn:.1f}"] = wedge(size, degrees, turn)
    for name, meridian in (("-x", math.pi), ("-y", -math.pi / 2), ("+y", math.pi / 2)):
        x, y = 0.6 * size * math.cos(meridian), 0.6 * size * math.sin(meridian)
        hole = shapely.box(x - 0.1 * size, y - 0.1 * size, x + 0.1 * size, y + 0.1 * size)
        shapes[f"hole at {name}"] = disc.difference(hole)
        shapes[f"wiggles at {name}"] = wiggles(size, meridian)
    return shapes


def fractions(row: dict[str, str], name: str, count: int) -> Any:
    """The covered fraction of each cell of a raster whose values are the numbers of the cells."""
    own = np.zeros(count)
    own[np.array(json.loads(row[f"{name}_values"] or "[]"), int)] = json.loads(
        row[f"{name}_coverages"] or "[]")
    return own


@pytest.mark.parametrize("crs", POLAR)
def test_areas_around_a_pole(command: Command, tmp_path: Path, crs: str) -> None:
    """Fractions are those of points, and the same on all grids in degrees."""
    random = np.random.default_rng(11)
    is_north = crs not in ("EPSG:3031", "EPSG:6932")
    shapes = polar_shapes(random, 2.2e6)
    areas = save(tmp_path / "a.gpkg", list(shapes.values()), crs)
    rasters = []
    for name in PLACES:
        transform, height, width = place(name, is_north)
        rasters.append(write(tmp_path / f"{name}.tif", np.arange(
            height * width, dtype="float64").reshape(height, width), transform, "EPSG:4326"))
    rows = command.rows("zonal", *rasters, "--areas", areas, "--stat",
                        "count,area,values,coverages")
    for row, (label, shape) in zip(rows, shapes.items()):
        found = {name: number(row[f"{name}_count"]) for name in WHOLE}
        assert list(found.values()) == pytest.approx([found["turn"]] * len(WHOLE), rel=1e-9), label
        sizes = [number(row[f"{name}_area"]) for name in WHOLE]
        assert sizes == pytest.approx([sizes[0]] * len(WHOLE), rel=1e-9), label
        assert {row[f"{name}_status"] for name in WHOLE} <= {"ok", "partial"}, label
        if "overlap" in label:
            shape = shapely.union_all(list(shape.geoms))
        # The cells of other grids around the globe are the same, and a wider grid contains some of
        # them twice.
        assert number(row["wide_count"]) >= found["turn"] * (1 - 1e-9), label
        for name in ("turn", "part", "across"):
            transform, height, width = place(name, is_north)
            own = fractions(row, name, height * width)
            wanted = sampled(shape, crs, transform, height, width).ravel()
            assert own.max(initial=0) <= 1 + 1e-12
            assert own == pytest.approx(wanted, abs=0.1), (label, name)
            assert own.sum() == pytest.approx(wanted.sum(), rel=0.04, abs=0.2), (label, name)


@pytest.mark.parametrize(("crs", "size"), [("EPSG:3995", 2e7), ("EPSG:3031", 3e7),
                                           ("EPSG:3571", 8e6), (POLAR[-1], 1.4e7)])
def test_areas_beyond_the_equator(
        command: Command, tmp_path: Path, crs: str, size: float) -> None:
    shapes = polar_shapes(np.random.default_rng(12), size)
    areas = save(tmp_path / "a.gpkg", list(shapes.values()), crs)
    rasters = [write(tmp_path / f"{name}.tif", np.arange(648, dtype="float64").reshape(18, 36),
                     rasterio.Affine(10, 0, west, 0, -10, 90), "EPSG:4326")
               for name, west in (("a", -180), ("b", 0))]
    rows = command.rows("zonal", *rasters, "--areas", areas, "--stat", "count,values,coverages")
    for row, (label, shape) in zip(rows, shapes.items()):
        assert (row["a_status"], row["b_status"]) == ("ok", "ok"), label
        assert number(row["a_count"]) == pytest.approx(number(row["b_count"]), rel=1e-9), label
        if "overlap" in label:
            shape = shapely.union_all(list(shape.geoms))
        wanted = sampled(shape, crs, rasterio.Affine(10, 0, 0, 0, -10, 90), 18, 36).ravel()
        assert fractions(row, "b", 648) == pytest.approx(wanted, abs=0.12), label


@pytest.mark.parametrize(("crs", "is_north"), [("EPSG:3995", True), ("EPSG:6932", False)])
def test_sizes_around_a_pole(
        command: Command, tmp_path: Path, crs: str, is_north: bool) -> None:
    """Sizes on the ground are geodesic; cells at edges are weighted by their fraction in the plane.
    """
    sign = 1 if is_north else -1
    raster = write(tmp_path / "r.tif", np.ones((400, 3600), "uint8"),
                   rasterio.Affine(0.1, 0, 0, 0, -0.1, 90 if is_north else -50), "EPSG:4326",
                   compress="deflate")
    shapes = [around(2e6, 64), around(2e6, 5), around(
        lambda a: 2e6 * (0.6 + 0.3 * np.cos(5 * a)), 60), wedge(2e6, 200, 0.3)]
    areas = save(tmp_path / "a.gpkg", shapes, crs)
    to_degrees = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    to_plane = pyproj.Transformer.from_crs(
        "EPSG:4326", f"+proj=laea +lat_0={90 * sign} +datum=WGS84", always_xy=True)
    for row, shape in zip(command.rows("zonal", raster, "--areas", areas, "--stat", "area"), shapes):
        xy = shapely.get_coordinates(shapely.segmentize(shape.exterior, 2000))
        lon, lat = to_degrees.transform(xy[:, 0], xy[:, 1])
        # In the equal-area plane, the pole is not special.
        wanted = shapely.Polygon(np.column_stack(to_plane.transform(lon, lat))).area
        # A tenth of a cell along the edge.
        assert number(row["r_area"]) == pytest.approx(
            wanted, abs=0.1 * 11_200 * shape.length)
        if shape.contains(shapely.Point(0, 0)):
            geodesic = abs(WGS84.polygon_area_perimeter(lon, lat)[0])
            assert geodesic == pytest.approx(wanted, rel=1e-6)
        assert row["r_status"] == "ok"


@pytest.mark.parametrize("crs", ["EPSG:3995", "EPSG:3031", "EPSG:6931"])
def test_tiny_areas_around_a_pole(command: Command, tmp_path: Path, crs: str) -> None:
    """The lines from the pole to all longitudes are rows of cells in the plane of the raster."""
    is_north = crs != "EPSG:3031"
    transform, height, width = place("turn", is_north)
    raster = write(tmp_path / "r.tif", np.ones((height, width), "uint8"), transform, "EPSG:4326")
    areas = save(tmp_path / "a.gpkg", [around(1000, 64), around(0.1, 64)], crs)
    to_degrees = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    for row, size in zip(command.rows("zonal", raster, "--areas", areas, "--stat", "count"),
                         (1000, 0.1)):
        depth = 90 - abs(to_degrees.transform(size, 0)[1])
        assert number(row["r_count"]) == pytest.approx(depth * 360 / STEP**2, rel=5e-3)
        assert row["r_status"] == "ok"


@pytest.mark.parametrize("crs", ["EPSG:3995", "EPSG:3031", "EPSG:3413", "EPSG:6931"])
def test_areas_in_degrees_at_a_pole(command: Command, tmp_path: Path, crs: str) -> None:
    """Boxes in degrees that contain a pole, or touch 180 degrees, on rasters in a polar CRS."""
    sign = -1 if crs == "EPSG:3031" else 1
    transform = rasterio.Affine(1e5, 0, -2_999_987, 0, -1e5, 3_000_007)
    raster = write(tmp_path / "r.tif", np.ones((60, 60), "uint8"), transform, crs)

    def box(west: float, low: float, east: float, high: float) -> Shape:
        return shapely.box(west, min(low * sign, high * sign), east, max(low * sign, high * sign))

    shapes = [box(-180, 80, 180, 90), box(0, 80, 360, 90), box(-180, 75, 180, 85),
              box(0, 75, 90, 90), box(150, 75, 210, 90), box(-180, 75, 0, 90),
              box(-90, 75, 180, 90), box(-180, 75, 180, 90).difference(box(0, 80, 20, 85)),
              shapely.MultiPolygon([box(-180, 80, -90, 85), box(90, 80, 180, 85)])]
    areas = save(tmp_path / "a.gpkg", shapes, "EPSG:4326")
    parts = 8
    line = (np.arange(60 * parts) + 0.5) / parts
    x, y = np.meshgrid(transform.c + 1e5 * line, transform.f - 1e5 * line)
    lon, lat = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform(x, y)
    for index, (row, shape) in enumerate(zip(
            command.rows("zonal", raster, "--areas", areas, "--stat", "count"), shapes)):
        inside = np.any([shapely.contains_xy(shape, lon + turn, lat) for turn in (-360, 0, 360)], 0)
        assert number(row["r_count"]) == pytest.approx(inside.sum() / parts**2, rel=0.01), index
        assert row["r_status"] == "ok", index


# Quantiles of many distinct values.


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any, Path]:
    folder = tmp_path_factory.mktemp("numbers")
    values = np.random.default_rng(13).normal(0, 1e6, (2500, 2500))
    raster = write(folder / "r.tif", values, rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000),
                   tiled=True, blockxsize=256, blockysize=256)
    return raster, values, folder


def exact_quantile(values: Any, weights: Any, share: float) -> float:
    """The quantile of sorted distinct values, with the operations in the order of the
    documentation.
    """
    steps = len(values) - 1
    before = np.concatenate(([0], np.cumsum(weights)[:-1]))
    position = np.arange(len(values)) * weights + steps * before
    wanted = share * position[-1]
    after = int(np.searchsorted(position, wanted))
    if after == 0:
        return float(values[0])
    low, high = position[after - 1], position[after]
    return float(values[after - 1] + (values[after] - values[after - 1])
                 * ((wanted - low) / (high - low)))


@pytest.mark.parametrize("inset", [0, 3])
def test_quantiles_of_many_values(
        command: Command, numbers: Any, tmp_path: Path, inset: int) -> None:
    """Values that move to a temporary file have the quantiles of NumPy."""
    raster, values, _ = numbers
    area = shapely.box(300_000 + inset, 6_215_000 + inset, 325_000 - inset, 6_240_000 - inset)
    areas = save(tmp_path / "a.gpkg", [area], "EPSG:32734")
    row = command.rows("zonal", raster, "--areas", areas, "--stat",
                       "median,quantile:0,quantile:0.1,quantile:0.9,quantile:1,variety,majority,"
                       "minority,count")[0]
    line = np.ones(2500)
    line[[0, -1]] = 1 - inset / 10
    weights = (line[:, None] * line).ravel()
    order = np.argsort(values, axis=None)
    v, w = values.ravel()[order], weights[order]
    assert len(np.unique(v)) == v.size == int(row["r_variety"])
    for name, share in (("median", 0.5), ("quantile_0", 0), ("quantile_0.1", 0.1),
                        ("quantile_0.9", 0.9), ("quantile_1", 1)):
        wanted = exact_quantile(v, w, share)
        found = number(row[f"r_{name}"])
        assert found == pytest.approx(wanted, rel=1e-14 if inset == 0 else 1e-10), name
    assert number(row["r_quantile_1"]) == v[-1] and number(row["r_quantile_0"]) == v[0]
    if inset == 0:
        assert number(row["r_median"]) == np.median(v)
        assert (number(row["r_majority"]), number(row["r_minority"])) == (v[-1], v[0])
    else:
        # The rounded fractions determine the corner of the area that counts.
        corner = values[[0, 0, -1, -1], [0, -1, 0, -1]]
        assert number(row["r_minority"]) in corner


def test_values_with_ties_in_a_file(command: Command, tmp_path: Path) -> None:
    """Equal values of different sorted runs are merged."""
    random = np.random.default_rng(14)
    values = random.integers(0, 2_500_000, (2500, 2500)).astype("int32")
    raster = write(tmp_path / "r.tif", values,
                   rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000), nodata=5)
    areas = save(tmp_path / "a.gpkg", [shapely.box(0, 0, 1e6, 1e7)], "EPSG:32734")
    row = command.rows("zonal", raster, "--areas", areas, "--stat",
                       "median,quantile:0.1,variety,majority,minority")[0]
    v, counts = np.unique(values[values != 5], return_counts=True)
    assert int(row["r_variety"]) == len(v)
    assert number(row["r_majority"]) == v[counts == counts.max()].max()
    assert number(row["r_minority"]) == v[counts == counts.min()].min()
    for name, share in (("median", 0.5), ("quantile_0.1", 0.1)):
        assert number(row[f"r_{name}"]) == pytest.approx(
            exact_quantile(v, counts.astype(float), share), rel=1e-12)


def test_memory_of_many_values(command: Command, numbers: Any, tmp_path: Path) -> None:
    raster, _, _ = numbers
    areas = save(tmp_path / "a.gpkg", [shapely.box(0, 0, 1e6, 1e7)] * 2, "EPSG:32734")
    # A small process starts the command, because a child process inherits the maximum of its
    # parent.
    code = ("import os, subprocess, sys\n"
            "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
            "_, status, usage = os.wait4(child.pid, 0)\n"
            "print(status, usage.ru_maxrss)")
    done = subprocess.run(
        [sys.executable, "-c", code, command.path, "zonal", raster, "--areas", areas, "--stat",
         "median,variety,majority", "--threads", "2"], capture_output=True, text=True, timeout=60)
    status, kilobytes = map(int, done.stdout.split())
    assert status == 0 and kilobytes < 600_000


def test_no_folder_for_many_values(command: Command, numbers: Any, tmp_path: Path) -> None:
    raster, _, _ = numbers
    areas = save(tmp_path / "a.gpkg", [shapely.box(0, 0, 1e6, 1e7)], "EPSG:32734")
    done = run(command, raster, "--areas", areas, "--stat", "median", "-o", tmp_path / "o.csv",
               "--coverage", tmp_path / "c.cov", env={**os.environ, "TMPDIR": "/nonexistent"})
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "/nonexistent" in done.stderr and os.listdir(tmp_path) == ["a.gpkg"]




def annulus(crs: str, longitude: float) -> Shape:
    """A ring around the north pole, with corners at a longitude and each 90 degrees from it."""
    to_plane = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    longitudes = longitude + np.arange(4) * 90.0
    rings = [np.column_stack(to_plane.transform(longitudes, np.full(4, latitude)))
             for latitude in (65.0, 80.0)]
    return shapely.Polygon(rings[0], [rings[1]])


@pytest.mark.parametrize(("crs", "longitude"), [("EPSG:3575", 0), ("EPSG:3995", 1e-15)])
def test_hole_with_a_corner_at_the_west_of_the_grid(
        command: Command, tmp_path: Path, crs: str, longitude: float) -> None:
    """A hole around a pole also counts if its first corner is on the first meridian, or next to it.
    """
    shape = shapely.Polygon(around(4e6, 64).exterior, annulus(crs, longitude).interiors)
    areas = save(tmp_path / "a.gpkg", [annulus(crs, longitude), shape], crs)
    for west in (-180, 0):
        transform = rasterio.Affine(5, 0, west, 0, -5, 90)
        raster = write(tmp_path / "r.tif", np.ones((10, 72), "uint8"), transform, "EPSG:4326")
        rows = command.rows("zonal", raster, "--areas", areas, "--stat", "count")
        for row, one in zip(rows, (annulus(crs, longitude), shape)):
            wanted = sampled(one, crs, transform, 10, 72).sum()
            assert row["r_status"] == "ok"
            assert number(row["r_count"]) == pytest.approx(wanted, rel=0.01), west


def spiral_edge(size: float, meridian: float, direction: tuple[float, float]) -> Shape:
    """A ring around the pole with an edge along a meridian."""
    angles = np.linspace(meridian, meridian + 2 * math.pi, 33)
    unit = np.column_stack((np.cos(angles), np.sin(angles)))
    unit[0] = unit[-1] = direction
    return shapely.Polygon(unit * (np.linspace(0.5, 1, 33) * size)[:, None])


def test_edge_along_the_west_of_the_grid(command: Command, tmp_path: Path) -> None:
    """An area with an edge on the first meridian of a grid, or next to it, is transformed
    correctly.
    """
    angles = np.linspace(math.pi / 2, math.pi / 2 + 2 * math.pi * 0.97, 30)
    points = 6e5 * np.column_stack((np.cos(angles), np.sin(angles)))
    shape = shapely.Polygon([*points, (1.6e6 * math.cos(math.pi / 2), 1.6e6)])
    areas = save(tmp_path / "a.gpkg", [shape], "EPSG:3031")
    for west in (-180, 0):
        transform = rasterio.Affine(5, 0, west, 0, -5, -60)
        raster = write(tmp_path / "r.tif", np.ones((6, 72), "uint8"), transform, "EPSG:4326")
        row = command.rows("zonal", raster, "--areas", areas, "--stat", "count")[0]
        assert row["r_status"] == "ok", west
        assert number(row["r_count"]) == pytest.approx(
            sampled(shape, "EPSG:3031", transform, 6, 72).sum(), rel=0.02), west


@pytest.mark.parametrize(("west", "meridian", "direction"), [
    (-180, -math.pi / 2, (0.0, -1.0)), (0, math.pi / 2, (0.0, 1.0))])
def test_valid_area_with_an_edge_along_the_west_is_not_repaired(
        command: Command, tmp_path: Path, west: float, meridian: float,
        direction: tuple[float, float]) -> None:
    shape = spiral_edge(2e6, meridian, direction)
    assert shape.is_valid
    areas = save(tmp_path / "a.gpkg", [shape], "EPSG:3031")
    raster = write(tmp_path / "r.tif", np.ones((6, 72), "uint8"),
                   rasterio.Affine(5, 0, west, 0, -5, -60), "EPSG:4326")
    done = run(command, raster, "--areas", areas, "--strict")
    assert (done.returncode, done.stderr) == (0, "")


def test_loop_across_the_west_of_the_grid(command: Command, tmp_path: Path) -> None:
    """A ring around a pole that crosses itself has the same size on all grids."""
    ring = [tuple(point) for point in shapely.get_coordinates(around(2e6, 40, 0.1))[:-1]]
    crossing = [(ring[10][0] - 4e5, ring[10][1] + 3e5), (ring[12][0] - 5e5, ring[12][1] - 5e5),
                (ring[9][0] + 2e5, ring[9][1] - 6e5), (ring[8][0] - 1e5, ring[8][1] - 1e5)]
    areas = save(tmp_path / "a.gpkg", [shapely.Polygon(ring[:10] + crossing + ring[13:])],
                 "EPSG:3995")
    degrees = [write(tmp_path / f"{name}.tif", np.ones((60, 720), "uint8"),
                     rasterio.Affine(0.5, 0, west, 0, -0.5, 90), "EPSG:4326")
               for name, west in (("greenwich", -180), ("turn", 0))]
    row = command.rows("zonal", *degrees, "--areas", areas, "--stat", "area")[0]
    for name in ("greenwich", "turn"):
        if row[f"{name}_status"] != "transform_failed":
            # The size on a raster in the CRS of the area.
            assert number(row[f"{name}_area"]) == pytest.approx(1.24910402e13, rel=5e-3), name


def test_shapes_of_groups_with_a_file(command: Command, case: Case) -> None:
    """A run that reads the coverage also writes the shapes of groups."""
    same_with_file(command, case.file, case.raster, "--areas", case.areas, "--by", "kind", "--of",
                   "geojson")


def test_rasters_of_one_grid_with_other_tiles(
        command: Command, case: Case, tmp_path: Path) -> None:
    """The sizes of tiles are not part of the grid of cells."""
    other = write(tmp_path / "t.tif", case.values[:1], case.transform, nodata=7, **tiles(False))
    same_with_file(command, case.file, case.raster, other, "--areas", case.areas)


def test_output_that_is_the_new_file(command: Command, case: Case, tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    done = run(command, case.raster, "--areas", case.areas, "--coverage", path, "-o", path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert not path.exists()


def test_changed_counts_of_repairs(damage: Damage) -> None:
    """The numbers of repaired areas and of areas that cannot be joined are also checked."""
    content = damage.content
    start = first_block(content)
    for offset in (*range(start + 4, start + 8), *range(len(content) - 16, len(content))):
        changed = bytearray(content)
        changed[offset] ^= 1
        damage.check(bytes(changed), offset)


@pytest.mark.parametrize("offset", [-16, -8])
def test_huge_counts_of_repairs(damage: Damage, offset: int) -> None:
    """A huge count does not crash the process."""
    for value in (2**63 - 1, 2**64 - 1):
        damage.check(patched(damage.content, len(damage.content) + offset, "<Q", value), value)


def test_pipe_as_a_file(command: Command, case: Case, tmp_path: Path) -> None:
    """A pipe without a writer is rejected immediately."""
    os.mkfifo(tmp_path / "pipe")
    done = run(command, case.raster, "--areas", case.areas, "--coverage", tmp_path / "pipe",
               timeout=3)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
