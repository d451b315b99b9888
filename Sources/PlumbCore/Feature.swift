/// A row of a layer: a shape and its attributes.
public struct Feature: Sendable, Hashable {
  /// The id in the source; nil if there is none.
  public var id: Int64?
  /// One value per field of the source, in its order.
  public var attributes: [FieldValue]
  /// The geometry; nil if there is none.
  public var geometry: Geometry?
  /// The geometries of a collection of mixed kinds, one of each kind; if there are any, `geometry` is nil.
  public var collection: [Geometry] = []

  /// A feature with one geometry or none.
  public init(id: Int64? = nil, attributes: [FieldValue] = [], geometry: Geometry? = nil) {
    self.id = id
    self.attributes = attributes
    self.geometry = geometry
  }
}
