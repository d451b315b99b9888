import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A result file that has its final name only when it is complete. Until then, it is in a temporary
/// folder next to the target. The folder is removed on failure and on signals. If the process is
/// killed, the next run removes the folder.
///
/// Devices and named pipes (`/dev/stdout`, `/dev/null`) are written directly, without a temporary
/// file.
package final class OutputFile {
  /// The path to write to. It consists of the temporary folder and the target's file name.
  package let temporaryPath: String
  /// Whether bytes are written directly to the target, because it is a device or a pipe.
  package let isDirect: Bool
  /// Whether this file replaces an existing file.
  private(set) var replacesFile = false
  private let folder: String
  /// The folder with its lock, which is held while this object exists.
  private var unfinished: UnfinishedFolder?
  private let target: String
  private let parent: String
  private let overwrites: Bool
  private var isDone = false

  /// Whether a path is a device or a pipe, to which bytes are written directly.
  package static func isStream(_ path: String) -> Bool {
    ["/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/")
      || FileKind(path: path) == .stream
  }

  /// - Throws: if the target exists and may not be overwritten, or if its folder cannot be written.
  package init(target path: String, overwrite: Bool) throws {
    overwrites = overwrite
    isDirect = Self.isStream(path)
    // A symbolic link is kept, and its target is replaced.
    let target = isDirect ? path : Self.resolved(path)
    let slash = target.lastIndex(of: "/")
    let parent = slash.map { String(target[...$0]) } ?? ""
    (self.target, self.parent) = (target, parent)
    if isDirect {
      (folder, temporaryPath, isDone) = ("", StandardOutput.path(for: path), true)
      return
    }
    try Self.check(target, named: path, overwrite: overwrite)
    replacesFile = FileKind(path: target) == .file
    let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
    guard !name.isEmpty else { throw PlumbError("\(path.printable) is not the name of a file") }
    guard name != UnfinishedFolder.lockName else {
      throw PlumbError("\(path.printable): the name is reserved by Plumb; choose another one")
    }
    let prefix = parent + ".plumb-"
    UnfinishedFolder.removeAbandoned(prefix)
    // The lock is held, so that the signal handler never finds a folder that exists but is not
    // registered.
    let made = Self.pending.withLock { folders -> Result<UnfinishedFolder, SystemError> in
      guard let made = UnfinishedFolder.make(prefix) else {
        return .failure(SystemError("\(path.printable) cannot be written"))
      }
      folders[made.path] = LibraryFault.remember(folder: made.path)
      return .success(made)
    }
    let created = try made.get()
    (unfinished, folder) = (created, created.path)
    temporaryPath = folder + "/" + name
  }

  /// - Parameter name: the path in messages; nil for the path itself.
  /// - Throws: if a path is a folder, or exists and may not be overwritten.
  package static func check(_ path: String, named name: String? = nil, overwrite: Bool) throws {
    switch FileKind(path: path) {
    case .folder: throw PlumbError("\((name ?? path).printable) is a folder")
    case .file where !overwrite: throw exists(name ?? path)
    default: break
    }
  }

  deinit { discard() }

  private static func resolved(_ path: String) -> String {
    guard let buffer = realpath(path, nil) else { return path }
    defer { free(buffer) }
    return String(cString: buffer)
  }

  static func exists(_ path: String) -> PlumbError {
    PlumbError(
      "\(path.printable) exists", code: .exists, remedies: ["\(.overwrite) replaces it"],
      context: FailureContext(file: path))
  }

  /// Converts an error about the temporary file to an error about the target. Libraries report a
  /// full disk with different messages, for which this method returns a single message.
  package func named(_ error: any Error) -> PlumbError {
    var named = PlumbError(error)
    if isDirect { return named }
    var facts = statvfs()
    if statvfs(folder, &facts) == 0, UInt(facts.f_bavail) * UInt(facts.f_frsize) < 1 << 14 {
      return PlumbError(
        "\(target.printable) cannot be written: the disk is full", code: .system,
        context: FailureContext(file: target), cause: error)
    }
    let rename = { [folder, parent] (text: String) in
      text.replacing(folder.printable + "/", with: parent.printable)
    }
    named.messageTemplate = named.messageTemplate.map(rename)
    named.remedies = named.remedies.map { $0.map(rename) }
    return named
  }

  /// Moves the file to its final name. Other files in the temporary folder, such as the parts of a
  /// Shapefile, are moved first.
  package func commit() throws {
    guard !isDone else { return }
    // The lock is held, so that the signal handler runs before or after the whole move.
    try Self.pending.withLock { _ in
      let main = temporaryPath.split(separator: "/").last.map(String.init)
      let others = folderEntries(folder).filter { $0 != main && $0 != UnfinishedFolder.lockName }
      for file in others where !overwrites && FileKind(path: parent + file) != nil {
        throw Self.exists(parent + file)
      }
      for file in others {
        guard rename(folder + "/" + file, parent + file) == 0 else {
          throw SystemError((parent + file).printable)
        }
      }
      guard rename(temporaryPath, target) == 0 else { throw SystemError(target.printable) }
    }
    discard()
  }

  private func discard() {
    guard !isDone else { return }
    isDone = true
    Self.pending.withLock { folders in
      guard let number = folders.removeValue(forKey: folder) else { return }
      Self.remove(folder)
      unfinished = nil
      LibraryFault.forget(folder: number)
    }
  }

  private static let pending = Mutex<[String: Int32]>([:])

  /// Sets an action that runs before a signal ends the process. The action may, for example,
  /// complete a result that grows until the process is stopped.
  package static func beforeDiscarding(_ body: @escaping @Sendable () -> Void) {
    preparation.withLock { $0 = body }
  }

  private static let preparation = Mutex<(@Sendable () -> Void)?>(nil)

  /// Removes all unfinished results and calls `end`, which should end the process. The thread that
  /// handles signals calls this method. During the call, no result can be moved to its final name.
  package static func discardAll(then end: () -> Void) {
    preparation.withLock { $0 }?()
    pending.withLock { folders in
      for folder in folders.keys { remove(folder) }
      folders = [:]
      end()
    }
  }

  /// Removes a folder to which other threads may still write.
  private static func remove(_ folder: String) {
    for _ in 0..<100 {
      for name in folderEntries(folder) {
        let path = folder + "/" + name
        if unlink(path) != 0, FileKind(path: path) == .folder { remove(path) }
      }
      if rmdir(folder) == 0 || errno == ENOENT { return }
    }
  }
}
