#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import CGEOS
import PlumbCore

/// Checks the plausibility of a geometry's planar buffer: some points must be inside the buffer,
/// and other points must be outside.
///
/// The check tests points next to the middle of each edge, slightly nearer than the distance and
/// slightly farther. This is sufficient, because GEOS's errors lose or fill whole faces of a
/// buffer.
struct BufferCheck {
  private let geometry: Geometry
  private let edges: BufferEdges
  private let distance: Double
  private let options: PlanarBufferOptions
  /// The approximate greatest magnitude of the buffer's coordinates.
  private let farthest: Double

  /// The allowed deviation of a buffer, as a fraction of the distance. The value has to be well
  /// above 0.01, the depth of the dents that GEOS omits.
  private static let slack = 0.05
  /// The length of edges that GEOS ignores, as a fraction of the distance.
  private static let narrow = 1e-6
  /// Geometries with at most this many edges are tested at more points.
  private static let fewEdges = 64

  init(_ geometry: Geometry, distance: Double, _ options: PlanarBufferOptions) {
    self.geometry = geometry
    self.distance = distance
    self.options = options
    edges = BufferEdges(geometry)
    let box = Box(geometry.vertices)
    farthest = max((-box.low).max(), box.high.max()) + distance.magnitude
  }

  /// Whether GEOS's algorithm produces the intended buffer.
  ///
  /// On the inner side of corners whose edges are too short for their offset lines to meet, GEOS
  /// takes a short cut. Round joins and caps cover the area that the short cut omits, but other
  /// joins and caps do not. GEOS also omits the vertices of dents shallower than a hundredth of the
  /// distance, which rotates joins and caps that are not round.
  var suitsGEOS: Bool {
    guard !isRound, geometry.dimension > 0, isResolved else { return true }
    let isLine = geometry.dimension == 1
    let side = BufferEdges.side(of: isLine ? nil : geometry, distance)
    let bufferRadius = distance.magnitude
    return edges.chains.allSatisfy { chain in
      let course = BufferCourse(edges, chain)
      let corners = course.cornerIndices
      return corners.allSatisfy { index in
        let corner = course.corner(index)
        guard corner.closes(on: side) else { return true }
        guard corner.isRoomy(bufferRadius) else { return false }
        let shapesEnd = !course.isClosed && (index == corners.first || index == corners.last)
        return options.join == .round && !shapesEnd
          || course.depth(ofCorner: index) >= bufferRadius * Self.dent
      }
    }
  }

  /// The depth of dents that GEOS omits, as a fraction of the distance.
  private static let dent = 0.01

  /// Whether a result passes the checks.
  ///
  /// - Complexity: O(*n* log *n*) in the vertices of the geometry and the result.
  func passes(_ result: Polygon, _ context: GEOSContext) throws(GeometryError) -> Bool {
    guard isResolved else { return true }
    return distance > 0
      ? try growthPasses(BandLocator(result), context) : try shrinkagePasses(result, context)
  }

  /// Whether rounding errors are small relative to the distance between a test point and the
  /// buffer's boundary.
  private var isResolved: Bool {
    distance.magnitude * Self.slack > farthest * 64 * Double.ulpOfOne
  }

  /// Whether all joins and caps are round, so that the buffer contains exactly the points within
  /// the distance.
  private var isRound: Bool {
    switch geometry.dimension {
    case 0: options.cap == .round
    case 1: options.cap == .round && options.join == .round
    default: options.join == .round
    }
  }

  /// The greatest possible distance of the buffer's boundary from the geometry.
  private var greatestDistance: Double {
    var factor = 1.0
    // A mitre that is cut off at its limit has corners slightly beyond the limit.
    if case .mitre(let limit) = options.join { factor = max(factor, limit) + 1 }
    if options.cap == .square, geometry.dimension == 1 { factor = max(factor, 2.0.squareRoot()) }
    return distance.magnitude * factor
  }

  private var fractions: [Double] { edges.count <= Self.fewEdges ? [0.5, 0.06, 0.94] : [0.5] }

  private func growthPasses(
    _ locator: BandLocator, _ context: GEOSContext
  ) throws(GeometryError) -> Bool {
    if isRound {
      for point in edges.xy where !locator.holds(point) { return false }
    }
    let near = distance * (1 - Self.slack)
    let maximum = greatestDistance
    let fractions = self.fractions
    var meter = EdgeMeter(edges, geometry)
    for chain in edges.chains {
      for index in chain.vertices.dropFirst() {
        let (a, b) = (edges.xy[index - 1], edges.xy[index])
        guard a != b else { continue }
        let way = b - a
        let length = (way * way).sum().squareRoot()
        // Skip a very short edge: its narrow strip may be lost to rounding, and no other strip has
        // to cover it.
        if !isRound, length < distance * Self.narrow { continue }
        let normal = SIMD2(-way.y, way.x) / length
        for fraction in fractions {
          let point = a + way * fraction
          guard locator.holds(point), locator.holds(point + normal * near),
            locator.holds(point - normal * near)
          else { return false }
          for side in 0..<2 {
            let far = side == 0 ? maximum * (1 + Self.slack) : -maximum * (1 + Self.slack)
            let beyond = point + normal * far
            guard locator.holds(beyond) else { continue }
            guard try meter.isWithin(maximum * (1 + Self.slack / 2), of: beyond, context) else {
              return false
            }
          }
        }
      }
    }
    return true
  }

