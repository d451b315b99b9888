import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder for inputs of parsers that open files. The folder is removed when the program ends.
struct FuzzFolder: Sendable {
  static let shared = FuzzFolder()

  private let path: String
  private static let number = Atomic<Int>(0)

  private init() {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("plumb-fuzz-" + UUID().uuidString)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    atexit { try? FileManager.default.removeItem(atPath: FuzzFolder.shared.path) }
  }

  func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file that is kept.
  @discardableResult
  func write(_ name: String, _ text: String) -> String {
    let path = path(name)
    Self.put(Array(text.utf8), path)
    return path
  }

  /// Runs a closure with a temporary file of some bytes.
  func withFile<Value>(
    _ bytes: UnsafeRawBufferPointer, _ ending: String, _ body: (String) throws -> Value
  ) rethrows -> Value {
    let number = Self.number.wrappingAdd(1, ordering: .relaxed).newValue
    let path = path("\(number)\(ending)")
    Self.put(Array(bytes), path)
    defer { unlink(path) }
    return try body(path)
  }

  /// Runs a closure with a temporary folder that contains a file with the given name.
  func withFolder<Value>(
    _ bytes: UnsafeRawBufferPointer, _ name: String, _ body: (String) throws -> Value
  ) rethrows -> Value {
    let number = Self.number.wrappingAdd(1, ordering: .relaxed).newValue
    let folder = path("\(number)")
    mkdir(folder, 0o700)
    Self.put(Array(bytes), folder + "/" + name)
    defer {
      unlink(folder + "/" + name)
      rmdir(folder)
    }
    return try body(folder)
  }

  private static func put(_ bytes: [UInt8], _ path: String) {
    guard let file = fopen(path, "wb") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  /// A file's bytes.
  static func bytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    return bytes
  }
}
