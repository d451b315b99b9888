"""The map of two layers for batches and servers."""

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
"""A map of polygons below a raster, in the document's folder."""
