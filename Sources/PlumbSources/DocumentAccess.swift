import PlumbGDAL
import PlumbIO

/// The files and hosts that a document may name, and the access of files that the user names.
public enum DocumentAccess: Sendable, Hashable {
  /// Files in the map document's folder and below it, after resolving symbolic links: nothing outside, no
  /// network, no format that reads files other than its own. Files that the user names may refer to other
  /// files, but use a network only if their name requires one, and their SQL reads only their own tables.
  case folder
  /// As `folder`, and services of these hosts. A host that resolves to an address of this
  /// machine or of a private network also needs an entry for that address.
  case hosts([NetworkHost])
  /// Anything that GDAL opens, including networks, and any SQL.
  case anywhere

  /// Whether there are no restrictions.
  package var isUnlimited: Bool { self == .anywhere }

  /// The hosts that a document may name; nil for all.
  package var hosts: HostAccess? {
    switch self {
    case .folder: HostAccess([])
    case .hosts(let hosts): HostAccess(hosts)
    case .anywhere: nil
    }
  }

  /// The resources that GDAL may use for a path that the user names; nil for the default.
  package var named: GDALAccess? { isUnlimited ? .anywhere : nil }
}
