#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Patterns of file names with `*`, `?` and `[…]`.
package enum FileNamePattern {
  /// Whether a name without slashes matches a pattern. A leading dot matches only a dot in the
  /// pattern, not a wildcard.
  package static func matches(_ name: String, _ pattern: String) -> Bool {
    fnmatch(pattern, name, FNM_PERIOD) == 0
  }
}
