"""Layers with dates of map documents: the command, the server's interfaces and pictures equal rasterio's arrays."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
import rasterio
from conftest import Command, run_command

TRANSFORM = rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)
SHAPE = (12, 14)
NODATA = -200
DAYS = [dt.date(2025, 1, 1), dt.date(2025, 1, 17), dt.date(2025, 2, 2), dt.date(2025, 2, 18),
        dt.date(2025, 3, 22)]


def write(path: Path, grid: Any, nodata: float | None = None, **options: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    with rasterio.open(
            path, "w", driver="GTiff", height=grid.shape[0], width=grid.shape[1], count=1,
            dtype=grid.dtype, crs="EPSG:32734", transform=options.pop("transform", TRANSFORM),
            nodata=nodata, **options) as target:
        target.write(grid, 1)


class Scene:
    """A map document with two layers with dates, a raster without dates, and the arrays."""

    def __init__(self, folder: Path) -> None:
        random = np.random.default_rng(5)
        self.folder, self.document = folder, folder / "fields.json"
        self.evi = random.integers(-150, 900, (len(DAYS), *SHAPE)).astype("int16")
        self.evi[random.uniform(0, 1, self.evi.shape) < 0.1] = NODATA
        self.qa = random.integers(0, 8, (len(DAYS), *SHAPE)).astype("uint8")
        for day, evi, qa in zip(DAYS, self.evi, self.qa):
            write(folder / "evi" / f"evi_{day:%Y%j}.tif", evi, NODATA)
            write(folder / "qa" / f"qa_{day:%Y%j}.tif", qa)
        write(folder / "dem.tif", np.full(SHAPE, 7, "uint8"))
        self.save([
            {"id": "dem", "layerType": "RasterLayer", "url": "dem.tif", "title": "dem"},
            {"id": "qa", "layerType": "RasterLayer", "url": "qa/*.tif", "title": "qa",
             "dates": "qa_%Y%j"},
            {"id": "evi", "layerType": "RasterLayer", "url": "evi/*.tif", "title": "evi",
             "dates": ["evi_%Y%j"], "group": "time"}])

    def save(self, layers: list[dict[str, Any]], name: str = "fields.json") -> Path:
        path = self.folder / name
        path.write_text(json.dumps({"version": "2.31", "operationalLayers": layers}))
        return path


def centre(row: int, column: int) -> tuple[float, float]:
    return 300_050 + 100 * column, 6_239_950 - 100 * row


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("dated"))


class Server:
    """A server of one document on a free port."""

    def __init__(self, command: str, document: Path, log: Path) -> None:
        program = str(Path(command).with_name("plumb-server"))
        if not os.path.isfile(program):
            pytest.skip("there is no plumb-server next to the command")
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                [program, str(document), "--port", "0"], stderr=file, stdout=file)
        for _ in range(600):
            found = re.search(r"https?://[^:]*:(\d+)/", log.read_text())
            if found or self.process.poll() is not None:
                break
            time.sleep(0.1)
        assert found, log.read_text()
        self.root = f"http://127.0.0.1:{found.group(1)}"

    def __call__(self, path: str, body: Any = None, kind: str = "application/json",
                 **parameters: Any) -> tuple[int, str, Any]:
        """The status, the text and the headers of a reply."""
        address = self.root + path
        if parameters:
            named = {name.replace("_", "-") if path.startswith(("/ogc", "/api")) else name: value
                     for name, value in parameters.items()}
            address += "?" + urllib.parse.urlencode(named)
        data = None if body is None else (
            body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(address, data, {"Content-Type": kind} if data else {})
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, reply.read().decode("utf-8", "replace"), reply.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.headers

    def json(self, path: str, body: Any = None, **parameters: Any) -> Any:
        status, text, _ = self(path, body, **parameters)
        assert status == 200, text
        return json.loads(text)


@pytest.fixture(scope="module")
def server(scene: Scene, command: Command) -> Iterator[Server]:
    made = Server(command.path, scene.document, scene.folder / "log")
    yield made
    made.process.terminate()
    assert made.process.wait(60) == 0


def refused(command: Command, *arguments: str) -> str:
    done = run_command([command.path, *arguments], capture_output=True, text=True)
    assert done.returncode in (1, 64), done
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith(("Usage", "  See"))]
    assert lines, done
    return done.stderr


# MARK: Documents

def test_identify_last_and_nearest(command: Command, scene: Scene) -> None:
    x, y = centre(3, 4)
    cases = {None: 4, "2025-01-01": 0, "2025-01-09": 0, "2025-01-10": 1, "2024-01-01": 0,
             "2025-02-18T12:00:00Z": 3, "2025-03-06": 3, "2025-03-07": 4, "2031-01-01": 4}
    for date, index in cases.items():
        arguments = ["identify", str(scene.document), "--at", f"{x},{y}", "--format", "json"]
        results = command.json(*arguments, *(["--date", date] if date else []))["results"]
        found = {result["layer"]["id"]: result["geoElements"][0]["attributes"] for result in results}
        value = int(scene.evi[index, 3, 4])
        assert found["evi"]["Band_0"] == (None if value == NODATA else value), date
        assert found["evi"]["Date"] == DAYS[index].isoformat()
        assert found["qa"]["Band_0"] == scene.qa[index, 3, 4]
        assert found["dem"]["Band_0"] == 7 and "Date" not in found["dem"]


def test_identify_within(command: Command, scene: Scene) -> None:
    x, y = centre(0, 0)
    arguments = ["identify", str(scene.document), "--at", f"{x},{y}", "--format", "json", "--date",
                 "2025-03-12"]
    for within, is_found in (("10d", True), ("9d", False), ("239h", False)):
        results = command.json(*arguments, "--within", within)["results"]
        evi = next(result for result in results if result["layer"]["id"] == "evi")
        assert (evi["error"] is None) == is_found
        if not is_found:
            assert evi["geoElements"] == [] and "only 5 dates from 2025-01-01 to 2025-03-22" \
                in evi["error"]["message"]
    assert "within" in refused(command, *arguments[:6], "--within", "9d")


def test_map_rows_equal_rows_of_rasters(command: Command, scene: Scene, tmp_path: Path) -> None:
    table = points(tmp_path)
    rasters = [f"evi={scene.folder}/evi/*.tif", f"qa={scene.folder}/qa/*.tif", "--dates", "*_%Y%j"]
    for options in cases():
        arguments = [f"--{name}" if value is True else f"--{name}={value}"
                     for name, value in options.items()]
        wanted = command("identify", *rasters, "--points", table, *arguments)
        assert command("identify", str(scene.document), "--points", table, *arguments) == wanted
    done = run_command(
        [command.path, "identify", str(scene.document), "--points", table, "--series"],
        capture_output=True, text=True)
    assert "layers without dates are not read: dem" in done.stderr
    one = command("identify", str(scene.document), "--points", table, "--series", "--layer", "evi")
    assert one == command("identify", *rasters[:1], "--dates", "evi_%Y%j", "--points", table, "--series")


def test_series_at_a_point(command: Command, scene: Scene) -> None:
    x, y = centre(5, 6)
    lines = command("identify", str(scene.document), "--at", f"{x},{y}", "--at", "0,0", "--series",
                    "--valid", "(qa & 1) = 0", "--from", "2025-01-17").splitlines()
    here, outside = (json.loads(line) for line in lines)
    assert here["place"]["x"] == x and here["place"]["crs"] == "EPSG:32734"
    evi = next(series for series in here["series"] if series["stack"] == "evi")
    assert evi["band"] == 1
    assert [value["date"] for value in evi["values"]] == [day.isoformat() for day in DAYS[1:]]
    for index, value in enumerate(evi["values"], 1):
        cell, is_valid = int(scene.evi[index, 5, 6]), scene.qa[index, 5, 6] & 1 == 0
        status = "nodata" if cell == NODATA else "ok" if is_valid else "no_valid"
        assert value["status"] == status
        assert value["value"] == (cell if status == "ok" else None)
    assert {value["status"] for series in outside["series"] for value in series["values"]} == {"outside"}


@pytest.mark.parametrize(("members", "message"), [
    ({"dates": 5}, "operationalLayers[0].dates: expected a list"),
    ({"dates": []}, "operationalLayers[0].dates: expected a pattern"),
    ({"dates": ["evi_%Y%j", 3]}, "operationalLayers[0].dates[1]: expected a string"),
    ({"dates": "evi_%Q"}, "operationalLayers[0].dates"),
    ({"dates": "other_%Y%j"}, "does not match"),
    ({"dates": "none.csv"}, "operationalLayers[0].dates: no such file: none.csv"),
    ({"dates": "../../etc/dates.csv"}, "outside the map's folder"),
    ({"dates": "tag:NOPE"}, "has no metadata item NOPE"),
    ({"dates": "evi_%Y%j", "group": "week"}, "operationalLayers[0].group: expected time or day"),
    ({"group": "day"}, "has no date"),
])
def test_invalid_members(command: Command, scene: Scene, members: Any, message: str) -> None:
    path = scene.save([{"id": "evi", "layerType": "RasterLayer", "url": "evi/*.tif", **members}],
                      "invalid.json")
    info = json.loads(run_command([command.path, "info", str(path), "--format", "json"],
                                  capture_output=True, text=True).stdout)
    layer = info["layers"][0]
    assert layer["status"] == "failed" and message in layer["error"], layer
    assert "\n" not in layer["error"]


def test_tables_tags_and_info(command: Command, scene: Scene) -> None:
    """A table in the document's folder, and metadata items."""
    rows = "".join(f"evi/evi_{day:%Y%j}.tif,{day}\n" for day in DAYS[:3])
    (scene.folder / "dates.csv").write_text("file,date\n" + rows)
    for number, day in enumerate(DAYS[:3]):
        name = scene.folder / "tagged" / f"{number}.tif"
        write(name, np.full(SHAPE, number, "uint8"))
        with rasterio.open(name, "r+") as file:
            file.update_tags(ACQUIRED=day.isoformat())
    layers = [{"id": "t", "layerType": "RasterLayer", "url": "tagged/*.tif", "dates": "tag:ACQUIRED"},
              {"id": "c", "layerType": "RasterLayer", "url": "evi/evi_20250[0-3]*.tif",
               "dates": "dates.csv"}]
    path = scene.save(layers, "kinds.json")
    info = command.json("info", str(path), "--format", "json")
    for layer in info["layers"]:
        assert (layer["dates"], layer["files"]) == (3, 3), layer
        assert (layer["firstDate"], layer["lastDate"]) == (str(DAYS[0]), str(DAYS[2]))
    x, y = centre(1, 1)
    found = command.json("identify", str(path), "--at", f"{x},{y}", "--date", "2025-01-17", "--format",
                         "json")["results"]
    values = {one["layer"]["id"]: one["geoElements"][0]["attributes"]["Band_0"] for one in found}
    assert values["t"] == 1
    cell = int(scene.evi[1, 1, 1])
    assert values["c"] == (None if cell == NODATA else cell)


