"""Tables of points as Parquet, which polars writes and reads."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from raster_files import NotMade

WRITE = """
import sys, polars
polars.read_csv(sys.argv[1]).write_parquet(sys.argv[2])
"""
READ = """
import sys, polars
polars.read_parquet(sys.argv[1], columns=["id", sys.argv[2]]).write_csv(
    sys.stdout.buffer, include_header=False)
"""


def write(table: Path, target: Path) -> None:
    """Writes a table of CSV as Parquet."""
    done = subprocess.run([sys.executable, "-c", WRITE, table, target],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise NotMade("polars cannot write a table: " + (
            done.stderr.splitlines() or [""])[-1])


def lines(path: Path, column: str) -> Iterator[str]:
    """The ids and a column, as lines of CSV."""
    with subprocess.Popen([sys.executable, "-c", READ, path, column],
                          stdout=subprocess.PIPE, text=True) as reading:
        yield from reading.stdout
    if reading.returncode:
        raise SystemExit(f"run: polars cannot read {path}")
