/// An error of any of Plumb's modules.
public protocol PlumbFailure: Error, Sendable, CustomStringConvertible {
  /// The kind of the failure.
  var code: FailureCode { get }
  /// The message in one line.
  var message: String { get }
  /// The message with its location, and with placeholders for options.
  var messageTemplate: MessageTemplate { get }
  /// Alternative ways to correct the error.
  var remedies: [MessageTemplate] { get }
  /// The location of the failure.
  var context: FailureContext { get }
  /// The underlying error.
  var cause: (any Error)? { get }
}

extension PlumbFailure {
  /// The message, which has no placeholders.
  public var messageTemplate: MessageTemplate { MessageTemplate(message) }
  /// No remedies.
  public var remedies: [MessageTemplate] { [] }
  /// The location is unknown.
  public var context: FailureContext { FailureContext() }
  /// No underlying error.
  public var cause: (any Error)? { nil }

  /// The message, its location and the ways to correct the error, in one line.
  public var line: MessageTemplate { remedies.reduce(messageTemplate) { "\($0); \($1)" } }

  /// The line with options in plain words.
  public var summary: String { line.description }
}

/// An error for the user, with ways to correct it.
public struct PlumbError: PlumbFailure {
  /// The kind of the failure.
  public var code: FailureCode
  /// The message with its location, and with placeholders for options.
  public var messageTemplate: MessageTemplate
  /// Alternative ways to correct the error.
  public var remedies: [MessageTemplate]
  /// The location of the failure.
  public var context: FailureContext
  /// The underlying error; nil if there is none.
  public var cause: (any Error)?

  /// An error whose message has no placeholders for options.
  public init(
    _ message: String, code: FailureCode = .badInput, remedies: [MessageTemplate] = [],
    context: FailureContext = FailureContext(), cause: (any Error)? = nil
  ) {
    self.init(
      messageTemplate: MessageTemplate(message), code: code, remedies: remedies, context: context,
      cause: cause)
  }

  /// An error whose message may have placeholders for options.
  public init(
    messageTemplate: MessageTemplate, code: FailureCode = .badInput,
    remedies: [MessageTemplate] = [],
    context: FailureContext = FailureContext(), cause: (any Error)? = nil
  ) {
    self.code = code
    self.messageTemplate = messageTemplate
    self.remedies = remedies
    self.context = context
    self.cause = cause
  }

  /// An error in a part of the input, such as a file, whose name precedes the message: `FILE: message`.
  public init(
    _ part: MessageTemplate, _ cause: any Error, context: FailureContext = FailureContext()
  ) {
    self.init(cause)
    messageTemplate = "\(part): \(messageTemplate)"
    self.context = context.filled(from: self.context)
    self.cause = cause
  }

  /// Converts any error.
  public init(_ error: any Error) {
    switch error {
    case let error as PlumbError: self = error
    case let error as any PlumbFailure:
      self.init(
        messageTemplate: error.messageTemplate, code: error.code, remedies: error.remedies,
        context: error.context, cause: error)
    default:
      self.init(String(describing: error).printable, code: .failed, cause: error)
    }
  }

  /// Converts a warning to an error, as strict mode requires.
  public static func strict(_ warning: MessageTemplate, _ pronoun: String = "that") -> PlumbError {
    PlumbError(messageTemplate: warning, code: .strict, remedies: ["\(.strict) refuses \(pronoun)"])
  }

  /// Checks the warnings of a run.
  ///
  /// - Throws: in strict mode, the first warning as an error.
  package static func check(
    _ warnings: [MessageTemplate], isStrict: Bool, _ pronoun: String = "that"
  ) throws(PlumbError) {
    if isStrict, let first = warnings.first { throw strict(first, pronoun) }
  }

  /// The message in one line, with options in plain words.
  public var message: String { messageTemplate.description }

  public var description: String { summary }

  /// The line that describes any error to the user, with options in plain words.
  public static func message(of error: any Error) -> String { line(of: error).description }

  /// The line that describes any error to the user.
  public static func line(of error: any Error) -> MessageTemplate { PlumbError(error).line }
}

/// A `Hashable` wrapper of the underlying error of an error type. Two wrappers are equal if their errors
/// have the same line.
package struct FailureCause: Sendable, Hashable {
  package let error: any Error

  package init(_ error: any Error) { self.error = error }

  package static func == (first: FailureCause, second: FailureCause) -> Bool {
    PlumbError.line(of: first.error) == PlumbError.line(of: second.error)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(PlumbError.line(of: error)) }
}
