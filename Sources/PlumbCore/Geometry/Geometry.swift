/// A geometry of any kind, with its CRS.
public enum Geometry: Sendable, Hashable {
  /// One point.
  case point(Point)
  /// Several points.
  case multipoint(Multipoint)
  /// Lines.
  case polyline(Polyline)
  /// Areas.
  case polygon(Polygon)
  /// An area whose sides are parallel to the axes. The case is indirect because an envelope is
  /// larger than the other geometries.
  indirect case envelope(Envelope)

  /// The CRS of the coordinates; nil if it is unknown. Setting it does not transform the coordinates.
  public var spatialReference: SpatialReference? {
    get {
      switch self {
      case .point(let point): point.spatialReference
      case .multipoint(let multipoint): multipoint.spatialReference
      case .polyline(let polyline): polyline.spatialReference
      case .polygon(let polygon): polygon.spatialReference
      case .envelope(let envelope): envelope.spatialReference
      }
    }
    set {
      switch self {
      case .point(var point):
        point.spatialReference = newValue
        self = .point(point)
      case .multipoint(var multipoint):
        multipoint.spatialReference = newValue
        self = .multipoint(multipoint)
      case .polyline(var polyline):
        polyline.spatialReference = newValue
        self = .polyline(polyline)
      case .polygon(var polygon):
        polygon.spatialReference = newValue
        self = .polygon(polygon)
      case .envelope(var envelope):
        envelope.spatialReference = newValue
        self = .envelope(envelope)
      }
    }
  }

  /// Whether the geometry contains no points.
  public var isEmpty: Bool {
    switch self {
    case .point(let point): point.isEmpty
    case .multipoint(let multipoint): multipoint.isEmpty
    case .polyline(let polyline): polyline.isEmpty
    case .polygon(let polygon): polygon.isEmpty
    case .envelope(let envelope): envelope.isEmpty
    }
  }

  /// 0 for points, 1 for lines, 2 for areas.
  public var dimension: Int {
    switch self {
    case .point, .multipoint: 0
    case .polyline: 1
    case .polygon, .envelope: 2
    }
  }

  /// All vertices; for an envelope, the vertices of its ring.
  public var vertices: VertexList {
    switch self {
    case .point(let point):
      point.isEmpty
        ? VertexList()
        : VertexList([point.xy], z: point.z.map { [$0] }, m: point.m.map { [$0] })
    case .multipoint(let multipoint): multipoint.vertices
    case .polyline(let polyline): polyline.vertices
    case .polygon(let polygon): polygon.vertices
    case .envelope(let envelope): envelope.polygon.vertices
    }
  }

  /// The extent; empty for an empty geometry.
  public var envelope: Envelope {
    if case .envelope(let envelope) = self { return envelope }
    let vertices = self.vertices
    guard let (low, high) = vertices.bounds() else { return .empty(spatialReference) }
    return Envelope(
      xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y, zRange: span(of: vertices.z),
      mRange: span(of: vertices.m), spatialReference: spatialReference)
  }
}

/// The range of the values that are not NaN; nil if there are none.
private func span(of values: [Double]?) -> ClosedRange<Double>? {
  guard let numbers = values?.filter({ !$0.isNaN }), let low = numbers.min(),
    let high = numbers.max()
  else { return nil }
  return low...high
}
