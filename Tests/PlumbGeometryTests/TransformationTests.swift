import Foundation
import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@Suite struct TransformationTests {
  /// PROJ chooses between these operations by the point's longitude as given, and accepts only
  /// longitudes within a few periods.
  @Test(arguments: ["EPSG:27700", "EPSG:4277", "EPSG:4326", "EPSG:3857", "EPSG:32631"])
  func longitudesTurnsAwayAreTheSame(target: String) throws {
    let reference = try SpatialReference(target)
    let transformation = try Transformation(from: .wgs84, to: reference)
    for longitude in [-2.5, 1, 6.25] as [Double] {
      var (x, y) = (longitude, 53.25)
      transformation.apply(x: &x, y: &y, count: 1)
      for turns in [-1000.0, -2, -1, 1, 2, 1000] {
        var (there, north) = (longitude + 360 * turns, 53.25)
        transformation.apply(x: &there, y: &north, count: 1)
        #expect(north == y)
        let shift = reference.isGeographic ? 360 * turns : 0
        #expect((there - shift - x).magnitude <= shift.ulp)
      }
    }
  }

  /// The inner operations of these projections report errors in a separate context.
  @Test(arguments: [
    ("+proj=goode +R=6371000", 0.0, 9.2e6),
    ("+proj=ob_tran +o_proj=moll +o_lat_p=39.25 +o_lon_p=18 +lon_0=0 +R=6371000", 0, 2e7),
    ("+proj=ob_tran +o_proj=robin +o_lat_p=39.25 +o_lon_p=18 +lon_0=0 +R=6371000", 0, 9.6e6),
  ])
  func pointsOutsideOfAProjectionHaveNoCoordinates(definition: String, x: Double, y: Double) throws
  {
    let source = try SpatialReference(definition)
    let transformation = try Transformation(
      from: source, to: try SpatialReference("+proj=longlat +R=6371000"))
    var (east, north) = (x, y)
    transformation.apply(x: &east, y: &north, count: 1)
    #expect(!east.isFinite && !north.isFinite)
    // A point within the area has results from some of them.
    (east, north) = (1e5, 2e5)
    transformation.apply(x: &east, y: &north, count: 1)
    #expect(east.isFinite && north.isFinite)
  }

  /// Contexts are used by one thread at a time, and errors of one thread do not affect the points
  /// of another.
  @Test func contextsAreNotShared() throws {
    let source = try SpatialReference(
      "+proj=longlat +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7 +lon_wrap=180")
    let expected = try Transformation(from: source, to: .wgs84)
    var (east, north) = (13.4, 52.5)
    expected.apply(x: &east, y: &north, count: 1)
    let (x, y) = (east, north)
    #expect(x.isFinite && y.isFinite)
    let wrong = Workers(count: 8).map(64) { _, job in
      var wrong = 0
      for step in 0..<20 {
        if (job + step) % 2 == 0 {
          wrong += (try? SpatialReference("+proj=none\(step)")) == nil ? 0 : 1
          continue
        }
        guard let transformation = try? Transformation(from: source, to: .wgs84) else {
          wrong += 1
          continue
        }
        var (east, north) = (13.4, 52.5)
        transformation.apply(x: &east, y: &north, count: 1)
        if east != x || north != y { wrong += 1 }
      }
      return wrong
    }
    #expect(wrong.allSatisfy { $0 == 0 })
  }

  @Test(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func agreesWithPROJsExpectations() throws {
    let path = try #require(TestPaths.data) + "/geometry/builtins.gie"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let all = ProjExpectation.parse(text)
    #expect(all.count > 1500)
    var (used, failures, wrong) = (0, 0, 0)
    var operations: Set<String> = []
    var transformations: [String: Transformation?] = [:]
    for item in all {
      guard let references = item.references else { continue }
      let key = item.operation + (item.isInverse ? " inverse" : "")
      if transformations[key] == nil {
        transformations[key] = .some(Self.transformation(references, item.isInverse))
      }
      guard let transformation = transformations[key] ?? nil else { continue }
      var (x, y) = item.input
      transformation.apply(x: &x, y: &y, count: 1)
      operations.insert(item.operation)
      guard let output = item.output else {
        failures += 1
        continue
      }
      used += 1
      let distance =
        item.isInverse
        ? Self.groundDistance((x, y), output, radius: item.radius)
        : hypot(x - output.x, y - output.y)
      // Degrees are converted to radians in between, which causes errors of some nanometres.
      if !(distance <= max(item.tolerance, 2e-8)) {
        wrong += 1
        Issue.record(
          """
          \(key): \(item.input) gives \(x), \(y), not \(output): off by \(distance) m, \
          tolerance \(item.tolerance) m
          """)
      }
    }
    report(
      "PROJ's expectations: \(used) of \(all.count) used, \(operations.count) projections, "
        + "\(failures) failures left out, \(wrong) wrong")
    #expect(used > 1000)
  }

  private static func transformation(
    _ references: (geographic: String, projected: String), _ isInverse: Bool
  ) -> Transformation? {
    guard let geographic = try? SpatialReference(references.geographic),
      let projected = try? SpatialReference(references.projected), !projected.isGeographic
    else { return nil }
    return isInverse
      ? try? Transformation(from: projected, to: geographic)
      : try? Transformation(from: geographic, to: projected)
  }

  /// Metres between two near points given in degrees.
  private static func groundDistance(
    _ a: (x: Double, y: Double), _ b: (x: Double, y: Double), radius: Double
  ) -> Double {
    let degree = Double.pi / 180
    var turn = (a.x - b.x).magnitude.truncatingRemainder(dividingBy: 360)
    if turn > 180 { turn = 360 - turn }
    return radius * degree * hypot(turn * cos(b.y * degree), a.y - b.y)
  }

  /// x comes first, regardless of the authority's axis order: EPSG:4326 begins with latitude,
  /// EPSG:2193 with northing.
  @Test func xIsAlwaysFirst() throws {
    var (x, y) = (174.0, -41.0)
    let grid = try SpatialReference("EPSG:2193")
    let there = try Transformation(from: .wgs84, to: grid)
    there.apply(x: &x, y: &y, count: 1)
    #expect((1.6e6...1.8e6).contains(x) && (5.4e6...5.6e6).contains(y))
    let back = try Transformation(from: grid, to: .wgs84)
    back.apply(x: &x, y: &y, count: 1)
    #expect((x - 174).magnitude < 1e-9 && (y + 41).magnitude < 1e-9)
  }

  @Test func pointsWithoutCounterpartAreNotFinite() throws {
    let transformation = try Transformation(
      from: .wgs84, to: try SpatialReference("+proj=ortho +lat_0=0 +lon_0=0 +R=6371000"))
    var x = [10.0, 170, 20, .nan]
    var y = [10.0, 0, 20, 0]
    transformation.apply(x: &x, y: &y, count: 4)
    #expect(x[0].isFinite && !x[1].isFinite && x[2].isFinite && !x[3].isFinite)
  }
}
