import PlumbGDAL
import PlumbIO

/// The files and hosts that a document may name, and the access that files named by the user have.
public enum DocumentAccess: Sendable, Hashable {
  /// Files in the map document's folder and below it, after symbolic links are resolved. Files outside,
  /// networks, and formats that read other files are not allowed. Files that the user names may refer to
  /// other files, but use a network only if their name requires one, and their SQL reads only their own
  /// tables.
  case folder
  /// Like `folder`, with services of these hosts. A host that resolves to an address of this machine or of a
  /// private network also needs an entry for that address.
  case hosts([NetworkHost])
  /// All files and networks that GDAL can open, and any SQL.
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
