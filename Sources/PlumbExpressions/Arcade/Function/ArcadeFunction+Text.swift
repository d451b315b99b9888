/// The text functions.
///
/// Positions and lengths are in UTF-16 code units, as in Esri's documentation. If a surrogate pair
/// is cut, its remaining half is dropped.
extension ArcadeFunction {
  static let texts: [ArcadeFunction] =
    [
      ArcadeFunction("Concatenate", .text, 1...Int.max) { call throws(ArcadeFailure) in
        try .text(concatenated(call))
      },
      ArcadeFunction("Find", .text, 2...3) { call throws(ArcadeFailure) in
        try .number(Double(found(call)))
      },
      ArcadeFunction("Left", .text, 2...2) { call throws(ArcadeFailure) in
        let text = try call.text(0)
        return try call.substring(text, 0..<call.count(1, "the number of characters"))
      },
      ArcadeFunction("Right", .text, 2...2) { call throws(ArcadeFailure) in
        let text = try call.text(0)
        let length = text.utf16.count
        let count = min(try call.count(1, "the number of characters"), length)
        return try call.substring(text, length - count..<length)
      },
      ArcadeFunction("Mid", .text, 2...3) { call throws(ArcadeFailure) in
        let text = try call.text(0)
        let start = try call.count(1, "the first position")
        let count = call.count > 2 ? try call.count(2, "the number of characters") : Int.max
        let (end, isTooFar) = start.addingReportingOverflow(count)
        return try call.substring(text, start..<(isTooFar ? Int.max : end))
      },
      ArcadeFunction("Lower", .text, 1...1) { call throws(ArcadeFailure) in
        let text = try call.text(0)
        try call.spend(text: text.utf8.count * 2)
        return .text(text.lowercased())
      },
      ArcadeFunction("Upper", .text, 1...1) { call throws(ArcadeFailure) in
        let text = try call.text(0)
        try call.spend(text: text.utf8.count * 3)
        return .text(text.uppercased())
      },
      ArcadeFunction("Proper", .text, 1...2) { call throws(ArcadeFailure) in
        try .text(proper(call))
      },
      ArcadeFunction("Replace", .text, 3...4) { call throws(ArcadeFailure) in
        try replaced(call)
      },
      ArcadeFunction("Split", .text, 2...4) { call throws(ArcadeFailure) in
        try .array(split(call))
      },
      ArcadeFunction("Text", .text, 1...2) { call throws(ArcadeFailure) in
        try formatted(call[0], by: call.count > 1 ? call.text(1) : "", call)
      },
      ArcadeFunction("Trim", .text, 1...1) { call throws(ArcadeFailure) in
        try .text(trimmed(call.text(0), call))
      },
    ] + codes

