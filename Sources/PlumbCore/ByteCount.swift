/// Byte counts in options, such as `512MB`.
package enum ByteCount {
  /// The largest number of bytes that an option accepts.
  package static let largest = 1_000_000_000_000_000

  /// Parses a byte count such as `512MB`. Units are powers of 1024; a number without a unit counts
  /// bytes. Returns nil if the string is not a byte count.
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
