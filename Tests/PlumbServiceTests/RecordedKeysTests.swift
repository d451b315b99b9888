import PlumbService
import PlumbTestSupport
import Testing

/// The members of the replies of real servers, as recorded for the test suites of TerriaJS, Koop,
/// esridump and GDAL: those that at least four in five replies of a kind have in common.
@Suite struct RecordedKeysTests {
  struct Reply: Sendable, CustomTestStringConvertible {
    var path: String
    var parameters: [String: String] = [:]
    var keys: String
    /// The members of the objects in a value, or of the first object in lists.
    var inside: [String: String] = [:]

    var testDescription: String { path }
  }

  private static let replies = [
    Reply(
      path: "", keys: "currentVersion folders services", inside: ["services": "name type"]),
    Reply(
      path: "cape/MapServer",
      keys: """
        capabilities copyrightText currentVersion description documentInfo exportTilesAllowed \
        fullExtent initialExtent layers mapName maxImageHeight maxImageWidth maxRecordCount maxScale \
        minScale serviceDescription singleFusedMapCache spatialReference supportedExtensions \
        supportedImageFormatTypes supportedQueryFormats supportsDatumTransformation \
        supportsDynamicLayers tables units
        """,
      inside: [
        "layers": "defaultVisibility id maxScale minScale name parentLayerId subLayerIds",
        "documentInfo":
          "AntialiasingMode Author Category Comments Keywords Subject TextAntialiasingMode Title",
      ]),
    Reply(
      path: "cape/MapServer/legend", keys: "layers",
      inside: ["layers": "layerId layerName layerType legend maxScale minScale"]),
    Reply(path: "cape/MapServer/layers", keys: "layers tables"),
    Reply(
      path: "cape/FeatureServer",
      keys: """
        allowGeometryUpdates capabilities copyrightText currentVersion description fullExtent \
        hasVersionedData initialExtent layers maxRecordCount serviceDescription spatialReference \
        supportedQueryFormats supportsApplyEditsWithGlobalIds supportsDisconnectedEditing \
        syncEnabled tables units
        """),
    Reply(
      path: "cape/FeatureServer/2",
      keys: """
        capabilities copyrightText currentVersion defaultVisibility description displayField \
        drawingInfo extent fields geometryType hasAttachments htmlPopupType id maxScale minScale name \
        parentLayer relationships type typeIdField
        """,
      inside: [
        "drawingInfo": "labelingInfo renderer transparency",
        "advancedQueryCapabilities": """
        supportsCountDistinct supportsDistinct supportsHavingClause supportsOrderBy \
        supportsPagination supportsQueryWithDistance supportsReturningQueryExtent supportsStatistics
        """,
        "fields": "alias domain name type",
      ]),
    Reply(
      path: "cape/FeatureServer/2/query",
      parameters: ["where": "1=1", "outFields": "*", "resultRecordCount": "3"],
      keys:
        "features fields geometryType globalIdFieldName objectIdFieldName spatialReference",
      inside: ["fields": "alias name type", "features": "attributes geometry"]),
    Reply(
      path: "cape/FeatureServer/2/query",
      parameters: [
        "outStatistics": #"[{"statisticType":"sum","onStatisticField":"POP"}]"#
      ],
      keys: "displayFieldName features fieldAliases fields",
      inside: ["fields": "alias name type", "features": "attributes"]),
    Reply(
      path: "cape/FeatureServer/2/query", parameters: ["where": "1=1", "returnIdsOnly": "true"],
      keys: "objectIds"),
    Reply(
      path: "cape/FeatureServer/2/query", parameters: ["where": "1=1", "returnCountOnly": "true"],
      keys: "count"),
    Reply(
      path: "cape_18/ImageServer",
      keys: """
        advancedQueryCapabilities allowComputeTiePoints allowRasterFunction allowedMosaicMethods \
        bandCount capabilities copyrightText currentVersion defaultCompressionQuality \
        defaultMosaicMethod defaultResamplingMethod description editFieldsInfo exportTilesAllowed \
        extent fields fullExtent hasColormap hasHistograms hasMultidimensions \
        hasRasterAttributeTable initialExtent maxImageHeight maxImageWidth maxPixelSize maxScale \
        maxValues meanValues mensurationCapabilities minPixelSize minScale minValues mosaicOperator \
        name objectIdField ownershipBasedAccessControlForRasters pixelSizeX pixelSizeY pixelType \
        rasterFunctionInfos rasterTypeInfos serviceDataType serviceDescription sortAscending \
        sortField sortValue spatialReference stdvValues supportsAdvancedQueries supportsStatistics \
        useStandardizedQueries
        """),
    Reply(
      path: "cape_18/ImageServer/identify", parameters: ["geometry": "18.5,-33.9"],
      keys: "catalogItemVisibilities catalogItems location name objectId properties value"),
  ]

  @Test(arguments: replies) func isWhatClientsKnow(reply: Reply) throws {
    let answered = try TestService.sample.get().json(reply.path, reply.parameters)
    Self.expect(reply.keys, in: answered)
    for (name, keys) in reply.inside {
      let first = (answered[name] as? [Any])?.first ?? answered[name]
      Self.expect(keys, in: try #require(first as? [String: Any]))
    }
  }

  private static func expect(_ keys: String, in object: [String: Any]) {
    let missing = keys.split(separator: " ").map(String.init).filter { object[$0] == nil }
    #expect(missing == [])
  }
}
