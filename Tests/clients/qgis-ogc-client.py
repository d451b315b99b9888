"""QGIS's provider of OGC API Features, used without a screen.

usage: qgis-ogc-client.py SERVICE, for example http://127.0.0.1:8080/ogc
"""

import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from qgis.core import (  # noqa: E402
    Qgis,
    QgsApplication,
    QgsFeatureRequest,
    QgsGeometry,
    QgsRectangle,
    QgsVectorLayer,
)

application = QgsApplication([], False)
application.initQgis()

BOX = QgsRectangle(18.4, -34.0, 18.6, -33.8)


def opened(name):
    layer = QgsVectorLayer(
        f"url='{sys.argv[1]}' typename='{name}' pageSize='7' "
        "restrictToRequestBBOX='1'", "layer", "OAPIF")
    assert layer.isValid(), layer.dataProvider().error().message()
    return layer


# Collection, total number of features, geometry type.
for name, count, kind in (
        ("cape.places", 66, 0), ("cape.rivers", 18, 1), ("cape.wards", 50, 2)):
    layer = opened(name)
    features = list(layer.getFeatures())
    assert len(features) == count, (name, len(features))
    assert layer.geometryType() == kind, (name, layer.geometryType())
    # Another collection, no features of which are loaded yet, so the box is requested from the
    # server.
    near = list(opened(name).getFeatures(QgsFeatureRequest(BOX)))
    expected = [feature for feature in features
                if feature.geometry().intersects(QgsGeometry.fromRect(BOX))]
    found, known = (sorted(feature.attributes()[0:2] for feature in some)
                    for some in (near, expected))
    assert found == known and known, (name, found, known)
    print(f"QGIS {Qgis.QGIS_VERSION}: {name}: {count} features, "
          f"{len(near)} in a box")
