import PlumbCore

/// Why text or bytes could not be read as the format they are said to be.
public struct FormatError: PlumbFailure, Hashable {
  public var code: FailureCode
  /// What is wrong, without where it is.
  private var fault: Wording
  public var remedies: [Wording]
  /// Bytes before the place of the fault, counted from the input's first byte; nil when there is
  /// no one place.
  public var offset: Int?
  /// The line of the fault, the first being 1; nil where lines are not counted.
  public var line: Int?

  public init(
    _ message: String, offset: Int? = nil, line: Int? = nil, code: FailureCode = .badInput,
    remedies: [Wording] = []
  ) {
    self.init(
      wording: Wording(message), offset: offset, line: line, code: code, remedies: remedies)
  }

  public init(
    wording: Wording, offset: Int? = nil, line: Int? = nil, code: FailureCode = .badInput,
    remedies: [Wording] = []
  ) {
    fault = wording
    self.offset = offset
    self.line = line
    self.code = code
    self.remedies = remedies
  }

  public var message: String { fault.description }

  public var wording: Wording {
    if let line { return "\(fault) (line \(line))" }
    guard let offset else { return fault }
    return "\(fault) (at byte \(offset))"
  }

  public var context: FailureContext { FailureContext(line: line, offset: offset) }

  public var description: String { summary }
}
