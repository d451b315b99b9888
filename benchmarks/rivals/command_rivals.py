"""The command lines of the workloads of whole commands."""

import os
import sys
from pathlib import Path

from command_inputs import CommandInputs
from command_workloads import INFLATE, PLAIN, CommandWorkload
from measure import Command
from tables import coordinates

HERE = Path(__file__).parent
CORES = len(os.sched_getaffinity(0))
ENDINGS = {"gpkg": ".gpkg", "jsonl": ".jsonl", "parquet": ".parquet"}
"""The format of Plumb's results, if it is not CSV."""


def ours(name: str, plumb: Path, workload: CommandWorkload,
         given: CommandInputs, out: str) -> Command:
    """Plumb's command line, or that of another run of Plumb, by its
    name."""
    kind = workload.kind
    if kind == "start":
        return Command((str(plumb), "identify", str(given.rasters[0]), "--at",
                        ",".join(point(given))), stdout=out + ".txt")
    rasters = [str(path) for path in given.rasters]
    if workload.is_mosaic:
        rasters = [f"{workload.column}={rasters[0]}"]
    elif kind == "far":
        rasters = [given.far.url(given.rasters[0])]
    ending = ENDINGS.get(kind, ".csv")
    if name == PLAIN:
        rasters = [str(given.plain)]
    elif name != "plumb":
        ending = ".csv"
    if kind == "postgis":
        address = given.database.address
        return Command((
            str(plumb), "identify", *rasters, "--points", address, "--layer",
            "points", "-o", address, "--table", given.database.table(name),
            "--overwrite", "-q"))
    points = {"gpkg": given.package, "parquet": given.parquet}.get(
        kind, given.table)
    options = ("-r", "bilinear") if kind == "bilinear" else ()
    return Command((str(plumb), "identify", *rasters, "--points", str(points),
                    "-o", out + ending, "--overwrite", "-q", *options))


def limit(name: str, folder: Path, given: CommandInputs) -> Command:
    """The bare decode of all tiles on one thread, or of all rasters on all
    cores."""
    if name == INFLATE:
        return Command((str(folder / "bare_inflate"), str(CORES),
                        *(str(path) for path in given.rasters)))
    return Command((str(folder / "bare_decode"), str(given.rasters[0]), "1",
                    str(given.tile_list)))


def rival(name: str, workload: CommandWorkload, given: CommandInputs,
          out: str) -> Command:
    """A rival's command line."""
    if workload.kind == "start":
        return _start(name, given, out)
    if workload.kind == "far":
        return _far(name, given, out)
    file, *options = RIVALS[name]
    rasters = [str(path) for path in given.rasters]
    source, target = given.table, out + ".csv"
    if workload.kind == "postgis":
        source, target = given.database.url, given.database.table(name)
    if workload.is_mosaic:
        rasters = [str(given.folder / "mosaic.vrt")]
    elif workload.kind == "gpkg":
        source, target = given.package, out + ".gpkg"
    elif workload.kind == "parquet":
        source, target = given.parquet, out + ".parquet"
    return _script(file, *rasters, "--points", source, "--out", target,
                   *options)


def point(given: CommandInputs) -> tuple[str, str]:
    """The x and y of the only point."""
    return next(coordinates(given.table))


def _start(name, given, out):
    raster, (x, y) = str(given.rasters[0]), point(given)
    printed = out + ".txt"
    if name == "gdallocationinfo":
        return Command(("gdallocationinfo", "-valonly", "-geoloc", raster, x,
                        y), stdout=printed)
    if name == "rio sample":
        rio = Path(sys.executable).with_name("rio")
        return Command((str(rio), "sample", raster, f"[{x}, {y}]"),
                       stdout=printed)
    script = _script("rasterio_one.py", raster, x, y)
    return Command(script.arguments, stdout=printed)


def _far(name, given, out):
    raster = "/vsicurl/" + given.far.url(given.rasters[0])
    if name == "gdallocationinfo on /vsicurl":
        return Command(("gdallocationinfo", "-valonly", "-geoloc", raster),
                       str(given.pairs), out + ".txt")
    threads = "8" if "threads" in name else "1"
    return _script("rasterio_far.py", raster, "--points", given.table,
                   "--out", out + ".csv", "--threads", threads)


def _script(file, *arguments):
    return Command((sys.executable, str(HERE / "contenders" / file),
                    *map(str, arguments)))


ALL = ("--threads", str(CORES))
RIVALS = {
    "polars + rasterio": ("polars_cells.py", "--way", "whole"),
    "polars + rasterio on all cores": ("polars_cells.py", "--way", "whole"),
    "polars + rasterio on threads":
        ("polars_cells.py", "--way", "threads", *ALL),
    "polars + rasterio on processes":
        ("polars_cells.py", "--way", "processes", *ALL),
    "polars + rasterio on the VRT, all cores":
        ("polars_cells.py", "--way", "whole"),
    "polars + rasterio on the VRT, threads":
        ("polars_windows.py", *ALL),
    "polars + rasterio + map_coordinates, all cores":
        ("scipy_bilinear.py", *ALL),
    "polars + rasterio + numpy, all cores":
        ("numpy_bilinear.py", *ALL),
    "GeoPandas + rasterio": ("geopandas_cells.py",),
    "GeoPandas + rasterio on PostGIS": ("geopandas_postgis.py",),
    "pyogrio + rasterio": ("pyogrio_cells.py",),
}
