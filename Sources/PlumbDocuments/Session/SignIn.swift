import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The credentials for services: a token, or a user name and password to obtain one.
///
/// The credentials are sent to only one origin: the given host or, if none is given, the origin of
/// the document if it comes from a service, and otherwise the first origin that requires a token.
public struct SignIn: Sendable, Hashable {
  /// An existing token.
  public var token: String?
  /// The user name for the services' token service.
  public var user: String?
  /// The password of the user.
  public var password: String?
  /// The only host that receives the credentials; nil if the document or its services determine the origin.
  public var host: NetworkHost?

  /// Creates credentials with a token.
  public init(token: String, host: NetworkHost? = nil) {
    (self.token, self.host) = (token, host)
  }

  /// Creates credentials with a user name and password.
  public init(user: String, password: String, host: NetworkHost? = nil) {
    (self.user, self.password, self.host) = (user, password, host)
  }

  /// Parses an option: a token, or `HOST=TOKEN`. Without the option, the environment variable `PLUMB_TOKEN`
  /// is used, which has the same form. If it is not set, `PLUMB_USER` and `PLUMB_PASSWORD` are used.
  ///
  /// - Returns: nil if there are no credentials.
  public init?(option: String?) {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    if let text = option ?? variable("PLUMB_TOKEN") {
      self.init(hostAndToken: text)
    } else if let user = variable("PLUMB_USER"), let password = variable("PLUMB_PASSWORD") {
      self.init(user: user, password: password)
    } else {
      return nil
    }
  }

  /// - Parameter text: a token, which may end in `=`, or `HOST=TOKEN`.
  private init(hostAndToken text: String) {
    if let mark = text.firstIndex(of: "="),
      text[text.index(after: mark)...].contains(where: { $0 != "=" }),
      let host = NetworkHost(String(text[..<mark])),
      host.name.contains(".") || host.name == "localhost" || host.port != nil
    {
      self.init(token: String(text[text.index(after: mark)...]), host: host)
    } else {
      self.init(token: text)
    }
  }

  /// Returns text with the secrets replaced.
  package func hiding(in text: String) -> String {
    var text = text
    for secret in [token, password].compactMap({ $0 }) where secret.count > 3 {
      text = text.replacing(secret, with: "…")
    }
    return text
  }
}

extension SignIn: CustomStringConvertible, CustomReflectable {
  /// A description without the secrets.
  public var description: String {
    user.map { "the user \($0)" } ?? (token == nil ? "none" : "a token")
  }

  /// Empty, so that dumps do not show the secrets.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
