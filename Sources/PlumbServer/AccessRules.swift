import HTTPTypes
import Plumb
import PlumbIO
import PlumbService
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The access rules, which check the requested host, the origin of the requesting page, and the
/// token.
struct AccessRules: Sendable {
  private let hosts: Set<ByteName>
  /// Whether the server listens on all addresses.
  private let isWildcard: Bool
  private let origins: Set<ByteName>
  private let allowsAnyOrigin: Bool
  /// The tokens; nil if none is required.
  private let tokens: [[UInt8]]?

  init(_ access: ServerAccessArguments) throws {
    isWildcard = access.bind == "0.0.0.0" || access.bind == "::"
    var hosts: Set<String> = [access.bind.lowercasedASCII]
    if access.isLoopback || isWildcard { hosts.formUnion(["localhost", "127.0.0.1", "::1"]) }
    if isWildcard {
      var name = [CChar](repeating: 0, count: 256)
      if gethostname(&name, name.count - 1) == 0 {
        hosts.insert(
          String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .lowercasedASCII)
      }
    }
    allowsAnyOrigin = access.cors.contains("*")
    var origins: Set<String> = []
    for origin in access.cors where origin != "*" {
      guard let host = Self.host(ofOrigin: origin) else {
        throw PlumbError(
          "--cors \(origin.printable): expected an origin such as https://maps.example.org",
          code: .badOption)
      }
      let plain = origin.hasBytes(atEnd: "/") ? String(origin.dropLast()) : origin
      origins.insert(plain.lowercasedASCII)
      hosts.insert(host)
    }
    if let host = access.baseURL.flatMap({ Self.host(ofOrigin: $0) }) { hosts.insert(host) }
    self.hosts = Set(hosts.map { ByteName($0) })
    self.origins = Set(origins.map { ByteName($0) })
    do {
      tokens = try access.tokenFile.map { try Self.tokens(in: $0) }
    } catch {
      throw PlumbError("--token-file", error)
    }
  }

  var needsToken: Bool { tokens != nil }

  /// The maximum size of a token file in bytes.
  private static let maximumTokenBytes = 1 << 16

  /// Reads the tokens of a file, one per line.
  private static func tokens(in path: String) throws -> [[UInt8]] {
    guard let bytes = try SmallFile.bytes(of: path, limit: maximumTokenBytes) else {
      throw PlumbError(
        "\(path.printable) has over \(maximumTokenBytes >> 10) kB, the limit for a file of tokens",
        code: .limit)
    }
    let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
    let tokens = try lines.enumerated().compactMap { index, line -> [UInt8]? in
      guard let text = String(validating: line, as: UTF8.self) else {
        throw PlumbError(
          "\(path.printable): token number \(index + 1) is not UTF-8", code: .badInput)
      }
      let token = Array(text.trimmingASCIISpace().utf8)
      return token.isEmpty ? nil : token
    }
    guard !tokens.isEmpty else {
      throw PlumbError("\(path.printable) has no token", code: .badInput)
    }
    return tokens
  }

  // MARK: Hosts and origins

  /// Returns the host of an origin such as `https://maps.example.org:8443`; nil if it is invalid.
  static func host(ofOrigin origin: String) -> String? {
    guard let authority = authority(ofOrigin: origin) else { return nil }
    return host(of: authority.pathWords.first { !$0.isEmpty } ?? "")
  }

  /// Returns the part after `://`; nil if there is no `://`.
  private static func authority(ofOrigin origin: String) -> String? {
    let bytes = origin.utf8
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else {
      return nil
    }
    return String(decoding: bytes[start...].dropFirst(3), as: UTF8.self)
  }

  /// Returns a host without its port; nil if it is empty.
  private static func host(of authority: String) -> String? {
    let text = authority.lowercasedASCII.utf8
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      return String(decoding: text[..<end].dropFirst(), as: UTF8.self)
    }
    let host = String(decoding: text.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    return host.isEmpty ? nil : host
  }

  private static func isAddress(_ host: String) -> Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
  }

  /// Whether the host in a request is a name of this server. This check prevents DNS rebinding.
  func allows(host authority: String?) -> Bool {
    // HTTP/1.0 requests may have no host.
    guard let authority else { return true }
    guard let host = Self.host(of: authority) else { return false }
    // An attacker can bind any DNS name to this server's address, so only known names are accepted.
    // A request to an IP address is not subject to rebinding.
    return hosts.contains(ByteName(host)) || isWildcard && Self.isAddress(host)
  }

  /// Whether a web page may read replies. Pages of this server and of the allowed origins may.
  func allows(origin: String?, host: String?) -> Bool {
    guard let origin, !allowsAnyOrigin else { return true }
    if origins.contains(ByteName(origin.lowercasedASCII)) { return true }
    guard let requestedHost = host?.lowercasedASCII,
      let other = Self.authority(ofOrigin: origin)
    else {
      return false
    }
    return other.lowercasedASCII.hasSameBytes(as: requestedHost)
  }

  /// Whether the headers of replies depend on the origin of the request.
  var variesByOrigin: Bool { !origins.isEmpty && !allowsAnyOrigin }

  /// Returns the `Access-Control-Allow-Origin` header; nil if the origin is not allowed.
  func sharing(with origin: String?) -> String? {
    guard let origin else { return nil }
    if allowsAnyOrigin { return "*" }
    return origins.contains(ByteName(origin.lowercasedASCII)) ? origin : nil
  }

  // MARK: Tokens

  enum TokenCheck { case accepted, missing, wrong }

  /// - Parameter candidates: all tokens in a request.
  func check(_ candidates: [String]) -> TokenCheck {
    guard let tokens else { return .accepted }
    guard !candidates.isEmpty else { return .missing }
    var isKnown = false
    for one in candidates {
      for token in tokens where Self.equal(Array(one.utf8), token) { isKnown = true }
    }
    return isKnown ? .accepted : .wrong
  }

  /// Compares tokens in constant time, so that timing does not reveal the position of a difference.
  private static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    var difference = UInt8(a.count == b.count ? 0 : 1)
    for index in b.indices {
      difference |= b[index] ^ (index < a.count ? a[index] : 0)
    }
    return difference == 0
  }

  /// Returns the tokens in headers.
  func tokens(in headers: HTTPFields) -> [String] {
    guard needsToken else { return [] }
    return [HTTPField.Name.authorization, HTTPField.Name("X-Esri-Authorization")].compactMap {
      name in
      guard let name, let text = headers[name] else { return nil }
      let words = text.split(separator: " ")
      guard words.count == 2, words[0].lowercasedASCII == "bearer" else { return nil }
      return String(words[1])
    }
  }
}

/// The current rules, which are replaced when the token file is reloaded.
final class LiveAccess: Sendable {
  private let current: Mutex<AccessRules>

  init(_ rules: AccessRules) { current = Mutex(rules) }

  var rules: AccessRules { current.withLock { $0 } }

  func replace(_ rules: AccessRules) { current.withLock { $0 = rules } }
}
