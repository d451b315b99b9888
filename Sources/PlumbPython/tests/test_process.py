"""The package in a process: signals, threads, forks, other libraries, memory."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import psutil
import pytest
from conftest import DEM, EVI, ROOT, STACK, around

import plumb_gis as plumb


def run(program: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments], cwd=ROOT,
        capture_output=True, text=True,
    )  # fmt: skip
    assert not check or done.returncode == 0, done.stderr
    return done


def test_import_brings_nothing_along() -> None:
    program = """
        import sys
        import plumb_gis as plumb
        heavy = {"numpy", "pandas", "pyarrow", "geopandas", "polars", "shapely", "typing", "ctypes"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        plumb.sample("rasters/dem/S35E018.tif", 18.6, -34.1)
        assert "numpy" not in sys.modules
        import plumb_gis.spark, plumb_gis.dask
        assert not {"pyspark", "dask", "pandas"} & set(sys.modules)
    """
    run(program)


def test_a_plain_raster_needs_no_other_libraries() -> None:
    program = """
        import sys
        import numpy
        import plumb_gis as plumb
        kept = set(sys.modules)
        result = plumb.sample("rasters/dem/S35E018.tif", numpy.array([18.6]), numpy.array([-34.1]))
        assert result.values("S35E018").tolist() == [29]
        added = {"numpy.ma", "threading", "pandas", "xarray"} & (set(sys.modules) - kept)
        assert not added, added
        with open("/proc/self/maps") as maps:
            loaded = {line.split("/")[-1].split(".so")[0].strip() for line in maps if ".so" in line}
        assert "libplumb" in loaded, loaded
        names = ("gdal", "proj", "geos", "curl", "cairo", "pq", "hdf5", "netcdf", "blosc")
        others = {one for one in loaded for name in names if f"lib{name}" in one}
        assert not others, others
        plumb.sample("rasters/dem/S35E018.tif", [18.6], [-34.1], crs="EPSG:4322")
        with open("/proc/self/maps") as maps:
            assert "libproj" in maps.read()
    """
    run(program)


def test_modules_of_engines_are_attributes() -> None:
    program = """
        import sys
        import plumb_gis as plumb
        assert "plumb_gis.spark" not in sys.modules and "plumb_gis.dask" not in sys.modules
        assert plumb.spark.sample.__module__ == "plumb_gis.spark"
        assert plumb.dask.sample.__module__ == "plumb_gis.dask"
        try:
            plumb.other
        except AttributeError as error:
            print(error)
        try:
            import plumb
        except ImportError as error:
            print(error)
    """
    assert run(program).stdout == (
        "module 'plumb_gis' has no attribute 'other'\nNo module named 'plumb'\n"
    )


def long_points(count: int = 3_000_000) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    return random.uniform(18.0, 19.9, count), random.uniform(-34.9, -33.1, count)


def test_progress_is_told() -> None:
    seen: list[float] = []
    plumb.sample(STACK, *long_points(), crs="EPSG:4326", resampling="cubic", progress=seen.append)
    assert seen[-1] == 1.0 and seen == sorted(seen) and all(0 <= share <= 1 for share in seen)


class Stop(Exception):
    pass


def test_what_progress_raises_reaches_the_caller_once() -> None:
    calls = []

    def progress(share: float) -> None:
        calls.append(share)
        raise Stop("enough")

    def stopped() -> int:
        calls.clear()
        with pytest.raises(Stop, match="enough"):
            plumb.sample(STACK, x, y, crs="EPSG:4326", resampling="cubic", progress=progress)
        assert len(calls) == 1
        return psutil.Process().num_threads()

    x, y = long_points()
    # The first call starts the threads that all calls share.
    before = stopped()
    x, y = x[:300_000], y[:300_000]
    assert max(stopped() for _ in range(8)) < before + 8
    assert plumb.sample(DEM, 18.6, -34.1)["dem"].tolist() == [29]


def test_an_exit_in_progress_is_passed_on() -> None:
    def progress(share: float) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        plumb.sample(DEM, 18.6, -34.1, progress=progress)


def test_interrupt_ends_a_call() -> None:
    # Only the order is tested: the call ends before it is complete.
    program = """
        import os, signal, threading
        import numpy as np
        import plumb_gis as plumb
        random = np.random.default_rng(5)
        x, y = random.uniform(18, 19.9, 4_000_000), random.uniform(-34.9, -33.1, 4_000_000)
        stack = plumb.Stack({0!r}, resampling="cubic", threads=1)
        shares = []
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            stack.sample(x, y, crs="EPSG:4326", progress=shares.append)
        except KeyboardInterrupt:
            print("interrupted", max(shares, default=0) < 1)
        print(stack.sample(18.6, -34.1, crs="EPSG:4326").status("dem").tolist())
    """
    done = run(program.replace("{0!r}", repr(STACK)))
    assert done.stdout.split("\n")[:2] == ["interrupted True", "['ok']"], done.stdout
    assert "ignored" not in done.stderr


def test_a_handler_that_raises_ends_a_call() -> None:
    def handler(number: int, frame: Any) -> None:
        raise Stop("the alarm")

    old = signal.signal(signal.SIGALRM, handler)
    stack = plumb.Stack(STACK, resampling="cubic", threads=1)
    x, y = long_points(4_000_000)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop, match="the alarm"):
            stack.sample(x, y, crs="EPSG:4326")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_other_threads_run_during_a_call() -> None:
    done = threading.Event()
    counted = 0

    def call() -> None:
        plumb.sample(STACK, *long_points(1_000_000), crs="EPSG:4326", resampling="cubic")
        done.set()

    thread = threading.Thread(target=call)
    thread.start()
    while not done.is_set():
        counted += 1
        done.wait(0.001)
    thread.join(120)
    assert counted > 10


def test_a_fork_before_the_first_call_works() -> None:
    program = """
        import os, plumb_gis as plumb
        child = os.fork()
        if child == 0:
            os._exit(0 if plumb.sample("rasters/dem", 18.6, -34.1)["dem"].tolist() == [29] else 1)
        assert os.waitpid(child, 0)[1] == 0
        print(plumb.sample("rasters/dem", 18.6, -34.1)["dem"].tolist())
    """
    assert run(program).stdout == "[29]\n"


def test_a_fork_after_a_call_says_so() -> None:
    program = """
        import os, plumb_gis as plumb
        raster = plumb.Stack("rasters/dem")
        raster.sample(18.6, -34.1)
        child = os.fork()
        if child == 0:
            codes = []
            for call in (
                lambda: raster.sample(18.6, -34.1),
                lambda: plumb.sample("rasters/dem", 18.6, -34.1),
            ):
                try:
                    call()
                except plumb.PlumbError as error:
                    codes.append(error.code)
            del raster
            os._exit(0 if codes == ["forked", "forked"] else 1)
        assert os.waitpid(child, 0)[1] == 0
        print(raster.sample(18.6, -34.1)["dem"].tolist())
    """
    assert run(program).stdout == "[29]\n"


def test_multiprocessing_by_spawn(tmp_path: Any) -> None:
    script = tmp_path / "spawned.py"
    script.write_text(
        textwrap.dedent(
            """
            import multiprocessing, plumb_gis as plumb

            def held(at):
                return plumb.sample("rasters/dem", *at)["dem"].tolist()

            if __name__ == "__main__":
                plumb.sample("rasters/dem", 18.6, -34.1)
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    print(pool.map(held, [(18.6, -34.1), (18.4, -33.9)]))
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[[29], [15]]\n"


USES = {
    "rasterio": "rasterio.open('rasters/evi_cape_town.tif').read(1)[299, 292] == 1478",
    "fiona": "len(fiona.open('rasters/wards.geojson')) == 50",
    "pyogrio": "pyogrio.read_info('rasters/wards.geojson')['features'] == 50",
    "pyproj": "pyproj.Transformer.from_crs(4326, 32734).transform(-34, 18)[0] > 2e5",
    "shapely": "shapely.Point(1, 1).buffer(1).area > 3",
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", [*USES, "all"])
def test_beside_other_libraries(name: str, first: bool) -> None:
    names = list(USES) if name == "all" else [name]
    others = "\n".join(f"import {one}\nassert {USES[one]}" for one in names)
    own = (
        "import plumb_gis as plumb\n"
        f"assert plumb.sample({STACK!r}, [18.6], [-34.1], crs='EPSG:4326')['evi'][0] == 1478\n"
        "assert plumb.sample({'w': 'rasters/land_cover_cape_town.tif'}, [262000.], [6240000.])['w']"
        ".size == 1"
    )
    parts = [others, own] if first else [own, others]
    # Each is used again after the other was loaded.
    run("\n".join([*parts, *parts]), check=True)


def test_small_calls_hold_memory_flat() -> None:
    process = psutil.Process()
    stack = plumb.Stack(STACK)
    x, y = np.array([18.6]), np.array([-34.1])

    def calls(count: int) -> int:
        for _ in range(count):
            stack.sample(x, y, crs="EPSG:4326")
        gc.collect()
        return int(process.memory_info().rss)

    calls(2000)
    before = calls(1000)
    assert calls(10_000) - before < 4 << 20


def test_opening_and_failing_hold_memory_flat() -> None:
    process = psutil.Process()
    x = np.zeros(100_000)

    def calls(count: int) -> tuple[int, int]:
        for _ in range(count):
            plumb.sample(EVI, 18.6, -34.1, crs="EPSG:4326")
            with pytest.raises(plumb.PlumbError):
                plumb.sample(DEM, x, x[1:])
            with pytest.raises(plumb.PlumbError):
                plumb.sample("rasters/none.tif", x, x)
            with pytest.raises(Stop):
                plumb.sample(DEM, x, x, progress=stop)
        gc.collect()
        return int(process.memory_info().rss), process.num_fds()

    def stop(share: float) -> None:
        raise Stop

    calls(100)
    before, files = calls(50)
    after, files_after = calls(200)
    assert after - before < 8 << 20
    assert files_after == files


def test_streams_hold_memory_flat() -> None:
    import pyarrow as pa

    process = psutil.Process()
    x, y = around(1000, 3)
    given = pa.table({"x": x, "y": y, "list": [[1, 2]] * 1000})

    class Stream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return given.__arrow_c_stream__(requested_schema)

    stack = plumb.Stack(STACK)

    def calls(count: int) -> int:
        for _ in range(count):
            out = stack.sample(Stream(), crs="EPSG:4326", status=True)
            pa.table(out)
            out.__arrow_c_stream__()
        gc.collect()
        return int(process.memory_info().rss)

    calls(200)
    before = calls(100)
    assert calls(500) - before < 8 << 20


def test_missing_library_says_what_to_do(tmp_path: Any) -> None:
    import shutil
    from pathlib import Path

    package = Path(plumb.__file__).parent
    shutil.copytree(
        package, tmp_path / "plumb_gis", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    program = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import plumb_gis as plumb
        assert plumb.__file__.startswith({str(tmp_path)!r})
        try:
            plumb.sample("rasters/dem", 18.6, -34.1)
        except ImportError as error:
            print(error)
    """
    assert run(program).stdout == (
        f"{tmp_path}/plumb_gis/libplumb.so was not found: install a wheel with pip install "
        "./plumb_gis-VERSION-….whl, or run pip install ./Sources/PlumbPython in a clone of Plumb\n"
    )
    (tmp_path / "plumb_gis" / "libplumb.so").write_bytes(b"no library")
    assert "apt-get install -y --no-install-recommends libgdal32" in run(program).stdout


def test_pid_of_a_handle_is_its_own() -> None:
    stack = plumb.Stack(DEM)
    assert stack._sampler is not None and stack._sampler.handle._process == os.getpid()


def test_every_long_call_can_be_ended() -> None:
    import geopandas
    import shapely

    def stop(share: float) -> None:
        raise Stop("enough")

    x, y = long_points(200_000)
    shapes = geopandas.GeoSeries(shapely.points(x[:500], y[:500]), crs=4326)
    cape, gas = plumb.Map("rasters/cape.json"), plumb.Network("rasters/gas.json")
    for call in (
        lambda: cape.identify_batch(x, y, crs=4326, progress=stop),
        lambda: plumb.buffer(shapes, 1, unit="km", geodesic=True, union=True, progress=stop),
        lambda: gas.isolate("M0054:Load", filter_category="Isolating", progress=stop),
        lambda: plumb.events(
            "rasters/walk.csv", "rasters/garden_sights.geojson", buffer=10, progress=stop
        ),
    ):
        with pytest.raises(Stop, match="enough"):
            call()


def test_calls_that_are_interrupted_give_all_or_nothing() -> None:
    """At random moments, at least half of them during the call."""
    import time

    import geopandas
    import shapely

    def handler(number: int, frame: Any) -> None:
        raise Stop("the alarm")

    random = np.random.default_rng(7)
    x, y = random.uniform(18.3, 18.9, 400_000), random.uniform(-34.3, -33.7, 400_000)
    shapes = geopandas.GeoSeries(shapely.points(x[:300], y[:300]), crs=4326)
    stack = plumb.Stack(EVI, resampling="cubic")
    cape, gas = plumb.Map("rasters/cape.json"), plumb.Network("rasters/gas.json")

    def batch(column: str) -> Any:
        return cape.identify_batch(x[:500], y[:500], crs=4326, tolerance="2km")[column]

    calls = (
        lambda: stack.sample(x, y, crs=4326)["evi_cape_town"].tolist(),
        lambda: str(cape.identify(18.6, -33.95, tolerance="40km", max_results="all")),
        lambda: batch("wards.NAME").tolist(),
        lambda: plumb.buffer(shapes, 1, unit="km", geodesic=True).to_wkb().tolist(),
        lambda: str(gas.isolate("M0054:Load", filter_category="Isolating")),
        lambda: str(
            plumb.events("rasters/walk.csv", "rasters/garden_sights.geojson", buffer=10)
        ),
    )
    usual = int(os.environ.get("PLUMB_CANCELLATIONS", "4"))
    old = signal.signal(signal.SIGALRM, handler)
    try:
        for call in calls:
            whole = call()
            start = time.perf_counter()
            assert call() == whole
            reach = (time.perf_counter() - start) * 0.7
            count, strikes = 0, 0
            while count < usual or (2 * strikes < count and count < 8 * usual):
                count += 1
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-6 + random.uniform(0, reach))
                    try:
                        answer = call()
                    finally:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                except Stop:
                    strikes += 1
                    reach *= 1.03
                else:
                    reach *= 0.85
                    assert answer == whole
            assert 2 * strikes >= count, (call, strikes, count)
            assert call() == whole
    finally:
        signal.signal(signal.SIGALRM, old)


def test_interrupt_while_a_feed_is_silent() -> None:
    program = """
        import os, signal, threading
        import plumb_gis as plumb
        r, w = os.pipe()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            for event in plumb.monitor(
                f"/dev/fd/{r}", "rasters/garden_sights.geojson", buffer=10
            ):
                pass
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert run(program).stdout == "interrupted\n"


def test_tables_outlive_the_interpreter() -> None:
    """Objects released at the very end, such as those of a cycle or a class."""
    program = """
        import builtins, sys
        import plumb_gis as plumb, polars as pl, pyarrow as pa
        path = "rasters/dem"

        class Stream:
            def __arrow_c_stream__(self, requested_schema=None):
                return pa.table({"x": [18.6], "y": [-34.1]}).__arrow_c_stream__()

        def made():
            x, y = [18.6] * 300_000, [-34.1] * 300_000
            return [
                pa.table(plumb.sample(path, x, y, crs=4326)),
                pl.DataFrame(plumb.sample(path, x, y, crs=4326)),
                plumb.sample(path, pa.table({"x": [18.6], "y": [-34.1]}), crs=4326, status=True),
                plumb.sample(path, [18.6], [-34.1], crs=4326).__arrow_c_stream__(),
                pa.table(plumb.sample(path, Stream(), crs=4326, provenance=True)),
                pa.table(map.identify_batch([18.6], [-34.1])), map.identify_batch([18.6], [-34.1]),
            ]

        map = plumb.Map("rasters/cape.json")

        class Cache:
            tables = made()

        class Cycle:
            pass

        cycle = Cycle()
        cycle.own, cycle.tables = cycle, made()
        builtins.last = made()
        sys.modules["kept"] = type(sys)("kept")
        sys.modules["kept"].tables = made()
    """
    run(program)


def test_columns_keep_the_memory_of_their_table() -> None:
    cape = plumb.Map("rasters/cape.json")
    x = np.full(200_000, 18.6)
    columns = [cape.identify_batch(x, x - 52.7, fields=["dem"])["dem"] for _ in range(4)]
    gc.collect()
    for _ in range(4):
        cape.identify_batch(x - 0.15, x - 52.7, fields=["dem"])
    assert all((column == 29).all() for column in columns)
