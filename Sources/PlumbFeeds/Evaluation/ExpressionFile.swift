import PlumbCore
import PlumbIO

/// Reads an expression from a file.
public enum ExpressionFile {
  /// The maximum size of a file in bytes. It is larger than the largest program that the parser
  /// accepts.
  private static let byteLimit = 16 << 20

  /// Returns the text of a file, without a byte order mark.
  ///
  /// - Parameter path: `-` is standard input.
  /// - Throws: when the file cannot be read, is not UTF-8, or is larger than 16 MiB.
  public static func text(_ path: String) throws -> String {
    let name = path == "-" ? "standard input" : path.printable
    guard let bytes = try SmallFile.bytes(of: path, limit: byteLimit) else {
      throw PlumbError("\(name): an expression may have at most \(byteLimit >> 20) MiB")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PlumbError("\(name) is not UTF-8 text")
    }
    return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }
}
