import CGEOS
import PlumbCore
import PlumbTestSupport

@testable import PlumbGeometry
@testable import PlumbLayers

/// A window of a CRS near Cape Town with a grid whose coordinates are exact.
struct OraclePlane: Sendable {
  var code: String?
  var origin: SIMD2<Double>
  /// The distance between neighbouring points of the grid.
  var step: Double
  /// The greatest position on the grid; the smallest is 0.
  static let size = 16

  static let all = [
    OraclePlane(code: "EPSG:4326", origin: SIMD2(18, -34), step: 0.125),
    OraclePlane(code: "EPSG:3857", origin: SIMD2(2_000_000, -4_000_000), step: 8192),
    OraclePlane(code: "EPSG:32734", origin: SIMD2(260_000, 6_240_000), step: 8192),
    OraclePlane(code: nil, origin: SIMD2(0, 0), step: 1),
  ]

  var reference: SpatialReference? { get throws { try code.map { try SpatialReference($0) } } }

  func at(_ i: Double, _ j: Double) -> SIMD2<Double> { origin + SIMD2(i, j) * step }
}

/// Shapes with vertices on the grid of a plane.
struct OracleShapes {
  let plane: OraclePlane
  var random: SeededGenerator

  init(_ plane: OraclePlane, seed: UInt64) {
    self.plane = plane
    random = SeededGenerator(seed: seed)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Double {
    Double(Int.random(in: range, using: &random))
  }

  mutating func vertex() -> SIMD2<Double> {
    plane.at(number(0...OraclePlane.size), number(0...OraclePlane.size))
  }

  /// A point in or next to the grid: on a vertex, on an edge, or anywhere.
  mutating func point() -> SIMD2<Double> {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: vertex()
    case 1: plane.at(number(-2...36) / 2, number(-2...36) / 2)
    default:
      plane.at(
        Double.random(in: -1...17, using: &random), Double.random(in: -1...17, using: &random))
    }
  }

  mutating func points(_ count: Int) -> [Geometry?] {
    (0..<count).map { _ in
      let xy = vertex()
      return .point(Point(x: xy.x, y: xy.y))
    }
  }

  mutating func multipoints(_ count: Int) -> [Geometry?] {
    (0..<count).map { _ in
      .multipoint(Multipoint(VertexList((0..<Int(number(1...5))).map { _ in vertex() })))
    }
  }

  /// Lines of one to three parts, which may intersect themselves.
  mutating func lines(_ count: Int) -> [Geometry?] {
    (0..<count).map { _ in
      var ends: [Int] = []
      var vertices: [SIMD2<Double>] = []
      for _ in 0..<Int(number(1...3)) {
        for _ in 0..<Int(number(2...5)) { vertices.append(vertex()) }
        ends.append(vertices.count)
      }
      return .polyline(Polyline(VertexList(vertices), partEnds: ends))
    }
  }

  private func ring(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> [SIMD2<Double>] {
    [
      plane.at(x.lowerBound, y.lowerBound), plane.at(x.lowerBound, y.upperBound),
      plane.at(x.upperBound, y.upperBound), plane.at(x.upperBound, y.lowerBound),
    ]
  }

  /// Rectangles with or without a hole, some with two parts that are disjoint or touch at a corner,
  /// and triangles.
  mutating func areas(_ count: Int) -> [Geometry?] {
    (0..<count).map { _ in
      if number(0...2) == 0 {
        while true {
          let (a, b, c) = (vertex(), vertex(), vertex())
          let (u, v) = (b - a, c - a)
          if u.x * v.y != u.y * v.x { return .polygon(Polygon(VertexList([a, b, c]))) }
        }
      }
      let (x, y) = (number(0...8), number(0...8))
      let (width, height) = (number(1...5), number(1...5))
      var (vertices, ends) = (ring(x...x + width, y...y + height), [4])
      if width > 2, height > 2 {
        vertices += ring(x + 1...x + width - 1, y + 1...y + height - 1)
        ends.append(8)
      }
      var parts = [ends.count]
      if number(0...1) == 0 {
        let (right, top) = (x + width + number(0...1), y + height)
        vertices += ring(right...right + 2, top...top + number(1...2))
        ends.append(vertices.count)
        parts.append(ends.count)
      }
      return .polygon(Polygon(VertexList(vertices), ringEnds: ends, partEnds: parts))
    }
  }

  /// Triangles that share all their edges: two in each of the larger squares of the grid.
  func tessellation() -> [Geometry?] {
    stride(from: 0.0, to: 16, by: 4).flatMap { x in
      stride(from: 0.0, to: 16, by: 4).flatMap { y -> [Geometry?] in
        let (a, b) = (plane.at(x, y), plane.at(x + 4, y + 4))
        let (c, d) = (plane.at(x + 4, y), plane.at(x, y + 4))
        return [
          .polygon(Polygon(VertexList([a, b, c]))), .polygon(Polygon(VertexList([a, d, b]))),
        ]
      }
    }
  }

  /// Lists of each kind, one for each layer.
  mutating func all() -> [[Geometry?]] {
    [points(30), multipoints(12), lines(12), areas(16), tessellation()]
  }
}

/// The results of GEOS and of the geodesic search for one shape.
final class ShapeOracle {
  let geometry: Geometry
  private let context: GEOSContext
  private let shape: OpaquePointer

