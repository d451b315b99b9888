"""The requests of all contenders, and the parsers of their replies."""

import json
import re
import shutil
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Callable

import numpy as np

import servers
from inputs import Inputs, write_netcdf

PIXEL = 0.00005
"""The size of a pixel of the view around a point, in degrees."""
REST = "/arcgis/rest/services/land"
EDR = "/ogc/collections/land.ndvi/position"


@dataclass(frozen=True)
class Contender:
    name: str
    start: Callable
    """Makes a context with a running server, from inputs and a folder."""
    paths: Callable[[Inputs], list[str]]
    answer: Callable[[str], object]
    """Parses a reply's text; results are the same for all contenders."""


@dataclass(frozen=True)
class Row:
    key: str
    title: str
    asked: float
    """The target ratio to the rival's rate."""
    contenders: tuple[Contender, ...]
    """Plumb is the first contender."""
    slowest: float | None = None
    """The target of the 99th percentile of the time, in seconds."""
    tile: int = 512
    """The side of the raster's tiles in cells; by default that of COG."""


# A point of a map

def _identify_paths(inputs):
    for x, y in np.load(inputs.questions):
        half = 50.5 * PIXEL
        yield x, y, f"{x - half},{y - half},{x + half},{y + half}"


def _plumb_identify(inputs):
    return [f"{REST}/MapServer/identify?f=json&geometryType=esriGeometryPoint"
            f"&geometry={x},{y}&sr=4326&layers=all&tolerance=0&mapExtent="
            f"{extent}&imageDisplay=101,101,96&returnGeometry=false"
            for x, y, extent in _identify_paths(inputs)]


def _mapserver_identify(inputs):
    return ["/?map=LAND&SERVICE=WMS&VERSION=1.1.1&REQUEST=GetFeatureInfo&STYLES="
            "&LAYERS=parcels,ndvi&QUERY_LAYERS=parcels,ndvi&SRS=EPSG:4326"
            f"&BBOX={extent}&WIDTH=101&HEIGHT=101&X=50&Y=50&FEATURE_COUNT=10"
            "&INFO_FORMAT=text/plain&FORMAT=image/png"
            for _, _, extent in _identify_paths(inputs)]


def _plumb_identified(text):
    results = json.loads(text)["results"]
    return ([int(r["attributes"]["erf"]) for r in results
             if r["layerName"] == "parcels"],
            [int(r["attributes"]["Band_0"]) for r in results
             if r["layerName"] == "ndvi"])


def _mapserver_identified(text):
    return ([int(n) for n in re.findall(r"erf = '(\d+)", text)],
            [int(n) for n in re.findall(r"value_0 = '(-?\d+)", text)])


# A point of a raster

def _plumb_point(inputs):
    geometry = '{{"x":{},"y":{},"spatialReference":{{"wkid":4326}}}}'
    return [f"{REST}_0/ImageServer/identify?f=json"
            "&geometryType=esriGeometryPoint&returnCatalogItems=false"
            "&geometry=" + urllib.parse.quote(geometry.format(x, y))
            for x, y in np.load(inputs.questions)]


def _titiler_point(inputs):
    url = urllib.parse.quote(str(inputs.raster))
    return [f"/cog/point/{x},{y}?url={url}"
            for x, y in np.load(inputs.questions)]


def _plumb_value(text):
    value = json.loads(text)["value"]
    return None if value == "NoData" else int(value)


def _titiler_value(text):
    value = json.loads(text)["values"][0]
    return None if value is None else int(value)


def _plumb_position(inputs):
    return [f"{EDR}?coords=POINT({x}%20{y})"
            for x, y in np.load(inputs.questions)]


def _pygeoapi_position(inputs):
    return [f"/collections/ndvi/position?f=json&coords=POINT({x}%20{y})"
            for x, y in np.load(inputs.questions)]


def _plumb_covered(text):
    return int(json.loads(text)["ranges"]["Band_0"]["values"][0])


def _pygeoapi_covered(text):
    return int(json.loads(text)["ranges"]["ndvi"]["values"][0])


def _pygeoapi_xarray(inputs, folder):
    write_netcdf(inputs)
    return servers.pygeoapi(inputs, folder, {
        "name": "xarray-edr", "data": inputs.netcdf, "x_field": "lon",
        "y_field": "lat", "format":
            "{name: netcdf, mimetype: application/x-netcdf}"}, "edr", "ndvi")


# Features in a box

def _plumb_query(inputs):
    return [f"{REST}/FeatureServer/1/query?f=geojson&where=1%3D1&outFields=*"
            f"&geometryType=esriGeometryEnvelope&inSR=4326&geometry={box}"
            for box in _boxes(inputs)]


def _pygeoapi_items(inputs):
    return [f"/collections/parcels/items?f=json&limit=2000&bbox={box}"
            for box in _boxes(inputs)]


def _boxes(inputs):
    return [",".join(map(repr, box.tolist()))
            for box in np.load(inputs.boxes)[:200]]


def _features(text):
    return sorted(feature["properties"]["erf"]
                  for feature in json.loads(text)["features"])


def _mapserver(connection):
    return Contender(
        f"MapServer, {connection}",
        lambda inputs, folder: servers.mapserver(inputs, folder, connection),
        _mapserver_identify, _mapserver_identified)


def _pygeoapi(name, start):
    return Contender(f"pygeoapi, {name}", start, _pygeoapi_items, _features)


def _pygeoapi_file(name, layer, data="{}"):
    """A server on a copy of the GeoPackage, whose path is inserted into
    `data`: SpatiaLite writes into files that it opens."""
    def start(inputs, folder):
        copy = folder / f"{name}.gpkg"
        shutil.copy(inputs.polygons, copy)
        return servers.pygeoapi(inputs, folder, {
            "name": name, "id_field": "fid", layer: "parcels",
            "data": data.format(copy)})
    return _pygeoapi(name, start)


IDENTIFY = (
    Contender("Plumb", servers.plumb, _plumb_identify, _plumb_identified),
    _mapserver("shapefile"), _mapserver("geopackage"))
ROWS = (
    Row("identify", "identify: 100,000 polygons and a raster", 10, IDENTIFY,
        0.01),
    Row("identify-256", "the same, the raster in tiles of 256 × 256", 10,
        IDENTIFY, 0.01, 256),
    Row("point", "one point of a raster", 20, (
        Contender("Plumb", servers.plumb, _plumb_point, _plumb_value),
        Contender("titiler", servers.titiler, _titiler_point,
                  _titiler_value))),
    Row("position", "one point of a raster by EDR `position`", 20, (
        Contender("Plumb", servers.plumb, _plumb_position, _plumb_covered),
        Contender("pygeoapi, xarray", _pygeoapi_xarray, _pygeoapi_position,
                  _pygeoapi_covered))),
    Row("query", "features by box, 1,000 of 100,000", 10, (
        Contender("Plumb", servers.plumb, _plumb_query, _features),
        _pygeoapi_file("SQLiteGPKG", "table"),
        _pygeoapi_file("OGR", "layer",
                       "{{source_type: GPKG, source: {}}}"),
        _pygeoapi("PostgreSQL", servers.pygeoapi_postgis))),
)


def fetch(url: str) -> str:
    with urllib.request.urlopen(url) as reply:
        return reply.read().decode()
