import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where temporary files go: SQLite's when it sorts, those that inputs are copied to.
enum TemporaryFolder {
  /// The user's folder for Plumb's temporary files alone, which `TMPDIR` names from then on; others'
  /// files in the common folder are none of a document's business. Nil when it cannot be had.
  ///
  /// It stays, empty: a process that may not reach the common folder cannot remove it from there.
  static var own: String? {
    let common = variable("TMPDIR") ?? "/tmp"
    let name = "/plumb-\(getuid())"
    // A helper has that of the process that started it.
    let path = common.hasBytes(atEnd: name) ? common : common + name
    mkdir(path, 0o700)
    var facts = stat()
    // Whoever else made it could read or swap the files.
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid(),
      facts.st_mode & 0o077 == 0
    else { return nil }
    for name in ["TMPDIR", "SQLITE_TMPDIR", "CPL_TMPDIR"] { setenv(name, path, 1) }
    return path
  }

  /// Keeps what cleans up common folders from removing it, for as long as the process lives.
  static func hold(_ path: String) {
    let handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if handle >= 0, flock(handle, LOCK_SH | LOCK_NB) != 0 { close(handle) }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
