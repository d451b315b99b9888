/// Where features come from, one after another in the source's own order.
///
/// One thread at a time may use a source.
public protocol FeatureSource: AnyObject {
  /// The columns: each feature has one attribute for each.
  var fields: [Field] { get }
  /// The number of features; nil when only reading them all would tell.
  var featureCount: Int? { get }
  /// Nil when the source does not say what its coordinates are in.
  var spatialReference: SpatialReference? { get }

  /// The next features, at least one and at most `limit`; nil at the end.
  func next(limit: Int) throws -> [Feature]?
}
