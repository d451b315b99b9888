import PlumbCore

/// Why text or bytes could not be read as the format they are said to be.
public struct FormatError: PlumbFailure, Hashable {
  /// One line that says what is wrong and, where it helps, what to do.
  public var message: String
  /// Bytes before the place of the fault, counted from the input's first byte; nil when there is
  /// no one place.
  public var offset: Int?
  /// The line of the fault, the first being 1; nil where lines are not counted.
  public var line: Int?

  public init(_ message: String, offset: Int? = nil, line: Int? = nil) {
    self.message = message
    self.offset = offset
    self.line = line
  }

  public var summary: String { description }

  public var description: String {
    if let line { return "\(message) (line \(line))" }
    guard let offset else { return message }
    return "\(message) (at byte \(offset))"
  }
}
