import PlumbGDAL
import PlumbIO

/// The files and hosts that a document may refer to, and the access of files that the user names.
public enum DocumentAccess: Sendable, Hashable {
  /// Allows files in the map document's folder and below it, after symbolic links are resolved.
  /// Files outside of it, networks, and formats that read other files are not allowed. A file that
  /// the user names may refer to other files. Such a file uses a network only if its name requires
  /// a network, and its SQL reads only its own tables.
  case folder
  /// Like `folder`, and also allows services of these hosts. A host that resolves to an address of
  /// this machine or of a private network also needs an entry for that address.
  case hosts([NetworkHost])
  /// Allows all files and networks that GDAL can open, and any SQL.
  case anywhere

  /// Whether there are no restrictions.
  package var isUnlimited: Bool { self == .anywhere }

  /// The hosts that a document may access; nil for all.
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
