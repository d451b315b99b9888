/// Why a geometry is not one point.
public enum PointFault: UInt8, Sendable, Hashable, CaseIterable {
  /// No geometry, an empty one, or coordinates that are not two finite numbers.
  case missing
  /// A multipoint of several points; one of a single point is a point.
  case multiPoint
  /// A line or several.
  case line
  /// An area or several.
  case polygon
  /// A geometry collection.
  case collection
  /// A geometry of yet another kind.
  case other
  /// A row of text with a quote that is never closed, which takes in all that follows.
  case openQuote
  /// A row of text with more fields than the header, so that fields and columns cannot be matched.
  case extraFields

  /// What several of them are called; nil for what is not a geometry.
  public var plural: String? {
    switch self {
    case .missing, .openQuote, .extraFields: nil
    case .multiPoint: "multipoints with several points"
    case .line: "lines"
    case .polygon: "polygons"
    case .collection: "geometry collections"
    case .other: "geometries of another kind"
    }
  }
}
