import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder of unfinished results. The run that owns the folder locks a file in it. If this file is
/// not locked, or if the folder is empty, the run that created the folder was killed.
package final class UnfinishedFolder: Sendable {
  package let path: String
  private let lock: Int32

  /// The name of the locked file in each folder.
  static let lockName = ".plumb-lock"
  /// The number of letters and digits after a folder's prefix.
  private static let suffixLength = 6
  /// The maximum nesting depth of folders that are removed.
  private static let depthLimit = 8

  private init(path: String, lock: Int32) { (self.path, self.lock) = (path, lock) }

  deinit { close(lock) }

  /// Creates a folder.
  ///
  /// - Parameter prefix: the path without its random suffix.
  /// - Returns: nil if the folder cannot be created, with the reason in `errno`.
  package static func make(_ prefix: String) -> UnfinishedFolder? {
    // Another run may remove a new folder before it contains a lock or before the lock is held, so
    // several attempts are made.
    for _ in 0..<16 {
      var template = Array((prefix + String(repeating: "X", count: suffixLength)).utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      let path = String(
        decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let name = path + "/" + lockName
      let lock = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard lock >= 0 else {
        let code = errno
        if code == ENOENT { continue }
        rmdir(path)
        errno = code
        return nil
      }
      // If the file system does not support locks, folders of killed runs are not removed.
      let isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
      if isLocked, isSame(lock, AT_FDCWD, name) { return UnfinishedFolder(path: path, lock: lock) }
      close(lock)
    }
    errno = EAGAIN
    return nil
  }

  /// Creates a folder in the folder of temporary files, after removing the folders of killed runs.
  ///
  /// - Parameter name: the name without its random suffix.
  package static func temporary(_ name: String) throws(PlumbError) -> UnfinishedFolder {
    let base =
      getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let prefix = "\(base)/\(name)"
    removeAbandoned(prefix)
    guard let made = make(prefix) else {
      throw PlumbError("cannot create a temporary folder in \(base.printable)", code: .system)
    }
    return made
  }

  /// Removes the folder and its contents. The lock is removed last, so that the next run can remove
  /// the rest if this run is killed.
  package func remove() {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    Self.empty(folder, keeping: Self.lockName, depth: 0)
    unlinkat(folder, Self.lockName, 0)
    close(folder)
    rmdir(path)
  }

  // MARK: Folders of killed runs

  /// Removes the folders of this user's killed runs.
  ///
  /// - Parameter prefix: the paths of the folders without the random suffix.
  package static func removeAbandoned(_ prefix: String) {
    let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { String(prefix[...$0]) } ?? "."
    let start = slash.map { String(prefix[prefix.utf8.index(after: $0)...]) } ?? prefix
    let names = folderEntries(parent).filter { isName($0, start) }
    guard !names.isEmpty else { return }
    let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    for name in names { removeAbandoned(name, in: folder) }
  }

  private static func isName(_ name: String, _ start: String) -> Bool {
    let (bytes, first) = (Array(name.utf8), Array(start.utf8))
    return bytes.count == first.count + suffixLength && bytes.starts(with: first)
      && bytes[first.count...].allSatisfy { $0 &- 48 <= 9 || ($0 | 0x20) &- 97 < 26 }
  }

  /// Removes a folder if its lock is not held or if it is empty. All entries are accessed relative to
  /// the folder's descriptor, so that links cannot redirect the removal.
  private static func removeAbandoned(_ name: String, in parent: Int32) {
    let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    var facts = stat()
    guard fstat(folder, &facts) == 0, facts.st_uid == geteuid() else { return }
    let lock = openat(folder, lockName, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard lock >= 0 else {
      // The run was killed before it created the lock or after it removed the lock. Folders with
      // other permissions are not from a run, and folders that are not empty are kept by the system.
      if errno == ENOENT, facts.st_mode & 0o777 == 0o700, isSame(folder, parent, name) {
        unlinkat(parent, name, AT_REMOVEDIR)
      }
      return
    }
    defer { close(lock) }
    guard fstat(lock, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
      flock(lock, LOCK_EX | LOCK_NB) == 0, isSame(lock, folder, lockName)
    else { return }
    empty(folder, keeping: lockName, depth: 0)
    guard unlinkat(folder, lockName, 0) == 0, isSame(folder, parent, name) else { return }
    unlinkat(parent, name, AT_REMOVEDIR)
  }

  /// Whether a name in a folder refers to an open file directly and not through a link.
  private static func isSame(_ file: Int32, _ folder: Int32, _ name: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(file, &opened) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0
      && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
  }

  private static func empty(_ folder: Int32, keeping kept: String?, depth: Int) {
    let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let handle = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      return
    }
    defer { closedir(handle) }
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != "..", name != kept, unlinkat(folder, name, 0) != 0,
        depth < depthLimit
      else { continue }
      let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else { continue }
      empty(inner, keeping: nil, depth: depth + 1)
      close(inner)
      unlinkat(folder, name, AT_REMOVEDIR)
    }
  }
}
