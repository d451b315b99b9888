import PlumbCore

/// The failure of a layer, a map or a query: a code for scripts and a line for users.
public struct LayerError: PlumbFailure, Hashable {
  /// `bad_point` concerns one point. `transform_failed` and `read_error` concern a point or a whole
  /// layer. `load_failed`, `no_reference`, `bad_condition`, `bad_layer` and `no_popups` concern a
  /// layer. `bad_query` concerns a query.
  public var code: FailureCode
  /// The problem and its location, with placeholders for settings. Each front end replaces the
  /// placeholders with its own names for the settings.
  public var messageTemplate: MessageTemplate
  /// Possible remedies, each of which may solve the problem.
  public var remedies: [MessageTemplate]
  private var reason: FailureCause?

  /// Creates an error with a one-line message.
  public init(code: FailureCode, message: String) {
    self.init(code: code, messageTemplate: MessageTemplate(message))
  }

  /// Creates an error with remedies and a cause; the message may contain placeholders for settings.
  public init(
    code: FailureCode, messageTemplate: MessageTemplate, remedies: [MessageTemplate] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.messageTemplate = messageTemplate
    self.remedies = remedies
    reason = cause.map { FailureCause($0) }
  }

  /// Converts any error to a layer error with the given code.
  package init(code: FailureCode, _ error: any Error) {
    let shaped = PlumbError(error)
    self.init(
      code: code, messageTemplate: shaped.messageTemplate, remedies: shaped.remedies, cause: error)
  }

  /// Returns the same error with the message prefixed by the part that failed.
  package func of(_ part: String) -> LayerError {
    LayerError(
      code: code, messageTemplate: "\(part): \(messageTemplate)", remedies: remedies, cause: cause)
  }

  /// The problem, as one line of plain text.
  public var message: String { messageTemplate.description }

  /// The underlying failure; nil if there is none.
  public var cause: (any Error)? { reason?.error }

  public var description: String { summary }
}
