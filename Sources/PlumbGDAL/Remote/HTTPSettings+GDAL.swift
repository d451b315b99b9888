import CGDAL
import PlumbIO

extension HTTPSettings {
  /// Creates settings from GDAL's options for a path, including path-specific options that the user
  /// has set.
  ///
  /// - Returns: nil if an option is set that only GDAL's own requests support.
  package init?(gdalPath path: String) {
    func text(_ name: String) -> String? {
      plumb_gdal_option(path, name).map { String(cString: $0) }
    }
    guard !Self.foreign.contains(where: { text($0) != nil }) else { return nil }
    self.init()
    headers = text("GDAL_HTTP_HEADERS").map { Self.lines($0) } ?? []
    userPassword = text("GDAL_HTTP_USERPWD")
    let isSafe = path.lowercased().contains("https://")
    proxy = isSafe ? text("GDAL_HTTPS_PROXY") ?? text("GDAL_HTTP_PROXY") : text("GDAL_HTTP_PROXY")
    proxyUserPassword = text("GDAL_HTTP_PROXYUSERPWD")
    cookie = text("GDAL_HTTP_COOKIE")
    if let name = text("GDAL_HTTP_USERAGENT") { userAgent = name }
    certificates = text("GDAL_CURL_CA_BUNDLE") ?? text("CURL_CA_BUNDLE") ?? text("SSL_CERT_FILE")
    if let unsafe = text("GDAL_HTTP_UNSAFESSL") { verifiesServer = !CPLTestBool(unsafe) }
    if let netrc = text("GDAL_HTTP_NETRC") { usesNetrc = CPLTestBool(netrc) }
    if let limit = Self.seconds(text("GDAL_HTTP_TIMEOUT")) { seconds = limit }
    if let limit = Self.seconds(text("GDAL_HTTP_CONNECTTIMEOUT")) { connectSeconds = limit }
    if let count = text("GDAL_HTTP_MAX_RETRY").flatMap({ Int($0) }) {
      retries = min(max(0, count), 100)
    }
    if let delay = Self.seconds(text("GDAL_HTTP_RETRY_DELAY")) { retryDelay = min(delay, 60) }
  }

  /// Options that only GDAL supports.
  private static let foreign = [
    "GDAL_HTTP_AUTH", "GDAL_HTTP_BEARER", "GDAL_HTTP_HEADER_FILE", "GDAL_HTTP_SSLCERT",
    "GDAL_HTTP_SSLCERTTYPE", "GDAL_HTTP_SSLKEY", "GDAL_HTTP_KEYPASSWD", "GDAL_HTTP_CAPATH",
    "GDAL_HTTP_SSL_VERIFYSTATUS", "GDAL_HTTP_USE_CAPI_STORE", "GDAL_HTTP_NETRC_FILE",
    "GDAL_HTTP_COOKIEFILE", "GDAL_HTTP_COOKIEJAR", "GDAL_HTTP_DELEGATION",
    "GDAL_GSSAPI_DELEGATION", "GDAL_PROXY_AUTH", "GDAL_HTTP_REFERER", "GDAL_HTTP_VERSION",
    "CPL_VSIL_CURL_ALLOWED_FILENAME", "CPL_VSIL_CURL_ALLOWED_EXTENSIONS", "AWS_REQUEST_PAYER",
  ]

  private static func seconds(_ text: String?) -> Double? {
    guard let text, let value = Double(text), value > 0, value.isFinite else { return nil }
    return value
  }

  /// Splits a list of headers (`Name: value`) at commas and line ends. A quoted comma is part of
  /// the value.
  private static func lines(_ text: String) -> [String] {
    var lines = [""]
    var isQuoted = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": isQuoted.toggle()
      case "\n", "\r": lines.append("")
      case "," where !isQuoted: lines.append("")
      default: lines[lines.count - 1].unicodeScalars.append(scalar)
      }
    }
    return lines.map { String($0.drop { $0 == " " }) }.filter { $0.contains(":") }
  }
}
