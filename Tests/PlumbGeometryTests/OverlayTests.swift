import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct OverlayTests {
  private let oracle = GEOSOracle()

  /// |A ∪ B| = |A| + |B| − |A ∩ B|, and so on, including for areas that intersect themselves.
  @Test(arguments: 0..<60)
  func areasAddUp(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed)
    let a = Geometry.polygon(seed % 2 == 0 ? shapes.tangle() : shapes.star(size: 60))
    let b = Geometry.polygon(seed % 3 == 0 ? shapes.tangle() : shapes.star(size: 60))
    let results = try [
      GeometryEngine.union(a, b), GeometryEngine.intersection(a, b),
      GeometryEngine.difference(a, b), GeometryEngine.difference(b, a),
      GeometryEngine.symmetricDifference(a, b), GeometryEngine.simplify(a),
      GeometryEngine.simplify(b),
    ]
    for result in results.compactMap({ $0 }) where result.dimension == 2 {
      #expect(try oracle.isValid(result))
    }
    let areas = try results.map { try oracle.area($0) }
    let (union, common) = (areas[0], areas[1])
    let (onlyA, onlyB, either) = (areas[2], areas[3], areas[4])
    let (areaA, areaB) = (areas[5], areas[6])
    for (left, right) in [
      (union, areaA + areaB - common), (areaA, onlyA + common), (areaB, onlyB + common),
      (either, onlyA + onlyB), (union, either + common),
    ] {
      #expect(abs(left - right) <= 1e-9 * max(1, union))
    }
  }

  /// The length of a line is the sum of the pieces inside an area and outside of it.
  @Test(arguments: 0..<30)
  func lengthsAddUp(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed + 500)
    let line = try GeometryEngine.simplify(shapes.polyline(vertices: 9))
    let area = Geometry.polygon(shapes.tangle())
    let inside = try GeometryEngine.intersection(line, area)
    let outside = try GeometryEngine.difference(line, area)
    let total = try oracle.length(line)
    let inner = inside?.dimension == 1 ? try oracle.length(inside) : 0
    #expect(try abs(inner + oracle.length(outside) - total) <= 1e-9 * total)
  }

  @Test func anIntersectionIsOfTheHighestDimension() throws {
    let left = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 2, yMax: 2))
    let right = Geometry.envelope(Envelope(xMin: 2, yMin: 1, xMax: 4, yMax: 3))
    let corner = Geometry.envelope(Envelope(xMin: 2, yMin: 2, xMax: 4, yMax: 3))
    let far = Geometry.envelope(Envelope(xMin: 9, yMin: 9, xMax: 10, yMax: 10))
    #expect(try GeometryEngine.intersection(left, right)?.dimension == 1)
    #expect(try GeometryEngine.intersection(left, corner) == .point(Point(x: 2, y: 2)))
    #expect(try GeometryEngine.intersection(left, far) == nil)
    #expect(try GeometryEngine.difference(left, left) == nil)
    #expect(try GeometryEngine.symmetricDifference(left, left) == nil)
    // A notch: the intersection has an area and a separate point.
    let notched = try oracle.geometry(
      "POLYGON ((0 0, 4 0, 4 2, 3 2, 3 1, 2 1, 1 2, 0 1, 0 0))")
    let band = Geometry.envelope(Envelope(xMin: 0, yMin: 2, xMax: 4, yMax: 5))
    let all = try GeometryEngine.intersections(notched, band)
    #expect(all.map(\.dimension) == [0, 1])
  }

  @Test func mixedDimensions() throws {
    let area = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 2, yMax: 2))
    let point = Geometry.point(Point(x: 1, y: 1))
    #expect(throws: GeometryError.self) { try GeometryEngine.symmetricDifference(area, point) }
    #expect(try GeometryEngine.intersection(area, point) == point)
    #expect(try GeometryEngine.difference(point, area) == nil)
    #expect(try oracle.area(GeometryEngine.difference(area, point)) == 4)
  }

  @Test func errorsNameTheGeometry() throws {
    let area = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 2, yMax: 2))
    let bad = Geometry.point(Point(x: .nan, y: 1))
    #expect(throws: GeometryError.self) { try GeometryEngine.intersection(bad, area) }
    let error = #expect(throws: GeometryError.self) { try GeometryEngine.difference(area, bad) }
    #expect(error?.member == 1)
  }

  /// Each side is projected to the first CRS, so swapping the sides gives the same intersection.
  @Test func referencesAreJoined() throws {
    let utm = try SpatialReference("EPSG:32634")
    let degrees = Geometry.envelope(
      Envelope(xMin: 20.9, yMin: 45, xMax: 21.1, yMax: 45.1, spatialReference: .wgs84))
    let metres = Geometry.envelope(
      Envelope(
        xMin: 495_000, yMin: 4_985_000, xMax: 505_000, yMax: 4_990_000, spatialReference: utm))
    let one = try #require(try GeometryEngine.intersection(metres, degrees))
    let other = try #require(try GeometryEngine.intersection(degrees, metres))
    #expect(one.spatialReference == utm && other.spatialReference == .wgs84)
    let area = try oracle.area(one)
    let back = try #require(try GeometryEngine.intersection(metres, other))
    #expect(try abs(oracle.area(back) - area) < 1e-3 * area)
  }
}
