"""Maps: the command's results, for one point and for many."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Command, around, as_csv

import plumb_gis as plumb

CAPE = "rasters/cape.json"
PLACES = [(18.86, -33.93), (18.42, -33.92), (18.45, -34.05), (18.65, -34.25), (2.35, 48.86)]


@pytest.fixture(scope="module")
def cape() -> Any:
    from conftest import ROOT

    with plumb.Map(ROOT / CAPE) as made:
        yield made


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"tolerance": "12px", "scale": 50_000},
        {"tolerance": "2km", "max_results": "all"},
        {"tolerance": 500, "popups_only": True},
        {"tolerance": "5km", "layer": "services/1", "where": "BEDS > 20", "max_results": 3},
    ],
)
def test_equals_the_command(
    command: Command, cape: Any, at: tuple[float, float], asked: dict[str, Any]
) -> None:
    flags: list[str] = []
    for name, value in asked.items():
        if value is True:
            flags.append(f"--{name.replace('_', '-')}")
        else:
            text = f"{value}m" if name == "tolerance" and not isinstance(value, str) else str(value)
            flags += [f"--{name.replace('_', '-')}", text]
    seen = command("identify", CAPE, "--at", f"{at[0]},{at[1]}", *flags, "--of", "json")
    held = cape.identify(*at, **asked)
    assert held.json == seen.rstrip("\n")
    assert len(held) == len(json.loads(seen)["results"])


def test_result(cape: Any) -> None:
    held = cape.identify(18.86, -33.93, tolerance="12px", scale=50_000)
    assert [layer.name for layer in held] == [
        "places", "wards", "services", "land_cover", "evi", "dem"
    ]  # fmt: skip
    assert held.element_count == 6
    cover = held["cover"]
    assert cover.elements[0].attributes["Class_0"] == "Fynbos" and cover.elements[0].row == 364
    assert held["places"].elements[0].distance == pytest.approx(221.842, abs=1e-3)
    assert held["wards"].elements[0].__geo_interface__["geometry"]["type"] == "Polygon"
    assert "wards" in held and "rivers" not in held
    with pytest.raises(KeyError, match="rivers"):
        held["rivers"]
    assert "Stellenbosch" in held._repr_html_()


def test_map_says_what_info_says(command: Command, cape: Any) -> None:
    seen = command.json("info", CAPE, "--of", "json")
    assert [layer["name"] for layer in cape.layers] == [one["name"] for one in seen["layers"]]
    assert "places" in cape._repr_html_() and "66 features" in cape._repr_html_()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("asked", [{}, {"tolerance": "2km", "scale": 200_000}])
def test_batch_equals_the_command(
    command: Command, cape: Any, seed: int, asked: dict[str, Any]
) -> None:
    x, y = around(400, seed)
    flags = [part for name, value in asked.items() for part in (f"--{name}", str(value))]
    text = command("identify", CAPE, "--points", "-", *flags, input=as_csv(x, y))
    seen = list(csv.reader(io.StringIO(text)))
    held = cape.identify_batch(x, y, crs="EPSG:4326", **asked)
    assert held.columns == seen[0][2:]
    for index, name in enumerate(seen[0][2:], start=2):
        values = held[name]
        for row, text in zip(values.tolist(), (row[index] for row in seen[1:])):
            if row is None:
                assert text == ""
            elif isinstance(row, bool):
                assert text == str(row).lower()
            elif isinstance(row, (int, float)):
                assert values.dtype.type(text) == values.dtype.type(row), name
            else:
                assert text == row


def test_batch_is_strict_as_the_command(cape: Any) -> None:
    points = pd.DataFrame({"lon": [18.45, None], "lat": [-34.05, 1.0]})
    with pytest.warns(plumb.PlumbWarning, match="1 row has no usable point: point 1"):
        assert cape.identify_batch(points)["dem"].tolist() == [80, pd.NA]
    with pytest.raises(plumb.PlumbError, match="1 row is bad_point") as caught:
        cape.identify_batch(points, strict=True)
    assert caught.value.code == "strict"
    with pytest.warns(plumb.PlumbWarning, match="1 of 1 point lies outside dem"):
        cape.identify_batch([2.35], [48.86])


def test_resampling_equals_the_command(command: Command, tmp_path: Any) -> None:
    seen = command.rows(
        "identify", CAPE, "--points", "-", "-r", "cubic", input="lon,lat\n18.45,-34.05\n"
    )
    held = plumb.Map(CAPE, resampling="cubic").identify_batch([18.45], [-34.05])
    assert [float(seen[0]["dem"])] == held["dem"].tolist()
    with pytest.raises(plumb.PlumbError, match="resampling is 'x'"):
        plumb.Map(CAPE, resampling="x")


def test_batch_in_frames(cape: Any) -> None:
    x, y = zip(*PLACES)
    frame = gpd.GeoDataFrame(
        {"k": range(5)}, geometry=gpd.points_from_xy(x, y), crs=4326, index=list("abcde")
    )
    out = cape.identify_batch(frame)
    assert isinstance(out, gpd.GeoDataFrame) and out.index.equals(frame.index)
    assert out["wards.count"].dtype == pd.Int64Dtype()
    assert out["dem"].dtype == pd.Int16Dtype()
    assert out["wards.NAME"]["c"] == "Retreat" and pd.isna(out["wards.NAME"]["e"])
    assert "nothing" not in out
    table = pa.table({"lon": x, "lat": y})
    arrow = cape.identify_batch(table)
    assert arrow["wards.NAME"].to_pylist()[2] == "Retreat"
    frame = cape.identify_batch(pl.DataFrame({"lon": x, "lat": y}))
    assert frame["wards.NAME"].to_list()[2] == "Retreat"
    assert frame["dem"].dtype == pl.Int16


def test_batch_of_chosen_fields(cape: Any) -> None:
    held = cape.identify_batch([18.45], [-34.05], fields=["wards.NAME", "dem"])
    assert held.columns == ["wards.NAME", "dem"]
    assert "Retreat" in held._repr_html_()
    whole = held.to_pandas()
    assert whole["wards.NAME"].tolist() == ["Retreat"] and whole["dem"].tolist() == [80]


def test_threads_agree(cape: Any) -> None:
    from concurrent.futures import ThreadPoolExecutor

    jobs = [around(200, seed) for seed in range(16)]
    alone = [cape.identify_batch(x, y, crs=4326).to_arrow() for x, y in jobs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda job: cape.identify_batch(*job, crs=4326).to_arrow(), jobs))
    assert alone == together


def test_arguments(cape: Any) -> None:
    for call, words in (
        (lambda: cape.identify("a", 1), "x is 'a'"),
        (lambda: cape.identify(1, 1, tolerance=True), "tolerance is True"),
        (lambda: cape.identify(1, 1, tolerance=-1), "tolerance is -1"),
        (lambda: cape.identify(1, 1, max_results="some"), "max_results is 'some'"),
        (lambda: cape.identify(18, -34, tolerance="12px"), "scale"),
        (lambda: cape.identify(18, -34, layer="none"), "none"),
        (lambda: cape.identify(np.nan, -34), "."),
        (lambda: cape.identify_batch([1, 2], [1]), "x and y have 2 and 1"),
        (lambda: plumb.Map("rasters/none.json"), "none.json"),
        (lambda: plumb.Map(3), "path is of type int"),
    ):
        with pytest.raises(plumb.PlumbError, match=words) as caught:
            call()
        assert "--" not in str(caught.value)
    closed = plumb.Map(CAPE)
    closed.close()
    with pytest.raises(plumb.PlumbError) as caught:
        closed.identify(18, -34)
    assert caught.value.code == "closed_handle"


def test_a_format_of_the_helper_process(tmp_path: Any) -> None:
    path = tmp_path / "p.kml"
    path.write_text(
        '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>one</name>'
        "<Point><coordinates>18,-34</coordinates></Point></Placemark></Document></kml>"
    )
    layer = {"id": "p", "title": "p", "layerType": "ArcGISFeatureLayer", "url": "p.kml"}
    document = tmp_path / "map.json"
    document.write_text(json.dumps({"operationalLayers": [layer]}))
    with plumb.Map(document) as opened:
        assert '"one"' in opened.identify(18, -34).json


def test_a_description_in_place_of_a_name_opens_no_other_file(tmp_path: Any) -> None:
    """A Python process has no kernel sandbox, so only the library's checks apply."""
    (tmp_path / "secret.txt").write_text("TOPSECRET")
    folder = tmp_path / "maps"
    folder.mkdir()
    raw = (
        '<VRTDataset rasterXSize="9" rasterYSize="1"><VRTRasterBand dataType="Byte" band="1" '
        'subClass="VRTRawRasterBand"><SourceFilename relativeToVRT="0">'
        f"{tmp_path / 'secret.txt'}</SourceFilename><PixelOffset>1</PixelOffset>"
        "<LineOffset>9</LineOffset></VRTRasterBand></VRTDataset>"
    )
    inner = raw.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    (folder / "raw.vrt").write_text(
        '<VRTDataset rasterXSize="9" rasterYSize="1"><SRS>EPSG:4326</SRS>'
        '<GeoTransform>0,1,0,1,0,-1</GeoTransform><VRTRasterBand dataType="Byte" band="1">'
        f'<SimpleSource><SourceFilename relativeToVRT="0">&#32;{inner}</SourceFilename>'
        "<SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    (folder / "map.json").write_text(
        '{"operationalLayers":[{"id":"r","title":"r","layerType":"RasterLayer","url":"raw.vrt"}],'
        '"spatialReference":{"wkid":4326}}'
    )
    with plumb.Map(folder / "map.json") as made:
        for column, letter in enumerate(b"TOPSECRET"):
            seen = json.loads(made.identify(column + 0.5, 0.5).json)
            assert all("error" in layer for layer in seen["results"])
            assert f'"{letter}"' not in json.dumps(seen)
