import PlumbCore

/// Why GDAL or OGR could not do what it was asked.
public struct GDALError: PlumbFailure, Hashable {
  /// One printable line that says what is wrong and, where it helps, what to do.
  public var message: String
  /// Whether a wall stood in the way (`GDALAccess`), and not the source itself.
  package var isRefusal = false

  public init(_ message: String) { self.message = message }

  /// What a wall has kept a source from.
  static func refusal(of path: String, _ reason: String) -> GDALError {
    var error = GDALError("\(path.printable) is refused: \(reason)")
    error.isRefusal = true
    return error
  }

  public var description: String { message }

  public var summary: String { isRefusal ? message + "; it needs --allow-outside" : message }
}
