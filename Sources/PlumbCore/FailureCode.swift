/// The kind of a failure. Programs can rely on the raw values, which do not change.
public enum FailureCode: String, Sendable, Hashable, CaseIterable,
  CustomStringConvertible
{
  /// The path does not exist, or no entry has that name.
  case notFound = "not_found"
  /// The file or entry already exists.
  case exists
  /// Access is not allowed, or is refused for security.
  case notAllowed = "not_allowed"
  /// The input is invalid.
  case badInput = "bad_input"
  /// An option has an invalid value, or conflicts with other options.
  case badOption = "bad_option"
  /// A condition or an expression is invalid.
  case badExpression = "bad_expression"
  /// A name has several matches.
  case ambiguous
  /// A limit on memory or input is exceeded.
  case limit
  /// This build of Plumb, or one of its libraries, does not support the requested feature.
  case unsupported
  /// A warning that strict mode turns into an error.
  case strict
  /// A system call failed.
  case system
  /// A library call failed.
  case failed
  /// A required system library is not installed, or its version is unsupported.
  case missingLibrary = "missing_library"

  // Failures of layers, maps and queries.

  /// The coordinates are not a valid point, or their CRS is unknown.
  case badPoint = "bad_point"
  /// PROJ cannot transform a point, or has no transformation between two CRSs.
  case transformFailed = "transform_failed"
  /// Cells or features cannot be read.
  case readError = "read_error"
  /// A layer cannot be opened.
  case loadFailed = "load_failed"
  /// A layer has no CRS, but the operation requires one.
  case noReference = "no_reference"
  /// A condition on attributes is invalid, or does not fit the fields.
  case badCondition = "bad_condition"
  /// A layer's settings or nesting are invalid.
  case badLayer = "bad_layer"
  /// Only popups are requested, but the layer has none.
  case noPopups = "no_popups"
  /// The query is invalid for a map.
  case badQuery = "bad_query"

  public var description: String { rawValue }
}

/// The known location of a failure.
public struct FailureContext: Sendable, Hashable {
  /// The path of the file.
  public var file: String?
  /// The name or id of the layer.
  public var layer: String?
  /// The number of the row, from 1.
  public var row: Int?
  /// The number of the line, from 1.
  public var line: Int?
  /// The number of the column within the line, from 1.
  public var column: Int?
  /// The number of bytes before the failure.
  public var offset: Int?
  /// The index of the item in the list of requested items.
  public var member: Int?

  /// A location; parts that are unknown are nil.
  public init(
    file: String? = nil, layer: String? = nil, row: Int? = nil, line: Int? = nil,
    column: Int? = nil, offset: Int? = nil, member: Int? = nil
  ) {
    (self.file, self.layer, self.row) = (file?.withoutPasswords, layer, row)
    (self.line, self.column, self.offset, self.member) = (line, column, offset, member)
  }

  /// This location, with its unknown parts taken from another.
  package func filled(from other: FailureContext) -> FailureContext {
    FailureContext(
      file: file ?? other.file, layer: layer ?? other.layer, row: row ?? other.row,
      line: line ?? other.line, column: column ?? other.column, offset: offset ?? other.offset,
      member: member ?? other.member)
  }
}
