"""Dates of STAC items equal a model in NumPy that reads the same documents."""

from __future__ import annotations

import datetime as dt
import functools
import http.server
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rasterio
from conftest import ROOT, Command, run_command

DAY = 86_400_000_000
EPOCH = dt.datetime(1970, 1, 1)
TRANSFORM = rasterio.Affine(100, 0, 300_000, 0, -100, 6_240_000)
SHAPE = (48, 60)
NODATA = -1
#: The first row and column, and the size, of each granule of a day. They overlap, and leave cells uncovered.
FOOTPRINTS = [(0, 0, 30, 40), (10, 25, 30, 35), (28, 5, 20, 30)]


def write(path: Path, values: Any, row: int, column: int, nodata: float | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    bands = values if values.ndim == 3 else values[None]
    with rasterio.open(
            path, "w", driver="GTiff", height=bands.shape[1], width=bands.shape[2],
            count=len(bands), dtype=bands.dtype, crs="EPSG:32734", nodata=nodata, tiled=True,
            blockxsize=16, blockysize=16, compress="deflate",
            transform=TRANSFORM * rasterio.Affine.translation(column, row)) as target:
        target.write(bands)


def item(id: str, time: Any, assets: dict[str, str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "Feature", "stac_version": "1.0.0", "id": id, "geometry": None,
        "properties": {"datetime": time, **properties}, "links": [],
        "assets": {key: {"href": href, "type": "image/tiff", "roles": ["data"],
                         "alternate": {"s3": {"href": "s3://elsewhere/" + key}}}
                   for key, href in assets.items()},
    }


def collection(items: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": items, **members}


def save(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


class Scenes:
    """Granules of several days, three per day, and the content of the mosaic of each day."""

    def __init__(self, folder: Path, bands: int = 1) -> None:
        random = np.random.default_rng(391)
        self.folder, self.items = folder, []
        self.days = [dt.date(2024, 12, 20) + dt.timedelta(days=step)
                     for step in (0, 5, 10, 11, 20, 40, 43, 48)]
        shape = (len(self.days), *SHAPE)
        self.evi = np.full((len(self.days), bands, *SHAPE), NODATA, "int16")
        self.qa = np.zeros(shape, "uint8")
        self.has_evi, self.has_qa = np.zeros(shape, bool), np.zeros(shape, bool)
        self.files: list[list[tuple[str, Any]]] = []
        for index, day in enumerate(self.days):
            granules = []
            for number, (row, column, height, width) in enumerate(FOOTPRINTS):
                evi = random.integers(-1, 6, (bands, height, width)).astype("int16")
                evi[:, random.random((height, width)) < 0.3] = NODATA
                qa = random.integers(0, 8, (height, width)).astype("uint8")
                # Names do not follow the order of items or of times.
                name = f"{'cab'[number]}{random.integers(10**6)}"
                write(folder / "img" / f"{name}_EVI.tif", evi, row, column, NODATA)
                write(folder / "img" / f"{name}_QA.tif", qa, row, column, None)
                time = dt.datetime.combine(day, dt.time(int(random.integers(24)), 59, 30, 123456))
                self.items.append(item(
                    f"S{index}-{number}", time.isoformat() + "Z",
                    {"EVI": f"./img/{name}_EVI.tif", "QA": f"img/{name}_QA.tif"}))
                granules.append((name, evi, qa, row, column))
            for name, evi, qa, row, column in sorted(granules, key=lambda granule: granule[0]):
                area = (slice(row, row + evi.shape[1]), slice(column, column + evi.shape[2]))
                self.has_evi[index][area] = True
                whole = (slice(None), *area)
                known = self.evi[index][whole]
                self.evi[index][whole] = np.where(known == NODATA, evi, known)
                self.qa[index][area] = np.where(self.has_qa[index][area], self.qa[index][area], qa)
                self.has_qa[index][area] = True
        order = random.permutation(len(self.items))
        self.items = [self.items[number] for number in order]
        self.times = np.array([
            (dt.datetime.combine(day, dt.time(12)) - EPOCH) // dt.timedelta(microseconds=1)
            for day in self.days])


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    made = Scenes(tmp_path)
    save(tmp_path / "items.json", collection(made.items))
    return made


def observations(scenes: Scenes, count: int) -> pd.DataFrame:
    random = np.random.default_rng(392)
    frame = pd.DataFrame({
        "id": range(count), "row": random.integers(-1, SHAPE[0] + 1, count),
        "column": random.integers(-1, SHAPE[1] + 1, count)})
    frame["x"] = TRANSFORM.c + (frame["column"] + random.uniform(0.01, 0.99, count)) * TRANSFORM.a
    frame["y"] = TRANSFORM.f + (frame["row"] + random.uniform(0.01, 0.99, count)) * TRANSFORM.e
    first, last = int(scenes.times.min()), int(scenes.times.max())
    frame["time"] = random.integers(first - 20 * DAY, last + 20 * DAY, count)
    # Ties between two dates, and the ends of windows.
    chosen = random.integers(0, len(scenes.times) - 1, count)
    frame["time"] = np.where(
        frame["id"] % 4 == 1, (scenes.times[chosen] + scenes.times[chosen + 1]) // 2, frame["time"])
    frame["time"] = np.where(frame["id"] % 4 == 2, scenes.times[chosen] - 6 * DAY, frame["time"])
    return frame


def table(frame: pd.DataFrame, path: Path) -> str:
    shown = frame[["id", "x", "y"]].copy()
    shown["when"] = [(EPOCH + dt.timedelta(microseconds=int(time))).isoformat() + "Z"
                     for time in frame["time"]]
    shown.to_csv(path, index=False)
    return str(path)


def identify(command: Command, *arguments: str) -> pd.DataFrame:
    text = command("identify", *arguments, "--crs", "EPSG:32734")
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def failure(command: Command, *arguments: str) -> str:
    """The line of a run that fails."""
    done = run_command(
        [command.path, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (1, 64) and not done.stdout, (done.returncode, done.stdout)
    line = done.stderr.rstrip("\n")
    if done.returncode == 64:
        # The usage follows.
        line = line.split("\n")[0]
    assert "\n" not in line, line
    return line


def expected(scenes: Scenes, time: int, row: int, column: int, usable: Any = None) -> int | None:
    """The index of the matched date.

    - usable: by date, row and column; None if the nearest date that has the cell is used without a
    condition.
    """
    order = sorted(
        range(len(scenes.days)), key=lambda i: (abs(int(scenes.times[i]) - time), scenes.times[i]))
    for index in order:
        if abs(int(scenes.times[index]) - time) > 6 * DAY:
            return None
        if usable is None:
            return index if scenes.has_evi[index, row, column] else None
        if usable[index, row, column]:
            return index
    return None


@pytest.mark.parametrize("rule", [None, "(qa & 3) == 0"])
def test_nearest(command: Command, scenes: Scenes, rule: str | None) -> None:
    frame = observations(scenes, 3000)
    points = table(frame, scenes.folder / "obs.csv")
    document = scenes.folder / "items.json"
    arguments = [f"evi={document}#EVI", "--points", points, "--when", "when", "--within", "6d",
                 "--status", "--provenance"]
    usable = None
    if rule:
        arguments += [f"qa={document}#QA", "--valid", rule]
        usable = (scenes.evi[:, 0] != NODATA) & scenes.has_qa & ((scenes.qa & 3) == 0)
    result = identify(command, *arguments)
    seen = set()
    for row in frame.itertuples():
        answer = result.loc[row.id]
        is_inside = 0 <= row.row < SHAPE[0] and 0 <= row.column < SHAPE[1]
        index = expected(scenes, row.time, row.row, row.column, usable) if is_inside else None
        if index is None:
            assert answer["evi"] == "" and answer["evi_date"] == ""
            assert answer["evi_status"] in ("no_valid", "outside")
            seen.add("none")
            continue
        value = scenes.evi[index, 0, row.row, row.column]
        assert answer["evi"] == ("" if value == NODATA else str(value)), row
        assert answer["evi_date"] == scenes.days[index].isoformat(), row
        assert float(answer["evi_days"]) == (int(scenes.times[index]) - row.time) / DAY
        if value != NODATA:
            with rasterio.open(answer["evi_file"]) as file:
                assert file.read(1)[file.index(row.x, row.y)] == value
        seen.add("nodata" if value == NODATA else "ok")
    assert seen == ({"ok", "none"} if rule else {"ok", "nodata", "none"})


def test_series(command: Command, scenes: Scenes) -> None:
    frame = observations(scenes, 300)
    points = table(frame, scenes.folder / "obs.csv")
    source = f"evi={scenes.folder}/items.json#EVI"
    wide = identify(command, source, "--points", points, "--series")
    assert list(wide.columns[4:]) == [f"evi_{day}" for day in scenes.days]
    long = identify(command, source, "--points", points, "--series", "--long", "--from",
                    str(scenes.days[2]), "--to", str(scenes.days[4]))
    assert long["date"].unique().tolist() == [str(day) for day in scenes.days[2:5]]
    for row in frame.itertuples():
        if not (0 <= row.row < SHAPE[0] and 0 <= row.column < SHAPE[1]):
            continue
        cells = scenes.evi[:, 0, row.row, row.column]
        values = ["" if cell == NODATA else str(cell) for cell in cells]
        assert wide.loc[row.id].tolist()[4:] == values
        assert long[long["id"] == str(row.id)]["value"].tolist() == values[2:5]


def test_times(command: Command, scenes: Scenes) -> None:
    """With --group time, each granule is a separate date; a period is represented by its middle."""
    first = scenes.items[0]
    name = first["assets"]["EVI"]["href"]
    items = [
        item("a", "2025-01-01T10:00:00.250Z", {"EVI": name}),
        item("b", "2025-01-01T12:30:00+02:00", {"EVI": name}),
        item("c", None, {"EVI": name}, start_datetime="2025-01-01T11:00:00Z",
             end_datetime="2025-01-01T13:00:00Z"),
        item("d", None, {"EVI": name}, start_datetime="2025-01-01", end_datetime="2025-01-03"),
    ]
    document = save(scenes.folder / "times.json", collection(items))
    described = json.loads(command(
        "info", f"{document}#EVI", "--format", "json", "--group", "time"))["dates"]
    assert described["count"] == 4
    assert (described["first"], described["last"]) == (
        "2025-01-01T10:00:00.250Z", "2025-01-02")
    described = json.loads(command("info", f"{document}#EVI", "--format", "json"))["dates"]
    assert (described["count"], described["duplicates"]) == (2, 2)
    assert (described["first"], described["last"]) == ("2025-01-01", "2025-01-02")


def test_zonal(command: Command, scenes: Scenes) -> None:
    area = {"type": "Feature", "properties": {"id": 1}, "geometry": {
        "type": "Polygon", "coordinates": [[
            [300_000, 6_240_000], [306_000, 6_240_000], [306_000, 6_235_200], [300_000, 6_235_200],
            [300_000, 6_240_000]]]}}
    areas = save(scenes.folder / "area.geojson", collection([area]))
    text = command("zonal", f"evi={scenes.folder}/items.json#EVI", "--areas", str(areas), "--crs",
                   "EPSG:32734", "--stat", "sum,count", "--long", "--of", "csv")
    found = pd.read_csv(io.StringIO(text))
    assert found["date"].unique().tolist() == [str(day) for day in scenes.days]
    sums = found[found["stat"] == "sum"]["value"].tolist()
    counts = found[found["stat"] == "count"]["value"].tolist()
    for cells, total, count in zip(scenes.evi[:, 0], sums, counts):
        assert total == cells[cells != NODATA].sum() and count == (cells != NODATA).sum()


def test_python(scenes: Scenes) -> None:
    plumb = pytest.importorskip("plumb_gis")
    frame = observations(scenes, 200)
    x, y = frame["x"].to_numpy(), frame["y"].to_numpy()
    source = {"evi": f"{scenes.folder}/items.json#EVI"}
    stack = plumb.Stack(source)
    assert stack.dates["evi"].tolist() == scenes.days
    times = frame["time"].to_numpy().astype("M8[us]")
    found = plumb.sample(source, x, y, crs="EPSG:32734", when=times, within="6d")
    values = np.ma.asarray(found["evi"])
    for row, value, mask in zip(frame.itertuples(), values.data, np.ma.getmaskarray(values)):
        if 0 <= row.row < SHAPE[0] and 0 <= row.column < SHAPE[1]:
            index = expected(scenes, row.time, row.row, row.column)
            cell = NODATA if index is None else scenes.evi[index, 0, row.row, row.column]
            assert mask == (cell == NODATA) and (mask or value == cell)
    with pytest.raises(plumb.PlumbError, match="have dates"):
        plumb.sample(source, x, y, crs="EPSG:32734")


def test_bands(command: Command, tmp_path: Path) -> None:
    scenes = Scenes(tmp_path, bands=3)
    document = save(tmp_path / "items.json", collection(scenes.items))
    frame = observations(scenes, 200)
    points = table(frame, tmp_path / "obs.csv")
    result = identify(command, f"{document}#EVI", "-b", "3", "--points", points, "--when", "when",
                      "--within", "6d")
    compared = 0
    for row in frame.itertuples():
        if 0 <= row.row < SHAPE[0] and 0 <= row.column < SHAPE[1]:
            index = expected(scenes, row.time, row.row, row.column)
            cell = NODATA if index is None else scenes.evi[index, 2, row.row, row.column]
            assert result.loc[row.id, "EVI_3"] == ("" if cell == NODATA else str(cell))
            compared += cell != NODATA
    assert compared > 50


def catalog(scenes: Scenes, folder: Path, **changes: Any) -> Path:
    """A catalog with a collection, whose items are in separate folders."""
    links = []
    for number, one in enumerate(scenes.items):
        copy = json.loads(json.dumps(one))
        for asset in copy["assets"].values():
            asset["href"] = "../../../" + asset["href"].removeprefix("./")
        copy["links"] = [{"rel": "parent", "href": "../collection.json"},
                         {"rel": "root", "href": "../../catalog.json"}]
        save(folder / "c" / f"i{number}" / "item.json", copy)
        links.append({"rel": "item", "href": f"./i{number}/item.json"})
    links += [{"rel": "parent", "href": "../catalog.json"}]
    save(folder / "c" / "collection.json", {
        "type": "Collection", "stac_version": "1.0.0", "id": "c", "links": links,
        "assets": {"thumbnail": {"href": "x.png"}}})
    return save(folder / "catalog.json", {
        "type": "Catalog", "stac_version": "1.0.0", "id": "root", "links": [
            {"rel": "root", "href": "./catalog.json"},
            {"rel": "child", "href": "./c/collection.json"},
            {"rel": "self", "href": "https://example.com/catalog.json"},
            *changes.get("links", [])]})


def test_catalog(command: Command, scenes: Scenes) -> None:
    points = table(observations(scenes, 300), scenes.folder / "obs.csv")
    given = ["--points", points, "--when", "when", "--within", "6d"]
    document = catalog(scenes, scenes.folder / "cat")
    listed = identify(command, f"{scenes.folder}/items.json#EVI", *given)
    # The images are next to the catalog's folder.
    line = failure(command, "identify", f"{document}#EVI", *given, "--crs", "EPSG:32734")
    assert "outside the document's folder" in line and "--allow-outside" in line
    assert identify(command, f"{document}#EVI", *given, "--allow-outside").equals(listed)
    document = catalog(scenes, scenes.folder)
    for path in (scenes.folder / "c").glob("*/item.json"):
        path.write_text(path.read_text().replace("../../../img", "../../img"))
    assert identify(command, f"{document}#EVI", *given).equals(listed)
    assert identify(command, f"{scenes.folder}/c/*/item.json#EVI", *given, "--allow-outside") \
        .equals(listed)
    # A document that two links name is read once.
    again = catalog(scenes, scenes.folder, links=[
        {"rel": "item", "href": "c/i0/item.json"}, {"rel": "child", "href": "c/collection.json"}])
    for path in (scenes.folder / "c").glob("*/item.json"):
        path.write_text(path.read_text().replace("../../../img", "../../img"))
    assert identify(command, f"{again}#EVI", *given).equals(listed)


def test_relative_hrefs(command: Command, scenes: Scenes) -> None:
    """A file next to the list takes precedence; otherwise the address of the item is used."""
    folder = scenes.folder / "lists"
    one = json.loads(json.dumps(scenes.items[0]))
    one["links"] = [{"rel": "self", "href": "../item.json"}]
    document = save(folder / "items.json", collection([one]))
    described = json.loads(command(
        "info", f"{document}#EVI", "--format", "json", "--allow-outside"))
    assert described["path"].endswith("lists/../" + one["assets"]["EVI"]["href"][2:])
    beside = folder / one["assets"]["EVI"]["href"]
    write(beside, np.full((16, 16), 3, "int16"), 0, 0, NODATA)
    described = json.loads(command("info", f"{document}#EVI", "--format", "json"))
    assert described["path"] == f"{folder}/{one['assets']['EVI']['href'][2:]}"


def test_name_with_hash(command: Command, scenes: Scenes) -> None:
    """An existing file whose name contains # takes precedence."""
    write(scenes.folder / "items.json#EVI", np.full((8, 8), 7, "int16"), 0, 0, NODATA)
    found = command("identify", f"{scenes.folder}/items.json#EVI", "--at", "300050,6239950")
    assert "7" in found and "2024" not in found


def test_partial_lists(command: Command, scenes: Scenes) -> None:
    items = [*scenes.items, item("extra", "2025-02-01T00:00:00Z", {"B04": "none.tif"})]
    document = save(scenes.folder / "page.json", collection(
        items, links=[{"rel": "next", "href": "https://example.com/search?page=2"}]))
    done = run_command(
        [command.path, "info", f"{document}#EVI"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "1 of 25 item has no asset EVI" in done.stderr
    assert "one page of a longer list" in done.stderr


@pytest.mark.parametrize("change, words", [
    (lambda text: text[:200], "invalid JSON"),
    (lambda text: "EVI,QA\n1,2\n", "invalid JSON"),
    (lambda text: "", "invalid JSON"),
    (lambda text: "[" * 100_000, "invalid JSON"),
    (lambda text: '{"type":"FeatureCollection","features":' + "[" * 100_000, "nested deeper"),
    (lambda text: text + "x", "unexpected text after the value"),
    (lambda text: "{}", "not a STAC"),
    (lambda text: '{"features": 5}', "not a list"),
    (lambda text: '{"features": []}', "no items"),
    (lambda text: '{"features": [5]}', "not a STAC item"),
    (lambda text: '{"links": []}', "no items"),
    (lambda text: '{"links": 5}', "not a list"),
    (lambda text: '{"type": "Feature", "links": []}', "not a STAC item"),
    (lambda text: '{"features": [{"type": "Feature", "properties": {}}]}', "not a STAC item"),
    (lambda text: text.replace('"id"', '"ID"', 1), "no id"),
    (lambda text: text.replace('"EVI"', '"B04"'), "no item has the asset EVI; the assets are B04, QA"),
    (lambda text: text.replace('"datetime"', '"date"', 1), "no datetime"),
    (lambda text: text.replace('"datetime": "2', '"datetime": "x', 1), "not a time such as"),
    (lambda text: text.replace('{"datetime": "', '{"datetime": 5, "x": "', 1), "a number, not a time"),
    (lambda text: text.replace("_EVI.tif", "_none.tif", 1), "no such file"),
    (lambda text: text.replace('"href": "./img/', '"ref": "./img/', 1), "no href"),
    (lambda text: text.replace('"href": "./img/', '"href": "/etc/./', 1), "outside the document's folder"),
    (lambda text: text.replace('"href": "./img/', '"href": "../../', 1), "outside the document's folder"),
    (lambda text: text.replace('"href": "./img/', '"href": "/vsicurl/http://a/', 1), "--allow-outside"),
    (lambda text: text.replace('"href": "./img/', '"href": "s3://bucket/', 1),
     "s3://bucket is not an allowed bucket; this requires --allow-host s3://bucket"),
    (lambda text: text.replace('"href": "./img/', '"href": "/vsis3/bucket/', 1), "--allow-outside"),
    (lambda text: text.replace('"href": "./img/', '"href": "https://example.com/', 1),
     "https://example.com is not an allowed host; this requires --allow-host"),
    (lambda text: text.replace('"S0-1"', '"S0-0"', 1), "two items have the id S0-0"),
])
def test_errors(command: Command, scenes: Scenes, change: Any, words: str) -> None:
    document = scenes.folder / "bad.json"
    document.write_text(change((scenes.folder / "items.json").read_text()))
    line = failure(command, "info", f"{document}#EVI")
    assert words in line and "bad.json" in line, line


def test_files_that_cannot_be_read(command: Command, scenes: Scenes) -> None:
    path = scenes.folder / scenes.items[3]["assets"]["EVI"]["href"]
    points = table(observations(scenes, 5), scenes.folder / "obs.csv")
    for content in (b"", b"II*\0", b"not a raster", path.read_bytes()[:100]):
        path.write_bytes(content)
        line = failure(command, "identify", f"{scenes.folder}/items.json#EVI", "--points", points,
                       "--when", "when", "--within", "6d", "--crs", "EPSG:32734")
        assert path.name in line and scenes.items[3]["id"] in line, line


def test_links_out_of_the_folder(command: Command, scenes: Scenes) -> None:
    """A symbolic link to a file outside is rejected."""
    href = scenes.items[0]["assets"]["EVI"]["href"]
    inner = scenes.folder / "inner"
    (inner / "img").mkdir(parents=True)
    os.symlink((scenes.folder / href).resolve(), inner / href)
    document = save(inner / "items.json", collection(scenes.items[:1]))
    assert "outside the document's folder" in failure(command, "info", f"{document}#EVI")


def test_circular_and_deep_links(command: Command, tmp_path: Path) -> None:
    save(tmp_path / "a.json", {"type": "Catalog", "links": [{"rel": "child", "href": "b.json"}]})
    save(tmp_path / "b.json", {"type": "Catalog", "links": [{"rel": "child", "href": "./a.json"}]})
    assert "is circular" in failure(command, "info", f"{tmp_path}/a.json#EVI")
    save(tmp_path / "s.json", {"type": "Catalog", "links": [{"rel": "child", "href": "s.json"}]})
    assert "is circular" in failure(command, "info", f"{tmp_path}/s.json#EVI")
    for number in range(40):
        save(tmp_path / f"d{number}.json", {
            "type": "Catalog", "links": [{"rel": "child", "href": f"d{number + 1}.json"}]})
    assert "32 links deep" in failure(command, "info", f"{tmp_path}/d0.json#EVI")


def test_too_many_items(command: Command, tmp_path: Path) -> None:
    one = json.dumps(item("x", "2025-01-01T00:00:00Z", {"B": "b.tif"}))
    document = tmp_path / "many.json"
    document.write_text('{"features": [' + ",".join([one] * 100_001) + "]}")
    assert "more than 100000 items" in failure(command, "info", f"{document}#EVI")


def test_options(command: Command, scenes: Scenes) -> None:
    points = table(observations(scenes, 5), scenes.folder / "obs.csv")
    source = f"evi={scenes.folder}/items.json#EVI"
    line = failure(command, "identify", source, "--points", points, "--when", "when", "--within",
                   "6d", "--dates", "%Y")
    assert "--dates" in line and "their own dates" in line
    assert "have dates: give --when or --series" in failure(
        command, "identify", source, "--points", points)


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves files and parts of them."""

    parts: list[tuple[str, str]] = []

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        first, last, status = 0, len(content) - 1, 200
        if text := self.headers.get("Range"):
            self.parts.append((self.path, text))
            start, end = text.removeprefix("bytes=").split("-")
            first = int(start) if start else len(content) - int(end)
            last = min(int(end), last) if start and end else last
            status = 206
        self.send_response(status)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last - first + 1))
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.end_headers()
        self.wfile.write(content[first:last + 1])


@pytest.fixture
def server(scenes: Scenes) -> Iterator[str]:
    handler = functools.partial(Ranges, directory=str(scenes.folder))
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()


def test_addresses(command: Command, scenes: Scenes, server: str) -> None:
    points = table(observations(scenes, 300), scenes.folder / "obs.csv")
    given = ["--points", points, "--when", "when", "--within", "6d"]
    listed = identify(command, f"{scenes.folder}/items.json#EVI", *given)
    # The document, its images, and a catalog at one host that the user names.
    assert identify(command, f"EVI={server}/items.json#EVI", *given).equals(listed)
    assert identify(command, f"{server}/items.json?page=1#EVI", *given).equals(listed)
    document = catalog(scenes, scenes.folder)
    for path in (scenes.folder / "c").glob("*/item.json"):
        path.write_text(path.read_text().replace("../../../img", "../../img"))
    assert identify(command, f"{server}/{document.name}#EVI", *given).equals(listed)
    # A local document with images at a host.
    items = json.loads(json.dumps(scenes.items))
    for one in items:
        for asset in one["assets"].values():
            asset["href"] = f"{server}/{asset['href'].removeprefix('./')}?signature=a%2Fb"
    local = save(scenes.folder / "remote.json", collection(items))
    line = failure(command, "identify", f"{local}#EVI", *given, "--crs", "EPSG:32734")
    assert "is not an allowed host; this requires --allow-host" in line
    host = server.removeprefix("http://")
    assert identify(command, f"{local}#EVI", *given, "--allow-host", host).equals(listed)
    assert "404" in failure(command, "info", f"{server}/none.json#EVI")


@pytest.mark.parametrize("valid", [None, "(QA & 3) = 0"])
def test_parts_are_requested_once(
        command: Command, scenes: Scenes, server: str, valid: str | None) -> None:
    """Tiles of later dates are requested before they are read, each once."""
    items = json.loads(json.dumps(scenes.items))
    for one in items:
        for asset in one["assets"].values():
            asset["href"] = f"{server}/{asset['href'].removeprefix('./')}"
    local = save(scenes.folder / "remote.json", collection(items))
    points = table(observations(scenes, 300), scenes.folder / "obs.csv")
    given = ["--points", points, "--when", "when", "--within", "6d"]
    names = ["EVI"] + (["QA"] if valid else [])
    if valid:
        given += ["--valid", valid]
    Ranges.parts.clear()
    found = identify(
        command, *[f"{name}={local}#{name}" for name in names], *given, "--allow-host",
        server.removeprefix("http://"))
    assert found.equals(identify(
        command, *[f"{name}={scenes.folder}/items.json#{name}" for name in names], *given))
    assert len(Ranges.parts) == len(set(Ranges.parts)) > len(items) / 2
