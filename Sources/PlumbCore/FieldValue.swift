/// One attribute of a row or a feature.
public enum FieldValue: Sendable, Hashable {
  case null
  case text(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// A value that is JSON text already: an array, an object, a number too long for the others.
  case json(String)
}

/// The kind of a column, as a table format declares it.
public enum FieldKind: Sendable, Hashable {
  case text, integer, real, boolean
}

/// A column's name and kind.
public struct Field: Sendable, Hashable {
  public var name: String
  public var kind: FieldKind

  public init(name: String, kind: FieldKind) {
    self.name = name
    self.kind = kind
  }
}
