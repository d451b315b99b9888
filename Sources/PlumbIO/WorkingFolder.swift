#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The working folder of the process.
package enum WorkingFolder {
  /// The path; `/` if it is not known.
  package static var path: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
