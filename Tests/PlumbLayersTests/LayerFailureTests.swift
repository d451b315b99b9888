import PlumbCore
import PlumbGeometry
import PlumbRaster
import Testing

@testable import PlumbLayers

/// Rule: one layer's failure sets that node's `error` and nothing else.
@Suite struct LayerFailureTests {
  /// Puts a failing layer between two layers that succeed, above them, in a group, and in a map
  /// image layer.
  private func check(
    _ code: FailureCode, _ bad: @autoclosure () throws -> any Layer, map reference: String? = nil,
    message: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reference = try reference.map { try SpatialReference($0) }
    let group = GroupLayer(
      LayerProperties(id: "g"), layers: [featureLayer("g0", reference: reference), try bad()])
    let sublayer = try bad()
    let service = MapImageLayer(
      LayerProperties(id: "s"), sublayers: [sublayer, featureLayer("1", reference: reference)])
    let layers: [any Layer] = [
      featureLayer("a", reference: reference), service, group, try bad(),
      featureLayer("b", reference: reference),
    ]
    let map = Map(layers: layers, spatialReference: reference)
    let results = try map.identified()
    #expect(results.tree == "b bad g(bad g0) s(bad 1) a", sourceLocation: sourceLocation)
    guard results.count == 5 else { return }
    for failed in [results[1], results[2].sublayerResults[0], results[3].sublayerResults[0]] {
      #expect(failed.error?.code == code, sourceLocation: sourceLocation)
      #expect(
        message.isEmpty || failed.error?.message.contains(message) == true,
        "\(failed.error?.message ?? "")",
        sourceLocation: sourceLocation)
      #expect(failed.error?.message.contains("\n") == false, sourceLocation: sourceLocation)
      #expect(failed.elementCount == 0, sourceLocation: sourceLocation)
    }
    let whole = [
      results[0], results[2].sublayerResults[1], results[3].sublayerResults[1], results[4],
    ]
    for result in whole + [results[2], results[3]] {
      #expect(result.error == nil && result.elementCount == 1, sourceLocation: sourceLocation)
    }
    let error = #expect(throws: LayerError.self, sourceLocation: sourceLocation) {
      _ = try map.identifyLayer("bad", at: Point(x: 5, y: 5))
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(try map.identifyLayer("a", at: Point(x: 5, y: 5)).elementCount == 1)
  }

  private var bad: LayerProperties { LayerProperties(id: "bad") }

  @Test func `a table that cannot be opened`() throws {
    try check(
      .loadFailed, FeatureLayer(bad, table: BrokenTable(.opening)), map: "EPSG:4326",
      message: "the table is torn")
  }

  @Test func `a table that cannot be read`() throws {
    try check(
      .readError, FeatureLayer(bad, table: BrokenTable(.reading)), map: "EPSG:4326",
      message: "the rows are torn")
  }

  @Test func `a failed layer is not read again until it changes`() throws {
    let table = BrokenTable(.reading)
    let layer = FeatureLayer(bad, table: table)
    let map = Map(layers: [layer])
    for _ in 0..<3 { #expect(try map.identified()[0].error?.code == .readError) }
    #expect(table.reads == 1)
    layer.definitionExpression = "1 = 1"
    #expect(try map.identified()[0].error?.code == .readError)
    #expect(table.reads == 2)
  }

  @Test func `a raster that cannot be opened`() throws {
    try check(
      .loadFailed,
      RasterLayer(bad, open: { throw RasterError("no such raster") }), message: "no such raster")
  }

  @Test func `a raster with a tile that cannot be read`() throws {
    try check(.readError, rasterLayer("bad", isBroken: true))
  }

  @Test func `a map image layer that cannot be opened`() throws {
    let service = MapImageLayer(bad) { throw LayerError(code: .loadFailed, message: "no answer") }
    let results = try Map(layers: [featureLayer("a"), service]).identified()
    #expect(results.tree == "bad a" && results[0].error?.message == "no answer")
    #expect(results[0].layerContent.type == "mapImage" && results[1].elementCount == 1)
  }

  @Test func `a layer without a CRS on a map with one`() throws {
    try check(.noReference, featureLayer("bad"), map: "EPSG:4326")
    try check(.noReference, rasterLayer("bad"), map: "EPSG:4326")
  }

  @Test func `a raster with a CRS unknown to PROJ`() throws {
    try check(.noReference, rasterLayer("bad", reference: "EPSG:999999"), map: "EPSG:4326")
  }

  /// PROJ has no transformation from the Moon to the Earth.
  private static let moon = "+proj=longlat +R=1737400 +no_defs +type=crs"
  private static let moonWKT = """
    GEOGCRS["Moon (2015)", DATUM["Moon (2015)", ELLIPSOID["Moon (2015)", 1737400, 0, \
    LENGTHUNIT["metre", 1]]], PRIMEM["Reference Meridian", 0, \
    ANGLEUNIT["degree", 0.0174532925199433]], CS[ellipsoidal, 2], \
    AXIS["geodetic latitude (Lat)", north, ORDER[1], ANGLEUNIT["degree", 0.0174532925199433]], \
    AXIS["geodetic longitude (Lon)", east, ORDER[2], ANGLEUNIT["degree", 0.0174532925199433]], \
    ID["IAU", 30100, 2015]]
    """

  @Test func `a CRS that PROJ cannot transform to the map's`() throws {
    let moon = try SpatialReference(Self.moonWKT)
    #expect(throws: GeometryError.self) { _ = try Transformation(from: .wgs84, to: moon) }
    try check(.transformFailed, featureLayer("bad", reference: moon), map: "EPSG:4326")
    try check(.transformFailed, rasterLayer("bad", reference: Self.moonWKT), map: "EPSG:4326")
  }

  @Test func `a condition that does not parse, and one on a missing field`() throws {
    try check(.badCondition, featureLayer("bad", condition: "n = = 1"))
    try check(.badCondition, featureLayer("bad", condition: "m = 1"), message: "m")
    try check(.badCondition, featureLayer("bad", condition: ""))
  }

  @Test func `a renderer that names a missing field`() throws {
    try check(
      .badLayer,
      featureLayer(
        "bad",
        renderer: .classBreaks(Renderer.ClassBreaks(field: "kind", minimum: 0, classes: []))),
      message: "kind")
    try check(
      .badLayer,
      featureLayer(
        "bad",
        renderer: .uniqueValue(Renderer.UniqueValues(fields: ["n", "kind"], classes: []))),
      message: "kind")
  }

  @Test func `two sublayers with one id`() throws {
    let group = GroupLayer(LayerProperties(id: "0"), layers: [featureLayer("1")])
    let service = MapImageLayer(bad, sublayers: [group, featureLayer("1")])
    let results = try Map(layers: [featureLayer("a"), service]).identified()
    #expect(results.tree == "bad a" && results[0].error?.code == .badLayer)
    #expect(results[0].error?.message.contains("id 1") == true)
  }

  /// Nests `depth` groups around a layer of features.
  private func nest(_ depth: Int) -> (outer: any Layer, all: [GroupLayer]) {
    var layer: any Layer = featureLayer("leaf")
    var all: [GroupLayer] = []
    for level in 0..<depth {
      let group = GroupLayer(LayerProperties(id: "\(level)"), layers: [layer])
      all.append(group)
      layer = group
    }
    return (layer, all)
  }

  /// Releases groups from the outside, because freeing thousands of levels at once needs a large
  /// stack.
  private func dissolve(_ groups: [GroupLayer]) {
    for group in groups.reversed() { group.layers = [] }
  }

  @Test func `sublayers ten thousand deep`() throws {
    let (outer, groups) = nest(10_000)
    defer { dissolve(groups) }
    let service = MapImageLayer(bad, sublayers: [outer])
    let results = try Map(layers: [featureLayer("a"), service]).identified()
    #expect(results.tree == "bad a" && results[0].error?.code == .badLayer)
    #expect(results[0].error?.message.contains("256") == true)
  }

  @Test func `groups ten thousand deep`() throws {
    let (outer, groups) = nest(10_000)
    defer { dissolve(groups) }
    let map = Map(layers: [featureLayer("a"), outer])
    let results = try map.identified()
    #expect(results.count == 2 && results.last?.elementCount == 1)
    #expect(results.first?.error?.code == .badLayer)
    #expect(map.layer(id: "a") != nil)
    #expect(Map(layers: [outer]).resolvedReference == nil)
  }

  @Test func `the largest number of levels`() throws {
    let (outer, groups) = nest(MapImageLayer.nestingLimit - 1)
    defer { dissolve(groups) }
    let service = MapImageLayer(LayerProperties(id: "s"), sublayers: [outer])
    #expect(try Map(layers: [service]).identified().first?.elementCount == 1)
  }

  @Test func `a group that contains itself`() throws {
    let group = GroupLayer(LayerProperties(id: "g"), layers: [featureLayer("b")])
    group.layers += [group, group]
    defer { group.layers = [] }
    let map = Map(layers: [featureLayer("a"), group])
    let results = try map.identified()
    #expect(results.tree == "g a" && results[0].error?.code == .badLayer)
    #expect(map.layer(id: "nothing") == nil && map.resolvedReference == nil)
  }

  @Test func `a map image layer in a map image layer`() throws {
    let inner = MapImageLayer(LayerProperties(id: "0"), sublayers: [featureLayer("1")])
    let service = MapImageLayer(bad, sublayers: [inner])
    let results = try Map(layers: [featureLayer("a"), service]).identified()
    #expect(results.tree == "bad a" && results[0].error?.code == .badLayer)
  }

  @Test func `a failure is kept, and a new condition is tried`() throws {
    let layer = featureLayer("a", condition: "(")
    let map = Map(layers: [layer])
    #expect(try map.identified()[0].error?.code == .badCondition)
    guard case .failed = layer.loadStatus else {
      Issue.record("it loaded")
      return
    }
    layer.definitionExpression = "n = 0"
    #expect(layer.loadStatus == .notLoaded)
    #expect(try map.identified()[0].elementCount == 1)
    layer.definitionExpression = "n = 1"
    #expect(try map.identified().isEmpty)
    layer.definitionExpression = nil
    #expect(try map.identified()[0].elementCount == 1)
  }

  @Test func `warnings name the layers`() throws {
    let shapes = [square(0, 0, 10, 10), point(.infinity, 1), line(SIMD2(0, 0), SIMD2(1, .nan))]
    let identifier = try MapIdentifier(
      Map(layers: [featureLayer("torn", condition: "("), featureLayer("odd", shapes)]))
    #expect(identifier.identify(x: 5, y: 5).tree == "odd torn")
    #expect(identifier.warnings.count == 2)
    #expect(identifier.warnings.first?.description.hasPrefix("torn: ") == true)
    #expect(identifier.warnings.last?.description.contains("2 features") == true)
    #expect(identifier.warnings.last?.description.contains("number 2") == true)
  }
}
