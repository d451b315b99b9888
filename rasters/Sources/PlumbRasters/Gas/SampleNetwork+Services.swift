extension SampleNetwork {
  /// The network as a map image layer, shown below 1:25000.
  static let services = #"""
    {
      "currentVersion": 11.1,
      "mapName": "gas_services",
      "spatialReference": {"wkid": 4326},
      "units": "esriDecimalDegrees",
      "layers": [
        {"id": 0, "name": "regulators", "type": "Feature Layer", "parentLayerId": -1,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 25000, "maxScale": 0,
         "source": {"path": "gas_devices.geojson", "layer": "gas_devices"},
         "definitionExpression": "ASSETGROUP = 4",
         "drawingInfo": {"renderer": {"type": "simple", "symbol":
           {"type": "esriSMS", "style": "esriSMSCircle", "size": 11, "color": [209, 52, 47, 255]}}},
         "popupInfo": {"title": "Regulator {GLOBALID}", "description": "Feeds {SUBNETWORKNAME}",
           "fieldInfos": [
             {"fieldName": "GLOBALID", "label": "Id", "visible": true},
             {"fieldName": "SUBNETWORKNAME", "label": "Subnetwork", "visible": true}]}},
        {"id": 1, "name": "meters", "type": "Feature Layer", "parentLayerId": -1,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 25000, "maxScale": 0,
         "source": {"path": "gas_devices.geojson", "layer": "gas_devices"},
         "definitionExpression": "ASSETGROUP = 3",
         "drawingInfo": {"renderer": {"type": "simple", "symbol":
           {"type": "esriSMS", "style": "esriSMSCircle", "size": 5, "color": [59, 111, 182, 255]}}},
         "popupInfo": {"title": "Meter {GLOBALID}", "fieldInfos": [
           {"fieldName": "GLOBALID", "label": "Id", "visible": true}]}},
        {"id": 2, "name": "valves", "type": "Feature Layer", "parentLayerId": -1,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 25000, "maxScale": 0,
         "source": {"path": "gas_devices.geojson", "layer": "gas_devices"},
         "definitionExpression": "ASSETGROUP = 1",
         "drawingInfo": {"renderer": {"type": "uniqueValue", "field1": "STATUS",
           "uniqueValueInfos": [
             {"value": 0, "label": "Closed", "symbol":
               {"type": "esriSMS", "style": "esriSMSDiamond", "size": 8,
                "color": [204, 34, 34, 255]}}],
           "defaultSymbol":
             {"type": "esriSMS", "style": "esriSMSDiamond", "size": 7, "color": [42, 157, 85, 255]}}},
         "popupInfo": {"title": "Valve {GLOBALID}",
           "fieldInfos": [
             {"fieldName": "GLOBALID", "label": "Id", "visible": true},
             {"fieldName": "OPERABLE", "label": "Operable", "visible": true}]}},
        {"id": 3, "name": "pipes", "type": "Feature Layer", "parentLayerId": -1,
         "subLayerIds": null, "defaultVisibility": true, "minScale": 25000, "maxScale": 0,
         "source": {"path": "gas_pipes.geojson", "layer": "gas_pipes"},
         "drawingInfo": {"renderer": {"type": "uniqueValue", "field1": "ASSETGROUP",
           "uniqueValueInfos": [
             {"value": 1, "label": "Main", "symbol":
               {"type": "esriSLS", "style": "esriSLSSolid", "width": 2,
                "color": [224, 163, 26, 255]}}],
           "defaultSymbol":
             {"type": "esriSLS", "style": "esriSLSSolid", "width": 1, "color": [181, 138, 46, 255]}}},
         "popupInfo": {"title": "Pipe {GLOBALID}", "description": "{LENGTH_M} m of {DIAMETER_MM} mm",
           "fieldInfos": [
             {"fieldName": "GLOBALID", "label": "Id", "visible": true},
             {"fieldName": "DIAMETER_MM", "label": "Diameter (mm)", "visible": true},
             {"fieldName": "PRESSURE_KPA", "label": "Pressure (kPa)", "visible": true}]}}
      ]
    }

    """#
}
