/// What sort of failure it is, for programs: the raw values do not change.
public enum FailureCode: String, Sendable, Hashable, CaseIterable,
  CustomStringConvertible
{
  /// Nothing has that name, at that path or among what there is.
  case notFound = "not_found"
  /// Something is there already.
  case exists
  /// It leads where it may not, or is refused for safety's sake.
  case notAllowed = "not_allowed"
  /// What was read is not what it should be.
  case badInput = "bad_input"
  /// A setting has a value that it cannot have, or does not go with others.
  case badOption = "bad_option"
  /// A condition or an expression is wrong.
  case badExpression = "bad_expression"
  /// Several could be meant.
  case ambiguous
  /// It is more than can be held or may be read.
  case limit
  /// This build of Plumb, or a library under it, does not do that.
  case unsupported
  /// What the strict mode does not let pass.
  case strict
  /// A call of the operating system failed.
  case system
  /// A library could not do it.
  case failed
  /// A library of the system that is needed is not installed, or is of another version.
  case missingLibrary = "missing_library"

  // What layers, maps and queries say.

  /// A coordinate that is not a point, or not in a known reference.
  case badPoint = "bad_point"
  /// PROJ has no counterpart for a point, or no way between two references.
  case transformFailed = "transform_failed"
  /// Cells or features cannot be read.
  case readError = "read_error"
  /// A layer cannot be opened.
  case loadFailed = "load_failed"
  /// A layer says no coordinate reference that is needed.
  case noReference = "no_reference"
  /// A condition on attributes is not one, or does not fit the fields.
  case badCondition = "bad_condition"
  /// A layer's settings or its nesting cannot be used.
  case badLayer = "bad_layer"
  /// Popups alone are asked of a layer without any.
  case noPopups = "no_popups"
  /// What is asked of a map cannot be asked.
  case badQuery = "bad_query"

  public var description: String { rawValue }
}

/// Where a failure is, as far as it is known.
public struct FailureContext: Sendable, Hashable {
  /// The path of the file.
  public var file: String?
  /// The name or id of the layer.
  public var layer: String?
  /// From 1, as are lines and columns.
  public var row: Int?
  /// From 1.
  public var line: Int?
  /// From 1, within the line.
  public var column: Int?
  /// Bytes before it.
  public var offset: Int?
  /// The index in a list of what was asked.
  public var member: Int?

  /// A location with the parts that are known.
  public init(
    file: String? = nil, layer: String? = nil, row: Int? = nil, line: Int? = nil,
    column: Int? = nil, offset: Int? = nil, member: Int? = nil
  ) {
    (self.file, self.layer, self.row) = (file, layer, row)
    (self.line, self.column, self.offset, self.member) = (line, column, offset, member)
  }

  /// This, and what another knows besides.
  package func filled(from other: FailureContext) -> FailureContext {
    FailureContext(
      file: file ?? other.file, layer: layer ?? other.layer, row: row ?? other.row,
      line: line ?? other.line, column: column ?? other.column, offset: offset ?? other.offset,
      member: member ?? other.member)
  }
}
