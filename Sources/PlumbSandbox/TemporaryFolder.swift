import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder of temporary files, which are SQLite's files for sorting and copies of inputs.
enum TemporaryFolder {
  /// The user's folder for Plumb's temporary files, to which `TMPDIR` is set, so that documents cannot access
  /// files of other programs in the common folder; nil if it cannot be created or used.
  ///
  /// The folder is not removed, because a process without access to the common folder cannot remove it from
  /// there.
  static var current: String? {
    let common = variable("TMPDIR") ?? "/tmp"
    let name = "/plumb-\(getuid())"
    // A helper inherits `TMPDIR` from its parent.
    let path = common.hasBytes(atEnd: name) ? common : common + name
    mkdir(path, 0o700)
    var facts = stat()
    // If the folder had another owner, that user could read or replace the files.
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == getuid(),
      facts.st_mode & 0o077 == 0
    else { return nil }
    for name in ["TMPDIR", "SQLITE_TMPDIR", "CPL_TMPDIR"] { setenv(name, path, 1) }
    return path
  }

  /// Locks the folder against programs that clean up common folders, until the process ends.
  static func keepOpen(_ path: String) {
    let handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if handle >= 0, flock(handle, LOCK_SH | LOCK_NB) != 0 { close(handle) }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
