import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The least distance between two geometries: 0 if they intersect.
  ///
  /// Planar distances are computed by `GEOSPreparedDistance_r`. Geodesic distances are found by a
  /// search along the edges. Their error is at most 1e-6 m, or a few millimetres where edges are
  /// straight lines in projected coordinates. On the ellipsoid, a ring encloses the smaller of the
  /// two areas into which it divides the surface. If the edges of a ring are straight lines in the
  /// geometry's CRS, the interior of the ring is its interior in the plane of the CRS. The first
  /// known CRS is used, and the other geometry is projected to this CRS.
  ///
  /// - Returns: the distance in the unit of the CRS if planar; in metres if geodesic.
  /// - Throws: for an empty geometry and a coordinate that is not finite. The geodesic measure
  ///   also throws for a missing CRS and a latitude beyond 90°.
  public static func distance(
    from a: Geometry, to b: Geometry, measure: Measure = .planar
  ) throws(GeometryError) -> Double {
    guard !a.isEmpty, !b.isEmpty else {
      throw GeometryError("an empty geometry has no distance")
    }
    let pair = try inCommonReference([a, b]).geometries
    switch measure {
    case .planar:
      return try planarDistance(pair[0], pair[1])
    case .geodesic(let curve):
      let shapes = [
        try edges(of: pair[0], curve: curve, original: a, member: 0),
        try edges(of: pair[1], curve: curve, original: b, member: 1),
      ]
      // Test rings of straight edges first, because following such a ring around the Earth takes a
      // long time.
      for (outer, inner) in [(0, 1), (1, 0)]
      where pair[outer].dimension == 2 && shapes[outer].curve == .shapePreserving {
        let rings = pair[outer].paths
        for path in pair[inner].paths where !path.isEmpty {
          let point = shapes[inner].degrees[path.lowerBound]
          if shapes[outer].sourceRings(rings, contain: point) { return 0 }
        }
      }
      let first = try CurveSet(pair[0], shapes[0])
      let second = try CurveSet(pair[1], shapes[1])
      let distance = NearestApproach(first.tree, second.tree, first.shape.geodesic).distance
      guard distance > 0 else { return 0 }
      // The boundaries do not meet: each chain is entirely inside or outside the other geometry.
      for (outer, inner) in [(first, second), (second, first)] where outer.geometry.dimension == 2 {
        for path in inner.geometry.paths where !path.isEmpty {
          if try outer.contains(inner.shape.degrees[path.lowerBound]) { return 0 }
        }
      }
      return distance
    }
  }

  /// The planar distance. One of the two geometries is indexed, because `GEOSDistance_r` compares
  /// each edge of one geometry with each edge of the other and cannot be interrupted.
  private static func planarDistance(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Double {
    let context = try GEOSContext()
    let first = try shape(of: a, member: 0, context)
    let second = try shape(of: b, member: 1, context)
    if a.dimension == 0, b.dimension == 0 { return pointDistance(a.vertices.xy, b.vertices.xy) }
    // For a prepared line within an area, some versions of GEOS return the distance to the area's border, so
    // index the area.
    let isFirstIndexed =
      a.dimension == b.dimension ? a.vertices.count >= b.vertices.count : a.dimension > b.dimension
    return try isFirstIndexed
      ? context.distance(fromIndexed: first, to: second)
      : context.distance(fromIndexed: second, to: first)
  }

  private static func pointDistance(
    _ a: [SIMD2<Double>], _ b: [SIMD2<Double>]
  ) -> Double {
    let (indexed, others) = a.count >= b.count ? (a, b) : (b, a)
    let index = SpatialIndex(
      indexed.map { Envelope(xMin: $0.x, yMin: $0.y, xMax: $0.x, yMax: $0.y) })
    var minimum = Double.infinity
    for (number, point) in others.enumerated() {
      // The result of cancelled work is never used.
      if number.isMultiple(of: 256), WorkCancellation.isCurrentCancelled { break }
      if let nearest = index.nearest(to: point, within: minimum).first {
        minimum = nearest.distance
      }
    }
    return minimum
  }

  private static func shape(
    of geometry: Geometry, member: Int, _ context: GEOSContext
  ) throws(GeometryError) -> GEOSShape {
    do throws(GeometryError) {
      let shape = try context.shape(of: geometry)
      // GEOS returns distance 0 for a shape without points.
      guard GEOSisEmpty_r(context.handle, shape.pointer) == 0 else {
        throw GeometryError("an area without an exterior ring has no distance")
      }
      return shape
    } catch {
      throw error.of(member: member)
    }
  }

  /// - Parameter original: the geometry before its projection to the common CRS. If it is an
  ///   envelope, its sides are straight lines for any curve type.
  private static func edges(
    of geometry: Geometry, curve: GeodesicCurve, original: Geometry, member: Int
  ) throws(GeometryError) -> EllipsoidalEdges {
    var curve = curve
    if case .envelope = original { curve = .shapePreserving }
    do throws(GeometryError) {
      return try EllipsoidalEdges(geometry, curve: curve)
    } catch {
      throw error.of(member: member)
    }
  }
}

extension GEOSContext {
  fileprivate func distance(
    fromIndexed first: borrowing GEOSShape, to second: borrowing GEOSShape
  ) throws(GeometryError) -> Double {
    guard let prepared = GEOSPrepare_r(handle, first.pointer) else { throw failure("an index") }
    defer { GEOSPreparedGeom_destroy_r(handle, prepared) }
    var distance = 0.0
    guard GEOSPreparedDistance_r(handle, prepared, second.pointer, &distance) == 1 else {
      throw failure("a distance")
    }
    return distance
  }
}
