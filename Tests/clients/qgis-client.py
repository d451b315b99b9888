"""QGIS's providers of ArcGIS services, used without a screen.

usage: qgis-client.py SERVICES MAP, for example http://127.0.0.1:8080/arcgis/rest/services cape
"""

import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from qgis.core import (  # noqa: E402
    Qgis,
    QgsApplication,
    QgsFeatureRequest,
    QgsPointXY,
    QgsRaster,
    QgsRasterLayer,
    QgsRectangle,
    QgsVectorLayer,
)

services, name = sys.argv[1:3]
application = QgsApplication([], False)
application.initQgis()

# Layer, total number of features, geometry type.
for number, count, kind in ((0, 66, 0), (1, 18, 1), (2, 50, 2)):
    layer = QgsVectorLayer(
        f"crs='EPSG:4326' url='{services}/{name}/FeatureServer/{number}'", "layer",
        "arcgisfeatureserver")
    assert layer.isValid(), layer.dataProvider().error().message()
    features = list(layer.getFeatures())
    assert layer.featureCount() == len(features) == count, (number, len(features))
    assert layer.geometryType() == kind
    assert all(feature.hasGeometry() for feature in features)
    box = QgsRectangle(18.4, -34.0, 18.6, -33.8)
    near = {feature.id() for feature in layer.getFeatures(QgsFeatureRequest(box))}
    assert near == {f.id() for f in features if f.geometry().boundingBoxIntersects(box)} and near
    print(f"QGIS {Qgis.QGIS_VERSION}: layer {number}: {count} features, {len(near)} in a box")

layer = QgsRasterLayer(
    f"crs='EPSG:4326' format='PNG32' layer='' url='{services}/{name}/MapServer'", "map",
    "arcgismapserver")
assert layer.isValid(), layer.error().message()
view = QgsRectangle(18.3, -34.3, 19.1, -33.6)
answer = layer.dataProvider().identify(
    QgsPointXY(18.86, -33.932), QgsRaster.IdentifyFormatText, view, 800, 700)
assert answer.isValid()
texts = [str(text) for text in answer.results().values()]
assert any("NAME = Stellenbosch" in text for text in texts), texts
assert any("Band_0 = " in text for text in texts), texts
picture = layer.dataProvider().block(1, view, 400, 350).image()
assert (picture.width(), picture.height()) == (400, 350)
colors = {picture.pixel(x, y) for x in range(0, 400, 10) for y in range(0, 350, 10)}
assert len(colors) > 20, colors
print(f"QGIS {Qgis.QGIS_VERSION}: map: {len(texts)} results at a point, {len(colors)} colours")
