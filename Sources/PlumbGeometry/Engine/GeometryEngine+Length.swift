import PlumbCore

extension GeometryEngine {
  /// The length of lines, or of the boundary of areas, including holes; 0 for points and for empty
  /// geometries.
  ///
  /// - Returns: the length in the unit of the CRS if planar; in metres if geodesic.
  /// - Throws: for a coordinate that is not finite, and for a length that exceeds the range of a
  ///   double. The geodesic measure also throws for a missing CRS and a latitude beyond 90°.
  public static func length(
    of geometry: Geometry, measure: Measure = .planar
  ) throws(GeometryError) -> Double {
    guard geometry.dimension > 0, !geometry.isEmpty else { return 0 }
    var sum = 0.0
    switch measure {
    case .planar:
      let xy = geometry.vertices.xy
      try checkFinite(xy)
      for path in geometry.paths {
        for index in path.dropLast() { sum += (xy[index + 1] - xy[index]).planarLength }
      }
    case .geodesic(let curve):
      let edges = try EllipsoidalEdges(geometry, curve: curve)
      for path in geometry.paths {
        for index in path.dropLast() { sum += try edges.length(index, index + 1) }
      }
    }
    guard sum.isFinite else { throw GeometryError("the length is too large for a number") }
    return sum
  }

  static func checkFinite(_ points: [SIMD2<Double>]) throws(GeometryError) {
    guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      throw GeometryError("a coordinate is not a finite number")
    }
  }
}

extension Geometry {
  /// The chains of edges in `vertices`: a line's parts or a polygon's rings; for points, each
  /// vertex separately.
  var paths: [Range<Int>] {
    switch self {
    case .point, .multipoint: vertices.xy.indices.map { $0..<$0 + 1 }
    case .polyline(let polyline): polyline.parts
    case .polygon(let polygon): polygon.rings
    case .envelope(let envelope): envelope.polygon.rings
    }
  }
}

extension SIMD2 where Scalar == Double {
  var planarLength: Double {
    let high = Swift.max(x.magnitude, y.magnitude)
    // Squares of very large or small numbers overflow or underflow.
    guard high > 0, high.isFinite else { return high }
    let part = self / high
    return high * (part * part).sum().squareRoot()
  }
}
