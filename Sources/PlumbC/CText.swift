import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Conversion of strings to and from C.
enum CText {
  /// Returns a copy that the caller frees with `plumb_free`.
  static func copy(of text: String) throws -> UnsafeMutablePointer<CChar> {
    try copy(of: Array(text.utf8))
  }

  /// Returns a copy of UTF-8 text that the caller frees with `plumb_free`.
  static func copy(of bytes: [UInt8]) throws -> UnsafeMutablePointer<CChar> {
    guard let memory = malloc(bytes.count + 1) else {
      throw PlumbError("no memory for \(bytes.count) bytes of text", code: .limit)
    }
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { memcpy(memory, base, source.count) }
    }
    let text = memory.assumingMemoryBound(to: CChar.self)
    text[bytes.count] = 0
    return text
  }

  /// Returns a string from the caller.
  ///
  /// - Throws: if the string is null or not UTF-8.
  static func text(_ pointer: UnsafePointer<CChar>?, _ argument: String) throws -> String {
    guard let pointer else { throw CallError.null(argument) }
    guard let text = String(validatingCString: pointer) else {
      throw CallError.bad("\(argument) is not UTF-8")
    }
    return text
  }

  /// Returns a string from the caller; nil for null.
  static func optional(
    _ pointer: UnsafePointer<CChar>?, _ argument: String
  ) throws -> String? {
    try pointer.map { try text($0, argument) }
  }
}
