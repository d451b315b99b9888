import PlumbCore

extension Transformation {
  /// A geometry with each vertex transformed; z and m stay as they are, an envelope becomes the
  /// window round its transformed sides, each cut in 32.
  ///
  /// - Throws: when a vertex has no counterpart in the target.
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
      // A projection may turn rings round.
      return .polygon(
        Polygon(
          try project(polygon.vertices), ringEnds: polygon.ringEnds, partEnds: polygon.partEnds,
          spatialReference: reference))
    case .envelope(let envelope):
      guard !envelope.isEmpty else { return .envelope(.empty(reference)) }
      return .envelope(try window(round: envelope.sides(pieces: 32), of: envelope, reference))
    }
  }

  /// An envelope as an area: as an envelope where its transformed corners make one, else as a
  /// polygon of four edges.
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

  /// The window round transformed points, with the ranges of `envelope`.
  private func window(
    round points: [SIMD2<Double>], of envelope: Envelope, _ reference: SpatialReference
  ) throws(GeometryError) -> Envelope {
    guard let (low, high) = VertexList(try project(points)).bounds() else {
      return .empty(reference)
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
          "\(points[index].x), \(points[index].y) in \(sourceLabel) has no counterpart in "
            + targetLabel)
      }
      result[index] = SIMD2(x[index], y[index])
    }
    return result
  }
}

extension Envelope {
  /// Points along the sides, the corners among them.
  fileprivate func sides(pieces: Int) -> [SIMD2<Double>] {
    func between(_ low: Double, _ high: Double, _ step: Int) -> Double {
      // The ends to the bit.
      let part = Double(step) / Double(pieces)
      return step == pieces ? high : low * (1 - part) + high * part
    }
    return (0...pieces).flatMap { step in
      let (x, y) = (between(xMin, xMax, step), between(yMin, yMax, step))
      return [SIMD2(x, yMin), SIMD2(x, yMax), SIMD2(xMin, y), SIMD2(xMax, y)]
    }
  }
}