# MARK: /api

def points(folder: Path) -> str:
    random = np.random.default_rng(8)
    lines = ["id,x,y,when"]
    for number in range(300):
        x = random.uniform(299_900, 300_000 + 100 * SHAPE[1] + 100)
        y = random.uniform(6_240_000 - 100 * SHAPE[0] - 100, 6_240_100)
        when = dt.date(2024, 12, 20) + dt.timedelta(days=int(random.integers(0, 110)))
        lines.append(f"{number},{x:.3f},{y:.3f},{when if number % 40 else ''}")
    path = folder / "points.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def cases() -> list[dict[str, Any]]:
    when = {"when": "when", "within": "9d", "status": True}
    return [
        when, when | {"match": "before"}, when | {"match": "after", "valid": "(qa & 3) = 0"},
        when | {"interpolate": "linear"}, when | {"reduce": "mean,min,max,count,slope"},
        when | {"valid": "(qa & 3) = 0", "search": "250m"},
        {"series": True}, {"series": True, "from": "2025-01-17", "to": "2025-02-18"},
        {"series": True, "long": True, "valid": "qa < 4"}]


def test_sample_equals_the_command(command: Command, scene: Scene, server: Server,
                                   tmp_path: Path) -> None:
    table = points(tmp_path)
    rasters = [f"evi={scene.folder}/evi/*.tif", f"qa={scene.folder}/qa/*.tif", "--dates", "*_%Y%j"]
    for options in cases():
        arguments = [f"--{name}" if value is True else f"--{name}={value}"
                     for name, value in options.items()]
        wanted = command("identify", *rasters, "--points", table, *arguments)
        sent = {name: "true" if value is True else value for name, value in options.items()}
        query = "/api/sample?" + urllib.parse.urlencode(sent)
        status, text, headers = server(query, Path(table).read_text(), kind="text/csv")
        assert status == 200, text
        assert text == wanted, options
        assert "layers without dates are not read: dem" in headers["Plumb-Warning"]


