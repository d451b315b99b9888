/// Files that are read into memory.
package enum SmallFile {
  /// The bytes of a file or a pipe, `-` for standard input; nil if there are more than `limit`.
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
