"""Features in PostgreSQL answer as those in a GeoPackage, and results are written to tables in one transaction."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import pwd
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DEM, EVI, ROOT, Command, run_command

gpd = pytest.importorskip("geopandas")

INITDB = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
POSTGIS = glob.glob("/usr/share/postgresql/*/extension/postgis.control")
pytestmark = pytest.mark.skipif(
    not INITDB or not POSTGIS, reason="PostgreSQL with PostGIS is not installed")
SECRET = "s3cret pass"
SAMPLES = ["clinics", "wards", "rivers", "garden_sections", "gas_assemblies", "gas_devices",
           "gas_junctions", "gas_pipes", "gas_structures"]
TRACK = "rasters/walk.csv"
FENCES = ["--fences", "rasters/garden_sections.geojson"]
WALK = ["monitor", "--feed", TRACK, *FENCES]
GAS = ["trace", "rasters/gas.json", "--filter-category", "Isolating"]
ISOLATION = [*GAS, "--type", "isolation", "--start", "M0054:2", "--include-isolated"]


class Database:
    """A PostgreSQL server in a temporary folder, on a socket and a port of this machine."""

    def __init__(self) -> None:
        self.programs = os.path.dirname(INITDB[-1])
        self.folder = Path(tempfile.mkdtemp(prefix="plumb-pg-"))
        self.user: dict[str, Any] = {}
        if os.getuid() == 0:
            # PostgreSQL does not run as root.
            self.user = {"user": "postgres"}
            shutil.chown(self.folder, "postgres")
        self.folder.chmod(0o755)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.address = f"PG:host={self.folder} port={self.port} user=owner dbname=town"

    def run(self, *command: str) -> str:
        done = subprocess.run(command, check=True, cwd=self.folder, capture_output=True, text=True,
                              **self.user)
        return str(done.stdout)

    def start(self) -> None:
        self.run(f"{self.programs}/initdb", "-D", "data", "-A", "trust", "-U", "owner", "--no-sync")
        with open(self.folder / "data/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nfsync = off\n"
                       f"unix_socket_directories = '{self.folder}'\nlog_statement = all\n"
                       "log_min_messages = warning\n")
        rules = self.folder / "data/pg_hba.conf"
        rules.write_text("local all bob scram-sha-256\nlocal all all trust\n"
                         "host all all 127.0.0.1/32 scram-sha-256\n")
        self.run(f"{self.programs}/pg_ctl", "-D", "data", "-w", "-l", "log", "start")
        self.ask("CREATE DATABASE town", "postgres")
        self.ask("CREATE DATABASE bare", "postgres")
        self.ask("CREATE EXTENSION postgis")
        self.ask(f"CREATE ROLE bob LOGIN PASSWORD '{SECRET}'; ALTER ROLE owner PASSWORD '{SECRET}'")

    def stop(self) -> None:
        self.run(f"{self.programs}/pg_ctl", "-D", "data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, text: str, name: str = "town") -> str:
        done = subprocess.run(
            ["psql", "-h", str(self.folder), "-p", str(self.port), "-U", "owner", "-d", name,
             "-qAtX", "-v", "ON_ERROR_STOP=1"], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def load(self, name: str, table: Any, srid: int = 4326, kind: str = "geometry") -> None:
        """Creates a table with the columns and the shapes of a frame."""
        types = {"i": "bigint", "f": "double precision", "b": "boolean"}
        columns = [column for column in table.columns if column != "geometry"]
        declared = "".join(
            f', "{column}" {types.get(table[column].dtype.kind, "text")}' for column in columns)
        lines = [f'CREATE TABLE {name} (fid serial PRIMARY KEY, geom {kind}(Geometry, {srid})'
                 f'{declared});']
        for row in table.itertuples(index=False):
            values = [row[table.columns.get_loc(column)] for column in columns]
            texts = ", ".join(
                "NULL" if value is None or value != value
                else "'" + str(value).replace("'", "''") + "'" for value in values)
            shape = row[table.columns.get_loc("geometry")]
            where = f"ST_GeomFromWKB('\\x{shape.wkb_hex}', {srid})"
            lines.append(f"INSERT INTO {name} VALUES (DEFAULT, {where}{', ' if texts else ''}"
                         f"{texts});")
        lines.append(f"CREATE INDEX ON {name} USING gist (geom);")
        self.ask("\n".join(lines))

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    made = Database()
    made.start()
    try:
        for name in SAMPLES:
            made.load(name, gpd.read_file(ROOT / "rasters" / f"{name}.geojson"))
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples as GeoPackages."""
    folder = tmp_path_factory.mktemp("packages")
    for name in SAMPLES:
        gpd.read_file(ROOT / "rasters" / f"{name}.geojson").to_file(folder / f"{name}.gpkg")
    return folder


