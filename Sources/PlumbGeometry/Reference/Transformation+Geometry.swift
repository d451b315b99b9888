import PlumbCore

extension Transformation {
  /// Transforms each vertex of a geometry; z and m are unchanged. An envelope becomes the bounding
  /// box of its transformed sides, each divided into 32 pieces. If x has a period, the extent of an
  /// envelope that crosses the antimeridian continues beyond the antimeridian.
  ///
  /// - Throws: if a vertex cannot be transformed.
  package func project(
    _ geometry: Geometry, to reference: SpatialReference
  ) throws(GeometryError) -> Geometry {
    switch geometry {
    case .point(var point):
      if !point.isEmpty {
        let location = try project([point.xy])[0]
        (point.x, point.y) = (location.x, location.y)
      }
      point.spatialReference = reference
      return .point(point)
    case .multipoint(let multipoint):
      return .multipoint(
        Multipoint(try project(multipoint.vertices), spatialReference: reference))
    case .polyline(let polyline):
      return .polyline(
        Polyline(
          try project(polyline.vertices), partEnds: polyline.partEnds,
          spatialReference: reference))
    case .polygon(let polygon):
      // A projection may reverse rings.
      return .polygon(
        Polygon(
          try project(polygon.vertices), ringEnds: polygon.ringEnds, partEnds: polygon.partEnds,
          spatialReference: reference))
    case .envelope(let envelope):
      guard !envelope.isEmpty else { return .envelope(.empty(reference)) }
      return .envelope(
        try window(
          round: envelope.outline(pieces: 32), of: envelope, reference, follows: true))
    }
  }

  /// Transforms an envelope as an area. The result is an envelope if the transformed corners form
  /// an envelope; otherwise, it is a polygon of four edges.
  func projectArea(
    _ envelope: Envelope, to reference: SpatialReference
  ) throws(GeometryError) -> Geometry {
    guard !envelope.isEmpty else { return .envelope(.empty(reference)) }
    let area = try project(.polygon(envelope.polygon), to: reference)
    let window = try window(round: envelope.polygon.vertices.xy, of: envelope, reference)
    let isWindow = area.vertices.xy.allSatisfy {
      ($0.x == window.xMin || $0.x == window.xMax) && ($0.y == window.yMin || $0.y == window.yMax)
    }
    return isWindow ? .envelope(window) : area
  }

  /// The bounding box of transformed points, with the z and m ranges of `envelope`.
  ///
  /// - Parameter follows: whether the points are a closed path, along which x is continued beyond
  ///   the end of its period.
  private func window(
    round points: [SIMD2<Double>], of envelope: Envelope, _ reference: SpatialReference,
    follows: Bool = false
  ) throws(GeometryError) -> Envelope {
    var walk = try project(points)
    guard let plain = VertexList(walk).bounds() else { return .empty(reference) }
    var (low, high) = plain
    if follows, let period = reference.planePeriod, high.x - low.x > period / 2 {
      for index in walk.indices.dropFirst() {
        let last = walk[index - 1].x
        walk[index].x = last + (walk[index].x - last).remainder(dividingBy: period)
      }
      // If the path is not closed after this step, it encloses a pole.
      let isClosed = (walk[walk.count - 1].x - walk[0].x).magnitude < period / 2
      if isClosed, let bounds = VertexList(walk).bounds(),
        bounds.high.x - bounds.low.x < high.x - low.x
      {
        (low, high) = bounds
      }
    }
    return Envelope(
      xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y, zRange: envelope.zRange,
      mRange: envelope.mRange, spatialReference: reference)
  }

  private func project(_ vertices: VertexList) throws(GeometryError) -> VertexList {
    VertexList(try project(vertices.xy), z: vertices.z, m: vertices.m)
  }

  func project(_ points: [SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>] {
    var x = points.map(\.x)
    var y = points.map(\.y)
    apply(x: &x, y: &y, count: points.count)
    var result = points
    for index in result.indices {
      guard x[index].isFinite, y[index].isFinite else {
        throw GeometryError(
          "\(points[index].x), \(points[index].y) in \(sourceLabel) cannot be transformed to "
            + targetLabel)
      }
      result[index] = SIMD2(x[index], y[index])
    }
    return result
  }
}

extension Envelope {
  /// Points along the sides, including the corners, counter-clockwise from the lower left corner.
  fileprivate func outline(pieces: Int) -> [SIMD2<Double>] {
    func between(_ low: Double, _ high: Double, _ step: Int) -> Double {
      // Return the ends exactly.
      let part = Double(step) / Double(pieces)
      return step == pieces ? high : low * (1 - part) + high * part
    }
    let steps = 0...pieces
    return steps.map { SIMD2(between(xMin, xMax, $0), yMin) }
      + steps.map { SIMD2(xMax, between(yMin, yMax, $0)) }
      + steps.reversed().map { SIMD2(between(xMin, xMax, $0), yMax) }
      + steps.reversed().map { SIMD2(xMin, between(yMin, yMax, $0)) }
  }
}
