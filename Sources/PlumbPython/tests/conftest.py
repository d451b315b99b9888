"""Shared test helpers: the repository's samples, the command, and seeded random points."""

from __future__ import annotations

import csv
import errno
import fcntl
import functools
import io
import json
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
DEM = "rasters/dem"
EVI = "rasters/evi_cape_town.tif"
COVER = "rasters/land_cover_cape_town.tif"
NDVI = "rasters/ndvi_cape_town_3857.tif"
STACK = {"evi": EVI, "dem": DEM, "cover": COVER, "ndvi": NDVI}


def command_path() -> str | None:
    """The command: PLUMB_COMMAND, otherwise one built in the tree."""
    named = os.environ.get("PLUMB_COMMAND")
    if named:
        return named
    for folder in (".build/release", ".build/debug"):
        path = ROOT / folder / "plumb"
        if path.is_file():
            return str(path)
    return shutil.which("plumb")


# The files whose fixtures or tests take longest.
LONGEST = ["test_spark.py", "test_engines.py", "test_buckets.py", "test_parity.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files are first: the end is balanced, and one worker makes each costly fixture."""
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples' paths are relative to the repository's root."""
    monkeypatch.chdir(ROOT)


# The limit on the duration of a run by the fork server in seconds.
LONGEST_RUN = 300.0


class ForkServer:
    """A process of the command that has loaded its libraries and forks for each run.

    Loading the libraries takes longer than most of the runs. A run has its own arguments,
    environment, folder and standard files, and starts at the program's entry point.
    """

    def __init__(self, program: str, library: str) -> None:
        # The server expects its socket at descriptor 3.
        self.socket, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with end:
            server = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 4)
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, server, 3),
        ]
        self.process = os.posix_spawn(
            program,
            [program],
            {**os.environ, "LD_PRELOAD": library},
            file_actions=actions,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        os.close(server)
        if not self.socket.recv(1):
            raise RuntimeError(f"the fork server of {program} did not start")

    def run(
        self,
        arguments: list[str],
        cwd: Any = None,
        env: dict[str, str] | None = None,
        input: bytes | None = None,
        capture_output: bool = False,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs the command as `subprocess.run` does; -1 is the status of a run that a signal ended.

        Raises an OSError with EMSGSIZE if the arguments are too long.
        """
        variables = os.environ if env is None else env
        texts = [
            os.fspath(cwd or os.getcwd()),
            str(len(arguments)),
            *arguments,
            *(f"{name}={value}" for name, value in variables.items()),
        ]
        given, feed = os.pipe()
        status, status_end = os.pipe()
        ends = [given, status_end]
        outputs = [os.pipe() for _ in range(2)] if capture_output else []
        ends += [end for _, end in outputs]
        files = [given, *([end for _, end in outputs] or [1, 2]), status_end]
        try:
            socket.send_fds(self.socket, [b"".join(os.fsencode(t) + b"\0" for t in texts)], files)
        except OSError:
            for file in (feed, status, *(file for file, _ in outputs)):
                os.close(file)
            raise
        finally:
            for file in ends:
                os.close(file)
        reads = [status, *(file for file, _ in outputs)]
        results = self._exchanged(arguments, feed, input or b"", reads, timeout)
        if not results[0]:
            raise RuntimeError("the fork server ended")
        code = struct.unpack("i", results[0])[0]
        out, errors = results[1:] if capture_output else (None, None)
        return subprocess.CompletedProcess(arguments, code, out, errors)

    def _exchanged(
        self, arguments: list[str], feed: int, input: bytes, files: list[int], timeout: float | None
    ) -> list[bytes]:
        """Writes the input and reads the files to their ends."""
        timeout = LONGEST_RUN if timeout is None else timeout
        end = time.monotonic() + timeout
        found: dict[int, list[bytes]] = {file: [] for file in files}
        rest = memoryview(input)
        with selectors.DefaultSelector() as selector:
            for file in files:
                selector.register(file, selectors.EVENT_READ)
            if rest:
                os.set_blocking(feed, False)
                selector.register(feed, selectors.EVENT_WRITE)
            else:
                os.close(feed)
            while selector.get_map():
                events = selector.select(max(0, end - time.monotonic()))
                if not events and time.monotonic() >= end:
                    self._kill()
                    for file in list(selector.get_map()):
                        os.close(file)
                    raise subprocess.TimeoutExpired(arguments, timeout)
                for key, _ in events:
                    file = key.fd
                    if file == feed:
                        try:
                            rest = rest[os.write(file, rest[:65536]) :]
                        except BlockingIOError:
                            continue
                        except BrokenPipeError:
                            rest = rest[:0]
                        is_done = not rest
                    else:
                        part = os.read(file, 1 << 18)
                        found[file].append(part)
                        is_done = not part
                    if is_done:
                        selector.unregister(file)
                        os.close(file)
        return [b"".join(parts) for parts in found.values()]

    def _kill(self) -> None:
        """Kills the running processes of the server."""
        for path in Path(f"/proc/{self.process}/task").glob("*/children"):
            for process in path.read_text().split():
                os.kill(int(process), signal.SIGKILL)


@functools.cache
def fork_server(program: str) -> ForkServer | None:
    """The server of this process; None if PLUMB_FORK_SERVER, a built Tests/ForkServer, is not set.
    """
    library = os.environ.get("PLUMB_FORK_SERVER")
    return ForkServer(program, library) if library else None


# The options of `subprocess.run` that a fork server has.
FORKED = {"capture_output", "cwd", "env", "input", "timeout"}


def run_command(
    arguments: list[Any], text: bool = False, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """Runs the command like `subprocess.run`, in a process that is forked if there is a fork server."""
    arguments = [os.fspath(argument) for argument in arguments]
    server = fork_server(arguments[0])
    if server is None or not options.keys() <= FORKED:
        return subprocess.run(arguments, text=text, check=check, **options)
    given = options.pop("input", None)
    try:
        done = server.run(arguments, input=given.encode() if text and given else given, **options)
    except OSError as error:
        if error.errno != errno.EMSGSIZE:
            raise
        return subprocess.run(arguments, text=text, check=check, input=given, **options)
    if text and done.stdout is not None:
        done.stdout, done.stderr = (
            io.TextIOWrapper(io.BytesIO(part)).read() for part in (done.stdout, done.stderr)
        )
    if check:
        done.check_returncode()
    return done


class Command:
    """The command, whose results the package's results must equal."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, *arguments: str, input: str | None = None) -> str:
        done = run_command(
            [self.path, *arguments, *(["-q"] if arguments[0] != "info" else [])],
            cwd=ROOT,
            input=input,
            capture_output=True,
            text=True,
        )
        assert done.returncode in (0, 2), done.stderr
        return done.stdout

    def rows(self, *arguments: str, input: str | None = None) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self(*arguments, input=input))))

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments))


@pytest.fixture(scope="session")
def command() -> Command:
    path = command_path()
    if path is None:
        pytest.skip("there is no command to compare with: build it, or set PLUMB_COMMAND")
    # Tests may call the command from several threads, which would start several servers.
    fork_server(path)
    return Command(path)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark with two workers, which tries a task four times."""
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    if os.environ.get("PLUMB_SPARK") == "0":
        pytest.skip("PLUMB_SPARK is 0")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    with pytest.MonkeyPatch.context() as patch:
        # The code is not optimized and there are no threads of the garbage collector, because the
        # session is short.
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        made = (
            SparkSession.builder.master("local[2,4]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.log.level", "OFF")
            .getOrCreate()
        )
    yield made
    made.stop()


def around(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes on the samples, some off them, some not finite."""
    random = np.random.default_rng(seed)
    x = random.uniform(17.7, 20.2, count)
    y = random.uniform(-35.2, -32.8, count)
    for row in random.integers(0, count, count // 50 + 1):
        (x, y)[row % 2][row] = (np.nan, np.inf, -np.inf, 1e300)[row % 4]
    return x, y


def as_csv(x: np.ndarray, y: np.ndarray) -> str:
    """The points as CSV for the command."""
    lines = ["lon,lat", *(f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist()))]
    return "\n".join(lines) + "\n"


def same_column(seen: list[str], values: Any, mask: Any) -> None:
    """Compares a column of the command's text with an array, bit for bit."""
    seen_mask = np.array([text == "" for text in seen])
    assert np.array_equal(seen_mask, mask)
    kind = values.dtype
    expected = np.array([kind.type(text) for text in seen if text], dtype=kind)
    assert expected.tobytes() == values[~mask].tobytes()


def write_raster(path: Any, *values: float, dtype: str = "int16", **profile: Any) -> str:
    """A raster of 4 × 4 cells from 0, 0 to 4, 4, one value per band."""
    import rasterio
    from rasterio.transform import from_origin

    new = f"{path}.new"
    settings: dict[str, Any] = {"transform": from_origin(0, 4, 1, 1), **profile}
    with rasterio.open(
        new, "w", driver="GTiff", height=4, width=4, count=len(values), dtype=dtype, **settings
    ) as file:
        for band, value in enumerate(values, 1):
            file.write(np.full((4, 4), value, dtype), band)
    os.replace(new, path)
    return str(path)
