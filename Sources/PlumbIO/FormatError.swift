import PlumbCore

/// Why text or bytes could not be read as the format they are said to be.
public struct FormatError: PlumbFailure, Hashable {
  /// What sort of failure it is.
  public var code: FailureCode
  /// What is wrong, without where it is.
  private var fault: Wording
  /// What to do about it: any of these.
  public var remedies: [Wording]
  /// Bytes before the fault, counted from the input's first byte; nil when there is
  /// no one position.
  public var offset: Int?
  /// The line of the fault, the first being 1; nil where lines are not counted.
  public var line: Int?

  /// A fault, and where it is.
  public init(
    _ message: String, offset: Int? = nil, line: Int? = nil, code: FailureCode = .badInput,
    remedies: [Wording] = []
  ) {
    self.init(
      wording: Wording(message), offset: offset, line: line, code: code, remedies: remedies)
  }

  /// A fault whose words name settings, and where it is.
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

  /// What is wrong, in one line of plain words.
  public var message: String { fault.description }

  /// What is wrong and where, with settings that each calls by its own names.
  public var wording: Wording {
    if let line { return "\(fault) (line \(line))" }
    guard let offset else { return fault }
    return "\(fault) (at byte \(offset))"
  }

  /// The line and the offset, where they are known.
  public var context: FailureContext { FailureContext(line: line, offset: offset) }

  public var description: String { summary }
}