def test_sample_refuses(server: Server) -> None:
    body = "x,y,when\n300050,6239950,2025-01-01\n"
    for query, message in (
            ("when=when", "within"), ("when=when&within=9", "within"),
            ("when=time&within=9d", "there is no column time"),
            ("when=when&within=9d&valid=nope+%3D+1", "nope"),
            ("dates=x_%25Y", "unknown option dates"),
            ("series=true&from=2026-01-01", "no date in the period"),
            ("series=true&date=2025-01-01", "date"), ("series=true&layer=dem", "has no dates")):
        status, text, _ = server("/api/sample?" + query, body, kind="text/csv")
        assert status == 400 and message in json.loads(text)["error"]["message"], (query, text)


def test_identify_by_date_and_series(scene: Scene, server: Server) -> None:
    x, y = centre(2, 9)
    for date, index in ((None, 4), ("2025-02-01", 2)):
        body: dict[str, Any] = {"at": [x, y], "layer": "evi"} | ({"date": date} if date else {})
        cell = server.json("/api/identify", body)["results"][0]["geoElements"][0]["attributes"]
        value = int(scene.evi[index, 2, 9])
        assert (cell["Band_0"], cell["Date"]) == (None if value == NODATA else value, str(DAYS[index]))
    series = server.json("/api/identify", {
        "at": [x, y], "layer": "evi", "series": True, "from": "2025-01-10", "to": "2025-02-18"})["series"]
    assert [one["date"] for one in series[0]["values"]] == [str(day) for day in DAYS[1:4]]
    for value, cell in zip(series[0]["values"], scene.evi[1:4, 2, 9]):
        assert value["value"] == (None if cell == NODATA else cell)
    status, text, _ = server("/api/identify", {"at": [x, y], "date": "soon"})
    assert status == 400 and "a date such as 2025-03-22" in text


