extension SampleMap {
  /// The web map; its first layer is at the bottom.
  static let document = #"""
    {
      "version": "2.31",
      "spatialReference": {"wkid": 4326},
      "operationalLayers": [
        {"id": "dem", "title": "dem", "layerType": "RasterLayer", "url": "dem",
         "visibility": true, "opacity": 1},
        {"id": "evi", "title": "evi", "layerType": "RasterLayer", "url": "evi_cape_town.tif",
         "visibility": true, "opacity": 0.7},
        {"id": "land_cover", "title": "land_cover", "layerType": "RasterLayer",
         "url": "land_cover_cape_town.tif", "visibility": true, "opacity": 0.7},
        {"id": "services", "title": "services", "layerType": "ArcGISMapServiceLayer",
         "url": "cape_services.json", "visibility": true, "opacity": 1},
        {"id": "gas", "title": "gas", "layerType": "ArcGISMapServiceLayer",
         "url": "gas_services.json", "visibility": true, "opacity": 1},
        {"id": "wards", "title": "wards", "layerType": "ArcGISFeatureLayer", "url": "wards.geojson",
         "visibility": true, "opacity": 0.5,
         "layerDefinition": {
           "drawingInfo": {"renderer": {"type": "simple", "symbol":
             {"type": "esriSFS", "style": "esriSFSSolid", "color": [220, 205, 230, 120], "outline":
               {"type": "esriSLS", "style": "esriSLSSolid", "width": 0.7,
                "color": [122, 75, 140, 255]}}}}},
         "popupInfo": {"title": "Ward {WARD}: {NAME}",
           "description": "{POP} people live in {NAME}, {DENSITY} on each square kilometre.",
           "fieldInfos": [
             {"fieldName": "WARD", "label": "Ward", "visible": true,
              "format": {"places": 0, "digitSeparator": false}},
             {"fieldName": "NAME", "label": "Name", "visible": true},
             {"fieldName": "POP", "label": "Population", "visible": true,
              "format": {"places": 0, "digitSeparator": true}},
             {"fieldName": "DENSITY", "label": "People per km²", "visible": true,
              "format": {"places": 1, "digitSeparator": true}}]}},
        {"id": "rivers", "title": "rivers", "layerType": "ArcGISFeatureLayer",
         "url": "rivers.geojson", "visibility": true, "opacity": 1,
         "layerDefinition": {
           "drawingInfo": {"renderer": {"type": "classBreaks", "field": "ORDER", "minValue": 0,
               "classBreakInfos": [
                 {"classMaxValue": 1, "label": "First order", "symbol":
                   {"type": "esriSLS", "style": "esriSLSSolid", "width": 1,
                    "color": [33, 102, 172, 255]}},
                 {"classMaxValue": 2, "label": "Second order", "symbol":
                   {"type": "esriSLS", "style": "esriSLSSolid", "width": 1.5,
                    "color": [33, 102, 172, 255]}},
                 {"classMaxValue": 3, "label": "Third order", "symbol":
                   {"type": "esriSLS", "style": "esriSLSSolid", "width": 2.5,
                    "color": [33, 102, 172, 255]}},
                 {"classMaxValue": 6, "label": "Higher order", "symbol":
                   {"type": "esriSLS", "style": "esriSLSSolid", "width": 3.5,
                    "color": [33, 102, 172, 255]}}]}}},
         "popupInfo": {"title": "{NAME}",
           "description": "A river of order {ORDER}, {LENGTH_KM} km long with its branches.",
           "fieldInfos": [
             {"fieldName": "NAME", "label": "Name", "visible": true},
             {"fieldName": "ORDER", "label": "Stream order", "visible": true,
              "format": {"places": 0, "digitSeparator": false}},
             {"fieldName": "LENGTH_KM", "label": "Length (km)", "visible": true,
              "format": {"places": 1, "digitSeparator": true}}]}},
        {"id": "places", "title": "places", "layerType": "ArcGISFeatureLayer",
         "url": "places.geojson", "visibility": true, "opacity": 1,
         "layerDefinition": {
           "drawingInfo": {"renderer": {"type": "uniqueValue", "field1": "KIND",
               "uniqueValueInfos": [
                 {"value": "city", "label": "City", "symbol":
                   {"type": "esriSMS", "style": "esriSMSCircle", "size": 12,
                    "color": [34, 34, 34, 255]}},
                 {"value": "town", "label": "Town", "symbol":
                   {"type": "esriSMS", "style": "esriSMSCircle", "size": 9,
                    "color": [255, 255, 255, 255]}},
                 {"value": "suburb", "label": "Suburb", "symbol":
                   {"type": "esriSMS", "style": "esriSMSCircle", "size": 6,
                    "color": [255, 255, 255, 255]}},
                 {"value": "village", "label": "Village", "symbol":
                   {"type": "esriSMS", "style": "esriSMSCircle", "size": 5,
                    "color": [255, 255, 255, 255]}},
                 {"value": "harbour", "label": "Harbour", "symbol":
                   {"type": "esriSMS", "style": "esriSMSSquare", "size": 8,
                    "color": [255, 255, 255, 255]}}],
               "defaultSymbol":
                 {"type": "esriSMS", "style": "esriSMSCircle", "size": 5, "color": [255, 255, 255, 255]}}}},
         "popupInfo": {"title": "{NAME}", "description": "A {KIND} {ELEV} m above the sea.",
           "fieldInfos": [
             {"fieldName": "NAME", "label": "Name", "visible": true},
             {"fieldName": "KIND", "label": "Kind", "visible": true},
             {"fieldName": "POP", "label": "Population", "visible": true,
              "format": {"places": 0, "digitSeparator": true}},
             {"fieldName": "ELEV", "label": "Elevation (m)", "visible": true,
              "format": {"places": 0, "digitSeparator": true}}]}}
      ]
    }

    """#
}
