import PlumbCore

/// An error in drawing a picture.
public struct DrawingError: PlumbFailure, Hashable {
  /// `missing_library` without Cairo, `bad_option` for an invalid view, `failed` for an error of Cairo.
  public var code: FailureCode
  /// The message with placeholders for options, which each front end replaces by its own names.
  public var messageTemplate: MessageTemplate

  /// Creates an error with a one-line message.
  public init(_ messageTemplate: MessageTemplate, code: FailureCode = .failed) {
    self.messageTemplate = messageTemplate
    self.code = code
  }

  /// The message in one line.
  public var message: String { messageTemplate.description }

  public var description: String { summary }
}
