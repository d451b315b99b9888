import Plumb
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder of a request's own, which goes with it.
final class TemporaryFiles: Sendable {
  let folder: String

  init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/plumb-server-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) } ?? nil }
    guard made != nil else {
      throw PlumbError("no temporary folder can be made in \(base.printable)", code: .system)
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    if let directory = opendir(folder) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { unlink("\(folder)/\(name)") }
      }
      closedir(directory)
    }
    rmdir(folder)
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes a file and gives its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = path(name)
    try ResultOutput(path: path).write(bytes)
    return path
  }

  /// A file's bytes part by part.
  func stream(_ name: String) -> @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void {
    // The closure keeps the folder.
    { take in
      let input = try ByteInput(path: self.path(name))
      while true {
        let part = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
          count = try input.read(UnsafeMutableRawBufferPointer(buffer))
        }
        if part.isEmpty { return }
        try take(part)
      }
    }
  }
}
