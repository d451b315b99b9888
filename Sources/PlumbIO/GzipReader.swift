import CZlib

/// Decompresses a gzip stream, member by member, in bounded memory.
///
/// Only one thread at a time may use the reader.
public final class GzipReader {
  private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
  // zlib keeps pointers to the state, so the state must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let packed: UnsafeMutableRawBufferPointer
  private var isInMember = true
  private var isDone = false

  /// Whether the bytes are the beginning of a gzip file.
  public static func isGzip(_ start: some Collection<UInt8>) -> Bool {
    start.starts(with: [0x1F, 0x8B])
  }

  /// - Parameter read: fills a buffer with compressed bytes and returns their number; 0 at the end.
  public init(read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) throws {
    fill = read
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    packed = .allocate(byteCount: 1 << 17, alignment: 16)
    guard plumb_gunzip_start(stream) == Z_OK else {
      isDone = true
      throw FormatError("no memory to decompress gzip")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    packed.deallocate()
  }

  /// Whether more bytes may be available without reading more compressed bytes.
  public var hasPending: Bool { !isDone && stream.pointee.avail_in > 0 }

  /// Fills the buffer and returns the number of bytes; 0 at the end.
  ///
  /// - Throws: `FormatError` if the compressed bytes are damaged or truncated, and errors of
  ///   `read`.
  public func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard !isDone, !buffer.isEmpty else { return 0 }
    let available = min(buffer.count, 1 << 30)
    stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(available)
    while Int(stream.pointee.avail_out) == available {
      if stream.pointee.avail_in == 0 {
        let got = try fill(packed)
        if got == 0 {
          isDone = true
          guard !isInMember else { throw FormatError("the gzip data is truncated") }
          return 0
        }
        stream.pointee.next_in = packed.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(min(got, packed.count))
      }
      if !isInMember {
        // Another member may follow. Any other bytes are ignored as padding, as `gzip` does.
        guard stream.pointee.next_in?.pointee == 0x1F else {
          isDone = true
          return 0
        }
        isInMember = true
        inflateReset(stream)
      }
      let code = inflate(stream, Z_NO_FLUSH)
      switch code {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: isInMember = false
      default:
        isDone = true
        throw FormatError(
          "the gzip data is damaged: "
            + (stream.pointee.msg.map { String(cString: $0) } ?? "error \(code)"))
      }
    }
    return available - Int(stream.pointee.avail_out)
  }

  /// Decompresses all bytes at once; nil if the result exceeds `limit` bytes.
  package static func unpacked(_ bytes: [UInt8], limit: Int) throws -> [UInt8]? {
    var rest = bytes[...]
    let reader = try GzipReader { buffer in
      let count = min(buffer.count, rest.count)
      rest.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
      rest = rest.dropFirst(count)
      return count
    }
    var unpacked: [UInt8] = []
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { part.deallocate() }
    while true {
      let count = try reader.read(part)
      if count == 0 { return unpacked }
      guard unpacked.count + count <= limit else { return nil }
      unpacked.append(contentsOf: part[..<count])
    }
  }
}
