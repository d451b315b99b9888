import PlumbCore
import PlumbRaster

/// An element of a layer at a point.
public enum GeoElement: Sendable {
  /// A cell of a raster layer.
  case cell(RasterCell)
  /// A feature of a feature layer.
  case feature(IdentifiedFeature)

  /// The distance along the ground from the point to the element in metres; 0 if the element contains the
  /// point.
  public var distance: Double {
    switch self {
    case .cell(let cell): cell.distance
    case .feature(let feature): feature.distance
    }
  }
}

/// A feature as an element of an identify result.
public struct IdentifiedFeature: Sendable {
  /// The table's fields; the feature's values are in the same order.
  public var fields: [Field]
  /// The feature, with its shape in the CRS of the requested point.
  public var feature: Feature
  /// The distance along the ground from the point to the shape in metres; 0 if the shape contains the point;
  /// NaN if the layer is not georeferenced.
  public var distance: Double

  /// Creates an element from a feature.
  public init(fields: [Field], feature: Feature, distance: Double) {
    self.fields = fields
    self.feature = feature
    self.distance = distance
  }

  /// The fields' names and the feature's values, in the table's order.
  public var attributes: [(name: String, value: FieldValue)] {
    zip(fields, feature.attributes).map { ($0.name, $1) }
  }

  /// The shape in the CRS of the requested point; nil if the shape cannot be transformed.
  public var geometry: Geometry? { feature.geometry }
}
