import Plumb

/// How services answer.
package struct ServiceSettings: Sendable {
  /// Points in one request, at most.
  package var maximumPoints = 1_000_000
  /// Bytes of decoded tiles that are kept for all services.
  package var cacheBytes = 512 << 20
  /// The files and hosts that documents may name.
  package var access = DocumentAccess.folder
  /// As whom other services are asked; nil for nobody.
  package var signIn: SignIn?
  /// Bytes of a request's body, for who asks before sending one; nil for no limit.
  package var maximumBody: Int?
  /// What settings are called in lines for who runs the server.
  package var names: [Setting: String] = [:]
  /// The threads that one request may use.
  package var workers = Workers()
  /// Whether a token is needed, for `info`.
  package var needsToken = false

  /// The usual ones.
  package init() {}
}

extension ServiceSettings {
  /// - Throws: when there are more points than a request may have.
  func check(_ points: [SIMD2<Double>], of option: String) throws(ServiceError) {
    guard points.count <= maximumPoints else {
      throw ServiceError("\(option): more than \(maximumPoints) points", status: 413, kind: .limit)
    }
  }
}
