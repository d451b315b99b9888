/// One attribute of a row or a feature.
public enum FieldValue: Sendable, Hashable {
  /// No value.
  case null
  /// A text, the empty one included.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction; NaN and infinity are possible.
  case real(Double)
  /// True or false.
  case boolean(Bool)
  /// A value that is JSON text already: an array, an object, a number too long for the others.
  case json(String)
}

/// The kind of a column, as a table format declares it.
public enum FieldKind: Sendable, Hashable {
  /// Texts and JSON; whole numbers of 64 bits; doubles; true and false.
  case text, integer, real, boolean
}

/// A column's name and kind.
public struct Field: Sendable, Hashable {
  /// The column's name, as the source writes it.
  public var name: String
  /// What the column's values are.
  public var kind: FieldKind

  /// A column of a table.
  public init(name: String, kind: FieldKind) {
    self.name = name
    self.kind = kind
  }
}
