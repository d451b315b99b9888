import CLoader

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder in which a program or library of Plumb is distributed with all libraries and data that
/// it needs.
package enum ProgramBundle {
  /// Returns the path of a file or folder in the bundle, such as `share/fonts`; nil if this program
  /// is not in a bundle.
  package static func path(_ name: String) -> String? {
    guard let path = plumb_bundle_path(name) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// Loads a library from the bundle or, if this program is not in a bundle, from the system.
  package static func library(_ name: String) -> UnsafeMutableRawPointer? {
    plumb_library_open(name, RTLD_NOW | RTLD_LOCAL)
  }
}