def run(command: Command, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(
        [command.path, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env=os.environ | environment)


def rows(text: str) -> list[str]:
    """The lines of a result, sorted, because a database returns rows in any order."""
    return sorted(line.removesuffix(",") for line in text.splitlines())


def failure(command: Command, *arguments: str, **environment: str) -> str:
    """The one line with which a run fails."""
    done = run(command, *arguments, **environment)
    assert done.returncode == 1, (done.stdout, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("plumb: "), done.stderr
    assert "s3cret" not in done.stderr + done.stdout
    return lines[0]


# Reading


def test_equal_answers(command: Command, database: Database, packages: Path) -> None:
    pg = database.address

    def equal(database: list[str], package: list[str]) -> None:
        found, expected = command(*database), command(*package)
        assert rows(found) == rows(expected) and len(rows(expected)) > 1

    def both(name: str, *arguments: str) -> None:
        layer = ["--layer", name]
        equal([word.replace("IN", pg) for word in arguments] + layer,
              [word.replace("IN", f"{packages}/{name}.gpkg") for word in arguments] + layer)

    both("clinics", "identify", DEM, EVI, "--points", "IN", "--of", "csv")
    both("clinics", "identify", DEM, "--points", "IN", "--of", "geojson")
    both("clinics", "identify", DEM, "--points", "IN", "--radius", "500m")
    both("wards", "zonal", DEM, "--areas", "IN", "--stat", "count,mean,median")
    both("wards", "zonal", DEM, "--areas", "IN", "--where", "POP > 20000")
    both("rivers", "buffer", "IN", "--distance", "50", "--geodesic", "--of", "csv")
    both("clinics", "buffer", "IN", "--distance", "50", "--geodesic", "--of", "geojson")
    dates = packages / "dates.csv"
    dates.write_text(f"file,date\n{ROOT / EVI},2025-03-22\n")
    both("clinics", "identify", EVI, "--series", "--dates", str(dates), "--points", "IN",
         "--of", "csv")
    walk = ["monitor", "--feed", "rasters/walk.csv", "--fences"]
    equal([*walk, f"{pg}#garden_sections"], [*walk, f"{packages}/garden_sections.gpkg"])


def test_documents(
    command: Command, database: Database, packages: Path, tmp_path: Path
) -> None:
    """A layer of a map, and the sources of a network, may be tables of an allowed host."""
    pg = f"PG:host=127.0.0.1 port={database.port} user=owner dbname=town"
    for name in ["gas.json", "gas_associations.csv"]:
        shutil.copy(ROOT / "rasters" / name, tmp_path / name)
    network = (tmp_path / "gas.json").read_text()
    for name in ["assemblies", "devices", "junctions", "pipes", "structures"]:
        assert f'"gas_{name}.geojson"' in network
        network = network.replace(f'"gas_{name}.geojson"', f'"{pg}"')
    (tmp_path / "gas.json").write_text(network)
    layer = {"id": "wards", "title": "wards", "layerType": "ArcGISFeatureLayer",
             "url": f"{pg}#wards"}
    (tmp_path / "map.json").write_text(json.dumps(
        {"version": "2.31", "spatialReference": {"wkid": 4326}, "operationalLayers": [layer]}))
    (tmp_path / "plain.json").write_text(json.dumps(
        {"version": "2.31", "spatialReference": {"wkid": 4326}, "operationalLayers": [
            layer | {"url": "wards.gpkg"}]}))
    shutil.copy(packages / "wards.gpkg", tmp_path)
    point = ["--at", "18.4233,-33.9221", "--layer", "wards", "--where", "pop > 10 AND WARD = 1"]
    allowed = {"PGPASSWORD": SECRET}
    found = run(command, "identify", str(tmp_path / "map.json"), *point, "--allow-host",
                "127.0.0.1", **allowed)
    expected = run(command, "identify", str(tmp_path / "plain.json"), *point)
    assert expected.returncode == 0 and found.stdout == expected.stdout, found.stderr
    cursor = [line for line in database.log.splitlines() if "DECLARE" in line][-1]
    assert "&&" in cursor and '"POP" > 10' in cursor and '"WARD" = 1' in cursor
    trace = ["--start", "M0054:2", "--type", "isolation", "--filter-category", "Isolating",
             "--format", "json"]
    found = run(command, "trace", str(tmp_path / "gas.json"), *trace, "--allow-host",
                f"127.0.0.1:{database.port}", **allowed)
    expected = run(command, "trace", "rasters/gas.json", *trace)
    assert expected.returncode == 0, expected.stderr
    assert found.stdout == expected.stdout, found.stderr
    message = failure(command, "trace", str(tmp_path / "gas.json"), *trace)
    assert "it names the host 127.0.0.1" in message and "--allow-host 127.0.0.1" in message
    for other, reason in [
        ("PG:service=town", "a document may not set service"),
        (f"PG:host={database.folder} dbname=town", "a document names one host"),
        (f"{pg} password=s3cret", "a document may not set password"),
        (f"{pg} hostaddr=127.0.0.1", "a document may not set hostaddr"),
    ]:
        (tmp_path / "gas.json").write_text(network.replace(pg, other))
        assert reason in failure(command, "trace", str(tmp_path / "gas.json"), *trace,
                                 "--allow-host", "127.0.0.1", **allowed)


def test_streams_with_filters(command: Command, database: Database) -> None:
    command("zonal", DEM, "--areas", database.address, "--layer", "wards",
            "--where", "POP >= 20000 AND NAME <> 'x' AND (WARD = 3 OR WARD BETWEEN 5 AND 9)")
    cursor = [line for line in database.log.splitlines() if "DECLARE" in line][-1]
    assert '"POP" >= 20000' in cursor and '"WARD" = 3' in cursor and "<> 'x'" not in cursor
    assert "FETCH 2000" in database.log


def test_where_equals_local(command: Command, database: Database) -> None:
    """Conditions have the same results whether the database or Plumb evaluates them."""
    for where in ["pop < 5000.5", "name = 'City Bowl'", "NAME IN ('City Bowl', 'x''y')",
                  "density IS NOT NULL AND pop <> 7477", "ward = -1 OR density >= 270.2",
                  "name LIKE 'C%' AND ward < 20", "density = 270.2", "270.2 <= density"]:
        arguments = ["--where", where]
        found = command("zonal", DEM, "--areas", database.address, "--layer", "wards", *arguments)
        expected = command("zonal", DEM, "--areas", "rasters/wards.geojson", *arguments)
        assert sorted(found.splitlines()) == sorted(expected.splitlines()), where


def test_types_and_names(command: Command, database: Database) -> None:
    database.ask("""
        CREATE SCHEMA "My Works";
        CREATE TABLE "My Works"."t.1" (
          id int PRIMARY KEY, geog geography(Point, 4326), small smallint, big bigint,
          part numeric(10, 2), single real, day date, moment timestamptz, truth boolean,
          code uuid, data json, list int[]);
        INSERT INTO "My Works"."t.1" VALUES (7, 'POINT(18.42 -33.92)', 3, 9007199254740993, 12.25,
          0.1, '2024-05-31', '2024-05-31 12:00:00+00', true,
          '00000000-0000-0000-0000-000000000001', '{"a": 1}', '{1,2}');
        """)
    text = command("identify", DEM, "--points", database.address, "--layer", "My Works.t.1",
                   "--of", "jsonl")
    row = json.loads(text)["input"]
    assert row["big"] == 9007199254740993 and row["part"] == 12.25 and row["single"] == 0.1
    assert row["day"] == "2024-05-31" and row["truth"] is True and row["data"] == {"a": 1}
    assert row["moment"].startswith("2024-05-31T12:00:00")


def test_service_and_password_files(command: Command, database: Database, tmp_path: Path) -> None:
    database.ask("GRANT SELECT ON clinics TO bob")
    services = tmp_path / "services.conf"
    services.write_text(f"[town]\nhost={database.folder}\nport={database.port}\ndbname=town\n"
                        "user=bob\n")
    passwords = tmp_path / "passwords"
    passwords.write_text(f"*:*:town:bob:{SECRET}\n")
    passwords.chmod(0o600)
    arguments = ["identify", DEM, "--points", "PG:service=town", "--layer", "clinics", "-q"]
    done = run(command, *arguments, PGSERVICEFILE=str(services), PGPASSFILE=str(passwords))
    assert done.returncode == 0 and len(done.stdout.splitlines()) > 20, done.stderr
    done = run(command, *arguments, PGSERVICEFILE=str(services), PGPASSWORD=SECRET)
    assert done.returncode == 0, done.stderr
    assert "definition of service" in failure(command, *arguments, PGSERVICEFILE="/dev/null")


def test_reading_errors(command: Command, database: Database) -> None:
    pg = database.address

    def points(address: str, layer: str, **environment: str) -> str:
        return failure(
            command, "identify", DEM, "--points", address, "--layer", layer, **environment)

    bob = f"PG:host={database.folder} port={database.port} user=bob dbname=town password='s3cret x'"
    message = points(bob, "clinics")
    assert 'password authentication failed for user "bob"' in message and "password=…" in message
    url = f"postgresql://bob:s3cret@127.0.0.1:{database.port}/town?sslpassword=s3cret"
    assert 'password authentication failed for user "bob"' in points(url, "clinics")
    assert "missing \"=\"" in points(f"{pg} password s3cret", "clinics")
    assert "No such file or directory" in points("PG:host=/nowhere password=s3cret", "x")
    assert "does not exist" in points(f"{pg} dbname=nosuch", "x")
    assert 'has no layer "nosuch"; it has "clinics"' in points(pg, "nosuch")
    database.ask("REVOKE ALL ON clinics FROM bob; CREATE TABLE plain (a int)")
    good = f"PG:host={database.folder} port={database.port} user=bob dbname=town"
    assert "permission denied for table clinics" in points(good, "clinics", PGPASSWORD=SECRET)
    assert "no coordinate columns" in points(pg, "plain")
    fences = failure(command, "monitor", "--feed", "rasters/walk.csv", "--fences", f"{pg}#plain")
    assert "no geometries for fences" in fences
    database.ask("""
        CREATE TABLE mixed (id int, geom geometry);
        INSERT INTO mixed VALUES (1, 'SRID=4326;POINT(18 -34)'), (2, 'SRID=3857;POINT(2e6 -4e6)')
        """)
    assert "several SRIDs (3857, 4326)" in points(pg, "mixed")


def backends(database: Database) -> list[str]:
    return database.ask("SELECT pid FROM pg_stat_activity WHERE datname = 'town' AND "
                        "pid <> pg_backend_pid() AND backend_type = 'client backend'").split()


def large(database: Database, count: int) -> None:
    database.ask(f"""
        CREATE TABLE IF NOT EXISTS large AS SELECT i AS id, ST_SetSRID(ST_MakePoint(
          18.3 + (i % 1000) * 0.0005, -34.2 + (i / 1000) * 0.0005), 4326)
          ::geometry(Point, 4326) AS geom FROM generate_series(0, {count - 1}) AS i
        """)


def test_lost_connection(command: Command, database: Database) -> None:
    """If the server ends the connection, the run fails with one line, and no rows are written."""
    large(database, 500_000)
    for arguments in [["-o", "/dev/null", "--of", "csv"],
                      ["-o", database.address, "--table", "lost"]]:
        process = subprocess.Popen(
            [command.path, "identify", DEM, "--points", database.address, "--layer", "large", "-q",
             *arguments], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 30
        marker = "DECLARE" if len(arguments) == 4 and arguments[2] == "--of" else "COPY"
        before = database.log.count(marker)
        while database.log.count(marker) == before and time.monotonic() < end:
            time.sleep(0.02)
        for pid in backends(database):
            database.ask(f"SELECT pg_terminate_backend({pid})")
        _, text = process.communicate(timeout=60)
        assert process.returncode == 1, text
        assert len(text.strip().splitlines()) == 1 and "connection" in text, text
    assert database.ask("SELECT to_regclass('lost') IS NULL") == "t"


# Writing


def test_writes_tables(command: Command, database: Database, tmp_path: Path) -> None:
    """A table has the rows, types, CRS and index of a GeoPackage with the same result."""
    pg = database.address
    cases = [
        ("values", ["identify", DEM, EVI, "--points", "rasters/clinics.geojson", "--status"]),
        ("statistics", ["zonal", DEM, "--areas", "rasters/wards.geojson"]),
        ("near", ["buffer", "rasters/rivers.geojson", "--distance", "50", "--geodesic"]),
        ("utm", ["buffer", "rasters/clinics.geojson", "--distance", "50", "--geodesic",
                 "--out-crs", "EPSG:32734"]),
        ("discs", ["identify", DEM, "--points", "rasters/clinics.geojson", "--radius", "300m"])]
    for name, arguments in cases:
        command(*arguments, "-o", pg, "--table", name)
        command(*arguments, "-o", str(tmp_path / f"{name}.gpkg"))
        for source in [pg, str(tmp_path / f"{name}.gpkg")]:
            verb = ["buffer", source, "--distance", "1", "--geodesic", "--of", "csv"]
            if source == pg:
                found = command(*verb, "--layer", name)
            else:
                assert rows(found) == rows(command(*verb)), name
        assert database.ask(
            f"SELECT count(*) FROM pg_indexes WHERE tablename = '{name}' AND indexdef LIKE "
            "'%USING gist (geom)'") == "1"
    srids = database.ask("SELECT string_agg(f_table_name || srid || type, ',' ORDER BY 1) FROM "
                         "geometry_columns WHERE f_table_name IN ('values', 'utm', 'statistics')")
    assert srids == "statistics4326MULTIPOLYGON,utm32734MULTIPOLYGON,values4326POINT"
    assert database.ask("SELECT pg_typeof(dem) FROM values LIMIT 1".replace("values", '"values"')
                        ) == "bigint"
    assert "COPY \"values\"" in database.log or 'COPY "public"."values"' in database.log


def test_modes(command: Command, database: Database) -> None:
    pg = database.address
    base = ["identify", DEM, "--points", "rasters/clinics.geojson", "-o", pg, "--table", "modes"]
    count = "SELECT count(*) FROM modes"
    command(*base)
    first = int(database.ask(count))
    message = failure(command, *base)
    assert "already has a table modes" in message
    assert "--overwrite replaces it" in message and "--append adds rows to it" in message
    command(*base, "--append")
    assert int(database.ask(count)) == 2 * first
    command(*base, "--overwrite")
    assert int(database.ask(count)) == first
    # A table that other objects need is not dropped.
    database.ask("CREATE VIEW needing AS SELECT * FROM modes")
    assert "other objects depend on it" in failure(command, *base, "--overwrite")
    assert int(database.ask(count)) == first
    assert "no table absent" in failure(command, *base[:-1], "absent", "--append")
    assert 'column "evi_cape_town" of relation "modes" does not exist' in failure(
        command, "identify", EVI, "--points", "rasters/clinics.geojson", "-o", pg, "--table",
        "modes", "--append")
    database.ask("CREATE SCHEMA works")
    command(*base[:-1], "works.modes")
    assert int(database.ask("SELECT count(*) FROM works.modes")) == first
    assert 'schema "nosuch"' in failure(command, *base[:-1], "nosuch.modes").lower()


def test_failures_leave_nothing(command: Command, database: Database, tmp_path: Path) -> None:
    pg = database.address
    point = ('{"type": "Feature", "properties": {"n": 1}, "geometry": {"type": "Point", '
             '"coordinates": [18.42, -33.92]}},\n')
    points = tmp_path / "points.geojson"
    points.write_text('{"type": "FeatureCollection", "features": [' + point * 30_000 + '{"type"')
    write = ["-o", pg, "--table", "nothing"]
    assert "ends too early" in failure(
        command, "identify", DEM, "--points", str(points), *write, "-q")
    assert database.ask("SELECT to_regclass('nothing') IS NULL") == "t"
    base = ["identify", DEM, "--points", "rasters/clinics.geojson"]
    bare = pg.replace("dbname=town", "dbname=bare")
    assert "lacks the PostGIS extension" in failure(command, *base, "-o", bare, "--table", "t")
    bob = pg.replace("user=owner", "user=bob")
    assert "permission denied for schema public" in failure(
        command, *base, "-o", bob, "--table", "t", PGPASSWORD=SECRET)
    database.ask("CREATE TABLE narrow (\"NAME\" varchar(3), \"BEDS\" int, "
                 "\"OPEN_24H\" bool, dem int, geom geometry(Point, 4326))")
    assert "value too long" in failure(command, *base, "-o", pg, "--table", "narrow", "--append")
    database.ask("CREATE TABLE other (\"NAME\" text, \"BEDS\" int, \"OPEN_24H\" bool, dem int, "
                 "geom geometry(Point, 32734))")
    assert "SRID" in failure(command, *base, "-o", pg, "--table", "other", "--append")
    assert database.ask("SELECT count(*) FROM narrow, other") == "0"


def test_usage(command: Command, database: Database) -> None:
    base = ["identify", DEM, "--points", "rasters/clinics.geojson"]
    for arguments, text in [
        (["-o", database.address], "name the table with --table"),
        (["-o", "x.csv", "--table", "t"], "not the address of a database"),
        (["--table", "t"], "--table needs -o"),
        (["-o", database.address, "--append"], "--append needs --table"),
        (["-o", database.address, "--table", "t", "--append", "--overwrite"],
         "--append cannot be combined with --overwrite"),
        (["-o", database.address, "--table", "t", "--of", "csv"], "is for files"),
    ]:
        done = run(command, *base, *arguments)
        assert done.returncode in (1, 64) and text in done.stderr, (arguments, done.stderr)


def test_listing(command: Command, database: Database) -> None:
    done = run(command, "info", database.address + " password=s3cret")
    assert done.returncode == 0 and "layer wards: geometry" in done.stdout, done.stderr
    assert "s3cret" not in done.stdout and "password=…" in done.stdout
    done = run(command, "info", database.address + " password=s3cret", "--format", "json")
    assert "s3cret" not in done.stdout + done.stderr


# Traces and events


def package_rows(path: Path, layer: str) -> list[dict[str, Any]]:
    """The rows of a layer of a GeoPackage, with their shapes as WKB."""
    with contextlib.closing(sqlite3.connect(path)) as package:
        package.row_factory = sqlite3.Row
        rows = [dict(row) for row in package.execute(f"SELECT * FROM {layer} ORDER BY fid")]
    for row in rows:
        shape = row.pop("geom")
        # A header of 8 bytes and an envelope precede the shape.
        start = 8 + [0, 32, 48, 48, 64][shape[3] >> 1 & 7] if shape else 0
        row["shape"] = shape[start:].hex() if shape else None
    return [with_times(row) for row in rows]


def table_rows(database: Database, name: str) -> list[dict[str, Any]]:
    """The rows of a table, with their shapes as WKB."""
    text = database.ask(f"""
        SET TIME ZONE 'UTC';
        SELECT coalesce(json_agg(t ORDER BY fid), '[]') FROM (
          SELECT *, encode(ST_AsBinary(geom, 'NDR'), 'hex') AS shape FROM {name}) AS t
        """)
    rows = json.loads(text)
    for row in rows:
        del row["geom"]
    return [with_times(row) for row in rows]


def with_times(row: dict[str, Any]) -> dict[str, Any]:
    for name in ["time", "crossing_time", "second_time"]:
        if row.get(name):
            row[name] = np.datetime64(row[name].removesuffix("Z").removesuffix("+00:00"))
    return row


def indexed(database: Database, name: str) -> bool:
    return database.ask(f"SELECT count(*) FROM pg_indexes WHERE tablename = '{name}' AND "
                        "indexdef LIKE '%USING gist (geom)'") == "1"


def count(database: Database, name: str) -> int:
    return int(database.ask(f"SELECT count(*) FROM {name}"))


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def disconnect(database: Database) -> None:
    """Ends the connections of all other programs."""
    for pid in backends(database):
        database.ask(f"SELECT pg_terminate_backend({pid})")


def ended(process: subprocess.Popen[str]) -> None:
    """Checks that a run has failed with one line, because it lost its connection."""
    _, text = process.communicate(timeout=60)
    assert process.returncode == 1, text
    assert len(text.strip().splitlines()) == 1 and "connection" in text, text
    assert "s3cret" not in text


def disconnect_during(database: Database, statement: str) -> None:
    """Ends the connections of other programs while the database executes a statement."""
    until(lambda: database.ask(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND "
        f"pid <> pg_backend_pid() AND query LIKE '{statement} %'") != "0")
    disconnect(database)


def delay_rows(database: Database, table: str) -> None:
    """Delays statements that insert rows into a table, after their last row."""
    database.ask(f"""
        CREATE OR REPLACE FUNCTION delay_rows() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF EXISTS (SELECT FROM added) THEN PERFORM pg_sleep(60); END IF; RETURN NULL;
          END $$;
        CREATE TRIGGER slow AFTER INSERT ON {table} REFERENCING NEW TABLE AS added
          FOR EACH STATEMENT EXECUTE FUNCTION delay_rows()
        """)


def test_traces_and_events(command: Command, database: Database, tmp_path: Path) -> None:
    """A table has the rows, shapes, types, CRS and index of the layer of a GeoPackage."""
    network = tmp_path / "town.inp"
    network.write_text(
        "[JUNCTIONS]\nA 10\nB 12\n[RESERVOIRS]\nR 50\n[PIPES]\nP R A 100 100 100 0 Open\n"
        "Q A B 100 100 100 0 Open\n[COORDINATES]\nR 155000 463000\nA 155100 463000\n"
        "B 155200 463050\n")
    message = "{ message: $fencefeature.name, actions: ['call', 'write'], speed: 1.5, none: null }"
    cases = [
        ("isolation", "trace", ISOLATION),
        ("upstream", "trace", [*GAS[:2], "--type", "upstream", "--start", "M0054:Load"]),
        ("rd", "trace", ["trace", str(network), "--type", "connected", "--start", "A",
                         "--crs", "EPSG:28992"]),
        ("segments", "segments", [*GAS, "--segments"]),
        ("events", "events", WALK),
        ("crossings", "events", [*WALK, "--crossings", "--explain", "--message", message])]

    def copies(name: str) -> int:
        return len(re.findall(rf'COPY ("public"\.)?"{name}" ', database.log))

    for name, layer, arguments in cases:
        before = copies(name)
        assert command(*arguments, "-o", database.address, "--table", name) == ""
        command(*arguments, "-o", str(tmp_path / f"{name}.gpkg"))
        found, expected = table_rows(database, name), package_rows(tmp_path / f"{name}.gpkg", layer)
        assert found == expected and len(expected) > 4, name
        assert indexed(database, name)
        # The run is one stream of rows.
        assert copies(name) == before + 1
    srids = database.ask("SELECT string_agg(f_table_name || srid || type, ',' ORDER BY "
                         "f_table_name) FROM geometry_columns WHERE f_table_name IN "
                         "('events', 'isolation', 'rd')")
    assert srids == "events4326POINT,isolation4326GEOMETRY,rd28992GEOMETRY"
    types = database.ask("""
        SELECT pg_typeof("time"), pg_typeof(x), pg_typeof("index"), pg_typeof(message) FROM events
        LIMIT 1
        """)
    assert types == "timestamp with time zone|double precision|bigint|character varying"


def test_modes_of_traces_and_events(command: Command, database: Database) -> None:
    pg = database.address + " password=s3cret"
    for name, arguments in [("traced", ISOLATION), ("monitored", WALK)]:
        base = [*arguments, "-o", pg, "--table", name]
        command(*base)
        first = table_rows(database, name)
        message = failure(command, *base, "-q")
        assert f"already has a table {name}" in message and "password=…" in message
        assert "--overwrite replaces it" in message and "--append adds rows to it" in message
        command(*base, "--append")
        twice = table_rows(database, name)
        assert len({row["fid"] for row in twice}) == 2 * len(first)
        for row in first + twice:
            del row["fid"]
        assert twice == first + first
        command(*base, "--overwrite")
        assert count(database, name) == len(first) and indexed(database, name)
        # A table with other columns and shapes.
        database.ask(f"CREATE TABLE other_{name} (fid serial, shape geometry(Point, 32734))")
        other = [*base[:-1], f"other_{name}", "--append"]
        assert f'of relation "other_{name}" does not exist' in failure(command, *other, "-q")
        database.ask(f"ALTER TABLE {name} ALTER geom TYPE geometry(Geometry, 32734) "
                     "USING ST_SetSRID(geom, 32734)")
        assert "SRID" in failure(command, *base, "--append", "-q")
        assert count(database, name) == len(first) and count(database, f"other_{name}") == 0
    # A monitor is restarted with the options of its first start.
    assert "no table absent" in failure(
        command, *ISOLATION, "-q", "-o", pg, "--table", "absent", "--append")
    command(*WALK, "-o", pg, "--table", "restarted", "--append")
    assert table_rows(database, "restarted") == table_rows(database, "monitored") != []
    assert indexed(database, "restarted")
    # The user of the process is known also in the sandbox of a run with a document.
    nameless = database.address.replace(" user=owner", "")
    user = pwd.getpwuid(os.getuid()).pw_name
    assert f'role "{user}" does not exist' in failure(
        command, *ISOLATION, "-q", "-o", nameless, "--table", "t")


@pytest.mark.parametrize(
    "arguments", [ISOLATION, [*GAS, "--segments"], WALK], ids=["trace", "segments", "monitor"])
def test_lost_connection_of_traces_and_events(
    command: Command, database: Database, arguments: list[str]
) -> None:
    """If the server ends the connection, the database is unchanged."""
    write = ["-o", database.address + " password=s3cret", "--table", "half"]

    def start(*more: str) -> subprocess.Popen[str]:
        return subprocess.Popen([command.path, *arguments, *write, *more, "-q"], cwd=ROOT,
                                stderr=subprocess.PIPE, text=True)

    database.ask("""
        CREATE FUNCTION delay_index() RETURNS event_trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(60); END $$;
        CREATE EVENT TRIGGER slow_index ON ddl_command_start WHEN TAG IN ('CREATE INDEX')
          EXECUTE FUNCTION delay_index();
        """)
    try:
        # The index is created after the rows.
        process = start()
        disconnect_during(database, "CREATE INDEX")
        ended(process)
        assert database.ask("SELECT to_regclass('half') IS NULL") == "t"
        database.ask("DROP EVENT TRIGGER slow_index")
        command(*arguments, *write)
        rows = table_rows(database, "half")
        assert len(rows) > 4
        delay_rows(database, "half")
        process = start("--append")
        disconnect_during(database, "INSERT INTO")
        ended(process)
        assert table_rows(database, "half") == rows
    finally:
        database.ask("DROP EVENT TRIGGER IF EXISTS slow_index; DROP FUNCTION delay_index; "
                     "DROP TABLE IF EXISTS half")


class LiveRun:
    """A monitor that reads a feed from a pipe and writes to a table."""

    def __init__(self, command: Command, database: Database, table: str, *more: str) -> None:
        self.database = database
        self.table = table
        self.process = subprocess.Popen(
            [command.path, "monitor", "--feed", "-", *FENCES, "--max-ahead", "inf", "-q", "-o",
             database.address + " password=s3cret", "--table", table, *more],
            cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def send(self, lines: list[str]) -> None:
        assert self.process.stdin is not None
        # The run may have ended.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.writelines(lines)
            self.process.stdin.flush()

    def wait(self, rows: int) -> None:
        """Waits until the table exists and has a number of rows."""
        def found() -> bool:
            assert self.process.poll() is None, self.process.communicate(timeout=120)
            exists = self.database.ask(f"SELECT to_regclass('{self.table}') IS NOT NULL") == "t"
            return exists and count(self.database, self.table) == rows

        until(found)


def test_live_events(command: Command, database: Database) -> None:
    """Events of a feed from a pipe are rows as soon as they occur, and a restart adds rows."""
    track = (ROOT / TRACK).read_text().splitlines(keepends=True)
    events = [json.loads(line)["index"] for line in command(*WALK).splitlines()]
    middle = events[len(events) // 2]
    part = len([index for index in events if index <= middle])
    assert 0 < part < len(events)
    command(*WALK, "-o", database.address, "--table", "whole")
    whole = table_rows(database, "whole")
    # The first start creates the table.
    run = LiveRun(command, database, "live", "--append")
    run.wait(0)
    assert indexed(database, "live")
    run.send(track[:middle + 2])
    run.wait(part)
    assert table_rows(database, "live") == whole[:part]
    assert "idle in transaction" not in database.ask("SELECT state FROM pg_stat_activity")
    run.process.kill()
    run.process.communicate(timeout=120)
    assert table_rows(database, "live") == whole[:part]
    # A restart with the same options.
    run = LiveRun(command, database, "live", "--append")
    run.send(track)
    run.wait(part + len(events))
    again = table_rows(database, "live")[part:]
    for row in whole + again:
        del row["fid"]
    assert again == whole
    assert run.process.stdin is not None
    run.process.stdin.close()
    assert run.process.wait(timeout=60) == 0
    # An interrupt ends the run after its last events.
    run = LiveRun(command, database, "live", "--overwrite")
    run.wait(0)
    run.send(track[:middle + 2])
    run.wait(part)
    run.process.terminate()
    # The end of the feed would be another reason to end.
    assert run.process.wait(timeout=60) == 128 + 15
    run.process.communicate(timeout=120)
    assert count(database, "live") == part
    # Without an option for it, the existing table is an error before the first row arrives.
    run = LiveRun(command, database, "live")
    _, text = run.process.communicate(timeout=60)
    assert run.process.returncode == 1 and "already has a table live" in text
    # So are other columns.
    run = LiveRun(command, database, "live", "--append", "--explain")
    _, text = run.process.communicate(timeout=60)
    assert run.process.returncode == 1 and 'column "why" of relation "live"' in text
    assert count(database, "live") == part and "s3cret" not in text


def test_lost_connection_of_live_events(command: Command, database: Database) -> None:
    """The events before the loss of the connection are in the table, and no others."""
    track = (ROOT / TRACK).read_text().splitlines(keepends=True)
    events = [json.loads(line)["index"] for line in command(*WALK).splitlines()]
    first = len([index for index in events if index == events[0]])
    for more in [[], ["--append"]]:
        run = LiveRun(command, database, "cut", *more)
        before = 0 if not more else count(database, "cut")
        run.wait(before)
        run.send(track[:events[0] + 2])
        run.wait(before + first)
        rows = table_rows(database, "cut")
        # Between two batches.
        disconnect(database)
        run.send(track[events[0] + 2:])
        ended(run.process)
        assert table_rows(database, "cut") == rows
    # Within a batch.
    delay_rows(database, "cut")
    run = LiveRun(command, database, "cut", "--append")
    run.send(track)
    disconnect_during(database, "INSERT INTO")
    ended(run.process)
    assert table_rows(database, "cut") == rows


@pytest.mark.parametrize("base", [ISOLATION, WALK], ids=["trace", "monitor"])
def test_usage_of_traces_and_events(
    command: Command, database: Database, base: list[str], tmp_path: Path
) -> None:
    file = str(tmp_path / "x.gpkg")
    table = ["-o", database.address + " password=s3cret", "--table", "t"]
    for arguments, text in [
        (table[:2], "name the table with --table"),
        (["-o", file, "--table", "t"], "not the address of a database"),
        (["--table", "t"], "--table needs -o"),
        ([*table[:2], "--append"], "--table"),
        ([*table, "--append", "--overwrite"], "--append cannot be combined with --overwrite"),
        ([*table, "--of", "gpkg"], "is for files"),
        ([*table, "--of", "geojson"], "is for files"),
    ]:
        done = run(command, *base, *arguments)
        assert done.returncode in (1, 64) and text in done.stderr, (arguments, done.stderr)
        assert "s3cret" not in done.stderr
    assert not os.path.exists(file)
    assert database.ask("SELECT to_regclass('t') IS NULL") == "t"
