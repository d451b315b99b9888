import Plumb
import PlumbCore
import PlumbDocuments
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbSources

/// Documents of maps and networks, and replies of services.
extension ParserTarget {
  static var maps: [ParserTarget] {
    [
      ParserTarget("web map", texts: webMaps, words: jsonWords + mapWords) { bytes in
        try FuzzFolder.shared.withFolder(bytes, "map.json") { folder in
          let path = folder + "/map.json"
          _ = (Map.isDocument(path: path), Map.documentFault(path: path))
          return try !MapInfo(Map.open(path: path)).json.isEmpty
        }
      },
      ParserTarget("network document", texts: networkDocuments, words: jsonWords + mapWords) {
        bytes in
        writeLayers
        return try FuzzFolder.shared.withFile(bytes, ".json") { path in
          try OpenedNetwork.open(path: path).network.elementCount > 0
        }
      },
      reply("layer description", layerDescriptions) { bytes in
        let node = DocumentNode(try JSONTree(bytes), document: "a layer")
        _ = try RemoteLayerInfo(node, access: .folder)
        return true
      },
      reply("identify reply", identifyReplies) { bytes in
        guard let address = ServiceAddress("http://a/MapServer") else { return false }
        let layer = try RemoteLayerInfo(described, access: .folder)
        let response = try RemoteIdentifyResponse(try JSONTree(bytes), at: address)
        for item in response.results { _ = try? item.feature(layer, .wgs84, .folder) }
        return !response.results.isEmpty
      },
      reply("feature info reply", infoReplies) { bytes in
        let json = try? WebMapReply.geoJSON(bytes, .wgs84)
        let markup = try? WebMapReply.markup(XMLElement(bytes), .wgs84)
        let plain = WebMapReply.plain(bytes.string)
        return [json, markup, plain].contains { !($0 ?? []).isEmpty }
      },
      ParserTarget(
        "popup text",
        texts: [
          "{a} of {B} and {no} {expression/e} {expression/none} {", "{{a}} }{ {a{b}c}", "{c}{d}{e}",
        ], words: ["{", "}", "a", "expression/", "é", "{a}"]
      ) { bytes in
        var popup = PopupDefinition(title: bytes.string, text: "{a}")
        popup.expressions = [.init(name: "e", title: "e", expression: "1")]
        popup.media = [
          .init(type: "image", title: bytes.string, caption: "{a}"),
          .init(type: "piechart", title: "", caption: ""),
        ]
        popup.media[1].fields = ["a", "A", "c", "b", "expression/e", "none"]
        popup.media[1].normalizeField = bytes.first == 0x7B ? nil : "a"
        popup.fields = [
          .init(name: "a", format: .init(places: 2, hasDigitSeparator: true)),
          .init(name: bytes.string),
        ]
        let filled = popup.popup(
          of: [
            ("a", .integer(1234)), ("b", .text("x")), ("c", .real(1e300)), ("d", .real(.nan)),
            ("e", .json("[1]")),
          ], expressions: [("e", "9")])
        return filled.title != bytes.string
      },
    ]
  }

  private static func reply(
    _ name: String, _ texts: [String],
    parse: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool
  ) -> ParserTarget {
    ParserTarget(name, texts: texts, words: jsonWords + mapWords, parse: parse)
  }

  private static let mapWords = [
    "\"type\":", "\"layers\":[", "{\"id\":1}", "esriFieldType", "esriSFS", "\"a\"", "[1,2]", "<br>",
    "<a>", "</a>", "=", "\"wkid\":", "4326", "-1",
  ]

  // MARK: Maps

  private static let embedded = """
    {"layerDefinition":{"name":"f","objectIdField":"OBJECTID","minScale":1000,"hasZ":false,
    "fields":[{"name":"OBJECTID","type":"esriFieldTypeOID"},{"name":"a","type":"esriFieldType\
    Integer"}],"drawingInfo":{"renderer":{"type":"simple","symbol":{"type":"esriSMS","size":6,
    "style":"esriSMSCircle","color":[1,2,3,255],"outline":{"type":"esriSLS","width":1,
    "color":null}}}}},"featureSet":{"spatialReference":{"wkid":4326},"features":[{"attributes":
    {"OBJECTID":1,"a":3},"geometry":{"x":1,"y":2}}]},"popupInfo":{"title":"{a}","description":
    "x<br/>{expression/e}","fieldInfos":[{"fieldName":"a","label":"A","visible":true,"format":
    {"places":2,"digitSeparator":true}}],"expressionInfos":[{"name":"e","title":"E","expression":
    "$feature.a","returnType":"number"}],"mediaInfos":[{"type":"image","title":"t","caption":"c",
    "value":{"sourceURL":"http://a/{a}","linkURL":"l"}},{"type":"barchart","value":{"fields":
    ["a"],"normalizeField":"a"}}],"popupElements":[{"type":"text","text":"<b>t</b>"},
    {"type":"fields"},{"type":"media"},{"type":"attachments"}],"showAttachments":true}}
    """

