"""OWSLib's clients of OGC API Features and EDR.

usage: ogc-client.py SERVICE, for example http://127.0.0.1:8080/ogc
"""

import json
import sys
from importlib.metadata import version

from owslib.ogcapi.edr import EnvironmentalDataRetrieval
from owslib.ogcapi.features import Features

CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
REGISTER = "http://www.opengis.net/def/crs/EPSG/0/"

features = Features(sys.argv[1])
assert features.conformance()["conformsTo"]
assert features.api()["openapi"].startswith("3.0")
names = features.feature_collections()
assert "cape.wards" in names and "cape.dem" not in names, names
assert features.collection("cape.wards")["storageCrs"] == CRS84
assert "NAME" in features.collection_queryables("cape.wards")["properties"]

found = []
while True:
    page = features.collection_items("cape.wards", limit=7, offset=len(found))
    found += [each["id"] for each in page["features"]]
    if len(found) >= page["numberMatched"]:
        break
assert found == list(range(1, 51)), found
box = features.collection_items(
    "cape.wards", limit=100, bbox=[18.4, -34.0, 18.6, -33.8])
assert 0 < box["numberMatched"] < 50
name = box["features"][0]["properties"]["NAME"]
same = features.collection_items("cape.wards", NAME=name)
assert box["features"][0]["id"] in [each["id"] for each in same["features"]]
assert features.collection_item("cape.wards", "7")["id"] == 7
print(f"OWSLib {version('owslib')} Features: 50 features, "
      f"{box['numberMatched']} in a box")

edr = EnvironmentalDataRetrieval(sys.argv[1])
assert "cape.evi" in edr.data() and "cape.wards" not in edr.data()
points = [(18.42, -33.93), (18.5, -33.9), (18.86, -33.93), (0, 0)]


def ask(kind, **options):
    # It returns bytes for anything except plain JSON.
    answer = edr.query_data("cape.evi", kind, **options)
    if isinstance(answer, dict):
        return answer
    return json.loads(answer if isinstance(answer, bytes) else answer.read())


def values(coverage):
    return coverage["ranges"]["Band_0"]["values"]


text = ",".join(f"({x} {y})" for x, y in points)
many = values(ask("position", coords=f"MULTIPOINT({text})",
                  parameter_names=["Band_0"]))
each = [values(ask("position", coords=f"POINT({x} {y})",
                   parameter_names=["Band_0"]))[0] for x, y in points]
assert many == each and many[3] is None and None not in many[:3], (many, each)
turned = ",".join(f"({y} {x})" for x, y in points)
again = ask("position", coords=f"MULTIPOINT({turned})", crs=REGISTER + "4326")
assert values(again) == many
near = ask("radius", coords="POINT(18.5 -33.9)", within=1000)
inside = ask("area", coords="POLYGON((18.5 -34,18.55 -34,18.55 -33.95,"
             "18.5 -33.95,18.5 -34))")
along = ask("trajectory", coords="LINESTRING(18.42 -33.93,18.5 -33.9)")
counts = [len(values(answer)) for answer in (near, inside, along)]
# Cells of 231.7 m in an equal-area projection.
assert abs(counts[0] - 3.14159e6 / 231.656358 ** 2) < 5, counts
assert all(counts), counts
print(f"OWSLib {version('owslib')} EDR: {many} at points, {counts} cells")
