import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder for temporary files: SQLite's files for sorting, and copies of inputs.
enum TemporaryFolder {
  /// The user's folder for Plumb's temporary files; nil if the folder cannot be created or used.
  /// `TMPDIR` is set to this folder, so that documents cannot access temporary files of other
  /// programs.
  ///
  /// The folder is not removed, because a process in the sandbox has no access to the parent
  /// folder.
  static var current: String? {
    let common = variable("TMPDIR") ?? "/tmp"
    let name = "/plumb-\(getuid())"
    // A helper inherits `TMPDIR` from its parent.
    let path = common.hasBytes(atEnd: name) ? common : common + name
    mkdir(path, 0o700)
    var facts = stat()
    // Another owner of the folder could read or replace the files.
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
