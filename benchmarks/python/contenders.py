"""One contender's work in a separate process: prints seconds, writes its results.

Imports happen before timing starts; the files are in the page cache, and
nothing has been decoded.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import inputs
import numpy as np

NONE = -32768
WORKLOAD = Path(__file__).resolve().parents[2] / ".build" / "release" / "plumb-workload"


def cells(name: str, folder: Path, count: int) -> Any:
    path = inputs.raster(folder)
    x, y = inputs.points(count)
    if name == "plumb":
        import plumb_gis as plumb

        begin = time.perf_counter()
        out = plumb.sample(path, x, y)["heights"]
        return time.perf_counter() - begin, out.filled(NONE)
    if name == "rasterio read":
        import rasterio  # noqa: F401

        begin = time.perf_counter()
        out = inputs.indexed(inputs.band(path), x, y)
        return time.perf_counter() - begin, out
    if name == "rasterio.sample":
        import rasterio

        begin = time.perf_counter()
        with rasterio.open(path) as file:
            out = np.array([value[0] for value in file.sample(zip(x, y))], dtype=np.int16)
        return time.perf_counter() - begin, out
    if name == "rioxarray and xvec":
        import rioxarray
        import shapely
        import xvec  # noqa: F401

        shapes = shapely.points(x, y)
        begin = time.perf_counter()
        band = rioxarray.open_rasterio(path).isel(band=0)
        out = band.xvec.extract_points(shapes, x_coords="x", y_coords="y").to_numpy()
        return time.perf_counter() - begin, out.astype(np.int16)
    import pandas
    import sedonadb

    session = sedonadb.connect()
    session.create_data_frame(pandas.DataFrame({"row": np.arange(count), "x": x, "y": y})).to_view(
        "points"
    )
    begin = time.perf_counter()
    out = session.sql(
        f"SELECT p.row, RS_Value(r.raster, ST_SetSRID(ST_Point(p.x, p.y), 4326)) AS v "
        f"FROM points p, (SELECT RS_FromPath('{path}') AS raster) r"
    ).to_pandas()
    seconds = time.perf_counter() - begin
    # The order of the rows is undefined.
    return seconds, out.sort_values("row")["v"].fillna(NONE).to_numpy().astype(np.int16)


def cached(name: str, folder: Path, count: int) -> Any:
    path = inputs.raster(folder)
    x, y = inputs.points(count)
    if name == "plumb":
        import plumb_gis as plumb

        held = plumb.Raster(path)
        held.sample(x, y)
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            out = held.sample(x, y)["heights"]
            seconds.append(time.perf_counter() - begin)
        return statistics.median(seconds), out.filled(NONE)
    return _library("warm", path, folder, x, y, "--rounds", "3")


def uncached(name: str, folder: Path, count: int) -> Any:
    if name == "plumb":
        return cells(name, folder, count)
    path = inputs.raster(folder)
    x, y = inputs.points(count)
    return _library("cold", path, folder, x, y)


def _library(mode: str, path: str, folder: Path, x: Any, y: Any, *more: str) -> Any:
    """The time of the Swift library, measured by its program around the same work."""
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    done = subprocess.run(
        [str(WORKLOAD), mode, path, "--x", str(folder / "x.npy"), "--y", str(folder / "y.npy"),
         "--out", str(folder / "swift"), *more],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    values = np.load(folder / "swift_heights_1.npy")
    values[np.load(folder / "swift_heights_status.npy") != 0] = NONE
    return statistics.median(json.loads(done.stdout)["seconds"]), values


def parcels(name: str, folder: Path, count: int) -> Any:
    path, document = inputs.parcels(folder, 100_000)
    x, y = inputs.points(count)
    if name == "plumb":
        import plumb_gis as plumb

        held = plumb.Map(document)
        held.identify_batch(x[:1], y[:1], crs="EPSG:4326", fields=["parcels.number"])
        begin = time.perf_counter()
        out = held.identify_batch(x, y, crs="EPSG:4326", fields=["parcels.number"])
        return time.perf_counter() - begin, out["parcels.number"].filled(-1)
    import geopandas

    frame = geopandas.read_file(path, engine="pyogrio")
    locations = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy(x, y), crs=4326)
    if name == "geopandas.sjoin":
        begin = time.perf_counter()
        out = geopandas.sjoin(locations, frame, how="left", predicate="intersects")
        return time.perf_counter() - begin, out["number"].fillna(-1).to_numpy().astype(np.int64)
    import sedonadb

    session = sedonadb.connect()
    locations["row"] = np.arange(len(locations))
    session.create_data_frame(frame).to_view("parcels")
    session.create_data_frame(locations).to_view("points")
    begin = time.perf_counter()
    out = session.sql(
        "SELECT p.row, q.number FROM points p "
        "JOIN parcels q ON ST_Intersects(q.geometry, p.geometry)"
    ).to_pandas()
    seconds = time.perf_counter() - begin
    answer = np.full(count, -1, dtype=np.int64)
    answer[out["row"]] = out["number"]
    return seconds, answer


def areas(name: str, folder: Path, count: int) -> Any:
    import geopandas

    x, y = inputs.points(count, 6)
    shapes = geopandas.GeoSeries.from_xy(300_000 + x * 10_000, y * 10_000, crs=32633)
    if name == "plumb":
        import plumb_gis as plumb

        begin = time.perf_counter()
        out = plumb.buffer(shapes, 300.0, union=True)
        return time.perf_counter() - begin, np.array([out.area.sum()])
    begin = time.perf_counter()
    area = shapes.buffer(300.0, quad_segs=16).union_all()
    return time.perf_counter() - begin, np.array([area.area])


def fences(name: str, folder: Path, count: int) -> Any:
    import geopandas
    import pandas

    path, _ = inputs.parcels(folder, 100_000)
    some = geopandas.read_file(path, engine="pyogrio").iloc[::50].reset_index(drop=True)
    track = pandas.DataFrame(inputs.track(count))
    if name == "plumb":
        import plumb_gis as plumb

        begin = time.perf_counter()
        out = plumb.events(track, some)
        return time.perf_counter() - begin, np.array(out["type"].value_counts().sort_index())
    import shapely

    begin = time.perf_counter()
    tree = shapely.STRtree(some.geometry.values)
    at, fence = tree.query(shapely.points(track["x"], track["y"]), predicate="intersects")
    inside: dict[int, set[int]] = {}
    held: dict[int, set[int]] = {}
    for row, number in zip(at.tolist(), fence.tolist()):
        held.setdefault(row, set()).add(number)
    entered = exited = 0
    nothing: set[int] = set()
    for row, who in enumerate(track["id"].tolist()):
        now, before = held.get(row, nothing), inside.get(who, nothing)
        entered += len(now - before)
        exited += len(before - now)
        inside[who] = now
    return time.perf_counter() - begin, np.array([entered, exited])


def spark(name: str, folder: Path, count: int) -> Any:
    import os

    from pyspark.sql import SparkSession

    path = inputs.raster(folder)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    session = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "4g").config("spark.log.level", "OFF").getOrCreate()
    )  # fmt: skip
    source = folder / f"points{count}.parquet"
    frame = session.read.parquet(str(source))

    def asked() -> Any:
        if name == "plumb":
            import plumb_gis as plumb

            return plumb.spark.sample(frame, path)
        return frame.mapInArrow(
            {
                "identity": _identity,
                "rasterio read": _RasterioRead(path, keeps=False),
                "rasterio read, kept": _RasterioRead(path, keeps=True),
                "rasterio.sample": _Rasterio(path),
            }[name],
            "id long, x double, y double, heights short",
        )

    seconds = []
    for _ in range(2):
        # The first run starts the workers.
        begin = time.perf_counter()
        total = (
            asked()
            .selectExpr("sum(heights)", "count(heights)", "sum(heights * (id % 97))")
            .collect()[0]
        )
        seconds.append(time.perf_counter() - begin)
    session.stop()
    return seconds[-1], np.array([value or 0 for value in total], dtype=np.int64)


sparkfew = spark


def _identity(batches: Any) -> Any:
    import pyarrow

    for batch in batches:
        yield batch.append_column("heights", pyarrow.nulls(len(batch), pyarrow.int16()))


class _RasterioRead:
    """Reads the band in each task, or keeps it in the worker process for all tasks."""

    def __init__(self, path: str, keeps: bool) -> None:
        self.path = path
        self.keeps = keeps

    def __call__(self, batches: Any) -> Any:
        import inputs
        import pyarrow

        held = None
        for batch in batches:
            if held is None:
                held = (inputs.band if self.keeps else inputs.band.__wrapped__)(self.path)
            array = inputs.indexed(held, batch["x"].to_numpy(), batch["y"].to_numpy())
            yield batch.append_column("heights", pyarrow.array(array, mask=array == NONE))


class _Rasterio:
    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, batches: Any) -> Any:
        import pyarrow
        import rasterio

        with rasterio.open(self.path) as file:
            for batch in batches:
                values = [
                    v[0] for v in file.sample(zip(batch["x"].to_numpy(), batch["y"].to_numpy()))
                ]
                array = np.array(values, dtype=np.int16)
                yield batch.append_column("heights", pyarrow.array(array, mask=array == NONE))


def main() -> None:
    work, name, folder, count, answer = sys.argv[1:]
    seconds, out = globals()[work](name, Path(folder), int(count))
    np.save(answer, np.asarray(out))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
