import CKernels
import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The output for rows, which is standard output or the temporary file of an `OutputFile`.
package final class ByteOutput: Sendable {
  private let file: Int32
  private let path: String
  private let ownsFile: Bool
  /// Whether the output continues an existing file, which already contains the bytes of `begin(with:)`.
  private let continues: Bool
  private let written = Atomic<Int>(0)
  package var byteCount: Int { written.load(ordering: .relaxed) }
  /// Whether bytes are flushed to disk as they are written. If the file replaces another file, some
  /// file systems would otherwise flush all bytes in the final rename, which would block the run.
  private let writesThrough: Bool
  /// The number of bytes whose flush to disk has been started.
  private let handed = Atomic<Int>(0)
  private static let handedAtOnce = 8 << 20
  /// Bytes that are written before the bytes of the next write.
  private let opening = Mutex<[UInt8]>([])

  /// Creates an output to `file`; nil for standard output.
  package convenience init(_ file: OutputFile?) throws {
    try self.init(path: file?.temporaryPath, writesThrough: file?.replacesFile ?? false)
  }

  /// - Parameters:
  ///   - path: the path of the output; nil for standard output.
  ///   - kept: the number of bytes of an existing file after which the output continues.
  package init(path: String?, writesThrough: Bool = false, after kept: Int = 0) throws {
    self.writesThrough = writesThrough
    self.path = path ?? "standard output"
    let other = path.flatMap { $0 == StandardOutput.claimedPath ? nil : $0 }
    ownsFile = other != nil
    continues = kept > 0
    file =
      other.map { open($0, O_WRONLY | O_CREAT | (kept > 0 ? 0 : O_TRUNC) | O_CLOEXEC, 0o666) }
      ?? StandardOutput.file
    guard file >= 0 else { throw SystemError(self.path.printable) }
    if kept > 0 {
      guard ftruncate(file, off_t(kept)) == 0, lseek(file, off_t(kept), SEEK_SET) == kept else {
        throw SystemError(self.path.printable)
      }
      written.store(kept, ordering: .relaxed)
    }
  }

  deinit {
    if ownsFile { close(file) }
  }

  /// Defers bytes, such as a header, until the next write, which may be empty. If the first row
  /// fails, nothing is then output before its error.
  package func begin(with bytes: [UInt8]) {
    if !continues { opening.withLock { $0 += bytes } }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    let pending = opening.withLock { opening in
      defer { opening = [] }
      return opening
    }
    if !pending.isEmpty { try pending.withUnsafeBytes { try write($0) } }
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
      written.wrappingAdd(count, ordering: .relaxed)
    }
    handOver()
  }

  /// Starts to flush to disk the bytes that were written since the last call.
  private func handOver() {
    guard writesThrough else { return }
    let (start, end) = (handed.load(ordering: .relaxed), byteCount)
    guard end - start >= Self.handedAtOnce else { return }
    handed.store(end, ordering: .relaxed)
    plumb_start_writing(file, Int64(start), Int64(end - start))
  }

  /// Writes all bytes. On failure, truncates a file to the size that it had before.
  package func write(whole bytes: [UInt8]) throws {
    let before = byteCount
    do {
      try write(bytes)
    } catch {
      if ownsFile, byteCount > before, ftruncate(file, off_t(before)) == 0 {
        written.store(before, ordering: .relaxed)
      }
      throw error
    }
  }

  package func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
}
