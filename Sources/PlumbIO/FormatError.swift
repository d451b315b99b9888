import PlumbCore

/// An error in the text or binary data of a format.
public struct FormatError: PlumbFailure, Hashable {
  /// The kind of the failure.
  public var code: FailureCode
  /// The message without its location.
  private var fault: MessageTemplate
  /// Ways to correct the error; one of them is enough.
  public var remedies: [MessageTemplate]
  /// The number of bytes of the input before the fault; nil if the fault has no single position.
  public var offset: Int?
  /// The line of the fault, from 1; nil if lines are not counted.
  public var line: Int?

  /// Creates an error with a message and its location.
  public init(
    _ message: String, offset: Int? = nil, line: Int? = nil, code: FailureCode = .badInput,
    remedies: [MessageTemplate] = []
  ) {
    self.init(
      messageTemplate: MessageTemplate(message), offset: offset, line: line, code: code,
      remedies: remedies)
  }

  /// Creates an error with its location and a message that contains options.
  public init(
    messageTemplate: MessageTemplate, offset: Int? = nil, line: Int? = nil,
    code: FailureCode = .badInput,
    remedies: [MessageTemplate] = []
  ) {
    fault = messageTemplate
    self.offset = offset
    self.line = line
    self.code = code
    self.remedies = remedies
  }

  /// The message in one line, with options described in words.
  public var message: String { fault.description }

  /// The message with its location, and with placeholders for options.
  public var messageTemplate: MessageTemplate {
    if let line { return "\(fault) (line \(line))" }
    guard let offset else { return fault }
    return "\(fault) (at byte \(offset))"
  }

  /// The line and the offset, if known.
  public var context: FailureContext { FailureContext(line: line, offset: offset) }

  public var description: String { summary }
}
