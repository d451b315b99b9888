import PlumbGDAL
import PlumbIO

/// Which files and hosts a document may name, and what a file may do that the user names.
public enum DocumentAccess: Sendable, Hashable {
  /// Those in the map document's folder and below it, symbolic links followed: nothing outside, no
  /// network, no format that reads other files than its own. What the user names may refer to other
  /// files, but uses a network only where its name leads to one, and its SQL reads its own tables.
  case folder
  /// The same, and services of these hosts. A host that stands for an address of this
  /// machine or of a network of its own needs an entry of that address too.
  case hosts([NetworkHost])
  /// Whatever GDAL opens, on a network too, and any SQL.
  case anywhere

  /// Whether there is no wall at all.
  package var isUnlimited: Bool { self == .anywhere }

  /// The hosts that a document may name; nil for all.
  package var hosts: HostAccess? {
    switch self {
    case .folder: HostAccess([])
    case .hosts(let hosts): HostAccess(hosts)
    case .anywhere: nil
    }
  }

  /// What GDAL may use for a path that the user names; nil for what is usual for it.
  package var named: GDALAccess? { isUnlimited ? .anywhere : nil }
}
