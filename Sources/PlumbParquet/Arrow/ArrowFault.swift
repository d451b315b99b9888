import PlumbCore
import PlumbIO

/// The errors of the Arrow reader.
enum ArrowFault {
  static func damaged(_ what: String) -> FormatError { FormatError("damaged Arrow: \(what)") }

  static func tooLarge(_ what: String, remedies: [MessageTemplate] = []) -> FormatError {
    FormatError(what, code: .limit, remedies: remedies)
  }
}
