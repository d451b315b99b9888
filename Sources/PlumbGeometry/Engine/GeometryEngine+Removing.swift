import PlumbCore

extension GeometryEngine {
  /// The same geometry without heights.
  public static func removingZ(from geometry: Geometry) -> Geometry {
    removing(z: true, m: false, from: geometry)
  }

  /// The same geometry without measures.
  public static func removingM(from geometry: Geometry) -> Geometry {
    removing(z: false, m: true, from: geometry)
  }

  private static func removing(z: Bool, m: Bool, from geometry: Geometry) -> Geometry {
    switch geometry {
    case .point(var point):
      if z { point.z = nil }
      if m { point.m = nil }
      return .point(point)
    case .multipoint(var multipoint):
      multipoint.vertices = multipoint.vertices.removing(z: z, m: m)
      return .multipoint(multipoint)
    case .polyline(let polyline):
      return .polyline(
        Polyline(
          polyline.vertices.removing(z: z, m: m), partEnds: polyline.partEnds,
          spatialReference: polyline.spatialReference))
    case .polygon(let polygon):
      return .polygon(
        Polygon(
          canonical: polygon.vertices.removing(z: z, m: m), ringEnds: polygon.ringEnds,
          partEnds: polygon.partEnds, spatialReference: polygon.spatialReference))
    case .envelope(var envelope):
      if z { envelope.zRange = nil }
      if m { envelope.mRange = nil }
      return .envelope(envelope)
    }
  }
}
