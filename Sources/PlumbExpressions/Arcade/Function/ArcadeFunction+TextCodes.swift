/// Conversions between text and character codes, and encodings.
extension ArcadeFunction {
  static let codes: [ArcadeFunction] = [
    ArcadeFunction("FromCharCode", .text, 1...Int.max) { call throws(ArcadeFailure) in
      var units: [UInt16] = []
      try call.spend(text: call.count * 3)
      for index in 0..<call.count {
        guard let unit = UInt16(exactly: try call.whole(index, "a code unit")) else {
          throw ArcadeFailure("a code unit must be from 0 to 65535")
        }
        units.append(unit)
      }
      return .text(text(ofUnits: units))
    },
    ArcadeFunction("FromCodePoint", .text, 1...Int.max) { call throws(ArcadeFailure) in
      var text = ""
      try call.spend(text: call.count * 4)
      for index in 0..<call.count {
        let code = try call.whole(index, "a code point")
        guard let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value) else {
          throw ArcadeFailure("\(code) is not the code point of a character")
        }
        text.unicodeScalars.append(scalar)
      }
      return .text(text)
    },
    ArcadeFunction("ToCharCode", .text, 1...2) { call throws(ArcadeFailure) in
      try .number(Double(unit(of: call).unit))
    },
    ArcadeFunction("ToCodePoint", .text, 1...2) { call throws(ArcadeFailure) in
      let (text, index, unit) = try unit(of: call)
      guard UTF16.isLeadSurrogate(unit) else { return .number(Double(unit)) }
      return .number(Double(text.unicodeScalars[index].value))
    },
    ArcadeFunction("ToHex", .text, 1...1) { call throws(ArcadeFailure) in
      guard case .number(let number) = call[0] else {
        if case .null = call[0] { return .null }
        return try .text(String(call.whole(0, "the number"), radix: 16))
      }
      guard let whole = Int64(exactly: number) else {
        throw ArcadeFailure("ToHex takes a whole number below 2^63, not \(number)")
      }
      return .text(String(whole, radix: 16))
    },
    ArcadeFunction("StandardizeGuid", .text, 2...2) { call throws(ArcadeFailure) in
      try .text(standardizedGuid(call.text(0), call.text(1)))
    },
    ArcadeFunction("UrlEncode", .text, 1...1) { call throws(ArcadeFailure) in
      try .text(urlEncoded(call))
    },
  ]

  /// The text of UTF-16 code units, without unpaired surrogates.
  static func text(ofUnits units: some Collection<UInt16>) -> String {
    var text = ""
    var decoder = UTF16()
    var iterator = units.makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): text.unicodeScalars.append(scalar)
      case .error: continue
      case .emptyInput: return text
      }
    }
  }

  private static func unit(
    of call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> (text: String, index: String.Index, unit: UInt16) {
    let text = try call.text(0)
    let position = try call.count(1, "the position")
    try call.spend(text: text.utf8.count)
    let units = text.utf16
    guard position < units.count else {
      throw ArcadeFailure("position \(position) is out of range for \(units.count) characters")
    }
    let index = units.index(units.startIndex, offsetBy: position)
    return (text, index, units[index])
  }

  /// A GUID in one of the formats digits, digits-hyphen, digits-hyphen-braces and
  /// digits-hyphen-parentheses. The case of letters does not change.
  private static func standardizedGuid(
    _ text: String, _ format: String
  ) throws(ArcadeFailure) -> String {
    let digits = text.utf8.prefix(64).filter { !"{}()-".utf8.contains($0) }
    let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard digits.count == 32, isHex, text.utf8.count <= 64 else {
      throw ArcadeFailure("\"\(String(text.prefix(80)).printable)\" is not a GUID")
    }
    let plain = String(decoding: digits, as: UTF8.self)
    var hyphenated = ""
    for (index, digit) in plain.enumerated() {
      if [8, 12, 16, 20].contains(index) { hyphenated += "-" }
      hyphenated.append(digit)
    }
    switch format.lowercased() {
    case "digits": return plain
    case "digits-hyphen": return hyphenated
    case "digits-hyphen-braces": return "{\(hyphenated)}"
    case "digits-hyphen-parentheses": return "(\(hyphenated))"
    default:
      throw ArcadeFailure(
        "a GUID's format is digits, digits-hyphen, digits-hyphen-braces or "
          + "digits-hyphen-parentheses, not \"\(String(format.prefix(80)).printable)\"")
    }
  }

  /// Text with `%` escapes for all characters except letters, digits and `-_.!~*'()`. A dictionary
  /// results in `key=value` pairs joined with `&`.
  private static func urlEncoded(_ call: borrowing ArcadeArguments) throws(ArcadeFailure) -> String
  {
    var result: [UInt8] = []
    func append(_ text: String) throws(ArcadeFailure) {
      try call.spend(text: text.utf8.count * 3)
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          result.append(byte)
        case _ where "-_.!~*'()".utf8.contains(byte): result.append(byte)
        default:
          let hex = Array("0123456789ABCDEF".utf8)
          result += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
        }
      }
    }
    if case .dictionary(let dictionary) = call[0] {
      for (index, key) in dictionary.keys.enumerated() {
        if index > 0 { result.append(UInt8(ascii: "&")) }
        try append(key)
        result.append(UInt8(ascii: "="))
        try append(call.text(of: dictionary.values[index]))
      }
    } else {
      try append(call.text(0))
    }
    return String(decoding: result, as: UTF8.self)
  }
}
