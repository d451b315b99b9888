import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbVerbs

/// Why a request has no answer.
package struct ServiceError: Error, Sendable, Hashable {
  /// An HTTP status, or one of Esri's codes.
  package var code: Int
  /// What is wrong, in one line.
  package var message: String
  /// What else there is to say.
  package var details: [String]
  /// What sort of failure it is, for programs.
  package var kind: FailureCode

  /// A request that cannot be answered, as it stands unless the status says otherwise.
  package init(
    _ message: String, status code: Int = 400, kind: FailureCode = .badInput,
    details: [String] = []
  ) {
    (self.code, self.message, self.kind, self.details) = (code, message, kind, details)
  }

  /// What an engine says.
  init(_ error: any Error) {
    if let error = error as? ServiceError {
      self = error
    } else if error is CancellationError {
      self.init("the request took longer than it may", status: 504, kind: .limit)
    } else {
      let failure = PlumbError(error)
      // What no shape can be made of is the client's own.
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

  /// There is nothing at an address.
  static func notFound(_ what: String) -> ServiceError {
    ServiceError(what, status: 404, kind: .notFound)
  }

  /// The object that Esri's clients expect.
  var json: [UInt8] {
    var error = JSONObject()
    error.add("code", code)
    error.add("message", message)
    error.add("details", texts: details)
    var root = JSONObject()
    root.add("error", error)
    return root.bytes
  }

  /// The object of plain JSON.
  var plainJSON: [UInt8] {
    var error = JSONObject()
    error.add("code", kind.rawValue)
    error.add("message", message)
    var root = JSONObject()
    root.add("error", error)
    return root.bytes
  }
}
