"""Open objects and results work in process pools, joblib, Dask and Spark."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
from conftest import DEM, EVI, STACK, Command, around

import plumb_gis as plumb

pytestmark = pytest.mark.filterwarnings("ignore::plumb_gis.PlumbWarning")

AT = ([18.45, 18.65, 2.35], [-34.05, -34.25, 48.86])
WALK, SIGHTS = "rasters/walk.csv", "rasters/garden_sights.geojson"


def things() -> dict[str, Any]:
    """What is passed to another process; paths are relative to the working folder."""
    sights = gpd.read_file(SIGHTS)
    return {
        "stack": plumb.Stack(STACK, scaled=True),
        "raster": plumb.Raster(DEM),
        "map": plumb.Map("rasters/cape.json"),
        "network": plumb.Network("rasters/gas.json"),
        "monitor": plumb.monitor(WALK, SIGHTS, buffer=10, where="id=5"),
        "monitor of a frame": plumb.monitor(
            pd.read_csv(WALK), sights[sights["id"] == 5], buffer=10),
        "sample": plumb.sample(STACK, *AT, crs=4326, status=True),
        "identified": plumb.Map("rasters/cape.json").identify(18.86, -33.93),
        "batch": plumb.Map("rasters/cape.json").identify_batch(*AT),
        "trace": plumb.Network("rasters/gas.json").trace("upstream", "M0054:Load"),
        "events": plumb.events(WALK, SIGHTS, buffer=10),
    }  # fmt: skip


def answer(thing: Any) -> str:
    """What an object answers in any process, as text."""
    if isinstance(thing, (plumb.Stack, plumb.Raster)):
        found = thing.sample(*AT, crs=4326)
        return str({name: found[name].tolist() for name in found})
    if isinstance(thing, plumb.Map):
        return str(thing.identify_batch(*AT).to_arrow().to_pylist())
    if isinstance(thing, plumb.Network):
        return str(thing.trace("upstream", "M0054:Load").ids)
    if isinstance(thing, plumb.Monitor):
        return str([(str(event.time), event.entity, event.type, event.fence) for event in thing])
    return str(thing.to_arrow().to_pylist()) + str(len(thing.to_geopandas()))


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    os.chdir(Path(__file__).resolve().parents[3])
    return {name: answer(thing) for name, thing in things().items()}


def everything(run: Callable[[list[Any]], list[str]], expected: dict[str, str]) -> None:
    given = things()
    assert len(expected["monitor"]) > 50 and expected["monitor"] == expected["monitor of a frame"]
    assert dict(zip(given, run(list(given.values())))) == expected


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_process_pools(method: str, expected: dict[str, str]) -> None:
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        everything(lambda given: list(pool.map(answer, given)), expected)
    with context.Pool(2) as old:
        everything(lambda given: old.map(answer, given), expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend: str, expected: dict[str, str]) -> None:
    joblib = pytest.importorskip("joblib")
    run = joblib.Parallel(n_jobs=2, backend=backend)
    everything(lambda given: run(joblib.delayed(answer)(one) for one in given), expected)


def test_joblib_shares_a_stack() -> None:
    joblib = pytest.importorskip("joblib")
    x, y = around(4000, 3)
    stack = plumb.Stack(STACK)
    parts = joblib.Parallel(n_jobs=2)(
        joblib.delayed(stack.sample)(x[part], y[part], crs=4326, status=True)
        for part in np.array_split(np.arange(4000), 4)
    )
    whole = stack.sample(x, y, crs=4326, status=True).to_pandas()
    seen = pd.concat([part.to_pandas() for part in parts], ignore_index=True)
    pd.testing.assert_frame_equal(seen, whole)


@pytest.mark.parametrize("scheduler", ["processes", "threads", "distributed"])
def test_dask(scheduler: str, expected: dict[str, str], tmp_path: Path) -> None:
    dask = pytest.importorskip("dask")

    def run(given: list[Any]) -> list[str]:
        tasks = [dask.delayed(answer, pure=False)(one, dask_key_name=f"answer-{number}")
                 for number, one in enumerate(given)]  # fmt: skip
        return list(dask.compute(*tasks, **settings))

    settings: dict[str, Any] = {"scheduler": scheduler}
    if scheduler == "processes":
        settings["num_workers"] = 2
    if scheduler != "distributed":
        everything(run, expected)
        return
    distributed = pytest.importorskip("distributed")
    settings = {}
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        local_directory=str(tmp_path),
    ) as cluster, distributed.Client(cluster) as client:  # fmt: skip
        everything(run, expected)
        everything(lambda given: client.gather(client.map(answer, given, pure=False)), expected)


def test_dask_arrays_of_points() -> None:
    pytest.importorskip("dask.array")
    xr = pytest.importorskip("xarray")
    x, y = around(600, 4)
    points = xr.Dataset({"lon": (("a", "b"), x.reshape(20, 30)),
                         "lat": (("a", "b"), y.reshape(20, 30))})  # fmt: skip
    stack = plumb.Stack(STACK)
    expected = stack.sample(points)
    lazy = points.chunk({"a": 5})
    template = expected.chunk({"a": 5})
    for scheduler in ("threads", "processes"):
        found = lazy.map_blocks(stack.sample, template=template).compute(
            scheduler=scheduler, num_workers=2)  # fmt: skip
        xr.testing.assert_identical(found, expected)


def test_spark(spark: Any, expected: dict[str, str]) -> None:
    from pyspark import cloudpickle

    # The workers do not have this module.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])

    def run(given: list[Any]) -> list[str]:
        parts = [pickle.dumps(one) for one in given]

        def ask(part: bytes) -> str:
            return answer(pickle.loads(part))

        return spark.sparkContext.parallelize(parts, 2).map(ask).collect()

    everything(run, expected)
    stack = plumb.Stack({"evi": EVI})
    rows = spark.sparkContext.parallelize([18.45, 18.65], 2)
    found = rows.map(lambda x: stack.sample(x, -34.05, crs=4326)["evi"].tolist()).collect()
    assert found == [stack.sample(x, -34.05, crs=4326)["evi"].tolist() for x in (18.45, 18.65)]


@pytest.mark.parametrize("legacy", ["true", "false"])
def test_lists_of_spark(spark: Any, command: Command, tmp_path: Path, legacy: str) -> None:
    """Lists and maps in both forms in which Spark writes them."""
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", legacy)
    frame = spark.sql("""
        SELECT 18.5D AS lon, -33.9D AS lat, id,
          CASE WHEN id % 3 = 0 THEN NULL WHEN id % 3 = 1 THEN array() ELSE array(id, NULL) END AS lists,
          map('a', id, 'b', NULL) AS maps, array(map('z', id)) AS mapped, array(array(1, NULL), array()) AS nested,
          array(named_struct('p', id, 'q', array('x', NULL)), NULL) AS pairs, map('k', array(map('z', id))) AS deep
        FROM range(20)""")
    frame.coalesce(1).write.parquet(str(tmp_path / "table"))
    spark.conf.unset("spark.sql.parquet.writeLegacyFormat")
    (path,) = (tmp_path / "table").glob("*.parquet")
    text = command("identify", f"evi={EVI}", "--points", str(path), "--of", "geojsonseq")
    for line in text.splitlines():
        row = json.loads(line)["properties"]
        number = row["id"]
        assert row["lists"] == [None, [], [number, None]][number % 3]
        assert row["maps"] == {"a": number, "b": None}
        assert row["mapped"] == [{"z": number}] and row["nested"] == [[1, None], []]
        assert row["pairs"] == [{"p": number, "q": ["x", None]}, None]
        assert row["deep"] == {"k": [{"z": number}]}
    assert text.count("\n") == 20
