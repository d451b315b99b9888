import PlumbCore
import PlumbGeometry
import PlumbRaster
import PlumbTestSupport
import Testing

@testable import PlumbLayers

/// A batch has the same results as single points with any number of workers, and rasters on a map
/// have the same results as rasters without a map.
@Suite struct IdentifyBatchTests {
  /// Layers with three CRSs, groups, a map image layer, rasters, popups and failing layers.
  private static func map() throws -> Map {
    var layers: [any Layer] = []
    for (index, plane) in OraclePlane.all.dropLast().enumerated() {
      var shapes = OracleShapes(plane, seed: UInt64(index) + 31)
      let tableRows = shapes.all().enumerated().map { number, geometries in
        featureLayer(
          "\(index)\(number)", geometries, reference: try? plane.reference,
          renderer: number % 2 == 0 ? .simple(.marker(size: 9)) : nil,
          popup: number == 1 ? PopupDefinition(title: "{n}") : nil)
      }
      layers.append(
        index == 1
          ? MapImageLayer(
            LayerProperties(id: "s"),
            sublayers: [
              tableRows[0], GroupLayer(LayerProperties(id: "g"), layers: Array(tableRows[1...])),
            ])
          : GroupLayer(LayerProperties(id: "group \(index)"), layers: tableRows))
    }
    layers.append(FeatureLayer(LayerProperties(id: "torn"), table: BrokenTable(.reading)))
    layers.append(featureLayer("lost"))
    layers.append(try raster("r", isBroken: false))
    layers.append(try raster("q", isBroken: true))
    return Map(layers: layers, spatialReference: .wgs84)
  }

  /// Cells of one degree from 0, 0 to 40° east and 10° north in WGS84, to which the points are
  /// moved.
  private static func raster(_ id: String, isBroken: Bool) throws -> RasterLayer {
    try rasterLayer(id, width: 40, height: 10, reference: "EPSG:4326", isBroken: isBroken)
  }

  private static func points(_ count: Int) -> [SIMD2<Double>] {
    var shapes = OracleShapes(OraclePlane.all[0], seed: 37)
    var points = (0..<count).map { index -> SIMD2<Double> in
      let point = shapes.point()
      // Every fourth point is on the rasters.
      return index % 4 == 0 ? SIMD2(point.x, point.y + 37) : point
    }
    points[3] = SIMD2(.nan, 1)
    points[10] = SIMD2(18, .infinity)
    points[11] = SIMD2(18, 90)
    points[12] = SIMD2(18, 91)
    return points
  }

  /// The distances of the elements of this result and of its sublayer results.
  private static func distances(_ results: [IdentifyLayerResult]) -> [Double] {
    results.flatMap { $0.geoElements.map(\.distance) + distances($0.sublayerResults) }
  }

  /// Whether distances are identical to the last bit.
  private static func areSame(_ values: [Double], _ other: [Double]) -> Bool {
    values.map(\.bitPattern) == other.map(\.bitPattern)
  }

  /// All properties of a result except distances, with exact numbers.
  private static func text(_ result: IdentifyLayerResult) -> String {
    let elements = result.geoElements.map { element -> String in
      switch element {
      case .feature(let feature):
        "\(feature.attributes) \(String(describing: feature.feature.id)) "
          + "\(bits(feature.geometry)) "
          + (feature.geometry?.spatialReference?.label ?? "-")
      case .cell(let cell):
        "\(cell.attributes) \(cell.status) \(cell.row) \(cell.column) \(cell.file) "
          + "\(cell.footprint.flatMap { [$0.x.bitPattern, $0.y.bitPattern] })"
      }
    }
    let error = result.error.map { "\($0.code): \($0.message)" } ?? "-"
    return "\(result.layerContent) \(elements) \(result.popups) \(result.isTransferLimitExceeded) "
      + "\(result.foundCount) \(error) [" + result.sublayerResults.map(text).joined(separator: ";")
      + "]"
  }

