/// What an error of any of Plumb's modules has for people and for programs.
public protocol PlumbFailure: Error, Sendable, CustomStringConvertible {
  /// What sort of failure it is.
  var code: FailureCode { get }
  /// What is wrong, in one line of plain words.
  var message: String { get }
  /// What is wrong and where, with settings that each calls by its own names.
  var wording: Wording { get }
  /// What to do about it: any of these.
  var remedies: [Wording] { get }
  /// Where it is.
  var context: FailureContext { get }
  /// The failure behind it.
  var cause: (any Error)? { get }
}

extension PlumbFailure {
  /// The message, without settings.
  public var wording: Wording { Wording(message) }
  /// None.
  public var remedies: [Wording] { [] }
  /// Nothing known.
  public var context: FailureContext { FailureContext() }
  /// None.
  public var cause: (any Error)? { nil }

  /// What is wrong, where, and what to do about it, in one line.
  public var line: Wording { remedies.reduce(wording) { "\($0); \($1)" } }

  /// The line in plain words.
  public var summary: String { line.description }
}

/// What the user asked for and cannot have, in one line that says what to do.
public struct PlumbError: PlumbFailure {
  /// What sort of failure it is.
  public var code: FailureCode
  /// What is wrong and where, with settings that each calls by its own names.
  public var wording: Wording
  /// What to do about it: any of these.
  public var remedies: [Wording]
  /// Where it is.
  public var context: FailureContext
  /// The failure behind it; nil when it is the first.
  public var cause: (any Error)?

  /// An error whose message names no setting.
  public init(
    _ message: String, code: FailureCode = .badInput, remedies: [Wording] = [],
    context: FailureContext = FailureContext(), cause: (any Error)? = nil
  ) {
    self.init(
      wording: Wording(message), code: code, remedies: remedies, context: context, cause: cause)
  }

  /// An error whose message may name settings.
  public init(
    wording: Wording, code: FailureCode = .badInput, remedies: [Wording] = [],
    context: FailureContext = FailureContext(), cause: (any Error)? = nil
  ) {
    self.code = code
    self.wording = wording
    self.remedies = remedies
    self.context = context
    self.cause = cause
  }

  /// An error as part of something, which is said before it: `FILE: what is wrong`.
  public init(
    _ part: Wording, _ cause: any Error, context: FailureContext = FailureContext()
  ) {
    self.init(cause)
    wording = "\(part): \(wording)"
    self.context = context.filled(from: self.context)
    self.cause = cause
  }

  /// Any error in this shape.
  public init(_ error: any Error) {
    switch error {
    case let error as PlumbError: self = error
    case let error as any PlumbFailure:
      self.init(
        wording: error.wording, code: error.code, remedies: error.remedies,
        context: error.context, cause: error)
    default:
      self.init(String(describing: error).printable, code: .failed, cause: error)
    }
  }

  /// What the strict mode does not let pass: the warning that it would be without.
  public static func strict(_ warning: Wording, _ pronoun: String = "that") -> PlumbError {
    PlumbError(wording: warning, code: .strict, remedies: ["\(.strict) refuses \(pronoun)"])
  }

  /// What is wrong, in one line of plain words.
  public var message: String { wording.description }

  public var description: String { summary }

  /// The line for the user of any error, in plain words.
  public static func message(of error: any Error) -> String { line(of: error).description }

  /// The line for the user of any error.
  public static func line(of error: any Error) -> Wording { PlumbError(error).line }
}

/// The failure behind an error whose own values can be compared.
package struct FailureCause: Sendable, Hashable {
  package let error: any Error

  package init(_ error: any Error) { self.error = error }

  package static func == (first: FailureCause, second: FailureCause) -> Bool {
    PlumbError.line(of: first.error) == PlumbError.line(of: second.error)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(PlumbError.line(of: error)) }
}
