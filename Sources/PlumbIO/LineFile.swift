import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file of whole lines that has its final name from the start. Other programs may read, truncate
/// or rename the file while lines are appended.
///
/// Bytes are appended at the file's current end, so that a truncated file does not contain a gap.
/// After the file is renamed, `reopen` creates a new file with the original name. Several threads
/// may use the object.
package final class LineFile: Sendable {
  /// The treatment of an existing file.
  package enum Existing: Sendable {
    /// An existing file is an error.
    case refused
    case replaced
    /// Lines are appended to the existing file. An incomplete last line of a process that was
    /// killed is removed.
    case continued
  }

  package let path: String
  private let descriptor: Mutex<Int32>
  /// The size in bytes of the incomplete last line that was removed when the file was opened.
  package let removedByteCount: Int

  /// - Throws: if the file exists and `existing` is `refused`, or if it cannot be written.
  package init(path: String, existing: Existing) throws {
    self.path = path
    switch FileKind(path: path) {
    case .folder: throw PlumbError("\(path.printable) is a folder")
    case .file where existing == .refused: throw OutputFile.exists(path)
    default: break
    }
    let file = try Self.open(path, existing == .replaced ? O_TRUNC : 0)
    do {
      removedByteCount = existing == .continued ? try Self.removeIncompleteLine(file, path) : 0
    } catch {
      close(file)
      throw error
    }
    descriptor = Mutex(file)
  }

  deinit { descriptor.withLock { _ = close($0) } }

  private static func open(_ path: String, _ more: Int32 = 0) throws -> Int32 {
    #if canImport(Darwin)
      let file = Darwin.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | more, 0o666)
    #else
      let file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | more, 0o666)
    #endif
    guard file >= 0 else { throw SystemError(path.printable) }
    return file
  }

  private static func size(of file: Int32, _ path: String) throws -> Int {
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw SystemError(path.printable) }
    return Int(facts.st_size)
  }

  /// - Returns: the number of removed bytes.
  private static func removeIncompleteLine(_ file: Int32, _ path: String) throws -> Int {
    let size = try size(of: file, path)
    var end = size
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while end > 0 {
      let start = max(0, end - buffer.count)
      let count = pread(file, &buffer, end - start, off_t(start))
      guard count == end - start else { throw SystemError(path.printable) }
      if let last = buffer[..<count].lastIndex(of: 0x0A) {
        end = start + last + 1
        break
      }
      end = start
    }
    if end < size, ftruncate(file, off_t(end)) != 0 { throw SystemError(path.printable) }
    return size - end
  }

  /// The first line, without its line end; nil while the file is empty.
  ///
  /// - Parameter limit: the maximum number of bytes to read.
  package func firstLine(limit: Int) throws -> [UInt8]? {
    try descriptor.withLock { file in
      var buffer = [UInt8](repeating: 0, count: limit)
      let count = pread(file, &buffer, limit, 0)
      guard count >= 0 else { throw SystemError(path.printable) }
      return count == 0 ? nil : Array(buffer[..<count].prefix { $0 != 0x0A })
    }
  }

  /// Writes all lines. On failure, truncates the file to the size that it had before.
  package func write(_ lines: [UInt8]) throws {
    try descriptor.withLock { file in
      let before = try Self.size(of: file, path)
      var rest = lines[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { bytes in
          #if canImport(Darwin)
            Darwin.write(file, bytes.baseAddress, bytes.count)
          #else
            Glibc.write(file, bytes.baseAddress, bytes.count)
          #endif
        }
        if count < 0 {
          if errno == EINTR { continue }
          let error = SystemError(path.printable)
          if rest.count < lines.count { _ = ftruncate(file, off_t(before)) }
          throw error
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Opens the path again. If the previous file was renamed or removed, creates a new file.
  ///
  /// - Throws: if the path cannot be opened. Lines are then still written to the previous file.
  package func reopen() throws {
    let file = try Self.open(path)
    descriptor.withLock {
      _ = close($0)
      $0 = file
    }
  }
}
