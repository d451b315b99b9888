/// Byte counts in options, such as `512MB`.
package enum ByteCount {
  /// The largest number of bytes that an option accepts.
  package static let largest = 1_000_000_000_000_000

  /// Parses text such as `512MB`, in units of 1024, or bytes without a unit; nil if it is not a byte count.
  package static func read(_ text: String) -> Int? {
    let upper = text.uppercased()
    let digits = upper.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(String(digits)), number >= 0 else { return nil }
    let scale: Double
    switch upper.dropFirst(digits.count) {
    case "", "B": scale = 1
    case "K", "KB", "KIB": scale = 1024
    case "M", "MB", "MIB": scale = 1024 * 1024
    case "G", "GB", "GIB": scale = 1024 * 1024 * 1024
    default: return nil
    }
    guard number * scale < 1e15 else { return nil }
    return Int(number * scale)
  }
}
