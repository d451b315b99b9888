/// How servers are asked.
package struct HTTPSettings: Sendable, Hashable {
  /// Lines that go with each request, as `Name: value`.
  package var headers: [String] = []
  /// `NAME:PASSWORD` for the server.
  package var userPassword: String?
  /// The proxy's address; nil for what the environment says.
  package var proxy: String?
  /// `NAME:PASSWORD` for the proxy.
  package var proxyUserPassword: String?
  /// The value of the line `Cookie`.
  package var cookie: String?
  /// What the client calls itself.
  package var userAgent = "plumb"
  /// A file of certificates; nil for the system's.
  package var certificates: String?
  /// Whether the server has to be who it says.
  package var verifiesServer = true
  /// Whether passwords come from the user's `.netrc` as well.
  package var usesNetrc = true
  /// The hosts that may be asked; nil for all. With a list no proxy is used: what is connected to is
  /// what was checked.
  package var hosts: HostAccess?
  /// Seconds until a connection has to stand.
  package var connectSeconds = 10.0
  /// Seconds that a request may take; nil for a limit by its size.
  package var seconds: Double?
  /// How often a request is tried again.
  package var retries = 5
  /// Seconds before the first of them; twice as many before each next one.
  package var retryDelay = 0.25

  package init() {}
}
