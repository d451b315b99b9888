import PlumbCore
import PlumbRaster

/// What a layer holds at a point.
public enum GeoElement: Sendable {
  /// A cell of a raster layer.
  case cell(RasterCell)
  /// A feature of a feature layer.
  case feature(IdentifiedFeature)

  /// Metres along the ground from the point; 0 inside.
  public var distance: Double {
    switch self {
    case .cell(let cell): cell.distance
    case .feature(let feature): feature.distance
    }
  }
}

/// A feature as an element of an identify answer.
public struct IdentifiedFeature: Sendable {
  /// The table's fields, and the feature's values in their order.
  public var fields: [Field]
  /// The feature, its shape in the reference of the point that was asked.
  public var feature: Feature
  /// Metres along the ground from the point to its shape; 0 inside. NaN where the layer does not
  /// lie on the ground.
  public var distance: Double

  /// A feature that a layer holds at a point.
  public init(fields: [Field], feature: Feature, distance: Double) {
    self.fields = fields
    self.feature = feature
    self.distance = distance
  }

  /// The fields' names and the feature's values, in the table's order.
  public var attributes: [(name: String, value: FieldValue)] {
    zip(fields, feature.attributes).map { ($0.name, $1) }
  }

  /// In the reference of the point that was asked; nil where it cannot be transformed.
  public var geometry: Geometry? { feature.geometry }
}
