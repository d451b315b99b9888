import PlumbCore
import PlumbIO

/// An error of GDAL or OGR.
public struct GDALError: PlumbFailure, Hashable {
  /// The error as one printable line, with advice if available.
  public var message: String
  /// Whether restrictions (`GDALAccess`) blocked the source. If false, the source itself is faulty.
  package var isRefusal = false
  /// Whether the source could not be fetched from a server.
  package var isNetworkFault = false
  /// Whether the helper process that reads the source could not start, crashed or was terminated.
  var isHelperFault = false
  /// Whether another process terminated the helper process, so that a retry may succeed.
  package var isHelperKill = false

  /// Whether the error is that the database table to be created already exists.
  var isExistingTable = false

  /// The kind of failure.
  public var code: FailureCode

  /// Creates an error that is not caused by restrictions.
  public init(_ message: String, code: FailureCode = .failed) {
    (self.message, self.code) = (message, code)
  }

  /// The error for a source that was blocked by restrictions.
  static func refusal(of path: String, _ reason: String) -> GDALError {
    // Shows the name as the caller wrote it.
    let shown = path.hasPrefix("/vsicurl/") ? String(path.dropFirst("/vsicurl/".count)) : path
    var error = GDALError("\(shown.printable) is refused: \(reason)", code: .notAllowed)
    error.isRefusal = true
    return error
  }

  /// The error for a source that could not be fetched from a server.
  static func network(of path: String, _ fault: HTTPError) -> GDALError {
    var error = GDALError("\(path.printable): \(fault.message)", code: fault.code)
    error.isNetworkFault = true
    return error
  }

  public var description: String { summary }

  /// If restrictions blocked the source, suggests allowing access outside the folder. If the table
  /// already exists, suggests the options to replace it or to add rows to it.
  public var remedies: [MessageTemplate] {
    if isExistingTable { return ["\(.overwrite) replaces it", "\(.append) adds rows to it"] }
    return isRefusal ? ["this requires \(.allowOutside)"] : []
  }
}
