import PlumbCore

/// A request for a file, a part of a file, or the reply of a service.
package struct HTTPRequest: Sendable {
  var url: String
  /// The range of bytes; nil for the whole file.
  var range: Range<Int>?
  /// Whether only the last byte is requested, whose position shows the size of the file. The length
  /// of `range` is then 1.
  private(set) var isForLastByte = false
  var settings: HTTPSettings
  /// The size limit of the body of a whole file.
  var maximumBytes: Int
  /// The time limit in seconds; nil for the limit in the settings or, if that is also nil, a limit
  /// that depends on the expected size.
  var seconds: Double?
  /// The request to a service; nil for a file.
  var service: RemoteServiceRequest?
  /// Whether a redirect led to a different origin.
  private(set) var isElsewhere = false

  package init(
    url: String, range: Range<Int>? = nil, settings: HTTPSettings, maximumBytes: Int,
    seconds: Double? = nil
  ) {
    (self.url, self.range, self.settings) = (url, range, settings)
    (self.maximumBytes, self.seconds) = (maximumBytes, seconds)
  }

  /// The same request for the last byte of the file.
  var forLastByte: HTTPRequest {
    var request = self
    (request.range, request.isForLastByte) = (0..<1, true)
    return request
  }

  /// The value of the Range header field; nil for the whole file.
  var rangeText: String? {
    isForLastByte ? "-1" : range.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
  }

  /// The expected number of bytes of the response.
  var expectedBytes: Int { range?.count ?? maximumBytes }

  /// The header fields. The user's fields and the fields with credentials are sent only to the
  /// origin of the first URL, and not after a redirect to another origin.
  var headers: [String] {
    var lines = isElsewhere ? [] : settings.headers
    if let service {
      lines += ["Accept: \(service.accepts)", "Expect:"]
      if service.form != nil { lines.append("Content-Type: application/x-www-form-urlencoded") }
      if !isElsewhere { lines += service.secretHeaders }
    }
    return lines
  }

  /// The body of a POST request; nil for a GET request.
  var body: [UInt8]? {
    guard let service, let form = service.form else { return nil }
    return Array((isElsewhere ? form : form + service.secretForm).utf8)
  }

  /// The request after a redirect.
  ///
  /// - Parameter status: the status of the redirect. 301, 302 and 303 drop the body; 307 and 308
  ///   keep it.
  func redirected(to url: String, status: Int) -> HTTPRequest {
    var next = self
    let (from, to) = (NetworkOrigin(withoutUser: self.url), NetworkOrigin(withoutUser: url))
    if from == nil || to == nil || from != to { next.isElsewhere = true }
    next.url = next.isElsewhere ? withoutSecrets(url) : url
    if status != 307, status != 308 { next.service?.form = nil }
    return next
  }

  /// Removes the secrets for the first origin from the URL of a redirect, if the URL contains them.
  private func withoutSecrets(_ url: String) -> String {
    let secrets = (service?.secretForm ?? "").split(separator: "&").compactMap { pair in
      pair.firstIndex(of: "=").map { pair[pair.index(after: $0)...] }
    }
    guard !secrets.isEmpty, let mark = url.firstIndex(of: "?") else { return url }
    let kept = url[url.index(after: mark)...].split(separator: "&").filter { part in
      !secrets.contains { !$0.isEmpty && part.contains($0) }
    }
    return String(url[..<mark]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }
}

/// The service-specific parts of a request.
package struct RemoteServiceRequest: Sendable {
  /// The parameters of a POST, form-encoded; nil for a GET.
  package var form: String?
  /// Form parameters for the first origin only, as `&token=…`.
  package var secretForm = ""
  /// Header fields for the first origin only.
  package var secretHeaders: [String] = []
  /// The accepted types of replies.
  package var accepts = "application/json, */*;q=0.5"

  package init(form: String? = nil) { self.form = form }
}
