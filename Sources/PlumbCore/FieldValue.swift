/// One attribute of a row or a feature.
public enum FieldValue: Sendable, Hashable {
  /// No value.
  case null
  /// Text, possibly empty.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// A floating-point number, possibly NaN or infinite.
  case real(Double)
  /// True or false.
  case boolean(Bool)
  /// JSON text: an array, an object, or a number that does not fit the other kinds.
  case json(String)
}

/// The type of a column.
public enum FieldKind: Sendable, Hashable {
  /// Text or JSON, 64-bit integers, doubles, and booleans.
  case text, integer, real, boolean
}

/// A column's name and kind.
public struct Field: Sendable, Hashable {
  /// The column's name, as spelled in the source.
  public var name: String
  /// The type of the column's values.
  public var kind: FieldKind

  /// A column of a table.
  public init(name: String, kind: FieldKind) {
    self.name = name
    self.kind = kind
  }
}
