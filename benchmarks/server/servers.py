"""Plumb's server and its rivals, each on core 0, started and stopped."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import postgres
from inputs import Inputs

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PLUMB = ROOT / ".build/release/plumb-server"
SERVER_CORE, CLIENT_CORE = "0", "1"


class NotStarted(Exception):
    """A server that does not reply, with its last messages."""


@dataclass
class Server:
    """A server at `address`."""

    address: str
    process: subprocess.Popen

    def memory(self) -> dict[str, int]:
        """The current and the peak bytes of the server's first process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = dict(line.split(":", 1) for line in status.splitlines())
        return {name: int(found[name].split()[0]) * 1024
                for name in ("VmRSS", "VmHWM")}


@contextlib.contextmanager
def plumb(inputs: Inputs, folder: Path):
    with _running(folder, "plumb", lambda port: [
            str(PLUMB), str(inputs.document), "--port", str(port)],
            "/health") as server:
        yield server


@contextlib.contextmanager
def plumb_monitor(name: str, definition: Path, folder: Path):
    with _running(folder, "plumb-monitor", lambda port: [
            str(PLUMB), "--monitor", f"{name}={definition}", "--port",
            str(port), "--per-client", "connections=4000"],
            "/health") as server:
        yield server


@contextlib.contextmanager
def titiler(inputs: Inputs, folder: Path):
    """uvicorn with uvloop and httptools; GDAL caches files and blocks."""
    settings = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
                "GDAL_CACHEMAX": "2048"}
    with _running(folder, "titiler", lambda port: [
            sys.executable, "-m", "uvicorn", "titiler_app:app", "--port",
            str(port), "--workers", "1", "--no-access-log", "--log-level",
            "warning"], "/health", settings) as server:
        yield server


@contextlib.contextmanager
def pygeoapi(inputs: Inputs, folder: Path, provider: dict,
             kind: str = "feature", name: str = "parcels"):
    """Its Starlette application on uvicorn, with one collection."""
    def command(port):
        config = folder / "pygeoapi.yml"
        config.write_text(_pygeoapi_config(port, provider, kind, name))
        return [sys.executable, "-m", "uvicorn", "pygeoapi.starlette_app:APP",
                "--port", str(port), "--workers", "1", "--no-access-log",
                "--log-level", "warning"]

    openapi = folder / "openapi.yml"
    settings = {"PYGEOAPI_CONFIG": str(folder / "pygeoapi.yml"),
                "PYGEOAPI_OPENAPI": str(openapi)}
    (folder / "pygeoapi.yml").write_text(
        _pygeoapi_config(5000, provider, kind, name))
    with open(openapi, "w") as file:
        subprocess.run([str(Path(sys.executable).with_name("pygeoapi")),
                        "openapi", "generate", settings["PYGEOAPI_CONFIG"]],
                       stdout=file, check=True)
    with _running(folder, "pygeoapi", command, "/conformance?f=json",
                  settings) as server:
        yield server


@contextlib.contextmanager
def pygeoapi_postgis(inputs: Inputs, folder: Path):
    """The same with the polygons in PostGIS, which also runs on core 0."""
    free = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {int(SERVER_CORE)})
    with postgres.Server() as database:
        os.sched_setaffinity(0, free)
        database.ask("CREATE EXTENSION postgis")
        subprocess.run(
            ["ogr2ogr", "-f", "PostgreSQL",
             f"PG:host={database.folder} user=postgres dbname=postgres",
             str(inputs.polygons), "-lco", "GEOMETRY_NAME=shape"], check=True)
        database.ask("VACUUM ANALYZE parcels")
        with pygeoapi(inputs, folder, {
                "name": "PostgreSQL", "id_field": "fid", "table": "parcels",
                "geom_field": "shape", "data":
                f"{{host: {database.folder}, dbname: postgres, user: "
                "postgres, password: none, search_path: [public]}"}) as server:
            yield server


@contextlib.contextmanager
def mapserver(inputs: Inputs, folder: Path, connection: str):
    """One FastCGI process behind nginx, both on core 0."""
    mapfile, config = folder / "land.map", folder / "mapserver.conf"
    mapfile.write_text(_mapfile(inputs, connection))
    config.write_text('CONFIG\n ENV\n  MS_MAP_PATTERN "."\n END\n MAPS\n'
                      f'  LAND "{mapfile}"\n END\nEND\n')
    gate = folder / "mapserver.sock"
    gate.unlink(missing_ok=True)
    environment = {**os.environ, "MAPSERVER_CONFIG_FILE": str(config),
                   "MS_MAPFILE": "LAND",
                   "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR"}
    worker = subprocess.Popen(
        ["taskset", "-c", SERVER_CORE, "spawn-fcgi", "-n", "-s", str(gate),
         "-M", "0666", "--", "/usr/lib/cgi-bin/mapserv"], env=environment,
        stderr=open(folder / "mapserver.log", "w"))
    try:
        with _running(folder, "nginx", lambda port: [
                "nginx", "-c", str(_nginx_config(folder, gate, port))],
                "/?SERVICE=WMS&REQUEST=GetCapabilities") as server:
            yield server
    finally:
        worker.kill()
        worker.wait()


