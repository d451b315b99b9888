import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Every operation on degenerate and invalid geometries: a result of finite numbers or an error,
/// never a trap.
@Suite struct HostileGeometryTests {
  private typealias Engine = GeometryEngine

  private static let measures: [Measure] = [.planar] + GeodesicCurve.allCases.map { .geodesic($0) }

  /// All types of geometries with some vertices, and with parts and rings of every length.
  private static func kinds(
    _ vertices: [SIMD2<Double>], _ reference: SpatialReference?
  ) -> [Geometry] {
    let list = VertexList(vertices)
    let (first, last) = (vertices.first ?? [.nan, .nan], vertices.last ?? [.nan, .nan])
    let count = vertices.count
    return [
      .point(Point(x: first.x, y: first.y, spatialReference: reference)),
      .multipoint(Multipoint(list, spatialReference: reference)),
      .polyline(Polyline(list, spatialReference: reference)),
      .polyline(Polyline(list, partEnds: [0, min(1, count), count, count])),
      .polygon(Polygon(list, spatialReference: reference)),
      // A hole without an exterior ring, and an empty hole.
      .polygon(
        Polygon(
          list, ringEnds: [0, count, count], partEnds: [3, 3], spatialReference: reference)),
      .envelope(
        Envelope(
          xMin: first.x, yMin: first.y, xMax: last.x, yMax: last.y, spatialReference: reference)),
    ]
  }

  private static let vertices: [[SIMD2<Double>]] = [
    [], [[1, 2]], [[1, 2], [1, 2]], [[1, 2], [3, 4]], [[0, 0], [4, 4], [4, 0], [0, 4]],
    [[1, 2], [.nan, 4], [5, 0]], [[.nan, .nan], [3, 4]], [[1, 2], [3, .infinity], [5, 0]],
    [[-1e308, -1e308], [1e308, -1e308], [1e308, 1e308]],
    [[0, 0], [.leastNonzeroMagnitude, 0], [0, .leastNonzeroMagnitude]],
    [[1e17, 1e17], [1e17, 1e17 + 16], [1e17 + 16, 1e17]], [[0, 95], [10, 95], [5, 80]],
    [[-180, -90], [180, -90], [180, 90], [-180, 90]], [[540, 10], [900, 20], [541, 11]],
    [[0, 90], [120, 90], [0, -90]],
  ]

