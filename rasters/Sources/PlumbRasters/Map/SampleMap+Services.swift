extension SampleMap {
  /// The map image layer: groups three levels deep.
  static let services = #"""
    {
      "currentVersion": 11.1,
      "mapName": "cape_services",
      "spatialReference": {"wkid": 4326},
      "units": "esriDecimalDegrees",
      "layers": [
        {"id": 0, "name": "services", "type": "Group Layer", "parentLayerId": -1,
         "subLayerIds": [1, 2, 5], "defaultVisibility": true, "minScale": 0, "maxScale": 0},
        {"id": 1, "name": "clinics", "type": "Feature Layer", "parentLayerId": 0,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 100000, "maxScale": 0,
         "source": {"path": "clinics.geojson", "layer": "clinics"},
         "drawingInfo": {"renderer": {"type": "simple", "symbol":
           {"type": "esriSMS", "style": "esriSMSCross", "size": 8, "color": [215, 25, 28, 255]}}},
         "popupInfo": {"title": "{NAME}", "description": "{BEDS} beds",
           "fieldInfos": [
             {"fieldName": "NAME", "label": "Name", "visible": true},
             {"fieldName": "BEDS", "label": "Beds", "visible": true,
              "format": {"places": 0, "digitSeparator": true}}]}},
        {"id": 2, "name": "water", "type": "Group Layer", "parentLayerId": 0,
         "subLayerIds": [3, 4], "defaultVisibility": true, "minScale": 0, "maxScale": 0},
        {"id": 3, "name": "dams", "type": "Feature Layer", "parentLayerId": 2,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 0, "maxScale": 0,
         "source": {"path": "dams.geojson", "layer": "dams"},
         "definitionExpression": "KIND = 'dam'",
         "drawingInfo": {"renderer": {"type": "simple", "symbol":
           {"type": "esriSFS", "style": "esriSFSSolid", "color": [93, 155, 208, 255], "outline":
             {"type": "esriSLS", "style": "esriSLSSolid", "width": 0.6, "color": [44, 106, 160, 255]}}}},
         "popupInfo": {"title": "{NAME} ({KIND})", "description": "{AREA_KM2} square kilometres",
           "fieldInfos": [
             {"fieldName": "NAME", "label": "Name", "visible": true},
             {"fieldName": "AREA_KM2", "label": "Area (km²)", "visible": true,
              "format": {"places": 1, "digitSeparator": true}}]}},
        {"id": 4, "name": "vleis", "type": "Feature Layer", "parentLayerId": 2,
         "subLayerIds": null, "defaultVisibility": false, "minScale": 0, "maxScale": 0,
         "source": "dams.geojson", "definitionExpression": "KIND = 'vlei'",
         "drawingInfo": {"renderer": {"type": "simple", "symbol":
           {"type": "esriSFS", "style": "esriSFSSolid", "color": [150, 200, 220, 255], "outline":
             {"type": "esriSLS", "style": "esriSLSSolid", "width": 0.6, "color": [44, 106, 160, 255]}}}}},
        {"id": 5, "name": "outdoors", "type": "Group Layer", "parentLayerId": 0,
         "subLayerIds": [6, 7], "defaultVisibility": false, "minScale": 0, "maxScale": 0},
        {"id": 6, "name": "trails", "type": "Feature Layer", "parentLayerId": 5,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 0, "maxScale": 0,
         "source": {"path": "trails.geojson", "layer": "trails"},
         "drawingInfo": {"renderer": {"type": "simple", "symbol":
           {"type": "esriSLS", "style": "esriSLSDash", "width": 1.2, "color": [140, 45, 4, 255]}}},
         "popupInfo": {"title": "{NAME}", "description": "{LENGTH_KM} km, {CLIMB_M} m up",
           "fieldInfos": [
             {"fieldName": "NAME", "label": "Name", "visible": true},
             {"fieldName": "LENGTH_KM", "label": "Length (km)", "visible": true,
              "format": {"places": 1, "digitSeparator": false}},
             {"fieldName": "CLIMB_M", "label": "Climb (m)", "visible": true,
              "format": {"places": 0, "digitSeparator": true}}]}},
        {"id": 7, "name": "ndvi", "type": "Raster Layer", "parentLayerId": 5,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 0, "maxScale": 0,
         "source": {"path": "ndvi_cape_town_3857.tif"}},
        {"id": 8, "name": "ground", "type": "Group Layer", "parentLayerId": -1,
         "subLayerIds": [9, 10], "defaultVisibility": true, "minScale": 0, "maxScale": 0},
        {"id": 9, "name": "cover", "type": "Raster Layer", "parentLayerId": 8,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 0, "maxScale": 0,
         "source": {"path": "land_cover_cape_town.tif"}},
        {"id": 10, "name": "heights", "type": "Raster Layer", "parentLayerId": 8,
         "subLayerIds": null, "defaultVisibility": false, "minScale": 0, "maxScale": 0,
         "source": {"path": "dem"}}
      ]
    }

    """#
}
