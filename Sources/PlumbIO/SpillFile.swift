import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A nameless temporary file in the folder of `TMPDIR` for what does not fit into memory: it is
/// appended to, and read and written over anywhere. It goes away with the object, or with the process.
///
/// Several threads may use it at once, for ranges that differ.
package final class SpillFile: Sendable {
  private let file: Int32
  private let folder: String
  private let end = Atomic<Int>(0)

  package init() throws {
    (file, folder) = try Self.open()
  }

  deinit { close(file) }

  /// A nameless file that can be read and written, and the folder that it is in.
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

  /// Room for so many bytes at the end, and where it begins. Nothing is written.
  package func reserve(_ byteCount: Int) -> Int {
    end.wrappingAdd(byteCount, ordering: .relaxed).oldValue
  }

  /// Writes bytes at an offset that was reserved.
  ///
  /// - Throws: when the disk is full, among others.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try move(bytes.count) { done in
      pwrite(file, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
    }
  }

  /// Fills memory with the bytes at an offset that was written.
  package func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try move(bytes.count) { done in
      pread(file, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
    }
  }

  /// Reads or writes until all bytes are done.
  ///
  /// - Parameter part: reads or writes some behind those that are done, and returns how many.
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
          "a temporary file in \(folder.printable) is shorter than what was written to it",
          code: .system)
      }
      done += count
    }
  }

  private var failure: PlumbError {
    let isFull = errno == ENOSPC || errno == EDQUOT
    return PlumbError(
      SystemError("a temporary file in \(folder.printable)").message, code: .system,
      remedies: isFull ? ["let TMPDIR name a folder with more room"] : [])
  }
}
