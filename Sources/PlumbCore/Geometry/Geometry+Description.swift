extension SpatialReference: CustomStringConvertible {
  /// The label: the code if there is one, otherwise the name.
  public var description: String { label }
}

extension Point: CustomStringConvertible {
  /// x, y, then z and m if present, and the CRS, for example `18.6, -34.1 (EPSG:4326)`; `empty` for
  /// an empty point.
  public var description: String {
    guard !isEmpty else { return "empty" + suffix(spatialReference) }
    return "\(x), \(y)" + (z.map { ", z \($0)" } ?? "") + (m.map { ", m \($0)" } ?? "")
      + suffix(spatialReference)
  }
}

extension Multipoint: CustomStringConvertible {
  /// The number of points, for example `multipoint of 3 points (EPSG:4326)`.
  public var description: String {
    "multipoint of \(counted(vertices.count, "point", "points"))" + suffix(spatialReference)
  }
}

extension Polyline: CustomStringConvertible {
  /// The numbers of parts and vertices, for example `polyline of 1 part, 7 vertices (EPSG:4326)`.
  public var description: String {
    "polyline of \(counted(partEnds.count, "part", "parts")), "
      + counted(vertices.count, "vertex", "vertices") + suffix(spatialReference)
  }
}

extension Polygon: CustomStringConvertible {
  /// The numbers of rings and vertices, for example `polygon of 2 rings, 10 vertices (EPSG:4326)`.
  public var description: String {
    "polygon of \(counted(ringEnds.count, "ring", "rings")), "
      + counted(vertices.count, "vertex", "vertices") + suffix(spatialReference)
  }
}

extension Envelope: CustomStringConvertible {
  /// The minimum x and y, the maximum x and y, and the CRS, for example `18.1, -34.5 to 19.2, -33.7
  /// (EPSG:4326)`; `empty` for an empty envelope.
  public var description: String {
    (isEmpty ? "empty" : "\(xMin), \(yMin) to \(xMax), \(yMax)") + suffix(spatialReference)
  }
}

extension Geometry: CustomStringConvertible {
  /// The description of the shape; points and envelopes are preceded by their kind, for example
  /// `point 18.6, -34.1 (EPSG:4326)`.
  public var description: String {
    switch self {
    case .point(let point): "point \(point)"
    case .multipoint(let multipoint): multipoint.description
    case .polyline(let polyline): polyline.description
    case .polygon(let polygon): polygon.description
    case .envelope(let envelope): "envelope \(envelope)"
    }
  }
}

private func suffix(_ reference: SpatialReference?) -> String {
  reference.map { " (\($0.label))" } ?? ""
}

private func counted(_ count: Int, _ one: String, _ many: String) -> String {
  "\(count) \(count == 1 ? one : many)"
}
