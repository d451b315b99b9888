import Foundation
import PlumbTestSupport
import Testing

/// `plumb buffer --geodesic` compared with closed forms on the WGS 84 ellipsoid.
struct BufferGeodesicTests {
  private static let axis = 6_378_137.0
  private static let eccentricity2 = 0.006_694_379_990_141_316

  /// All positions of a run's first feature.
  private func points(_ options: [String], input: String = "") throws -> [[Double]] {
    let run = try plumb(["buffer"] + options + ["--geodesic", "-q"], input: input)
    #expect(run.status == 0, "\(run.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let features = (object as? [String: Any])?["features"] as? [[String: Any]]
    let geometry = features?.first?["geometry"] as? [String: Any]
    let coordinates = geometry?["coordinates"]
    let parts = coordinates as? [[[[Double]]]] ?? (coordinates as? [[[Double]]]).map { [$0] } ?? []
    return parts.flatMap { $0.flatMap { $0 } }
  }

  private func box(_ points: [[Double]]) -> (
    west: Double, south: Double, east: Double, north: Double
  ) {
    let (x, y) = (points.map { $0[0] }, points.map { $0[1] })
    return (x.min() ?? .nan, y.min() ?? .nan, x.max() ?? .nan, y.max() ?? .nan)
  }

  /// Metres along the equator.
  private func equator(_ degrees: Double) -> Double { degrees * .pi / 180 * Self.axis }

  /// Metres along a meridian between two latitudes, by Simpson's rule.
  private func meridian(_ from: Double, _ to: Double) -> Double {
    func radius(_ latitude: Double) -> Double {
      let s = sin(latitude * .pi / 180)
      return Self.axis * (1 - Self.eccentricity2) / pow(1 - Self.eccentricity2 * s * s, 1.5)
    }
    let steps = 2000
    let step = (to - from) / Double(steps)
    var sum = radius(from) + radius(to)
    for index in 1..<steps {
      sum += radius(from + Double(index) * step) * (index % 2 == 0 ? 2 : 4)
    }
    return sum * step / 3 * .pi / 180
  }

  /// Rule: the distance is measured along the ellipsoid, and the outline is within the deviation.
  @Test(arguments: [
    ("m", 100_000.0, 1.0), ("km", 100.0, 1000.0), ("ft", 300_000.0, 0.3048),
    ("us-ft", 300_000.0, 1200.0 / 3937.0), ("mi", 60.0, 1609.344), ("nmi", 50.0, 1852.0),
  ])
  func `a point on the equator`(unit: String, distance: Double, metres: Double) throws {
    let box = try box(points(["--at", "-10,0", "--distance", "\(distance)", "--unit", unit]))
    let radius = distance * metres
    #expect(abs(equator(box.east + 10) - radius) < 0.0101)
    #expect(abs(equator(-10 - box.west) - radius) < 0.0101)
    #expect(abs(meridian(0, box.north) - radius) < 0.0101)
    #expect(abs(meridian(box.south, 0) - radius) < 0.0101)
  }

  @Test func `metres are the default, and --max-deviation sets the number of vertices`() throws {
    let fine = try points(["--at", "0,0", "--distance", "100000"])
    let coarse = try points(["--at", "0,0", "--distance", "100000", "--max-deviation", "100"])
    #expect(coarse.count * 10 < fine.count)
    #expect(abs(equator(box(coarse).east) - 100_000) < 101)
    #expect(abs(equator(box(fine).east) - 100_000) < 0.0101)
  }

  /// Rule: a result that crosses ±180° is cut into parts, and a pole within a result is supported.
  @Test func `the antimeridian and the poles`() throws {
    let across = try points(["--at", "180,0", "--distance", "100000"])
    #expect(across.allSatisfy { abs($0[0]) <= 180 && abs(abs($0[0]) - 180) < 0.91 })
    #expect(across.contains { $0[0] == 180 } && across.contains { $0[0] == -180 })
    for (point, pole) in [("30,89.9", 90.0), ("30,-89.9", -90)] {
      let over = try points(["--at", point, "--distance", "50000"])
      #expect(over.contains { $0[1] == pole } && over.allSatisfy { abs($0[1]) <= 90 })
      let box = box(over)
      #expect(box.west == -180 && box.east == 180)
    }
  }

  /// Rule: the curve determines the path of an input edge between its vertices.
  @Test func `edges follow --curve`() throws {
    let line = #"{"type":"LineString","coordinates":[[0,60],[40,60]]}"#
    func north(_ curve: [String]) throws -> Double {
      box(try points(["-", "--distance", "1000"] + curve, input: line)).north
    }
    // The edge follows the parallel.
    for curve in ["loxodrome", "shape-preserving"] {
      #expect(abs(meridian(60, try north(["--curve", curve])) - 1000) < 1)
    }
    // The highest latitude of a plane through the centre is atan(tan 60° / cos 20°), both for
    // geocentric and for geodetic latitudes.
    let top = atan(tan(Double.pi / 3) / cos(Double.pi / 9)) * 180 / .pi
    #expect(abs(meridian(top, try north(["--curve", "great-elliptic"])) - 1000) < 5)
    // The differences between the other curves are of the order of the flattening.
    let bulge = try north([])
    #expect(bulge == (try north(["--curve", "geodesic"])))
    for north in [bulge, try north(["--curve", "normal-section"])] {
      #expect(abs(meridian(top, north) - 1000) < 400)
    }
  }

  /// Rule: GeoJSON output is in WGS84, regardless of the input's CRS.
  @Test func `a projected CRS gives the same area`() throws {
    let run = { (options: [String]) in try box(points(options + ["--distance", "5000"])) }
    let fixture = try Fixture()
    let path = try fixture.folder.write("p.csv", "x,y\n500000,6200000\n")
    let projected = try run([path, "--crs", "EPSG:32734"])
    let centre = ((projected.west + projected.east) / 2, (projected.south + projected.north) / 2)
    #expect(abs(centre.0 - 21) < 1e-7)
    let degrees = try run(["--at", "21,\(centre.1)"])
    #expect(abs(projected.west - degrees.west) < 2e-6 && abs(projected.east - degrees.east) < 2e-6)
    #expect(abs(meridian(projected.south, projected.north) - 10_000) < 0.05)
  }

  @Test func `no warning, and a latitude beyond the pole is an error that names the point`() throws
  {
    let run = try plumb(["buffer", "--at", "1,2", "--distance", "5", "--geodesic"])
    #expect(run.status == 0 && run.errors == "")
    try plumb(["buffer", "--at", "1,2", "--at", "1,91", "--distance", "5", "--geodesic"])
      .expectRefusal("point 2", "latitude")
  }

  @Test func `union joins across the antimeridian`() throws {
    let run = try plumb([
      "buffer", "--at", "179.9,0", "--at", "-179.9,0", "--distance", "20", "--unit", "km",
      "--geodesic", "--union", "-q",
    ])
    #expect(run.lines.count == 3)
    let text = run.lines[1]
    #expect(text.contains("\"MultiPolygon\"") && text.contains("180.0,"))
    #expect(text.contains("\"properties\":{}"))
  }
}
