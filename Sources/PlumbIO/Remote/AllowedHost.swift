/// An entry of the list of hosts to which documents may refer.
public enum AllowedHost: Sendable, Hashable, CustomStringConvertible {
  /// A host, for URLs, services and databases.
  case host(NetworkHost)
  /// A bucket, for the files in it. Requests for these files are signed with the user's
  /// credentials. Therefore, an entry for a server's host does not allow the buckets on that
  /// server.
  case bucket(NetworkBucket)

  /// Parses a host in a form of `NetworkHost`, or a bucket in a form of `NetworkBucket`; nil for any
  /// other string, including URLs and the names of files in buckets.
  public init?(_ text: String) {
    if let bucket = NetworkBucket(text) {
      self = .bucket(bucket)
    } else if let host = NetworkHost(text) {
      self = .host(host)
    } else {
      return nil
    }
  }

  /// The forms of entries, for messages.
  package static let forms = "HOST, HOST:PORT, s3://BUCKET, gs://BUCKET or az://CONTAINER"

  /// The only allowed port; nil for all ports, and for a bucket, because the port of its server is
  /// not known.
  public var port: Int? { if case .host(let host) = self { host.port } else { nil } }

  /// The entry as a string.
  public var description: String {
    switch self {
    case .host(let host): host.description
    case .bucket(let bucket): bucket.description
    }
  }
}
