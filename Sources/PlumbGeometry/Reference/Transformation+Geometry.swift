import PlumbCore

extension Transformation {
  /// A geometry with each vertex transformed; z and m stay as they are, an envelope becomes the
  /// window round its transformed ring.
  ///
  /// - Throws: when a vertex has no counterpart in the target.
  func project(
    _ geometry: Geometry, to reference: SpatialReference
  ) throws(GeometryError) -> Geometry {
    switch geometry {
    case .point(var point):
      if !point.isEmpty {
        let place = try project([point.xy])[0]
        (point.x, point.y) = (place.x, place.y)
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
      var projected = try project(.polygon(envelope.polygon), to: reference).envelope
      (projected.zRange, projected.mRange) = (envelope.zRange, envelope.mRange)
      return .envelope(projected)
    }
  }

  private func project(_ vertices: VertexList) throws(GeometryError) -> VertexList {
    VertexList(try project(vertices.xy), z: vertices.z, m: vertices.m)
  }

  func project(_ places: [SIMD2<Double>]) throws(GeometryError) -> [SIMD2<Double>] {
    var x = places.map(\.x)
    var y = places.map(\.y)
    apply(x: &x, y: &y, count: places.count)
    var result = places
    for index in result.indices {
      guard x[index].isFinite, y[index].isFinite else {
        throw GeometryError(
          "\(places[index].x), \(places[index].y) in \(sourceLabel) has no counterpart in "
            + targetLabel)
      }
      result[index] = SIMD2(x[index], y[index])
    }
    return result
  }
}
