import PlumbGDAL

/// Which files a map document may name, and what a file may do that the user names.
public enum DocumentAccess: Sendable, Hashable {
  /// Those in the map document's folder and below it, symbolic links followed: nothing outside, no
  /// network, no format that reads other files than its own. What the user names may refer to other
  /// files, but uses a network only where its name leads to one, and its SQL reads its own tables.
  case folder
  /// Whatever GDAL opens, on a network too, and any SQL.
  case anywhere

  /// What GDAL may use for a path that the user names; nil for what is usual for it.
  package var named: GDALAccess? { self == .anywhere ? .anywhere : nil }
}