  /// The first difference of two results; nil if they are the same.
  private static func difference(_ values: [String], _ other: [String]) -> String? {
    guard values != other else { return nil }
    let (values, other) = (values.joined(separator: "\n"), other.joined(separator: "\n"))
    let start = max(0, zip(values, other).prefix { $0 == $1 }.count - 60)
    return "\(values.dropFirst(start).prefix(120)) and \(other.dropFirst(start).prefix(120))"
  }

  @Test(arguments: [
    IdentifyOptions(maximumResultsPerLayer: nil),
    IdentifyOptions(tolerance: .pixels(20), scale: 2_000_000, maximumResultsPerLayer: 3),
    IdentifyOptions(tolerance: .metres(4000), maximumResultsPerLayer: nil),
    IdentifyOptions(
      tolerance: .mapUnits(0.1), scale: 1_000_000, returnPopupsOnly: true, maximumResultsPerLayer: 2
    ),
  ])
  func `a batch gives the results of single points`(_ options: IdentifyOptions) throws {
    let map = try Self.map()
    let points = Self.points(60)
    let alone = try points.map { try map.identifyLayers(at: Point(x: $0.x, y: $0.y), options) }
    let single = alone.map { $0.map(Self.text) }
    #expect(Set(single).count > 15, "the points have different results")
    let (x, y) = (TrivialBuffer(points.map(\.x)), TrivialBuffer(points.map(\.y)))
    let status = TrivialBuffer<UInt8>(count: points.count)
    for (row, point) in points.enumerated() {
      let isPoint = point.x.isFinite && point.y.isFinite
      status.base[row] = (isPoint ? SampleStatus.ok : .badPoint).rawValue
    }
    for count in [1, 2, 5] {
      let identifier = try MapIdentifier(map, options: options, workers: Workers(count: count))
      let answers = identifier.answers(
        to: PointCoordinates(x: x.base, y: y.base, status: status.base, count: points.count),
        keepsProvenance: true)
      for (row, point) in points.enumerated() {
        let results = identifier.results(at: row, of: answers, x: point.x, y: point.y)
        let difference = Self.difference(results.map(Self.text), single[row])
        #expect(difference == nil, "\(count) workers, place \(row)")
        let expected = Self.distances(alone[row])
        #expect(Self.areSame(Self.distances(results), expected))
        let again = identifier.identify(x: point.x, y: point.y)
        #expect(Self.areSame(Self.distances(again), expected))
        let change = Self.difference(again.map(Self.text), single[row])
        #expect(change == nil, "single points, row \(row)")
      }
    }
  }

  @Test func `rasters on a map give the values of rasters alone`() throws {
    let layers = try [Self.raster("r", isBroken: false), Self.raster("q", isBroken: true)]
    // A map's last layer is its topmost.
    let map = Map(layers: layers, spatialReference: try SpatialReference("EPSG:3857"))
    let mapped = try MapIdentifier(map, reference: .wgs84)
    let rasters = layers.reversed().compactMap(\.raster)
    let alone = try RasterIdentifier(rasters, reference: .wgs84)
    let maker = try IdentifyResultMaker(alone)
    var cells = 0
    for point in Self.points(300) {
      let answers = alone.sample(x: [point.x], y: [point.y], keepsProvenance: true)
      let expected = maker.results(at: 0, of: answers)
      var results = mapped.identify(x: point.x, y: point.y)
      #expect(results.map(\.elementCount) == expected.map(\.elementCount))
      for index in results.indices where expected.indices.contains(index) {
        #expect("file of " + results[index].id == expected[index].id)
        results[index].layerContent = expected[index].layerContent
        results[index].foundCount = expected[index].foundCount
        #expect(Self.text(results[index]) == Self.text(expected[index]))
        cells += results[index].elementCount
      }
    }
    #expect(cells > 50)
  }
}