# MARK: /ogc

def test_edr(scene: Scene, server: Server) -> None:
    path = "/ogc/collections/fields.evi"
    temporal = server.json(path)["extent"]["temporal"]
    assert temporal["interval"] == [["2025-01-01T00:00:00Z", "2025-03-22T23:59:59.999Z"]]
    assert temporal["values"] == [str(day) for day in DAYS] and "Gregorian" in temporal["trs"]
    x, y = centre(4, 4)
    shared = {"coords": f"POINT({x} {y})", "crs": "EPSG:32734"}

    def values(indices: list[int], row: int = 4, column: int = 4) -> list[int | None]:
        cells = [int(scene.evi[index, row, column]) for index in indices]
        return [None if cell == NODATA else cell for cell in cells]

    for datetime, indices in (
            (None, [4]), ("2025-01-17", [1]), ("2025-01-17T05:00:00Z", [1]),
            ("2025-01-17/2025-02-18", [1, 2, 3]), ("../2025-01-31", [0, 1]), ("2025-02-03/..", [3, 4])):
        coverage = server.json(path + "/position", **shared, **({"datetime": datetime} if datetime else {}))
        domain, band = coverage["domain"], coverage["ranges"]["Band_0"]
        assert domain["axes"]["t"]["values"] == [str(DAYS[index]) for index in indices], datetime
        assert domain["domainType"] == ("Point" if len(indices) == 1 else "PointSeries")
        assert band["values"] == values(indices)
        if len(indices) > 1:
            assert (band["axisNames"], band["shape"]) == (["t"], [len(indices)])
        assert any(one["system"]["type"] == "TemporalRS" and one["coordinates"] == ["t"]
                   for one in domain["referencing"])
    for datetime in ("2025-01-18", "2025-01-18/2025-02-01", "2030-01-01/.."):
        status, text, _ = server(path + "/position", **shared, datetime=datetime)
        assert status == 404 and "no data at this time" in json.loads(text)["detail"], datetime
    assert server(path + "/position", **shared, datetime="soon")[0] == 400

    multi = {"coords": f"MULTIPOINT(({x} {y}),({x + 100} {y}))", "crs": "EPSG:32734",
             "datetime": "2025-01-01/2025-02-02"}
    coverage = server.json(path + "/position", **multi)
    band = coverage["ranges"]["Band_0"]
    assert coverage["domain"]["domainType"] == "MultiPointSeries"
    assert (band["axisNames"], band["shape"]) == (["t", "composite"], [3, 2])
    pairs = [values([index], 4, column)[0] for index in (0, 1, 2) for column in (4, 5)]
    assert band["values"] == pairs
    table = list(csv.DictReader(io.StringIO(server(path + "/position", **multi, f="CSV")[1])))
    assert [(row["datetime"], row["Band_0"]) for row in table] == [
        (str(DAYS[index]), str(value if value is not None else ""))
        for (index, value) in zip([0, 0, 1, 1, 2, 2], pairs)]
    features = server.json(path + "/position", **multi, f="GeoJSON")["features"]
    assert [feature["id"] for feature in features] == list(range(6))
    assert [feature["properties"] for feature in features] == [
        {"datetime": str(DAYS[index]), "Band_0": value}
        for (index, value) in zip([0, 0, 1, 1, 2, 2], pairs)]


