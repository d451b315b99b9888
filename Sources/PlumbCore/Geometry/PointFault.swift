/// The reason why a geometry is not a single point.
public enum PointFault: UInt8, Sendable, Hashable, CaseIterable {
  /// No geometry, an empty geometry, or coordinates that are not two finite numbers.
  case missing
  /// A multipoint of several points; a multipoint of one point is valid.
  case multiPoint
  /// One or more lines.
  case line
  /// One or more areas.
  case polygon
  /// A geometry collection.
  case collection
  /// Another kind of geometry.
  case other
  /// A row of delimited text with an unclosed quote; the row includes all following text.
  case openQuote
  /// A row of delimited text with more fields than the header; the fields cannot be matched to
  /// columns.
  case extraFields

  /// The name of the kind of geometry in the plural; nil if there is no geometry.
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
