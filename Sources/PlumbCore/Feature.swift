/// A feature of a layer: a geometry and its attributes.
public struct Feature: Sendable, Hashable {
  /// The id in the source; nil if there is none.
  public var id: Int64?
  /// One value for each field of the source, in the order of the fields.
  public var attributes: [FieldValue]
  /// The geometry; nil if there is none.
  public var geometry: Geometry?
  /// The geometries of a mixed collection, one for each kind of geometry. If the list is not empty,
  /// `geometry` is nil.
  public var collection: [Geometry] = []

  /// A feature with one geometry or none.
  public init(id: Int64? = nil, attributes: [FieldValue] = [], geometry: Geometry? = nil) {
    self.id = id
    self.attributes = attributes
    self.geometry = geometry
  }
}
