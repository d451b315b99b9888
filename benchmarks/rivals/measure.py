"""Measures one run of one command."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launcher.py")

# A block cache that can contain the largest raster, and no search of the
# folder for side files: the best settings for the rivals.
ENVIRONMENT = {
    "GDAL_CACHEMAX": "2048",
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True)
class Command:
    """A command with its input and output."""

    arguments: tuple[str, ...]
    stdin: str = os.devnull
    stdout: str | None = None


@dataclass(frozen=True)
class Sample:
    """One run: seconds of the work, CPU seconds and peak bytes of the process.

    `seconds` is the wall time of the whole process, or the time that the
    process reports if the work is timed inside it. If `inside`, CPU and peak
    are not those of the work alone.
    """

    seconds: float
    cpu: float
    peak: int
    inside: bool
    printed: dict
    user: float = 0
    """The user part of `cpu`, for the whole process."""


class CommandFailed(Exception):
    """A contender that failed, with its last messages."""


def environment() -> dict[str, str]:
    """The environment of every command."""
    return {**os.environ, **ENVIRONMENT}


def run(command: Command) -> Sample:
    """Runs the command once and measures it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        printed = command.stdout or str(Path(folder, "stdout"))
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(report),
                  command.stdin, printed, *command.arguments]
        outcome = subprocess.run(launch, env=environment(),
                                 stderr=subprocess.PIPE)
        messages = outcome.stderr.decode(errors="replace")[-2000:]
        if outcome.returncode != 0 or not report.exists():
            raise CommandFailed(messages)
        usage = json.loads(report.read_text())
        if usage["code"] != 0:
            name = " ".join(command.arguments[:3])
            raise CommandFailed(f"{name} ... exited with {usage['code']}\n"
                                + messages)
        inside = {}
        if command.stdout is None:
            text = Path(printed).read_text()
            inside = json.loads(text) if text.startswith("{") else {}
    return Sample(_seconds(inside, usage["wall"]),
                  inside.get("cpu", usage["cpu"]),
                  inside.get("peak", usage["peak"]),
                  _is_timed(inside) and "peak" not in inside, inside,
                  usage["user"])


def _is_timed(printed: dict) -> bool:
    return "seconds" in printed or "nanoseconds_per_call" in printed


def _seconds(printed: dict, wall: float) -> float:
    if "seconds" in printed:
        return statistics.median(printed["seconds"])
    if "nanoseconds_per_call" in printed:
        return printed["nanoseconds_per_call"] * 1e-9
    return wall


def warm_page_cache(paths) -> None:
    """Reads the files, and those of folders, once, so that "cold" refers to
    the process, not the disk."""
    for path in paths:
        inside = path.rglob("*") if path.is_dir() else [path]
        for each in filter(Path.is_file, inside):
            with open(each, "rb", buffering=0) as file:
                while file.read(1 << 22):
                    pass
