"""Pickles of open objects open them again or are rejected; no copy affects the original."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEM, EVI, write_raster

import plumb_gis as plumb


def write_map(folder: Path, name: str, value: int) -> Path:
    write_raster(folder / f"{name}.tif", value, crs="EPSG:32634")
    path = folder / f"{name}.json"
    path.write_text(
        json.dumps(
            {
                "version": "2.31",
                "spatialReference": {"wkid": 32634},
                "operationalLayers": [
                    {
                        "id": "r",
                        "title": "r",
                        "layerType": "RasterLayer",
                        "url": f"{name}.tif",
                        "visibility": True,
                    }
                ],
            }
        )  # fmt: skip
    )
    return path


def test_another_process_opens_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    write_map(tmp_path, "a", 1)
    other = write_map(tmp_path, "c", 2)
    monkeypatch.chdir(tmp_path)
    given = pickle.dumps(
        (plumb.Map("a.json"), plumb.Raster("a.tif"), plumb.Stack({"q=1": "a.tif"}))
    )
    program = """
import pickle, sys, plumb_gis as plumb
own = plumb.Map(sys.argv[1])
m, r, s = pickle.load(sys.stdin.buffer)
print(m.identify(1.5, 1.5)["r"].elements[0].attributes["Band_0"], r.sample(1.5, 1.5)["a"].tolist(),
      s.sample(1.5, 1.5)["q=1"].tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(other)], input=given, cwd="/", capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout.decode() == "1 [1] [1]\n", done.stderr.decode()


def opened() -> list[Any]:
    network = plumb.Network("rasters/gas.json")
    return [
        plumb.Map("rasters/cape.json"), plumb.Raster(DEM, cache=1 << 20),
        plumb.Raster(f"mine={EVI}"), plumb.Stack({"a=b": DEM, "evi": EVI}, scaled=True, bands=1),
        network, network.isolate("M0054:Load", filter_category="Isolating"),
        plumb.sample(DEM, [18.6, 99.0], [-34.1, 0], crs=4326, status=True, provenance=True),
    ]  # fmt: skip


def test_copies_leave_the_original_open() -> None:
    for one in opened():
        for copied in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert type(copied) is type(one)
            assert repr(copied).replace(os.getcwd() + "/", "") == repr(one)
            del copied
        gc.collect()
    cape, raster, mine, stack, network, isolation, result = opened()
    copied = pickle.loads(pickle.dumps(result))
    assert copied["dem"].tolist() == result["dem"].tolist() == [29, None]
    assert copied.status("dem").tolist() == ["ok", "outside"]
    copy.deepcopy(cape).close()
    assert cape.identify(18.6, -34.1).element_count > 0
    again = pickle.loads(pickle.dumps(stack)).sample(18.6, -34.1, crs=4326)
    assert again.columns == ["a=b", "evi"] and again["evi"].dtype == np.float64
    assert pickle.loads(pickle.dumps(mine)).name == "mine"
    assert len(pickle.loads(pickle.dumps(isolation)).to_geopandas()) == len(
        isolation.to_geopandas()
    )


def test_what_is_here_alone_refuses(tmp_path: Path) -> None:
    walk, sights = "rasters/walk.csv", "rasters/garden_sights.geojson"
    begun = plumb.monitor(walk, sights, buffer=10)
    next(begun)
    closed = plumb.monitor(walk, sights, buffer=10)
    closed.close()
    rows: list[dict[str, Any]] = [{"x": 0.5, "y": 0.5, "time": 0}]
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    for one in (
        begun, closed, plumb.monitor(iter(rows), sights), plumb.monitor(pipe, sights),
        plumb.Map("rasters/cape.json")._handle,
    ):  # fmt: skip
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied") as caught:
                call(one)
            assert caught.value.code == "not_picklable"
    os.close(writer)


def test_a_monitor_starts_again(monkeypatch: Any) -> None:
    walk, sights = "rasters/walk.csv", "rasters/garden_sights.geojson"
    dem = "rasters/dem/S34E018.tif: $value > 20"
    for given in (
        plumb.monitor(walk, sights, buffer=10, where="id=5", message="$fencefeature.id"),
        plumb.monitor(walk, f"{sights}:garden_sights", buffer=10),
        plumb.monitor(walk, [sights, sights], buffer=10),
        plumb.monitor(walk, raster_fences=dem),
        plumb.monitor([{"x": 18.6, "y": -33.9, "time": 0}], raster_fences=dem),
    ):  # fmt: skip
        data = pickle.dumps(given)
        lines = [event.json for event in given]
        with monkeypatch.context() as context:
            context.chdir("/")
            assert [event.json for event in pickle.loads(data)] == lines
            assert lines
