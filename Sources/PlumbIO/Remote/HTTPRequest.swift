import PlumbCore

/// What is asked of a server: a file, a part of it, or a service's reply.
package struct HTTPRequest: Sendable {
  var url: String
  /// Nil for all of it.
  var range: Range<Int>?
  /// Whether its last byte is asked for, whose position says how long the file is; the range is then
  /// one byte long.
  private(set) var asksLastByte = false
  var settings: HTTPSettings
  /// A body of a whole file above this is not taken.
  var mostBytes: Int
  /// Seconds that it may take at most; nil for what the settings say, or else its size.
  var seconds: Double?
  /// What is asked of a service; nil for a file.
  var service: ServiceAsking?
  /// Whether a redirect led to another origin than the first.
  private(set) var isElsewhere = false

  package init(
    url: String, range: Range<Int>? = nil, settings: HTTPSettings, mostBytes: Int,
    seconds: Double? = nil
  ) {
    (self.url, self.range, self.settings) = (url, range, settings)
    (self.mostBytes, self.seconds) = (mostBytes, seconds)
  }

  /// The same request for the last byte of the file.
  var forLastByte: HTTPRequest {
    var request = self
    (request.range, request.asksLastByte) = (0..<1, true)
    return request
  }

  /// The range as a request has it; nil for the whole file.
  var rangeText: String? {
    asksLastByte ? "-1" : range.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
  }

  /// Bytes that the answer should have.
  var expectedBytes: Int { range?.count ?? mostBytes }

  /// The lines that go with it. Those of the user, and what says who asks, stay with the first origin.
  var headers: [String] {
    var lines = isElsewhere ? [] : settings.headers
    if let service {
      lines += ["Accept: \(service.accepts)", "Expect:"]
      if service.form != nil { lines.append("Content-Type: application/x-www-form-urlencoded") }
      if !isElsewhere { lines += service.secretHeaders }
    }
    return lines
  }

  /// What is posted; nil for a request without a body.
  var body: [UInt8]? {
    guard let service, let form = service.form else { return nil }
    return Array((isElsewhere ? form : form + service.secretForm).utf8)
  }

  /// The request that a redirect asks for.
  ///
  /// - Parameter status: 301 and 302 make a request without a body of one with it, as 303 does.
  func redirected(to url: String, status: Int) -> HTTPRequest {
    var next = self
    let (from, to) = (NetworkOrigin(withoutUser: self.url), NetworkOrigin(withoutUser: url))
    if from == nil || to == nil || from != to { next.isElsewhere = true }
    next.url = next.isElsewhere ? withoutSecrets(url) : url
    if status != 307, status != 308 { next.service?.form = nil }
    return next
  }

  /// An address without what was sent to the first origin alone, where that one repeats it.
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

/// How a service is asked.
package struct ServiceAsking: Sendable {
  /// Parameters as a form has them, to be posted; nil for a request without a body.
  package var form: String?
  /// What is added to the form for the first origin alone, as `&token=…`.
  package var secretForm = ""
  /// Lines for the first origin alone.
  package var secretHeaders: [String] = []
  /// The types of replies that are wanted.
  package var accepts = "application/json, */*;q=0.5"

  package init(form: String? = nil) { self.form = form }
}
