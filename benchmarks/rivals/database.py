"""A table of points in a separate PostgreSQL server. Needs nothing that `run`
installs."""

import glob
import sys
from collections.abc import Iterator
from pathlib import Path

from raster_files import NotMade

sys.path.append(str(Path(__file__).parent / "contenders"))
import postgres  # noqa: E402

POSTGIS = "/usr/share/postgresql/*/extension/postgis.control"
LOAD = """
CREATE EXTENSION postgis;
CREATE TABLE csv (id int, name text, x float8, y float8);
COPY csv FROM STDIN (FORMAT csv, HEADER);
{rows}\\.
CREATE TABLE points AS
SELECT id, name, ST_SetSRID(ST_MakePoint(x, y), {code})
  ::geometry(Point, {code}) AS geom FROM csv;
DROP TABLE csv;
VACUUM ANALYZE points;
"""


class Database:
    """A server with the table `points`, for the runs of a workload."""

    def __init__(self, table: Path, reference: str) -> None:
        if not glob.glob(POSTGIS):
            raise NotMade("PostGIS is not installed")
        self.server = postgres.Server()
        self.server.__enter__()
        code = int(reference.removeprefix("EPSG:"))
        self.server.ask(LOAD.format(rows=table.read_text(), code=code))

    def close(self) -> None:
        self.server.__exit__()

    @property
    def address(self) -> str:
        return f"PG:host={self.server.folder} user=postgres dbname=postgres"

    @property
    def url(self) -> str:
        """The address for SQLAlchemy."""
        return ("postgresql+psycopg2://postgres@/postgres?host="
                f"{self.server.folder}")

    def table(self, name: str) -> str:
        """The table of a contender's results."""
        return "".join(c if c.isalnum() else "_" for c in name.lower())

    def rows(self, name: str) -> Iterator[list[str]]:
        """The id, the value and the point of each row."""
        table = self.table(name)
        value, shape = self.server.ask(
            "SELECT max(column_name) FILTER (WHERE udt_name <> 'geometry'), "
            "max(column_name) FILTER (WHERE udt_name = 'geometry') FROM "
            f"information_schema.columns WHERE table_name = '{table}' AND "
            "column_name NOT IN ('fid', 'id', 'name')").strip().split("|")
        text = self.server.ask(
            f'SELECT id, "{value}", ST_X("{shape}"), ST_Y("{shape}") '
            f"FROM {table} ORDER BY id")
        for line in text.splitlines():
            number, found, x, y = line.split("|")
            yield [number, found, repr(float(x)), repr(float(y))]

    def check(self, name: str, count: int) -> None:
        """Checks that the results have all rows and a spatial index."""
        table = self.table(name)
        found = self.server.ask(
            f"SELECT (SELECT count(*) FROM {table}), (SELECT count(*) FROM "
            f"pg_indexes WHERE tablename = '{table}' AND indexdef LIKE "
            "'%USING gist%')").strip()
        if found != f"{count}|1":
            raise SystemExit(f"run: {name}'s table has {found} rows|indices")
