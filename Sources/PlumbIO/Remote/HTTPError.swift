import PlumbCore

/// Why a server did not give what it was asked for.
package struct HTTPError: PlumbFailure {
  package var code: FailureCode
  /// One line without the address, which goes before it.
  package var message: String
  /// What asking again would not change, as far as one can know.
  package var isFinal: Bool
  /// Seconds that the server asks for before the next try.
  var delay: Double?

  package init(
    _ message: String, code: FailureCode = .readError, isFinal: Bool = true, delay: Double? = nil
  ) {
    (self.message, self.code) = (message, code)
    (self.isFinal, self.delay) = (isFinal, delay)
  }

  package var description: String { message }

  /// What a status other than 200 and 206 stands for.
  static func status(_ status: Int, retryAfter: Double?) -> HTTPError {
    let reason = reasons[status].map { " (\($0))" } ?? ""
    let line = "the server answers \(status)\(reason)"
    switch status {
    case 404, 410: return HTTPError(line, code: .notFound)
    case 401, 403, 407: return HTTPError(line, code: .notAllowed)
    case 408, 425, 429, 500, 502...504, 506...599:
      if let retryAfter, retryAfter > longestDelay {
        return HTTPError(
          line + " and asks to wait \(Int(min(retryAfter, 1e9))) s", code: .limit)
      }
      return HTTPError(line, isFinal: false, delay: retryAfter)
    default: return HTTPError(line)
    }
  }

  /// Seconds that are waited at most where a server says how long.
  static let longestDelay = 60.0

  private static let reasons: [Int: String] = [
    400: "bad request", 401: "a password is needed", 403: "not allowed", 404: "not found",
    407: "the proxy needs a password", 408: "too slow", 410: "gone", 412: "changed",
    416: "the file is shorter", 429: "too many requests", 500: "an error of its own",
    502: "bad gateway", 503: "not now", 504: "too slow",
  ]

  /// The file is not the one of the first answer.
  static let changed = HTTPError("the file has been replaced while it was read")
}
