/// JSON formatted with one line per member.
enum IndentedJSON {
  /// - Parameter json: valid JSON.
  static func text(_ json: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(json.count * 3 / 2)
    var depth = 0
    var isInText = false
    var isEscaped = false
    func breakLine() {
      result.append(UInt8(ascii: "\n"))
      for _ in 0..<min(depth, 64) { result.append(UInt8(ascii: " ")) }
    }
    for (index, byte) in json.enumerated() {
      if isInText {
        result.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        result.append(byte)
        depth += 1
        let isEmpty = index + 1 < json.count && json[index + 1] == byte + 2
        if !isEmpty { breakLine() }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if index > 0, json[index - 1] != byte - 2 { breakLine() }
        result.append(byte)
      case UInt8(ascii: ","):
        result.append(byte)
        breakLine()
      case UInt8(ascii: ":"): result += [byte, UInt8(ascii: " ")]
      default:
        if byte == UInt8(ascii: "\"") { isInText = true }
        result.append(byte)
      }
    }
    return result
  }
}