  private static let webMaps = [
    """
    {"operationalLayers":[{"id":"f","title":"F","visibility":true,"opacity":0.5,
    "featureCollection":{"layers":[\(embedded)]}},{"id":"g","layerType":"GroupLayer","layers":[
    {"layerType":"ArcGISFeatureLayer","url":"none.geojson","layerDefinition":{
    "definitionExpression":"a > 1","drawingInfo":{"renderer":{"type":"classBreaks","field":"a",
    "minValue":0,"classBreakInfos":[{"classMaxValue":5,"symbol":{"type":"esriSLS","style":
    "esriSLSDash","width":2,"color":[0,0,0,255]}}],"defaultSymbol":null}}}}]},
    {"id":"r","layerType":"RasterLayer","url":"none.tif","drawingInfo":{"renderer":{"type":
    "rasterStretch","stretchType":"minMax","statistics":[[0,255,1,1]],"useGamma":true,"gamma":[1],
    "colorRamp":{"type":"multipart","colorRamps":[{"type":"algorithmic","algorithm":
    "esriHSVAlgorithm","fromColor":[1,2,3,255],"toColor":[255,0,0,255]}]}}}}],
    "baseMap":{"title":"B","baseMapLayers":[{"id":"b","title":"T"}]},
    "spatialReference":{"wkid":102100,"latestWkid":3857},"version":"2.31"}
    """,
    """
    {"operationalLayers":[{"id":1,"url":"map.json","layerType":"ArcGISMapServiceLayer",
    "visibleLayers":[0,1],"layers":[{"id":1,"layerDefinition":{"definitionExpression":"a=1"},
    "defaultVisibility":false}]}],"layers":[{"id":0,"name":"g","subLayerIds":[1],
    "parentLayerId":-1,"type":"Group Layer","minScale":0,"maxScale":0},{"id":1,"name":"l",
    "parentLayerId":0,"subLayerIds":null,"type":"Raster Layer","url":"none.tif"}],
    "mapName":"m","copyrightText":"c"}
    """,
    """
    {"operationalLayers":[{"layerType":"RasterLayer","url":"none.tif","popupInfo":{},
    "drawingInfo":{"renderer":{"type":"rasterColormap","colormapInfos":[{"value":"1","color":
    [1,2,3,4],"label":"x"}]}}},{"url":"none.csv","columnDelimiter":",","locationInfo":{
    "locationType":"coordinates","latitudeFieldName":"y","longitudeFieldName":"x"}},
    {"layerType":"ArcGISImageServiceLayer","url":"http://a/rest/services/b/ImageServer"},
    {"layerType":"ArcGISFeatureLayer","itemId":"abc","layerId":0},{"layerType":"VectorTileLayer"},
    {"layerType":"WMS","url":"http://a/wms","layers":[{"name":"n"}],"version":"1.3.0"},
    {"layerType":"CSV","url":"none.csv"},{"layerType":"KML","url":"none.kml"},{"id":"none"},
    {"layerType":"RasterLayer","url":"none.tif","drawingInfo":{"renderer":{"type":
    "rasterShadedRelief","azimuth":315,"altitude":45,"zFactor":"2","colorRamp":{"fromColor":
    [0,0,0,255],"toColor":[255,255,255,255]}}}},{"layerType":"RasterLayer","url":"none.tif",
    "layerDefinition":{"drawingInfo":{"renderer":{"type":"classBreaks","minValue":0,
    "classBreakInfos":[{"classMaxValue":1,"label":"l","symbol":{"color":[1,1,1,1]}}]}}}},
    {"layerType":"RasterLayer","url":"none.tif","drawingInfo":{"renderer":{"type":"rasterStretch",
    "stretchType":"percentClip","minPercent":1,"maxPercent":"2","numberOfStandardDeviations":2}}},
    {"layerType":"RasterLayer","url":"none.tif","drawingInfo":{"renderer":{"type":"uniqueValue",
    "uniqueValueInfos":[{"value":"1","symbol":{"color":[1,2,3,255]}}]}}}]}
    """,
    """
    {"operationalLayers":[{"id":"u","layerType":"ArcGISFeatureLayer","url":"none.gpkg",
    "layerName":"l","disablePopup":true,"drawingInfo":{"transparency":50,"labelingInfo":[{}],
    "renderer":{"type":"uniqueValue","field1":"a","field2":"b","fieldDelimiter":", ",
    "defaultSymbol":{"type":"esriSFS","style":"esriSFSSolid","color":[1,2,3,255],"outline":
    {"type":"esriSLS","style":"esriSLSDot","width":1}},"uniqueValueInfos":[{"value":"1, 2",
    "symbol":{"type":"esriPMS","width":10,"height":12,"url":"u"}},{"value":3,"symbol":{"type":
    "esriPFS","width":1}}],"visualVariables":[{"type":"sizeInfo"}]}}},{"id":"v","url":
    "none.shp","layerDefinition":"a = 1","drawingInfo":{"renderer":{"type":"heatmap"}}}]}
    """,
    services("[{\"id\":0},{\"id\":0}]"), services("[{\"id\":1,\"parentLayerId\":2}]"),
    services("[{\"id\":1,\"parentLayerId\":2},{\"id\":2,\"parentLayerId\":1},{\"id\":3}]"),
    services("[{\"id\":1,\"subLayerIds\":[5]}]"),
    services("[{\"id\":1,\"subLayerIds\":[2,2]},{\"id\":2}]"),
    services("[{\"id\":1,\"subLayerIds\":[3]},{\"id\":2,\"subLayerIds\":[3]},{\"id\":3}]"),
    services("[{\"id\":1,\"subLayerIds\":[2]},{\"id\":2,\"parentLayerId\":-1}]"),
    services("[{\"id\":1,\"subLayerIds\":[]},{\"id\":2,\"parentLayerId\":1}]"),
    """
    {"operationalLayers":[{"layerType":"ArcGISFeatureLayer","url":"none.shp","featureReduction":
    {"type":"cluster"},"blendMode":"multiply","layerDefinition":{"drawingInfo":{"labelingInfo":[{}],
    "showLabels":true,"renderer":{"type":"simple","rotationExpression":"[a]","valueExpression":"$feature.a",
    "normalizationType":"esriNormalizeByField","visualVariables":[{"type":"sizeInfo"},{"type":"x"}],
    "symbol":{"type":"esriSMS","style":"esriSMSPath","xoffset":1,"yoffset":2,"size":3}}}}},
    {"layerType":"RasterLayer","url":"none.tif","drawingInfo":{"renderer":{"type":
    "rasterShadedRelief","hillshadeType":"multidirectional"}}},{"layerType":"RasterLayer","url":
    "none.tif","drawingInfo":{"renderer":{"type":"rasterStretch","stretchType":"sigmoid","colorRamp":
    {"type":"x"}}}}]}
    """,
    #"{"mapDefinition":{},"layerDefinitions":[]}"#, "{\"operationalLayers\":[],}",
  ]