  /// A value as text, with a pattern for numbers and dates. An empty pattern is ignored.
  static func formatted(
    _ value: ArcadeValue, by pattern: String, _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeValue {
    guard !pattern.isEmpty else { return try .text(call.text(of: value)) }
    switch value {
    case .number(let number):
      try call.spend(text: pattern.utf8.count + 400)
      let known = try call.context.patterns?.number(pattern)
      let format = if let known { known } else { try ArcadeNumberPattern(pattern) }
      return format.text(of: number).map { .text($0) } ?? .null
    case .date(let date):
      try call.spend(text: pattern.utf8.count * 12)
      return .text(ArcadeDatePattern(pattern).text(of: date))
    default: return try .text(call.text(of: value))
    }
  }

  /// The elements of an array, formatted with a pattern and joined with a separator. Without an
  /// array, all arguments are joined.
  private static func concatenated(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> String {
    var text = ""
    guard case .array(let array) = call[0] else {
      for index in 0..<call.count {
        let part = try call.text(index)
        try call.spend(text: part.utf8.count)
        text += part
      }
      return text
    }
    let separator = try call.text(1)
    let pattern = try call.text(2)
    for (index, element) in array.elements.enumerated() {
      if index > 0 { text += separator }
      guard case .text(let part) = try formatted(element, by: pattern, call) else { continue }
      try call.spend(text: part.utf8.count + separator.utf8.count)
      text += part
    }
    return text
  }

  /// The position of text at or after a start; −1 if the text is not found. Empty text is found at
  /// the start.
  private static func found(_ call: borrowing ArcadeArguments) throws(ArcadeFailure) -> Int {
    let (wanted, text) = (try call.text(0), try call.text(1))
    let start = try call.count(2, "the first position")
    try call.spend(text: wanted.utf8.count * 9 + text.utf8.count)
    let length = text.utf16.count
    guard !wanted.isEmpty else { return min(start, length) }
    guard start < length else { return -1 }
    let from = text.utf16.index(text.utf16.startIndex, offsetBy: start)
    let first = text.utf8.distance(from: text.utf8.startIndex, to: from.roundedUp(in: text))
    guard let position = TextSearch(wanted).first(in: Array(text.utf8), from: first) else {
      return -1
    }
    return text.utf16.distance(
      from: text.utf16.startIndex, to: text.utf8.index(text.utf8.startIndex, offsetBy: position))
  }

  /// The text with the first letter of each word, or only of the first word, in upper case and all other
  /// letters in lower case. Words are separated by white space.
  private static func proper(_ call: borrowing ArcadeArguments) throws(ArcadeFailure) -> String {
    let text = try call.text(0)
    let isFirstOnly: Bool
    switch try call.text(1).lowercased() {
    case "firstword": isFirstOnly = true
    case "everyword", "": isFirstOnly = false
    case let other:
      throw ArcadeFailure("Proper takes everyword or firstword, not \"\(other.printable)\"")
    }
    try call.spend(text: text.utf8.count * 3)
    var result = ""
    var isStart = true
    for letter in text {
      if letter.isWhitespace {
        isStart = isStart || !isFirstOnly
        result.append(letter)
      } else if letter.isCased {
        result += isStart ? letter.uppercased() : letter.lowercased()
        isStart = false
      } else {
        result.append(letter)
      }
    }
    return result
  }

  /// Replaces occurrences in text, or equal elements of an array. Empty text is never replaced.
  private static func replaced(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeValue {
    let limit = call.flag(3, otherwise: true) ? Int.max : 1
    if case .array(let array) = call[0] {
      try call.context.spend(steps: array.elements.count, bytes: array.elements.count * 16)
      var left = limit
      return .array(
        ArcadeArray(
          array.elements.map { element in
            guard left > 0, element.isEqual(to: call[1]) else { return element }
            left -= 1
            return call[2]
          }))
    }
    let (text, wanted, replacement) = (try call.text(0), try call.text(1), try call.text(2))
    guard !wanted.isEmpty else { return .text(text) }
    try call.spend(text: wanted.utf8.count * 9 + text.utf8.count * 2)
    let search = TextSearch(wanted)
    let bytes = Array(text.utf8)
    let positions = search.all(in: bytes, limit: limit)
    guard !positions.isEmpty else { return .text(text) }
    let (growth, isTooMuch) = positions.count.multipliedReportingOverflow(
      by: replacement.utf8.count)
    try call.spend(text: isTooMuch ? .max : growth)
    var result: [UInt8] = []
    var next = 0
    for position in positions {
      result.append(contentsOf: bytes[next..<position])
      result.append(contentsOf: replacement.utf8)
      next = position + search.count
    }
    result.append(contentsOf: bytes[next...])
    return .text(String(decoding: result, as: UTF8.self))
  }

  /// The pieces between separators, optionally without empty pieces, and at most `limit` pieces. An
  /// empty separator splits the text at every character.
  private static func split(
    _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> ArcadeArray {
    let (text, separator) = (try call.text(0), try call.text(1))
    let limit = try call.whole(2, "the number of pieces", otherwise: -1)
    let removesEmpty = call.flag(3)
    try call.spend(text: separator.utf8.count * 9 + text.utf8.count * 2)
    var pieces: [ArcadeValue] = []
    func isFull() -> Bool { limit >= 0 && pieces.count >= limit }
    if separator.isEmpty {
      try call.context.spend(steps: 0, bytes: text.utf8.count * 16)
      for scalar in text.unicodeScalars where !isFull() { pieces.append(.text(String(scalar))) }
      return ArcadeArray(pieces)
    }
    let search = TextSearch(separator)
    let bytes = Array(text.utf8)
    let positions = search.all(in: bytes)
    try call.context.spend(steps: positions.count, bytes: positions.count * 32)
    var next = 0
    for position in positions + [bytes.count] where !isFull() {
      let piece = bytes[next..<position]
      next = position + search.count
      if removesEmpty, piece.isEmpty { continue }
      pieces.append(.text(String(decoding: piece, as: UTF8.self)))
    }
    return ArcadeArray(pieces)
  }

  private static func trimmed(
    _ text: String, _ call: borrowing ArcadeArguments
  ) throws(ArcadeFailure) -> String {
    try call.spend(text: text.utf8.count)
    let isSpace: (Unicode.Scalar) -> Bool = {
      $0.properties.isWhitespace && $0 != "\u{85}" || $0 == "\u{FEFF}"
    }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}

extension String.Index {
  /// The index itself, or the index of the next character if the index is within a surrogate pair.
  fileprivate func roundedUp(in text: String) -> String.Index {
    let scalars = text.unicodeScalars
    let down = scalars.index(before: scalars.index(after: self))
    return down < self ? scalars.index(after: down) : self
  }
}
