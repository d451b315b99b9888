/// A row of a layer: a shape and its attributes.
public struct Feature: Sendable, Hashable {
  /// The source's own number of the feature; nil without.
  public var id: Int64?
  /// One value per field of the source, in its order.
  public var attributes: [FieldValue]
  /// Nil where the source has none.
  public var geometry: Geometry?
  /// The shapes of a collection that mixes kinds, one of each kind; `geometry` is nil then.
  public var collection: [Geometry] = []

  /// A feature of one shape, or of none.
  public init(id: Int64? = nil, attributes: [FieldValue] = [], geometry: Geometry? = nil) {
    self.id = id
    self.attributes = attributes
    self.geometry = geometry
  }
}
