"""The input of a workload: rasters, and points in several formats."""

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import rasterio

import points
import raster_files
from contenders.common import cells, in_block_order, project
from given import TILE, Inputs
from raster_spec import RasterSpec
from workloads import Workload


def prepare(workload: Workload, work: Path, maker: Path | None) -> Inputs:
    """Creates or finds the rasters, and writes the workload's points."""
    paths = tuple(raster_files.raster(spec, work / "rasters", maker)
                  for spec in workload.rasters)
    for spec, path in zip(workload.rasters, paths, strict=True):
        _check(spec, path)
    folder = work / workload.key
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with rasterio.open(paths[0]) as dataset:
        transform, side = dataset.transform, dataset.width
    seed = 1 + sum(workload.key.encode())
    column, row = points.coordinates(workload.pattern, workload.count, side,
                                     seed)
    x, y = transform * (column, row)
    if workload.kind == "table":
        # Coordinates with three decimals that are never on the edge of a cell.
        x, y = (np.floor(values * 100) / 100 + 0.003 for values in (x, y))

    rows, columns = cells(transform, x, y)
    across = -(-side // TILE)
    touched = np.unique((rows // TILE) * across + columns // TILE)
    share = len(touched) / across**2
    if workload.tile_share is not None and share > workload.tile_share:
        raise SystemExit(f"run: ({workload.key}) touches {share:.1%} of the "
                         f"tiles, more than {workload.tile_share:.0%}")
    inputs = Inputs(folder, paths, folder / "x.npy", folder / "y.npy",
                    len(touched), across**2)
    touched.astype("<i4").tofile(inputs.tile_list)
    if workload.kind == "table":
        _write_table(inputs.table, x, y)
    if "gdallocationinfo" in workload.rivals:
        order = in_block_order(rows, columns, TILE)
        np.save(inputs.order, order)
        _write_text(inputs.text, x[order], y[order])
    if workload.limit == "bare gather":
        (rows * side + columns).astype("<i4").tofile(inputs.indices)
        with rasterio.open(paths[0]) as dataset:
            dataset.read(1).astype("<i2").tofile(inputs.values)
    if workload.crs:
        x, y = project(x, y, workload.rasters[0].reference, workload.crs)
    np.save(inputs.x, x)
    np.save(inputs.y, y)
    return inputs


def _check(spec: RasterSpec, path: Path) -> None:
    with rasterio.open(path) as dataset:
        found = (dataset.width, dataset.height, dataset.count,
                 dataset.dtypes[0], dataset.block_shapes[0])
        layout = dataset.profile.get("interleave")
        upright = dataset.transform.b == 0 == dataset.transform.d
    asked = (spec.side, spec.side, spec.bands, "int16", (TILE, TILE))
    if (found != asked or not upright
            or (spec.bands > 1 and layout != "pixel")):
        raise SystemExit(f"run: {path.name} is {found}, expected {asked}")


def _write_text(path: Path, x, y) -> None:
    with open(path, "w") as file:
        file.writelines(f"{a!r} {b!r}\n"
                        for a, b in zip(x.tolist(), y.tolist()))


def _write_table(path: Path, x, y) -> None:
    number = pl.Series("id", np.arange(1, len(x) + 1))
    frame = pl.DataFrame([number, pl.Series("x", x), pl.Series("y", y)])
    name = (pl.lit("point ") + (pl.col("id") * 7919 % 100_003).cast(pl.String))
    frame.select("id", name.alias("name"), "x", "y").write_csv(
        path, float_precision=3)
