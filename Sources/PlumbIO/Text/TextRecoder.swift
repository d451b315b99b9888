import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Converts text in another encoding to UTF-8, part by part. Only one thread at a time may use the
/// recoder.
package final class TextRecoder {
  private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
  private let encoding: String
  private let converter: iconv_t
  /// The bytes that have not been converted are `start..<end`.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var (start, end) = (0, 0)
  /// The number of input bytes before the start of the buffer.
  private var offset = 0
  private var isAtEnd = false
  /// Converted text that did not fit into the caller's buffer.
  private var spare: [UInt8] = []
  /// Whether more text can be converted without another read.
  package private(set) var hasMore = false

  /// - Parameters:
  ///   - encoding: a name that iconv supports, such as `CP1252`, `ISO-8859-2` or `SHIFT_JIS`.
  ///   - read: fills a buffer with bytes in this encoding and returns their number; 0 at the end.
  package init(
    _ encoding: String, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws(FormatError) {
    guard let converter = iconv_open("UTF-8", encoding), Int(bitPattern: converter) != -1 else {
      buffer.deallocate()
      throw FormatError("\(encoding.printable) is not an encoding that iconv supports")
    }
    (self.encoding, self.converter, fill) = (encoding, converter, read)
  }

  deinit {
    iconv_close(converter)
    buffer.deallocate()
  }

  /// Fills the buffer with UTF-8 and returns the number of bytes; 0 at the end.
  ///
  /// - Throws: `FormatError` if bytes are invalid in the encoding, and errors of `read`.
  package func read(_ target: UnsafeMutableRawBufferPointer) throws -> Int {
    guard !target.isEmpty else { return 0 }
    // The caller's buffer may be too small for one converted character.
    if target.count < 16, spare.isEmpty {
      var piece = [UInt8](repeating: 0, count: 64)
      let count = try piece.withUnsafeMutableBytes { try convert(into: $0) }
      spare = Array(piece[..<count])
    }
    guard spare.isEmpty else {
      let count = min(spare.count, target.count)
      spare.withUnsafeBytes { target.copyMemory(from: .init(rebasing: $0[..<count])) }
      spare.removeFirst(count)
      return count
    }
    return try convert(into: target)
  }

  private func convert(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      var (input, left) = (buffer.baseAddress.map { cString($0 + start) }, end - start)
      var (output, available) = (target.baseAddress.map { cString($0) }, target.count)
      let result = iconv(converter, &input, &left, &output, &available)
      let code = errno
      start = end - left
      hasMore = result == -1 && code == E2BIG
      if available < target.count { return target.count - available }
      if result == -1, code == EILSEQ || isAtEnd && left > 0 {
        throw FormatError(
          "the text is not in \(encoding.printable)", offset: offset + start)
      }
      if isAtEnd { return 0 }
      buffer.baseAddress?.copyMemory(
        from: UnsafeRawPointer(buffer.baseAddress! + start), byteCount: left)
      offset += start
      (start, end) = (0, left)
      let count = try fill(UnsafeMutableRawBufferPointer(rebasing: buffer[left...]))
      isAtEnd = count == 0
      end += count
    }
  }

  private func cString(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<CChar> {
    pointer.assumingMemoryBound(to: CChar.self)
  }
}
