import PlumbCore
import Testing

@testable import PlumbGeometry

/// Rule: rings in degrees with an edge that spans more than 180 and less than 360 degrees of
/// longitude cause one warning.
@Suite struct LongEdgeTests {
  private func area(_ points: [SIMD2<Double>], _ reference: SpatialReference? = .wgs84) -> Geometry
  {
    .polygon(Polygon(VertexList(points), ringEnds: [points.count], spatialReference: reference))
  }

  private func warning(
    _ points: [SIMD2<Double>], _ reference: SpatialReference? = .wgs84
  ) -> String? {
    var edges = LongEdges(in: reference)
    edges.add(area(points, reference), "feature 7")
    return edges.warning
  }

  @Test func `a ring that takes the long way around is reported`() throws {
    let found = try #require(
      warning([
        [179.838, 66.9494], [-179.8496, 66.9508], [-180.0014, 66.8406], [179.838, 66.9494],
      ]))
    #expect(found.hasPrefix("feature 7: a ring has an edge over 359.84° of longitude"), "\(found)")
    #expect(
      warning([
        [-178.785, -80.929], [-177.567, -82.68], [169.654, -82.68], [170.873, -80.929],
        [-178.785, -80.929],
      ]) != nil)
    let gons = try SpatialReference("EPSG:4807")
    #expect(gons.period == 400)
    #expect(warning([[199, 10], [-199, 10], [199, 12], [199, 10]], gons) != nil)
  }

  @Test func `areas of the world and of half of it are not`() throws {
    for points: [SIMD2<Double>] in [
      [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]],
      [[-90, 0], [90, 0], [90, 10], [-90, 10], [-90, 0]],
      [[179, 0], [181, 0], [181, 1], [179, 0]],
      [[-170, -90], [170, -90], [170, -60], [0, -60], [-170, -60], [-170, -90]],
      [[0, 0], [400, 0], [400, 1], [0, 0]],
    ] {
      #expect(warning(points) == nil, "\(points)")
    }
    let plane = try SpatialReference("EPSG:3857")
    #expect(warning([[-2e7, 0], [2e7, 0], [2e7, 9], [-2e7, 0]], plane) == nil)
    #expect(warning([[-179, 0], [179, 0], [179, 9], [-179, 0]], nil) == nil)
  }

  @Test func `many are one warning`() {
    var edges = LongEdges(in: .wgs84)
    for number in 1...3 {
      edges.add(area([[179, 0], [-179, 0], [-179, 1], [179, 0]]), "feature \(number)")
      edges.add(.point(Point(x: 1, y: 2)), "feature \(number)")
    }
    #expect(edges.count == 3)
    #expect(
      edges.warning?.hasPrefix("3 areas have very long edges; the first is feature 1: ") == true)
  }
}
