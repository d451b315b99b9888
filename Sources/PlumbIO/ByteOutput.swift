import CKernels
import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where bytes of rows go: standard output, or a file that is not finished yet.
package final class ByteOutput: Sendable {
  private let file: Int32
  private let path: String
  private let ownsFile: Bool
  private let written = Atomic<Int>(0)
  package var byteCount: Int { written.load(ordering: .relaxed) }
  /// Whether bytes are handed to the disk as they come. Some file systems do so with all of a file
  /// that replaces another one before it gets the name, and let the run wait.
  private let writesThrough: Bool
  /// How many bytes have been handed to the disk.
  private let handed = Atomic<Int>(0)
  private static let handedAtOnce = 8 << 20
  /// What goes before the bytes that are written next.
  private let opening = Mutex<[UInt8]>([])

  /// Writes what `file` is to hold; nil is standard output.
  package convenience init(_ file: OutputFile?) throws {
    try self.init(path: file?.temporaryPath, writesThrough: file?.replacesFile ?? false)
  }

  /// - Parameter path: nil is standard output.
  package init(path: String?, writesThrough: Bool = false) throws {
    self.writesThrough = writesThrough
    self.path = path ?? "standard output"
    let other = path.flatMap { $0 == StandardOutput.claimedPath ? nil : $0 }
    ownsFile = other != nil
    file =
      other.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
      ?? StandardOutput.file
    guard file >= 0 else { throw SystemError(self.path.printable) }
  }

  deinit {
    if ownsFile { close(file) }
  }

  /// Keeps what opens the output back until the next write, be it of nothing: where that never comes
  /// because the first row is at fault, the fault stands alone.
  package func begin(with bytes: [UInt8]) { opening.withLock { $0 += bytes } }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    let held = opening.withLock { opening in
      defer { opening = [] }
      return opening
    }
    if !held.isEmpty { try held.withUnsafeBytes { try write($0) } }
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

  /// Starts to write to the disk what has come since the last time.
  private func handOver() {
    guard writesThrough else { return }
    let (start, end) = (handed.load(ordering: .relaxed), byteCount)
    guard end - start >= Self.handedAtOnce else { return }
    handed.store(end, ordering: .relaxed)
    plumb_start_writing(file, Int64(start), Int64(end - start))
  }

  /// Writes all of the bytes, or, to a file, none: what is there ends as it did before.
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