def test_edr_areas(scene: Scene, server: Server) -> None:
    path = "/ogc/collections/fields.qa"
    box = "POLYGON((300000 6239600,300300 6239600,300300 6239800,300000 6239800,300000 6239600))"
    shared = {"coords": box, "crs": "EPSG:32734"}
    coverage = server.json(path + "/area", **shared, datetime="2025-01-01/2025-01-20")
    band = coverage["ranges"]["Band_0"]
    assert band["shape"] == [2, 6]
    assert band["values"] == scene.qa[:2, 2:4, 0:3].ravel().tolist()
    one = server.json(path + "/area", **shared, datetime="2025-02-18", parameter_name="Band_0_mean")
    assert one["domain"]["axes"]["t"]["values"] == ["2025-02-18"]
    assert one["ranges"]["Band_0_mean"]["values"][0] == pytest.approx(scene.qa[3, 2:4, 0:3].mean())
    status, text, _ = server(path + "/area", **shared, datetime="../2025-02-18",
                             parameter_name="Band_0_mean")
    assert status == 400 and "one date" in text
    cells = server.json("/ogc/collections/fields.dem/position", coords="POINT(300050 6239950)", crs="EPSG:32734",
                        datetime="2025-01-18")
    assert cells["ranges"]["Band_0"]["values"] == [7] and "t" not in cells["domain"]["axes"]


# MARK: ImageServer

def milliseconds(day: dt.date, hour: int = 12) -> int:
    time = dt.datetime(day.year, day.month, day.day, hour, tzinfo=dt.timezone.utc)
    return int(time.timestamp() * 1000)


def test_image_service(scene: Scene, server: Server) -> None:
    listing = server.json("/arcgis/rest/services", f="json")["services"]
    images = [one["name"] for one in listing if one["type"] == "ImageServer"]
    described = {name: server.json(f"/arcgis/rest/services/{name}/ImageServer", f="json")
                 for name in images}
    dated = [name for name in images if "timeInfo" in described[name]]
    assert len(images) == 3 and len(dated) == 2
    # The topmost layer has the number 0.
    name = "fields_0"
    info = described[name]["timeInfo"]
    assert info["timeExtent"] == [milliseconds(DAYS[0], 0), milliseconds(DAYS[-1] + dt.timedelta(1), 0) - 1]
    path = f"/arcgis/rest/services/{name}/ImageServer"
    x, y = centre(7, 3)
    point = {"geometry": f"{x},{y}", "geometryType": "esriGeometryPoint", "f": "json"}

    def text(index: int) -> str:
        value = int(scene.evi[index, 7, 3])
        return "NoData" if value == NODATA else str(value)

    for moment, indices in (
            (None, [4]), (f"{milliseconds(DAYS[1], 3)}", [1]), (f"{milliseconds(DAYS[1])}", [1]),
            (f"{milliseconds(DAYS[1], 0)},{milliseconds(DAYS[3], 0)}", [3, 2, 1]),
            (f"null,{milliseconds(DAYS[2])}", [2, 1, 0]), (f"{milliseconds(DAYS[3])},null", [4, 3]),
            (f"{milliseconds(dt.date(2025, 1, 3))}", [])):
        time = {"time": moment} if moment else {}
        found = server.json(path + "/identify", **point, **time)
        assert found["properties"]["Values"] == [text(index) for index in indices], moment
        assert found["properties"]["StdTime"] == [milliseconds(DAYS[index]) for index in indices]
        assert found["value"] == (text(indices[0]) if indices else "NoData")
        sample = server.json(path + "/getSamples", **point, **time)["samples"][0]
        assert sample["value"] == (text(indices[0]) if indices else "NoData")
        if indices:
            assert sample["attributes"]["StdTime"] == milliseconds(DAYS[indices[0]])
    fault = server.json(path + "/identify", **point, time="soon")["error"]
    assert "time" in fault["message"]
    plain = next(name for name in images if name not in dated)
    fault = server.json(f"/arcgis/rest/services/{plain}/ImageServer/identify", **point, time="1")["error"]
    assert "the raster has no dates" in fault["message"]


def picture(server: Server, path: str, **parameters: Any) -> bytes:
    address = f"{server.root}{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(address) as reply:
        return reply.read()


