import Plumb

/// The geometry type of an Esri layer, shared by all of its features.
enum EsriShape: String, Sendable {
  case point = "esriGeometryPoint"
  case multipoint = "esriGeometryMultipoint"
  case polyline = "esriGeometryPolyline"
  case polygon = "esriGeometryPolygon"
  case envelope = "esriGeometryEnvelope"

  init(_ geometry: Geometry) {
    switch geometry {
    case .point: self = .point
    case .multipoint: self = .multipoint
    case .polyline: self = .polyline
    case .polygon: self = .polygon
    case .envelope: self = .envelope
    }
  }

  /// Creates the shape for a geometry type declared by a source, such as `MultiPolygon` or `Point
  /// Z`.
  init?(kind: String?) {
    guard let kind = kind?.uppercased() else { return nil }
    if kind.hasPrefix("MULTIPOINT") {
      self = .multipoint
    } else if kind.hasPrefix("POINT") {
      self = .point
    } else if kind.contains("LINE") || kind.contains("CURVE") && !kind.contains("POLYGON") {
      self = .polyline
    } else if kind.contains("POLYGON") || kind.contains("SURFACE") {
      self = .polygon
    } else {
      return nil
    }
  }

  /// The dimension, which is 0 for points, 1 for lines and 2 for areas.
  var dimension: Int {
    switch self {
    case .point, .multipoint: 0
    case .polyline: 1
    case .polygon, .envelope: 2
    }
  }

  /// The name of the geometry type in attributes.
  var word: String {
    switch self {
    case .point: "Point"
    case .multipoint: "Multipoint"
    case .polyline: "Polyline"
    case .polygon: "Polygon"
    case .envelope: "Envelope"
    }
  }

  /// Returns a geometry as this type; nil if it has another type.
  func coerced(_ geometry: Geometry) -> Geometry? {
    switch (self, geometry) {
    case (.point, .point), (.multipoint, .multipoint), (.polyline, .polyline),
      (.polygon, .polygon), (.envelope, .envelope):
      geometry
    case (.multipoint, .point(let point)):
      .multipoint(
        Multipoint(geometry.vertices, spatialReference: point.spatialReference))
    case (.polygon, .envelope(let envelope)): .polygon(envelope.polygon)
    default: nil
    }
  }
}
