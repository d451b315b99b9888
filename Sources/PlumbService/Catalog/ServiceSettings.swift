import Plumb

/// The settings of the services.
package struct ServiceSettings: Sendable {
  /// The maximum number of points in one request.
  package var maximumPoints = 1_000_000
  /// The capacity of the tile cache of all services, in bytes.
  package var cacheBytes = 512 << 20
  /// The files and hosts that documents may refer to.
  package var access = DocumentAccess.folder
  /// The credentials for requests to other services; nil for none.
  package var signIn: SignIn?
  /// The maximum size of a request body in bytes; nil for no limit. Clients can query this size
  /// before they send a body.
  package var maximumBody: Int?
  /// The maximum memory for the shapes of a vector picture, in bytes.
  package var vectorPicture = 128 << 20
  /// The names of settings in messages for the operator.
  package var names: [Setting: String] = [:]
  /// The threads that one request may use.
  package var workers = Workers()
  /// Whether a token is required. The `info` reply contains this setting.
  package var needsToken = false

  /// Creates the default settings.
  package init() {}
}

extension ServiceSettings {
  /// - Throws: if the number of points exceeds the limit of a request.
  func check(_ points: [SIMD2<Double>], of option: String) throws(ServiceError) {
    guard points.count <= maximumPoints else {
      throw ServiceError("\(option): more than \(maximumPoints) points", status: 413, kind: .limit)
    }
  }
}
