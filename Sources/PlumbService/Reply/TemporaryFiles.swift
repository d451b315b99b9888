import Plumb
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The temporary folder of one request. The folder is deleted when this object is deallocated.
/// Creating a folder also deletes folders that killed servers have left behind.
final class TemporaryFiles: Sendable {
  let folder: String
  private let unfinished: UnfinishedFolder

  init() throws {
    unfinished = try UnfinishedFolder.temporary("plumb-server-")
    folder = unfinished.path
  }

  deinit { unfinished.remove() }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes a file and returns its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = path(name)
    try ResultOutput(path: path).write(bytes)
    return path
  }

  /// Streams the contents of a file in chunks.
  func stream(_ name: String) -> ReplyStream {
    // The closure retains this object, so that the folder is not deleted before the end of the
    // stream.
    ReplyStream(chunks: 1 << 20) { send in
      let input = try ByteInput(path: self.path(name))
      while true {
        let part = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
          count = try input.read(UnsafeMutableRawBufferPointer(buffer))
        }
        if part.isEmpty { return }
        try send(part)
      }
    }
  }
}
