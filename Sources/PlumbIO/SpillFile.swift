import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An unnamed temporary file in the folder `TMPDIR` for data that do not fit into memory. Space is
/// reserved at the end of the file, and can then be written and read at any offset. The file is
/// removed when the object is released or the process ends.
///
/// Several threads may use the object concurrently for disjoint ranges.
package final class SpillFile: Sendable {
  private let file: Int32
  private let folder: String
  private let end = Atomic<Int>(0)

  package init() throws {
    (file, folder) = try Self.open()
  }

  deinit { close(file) }

  /// Opens an unnamed file for reading and writing, and returns its folder.
  static func open() throws -> (file: Int32, folder: String) {
    let folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    let parent = folder ?? "/tmp"
    var template = Array((parent + "/plumb-XXXXXX").utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw SystemError("a temporary file in \(parent.printable)") }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return (file, parent)
  }

  /// Reserves bytes at the end and returns their offset. Nothing is written.
  package func reserve(_ byteCount: Int) -> Int {
    end.wrappingAdd(byteCount, ordering: .relaxed).oldValue
  }

  /// Writes bytes at a reserved offset.
  ///
  /// - Throws: if the bytes cannot be written, for example because the disk is full.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try move(bytes.count) { done in
      pwrite(file, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
    }
  }

  /// Fills memory with bytes that were written at an offset.
  package func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try move(bytes.count) { done in
      pread(file, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
    }
  }

  /// Reads or writes all bytes.
  ///
  /// - Parameter part: reads or writes some of the bytes after the first `done` bytes, and returns
  ///   their number.
  private func move(_ byteCount: Int, _ part: (_ done: Int) -> Int) throws {
    var done = 0
    while done < byteCount {
      let count = part(done)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure
      }
      if count == 0 {
        throw PlumbError(
          "a temporary file in \(folder.printable) is shorter than the data written to it",
          code: .system)
      }
      done += count
    }
  }

  private var failure: PlumbError {
    let isFull = errno == ENOSPC || errno == EDQUOT
    return PlumbError(
      SystemError("a temporary file in \(folder.printable)").message, code: .system,
      remedies: isFull ? ["set TMPDIR to a folder with more space"] : [])
  }
}