  /// Runs an operation that returns shapes.
  private func shapes(_ inputs: Geometry..., name: String, _ body: () throws -> [Geometry?]) {
    check(name) {
      for case let shape? in try body() where !shape.isEmpty {
        #expect(
          shape.vertices.xy.allSatisfy { $0.x.isFinite && $0.y.isFinite },
          "\(name): \(shape) of \(inputs)")
        guard case .polygon(let polygon) = shape else { continue }
        let again = Polygon(
          polygon.vertices, ringEnds: polygon.ringEnds, partEnds: polygon.partEnds)
        #expect(
          bits(.polygon(again)) == bits(shape),
          "\(name): open or wrongly oriented rings of \(inputs)")
      }
    }
  }

  /// Runs an operation that returns a number of 0 or more.
  private func number(_ inputs: Geometry..., name: String, _ body: () throws -> Double) {
    check(name) {
      let number = try body()
      #expect(number >= 0, "\(name): \(number) of \(inputs)")
    }
  }

  /// Whether the sides of a window extend so far around the Earth that a search along them takes
  /// seconds.
  private func isLong(_ geometry: Geometry, _ measure: Measure) -> Bool {
    guard case .envelope(let envelope) = geometry, measure != .planar else { return false }
    return envelope.xMax - envelope.xMin > 20
  }

  private func check(_ name: String, _ body: () throws -> Void) {
    do { try body() } catch let error as GeometryError {
      #expect(!error.message.isEmpty && !error.message.contains("\n"))
    } catch {
      Issue.record("\(name): \(error)")
    }
  }

  @Test(arguments: vertices.indices, [nil, "EPSG:4326", "EPSG:3857", "EPSG:32633"])
  func operationsOfOne(_ index: Int, _ code: String?) throws {
    let reference = try code.map { try SpatialReference($0) }
    for shape in Self.kinds(Self.vertices[index], reference) {
      shapes(shape, name: "boundary") { [try Engine.boundary(of: shape)] }
      shapes(shape, name: "centroid") { [.point(try Engine.centroid(of: shape))] }
      shapes(shape, name: "label") { [.point(try Engine.labelPoint(of: shape))] }
      shapes(shape, name: "hull") { [try Engine.convexHull(of: shape)] }
      shapes(shape, name: "generalize") {
        [
          try Engine.generalize(shape, maxDeviation: 0.1),
          try Engine.generalize(shape, maxDeviation: 9, removesDegenerateParts: true),
        ]
      }
      shapes(shape, name: "simplify") { [try Engine.simplify(shape)] }
      check("isSimple") { _ = try Engine.isSimple(shape) }
      shapes(shape, name: "project") { [try Engine.project(shape, to: .wgs84)] }
      for distance in [2, 0, -1, 1e308] {
        shapes(shape, name: "buffer \(distance)") {
          try Engine.buffer(around: [shape], distances: [distance]).map { .polygon($0) }
        }
      }
      shapes(shape, name: "joined buffers") {
        try Engine.buffer(around: [shape, shape], distances: [1], union: true)
          .map { .polygon($0) }
      }
      for measure in Self.measures {
        number(shape, name: "length") { try Engine.length(of: shape, measure: measure) }
        number(shape, name: "area") { try Engine.area(of: shape, measure: measure) }
        shapes(shape, name: "densify") {
          [try Engine.densify(shape, maxSegmentLength: 1e6, measure: measure)]
        }
      }
    }
  }

  @Test(arguments: vertices.indices, [nil, "EPSG:4326", "EPSG:3857"])
  func operationsWithPoints(_ index: Int, _ code: String?) throws {
    let reference = try code.map { try SpatialReference($0) }
    let points = [Point(x: 1, y: 2), Point(x: .nan, y: 1), Point(x: 1e308, y: -1e308), .empty()]
    for shape in Self.kinds(Self.vertices[index], reference) {
      for point in points {
        for measure in [Measure.planar, .geodesic()] where !isLong(shape, measure) {
          shapes(shape, .point(point), name: "nearest") {
            let found = try Engine.nearestCoordinate(in: shape, to: point, measure: measure)
            #expect(found.distance >= 0)
            return [.point(found.point)]
          }
          shapes(shape, .point(point), name: "vertex") {
            [.point(try Engine.nearestVertex(in: shape, to: point, measure: measure).point)]
          }
          guard case .polyline(let line) = shape else { continue }
          number(shape, .point(point), name: "fraction") {
            try Engine.fraction(along: line, nearestTo: point, measure: measure)
          }
          shapes(shape, .point(point), name: "along") {
            [.point(try Engine.point(along: line, distance: point.x, measure: measure))]
          }
        }
      }
    }
  }

  @Test(arguments: vertices.indices)
  func operationsOfTwo(_ index: Int) throws {
    let mercator = try SpatialReference("EPSG:3857")
    for a in Self.kinds(Self.vertices[index], .wgs84) {
      for other in Self.vertices.indices {
        let reference = other % 3 == 0 ? mercator : other % 3 == 1 ? .wgs84 : nil
        for (kind, b) in Self.kinds(Self.vertices[other], reference).enumerated()
        where (kind + other + index) % 4 == 0 {
          shapes(a, b, name: "union") { [try Engine.union(a, b)] }
          shapes(a, b, name: "intersections") { try Engine.intersections(a, b) }
          shapes(a, b, name: "difference") { [try Engine.difference(a, b)] }
          shapes(a, b, name: "difference") { [try Engine.symmetricDifference(a, b)] }
          shapes(a, b, name: "hull") { [try Engine.convexHull(of: [a, b])] }
          shapes(a, b, name: "clip") { [try Engine.clip(a, to: b.envelope)] }
          check("contains") { _ = try Engine.contains(a, b) }
          check("relation") { _ = try Engine.relation(of: a, to: b) }
          number(a, b, name: "distance") { try Engine.distance(from: a, to: b) }
          guard !isLong(a, .geodesic()), !isLong(b, .geodesic()) else { continue }
          number(a, b, name: "way") {
            try Engine.distance(from: a, to: b, measure: .geodesic())
          }
        }
      }
    }
  }
}
