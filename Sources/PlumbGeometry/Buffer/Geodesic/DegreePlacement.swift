import CGEOS
import PlumbCore

/// Transforms areas from degrees to the output CRS. The class is not thread-safe; each worker needs
/// a separate instance.
final class DegreePlacement {
  private let base: GeographicBase
  private let target: SpatialReference
  /// The length in metres of one unit of the target; for a geographic target, the length along the
  /// equator.
  private let metresPerUnit: Double
  private let way: Way

  /// The method that transforms coordinates from degrees to the target.
  private enum Way {
    /// No transformation to another CRS, because the target is the CRS of the input.
    case native
    /// From the longitudes and latitudes of the input's datum, without its projection.
    case fromBase(Transformation)
    /// Through the input's CRS, because only this CRS, and not its geographic base, has a
    /// transformation to other datums.
    case throughInput(Transformation)
  }

  /// - Throws: if there is no transformation to the target.
  init(
    _ base: GeographicBase, of input: SpatialReference, to target: SpatialReference
  ) throws(GeometryError) {
    (self.base, self.target) = (base, target)
    metresPerUnit =
      target.unit.factor * (target.isGeographic ? base.ellipsoid.semiMajorAxis : 1)
    if target.isEquivalent(to: input) {
      way = .native
    } else if let unprojected = try base.unprojectedReference() {
      way = .fromBase(try Transformation(from: unprojected, to: target))
    } else {
      way = .throughInput(try Transformation(from: input, to: target))
    }
  }

  /// Whether the target is the CRS of the input.
  var isNative: Bool {
    if case .native = way { true } else { false }
  }

  private func point(_ degrees: [SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>] {
    switch way {
    case .native: try base.fromDegrees(degrees)
    case .fromBase(let transformation):
      try transformation.project(degrees.map { $0 / base.degreesPerUnit })
    case .throughInput(let transformation):
      try transformation.project(base.fromDegrees(degrees))
    }
  }

  /// Transforms a polygon in degrees to the target. In a projected target, vertices are added until
  /// the straight edges are within a tolerance of the edges in degrees. In a geographic target,
  /// vertices on ±180° or at a pole remain there.
  ///
  /// - Parameter tolerance: the tolerance in metres.
  /// - Throws: if a vertex cannot be transformed, or more than `vertexLimit` vertices are needed.
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
        // Both sides of the cut must have bit-identical points.
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

  /// The disc in the target, which must be projected, computed from a series; nil if the series is not
  /// suitable, for example because the disc is too large, or too near ±180° or a pole.
  ///
  /// - Parameter tolerance: the greatest distance of an edge from the boundary in metres.
  /// - Throws: if a vertex cannot be transformed, or more than `vertexLimit` vertices are needed.
  func placed(
    _ disc: GeodesicDisc, tolerance: Double, vertexLimit: Int, _ compass: Compass
  ) throws(GeometryError) -> Polygon? {
    let error = min(tolerance * 1e-3, 1e-6)
    guard
      let series = try DiscSeries(
        disc, error: error, metresPerUnit: metresPerUnit, placed: point)
    else { return nil }
    // The tolerance applies on the ground and in the plane of the target.
    let scale = min(1, series.semiAxes.least * metresPerUnit / disc.radius)
    guard scale > 0.01 else { return nil }
    let steps = series.steps(within: tolerance * scale / metresPerUnit)
    guard steps >= 24 else { return nil }
    guard steps <= Double(vertexLimit) else { throw DegreePlane.tooManyVertices(vertexLimit) }
    let ring = series.ring(Int(steps), compass)
    return Polygon(
      VertexList(ring), ringEnds: [ring.count], partEnds: [1], spatialReference: target)
  }

  /// Whether the points at +180° and −180° are the same in the target, so that an area is
  /// continuous there.
  private func joinsSeam(_ degrees: [SIMD2<Double>]) throws(GeometryError) -> Bool {
    guard let seam = degrees.first(where: { $0.x.magnitude == 180 && $0.y.magnitude < 90 }) else {
      return false
    }
    let sides = try point([SIMD2(-180, seam.y), SIMD2(180, seam.y)])
    let gap = sides[1] - sides[0]
    return (gap * gap).sum().squareRoot() * metresPerUnit < 1e-3
  }

  /// Removes the cut along ±180° from an area; both sides of the cut have the same vertices.
  private func joined(_ polygon: Polygon) throws(GeometryError) -> Polygon {
    let context = try GEOSContext()
    let valid = try context.madeValid(context.shape(of: .polygon(polygon)))
    let union = try context.adopt(
      GEOSUnaryUnion_r(context.handle, valid.pointer), "joining at ±180°")
    return try ShapeParts(union).polygon(target)
  }

  /// Returns a transformed chain whose edges are halved until all edges are within the tolerance.
  ///
  /// - Throws: if the projection cuts the chain apart.
  private func followed(
    _ degrees: [SIMD2<Double>], within allowed: Double, after count: Int, limit: Int,
    _ point: ([SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>]
  ) throws(GeometryError) -> [SIMD2<Double>] {
    var chain = degrees
    var placed = try point(chain)
    for _ in 0..<40 {
      // Test the quarter points as well as the middle, because a curve may cross its edge in the
      // middle.
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
    guard !isTorn(chain, placed) else {
      throw GeometryError("an area crosses the edge of \(target.label)", code: .transformFailed)
    }
    return placed
  }

  /// Whether an edge is much longer in the target than in degrees, because it crosses a meridian or
  /// an edge at which the projection is cut.
  private func isTorn(_ degrees: [SIMD2<Double>], _ placed: [SIMD2<Double>]) -> Bool {
    let metresPerDegree = base.ellipsoid.semiMajorAxis * .pi / 180
    return degrees.indices.dropLast().contains { index in
      let (ground, edge) = (
        (degrees[index + 1] - degrees[index]) * metresPerDegree,
        (placed[index + 1] - placed[index]) * metresPerUnit
      )
      let length = (edge * edge).sum().squareRoot()
      return length > 10_000 && length > 1000 * (ground * ground).sum().squareRoot()
    }
  }

  private func placedInDegrees(_ polygon: Polygon) throws(GeometryError) -> Polygon {
    if isNative, base.isIdentity {
      var polygon = polygon
      polygon.spatialReference = target
      return polygon
    }
    let degrees = polygon.vertices.xy
    var result = try point(degrees)
    if !isNative {
      // The transformation to another datum shifts ±180° by some metres, but the cut must remain at
      // ±180°.
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