def test_pictures_of_dates(command: Command, scene: Scene, server: Server, tmp_path: Path) -> None:
    """A picture of a date equals the picture of its file."""
    box = "300000,6238800,301400,6240000"
    alone = scene.save([{"id": "evi", "layerType": "RasterLayer", "url": f"evi/evi_{DAYS[1]:%Y%j}.tif",
                         "title": "evi"}], "alone.json")
    stack = scene.save([{"id": "evi", "layerType": "RasterLayer", "url": "evi/*.tif", "title": "evi",
                         "dates": "evi_%Y%j"}], "stack.json")
    view = ["--extent", box, "--crs", "EPSG:32734", "--size", "140x120", "--plain"]
    run_command([command.path, "draw", str(alone), "-o", str(tmp_path / "alone.png"), *view], check=True)
    wanted = (tmp_path / "alone.png").read_bytes()
    for number, (source, date, shown) in enumerate((
            ([str(stack)], "2025-01-17", DAYS[1]), ([str(stack)], "2025-01-20", DAYS[1]),
            ([f"evi={scene.folder}/evi/*.tif", "--dates", "evi_%Y%j"], "2025-01-17", DAYS[1]),
            ([str(stack)], None, DAYS[4]))):
        output = tmp_path / f"{number}.png"
        done = run_command(
            [command.path, "draw", *source, "-o", str(output), *view, *(["--date", date] if date else [])],
            capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f"evi is drawn with its date {shown}" in done.stderr
        assert (output.read_bytes() == wanted) == (shown == DAYS[1])
    assert "no layer with dates" in refused(
        command, "draw", str(alone), "-o", str(tmp_path / "x.png"), *view, "--date", "2025-01-17")
    assert not (tmp_path / "x.png").exists()

    export = {"bbox": box, "size": "140,120", "f": "image", "format": "png"}
    images = {moment: picture(server, "/arcgis/rest/services/fields_0/ImageServer/exportImage",
                              **export, time=moment)
              for moment in (milliseconds(DAYS[1]), f"null,{milliseconds(DAYS[1])}",
                             milliseconds(DAYS[2]), milliseconds(dt.date(2025, 1, 3)))}
    first, until, other, empty = images.values()
    assert first == until and first != other and len({first, other, empty}) == 3
    layers = "show:0"
    maps = [picture(server, "/arcgis/rest/services/fields/MapServer/export", **export, layers=layers,
                    bboxSR="32734", **({"time": moment} if moment else {}))
            for moment in (None, milliseconds(DAYS[4]), milliseconds(DAYS[0]))]
    assert maps[0] == maps[1] != maps[2]


def test_pictures_of_the_nearest_date(command: Command, scene: Scene, server: Server, tmp_path: Path) -> None:
    """The parameter `date` draws the same pictures as `draw --date`, and each picture has a
    separate tag.
    """
    box = "300000,6238800,301400,6240000"
    path = "/arcgis/rest/services/fields/MapServer/export"
    shared = {"bbox": box, "bboxSR": "32734", "size": "140,120", "f": "image", "format": "png"}
    tags = set()
    for number, date in enumerate((None, *map(str, DAYS), "2025-01-09", "2025-03-07", "1990-01-01T00:00:00Z")):
        output = tmp_path / f"{number}.png"
        run_command(
            [command.path, "draw", str(scene.document), "-o", str(output), "--extent", box, "--crs", "EPSG:32734",
             "--size", "140x120", "--plain", *(["--date", date] if date else [])],
            check=True, capture_output=True)
        more = {"date": date} if date else {}
        assert picture(server, path, **shared, transparent="true", **more) == output.read_bytes(), date
        status, _, headers = server(path, **shared, **more)
        assert status == 200
        tags.add(headers["ETag"])
    assert len(tags) == len(DAYS)
    for date, more, message in (
            ("soon", {}, "a date such as 2025-03-22"), ("2025-02-30", {}, "a date such as 2025-03-22"),
            ("2025-01-17", {"time": "1"}, "cannot be combined")):
        fault = server.json(path, **shared | {"f": "json"}, date=date, **more)["error"]
        assert fault["code"] == 400 and message in fault["message"], fault


def test_the_page_has_the_dates_of_layers(server: Server) -> None:
    images = server.json("/api/page")["maps"][0]["images"]
    dates = [str(day) for day in DAYS]
    assert {image["title"]: image.get("dates") for image in images} == {"evi": dates, "qa": dates, "dem": None}
