import PlumbCore
import PlumbGeometry

/// The features of a layer as identify wants them: indexed, with their symbols' sizes.
public final class FeatureSet: Sendable {
  /// The table's fields, in its order.
  public let fields: [Field]
  /// In the table's order: the last is drawn on top.
  public let features: [Feature]
  /// Finds features by point; items are indices in `features`.
  public let locator: GeometryLocator
  /// What the shapes are in; nil where it is not known.
  public let spatialReference: SpatialReference?
  /// How far each feature's symbol reaches beyond its shape, in pixels; empty when none does.
  let extents: [Double]
  let largestExtent: Double

  init(
    _ rows: [TableFeature], of table: any FeatureTable, symbol: ([FieldValue]) -> Symbol?
  ) {
    fields = table.fields
    spatialReference = table.spatialReference
    features = rows.map(\.feature)
    locator = GeometryLocator(
      features.map(\.geometry), period: table.spatialReference?.period)
    let extents = rows.map { row in
      (row.symbol ?? symbol(row.feature.attributes))?.extent ?? 0
    }
    largestExtent = extents.max() ?? 0
    self.extents = largestExtent > 0 ? extents : []
  }

  /// The features that no identify finds, as a line for people; nil when there are none.
  public var warning: String? {
    guard let first = locator.unusable.first else { return nil }
    let count = locator.unusable.count
    return "\(count) \(count == 1 ? "feature has" : "features have") coordinates that are not "
      + "finite numbers and cannot be found: number \(first + 1)" + (count > 1 ? " and others" : "")
  }
}
