import Foundation
import Plumb
import PlumbGDAL
import PlumbTIFF
import PlumbTestSupport
import Testing

/// Suppresses the output of the pages' examples, whose code prints its results.
private func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}

/// The examples of the modules' pages, `Sources/MODULE/MODULE.docc/MODULE.md`: each compiles and
/// runs here, and a test compares the pages with them.
@Suite struct ModuleExampleTests {
  @Test func core() {
    // PlumbCore
    let ward = Polygon(
      VertexList([[18, -34], [18, -33], [19, -33], [19, -34]]), spatialReference: .wgs84)
    let fields = [Field(name: "NAME", kind: .text), Field(name: "POP", kind: .integer)]
    let feature = Feature(
      id: 34, attributes: [.text("Ward 34"), .integer(28_609)], geometry: .polygon(ward))
    let people = feature["pop", in: fields]?.integerValue
    print(feature, people ?? 0, Geometry.polygon(ward).envelope)
    // ends
    #expect(people == 28_609)
    #expect("\(Geometry.polygon(ward).envelope)" == "18.0, -34.0 to 19.0, -33.0 (EPSG:4326)")
  }

  @Test func io() throws {
    // PlumbIO
    let formats = OutputFormats<String>([
      .init("csv", "csv", "txt", format: "rows"),
      .init("geojson", "geojson", "json", format: "features"),
    ])
    let format = try formats.choose(output: "wards.json") ?? "rows"
    // ends
    #expect(format == "features")
  }

  @Test func geometry() throws {
    // PlumbGeometry
    let office = Geometry.point(Point(x: 18.42, y: -33.93, spatialReference: .wgs84))
    let zone = try GeometryEngine.buffer(
      around: [office], distances: [5], unit: .kilometre, method: .geodesic())
    let area = try GeometryEngine.area(of: .polygon(zone[0]), measure: .geodesic())
    let flat = try GeometryEngine.project(.polygon(zone[0]), to: SpatialReference("EPSG:32734"))
    print(area / 1e6, "km²", flat.envelope)
    // ends
    #expect((area / 1e6 - 25 * Double.pi).magnitude < 0.2)
    #expect((flat.envelope.xMax - flat.envelope.xMin - 10_000).magnitude < 20)
  }

  @Test func raster() {
    // PlumbRaster
    let grid = TileGrid(width: 1200, height: 800, tileWidth: 256, tileHeight: 256)
    let transform = GridTransform(coefficients: [18, 0.001, 0, -33, 0, -0.001])
    if let position = transform?.gridPosition(x: 18.5, y: -33.25) {
      print(grid.tileCount, "tiles; the point lies at", position.column, position.row)
    }
    // ends
    #expect(grid.tileCount == 20)
    #expect((transform?.gridPosition(x: 18.5, y: -33.25).row.rounded()) == 250)
  }

  @Test func formats() throws {
    // PlumbFormats
    let shape = try WKTGeometry.decode("POLYGON ((0 0, 4 0, 4 3, 0 0))", reference: .wgs84)
    let text = try EsriJSONGeometry.encode(shape)
    let geoJSON = try JSONEncoder().encode(shape)
    // ends
    #expect(text.contains("\"rings\"") && text.contains("4326"))
    #expect(String(decoding: geoJSON, as: UTF8.self).contains("Polygon"))
  }

  @Test func expressions() throws {
    // PlumbExpressions
    let fields = [Field(name: "NAME", kind: .text), Field(name: "BEDS", kind: .integer)]
    let large = try Condition("beds > 60 AND name LIKE 'Groote%'").bound(to: fields)
    print(large.isTrue([.text("Groote Schuur"), .integer(893)]))

    let program = try ArcadeProgram("Upper($feature.name)", globals: ["$feature"])
    let feature = ArcadeFeature(fields: ArcadeFields(["name"]), attributes: [.text("oak")])
    let value = try ArcadeEvaluator(program)
      .evaluate([.feature(feature)], now: ArcadeDate(milliseconds: 0))
    // ends
    #expect(large.isTrue([.text("Groote Schuur"), .integer(893)]))
    guard case .text("OAK") = value else {
      Issue.record("the value is \(value)")
      return
    }
  }

  private static let isCheckout = FileManager.default.fileExists(atPath: "rasters/dem")

