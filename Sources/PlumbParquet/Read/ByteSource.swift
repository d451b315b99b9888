import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Bytes that can be read in any order, such as a file.
///
/// Several threads may read at the same time.
package protocol ByteSource: Sendable {
  /// The number of bytes.
  var count: Int { get }

  /// Fills the buffer with the bytes from a position.
  ///
  /// - Throws: if the source has fewer bytes.
  func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws

  /// Announces ranges that are read next, so that a source with long delays can fetch them together.
  ///
  /// A failure is reported when a range is read.
  func prefetch(_ ranges: [Range<Int>])
}

extension ByteSource {
  /// Does nothing, because most sources have no delays.
  package func prefetch(_ ranges: [Range<Int>]) {}
}

/// A local file.
package final class FileByteSource: ByteSource {
  private let path: String
  private let file: Int32
  package let count: Int

  /// - Throws: if the path is not a regular file that can be opened.
  package init(path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw SystemError(opening: path) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw PlumbError(
        "\(path.printable) is not a regular file: Parquet is read from its end, so it needs a file")
    }
    (self.path, self.file, count) = (path, file, Int(status.st_size))
  }

  deinit { close(file) }

  package func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard let base = buffer.baseAddress else { return }
    var done = 0
    while done < buffer.count {
      let got = pread(file, base + done, buffer.count - done, off_t(position + done))
      if got < 0 {
        if errno == EINTR { continue }
        throw SystemError(path.printable)
      }
      guard got > 0 else { throw FormatError("the file ends too early", offset: position + done) }
      done += got
    }
  }
}

/// Bytes in memory.
package struct MemoryByteSource: ByteSource {
  private let bytes: [UInt8]
  package var count: Int { bytes.count }

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard position >= 0, position <= bytes.count, buffer.count <= bytes.count - position else {
      throw FormatError("the bytes end too early", offset: bytes.count)
    }
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: .init(rebasing: $0[position...].prefix(buffer.count)))
    }
  }
}
