"""A run that was killed can be continued, and writes the same bytes as a run that was not killed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import Command, run_command

rasterio = pytest.importorskip("rasterio")

DATES = 40
SIDE = 240


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stack of 40 dates with masks, and points with times."""
    path = tmp_path_factory.mktemp("resume")
    random = np.random.default_rng(11)
    for day in range(DATES):
        date = np.datetime64("2025-01-01") + 4 * day
        values = random.integers(0, 10_000, (SIDE, SIDE)).astype("int16")
        masks = random.integers(0, 3, (SIDE, SIDE)).astype("uint8")
        for name, grid in (("evi", values), ("qa", masks)):
            with rasterio.open(
                    path / f"{name}_{str(date).replace('-', '')}.tif", "w", driver="GTiff",
                    width=SIDE, height=SIDE, count=1, dtype=grid.dtype, crs="EPSG:32734",
                    transform=rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000), tiled=True,
                    blockxsize=64, blockysize=64, compress="deflate",
                    nodata=0 if name == "evi" else None) as file:
                file.write(grid, 1)
    count = 6000
    x = 300_000 + random.uniform(-50, SIDE * 10, count)
    y = 6_240_000 - random.uniform(-50, SIDE * 10, count)
    days = np.datetime64("2025-01-01") + random.integers(0, 4 * DATES, count)
    (path / "points.csv").write_text("id,x,y,when\n" + "".join(
        f"{index},{x[index]:.2f},{y[index]:.2f},{days[index]}\n" for index in range(count)))
    return path


RUNS = {
    "long": ["--series", "--long"],
    "wide": ["--series", "--valid", "qa < 2", "--status"],
    "linear series": ["--series", "-r", "bilinear", "--valid", "qa < 2"],
    "nearest": ["--when", "when", "--within", "30d", "--provenance", "--status"],
    "valid": ["--when", "when", "--within", "30d", "--valid", "qa = 1"],
    "search": ["--when", "when", "--within", "12d", "--valid", "qa = 1 and evi > 9900", "--search", "50m"],
    "mean": ["--when", "when", "--within", "30d", "--reduce", "mean,slope", "--valid", "qa < 2"],
}


def arguments(folder: Path, output: Path, run: str, *more: str) -> list[str]:
    return ["identify", f"evi={folder}/evi_*.tif", f"qa={folder}/qa_*.tif", "--dates", "*_%Y%m%d",
            "--points", str(folder / "points.csv"), "--crs", "EPSG:32734", *RUNS[run],
            "-o", str(output), "-q", *more]


def run(command: Command, *given: str) -> subprocess.CompletedProcess[str]:
    return run_command([command.path, *given], capture_output=True, text=True)


@pytest.mark.parametrize("form", ["csv", "jsonl", "geojson"])
@pytest.mark.parametrize("name", RUNS)
def test_killed_runs_continue(command: Command, folder: Path, tmp_path: Path, name: str,
                              form: str) -> None:
    random = np.random.default_rng(len(name))
    whole = tmp_path / f"whole.{form}"
    begin = time.monotonic()
    assert run(command, *arguments(folder, whole, name)).returncode == 0
    length = time.monotonic() - begin
    output = tmp_path / f"out.{form}"
    state = tmp_path / f"out.{form}.resume"
    given = arguments(folder, output, name, "--resume")
    kills = 0
    for _ in range(12):
        process = subprocess.Popen([command.path, *given])
        time.sleep(random.uniform(0, length))
        process.send_signal(signal.SIGKILL)
        if process.wait(timeout=120) == 0 or output.exists():
            # The output has its final name only when it is complete.
            break
        kills += 1
    else:
        assert run(command, *given).returncode == 0
    assert output.read_bytes() == whole.read_bytes()
    if kills:
        done = run(command, *given)
        assert done.returncode == 1 and f"{output} exists" in done.stderr


def killed(command: Command, folder: Path, output: Path, name: str, size: int = 60_000) -> Path:
    """Kills a run when it has results of a size in bytes, and returns the folder of its state."""
    state = Path(f"{output}.resume")
    process = subprocess.Popen([command.path, *arguments(folder, output, name, "--resume"),
                                "--threads", "1"])
    journal = state / "journal"
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > size):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=120)
    assert size == 1 << 40 or state.exists(), "the run ended before it was killed"
    return state