  @Test(.enabled(if: isCheckout, "run in the checkout")) func gdal() throws {
    // PlumbGDAL
    var count = 0
    let wards = try VectorFeatureReader(path: "rasters/wards.geojson")
    while let features = try wards.next(limit: 1000) {
      for feature in features { print(feature["NAME", in: wards.fields] ?? .null) }
      count += features.count
    }
    // ends
    #expect(count > 10)
  }

  @Test(.enabled(if: isCheckout, "run in the checkout")) func tiff() throws {
    // PlumbTIFF
    let gdal = try GDALRasterSource(path: "rasters/evi_cape_town.tif")
    let quick = TIFFTileSource(
      path: gdal.path, other: gdal, largestTile: GDALRasterSource.largestTile)
    let raster = try Raster(name: "evi", members: [quick ?? gdal])
    print(raster.members[0].route, raster.bands[0].pixelType.name)
    // ends
    #expect(quick?.route == "Plumb" && raster.bands[0].pixelType == .int16)
  }

  @Test func layers() throws {
    // PlumbLayers
    let table = MemoryFeatureTable(graphics: [
      Graphic(
        geometry: .point(Point(x: 18.86, y: -33.93, spatialReference: .wgs84)),
        attributes: ["NAME": .text("Stellenbosch")])
    ])
    let map = Map(layers: [FeatureLayer(LayerProperties(id: "places"), table: table)])
    let results = try map.identifyLayers(
      at: Point(x: 18.861, y: -33.931), IdentifyOptions(tolerance: .metres(500)))
    for result in results { print(result) }
    // ends
    #expect(results.first?.geoElements.first?["name"]?.stringValue == "Stellenbosch")
  }

  @Test func drawing() throws {
    // PlumbDrawing
    let location = Point(x: 18.86, y: -33.93, spatialReference: .wgs84)
    let table = MemoryFeatureTable(graphics: [
      Graphic(geometry: .point(location), symbol: .marker(size: 12))
    ])
    let map = Map(layers: [FeatureLayer(LayerProperties(id: "places"), table: table)])
    let view = try DrawnView(
      center: SIMD2(18.86, -33.93), scale: 50_000, width: 300, height: 200, reference: .wgs84)
    let canvas = try Canvas(width: view.width, height: view.height, format: .png)
    var painter = MapPainter(view, on: canvas)
    painter.draw(map)
    painter.annotate()
    let picture = try canvas.finish()
    // ends
    #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(painter.warnings == [])
  }

  @Test func network() throws {
    // PlumbNetwork
    let pipe = AssetGroup(code: 1, name: "Pipe", assetTypes: [AssetType(code: 1, name: "Steel")])
    let tee = AssetGroup(code: 1, name: "Fitting", assetTypes: [AssetType(code: 1, name: "Tee")])
    var builder = try NetworkBuilder(
      UtilityNetworkDefinition(domainNetworks: [
        DomainNetwork(
          id: 1, name: "Water",
          sources: [
            NetworkSource(id: 1, name: "Line", usage: .line, assetGroups: [pipe]),
            NetworkSource(id: 2, name: "Junction", usage: .junction, assetGroups: [tee]),
          ])
      ]))
    try builder.add(
      NetworkEdge(
        sourceID: 1, globalID: "P1", assetGroup: 1, assetType: 1, vertices: [[0, 0], [10, 0]]))
    try builder.add(
      NetworkJunction(
        sourceID: 2, globalID: "J1", assetGroup: 1, assetType: 1, point: [10, 0]))
    let network = try builder.build()
    let start = TraceLocation(try network.element(globalID: "P1"))
    let result = try network.trace(UtilityTraceParameters(.connected, startingLocations: [start]))
    print(result.elements.map { network.name(of: $0.element) })
    // ends
    #expect(result.elements.map { network.name(of: $0.element) } == ["Line:P1", "Junction:J1"])
  }

  @Test func geotriggers() throws {
    // PlumbGeotriggers
    let spring = Fence(
      id: "5", name: "Spring",
      geometry: .point(Point(x: 18.4332, y: -33.9858, spatialReference: .wgs84)))
    let tracker = try FenceTracker(FenceSet([spring], bufferDistance: 10), FenceRules())
    var batch = LocationBatch()
    batch.entity = [0, 0]
    batch.time = [0, 60_000]
    (batch.x, batch.y) = ([18.4332, 18.4400], [-33.98581, -33.9858])
    for event in tracker.update(batch).events { print(event) }
    // ends
    tracker.reset()
    #expect(tracker.update(batch).events.map(\.type) == [.entered, .exited])
  }

