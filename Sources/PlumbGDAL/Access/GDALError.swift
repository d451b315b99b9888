import PlumbCore
import PlumbIO

/// Why GDAL or OGR could not do what it was asked.
public struct GDALError: PlumbFailure, Hashable {
  /// One printable line that says what is wrong and, where it helps, what to do.
  public var message: String
  /// Whether a wall stood in the way (`GDALAccess`), and not the source itself.
  package var isRefusal = false
  /// Whether a server did not give the source.
  package var isNetworkFault = false
  /// Whether the helper process that reads the source could not start, crashed or was ended.
  package var isHelperFault = false
  /// Whether another process ended that helper, so that another attempt may succeed.
  package var isHelperKill = false

  /// What sort of failure it is.
  public var code: FailureCode

  /// An error that is not a wall's.
  public init(_ message: String, code: FailureCode = .failed) {
    (self.message, self.code) = (message, code)
  }

  /// What a wall has kept a source from.
  static func refusal(of path: String, _ reason: String) -> GDALError {
    // As whoever named it wrote it.
    let shown = path.hasPrefix("/vsicurl/") ? String(path.dropFirst("/vsicurl/".count)) : path
    var error = GDALError("\(shown.printable) is refused: \(reason)", code: .notAllowed)
    error.isRefusal = true
    return error
  }

  /// Why a server did not give a source.
  static func network(of path: String, _ fault: HTTPError) -> GDALError {
    var error = GDALError("\(path.printable): \(fault.message)", code: fault.code)
    error.isNetworkFault = true
    return error
  }

  public var description: String { summary }

  /// Access outside the folder, where a wall stood in the way.
  public var remedies: [Wording] { isRefusal ? ["it needs \(.allowOutside)"] : [] }
}
