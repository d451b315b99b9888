import CGEOS
import PlumbCore

/// Brings areas from degrees to the reference that they are wanted in. Belongs to one worker.
final class DegreePlacement {
  private let base: GeographicBase
  private let target: SpatialReference
  /// Metres in one unit of the target, the longest degree for a geographic one.
  private let metresPerUnit: Double
  private let way: Way

  /// How coordinates get from degrees to the target.
  private enum Way {
    /// The target is the reference that the degrees are of.
    case own
    /// From longitude and latitude of the same datum, without passing the input's projection.
    case fromBase(Transformation)
    /// Through the input's reference, which alone knows its way to other datums.
    case throughInput(Transformation)
  }

  /// - Throws: when there is no way to the target.
  init(
    _ base: GeographicBase, of input: SpatialReference, to target: SpatialReference
  ) throws(GeometryError) {
    (self.base, self.target) = (base, target)
    metresPerUnit =
      target.unit.factor * (target.isGeographic ? base.ellipsoid.semiMajorAxis : 1)
    if target.isEquivalent(to: input) {
      way = .own
    } else if let unprojected = try base.unprojectedReference() {
      way = .fromBase(try Transformation(from: unprojected, to: target))
    } else {
      way = .throughInput(try Transformation(from: input, to: target))
    }
  }

  /// Whether areas stay in the input's own reference.
  var isOwn: Bool {
    if case .own = way { true } else { false }
  }

  private func point(_ degrees: [SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>] {
    switch way {
    case .own: try base.fromDegrees(degrees)
    case .fromBase(let transformation):
      try transformation.project(degrees.map { $0 / base.degreesPerUnit })
    case .throughInput(let transformation):
      try transformation.project(base.fromDegrees(degrees))
    }
  }

  /// A polygon of degrees in the target. In a projected one, edges get vertices until straight
  /// edges stay within a tolerance of the old ones; what lies along ±180° or a pole stays there in
  /// a geographic one.
  ///
  /// - Parameter tolerance: metres.
  /// - Throws: when a vertex has no counterpart, or more than `vertexLimit` are needed.
  func placed(
    _ polygon: Polygon, tolerance: Double, vertexLimit: Int
  ) throws(GeometryError) -> Polygon {
    if target.isGeographic { return try placedInDegrees(polygon) }
    let vertices = polygon.vertices.xy
    let isJoined = try joinsSeam(vertices)
    let allowed = tolerance / metresPerUnit
    var result: [SIMD2<Double>] = []
    var ringEnds: [Int] = []
    for ring in polygon.rings {
      result += try followed(
        Array(vertices[ring]), within: allowed, after: result.count, limit: vertexLimit
      ) { degrees throws(GeometryError) in
        // Bit for bit the same from both sides.
        try point(
          isJoined
            ? degrees.map { $0.x == -180 || $0.y.magnitude == 90 ? SIMD2(180, $0.y) : $0 }
            : degrees)
      }
      ringEnds.append(result.count)
    }
    let placed = Polygon(
      VertexList(result), ringEnds: ringEnds, partEnds: polygon.partEnds,
      spatialReference: target)
    return isJoined ? try joined(placed) : placed
  }

  /// Whether the target has both sides of ±180° at one point, where an area then goes on.
  private func joinsSeam(_ degrees: [SIMD2<Double>]) throws(GeometryError) -> Bool {
    guard let seam = degrees.first(where: { $0.x.magnitude == 180 && $0.y.magnitude < 90 }) else {
      return false
    }
    let sides = try point([SIMD2(-180, seam.y), SIMD2(180, seam.y)])
    let gap = sides[1] - sides[0]
    return (gap * gap).sum().squareRoot() * metresPerUnit < 1e-3
  }

  /// An area without the cut along ±180°, whose two sides have the same vertices.
  private func joined(_ polygon: Polygon) throws(GeometryError) -> Polygon {
    let context = try GEOSContext()
    let valid = try context.madeValid(context.shape(of: .polygon(polygon)))
    let union = try context.own(
      GEOSUnaryUnion_r(context.handle, valid.pointer), "joining at ±180°")
    return try ShapeParts(union).polygon(target)
  }

  /// A chain with its edges halved until none is off.
  private func followed(
    _ degrees: [SIMD2<Double>], within allowed: Double, after count: Int, limit: Int,
    _ point: ([SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>]
  ) throws(GeometryError) -> [SIMD2<Double>] {
    var chain = degrees
    var placed = try point(chain)
    for _ in 0..<40 {
      // Quarters count as well as middles, as a curve may cross its edge in the middle.
      var shares: [[SIMD2<Double>]] = []
      for share in [0.25, 0.5, 0.75] {
        shares.append(
          try point(
            chain.indices.dropLast().map { chain[$0] + (chain[$0 + 1] - chain[$0]) * share }))
      }
      var (nextChain, nextPlaced) = ([chain[0]], [placed[0]])
      for index in chain.indices.dropLast() {
        let edge = placed[index + 1] - placed[index]
        let length = (edge * edge).sum().squareRoot()
        let isOff = shares.contains { points in
          let away = points[index] - placed[index]
          let across =
            length > 0
            ? (edge.x * away.y - edge.y * away.x).magnitude / length
            : (away * away).sum().squareRoot()
          return across > allowed
        }
        if isOff {
          nextChain.append((chain[index] + chain[index + 1]) / 2)
          nextPlaced.append(shares[1][index])
        }
        nextChain.append(chain[index + 1])
        nextPlaced.append(placed[index + 1])
      }
      guard nextChain.count > chain.count else { break }
      (chain, placed) = (nextChain, nextPlaced)
      guard count + chain.count <= limit else { throw DegreePlane.tooManyVertices(limit) }
    }
    return placed
  }

  private func placedInDegrees(_ polygon: Polygon) throws(GeometryError) -> Polygon {
    if isOwn, base.isIdentity {
      var polygon = polygon
      polygon.spatialReference = target
      return polygon
    }
    let degrees = polygon.vertices.xy
    var result = try point(degrees)
    if !isOwn {
      // Another datum moves ±180° by some metres; the cut stays where it is.
      let half = 180 * SpatialReference.Unit.degree.factor / target.unit.factor
      for index in result.indices {
        if degrees[index].x.magnitude == 180 {
          result[index].x = degrees[index].x < 0 ? -half : half
        } else if (result[index].x / half - degrees[index].x / 180).magnitude > 1 {
          result[index].x = degrees[index].x < 0 ? -half : half
        }
        if degrees[index].y.magnitude == 90 {
          result[index].y = degrees[index].y < 0 ? -half / 2 : half / 2
          result[index].x = degrees[index].x / 180 * half
        }
      }
    }
    return Polygon(
      VertexList(result), ringEnds: polygon.ringEnds, partEnds: polygon.partEnds,
      spatialReference: target)
  }
}
