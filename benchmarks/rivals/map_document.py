"""The map of two layers that batches and servers are asked about."""

DOCUMENT = {
    "version": "2.31",
    "spatialReference": {"wkid": 4326},
    "operationalLayers": [
        {"id": "parcels", "title": "parcels",
         "layerType": "ArcGISFeatureLayer", "url": "parcels.gpkg",
         "layerName": "parcels"},
        {"id": "ndvi", "title": "ndvi", "layerType": "RasterLayer",
         "url": "ndvi.tif"},
    ],
}
"""Polygons below a raster, in the document's folder."""
