import Plumb
import PlumbTestSupport
import Testing

/// Compares identify on maps of real data with results of OGR and GDAL.
@Suite(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
struct IdentifyRealDataTests {
  private let data = TestPaths.data ?? ""

  private func layer(_ id: String, _ path: String) -> FeatureLayer {
    FeatureLayer(LayerProperties(id: id), table: VectorFeatureTable(path: path))
  }

  /// The names of a layer's features, the bottom feature first.
  private func names(_ results: [IdentifyLayerResult], _ id: String) -> [String] {
    guard let result = results.first(where: { $0.layerContent.id == id }) else { return [] }
    #expect(result.error == nil)
    return result.geoElements.reversed().map { element in
      guard case .feature(let feature) = element,
        case .text(let name)? = feature.attributes.first(where: { $0.name.lowercased() == "name" })?
          .value
      else { return "no name" }
      return name
    }
  }

  private static let all = IdentifyOptions(maximumResultsPerLayer: nil)

  @Test func `every city is in the country that OGR finds`() throws {
    let folder = data + "/vector/naturalearth/datasets"
    let countries = folder + "/naturalearth_lowres/naturalearth_lowres.shp"
    let cities = folder + "/naturalearth_cities/naturalearth_cities.shp"
    let oracle = try #require(OracleVector(path: countries))
    let points = try #require(OracleVector(path: cities)).points
    #expect(oracle.count == 177 && points.count == 243)
    let map = Map(layers: [layer("countries", countries), layer("cities", cities)])
    let identifier = try MapIdentifier(map, options: Self.all)
    var inside = 0
    for point in points {
      let results = identifier.identify(x: point.x, y: point.y)
      let expected = oracle.holders(x: point.x, y: point.y)
      #expect(names(results, "countries") == expected, "\(point.name)")
      #expect(names(results, "cities").contains(point.name), "a city is at its own point")
      #expect(results.first?.layerContent.id == "cities", "the last layer is the topmost")
      if !expected.isEmpty { inside += 1 }
      // A single point, with each access path of the table.
      let single = try map.identifyLayers(at: Point(x: point.x, y: point.y), Self.all)
      #expect(names(single, "countries") == expected)
    }
    #expect(inside > 200)
    // A map in another CRS has the same features at the same point.
    let mercator = Map(
      layers: [layer("countries", countries)], spatialReference: try SpatialReference("EPSG:3857"))
    let other = try MapIdentifier(mercator, options: Self.all, reference: .wgs84)
    var random = SeededGenerator(seed: 61)
    var containing = 0
    for _ in 0..<1500 {
      let (x, y) = (
        Double.random(in: -180...180, using: &random), Double.random(in: -84...84, using: &random)
      )
      let expected = oracle.holders(x: x, y: y)
      #expect(names(other.identify(x: x, y: y), "countries") == expected, "\(x), \(y)")
      // A point 360° further is the same point.
      #expect(names(identifier.identify(x: x + 360, y: y), "countries") == expected, "\(x) + 360")
      containing += expected.isEmpty ? 0 : 1
    }
    #expect(containing > 300)
    report("countries: \(points.count * 2 + 3000) comparisons, \(inside) cities in a country")
  }

  @Test func `counties of NAD27 at points of NAD27 and of WGS84`() throws {
    let path = data + "/vector/nc_gpkg/nc.gpkg"
    let oracle = try #require(OracleVector(path: path))
    let toNAD27 = try #require(OracleTransformation(from: 4326, to: 4267))
    let counties = layer("counties", path)
    let map = Map(layers: [counties])
    let plain = try MapIdentifier(map, options: Self.all)
    let other = try MapIdentifier(map, options: Self.all, reference: .wgs84)
    #expect(plain.reference?.label == "EPSG:4267")
    var random = SeededGenerator(seed: 62)
    var (containing, moved) = (0, 0)
    for _ in 0..<1500 {
      let (x, y) = (
        Double.random(in: -84.4...(-75.4), using: &random),
        Double.random(in: 33.8...36.7, using: &random)
      )
      let expected = oracle.holders(x: x, y: y)
      #expect(names(plain.identify(x: x, y: y), "counties") == expected, "\(x), \(y)")
      let there = try #require(toNAD27.apply(x: x, y: y))
      let shifted = oracle.holders(x: there.x, y: there.y)
      #expect(names(other.identify(x: x, y: y), "counties") == shifted, "\(x), \(y) of WGS84")
      containing += expected.isEmpty ? 0 : 1
      if there.x != x || there.y != y { moved += 1 }
    }
    #expect(containing > 500 && moved > 1400, "the two CRSs are different")
    report("counties: 3000 comparisons, \(containing) places held")
  }

  @Test func `heights and municipalities of an island`() throws {
    let folder = data + "/rasters/dem"
    let (heights, towns) = (folder + "/eu_dem_v11.tif", folder + "/concelhos.gpkg")
    let cells = try #require(OracleRaster(path: heights))
    let oracle = try #require(OracleVector(path: towns))
    let raster = try Raster.open(heights)
    guard case .affine(let grid) = raster.members[0].profile.mapping else {
      Issue.record("the raster is not affine")
      return
    }
    let map = Map(layers: [
      RasterLayer(LayerProperties(id: "dem"), raster: raster), layer("towns", towns),
    ])
    let identifier = try MapIdentifier(map, options: Self.all)
    var random = SeededGenerator(seed: 63)
    var (values, named) = (0, 0)
    for _ in 0..<1500 {
      let column = Double.random(in: -4...Double(cells.width) + 4, using: &random)
      let row = Double.random(in: -4...Double(cells.height) + 4, using: &random)
      let (x, y) = grid.coordinates(column: column, row: row)
      let results = identifier.identify(x: x, y: y)
      let expected = oracle.holders(x: x, y: y)
      #expect(names(results, "towns") == expected)
      named += expected.count
      let dem = results.first { $0.layerContent.id == "dem" }
      let isInside =
        (0..<Double(cells.width)).contains(column) && (0..<Double(cells.height)).contains(row)
      guard isInside else {
        #expect(dem == nil, "off the raster is not an element")
        continue
      }
      guard case .cell(let cell)? = dem?.geoElements.first else {
        Issue.record("no cell at \(x), \(y)")
        continue
      }
      let read = cells.cell(band: 0, column: Int(column), row: Int(row))
      #expect((cell.column, cell.row) == (Int(column), Int(row)))
      #expect(cell.status == [read.status])
      if read.status == .ok {
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: read.bits.0))
        #expect(cell.attributes.first { $0.name == "Band_0" }?.value == .cell(.float32(value)))
        values += 1
      }
    }
    #expect(values > 300 && named > 300)
    report("island: \(values) heights and \(named) municipalities")
  }
}
