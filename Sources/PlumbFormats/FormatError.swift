/// Why text or bytes could not be read as the format they are said to be.
public struct FormatError: Error, CustomStringConvertible, Sendable, Hashable {
  /// One line that says what is wrong and, where it helps, what to do.
  public var message: String
  /// Bytes before the place of the fault, counted from the input's first byte; nil when there is
  /// no one place.
  public var offset: Int?

  public init(_ message: String, offset: Int? = nil) {
    self.message = message
    self.offset = offset
  }

  public var description: String {
    guard let offset else { return message }
    return "\(message) (at byte \(offset))"
  }
}
