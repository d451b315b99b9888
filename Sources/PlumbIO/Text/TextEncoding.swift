import Synchronization

/// The text encoding that the user has set, if any.
package enum TextEncoding {
  /// The name of the encoding; nil if text is not converted.
  package static var current: String? { name.withLock { $0 } }

  package static func set(_ name: String) { Self.name.withLock { $0 = name } }

  private static let name = Mutex<String?>(nil)

  /// Returns a reader that converts text to UTF-8 from the encoding that the user has set, if any.
  package static func reader(
    _ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> (UnsafeMutableRawBufferPointer) throws -> Int {
    guard let name = current else { return read }
    let recoder = try TextRecoder(name, read: read)
    return { try recoder.read($0) }
  }

  /// Converts text to UTF-8 from the encoding that the user has set, unless the text is already
  /// valid UTF-8.
  package static func utf8(_ text: [UInt8]) throws -> [UInt8] {
    guard let name = current, !text.withUnsafeBufferPointer({ UTF8Text.isValid($0) }) else {
      return text
    }
    var position = 0
    let recoder = try TextRecoder(name) { buffer in
      let count = min(buffer.count, text.count - position)
      text.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position...].prefix(count)))
      }
      position += count
      return count
    }
    var result: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try piece.withUnsafeMutableBytes { try recoder.read($0) }
      if count == 0 { return result }
      result += piece[..<count]
    }
  }
}
