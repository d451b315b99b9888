import PlumbCore
import PlumbIO

/// A variable of a file of arrays, with coordinates of its dimensions: `era5.nc#temp[level=500]`.
struct ArraySelection: Equatable {
  /// The path of the file, or a pattern for paths.
  var path: String
  /// The name of the variable.
  var variable: String
  /// The variable and the coordinates, as the user wrote them.
  var label: String
  /// The text between the brackets; nil if there are no brackets.
  private var coordinateText: String?

  /// - Returns: nil for text of another form.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let hash = bytes.lastIndex(of: UInt8(ascii: "#")), hash > 0 else { return nil }
    path = String(decoding: bytes[..<hash], as: UTF8.self)
    let rest = bytes[(hash + 1)...]
    label = String(decoding: rest, as: UTF8.self)
    let end = rest.firstIndex(of: UInt8(ascii: "[")) ?? rest.endIndex
    variable = String(decoding: rest[..<end], as: UTF8.self)
    guard !variable.isEmpty else { return nil }
    guard end < rest.endIndex else { return }
    guard rest.last == UInt8(ascii: "]") else { return nil }
    coordinateText = String(decoding: rest[(end + 1)..<(rest.endIndex - 1)], as: UTF8.self)
  }

  /// The names of dimensions, and the coordinates to read.
  ///
  /// - Throws: for a coordinate that is not a number, and for a dimension with two coordinates.
  func coordinates() throws(PlumbError) -> [String: Double] {
    var coordinates: [String: Double] = [:]
    for part in (coordinateText ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let words = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 2, let value = Double(words[1]), value.isFinite,
        coordinates.updateValue(value, forKey: words[0]) == nil
      else {
        throw PlumbError(
          "\(label.printable): give one coordinate of a dimension as a number, such as level=500",
          code: .badInput)
      }
    }
    return coordinates
  }
}
