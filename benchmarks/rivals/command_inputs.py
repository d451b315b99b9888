"""The input of a workload of whole commands. Needs nothing that `run`
installs."""

import os
import random
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import parquet_table
import raster_files
import tables
import tiff_index
from command_workloads import FAR_TILES, GRID, LATENCY, CommandWorkload
from database import Database
from far import Far
from raster_files import NotMade


@dataclass
class CommandInputs:
    """The files of one workload."""

    folder: Path
    rasters: tuple[Path, ...]
    """The rasters that the command reads."""
    whole: tuple[Path, ...]
    """The generated rasters; for a mosaic, the raster that was cut."""
    plain: Path | None = None
    """The same cells uncompressed."""
    about: str = ""
    facts: dict = field(default_factory=dict)
    """Numbers for the targets."""
    far: Far | None = None
    database: Database | None = None

    @property
    def table(self) -> Path:
        return self.folder / "points.csv"

    @property
    def package(self) -> Path:
        return self.folder / "points.gpkg"

    @property
    def parquet(self) -> Path:
        return self.folder / "points.parquet"

    @property
    def pairs(self) -> Path:
        """`x y` lines, for gdallocationinfo."""
        return self.folder / "points.txt"

    @property
    def tile_list(self) -> Path:
        return self.folder / "tiles.bin"

    def close(self) -> None:
        if self.far:
            self.far.close()
        if self.database:
            self.database.close()


def prepare(workload: CommandWorkload, work: Path,
            maker: Path | None) -> CommandInputs:
    """Creates or finds the rasters, and writes the workload's points."""
    def make(spec):
        return raster_files.raster(spec, work / "rasters", maker)

    whole = tuple(make(spec) for spec in workload.rasters)
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    given = CommandInputs(folder, whole, whole)
    spec = workload.rasters[0]
    seed = sum(workload.kind.encode())
    points = tables.cells(spec, workload.count, seed)
    if workload.kind == "far":
        points = _scattered(given, spec, workload.count, seed)
    tables.write(given.table, spec, points)
    given.about = _about(workload, whole)
    if workload.kind == "decode":
        given.plain = make(spec.plain())
        tiles = range(spec.tiles_across ** 2)
        given.tile_list.write_bytes(
            b"".join(tile.to_bytes(4, "little") for tile in tiles))
    elif workload.kind == "gpkg":
        _write_package(given, spec)
    elif workload.kind == "parquet":
        parquet_table.write(given.table, given.parquet)
    elif workload.kind == "postgis":
        given.database = Database(given.table, spec.reference)
    elif workload.is_mosaic:
        given.rasters = (_cut(workload, given, spec),)
    elif workload.kind == "far":
        served = folder / "served"
        served.mkdir()
        os.link(whole[0], served / whole[0].name)
        given.far = Far(served, LATENCY)
        _write_pairs(given)
    if len(whole) > 1:
        given.facts["touched"] = _touched(workload, given)
    return given


def _about(workload, paths):
    spec, sizes = workload.rasters[0], [path.stat().st_size for path in paths]
    shape = f"{spec.side:,} × {spec.side:,} cells of {spec.type}"
    raster = ("A raster" if len(sizes) == 1 else
              f"{len(sizes):,} rasters" + " under the names of "
              f"{len({path.stat().st_ino for path in paths})} files"
              * bool(workload.rasters[-1].of))
    return (f"{raster} of {shape}, {sum(sizes) / 1e6:,.0f} MB; "
            f"{workload.count:,} point{'s' * (workload.count > 1)}.")


def _touched(workload, given):
    """The number of tiles that contain a point, of all rasters together."""
    spec = workload.rasters[0]
    tiles = {(column // 100 // spec.tile, row // 100 // spec.tile)
             for column, row in tables.cells(
                 spec, min(workload.count, 1_000_000),
                 sum(workload.kind.encode()))}
    return len(tiles) * len(given.rasters)


# Far

def _scattered(given, spec, count, seed):
    """Points in random tiles, in random order."""
    index = tiff_index.read(given.rasters[0])
    across = spec.tiles_across
    draw = random.Random(seed)
    # Tiles at the border are incomplete.
    inner = [row * across + column for row in range(across - 1)
             for column in range(across - 1)]
    tiles = draw.sample(inner, min(FAR_TILES, max(2, len(inner) // 4)))
    size = 100 * spec.tile
    points = []
    for number in range(count):
        row, column = divmod(tiles[number % len(tiles)], across)
        points.append((column * size + draw.randrange(100, size - 100),
                       row * size + draw.randrange(100, size - 100)))
    draw.shuffle(points)
    touched = set(tiles)
    given.facts |= {"touched": len(touched), "runs": index.runs(touched),
                    "size": index.size(touched), "header": index.header}
    return points


def _write_pairs(given):
    with open(given.pairs, "w") as file:
        file.writelines(f"{x} {y}\n"
                        for x, y in tables.coordinates(given.table))


# Other formats, and mosaics

def _write_package(given, spec):
    """The table's points as a GeoPackage."""
    _run("ogr2ogr", "-f", "GPKG", str(given.package), str(given.table),
         "-nln", "points", "-a_srs", spec.reference, "-oo",
         "X_POSSIBLE_NAMES=x", "-oo", "Y_POSSIBLE_NAMES=y", "-oo",
         "KEEP_GEOM_COLUMNS=NO", "-oo", "AUTODETECT_TYPE=YES", "-lco",
         "SPATIAL_INDEX=NO")


def _cut(workload, given, spec):
    """Creates the folder of tiles, or a VRT of them."""
    side = -(-spec.side // GRID // 16) * 16
    tiles = given.folder / "tiles"
    tiles.mkdir()

    def cut(number):
        row, column = divmod(number, GRID)
        left, top = column * side, row * side
        window = (left, top, min(side, spec.side - left),
                  min(side, spec.side - top))
        raster_files.translate(
            given.whole[0], tiles / f"tile_{row}_{column}.tif", "-srcwin",
            *map(str, window), *raster_files.layout(spec))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(cut, range(GRID ** 2)))
    mosaic = given.folder / "mosaic.vrt"
    _run("gdalbuildvrt", "-q", str(mosaic), *map(str, sorted(tiles.iterdir())))
    return mosaic if workload.kind == "vrt" else tiles


def _run(*command):
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        raise NotMade(f"{command[0]} is not installed") from None
