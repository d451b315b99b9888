import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A result that appears under its name only when it is whole: until then it lives in a folder of
/// its own beside the target, which goes away on failure and on signals.
public final class OutputFile {
  /// Where to write meanwhile: the target's own file name, in the temporary folder.
  let temporaryPath: String
  private let folder: String
  private let target: String
  private var isDone = false

  /// - Throws: when the target exists and may not be overwritten, or its folder cannot be written.
  init(target: String, overwrite: Bool) throws {
    self.target = target
    switch FileKind(path: target) {
    case .folder: throw PlumbError("\(target.printable) is a folder")
    case .file where !overwrite:
      throw PlumbError("\(target.printable) exists; --overwrite replaces it")
    default: break
    }
    let slash = target.lastIndex(of: "/")
    let parent = slash.map { String(target[...$0]) } ?? ""
    let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
    guard !name.isEmpty else { throw PlumbError("\(target.printable) names no file") }
    var template = Array((parent + ".plumb-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError("\(target.printable) cannot be written")
    }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    temporaryPath = folder + "/" + name
    Self.pending.withLock { _ = $0.insert(folder) }
  }

  deinit { discard() }

  /// Moves what was written to its final name. Files that belong to it (a Shapefile's parts) go
  /// along first.
  func commit() throws {
    let files = Self.files(in: folder)
    let main = temporaryPath.split(separator: "/").last.map(String.init)
    let slash = target.lastIndex(of: "/")
    let parent = slash.map { String(target[...$0]) } ?? ""
    for file in files where file != main {
      guard rename(folder + "/" + file, parent + file) == 0 else {
        throw SystemError((parent + file).printable)
      }
    }
    guard rename(temporaryPath, target) == 0 else { throw SystemError(target.printable) }
    discard()
  }

  private func discard() {
    guard !isDone else { return }
    isDone = true
    Self.remove(folder)
    Self.pending.withLock { _ = $0.remove(folder) }
  }

  private static let pending = Mutex<Set<String>>([])

  /// Removes all unfinished results: what a signal handler's thread calls before the end.
  public static func discardAll() {
    pending.withLock { folders in
      for folder in folders { remove(folder) }
      folders = []
    }
  }

  private static func remove(_ folder: String) {
    for file in files(in: folder) { unlink(folder + "/" + file) }
    rmdir(folder)
  }

  private static func files(in folder: String) -> [String] {
    folderEntries(folder).filter { $0 != "." && $0 != ".." }
  }
}

/// Where bytes of rows go: standard output, or a file that is not finished yet.
final class ByteOutput {
  private let file: Int32
  private let path: String
  private let ownsFile: Bool
  private(set) var byteCount = 0

  /// - Parameter path: nil is standard output.
  init(path: String?) throws {
    self.path = path ?? "standard output"
    ownsFile = path != nil
    file = path.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) } ?? STDOUT_FILENO
    guard file >= 0 else { throw SystemError(self.path.printable) }
  }

  deinit {
    if ownsFile { close(file) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Darwin)
        let count = Darwin.write(file, rest.baseAddress, rest.count)
      #else
        let count = Glibc.write(file, rest.baseAddress, rest.count)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError(path.printable)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      byteCount += count
    }
  }

  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}
