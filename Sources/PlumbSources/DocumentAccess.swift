import PlumbGDAL
import PlumbIO

/// The files and hosts that a document may refer to, and the resources that a file named by the user may
/// access.
public enum DocumentAccess: Sendable, Hashable {
  /// Allows files in the map document's folder and below it, after symbolic links are resolved.
  /// Files outside of it, networks, and formats that read other files are not allowed. A file that
  /// the user names may refer to other files. Such a file uses a network only if its name requires
  /// a network, and its SQL reads only its own tables.
  case folder
  /// Like `folder`, and also allows services of these hosts, and files in these buckets. A host that
  /// resolves to an address of this machine or of a private network also needs an entry for that address.
  /// A bucket does not allow other requests to its server, and the server's host does not allow buckets.
  case hosts([NetworkHost], buckets: [NetworkBucket] = [])
  /// Allows all files and networks that GDAL can open, and any SQL.
  case anywhere

  /// The access that a user allows.
  ///
  /// - Parameters:
  ///   - isUnlimited: whether documents may name any file and any host.
  ///   - entries: the allowed hosts and buckets.
  package init(isUnlimited: Bool, allowing entries: [AllowedHost]) {
    guard !isUnlimited, !entries.isEmpty else {
      self = isUnlimited ? .anywhere : .folder
      return
    }
    self = .hosts(
      entries.compactMap { if case .host(let host) = $0 { host } else { nil } },
      buckets: entries.compactMap { if case .bucket(let bucket) = $0 { bucket } else { nil } })
  }

  /// Whether there are no restrictions.
  package var isUnlimited: Bool { self == .anywhere }

  /// The hosts and buckets that a document may access; nil for all.
  package var hosts: HostAccess? {
    switch self {
    case .folder: HostAccess([])
    case .hosts(let hosts, let buckets): HostAccess(hosts, buckets: buckets)
    case .anywhere: nil
    }
  }

  /// The resources that GDAL may use for a path that the user names; nil for the default.
  package var named: GDALAccess? { isUnlimited ? .anywhere : nil }
}
