import PlumbCore
import PlumbGeometry

/// Nearest points, parts and rotation of geometries.
extension ArcadeFunction {
  static let points: [ArcadeFunction] = [
    ArcadeFunction("NearestCoordinate", .geometry, 2...2) { call throws(ArcadeFailure) in
      guard let (geometry, point) = try question(call) else { return .null }
      // For a point inside an area, the nearest point of the area is the point itself.
      if geometry.dimension == 2,
        try evaluate({ () throws(GeometryError) in
          try GeometryEngine.intersects(geometry, .point(point))
        })
      {
        return .nearest(point, distance: 0)
      }
      let nearest = try evaluate { () throws(GeometryError) in
        try GeometryEngine.nearestCoordinate(in: geometry, to: point)
      }
      return .nearest(nearest.point, distance: nearest.distance)
    },
    ArcadeFunction("NearestVertex", .geometry, 2...2) { call throws(ArcadeFailure) in
      guard let (geometry, point) = try question(call) else { return .null }
      let nearest = try evaluate { () throws(GeometryError) in
        try GeometryEngine.nearestVertex(in: geometry, to: point)
      }
      return .nearest(nearest.point, distance: nearest.distance)
    },
    ArcadeFunction("MultiPartToSinglePart", .geometry, 1...1) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, cost: 4) else { return .null }
      let count = geometry.vertices.count
      try call.context.spend(steps: count, bytes: count * 64)
      return .array(ArcadeArray(geometry.singleParts.map { .geometry($0) }))
    },
    ArcadeFunction("Rotate", .geometry, 2...3) { call throws(ArcadeFailure) in
      guard let geometry = try call.geometry(0, cost: 4) else { return .null }
      let angle = try call.number(1, "the angle")
      guard angle.isFinite else { throw ArcadeFailure("the angle is not a finite number") }
      let centre: Point
      if let centreArgument = try call.point(2) {
        centre = centreArgument
      } else {
        centre = try evaluate { () throws(GeometryError) in
          try GeometryEngine.centroid(of: geometry)
        }
      }
      guard !centre.isEmpty else { return .geometry(geometry) }
      if let source = geometry.spatialReference, let other = centre.spatialReference,
        source != other
      {
        throw ArcadeFailure("the origin of a rotation must be in the geometry's spatial reference")
      }
      return try call.keep(
        geometry.rotated(by: angle, round: SIMD2(centre.x, centre.y)))
    },
  ]

  private static func question(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> (Geometry, Point)? {
    guard let geometry = try call.geometry(0, cost: GeometryCost.relating), !geometry.isEmpty,
      let point = try call.point(1)
    else { return nil }
    return (geometry, point)
  }
}

extension ArcadeValue {
  /// The result of functions that find the nearest point.
  fileprivate static func nearest(_ point: Point, distance: Double) -> ArcadeValue {
    let result = ArcadeDictionary()
    result["coordinate"] = .geometry(.point(point))
    result["distance"] = .number(distance)
    return .dictionary(result)
  }
}

extension Geometry {
  /// The individual points, lines or areas.
  fileprivate var singleParts: [Geometry] {
    let reference = spatialReference
    switch self {
    case .point, .envelope: return [self]
    case .multipoint(let multipoint):
      let vertices = multipoint.vertices
      return vertices.xy.indices.map { index in
        .point(
          Point(
            x: vertices.xy[index].x, y: vertices.xy[index].y, z: vertices.z?[index],
            m: vertices.m?[index], spatialReference: reference))
      }
    case .polyline(let line):
      return line.parts.map {
        .polyline(Polyline(line.vertices[$0], spatialReference: reference))
      }
    case .polygon(let polygon): return polygon.singleParts.map { .polygon($0) }
    }
  }

  /// The geometry rotated counter-clockwise by an angle in degrees. An envelope becomes a polygon.
  fileprivate func rotated(by degrees: Double, round centre: SIMD2<Double>) -> Geometry {
    let (sine, cosine) = ArcadeFunction.sineAndCosine(ofDegrees: degrees)
    func turned(_ vertices: VertexList) -> VertexList {
      VertexList(
        vertices.xy.map { location in
          let arm = location - centre
          return centre + SIMD2(arm.x * cosine - arm.y * sine, arm.x * sine + arm.y * cosine)
        }, z: vertices.z, m: vertices.m)
    }
    let reference = spatialReference
    switch self {
    case .point(var point):
      let location = turned(vertices).xy.first ?? centre
      (point.x, point.y) = (location.x, location.y)
      return .point(point)
    case .multipoint(let multipoint):
      return .multipoint(
        Multipoint(turned(multipoint.vertices), spatialReference: reference))
    case .polyline(let line):
      return .polyline(
        Polyline(
          turned(line.vertices), partEnds: line.partEnds, spatialReference: reference))
    case .polygon(let polygon):
      return .polygon(
        Polygon(
          turned(polygon.vertices), ringEnds: polygon.ringEnds, partEnds: polygon.partEnds,
          spatialReference: reference))
    case .envelope(let envelope):
      return Geometry.polygon(envelope.polygon).rotated(by: degrees, round: centre)
    }
  }
}
