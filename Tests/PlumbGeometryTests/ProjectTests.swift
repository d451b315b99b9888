import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct ProjectTests {
  static func point(_ x: Double, _ y: Double, _ reference: SpatialReference?) -> Geometry {
    .point(Point(x: x, y: y, z: 7, m: 8, spatialReference: reference))
  }

  static func location(_ geometry: Geometry) throws -> SIMD2<Double> {
    try #require(geometry.vertices.xy.first)
  }

  /// Batches on any number of workers have the same results as single transformations, in the
  /// input's order, regardless of the CRS of each member.
  @Test func batchesComeBackInOrder() throws {
    var generator = SeededGenerator(seed: 3)
    let utm = try SpatialReference("EPSG:32633")
    let mercator = try SpatialReference("EPSG:3857")
    let geometries = (0..<2000).map { index in
      let x = Double.random(in: 10...20, using: &generator)
      let y = Double.random(in: 40...50, using: &generator)
      return index % 3 == 0
        ? Self.point(x * 1e5, y * 1e5, mercator)
        : MeasureTests.line([SIMD2(x, y), SIMD2(y / 3, x * 3)])
    }
    let alone = try GeometryEngine.project(geometries, to: utm, workers: Workers(count: 1))
    let many = try GeometryEngine.project(geometries, to: utm, workers: Workers(count: 4))
    #expect(alone == many && alone.count == 2000)
    for (index, geometry) in geometries.enumerated() where index % 97 == 0 {
      #expect(try GeometryEngine.project(geometry, to: utm) == many[index])
    }
    #expect(try GeometryEngine.project([], to: utm) == [])
    #expect(many[0].vertices.z == [7] && many[0].vertices.m == [8])
  }

  @Test func equivalentReferencesKeepTheBits() throws {
    let point = Self.point(0.1, 0.2, .wgs84)
    let other = try SpatialReference("OGC:CRS84")
    let result = try GeometryEngine.project(point, to: other)
    #expect(try Self.location(result) == SIMD2(0.1, 0.2))
    #expect(result.spatialReference == other)
  }

  @Test func errorsNameTheMember() throws {
    let utm = try SpatialReference("EPSG:32633")
    let good = Self.point(15, 45, .wgs84)
    for (bad, index) in [(Self.point(15, 45, nil), 5), (Self.point(.infinity, 45, .wgs84), 700)] {
      var geometries = [Geometry](repeating: good, count: 1000)
      geometries[index] = bad
      geometries[900] = bad
      let error = #expect(throws: GeometryError.self) {
        try GeometryEngine.project(geometries, to: utm, workers: Workers(count: 2))
      }
      #expect(error?.member == index)
    }
    #expect(throws: Never.self) {
      try GeometryEngine.project(.point(.empty(.wgs84)), to: utm)
    }
  }

  /// EPSG:1173 shifts the centre of the ellipsoid by −8, 160, 176 m; the expected values are the
  /// closed form.
  @Test func aNamedOperationIsUsed() throws {
    let nad27 = try SpatialReference("EPSG:4267")
    let point = SIMD2(-100.0, 40)
    for name in [
      "EPSG:1173", "urn:ogc:def:coordinateOperation:EPSG::1173", "NAD27 to WGS 84 (4)",
    ] {
      let result = try Self.location(
        GeometryEngine.project(
          Self.point(point.x, point.y, nad27), to: .wgs84, operation: name))
      #expect(
        Geodesic(.wgs84).distance(from: result, to: Self.shifted(point)) < 0.001, "\(name)")
      let back = try Self.location(
        GeometryEngine.project(
          Self.point(result.x, result.y, .wgs84), to: nad27, operation: name))
      #expect((back - point).planarLength < 1e-7)
    }
    // Between projections, the datum is also transformed.
    let texas = try SpatialReference("EPSG:32038")
    let utm = try SpatialReference("EPSG:32614")
    let inTexas = try GeometryEngine.project(Self.point(-97, 33, nad27), to: texas)
    let direct = try GeometryEngine.project(inTexas, to: utm, operation: "EPSG:1173")
    let degrees = try GeometryEngine.project(
      Self.point(-97, 33, nad27), to: .wgs84, operation: "EPSG:1173")
    let stepwise = try GeometryEngine.project(degrees, to: utm)
    #expect(try (Self.location(direct) - Self.location(stepwise)).planarLength < 1e-6)
  }

  private static func shifted(_ point: SIMD2<Double>) -> SIMD2<Double> {
    // Geocentric coordinates on Clarke's ellipsoid of 1866, moved, and back by iteration.
    let (a, b) = (6_378_206.4, 6_356_583.8)
    let e2 = 1 - b * b / (a * a)
    let (sineY, cosineY) = sineAndCosine(ofDegrees: point.y)
    let (sineX, cosineX) = sineAndCosine(ofDegrees: point.x)
    let n = a / (1 - e2 * sineY * sineY).squareRoot()
    let x = n * cosineY * cosineX - 8
    let y = n * cosineY * sineX + 160
    let z = n * (1 - e2) * sineY + 176
    let f = 1 / 298.257_223_563
    let e = f * (2 - f)
    let p = (x * x + y * y).squareRoot()
    var latitude = angle(z, p * (1 - e))
    for _ in 0..<20 {
      let sine = sineAndCosine(ofDegrees: latitude).sine
      latitude = angle(z + e * 6_378_137 / (1 - e * sine * sine).squareRoot() * sine, p)
    }
    return SIMD2(angle(y, x), latitude)
  }

  private static func angle(_ y: Double, _ x: Double) -> Double { atan2(y, x) * 180 / .pi }

  @Test func pipelinesTakeTheSourcesCoordinates() throws {
    let utm = try SpatialReference("EPSG:32633")
    let expected = try Self.location(GeometryEngine.project(Self.point(14, 46, .wgs84), to: utm))
    for pipeline in [
      "+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step +proj=utm +zone=33 +ellps=WGS84",
      "+proj=utm +zone=33 +ellps=WGS84",
    ] {
      let result = try Self.location(
        GeometryEngine.project(Self.point(14, 46, .wgs84), to: utm, operation: pipeline))
      #expect((result - expected).planarLength < 1e-6, "\(pipeline)")
    }
  }

  @Test func wrongOperationsSayWhatIsWrong() throws {
    let utm = try SpatialReference("EPSG:32633")
    let point = Self.point(14, 46, .wgs84)
    for (name, reason) in [
      ("EPSG:1173", "is from NAD27 to WGS 84, not from EPSG:4326 to EPSG:32633"),
      ("EPSG:9999999", "unknown transformation"), ("foo", "not a transformation"),
      ("EPSG:4326", "unknown transformation"), ("", "name is empty"), ("+proj=nonsense", "unknown"),
      ("NAD27 to WGS", "several objects"),
    ] {
      let error = #expect(throws: GeometryError.self) {
        try GeometryEngine.project([point], to: utm, operation: name)
      }
      #expect(error?.message.contains(reason) == true, "\(name): \(error?.message ?? "")")
      #expect(error?.message.contains("\n") == false)
    }
    // NADCON's grid is not part of the data that PROJ installs.
    let nad27 = try SpatialReference("EPSG:4267")
    let nad83 = try SpatialReference("EPSG:4269")
    if Transformation.quality(from: nad27, to: nad83)?.missingGrids.isEmpty == false {
      let error = #expect(throws: GeometryError.self) {
        try GeometryEngine.project(
          Self.point(-100, 40, nad27), to: nad83, operation: "EPSG:1241")
      }
      #expect(error?.message.contains("grid") == true, "\(error?.message ?? "")")
    }
  }
}
