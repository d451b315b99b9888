"""Spark: the same results as in a single process, Parquet as input and output, and a worker that is
killed.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, STACK, around, write_raster

import plumb_gis as plumb

pyspark = pytest.importorskip("pyspark")

PATHS = {name: str(ROOT / path) for name, path in STACK.items()}


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pa.Table]:
    x, y = around(6000, 21)
    keep = np.isfinite(x) & np.isfinite(y)
    x, y = x[keep], y[keep]
    table = pa.table({"id": np.arange(len(x)), "lon": x, "lat": y})
    path = str(tmp_path_factory.mktemp("spark") / "points.parquet")
    pq.write_table(table, path)
    return path, table


def expected(table: pa.Table) -> dict[str, list[Any]]:
    return plumb.sample(PATHS, table, status=True).to_pydict()  # type: ignore[no-any-return]


def test_equals_one_machine(spark: Any, points: tuple[str, pa.Table], tmp_path: Path) -> None:
    path, table = points
    frame = spark.read.parquet(path).repartition(4)
    out = plumb.spark.sample(frame, PATHS, status=True)
    assert out.schema.simpleString() == (
        "struct<id:bigint,lon:double,lat:double,evi:smallint,evi_status:string,dem:smallint,"
        "dem_status:string,cover:smallint,cover_status:string,ndvi:float,ndvi_status:string>"
    )
    out.write.parquet(str(tmp_path / "out"))
    back = pq.read_table(tmp_path / "out").sort_by("id")
    assert back.to_pydict() == expected(table)
    # Spark's smallint and float are Parquet's int16 and float.
    assert back["evi"].type == pa.int16() and back["ndvi"].type == pa.float32()


@pytest.mark.parametrize(
    "sizes, rows, size, together",
    [
        ([3, 0, 8, 1, 25, 0], 10, 1 << 20, [11, 26, 0]),
        ([3, 8], 100, 1, [3, 8]),
        ([2, 2, 2], 100, 1 << 20, [6]),
        ([0], 10, 1 << 20, [0]),
        ([0, 0], 10, 1 << 20, [0]),
        ([], 10, 1 << 20, []),
    ],
)
def test_batches_are_gathered(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], rows: int, size: int, together: list[int]
) -> None:
    from plumb_gis import spark

    monkeypatch.setattr(spark, "_ROWS", rows)
    monkeypatch.setattr(spark, "_BYTES", size)
    whole = pa.table({"id": np.arange(sum(sizes)), "name": [f"n{i}" for i in range(sum(sizes))]})
    starts = np.cumsum([0, *sizes])
    given = [whole.slice(a, n).combine_chunks() for a, n in zip(starts, sizes)]
    batches = [
        pa.RecordBatch.from_arrays([c.combine_chunks() for c in one.columns], schema=whole.schema)
        for one in given
    ]
    out = list(spark._gathered(iter(batches)))
    assert [batch.num_rows for batch in out] == together
    assert pa.Table.from_batches(out, schema=whole.schema).equals(whole)


def test_pixels(spark: Any, tmp_path: Path) -> None:
    path = write_raster(tmp_path / "plain.tif", 7, transform=None)
    cells = spark.createDataFrame([(0.5, 0.5), (4.0, 0.0)], "column double, row double")
    out = plumb.spark.sample(cells, path, pixels=True).toPandas()
    assert out["plain"].fillna(-1).tolist() == [7, -1]


def test_points_in_wkb(spark: Any, points: tuple[str, pa.Table]) -> None:
    import shapely

    table = points[1].slice(0, 50)
    shapes = shapely.points(table["lon"].to_numpy(), table["lat"].to_numpy())
    rows = [(i, bytearray(one)) for i, one in enumerate(shapely.to_wkb(shapes))]
    frame = spark.createDataFrame(rows, "id long, place binary")
    out = plumb.spark.sample(frame, PATHS, geometry="place", crs="EPSG:4326").toPandas()
    held = plumb.sample(PATHS, table)["dem"].to_pylist()
    assert [None if v != v or v is None else int(v) for v in out.sort_values("id")["dem"]] == held


def test_arguments(spark: Any, points: tuple[str, pa.Table]) -> None:
    frame = spark.read.parquet(points[0])
    for call, words in (
        (lambda: plumb.spark.sample(3, PATHS), "dataframe is of type int"),
        (lambda: plumb.spark.sample(frame, PATHS, x="lon"), "y is missing"),
        (lambda: plumb.spark.sample(frame, PATHS, geometry="g"), "geometry names"),
        (lambda: plumb.spark.sample(frame.select("id"), PATHS), "no x and y"),
        (lambda: plumb.spark.sample(frame.withColumnRenamed("id", "dem"), PATHS), "a column dem"),
        (lambda: plumb.spark.sample(frame, "none.tif"), "none.tif"),
    ):
        with pytest.raises(plumb.PlumbError, match=words):
            call()


def test_an_error_of_a_worker_says_what_is_wrong(spark: Any, tmp_path: Path) -> None:
    import shutil

    raster = tmp_path / "gone.tif"
    shutil.copy(ROOT / "rasters/dem/S35E018.tif", raster)
    frame = spark.createDataFrame([(18.6, -34.1)], "lon double, lat double")
    out = plumb.spark.sample(frame, str(raster))
    raster.unlink()
    with pytest.raises(Exception, match="gone.tif"):
        out.collect()


def deadly(marker: str, work: Any, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The worker's normal work, except that the first worker kills itself midway."""
    from plumb_gis import spark

    # A partition then has several batches. Other tests use the same workers.
    usual, spark._ROWS = spark._ROWS, 1000
    try:
        for number, batch in enumerate(work(batches)):
            yield batch
            if number == 1:
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                os.kill(os.getpid(), 9)
    finally:
        spark._ROWS = usual


def test_a_worker_that_is_killed(
    spark: Any, points: tuple[str, pa.Table], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark import cloudpickle

    # The workers do not have this module.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    path, table = points
    marker, out = tmp_path / "died", tmp_path / "out"
    frame = spark.read.parquet(path).repartition(4)
    whole = type(frame).mapInArrow

    def deadly_map(self: Any, work: Any, schema: Any) -> Any:
        return whole(self, functools.partial(deadly, str(marker), work), schema)

    monkeypatch.setattr(type(frame), "mapInArrow", deadly_map)
    plumb.spark.sample(frame, PATHS, status=True).write.parquet(str(out))
    assert marker.exists()
    assert pq.read_table(out).sort_by("id").to_pydict() == expected(table)


def test_columns_of_one_name_are_refused(spark: Any, tmp_path: Path) -> None:
    from conftest import write_raster

    frame = spark.createDataFrame([(0.5, 0.5)], ["x", "y"])
    pairs: list[Any] = [
        (("s.tif", 2), ("s_2.tif", 1), {}),
        (("r.tif", 1), ("r_status.tif", 1), {"status": True}),
        (("D.tif", 1), ("d.tif", 1), {}),
    ]
    for first, second, asked in pairs:
        paths = [write_raster(tmp_path / name, *[1] * count) for name, count in (first, second)]
        with pytest.raises(ValueError, match="two output columns would be called"):
            plumb.spark.sample(frame, paths, **asked)