  /// A map with its sublayers.
  private static func services(_ layers: String) -> String {
    #"{"operationalLayers":[{"url":"map.json","layerType":"ArcGISMapServiceLayer"}],"layers":\#(layers)}"#
  }

  // MARK: Networks

  /// The layers that network documents refer to.
  private static let writeLayers: Void = {
    FuzzFolder.shared.write(
      "pipes.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":{"ID":"p1",
      "KIND":"x","LENGTH":5},"geometry":{"type":"LineString","coordinates":[[0,0],[1,0]]}},
      {"type":"Feature","id":2,"properties":{"ID":"p2","KIND":"y","LENGTH":6.5},"geometry":
      {"type":"LineString","coordinates":[[1,0],[2,0]]}}]}
      """)
    FuzzFolder.shared.write(
      "valves.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":{"ID":"v1",
      "KIND":"supply"},"geometry":{"type":"Point","coordinates":[1,0]}}]}
      """)
  }()

  private static let networkDocuments = [
    #"{"definition":"none.json","sources":[{"sourceId":1,"path":"pipes.geojson"}]}"#,
    #"{"dataElement":{"domainNetworks":[]},"sources":[{"sourceId":1,"path":"pipes.geojson"}]}"#,
    #"{"layerDataElements":[],"sources":[]}"#, #"{"lines":[{"pat":"pipes.geojson"}]}"#,
    #"{"points":[]}"#,
    """
    {"lines":[{"name":"pipe","path":"pipes.geojson","id":"ID","attributes":["LENGTH"],
    "apportioned":["LENGTH"],"category":"KIND"}],"points":[{"name":"valve","path":
    "valves.geojson","id":"ID","categories":["Isolating"],"controller":"KIND = 'supply'"}],
    "tolerance":0.01,"spatialReference":{"wkid":4326}}
    """,
    #"{"lines":{"path":"pipes.geojson","layer":"pipes"},"points":{"path":"valves.geojson","controller":true}}"#,
    """
    {"layerDataElements":[{"dataElement":{"domainNetworks":[{"domainNetworkId":1,
    "domainNetworkName":"P","tierDefinition":"esriTDPartitioned","subnetworkControllerType":
    "esriSCTSource","tiers":[{"tierID":1,"name":"T","rank":1,"tierTopology":"esriTTTMesh"}],"edgeSources":[{"sourceId":2,"layerId":2,"networkSourceName":"pipe",
    "utilityNetworkFeatureClassUsageType":"esriUNFCUTLine","assetGroups":[{"assetGroupCode":1,
    "assetGroupName":"g","assetTypes":[{"assetTypeCode":1,"assetTypeName":"t"}]}]}],
    "junctionSources":[{"sourceId":1,"layerId":1,"networkSourceName":"valve",
    "utilityNetworkFeatureClassUsageType":"esriUNFCUTDevice","assetGroups":[{"assetGroupCode":1,
    "assetGroupName":"g","assetTypes":[{"assetTypeCode":1,"assetTypeName":"t"}]}]}]}],"networkAttributes":[{"networkAttributeId":1,
    "name":"L","dataType":"esriNADTDouble","isApportionable":true,"assignments":[{
    "networkSourceId":2,"evaluator":{"fieldName":"LENGTH"}}]}]}}],"tolerance":0.001,
    "sources":[{"sourceId":1,"path":"valves.geojson","fields":{"globalId":"ID"}},
    {"sourceId":2,"path":"pipes.geojson","fields":{"globalId":"ID"}}]}
    """,
  ]

  // MARK: Replies

  private static let description = """
    {"id":0,"name":"n","type":"Feature Layer","geometryType":"esriGeometryPolygon","objectIdField":
    "OBJECTID","fields":[{"name":"OBJECTID","type":"esriFieldTypeOID"},{"name":"d","alias":"D",
    "type":"esriFieldTypeDate"},{"name":"b","type":"esriFieldTypeSmallInteger","sqlType":
    "sqlTypeBit"},{"name":"r","type":"esriFieldTypeDouble"},{"name":"t"},{"name":"g","type":
    "esriFieldTypeGeometry"}],"extent":{"xmin":0,"ymin":0,"xmax":1,"ymax":1,"spatialReference":
    {"wkid":4326}},"capabilities":"Map,Query","hasZ":false,"hasM":true,"hasAttachments":true,
    "maxRecordCount":2000,"advancedQueryCapabilities":{"supportsPagination":true},
    "supportedSpatialRelationships":["esriSpatialRelEnvelopeIntersects"],"copyrightText":"c",
    "minScale":1000,"maxScale":0,"drawingInfo":{"transparency":10,"renderer":{"type":"simple",
    "symbol":{"type":"esriSFS","style":"esriSFSSolid","color":[1,2,3,4]}}}}
    """

  private static let layerDescriptions = [
    description,
    #"{"type":"Table","sourceSpatialReference":{"wkid":3857},"supportsPagination":true}"#,
    #"{"sourceSpatialReference":{"wkt":"EPSG:4326"},"extent":{"xmin":1,"xmax":0}}"#,
  ]

  /// The requests of the replies.
  private static var described: DocumentNode {
    get throws {
      let tree = try Array(description.utf8).withUnsafeBytes { try JSONTree($0) }
      return DocumentNode(tree, document: "a layer")
    }
  }

  private static let identifyReplies = [
    """
    {"results":[{"layerId":0,"layerName":"n","value":"v","attributes":{"OBJECTID":"1","D":
    "Null","b":"1","r":"2.5","t":"x"},"geometry":{"rings":[[[0,0],[0,1],[1,1],[0,0]]],
    "spatialReference":{"wkid":4326}}},{"layerId":0,"attributes":{"OBJECTID":2,"d":1e12,"b":0,
    "r":3,"t":true}},{"layerId":0,"attributes":{"OBJECTID":3.5,"d":1.5,"b":7,"t":[1]},
    "geometry":{"x":1,"y":2}},{"layerId":1}],"exceededTransferLimit":true,"errors":[{"layerId":4,
    "message":"m"},{"layerId":5}]}
    """
  ]

  private static let infoReplies = [
    """
    {"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},
    "features":[{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1,2]},
    "properties":{"a":1,"b":"x","c":null,"d":[1],"e":true,"f":1.5}}]}
    """, #"{"a":1}"#, #"{"type":"Feature","properties":{"a":1}}"#, #"{"features":[{},1]}"#,
    """
    <?xml version="1.0"?><msGMLOutput><l_layer><l_feature><gml:boundedBy><gml:Box/></gml:boundedBy>
    <a>1</a><b>x</b></l_feature></l_layer></msGMLOutput>
    """, "<FeatureInfoResponse><FIELDS a=\"1\" b=\"007\"/></FeatureInfoResponse>",
    """
    Results for FeatureInfo:
    ---------
    Feature 1:
      a = '1'
      b: "x"
      c = 2.5

    name:
    d = 007
    """,
  ]
}
