import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// A single point of a source with a spatial index, which reads a window around it, has the same
/// result as in a batch, which reads everything.
@Suite struct WindowReadingTests {
  private static func write(_ areas: [Polygon], _ path: String) throws {
    let writer = try VectorRowWriter(
      path: path, driver: try #require(VectorDriver.named("GPKG")), layer: "areas",
      fields: [VectorField(Field(name: "N", kind: .integer))], reference: "EPSG:4326", kind: .area)
    for (number, area) in areas.enumerated() {
      try writer.append(area: area, values: [.integer(Int64(number))])
    }
    try writer.finish()
  }

  private static func numbers(_ results: [IdentifyLayerResult]) -> [FieldValue] {
    results.flatMap(\.geoElements).compactMap {
      guard case .feature(let feature) = $0 else { return nil }
      return feature.feature.attributes.first
    }
  }

  private static func layer(_ path: String) -> FeatureLayer {
    FeatureLayer(LayerProperties(id: "a"), table: VectorFeatureTable(path: path))
  }

  private static let options = IdentifyOptions(maximumResultsPerLayer: nil)

  /// Rings that cross themselves, overlapping parts, and holes that leave their ring: their inside
  /// according to GEOS, which the source uses to compare windows with shapes, differs from the
  /// even-odd rule.
  @Test func invalidAreas() throws {
    var random = SeededGenerator(seed: 41)
    func point(_ center: SIMD2<Double>) -> SIMD2<Double> {
      center
        + SIMD2(.random(in: -2...2, using: &random), .random(in: -2...2, using: &random))
    }
    let areas = (0..<60).map { index in
      let center = SIMD2<Double>(
        .random(in: 0..<10, using: &random), .random(in: 40..<50, using: &random))
      var (vertices, ends): ([SIMD2<Double>], [Int]) = ([], [])
      for _ in 0...(index % 3) {
        for _ in 0..<Int.random(in: 3...7, using: &random) { vertices.append(point(center)) }
        ends.append(vertices.count)
      }
      return Polygon(
        VertexList(vertices), ringEnds: ends,
        partEnds: index % 2 == 0 ? [ends.count] : Array(1...ends.count))
    }
    let folder = try TemporaryFolder()
    let path = folder.path("a.gpkg")
    try Self.write(areas, path)
    let whole = Self.layer(path)
    try whole.loadFeatures()
    let all = try MapIdentifier(Map(layers: [whole]), options: Self.options)
    var found = 0
    for _ in 0..<20 {
      let layer = Self.layer(path)
      let windowed = try MapIdentifier(Map(layers: [layer]), options: Self.options)
      for _ in 0..<30 {
        let point = SIMD2<Double>(
          .random(in: -1..<11, using: &random) + 360
            * Double(Int.random(in: -3...3, using: &random)),
          .random(in: 39..<51, using: &random))
        let expected = Self.numbers(all.identify(x: point.x, y: point.y))
        #expect(Self.numbers(windowed.identify(x: point.x, y: point.y)) == expected)
        found += expected.count
      }
      #expect(!layer.hasFeatures)
    }
    #expect(found > 500)
  }

  /// A union of layers numbers its features from the start in each window.
  @Test func unionOfLayersAtTheAntimeridian() throws {
    let folder = try TemporaryFolder()
    for (name, x) in [("east", -180.0), ("west", 170.0)] {
      try Self.write(
        [
          Polygon(
            VertexList([SIMD2(x, 0), SIMD2(x, 5), SIMD2(x + 10, 5), SIMD2(x + 10, 0)]))
        ], folder.path(name + ".gpkg"))
    }
    let members = ["east", "west"].map {
      #"<OGRVRTLayer name="areas"><SrcDataSource relativeToVRT="1">\#($0).gpkg</SrcDataSource></OGRVRTLayer>"#
    }
    let path = try folder.write(
      "both.vrt",
      #"<OGRVRTDataSource><OGRVRTUnionLayer name="both">"# + members.joined()
        + "</OGRVRTUnionLayer></OGRVRTDataSource>")
    let identifier = try MapIdentifier(
      Map(layers: [Self.layer(path)]), options: Self.options)
    for x in [180.0, -180, 540] {
      #expect(identifier.identify(x: x, y: 2).first?.foundCount == 2)
    }
    #expect(identifier.identify(x: 175, y: 2).first?.foundCount == 1)
  }
}
