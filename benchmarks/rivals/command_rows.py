"""The rows of contenders' results, one by one, in any format."""

import json
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path

import oracle
import parquet_table
from command_inputs import CommandInputs
from command_workloads import CommandWorkload
from rivals import prefix


def rows(name: str, workload: CommandWorkload,
         given: CommandInputs) -> Iterator:
    """The rows: lines of CSV, or an id and the values as strings."""
    if given.database and name != oracle.name():
        return given.database.rows(name)
    start = f"{prefix(name, given)}"
    readers = {".csv": _csv, ".gpkg": _package, ".jsonl": _jsonl,
               ".parquet": _parquet, ".txt": _printed}
    for ending, read in readers.items():
        if Path(start + ending).exists():
            return read(Path(start + ending), workload, given)
    raise SystemExit(f"run: no results of {name} for ({workload.key})")


def _csv(path, workload, given):
    with open(path) as file:
        next(file)
        yield from file


def _parquet(path, workload, given):
    yield from parquet_table.lines(path, workload.column)


def _printed(path, workload, given):
    """gdallocationinfo's lines, in the table's order."""
    nodata = workload.rasters[0].nodata
    with open(path) as file:
        for number, line in enumerate(file, start=1):
            yield [str(number), oracle.text(line.strip(), nodata)]


def _jsonl(path, workload, given):
    """The first band of each raster's cell."""
    with open(path) as file:
        for line in file:
            row = json.loads(line)
            found = {result["layer"]["name"]:
                     result["geoElements"][0]["attributes"]["Band_0"]
                     for result in row["results"] if result["geoElements"]}
            values = [found.get(spec.name) for spec in workload.rasters]
            yield [str(row["input"]["id"]),
                   *("" if value is None else str(value) for value in values)]


def _package(path, workload, given):
    """The last column is the raster's. The point is also a value: the last 16 bytes of the shape.
    """
    with sqlite3.connect(path) as database:
        table, shape = layer(database)
        columns = [row[1] for row in database.execute(
            f'PRAGMA table_info("{table}")')]
        chosen = f'"id", "{columns[-1]}", "{shape}"'
        for number, value, blob in database.execute(
                f'SELECT {chosen} FROM "{table}" ORDER BY rowid'):
            yield [str(number), "" if value is None else str(value),
                   *map(repr, struct.unpack("<2d", blob[-16:]))]


def layer(database: sqlite3.Connection) -> tuple[str, str]:
    """The table and its geometry column."""
    return database.execute(
        "SELECT table_name, column_name FROM gpkg_geometry_columns"
    ).fetchone()