  /// The result without false holes. GEOS leaves tiny false holes where its short cuts inside
  /// corners cross, and unions leave slivers of almost zero width.
  ///
  /// - Complexity: O(log *n*) for each hole that is kept, plus O(*m*) in the hole's vertices.
  func withoutFalseHoles(
    _ result: Polygon, _ context: GEOSContext
  ) throws(GeometryError) -> Polygon {
    guard distance > 0, isResolved, result.ringEnds.count > result.partEnds.count else {
      return result
    }
    // The vertices of a true hole are on the circles around vertices, or where the chords of two
    // such circles cross.
    let quantum = Double.pi / 2 / Double(options.segmentsPerQuarter)
    let minimum = distance * 0.99 * cos(0.75 * quantum)
    let rings = result.rings
    var meter = EdgeMeter(edges, nil)
    var isFalse = [Bool](repeating: false, count: rings.count)
    for part in result.parts {
      for hole in part.dropFirst() {
        let vertices = result.vertices.xy[rings[hole]]
        isFalse[hole] = isSliver(vertices)
        guard isRound, !isFalse[hole] else { continue }
        isFalse[hole] = try meter.areWithin(minimum, of: vertices, context)
      }
    }
    guard isFalse.contains(true) else { return result }
    var xy: [SIMD2<Double>] = []
    var (ringEnds, partEnds): ([Int], [Int]) = ([], [])
    for part in result.parts {
      for ring in part where !isFalse[ring] {
        xy += result.vertices.xy[rings[ring]]
        ringEnds.append(xy.count)
      }
      partEnds.append(ringEnds.count)
    }
    return Polygon(
      canonical: VertexList(xy), ringEnds: ringEnds, partEnds: partEnds,
      spatialReference: result.spatialReference)
  }

  /// Whether a ring is so narrow that its width may be a rounding error.
  private func isSliver(_ ring: ArraySlice<SIMD2<Double>>) -> Bool {
    guard let first = ring.first else { return true }
    var (area, length) = (0.0, 0.0)
    for (a, b) in zip(ring, ring.dropFirst()) {
      let (u, v) = (a - first, b - first)
      area += u.x * v.y - u.y * v.x
      length += ((b - a) * (b - a)).sum().squareRoot()
    }
    return area.magnitude <= length * farthest * 64 * Double.ulpOfOne
  }

  private func shrinkagePasses(
    _ result: Polygon, _ context: GEOSContext
  ) throws(GeometryError) -> Bool {
    guard case .polygon(let polygon) = geometry else { return true }
    let locator = try PolygonLocator([result], workers: Workers(count: 1))
    func isInside(_ point: SIMD2<Double>) -> Bool {
      locator.location(of: point, inPolygon: 0) == .interior
    }
    guard !edges.xy.contains(where: isInside) else { return false }
    let near = distance.magnitude * (1 - Self.slack)
    let maximum = greatestDistance
    let fractions = self.fractions
    let polygonLocator = try PolygonLocator([polygon], workers: Workers(count: 1))
    var meter = EdgeMeter(edges, nil)
    let edgesPass = try edges.allSatisfy { (a, b) throws(GeometryError) in
      let way = b - a
      // Exterior rings are clockwise and holes counter-clockwise: the area is on the right.
      let normal = SIMD2(way.y, -way.x) / (way * way).sum().squareRoot()
      for fraction in fractions {
        let point = a + way * fraction
        guard !isInside(point), !isInside(point + normal * near) else { return false }
        let beyond = point + normal * (maximum * (1 + Self.slack))
        guard polygonLocator.location(of: beyond, inPolygon: 0) == .interior,
          locator.location(of: beyond, inPolygon: 0) == .exterior
        else { continue }
        if try !meter.isWithin(maximum * (1 + Self.slack / 2), of: beyond, context) { return false }
      }
      return true
    }
    guard edgesPass, result.isEmpty else { return edgesPass }
    return try mayVanish(polygon, maximum, context)
  }

  /// Whether the result may be empty, because no circle with the distance as its radius fits into
  /// the area.
  private func mayVanish(
    _ polygon: Polygon, _ distance: Double, _ context: GEOSContext
  ) throws(GeometryError) -> Bool {
    let box = Box(polygon.vertices)
    let half = (box.high - box.low).min() / 2
    guard half > distance * (1 + Self.slack) else { return true }
    let shape = try context.shape(of: .polygon(polygon))
    let circle = try context.adopt(
      GEOSMaximumInscribedCircle_r(context.handle, shape.pointer, distance * Self.slack / 10),
      "an inscribed circle")
    var radius = 0.0
    guard GEOSLength_r(context.handle, circle.pointer, &radius) == 1 else {
      throw context.failure("an inscribed circle")
    }
    return radius <= distance * (1 + Self.slack / 2)
  }
}
