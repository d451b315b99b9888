import PlumbCore

/// A request for a file, a part of it, or a service's reply.
package struct HTTPRequest: Sendable {
  var url: String
  /// The range of bytes; nil for the whole file.
  var range: Range<Int>?
  /// Whether the last byte is requested, whose position gives the size of the file; the range is then one
  /// byte long.
  private(set) var asksLastByte = false
  var settings: HTTPSettings
  /// The size limit of the body of a whole file.
  var maximumBytes: Int
  /// The time limit in seconds; nil for the limit in the settings, or else by size.
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
    (request.range, request.asksLastByte) = (0..<1, true)
    return request
  }

  /// The value for the Range field; nil for the whole file.
  var rangeText: String? {
    asksLastByte ? "-1" : range.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
  }

  /// The expected number of bytes of the response.
  var expectedBytes: Int { range?.count ?? maximumBytes }

  /// The header fields. Those of the user and those with credentials are sent only to the first origin.
  var headers: [String] {
    var lines = isElsewhere ? [] : settings.headers
    if let service {
      lines += ["Accept: \(service.accepts)", "Expect:"]
      if service.form != nil { lines.append("Content-Type: application/x-www-form-urlencoded") }
      if !isElsewhere { lines += service.secretHeaders }
    }
    return lines
  }

  /// The body to post; nil without a body.
  var body: [UInt8]? {
    guard let service, let form = service.form else { return nil }
    return Array((isElsewhere ? form : form + service.secretForm).utf8)
  }

  /// The request after a redirect.
  ///
  /// - Parameter status: 301 and 302 drop the body, as 303 does.
  func redirected(to url: String, status: Int) -> HTTPRequest {
    var next = self
    let (from, to) = (NetworkOrigin(withoutUser: self.url), NetworkOrigin(withoutUser: url))
    if from == nil || to == nil || from != to { next.isElsewhere = true }
    next.url = next.isElsewhere ? withoutSecrets(url) : url
    if status != 307, status != 308 { next.service?.form = nil }
    return next
  }

  /// Removes secrets for the first origin from a URL that repeats them.
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

/// The parameters of a request to a service.
package struct RemoteServiceRequest: Sendable {
  /// Parameters encoded as a form, to be posted; nil without a body.
  package var form: String?
  /// Form parameters for the first origin only, as `&token=…`.
  package var secretForm = ""
  /// Header fields for the first origin only.
  package var secretHeaders: [String] = []
  /// The accepted types of replies.
  package var accepts = "application/json, */*;q=0.5"

  package init(form: String? = nil) { self.form = form }
}
