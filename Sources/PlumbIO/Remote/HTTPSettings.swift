/// Settings of HTTP requests.
package struct HTTPSettings: Sendable, Hashable {
  /// Header fields of each request, as `Name: value`.
  package var headers: [String] = []
  /// `NAME:PASSWORD` for the server.
  package var userPassword: String?
  /// The URL of the proxy; nil to use the proxy in the environment variables, if any.
  package var proxy: String?
  /// `NAME:PASSWORD` for the proxy.
  package var proxyUserPassword: String?
  /// The value of the Cookie field.
  package var cookie: String?
  /// The value of the User-Agent field.
  package var userAgent = "plumb"
  /// A file of CA certificates; nil for the system's certificates.
  package var certificates: String?
  /// Whether the server's certificate is verified.
  package var verifiesServer = true
  /// Whether credentials are also read from the user's `.netrc`.
  package var usesNetrc = true
  /// The allowed hosts; nil for all hosts. If it is not nil, no proxy is used, so that connections
  /// are made to the addresses that were checked.
  package var hosts: HostAccess?
  /// The timeout in seconds for connecting.
  package var connectSeconds = 10.0
  /// The timeout in seconds for a request; nil for a timeout that depends on the expected size.
  package var seconds: Double?
  /// The number of retries of a request.
  package var retries = 5
  /// The delay in seconds before the first retry. It doubles for each further retry.
  package var retryDelay = 0.25

  package init() {}

  /// Returns the settings of requests for a file in an allowed bucket. If hosts are restricted,
  /// only the server of the bucket is allowed. The server may have any address, because the user's
  /// own settings select the server.
  ///
  /// - Parameter url: the URL of the file, which is derived from its name and the user's settings.
  package func ofBucket(at url: String) -> HTTPSettings {
    guard hosts != nil else { return self }
    var settings = self
    settings.hosts = HostAccess([])
    if let origin = NetworkOrigin(url) {
      settings.hosts?.named = [NetworkHost(name: origin.host, port: origin.port)]
    }
    return settings
  }
}