  init(_ geometry: Geometry, _ context: GEOSContext) throws {
    (self.geometry, self.context) = (geometry, context)
    shape = try context.shape(of: geometry).take()
  }

  deinit { GEOSGeom_destroy_r(context.handle, shape) }

  private func point(_ point: SIMD2<Double>) throws -> GEOSShape {
    try context.shape(of: .point(Point(x: point.x, y: point.y)))
  }

  func holds(_ location: SIMD2<Double>) throws -> Bool {
    let point = try point(location)
    return try context.checkedResult(
      GEOSIntersects_r(context.handle, shape, point.pointer), "intersects")
  }

  func distance(_ location: SIMD2<Double>) throws -> Double {
    let point = try point(location)
    var distance = 0.0
    guard GEOSDistance_r(context.handle, shape, point.pointer, &distance) == 1 else {
      throw context.failure("a distance")
    }
    return distance
  }

  /// The shape in the plane of another CRS, with each edge divided into `pieces`.
  func projected(_ transformation: Transformation, pieces: Int) throws -> ShapeOracle {
    var xy: [SIMD2<Double>] = []
    var ends: [Int] = []
    for path in Self.paths(geometry) {
      for (a, b) in zip(path, path.dropFirst()) {
        for piece in 0..<pieces { xy.append(a + (b - a) * (Double(piece) / Double(pieces))) }
      }
      if let last = path.last { xy.append(last) }
      ends.append(xy.count)
    }
    var (x, y) = (xy.map(\.x), xy.map(\.y))
    transformation.apply(x: &x, y: &y, count: x.count)
    let vertices = VertexList(zip(x, y).map { SIMD2($0, $1) })
    switch geometry {
    case .point, .multipoint: return try ShapeOracle(.multipoint(Multipoint(vertices)), context)
    default: return try ShapeOracle(.polyline(Polyline(vertices, partEnds: ends)), context)
    }
  }

  /// The distance in metres to the nearest point of the shape, by a search along each edge; 0
  /// inside the shape.
  func groundDistance(
    _ point: SIMD2<Double>, _ toDegrees: Transformation, _ geodesic: Geodesic
  ) throws -> Double {
    if try holds(point) { return 0 }
    func degrees(_ point: SIMD2<Double>) -> SIMD2<Double> {
      var (x, y) = (point.x, point.y)
      toDegrees.apply(x: &x, y: &y, count: 1)
      return SIMD2(x, y)
    }
    let degreesOfPoint = degrees(point)
    var minimum = Double.infinity
    for path in Self.paths(geometry) {
      if path.count == 1 {
        minimum = min(minimum, geodesic.distance(from: degreesOfPoint, to: degrees(path[0])))
      }
      for (a, b) in zip(path, path.dropFirst()) {
        func distance(_ share: Double) -> Double {
          geodesic.distance(from: degreesOfPoint, to: degrees(a + (b - a) * share))
        }
        let samples = (0...8).map { distance(Double($0) / 8) }
        let best = samples.indices.min { samples[$0] < samples[$1] } ?? 0
        minimum = min(minimum, samples[best])
        // Edges that are too far away are not searched: a part of an edge is an eighth of its
        // length.
        let length = geodesic.distance(from: degrees(a), to: degrees(b))
        guard samples[best] - length / 8 < minimum else { continue }
        var (low, high) = (max(0, Double(best - 1) / 8), min(1, Double(best + 1) / 8))
        for _ in 0..<60 {
          let (first, second) = (low + (high - low) / 3, high - (high - low) / 3)
          if distance(first) < distance(second) { high = second } else { low = first }
        }
        minimum = min(minimum, distance((low + high) / 2))
      }
    }
    return minimum
  }

  private static func paths(_ geometry: Geometry) -> [[SIMD2<Double>]] {
    let xy = geometry.vertices.xy
    return switch geometry {
    case .polyline(let line): line.parts.map { Array(xy[$0]) }
    case .polygon(let polygon): polygon.rings.map { Array(xy[$0]) }
    default: xy.map { [$0] }
    }
  }
}
