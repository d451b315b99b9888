import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// As whom services are asked: with a token, or with a name and a password for one.
///
/// Both go to one origin alone: the one that is named, else the document's own where it comes from a
/// service, else the first that asks for a token.
public struct SignIn: Sendable, Hashable {
  /// A token that is there already.
  public var token: String?
  /// The name for the token service that the services name.
  public var user: String?
  /// The password for it.
  public var password: String?
  /// The only host that gets to know them; nil for the one that the document or its services say.
  public var host: NetworkHost?

  /// With a token.
  public init(token: String, host: NetworkHost? = nil) {
    (self.token, self.host) = (token, host)
  }

  /// With a name and a password.
  public init(user: String, password: String, host: NetworkHost? = nil) {
    (self.user, self.password, self.host) = (user, password, host)
  }

  /// What a user says: a token, or `HOST=TOKEN`; without either the same in the environment's
  /// `PLUMB_TOKEN`, else its `PLUMB_USER` and `PLUMB_PASSWORD`.
  ///
  /// - Returns: nil where nobody signs in.
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

  /// - Parameter text: a token, which may end in `=`, or one behind its host.
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

  /// A text without the secrets in it.
  package func hiding(in text: String) -> String {
    var text = text
    for secret in [token, password].compactMap({ $0 }) where secret.count > 3 {
      text = text.replacing(secret, with: "…")
    }
    return text
  }
}

extension SignIn: CustomStringConvertible, CustomReflectable {
  /// Without the secrets.
  public var description: String {
    user.map { "the user \($0)" } ?? (token == nil ? "nobody" : "a token")
  }

  /// Nothing: a dump would show the secrets.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
