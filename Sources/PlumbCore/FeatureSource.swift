/// A source of features, in the source's order.
///
/// One thread at a time may use a source.
public protocol FeatureSource: AnyObject {
  /// The columns: each feature has one attribute for each column.
  var fields: [Field] { get }
  /// The number of features; nil if all features would have to be read to count them.
  var featureCount: Int? { get }
  /// The CRS of the coordinates; nil if it is unknown.
  var spatialReference: SpatialReference? { get }

  /// Returns the next features, at least one and at most `limit`; nil at the end.
  func next(limit: Int) throws -> [Feature]?
}