def test_known_results_are_not_read_again(command: Command, folder: Path, tmp_path: Path) -> None:
    """The first date of a series comes from the journal, even if its file is damaged meanwhile."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    whole = tmp_path / "whole.csv"
    assert run(command, *arguments(copy, whole, "long")).returncode == 0
    output = tmp_path / "out.csv"
    killed(command, copy, output, "long")
    first = sorted(copy.glob("evi_*.tif"))[0]
    facts = first.stat()
    data = bytearray(first.read_bytes())
    data[-2000:] = bytes(2000)
    first.write_bytes(data)
    os.utime(first, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert run(command, *arguments(copy, tmp_path / "damaged.csv", "long")).returncode in (0, 1)
    assert run(command, *arguments(copy, output, "long", "--resume")).returncode == 0
    assert output.read_bytes() == whole.read_bytes()


def test_search_continues(command: Command, folder: Path, tmp_path: Path) -> None:
    """Rows that were searched before a run was killed need no cells again."""
    output = tmp_path / "out.csv"

    def hits() -> int:
        given = [word for word in arguments(folder, output, "search", "--resume") if word != "-q"]
        done = run(command, *given, "--explain")
        assert done.returncode == 0, done.stderr
        return int(re.findall(r"(\d+) cache hits", done.stderr)[0])

    killed(command, folder, output, "search", 1 << 40)
    whole = output.read_bytes()
    output.unlink()
    all_hits = hits()
    output.unlink()
    state = tmp_path / "out.csv.resume"
    sizes = []
    process = subprocess.Popen(
        [command.path, *arguments(folder, output, "search", "--resume"), "--threads", "1"])
    while process.poll() is None:
        try:
            sizes.append((state / "journal").stat().st_size)
        except FileNotFoundError:
            pass
        time.sleep(0.002)
    output.unlink()
    killed(command, folder, output, "search", int(0.9 * max(sizes)))
    assert hits() < 0.7 * all_hits
    assert output.read_bytes() == whole


def test_unread_cells_are_tried_again(command: Command, folder: Path, tmp_path: Path) -> None:
    """A date that could not be read before a run was killed is read when the run continues."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    whole = tmp_path / "whole.csv"
    first = sorted(copy.glob("evi_*.tif"))[0]
    good, facts = first.read_bytes(), first.stat()

    def replace(data: bytes) -> None:
        first.write_bytes(data)
        os.utime(first, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    for name in ("long", "valid"):
        replace(good)
        assert run(command, *arguments(copy, whole, name, "--overwrite")).returncode == 0
        replace(good[:-2000] + bytes(2000))
        output = tmp_path / f"{name}.csv"
        killed(command, copy, output, name)
        replace(good)
        assert run(command, *arguments(copy, output, name, "--resume")).returncode == 0
        assert output.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("name", ["long", "valid"])
def test_damaged_journals(command: Command, folder: Path, tmp_path: Path, name: str) -> None:
    """Results after a damaged record are computed again."""
    random = np.random.default_rng(2)
    whole = tmp_path / "whole.csv"
    assert run(command, *arguments(folder, whole, name)).returncode == 0
    output = tmp_path / "out.csv"
    state = killed(command, folder, output, name)
    saved = tmp_path / "saved"
    shutil.copytree(state, saved)
    size = (saved / "journal").stat().st_size
    for number in range(8):
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(saved, state)
        data = bytearray((state / "journal").read_bytes())
        place = int(random.integers(0, size))
        if number == 0:
            data = data[:place]
        elif number == 1:
            data += random.bytes(1000)
        elif number == 2:
            data = bytearray(random.bytes(5000))
        elif number == 3:
            data = bytearray()
        else:
            data[place] ^= 1 << int(random.integers(0, 8))
        (state / "journal").write_bytes(data)
        if number == 4:
            (state / "output").write_bytes(b"")
        done = run(command, *arguments(folder, output, name, "--resume"))
        assert done.returncode == 0, done.stderr
        assert output.read_bytes() == whole.read_bytes()
        output.unlink()


def test_other_runs_are_refused(command: Command, folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    state = killed(command, folder, output, "long")
    done = run(command, *arguments(folder, output, "wide", "--resume"))
    assert done.returncode == 1
    assert "belongs to a run with other options, other files, or another version" in done.stderr
    copy = tmp_path / "points.csv"
    given = arguments(folder, output, "long", "--resume")
    given[given.index("--points") + 1] = str(copy)
    copy.write_text((folder / "points.csv").read_text())
    assert "belongs to a run with other options" in run(command, *given).stderr
    with (state / "journal").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = run(command, *arguments(folder, output, "long", "--resume"))
    assert done.returncode == 1 and f"another run is writing {output}" in done.stderr
    assert run(command, *arguments(folder, output, "long", "--resume")).returncode == 0


def test_faults(command: Command, folder: Path, tmp_path: Path) -> None:
    stacks = [f"evi={folder}/evi_*.tif", "--dates", "*_%Y%m%d", "--crs", "EPSG:32734"]
    points = ["--points", str(folder / "points.csv")]
    for given, message, status in (
            ([*stacks, *points, "--series", "--resume"], "--resume needs -o", 64),
            ([str(next(folder.glob("evi_*.tif"))), *points, "--resume", "-o",
              str(tmp_path / "a.csv")], "--resume needs --when or --series", 64),
            ([*stacks, *points, "--series", "--resume", "-o", "/dev/stdout"],
             "--resume needs a file", 1),
            ([*stacks, *points, "--series", "--resume", "-o", str(tmp_path / "a.gpkg")],
             "cannot be continued; write csv", 1),
            ([*stacks, "--points", "-", "--series", "--resume", "-o", str(tmp_path / "a.csv")],
             "is a stream; give a file", 1)):
        done = run_command([command.path, "identify", *given], capture_output=True, text=True,
                           input="x,y\n300050,6239950\n")
        assert message in done.stderr, done.stderr
        assert done.returncode == status and done.stdout == ""
    assert not list(tmp_path.iterdir())
    (tmp_path / "b.csv.resume").write_text("a file")
    done = run(command, "identify", *stacks, *points, "--series", "--resume", "-o",
               str(tmp_path / "b.csv"))
    assert done.returncode == 1 and "is not a folder of a killed run" in done.stderr