  @Test(.enabled(if: isCheckout, "run in the checkout")) func sources() throws {
    // PlumbSources
    let dem = try Raster.open("rasters/dem", name: "elevation")
    let both = try [Raster].open(["rasters/evi_cape_town.tif", "rasters/dem"])
    print(dem.members.count, "files;", both.map(\.name))
    // ends
    #expect(dem.isMosaic && both.map(\.name) == ["evi_cape_town", "dem"])
  }

  @Test(.enabled(if: isCheckout, "run in the checkout")) func documents() throws {
    // PlumbDocuments
    let opened = try OpenedNetwork.open(path: "rasters/gas.json")
    let meter = try ElementReference(opened.network).start("M0054:Load")
    let result = try opened.network.trace(
      UtilityTraceParameters(.upstream, startingLocations: [meter]))
    let reply = result.json(in: opened.network)
    print(result, reply.count, "bytes")
    // ends
    #expect(result.elements.count > 1)
  }

  @Test(.enabled(if: isCheckout, "run in the checkout")) func feeds() throws {
    // PlumbFeeds
    var count = 0
    let sights = try FenceFile("rasters/garden_sights.geojson")
    let notifier = try FenceNotifier(
      FenceGeotrigger(
        name: "POI", fences: try FenceSet(sights.fences, bufferDistance: 10),
        fenceFields: sights.fields))
    let feed = try LocationFeed("rasters/walk.csv", attributes: false)
    while let batch = try feed.next(limit: 65_536) {
      for notification in notifier.update(batch, entities: feed.entities).notifications {
        print(notification)
        count += 1
      }
    }
    // ends
    #expect(count >= 4)
  }

  @Test(.enabled(if: isCheckout, "run in the checkout")) func batch() throws {
    let output = NSTemporaryDirectory() + "/clinics-\(UUID()).geojson"
    defer { try? FileManager.default.removeItem(atPath: output) }
    // PlumbBatch
    var options = BatchBuffer.Options(
      .file("rasters/clinics.geojson"), distances: .list([500]))
    options.method = .geodesic()
    options.output = output
    let count = try BatchBuffer(options).run()
    print(count, "areas")
    // ends
    #expect(count > 1)
  }

  @Test(.enabled(if: isCheckout, "run in the checkout")) func plumb() throws {
    // Plumb
    let rasters = try [Raster].open(["rasters/evi_cape_town.tif", "rasters/dem"])
    let identifier = try RasterIdentifier(rasters, reference: SpatialReference("EPSG:4326"))
    let answers = identifier.sample(x: [18.6, 18.4], y: [-34.1, -33.9])
    // ends
    #expect(answers[0].columns[0][0] == .signed(1478))
  }

  @Test func pagesShowWhatCompiles() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let sources = TestPaths.root + "/Sources"
    var pages = 0
    for module in try FileManager.default.contentsOfDirectory(atPath: sources)
    // Programs are documented in their help, and the C interface is documented in its header. Python and
    // packages are not modules, and the sandbox, Parquet and the verbs have no public declarations.
    where module.hasPrefix("Plumb")
      && ![
        "PlumbCommand", "PlumbC", "PlumbPackaging", "PlumbParquet", "PlumbPython", "PlumbReader",
        "PlumbSandbox", "PlumbService", "PlumbServer", "PlumbVerbs",
      ].contains(module)
    {
      let page = try String(
        contentsOfFile: "\(sources)/\(module)/\(module).docc/\(module).md", encoding: .utf8)
      let compiled = try #require(
        source.components(separatedBy: "    // \(module)\n").dropFirst().first?
          .components(separatedBy: "    // ends\n").first, "no example of \(module)")
      let lines = compiled.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
      #expect(page.hasPrefix("# ``\(module)``\n"))
      #expect(page.contains("```swift\n" + lines.joined(separator: "\n") + "```\n"), "\(module)")
      pages += 1
    }
    #expect(pages == 17)
  }
}
