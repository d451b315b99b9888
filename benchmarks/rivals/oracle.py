"""Expected results for workloads without a rival: the values of gdallocationinfo, or Plumb's
results for an uncompressed copy of the cells.
"""

import math
import shutil
import subprocess
from pathlib import Path

import raster_files
import tables
from command_inputs import CommandInputs
from command_workloads import CommandWorkload
from measure import environment
from raster_spec import PLACEMENTS, RasterSpec
from rivals import MAKER, PLUMB, prefix

GDAL = "gdallocationinfo's values"
TWIN = "Plumb's values from uncompressed cells"


def name() -> str:
    """The source of the results."""
    return GDAL if shutil.which("gdallocationinfo") else TWIN


def text(value: str, nodata: float | None) -> str:
    """A cell's value as text, empty if it has no value."""
    if not value or nodata is None:
        return value
    number = float(value)
    empty = number == nodata or (math.isnan(number) and math.isnan(nodata))
    return "" if empty else value


def cells(spec: RasterSpec, path: Path, folder: Path,
          points: list[tuple[str, str]],
          crs: str | None = None) -> list[list[str]]:
    """The values of the cells at points as text, by band; `folder` is for
    temporary files."""
    ask = _by_gdal if name() == GDAL else _by_twin
    return ask(spec, path, folder, points, crs)


def answer(workload: CommandWorkload, given: CommandInputs) -> str:
    """Writes the results of all points, and returns their name."""
    points = list(tables.coordinates(given.table))
    if workload.kind == "bilinear":
        columns = [_blended(workload, given, points)]
    else:
        known, columns = {}, []
        for spec, path in zip(workload.rasters, given.whole):
            file = path.stat().st_ino
            if file not in known:
                [known[file]] = cells(spec, path, given.folder, points)
            columns.append(known[file])
    if workload.kind == "start":
        Path(f"{prefix(name(), given)}.txt").write_text(columns[0][0])
        return name()
    # The points of a GeoPackage and of a database count as values.
    has_points = workload.kind in ("gpkg", "postgis")
    more = points if has_points else [()] * len(points)
    with open(f"{prefix(name(), given)}.csv", "w") as file:
        file.write("id,values\n")
        for number, row in enumerate(zip(*columns), start=1):
            words = (str(number), *row, *more[number - 1])
            file.write(",".join(words) + "\n")
    return name()


def _by_gdal(spec, path, folder, points, crs):
    reference = ("-l_srs", crs) if crs else ("-geoloc",)
    outcome = subprocess.run(
        ["gdallocationinfo", "-valonly", *reference, str(path)],
        input="".join(f"{x} {y}\n" for x, y in points), capture_output=True,
        text=True, check=True, env=environment())
    found = [text(value.strip(), spec.nodata)
             for value in outcome.stdout.splitlines()]
    return [found[band::spec.bands] for band in range(spec.bands)]


def _by_twin(spec, path, folder, points, crs):
    """Plumb's values from an uncompressed copy of the cells."""
    twin = raster_files.raster(spec.plain(), path.parent, MAKER)
    table = folder / "oracle.csv"
    with open(table, "w") as file:
        file.write("x,y\n")
        file.writelines(f"{x},{y}\n" for x, y in points)
    outcome = subprocess.run(
        [str(PLUMB), "identify", str(twin), "--points", str(table), "-q",
         *(("--crs", crs) if crs else ())],
        capture_output=True, text=True, check=True, env=environment())
    rows = [line.split(",")[2:] for line in outcome.stdout.splitlines()[1:]]
    return [list(band) for band in zip(*rows)]


def _blended(workload, given, points):
    """Values interpolated from the four cells whose centres surround each point."""
    [spec], [path] = workload.rasters, given.whole
    west, north, cell = PLACEMENTS[spec.reference]
    corners, shares = [], []
    for x, y in points:
        across = (float(x) - west) / cell - 0.5
        down = (north - float(y)) / cell - 0.5
        column, row = math.floor(across), math.floor(down)
        shares.append((across - column, down - row))
        corners += [(repr(west + (column + 0.5 + right) * cell),
                     repr(north - (row + 0.5 + below) * cell))
                    for below in (0, 1) for right in (0, 1)]
    [found] = cells(spec, path, given.folder, corners)
    values = [float(value) for value in found]
    blended = []
    for number, (across, down) in enumerate(shares):
        a, b, c, d = values[4 * number:4 * number + 4]
        above, below = a + (b - a) * across, c + (d - c) * across
        blended.append(repr(above + (below - above) * down))
    return blended
