import Plumb
import PlumbVerbs

/// An error in a call of the C interface, such as a null argument.
struct CallError: Error {
  /// The error code, which is one of the codes that only the C interface has.
  var code: StaticString
  var message: String

  static func null(_ argument: String) -> CallError {
    CallError(code: "null_argument", message: "\(argument) is null")
  }

  static func bad(_ message: String) -> CallError {
    CallError(code: badArgument, message: message)
  }

  private static let badArgument: StaticString = "bad_argument"

  static let closed = CallError(
    code: "closed_handle", message: "the handle is closed or of another kind: open a new one")

  static let cancelled = CallError(code: "cancelled", message: "the call was cancelled")
}

extension CallError {
  /// The code and the one-line message of any error, in plain words.
  static func facts(of error: any Error) -> (code: String, message: String) {
    switch error {
    case let error as CallError: return (error.code.description, error.message)
    case let error as OptionViolation:
      let message = "the options: " + error.messageTemplate.text(FrontEnd.library.spellings)
      return (badArgument.description, message)
    case is CancellationError: return (cancelled.code.description, cancelled.message)
    default:
      let error = PlumbError(error)
      return (error.code.rawValue, error.summary)
    }
  }
}
