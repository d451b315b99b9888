extension SQLFunction {
  private static func text(
    _ name: String, _ change: @escaping @Sendable (String) -> String
  ) -> SQLFunction {
    SQLFunction(name, .these([.text], optional: 0), .text) { values in
      values.text(0).map { .text(change($0)) } ?? .null
    }
  }

  /// A function that removes spaces, or the characters of a second argument, from the ends of text.
  private static func trim(_ name: String, start: Bool, end: Bool) -> SQLFunction {
    SQLFunction(name, .these([.text, .text], optional: 1), .text) { values in
      guard let text = values.text(0) else { return .null }
      guard values.count > 1 else {
        return .text(SQLText.trimmed(text, start: start, end: end))
      }
      guard let characters = values.text(1) else { return .null }
      return .text(
        SQLText.trimmed(text, of: Set(characters.unicodeScalars), start: start, end: end))
    }
  }

  static let texts = [
    text("UPPER") { String(decoding: SQLText.cased($0, upper: true), as: UTF8.self) },
    text("LOWER") { String(decoding: SQLText.cased($0, upper: false), as: UTF8.self) },
    trim("TRIM", start: true, end: true),
    trim("LTRIM", start: true, end: false),
    trim("RTRIM", start: false, end: true),
    SQLFunction("SUBSTRING", .these([.text, .number, .number], optional: 1), .text) { values in
      guard let text = values.text(0), let start = values[1].clamped else { return .null }
      guard values.count > 2 else { return SQLText.part(of: text, from: start, length: nil) }
      guard let length = values[2].clamped else { return .null }
      return SQLText.part(of: text, from: start, length: length)
    },
    SQLFunction("CHAR_LENGTH", .these([.text], optional: 0), .number) { values in
      values.text(0).map { .integer(Int64(SQLText.count($0))) } ?? .null
    },
    // Unlike ||, CONCAT skips NULLs.
    SQLFunction("CONCAT", .texts(atLeast: 1), .text) { values in
      var result = ""
      for index in 0..<values.count {
        guard let text = values.text(index) else { continue }
        guard result.utf8.count + text.utf8.count <= SQLText.byteLimit else { return .null }
        result += text
      }
      return .text(result)
    },
    SQLFunction("POSITION", .these([.text, .text], optional: 0), .number) { values in
      guard let needle = values.text(0), let text = values.text(1) else { return .null }
      return .integer(SQLText.position(of: needle, in: text))
    },
    SQLFunction("REPLACE", .these([.text, .text, .text], optional: 0), .text) { values in
      guard let text = values.text(0), let old = values.text(1), let new = values.text(2),
        let result = SQLText.replacing(old, in: text, with: new)
      else { return .null }
      return .text(result)
    },
  ]
}