@contextlib.contextmanager
def _running(folder, name, command, path, settings={}):
    """A server that has replied once."""
    port = _free_port()
    with open(folder / f"{name}.log", "w") as log:
        process = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE, *command(port)], cwd=HERE,
            env={**os.environ, **settings}, stdout=log, stderr=log)
    server = Server(f"http://127.0.0.1:{port}", process)
    try:
        _wait(server, path, Path(log.name))
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait(server, path, log):
    for _ in range(600):
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(server.address + path) as reply:
                reply.read()
            return
        if server.process.poll() is not None:
            break
        time.sleep(0.1)
    raise NotStarted(f"{log.stem} does not reply\n"
                     + log.read_text()[-2000:])


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _nginx_config(folder, gate, port):
    path = folder / "nginx.conf"
    path.write_text(f"""\
daemon off; worker_processes 1; pid {folder}/nginx.pid;
error_log {folder}/nginx-errors.log; user root;
events {{ worker_connections 256; }}
http {{
 access_log off; keepalive_requests 100000000;
 upstream worker {{ server unix:{gate}; keepalive 16; }}
 server {{ listen 127.0.0.1:{port};
  location / {{ include /etc/nginx/fastcgi_params; fastcgi_pass worker;
   fastcgi_keep_conn on; }} }}
}}
""")
    return path


def _mapfile(inputs, connection):
    data = {
        "shapefile": f'TYPE POLYGON DATA "{inputs.shapefile}"',
        "geopackage": 'TYPE POLYGON CONNECTIONTYPE OGR '
                      f'CONNECTION "{inputs.polygons}" DATA "parcels"',
    }[connection]
    return f"""\
MAP
 NAME "land" EXTENT 18 -35 19 -33 SIZE 400 400
 PROJECTION "init=epsg:4326" END
 WEB METADATA "ows_enable_request" "*" "ows_title" "land"
  "ows_srs" "EPSG:4326" "ows_onlineresource" "http://127.0.0.1/" END END
 LAYER NAME "parcels" {data}
  PROCESSING "CLOSE_CONNECTION=DEFER" TEMPLATE "none" STATUS ON
  PROJECTION "init=epsg:4326" END
  METADATA "ows_title" "parcels" "gml_include_items" "all" "ows_include_items"
   "all" END
  CLASS STYLE COLOR 200 200 200 END END
 END
 LAYER NAME "ndvi" TYPE RASTER DATA "{inputs.raster}"
  PROCESSING "CLOSE_CONNECTION=DEFER" TEMPLATE "none" STATUS ON TOLERANCE 0
  PROJECTION "init=epsg:4326" END
  METADATA "ows_title" "ndvi" "ows_include_items" "all" END
 END
END
"""


def _pygeoapi_config(port, provider, kind, name):
    lines = "\n".join(f"          {key}: {value}"
                      for key, value in provider.items())
    return f"""\
server:
  bind: {{host: 127.0.0.1, port: {port}}}
  url: http://127.0.0.1:{port}
  mimetype: application/json; charset=UTF-8
  encoding: utf-8
  gzip: false
  language: en-US
  limits: {{default_items: 10, max_items: 5000}}
  map: {{url: "https://tile.example/{{z}}/{{x}}/{{y}}.png", attribution: none}}
logging: {{level: ERROR}}
metadata:
  identification:
    title: land
    description: land
    keywords: [land]
    keywords_type: theme
    terms_of_service: none
    url: http://127.0.0.1/
  license: {{name: none, url: http://127.0.0.1/}}
  provider: {{name: none, url: http://127.0.0.1/}}
  contact: {{name: none, email: none}}
resources:
  {name}:
    type: collection
    title: {name}
    description: {name}
    keywords: [{name}]
    links: []
    extents: {{spatial: {{bbox: [18, -35, 19, -33]}}}}
    providers:
        - type: {kind}
{lines}
"""


def version(*command: str) -> str:
    """The first line of a program's version output."""
    if not shutil.which(command[0]):
        return "not installed"
    outcome = subprocess.run(command, capture_output=True, text=True)
    return (outcome.stdout + outcome.stderr).strip().splitlines()[0]
