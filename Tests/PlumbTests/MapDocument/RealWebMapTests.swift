import PlumbCore
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Common members of web maps that Plumb does not use do not affect a layer.
@Suite struct RealWebMapTests {
  @Test(arguments: [
    #"{"type":"heatmap","blurRadius":10,"colorStops":[],"field":null}"#,
    #"{"type":"dotDensity","dotValue":18,"attributes":[]}"#,
    #"{"type":"pieChart","size":18}"#, #"{"type":"dictionary","dictionaryName":"mil2525d"}"#,
    #"{"type":"simple","symbol":{"type":"CIMSymbolReference","symbol":{"type":"CIMPointSymbol"}}}"#,
    #"{"type":"classBreaks","valueExpression":"$feature.POP / 2","classBreakInfos":[]}"#,
    #"{"type":"uniqueValue","field1":null,"valueExpression":"1","uniqueValueInfos":[]}"#,
  ])
  func renderersWithoutSizes(renderer: String) throws {
    let folder = try TemporaryFolder()
    let map = try MapDocumentTests.open(
      #"""
      {"spatialReference":{"wkid":4326},"operationalLayers":[
       {"id":"t","layerType":"ArcGISFeatureLayer","url":"towns.geojson",
        "layerDefinition":{"drawingInfo":{"renderer":\#(renderer)}}},
       {"id":"r","layerType":"RasterLayer","url":"grid.asc",
        "layerDefinition":{"drawingInfo":{"renderer":{"type":"rasterStretch"}}}}]}
      """#, in: folder)
    let towns = try #require(map.layer(id: "t"))
    let raster = try #require(map.layer(id: "r"))
    try towns.load()
    try raster.load()
    for scale in [nil, 1000.0] {
      let all = try MapIdentifier(
        map, options: IdentifyOptions(tolerance: .metres(1e8), scale: scale), layer: "t")
      #expect(all.identify(x: 0, y: 0).first?.foundCount == 2)
    }
  }
}
