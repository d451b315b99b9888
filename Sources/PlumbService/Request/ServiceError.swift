import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbVerbs

/// The reason why a request fails.
struct ServiceError: Error, Sendable, Hashable {
  /// An HTTP status or one of Esri's codes.
  package var code: Int
  /// The message, on one line.
  package var message: String
  /// Additional lines of the message.
  package var details: [String]
  /// The kind of failure, which programs can evaluate.
  package var kind: FailureCode

  /// Creates an error. By default, the error is caused by the request.
  package init(
    _ message: String, status code: Int = 400, kind: FailureCode = .badInput,
    details: [String] = []
  ) {
    (self.code, self.message, self.kind, self.details) = (code, message, kind, details)
  }

  /// Creates an error from an engine error.
  init(_ error: any Error) {
    if let error = error as? ServiceError {
      self = error
    } else if let cause = (error as? PlumbError)?.cause as? ServiceError {
      // A check of the service failed within a verb.
      self = cause
    } else if error is CancellationError {
      self.init("the request exceeded the time limit", status: 504, kind: .limit)
    } else {
      let failure = PlumbError(error)
      // A shape that cannot be constructed is an error in the request.
      let isShape = (error as? GeometryError)?.code == .failed
      self.init(
        failure.line.text(FrontEnd.service.spellings),
        status: isShape ? 400 : Self.status(of: failure.code),
        kind: failure.code)
    }
  }

  private static func status(of code: FailureCode) -> Int {
    switch code {
    case .system, .failed, .missingLibrary, .readError, .loadFailed: 500
    default: 400
    }
  }

  /// Creates an error for an unknown path.
  static func notFound(_ what: String) -> ServiceError {
    ServiceError(what, status: 404, kind: .notFound)
  }

  /// The error as a JSON object in Esri's format.
  var json: [UInt8] {
    var error = JSONObject()
    error.add("code", code)
    error.add("message", message)
    error.add("details", texts: details)
    var root = JSONObject()
    root.add("error", error)
    return root.bytes
  }

  /// The error as a JSON object in the format of `/api` and `/monitor`.
  var plainJSON: [UInt8] {
    var error = JSONObject()
    error.add("code", kind.rawValue)
    error.add("message", message)
    var root = JSONObject()
    root.add("error", error)
    return root.bytes
  }
}
