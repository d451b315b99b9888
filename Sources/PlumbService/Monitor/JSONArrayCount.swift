/// Counts the arrays in JSON, to limit the size of features before GDAL reads them. GDAL uses about
/// 500 bytes per coordinate while it reads a GeoJSON feature, and cannot be interrupted.
struct JSONArrayCount {
  private var largest = 0
  private var count = 0
  private var depth = 0
  /// Whether the current array is the array of features.
  private var isInFeatures = false

  /// Returns the largest number of arrays in any feature of a FeatureCollection, or the number of
  /// arrays outside the features if it is larger. The text need not be valid JSON.
  static func largest(in json: [UInt8]) -> Int {
    var counter = JSONArrayCount()
    counter.read(json)
    return counter.largest
  }

  private mutating func read(_ json: [UInt8]) {
    var position = 0
    var lastText = 0..<0
    while position < json.count {
      switch json[position] {
      case UInt8(ascii: "\""):
        let end = Self.endOfText(json, from: position + 1)
        lastText = position + 1..<end
        position = end
      case UInt8(ascii: "["):
        if depth == 1 { isInFeatures = json[lastText].elementsEqual("features".utf8) }
        depth += 1
        count += 1
        largest = max(largest, count)
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 2, isInFeatures { count = 0 }
      default: break
      }
      position += 1
    }
  }

  /// Returns the index of the quote that ends a string, or the end of the text.
  private static func endOfText(_ json: [UInt8], from start: Int) -> Int {
    var position = start
    while position < json.count, json[position] != UInt8(ascii: "\"") {
      position += json[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position, json.count)
  }
}
