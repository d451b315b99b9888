import PlumbCore

extension GeometryEngine {
  /// The position of the point on a line that is nearest to a given point, as a fraction of the
  /// total length of all parts: 0 at the first vertex, 1 at the last vertex. The fraction is 0 for
  /// a line of zero length.
  ///
  /// - Throws: in the same cases as `nearestCoordinate(in:to:measure:)`.
  public static func fraction(
    along line: Polyline, nearestTo point: Point, measure: Measure = .planar
  ) throws(GeometryError) -> Double {
    let (geometry, point) = try prepared(.polyline(line), point)
    // If the line had no CRS, it now has the CRS of the point.
    guard case .polyline(let line) = geometry else { return 0 }
    let spot: EdgeSpot
    switch measure {
    case .planar: spot = try planarNearest(in: geometry, to: point.xy)
    case .geodesic(let curve):
      spot = try CurveSet(geometry, curve: curve).nearest(to: point).spot
    }
    var (before, whole) = (0.0, 0.0)
    for edge in try edgeLengths(of: line, measure) {
      whole += edge.length
      if edge.vertex < spot.vertex { before += edge.length }
      if edge.vertex == spot.vertex { before += edge.length * spot.fraction }
    }
    return whole > 0 ? min(before / whole, 1) : 0
  }

  /// The point at a distance along a line. The distance is measured from the first vertex through
  /// all parts of the line. z and m are interpolated between the vertices of the edge.
  ///
  /// - Parameters:
  ///   - line: a line with one or more parts.
  ///   - distance: the distance in the unit of the CRS if planar; in metres if geodesic. A distance
  ///     below 0 returns the first vertex, and a distance beyond the length returns the last
  ///     vertex.
  ///   - measure: whether to measure in the plane of the CRS or along its ellipsoid.
  /// - Throws: for an empty line, for a distance that is NaN, and in the same cases as
  ///   `length(of:measure:)`.
  public static func point(
    along line: Polyline, distance: Double, measure: Measure = .planar
  ) throws(GeometryError) -> Point {
    guard !line.isEmpty else { throw GeometryError("an empty line has no point along it") }
    guard !distance.isNaN else { throw GeometryError("the distance is not a number") }
    let reference = line.spatialReference
    var rest = distance
    let lengths = try edgeLengths(of: line, measure)
    guard distance > 0, let last = lengths.last else {
      return line.vertices.point(at: 0, fraction: 0, reference)
    }
    for edge in lengths {
      guard rest < edge.length else {
        rest -= edge.length
        continue
      }
      if rest == 0 { return line.vertices.point(at: edge.vertex, fraction: 0, reference) }
      let part = rest / edge.length
      var point = line.vertices.point(at: edge.vertex, fraction: part, reference)
      if case .geodesic(let curve) = measure {
        let shape = try EllipsoidalEdges(.polyline(line), curve: curve)
        let there = try shape.point(edge.vertex, edge.vertex + 1, atDistance: rest)
        let coordinates = try shape.sourceCoordinates(
          [there], between: edge.vertex, edge.vertex + 1)
        if let location = coordinates.first { (point.x, point.y) = (location.x, location.y) }
      }
      return point
    }
    return line.vertices.point(at: last.vertex + 1, fraction: 0, reference)
  }

  /// The length of each edge and the vertex where it starts.
  private static func edgeLengths(
    of line: Polyline, _ measure: Measure
  ) throws(GeometryError) -> [(vertex: Int, length: Double)] {
    let xy = line.vertices.xy
    var result: [(vertex: Int, length: Double)] = []
    let shape: EllipsoidalEdges?
    if case .geodesic(let curve) = measure {
      shape = try EllipsoidalEdges(.polyline(line), curve: curve)
    } else {
      shape = nil
      try checkFinite(xy)
    }
    for part in line.parts {
      for index in part.dropLast() {
        let length =
          if let shape { try shape.length(index, index + 1) } else {
            (xy[index + 1] - xy[index]).planarLength
          }
        result.append((index, length))
      }
    }
    guard result.reduce(0, { $0 + $1.length }).isFinite else {
      throw GeometryError("the length exceeds the range of a double")
    }
    return result
  }
}

extension EllipsoidalEdges {
  /// The point in degrees at a distance in metres along an edge.
  func point(_ a: Int, _ b: Int, atDistance distance: Double) throws(GeometryError) -> SIMD2<
    Double
  > {
    var rest = distance
    let chain = try chain(a, b)
    for edge in chain {
      if rest <= edge.length { return edge.point(at: edge.fraction(atDistance: rest)) }
      rest -= edge.length
    }
    return degrees[b]
  }
}
