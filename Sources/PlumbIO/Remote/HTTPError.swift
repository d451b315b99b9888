import PlumbCore

/// The failure of an HTTP request.
package struct HTTPError: PlumbFailure {
  package var code: FailureCode
  /// The message in one line, without the URL, which callers prepend.
  package var message: String
  /// Whether a retry would probably also fail.
  var isFinal: Bool
  /// The delay in seconds that the server requests before the next attempt; nil if the server does
  /// not request a delay.
  var delay: Double?

  package init(
    _ message: String, code: FailureCode = .readError, isFinal: Bool = true, delay: Double? = nil
  ) {
    (self.message, self.code) = (message, code)
    (self.isFinal, self.delay) = (isFinal, delay)
  }

  package var description: String { message }

  /// The error for a status other than 200 and 206.
  static func status(_ status: Int, retryAfter: Double?) -> HTTPError {
    let reason = reasons[status].map { " (\($0))" } ?? ""
    let line = "the server answers \(status)\(reason)"
    switch status {
    case 404, 410: return HTTPError(line, code: .notFound)
    case 401, 403, 407: return HTTPError(line, code: .notAllowed)
    case 408, 425, 429, 500, 502...504, 506...599:
      if let retryAfter, retryAfter > longestDelay {
        return HTTPError(
          line + " and requests a delay of \(Int(min(retryAfter, 1e9))) s", code: .limit)
      }
      return HTTPError(line, isFinal: false, delay: retryAfter)
    default: return HTTPError(line)
    }
  }

  /// The longest delay in seconds that a server may request.
  static let longestDelay = 60.0

  private static let reasons: [Int: String] = [
    400: "bad request", 401: "authentication required", 403: "not allowed", 404: "not found",
    407: "proxy authentication required", 408: "timeout", 410: "gone", 412: "changed",
    416: "range not satisfiable", 429: "too many requests", 500: "internal error",
    502: "bad gateway", 503: "unavailable", 504: "gateway timeout",
  ]

  /// The error for a response from a different version of the file than the first response.
  static let changed = HTTPError("the file was replaced while it was being read")
}
