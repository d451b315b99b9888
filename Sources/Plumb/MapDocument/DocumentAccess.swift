/// Which files a map document may name.
public enum DocumentAccess: Sendable, Hashable {
  /// Those in the map document's folder and below it, symbolic links followed: nothing outside, no
  /// network, no format that reads other files than its own.
  case folder
  /// Whatever GDAL opens, on a network too.
  case anywhere
}
