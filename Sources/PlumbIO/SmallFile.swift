/// Reads files into memory.
package enum SmallFile {
  /// Returns the first bytes of a file, at most `count`.
  package static func start(of path: String, count: Int) throws -> [UInt8] {
    let input = try ByteInput(path: path)
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      used = try input.read(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
    }
  }

  /// Returns the bytes of a file or a pipe; nil if there are more than `limit`. The path `-` is
  /// standard input.
  package static func bytes(of path: String, limit: Int) throws -> [UInt8]? {
    let input = try ByteInput(path: path)
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let part = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = try input.read(UnsafeMutableRawBufferPointer(buffer))
      }
      if part.isEmpty { return bytes }
      bytes += part
    }
    return nil
  }
}
