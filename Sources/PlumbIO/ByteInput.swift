import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the bytes of a file or of standard input in order.
package final class ByteInput {
  private let file: Int32
  private let path: String
  private let ownsFile: Bool
  /// The size of the file in bytes; nil for a pipe.
  package let byteCount: Int?
  private let readCount = Atomic<Int>(0)
  /// The number of bytes read. Any thread may read this property.
  package var position: Int { readCount.load(ordering: .relaxed) }
  /// The offset of the first byte. It may not be 0, because another program may already have read
  /// part of standard input.
  private var start: off_t = 0

  /// - Parameter path: the path of a file; `-` for standard input.
  package init(path: String) throws {
    self.path = path
    ownsFile = path != "-"
    file = ownsFile ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard file >= 0 else { throw SystemError(opening: path) }
    var facts = stat()
    let isRegular = fstat(file, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    byteCount = isRegular ? Int(facts.st_size) : nil
    if isRegular { start = max(0, lseek(file, 0, SEEK_CUR)) }
    if ownsFile, facts.st_mode & S_IFMT == S_IFDIR {
      throw PlumbError("\(path.printable) is a folder, not a file")
    }
  }

  /// Creates an unnamed temporary file that contains all bytes from `read`.
  package init(spooling read: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
    path = "a temporary file"
    ownsFile = true
    file = try SpillFile.open().file
    var total = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try read(buffer)
      if count == 0 { break }
      var done = 0
      while done < count {
        let step = write(file, buffer.baseAddress! + done, count - done)
        if step < 0, errno != EINTR { throw SystemError(path) }
        done += max(0, step)
      }
      total += count
    }
    byteCount = total
    try rewind()
  }

  /// The last `count` bytes of a file; nil for a pipe, and for a shorter file.
  package func tail(_ count: Int) -> [UInt8]? {
    guard let byteCount, byteCount >= count else { return nil }
    return bytes(at: byteCount - count, count: count)
  }

  /// The bytes of a file at an offset; nil for a pipe, and beyond the end of the file.
  package func bytes(at offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(file, &bytes, count, off_t(offset)) == count ? bytes : nil
  }

  /// Whether the last 64 kB of a file contain a string; false for a pipe.
  package func tailContains(_ word: String) throws -> Bool {
    guard let byteCount else { return false }
    let start = max(0, byteCount - 1 << 16)
    var bytes = [UInt8](repeating: 0, count: byteCount - start)
    let got = pread(file, &bytes, bytes.count, off_t(start))
    guard got > 0 else { return false }
    let word = Array(word.utf8)
    return bytes[..<got].indices.contains { bytes[$0..<got].starts(with: word) }
  }

  /// Waits for more bytes. Returns true if none arrived in time; always false for a file.
  package func isPaused(milliseconds: Int) -> Bool {
    guard byteCount == nil else { return false }
    var waited = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    return poll(&waited, 1, Int32(clamping: milliseconds)) == 0
  }

  /// Returns to the offset at which reading began.
  package func rewind() throws {
    guard lseek(file, start, SEEK_SET) == start else { throw SystemError(path.printable) }
    readCount.store(0, ordering: .relaxed)
  }

  deinit {
    if ownsFile { close(file) }
  }

  /// Reads bytes into the buffer and returns their number; 0 at the end.
  package func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      #if canImport(Darwin)
        let count = Darwin.read(file, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(file, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 {
        readCount.wrappingAdd(count, ordering: .relaxed)
        return count
      }
      if errno != EINTR { throw SystemError(path.printable) }
    }
  }

  /// Waits until a read would not block, but not longer than the timeout.
  ///
  /// - Returns: false after the timeout.
  package func isReadable(withinMilliseconds milliseconds: Int32) throws -> Bool {
    var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&request, 1, milliseconds)
      if count >= 0 { return count > 0 }
      if errno != EINTR { throw SystemError(path.printable) }
    }
  }
}
