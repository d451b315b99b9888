import PlumbCore

/// Reads JSON text into values; objects become dictionaries.
struct ArcadeJSONReader {
  private let bytes: [UInt8]
  private let context: ArcadeContext
  private var next = 0
  private var depth = 0

  /// - Throws: what is no JSON, at its byte.
  static func value(
    _ text: String, _ context: ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue {
    try context.spend(steps: text.utf8.count / 16, bytes: text.utf8.count)
    var reader = ArcadeJSONReader(bytes: Array(text.utf8), context: context)
    let value = try reader.value()
    reader.skipSpace()
    guard reader.next == reader.bytes.count else { throw reader.failure("the end") }
    return value
  }

  private init(bytes: [UInt8], context: ArcadeContext) {
    self.bytes = bytes
    self.context = context
  }

  private var current: UInt8 { next < bytes.count ? bytes[next] : 0 }

  private func failure(_ wanted: String) -> ArcadeFailure {
    ArcadeFailure("the text is not JSON: \(wanted) should stand at byte \(next + 1)")
  }

  private mutating func skipSpace() {
    while [0x20, 0x09, 0x0A, 0x0D].contains(current) { next += 1 }
  }

  private mutating func take(_ ascii: String) -> Bool {
    guard bytes[next...].starts(with: ascii.utf8) else { return false }
    next += ascii.utf8.count
    return true
  }

  private mutating func value() throws(ArcadeFailure) -> ArcadeValue {
    try context.spend(steps: 1, bytes: 16)
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return .dictionary(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default:
      if take("null") { return .null }
      if take("true") { return .boolean(true) }
      if take("false") { return .boolean(false) }
      throw failure("a value")
    }
  }

  private mutating func enter() throws(ArcadeFailure) {
    depth += 1
    guard depth <= ArcadeJSONWriter.depthLimit else {
      throw ArcadeFailure("the JSON nests deeper than \(ArcadeJSONWriter.depthLimit) levels")
    }
    next += 1
    skipSpace()
  }

  private mutating func array() throws(ArcadeFailure) -> ArcadeArray {
    try enter()
    defer { depth -= 1 }
    let array = ArcadeArray()
    if take("]") { return array }
    repeat {
      array.elements.append(try value())
      skipSpace()
    } while take(",")
    guard take("]") else { throw failure("a comma or ]") }
    return array
  }

  private mutating func object() throws(ArcadeFailure) -> ArcadeDictionary {
    try enter()
    defer { depth -= 1 }
    let dictionary = ArcadeDictionary()
    if take("}") { return dictionary }
    repeat {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw failure("a key") }
      let key = try text()
      skipSpace()
      guard take(":") else { throw failure("a colon") }
      try context.spend(steps: 0, bytes: 64 + key.utf8.count)
      dictionary[key] = try value()
      skipSpace()
    } while take(",")
    guard take("}") else { throw failure("a comma or }") }
    return dictionary
  }

  private mutating func number() throws(ArcadeFailure) -> Double {
    let start = next
    if current == UInt8(ascii: "-") { next += 1 }
    if current == UInt8(ascii: "0") {
      next += 1
      guard !isAtDigit else { throw failure("a number without zeros before it") }
    } else {
      try digits()
    }
    if take(".") { try digits() }
    if current | 0x20 == UInt8(ascii: "e") {
      next += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { next += 1 }
      try digits()
    }
    guard let value = Double(String(decoding: bytes[start..<next], as: UTF8.self)), value.isFinite
    else {
      next = start
      throw failure("a number in a double's range")
    }
    return value
  }

  private var isAtDigit: Bool { current &- UInt8(ascii: "0") <= 9 }

  /// One or more.
  private mutating func digits() throws(ArcadeFailure) {
    guard isAtDigit else { throw failure("a digit") }
    while isAtDigit { next += 1 }
  }

  private mutating func text() throws(ArcadeFailure) -> String {
    next += 1
    var content: [UInt8] = []
    while next < bytes.count, current != UInt8(ascii: "\"") {
      guard current >= 0x20 else { throw failure("an escape, not a control character,") }
      guard current == UInt8(ascii: "\\") else {
        content.append(current)
        next += 1
        continue
      }
      next += 1
      let letter = current
      next += 1
      switch letter {
      case UInt8(ascii: "n"): content.append(0x0A)
      case UInt8(ascii: "r"): content.append(0x0D)
      case UInt8(ascii: "t"): content.append(0x09)
      case UInt8(ascii: "b"): content.append(0x08)
      case UInt8(ascii: "f"): content.append(0x0C)
      case UInt8(ascii: "u"): content += String(try scalar()).utf8
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
      default: throw failure("an escape")
      }
    }
    guard next < bytes.count else { throw failure("a closing quote") }
    next += 1
    return String(decoding: content, as: UTF8.self)
  }

  private mutating func scalar() throws(ArcadeFailure) -> Unicode.Scalar {
    var value = try unit()
    if (0xD800...0xDBFF) ~= value {
      guard take("\\u") else { throw failure("the other half of a character") }
      let low = try unit()
      guard (0xDC00...0xDFFF) ~= low else { throw failure("the other half of a character") }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    // The second half of a pair is no character by itself.
    guard let scalar = Unicode.Scalar(value) else { throw failure("a whole character") }
    return scalar
  }

  private mutating func unit() throws(ArcadeFailure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(UnicodeScalar(current)).hexDigitValue else {
        throw failure("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      next += 1
    }
    return value
  }
}
