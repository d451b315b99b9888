/// Conversions of arguments for text, date and geometry functions.
extension ArcadeArguments {
  /// A value as text. The budget is charged for text that has to be created.
  func text(of value: ArcadeValue) throws(ArcadeFailure) -> String {
    if case .text(let text) = value { return text }
    let text = try value.wholeText()
    try spend(text: text.utf8.count)
    return text
  }

  /// The argument at a position as text; empty if the argument is null or missing.
  func text(_ position: Int) throws(ArcadeFailure) -> String { try text(of: self[position]) }

  /// The argument at a position as a number; NaN or infinite only if the argument is such a number.
  ///
  /// - Parameter what: the name of the value, for the error.
  func number(_ position: Int, _ what: String) throws(ArcadeFailure) -> Double {
    if case .number(let number) = self[position] { return number }
    let number = self[position].asNumber
    guard !number.isNaN else {
      throw ArcadeFailure("\(what) must be a number, not \(shown(position))")
    }
    return number
  }

  /// The argument at a position as a whole number, truncated; `otherwise` if the argument is null
  /// or missing.
  func whole(
    _ position: Int, _ what: String, otherwise: Int = 0
  ) throws(ArcadeFailure) -> Int {
    if case .null = self[position] { return otherwise }
    let number = try number(position, what)
    guard number.magnitude < 0x1p53 else {
      throw ArcadeFailure("\(what) must be a whole number, not \(shown(position))")
    }
    return Int(number)
  }

  /// Like `whole`, but throws for a negative number.
  func count(_ position: Int, _ what: String) throws(ArcadeFailure) -> Int {
    let count = try whole(position, what)
    guard count >= 0 else { throw ArcadeFailure("\(what) must be 0 or more, not \(count)") }
    return count
  }

  /// The argument at a position as a boolean; `otherwise` if the argument is null or missing.
  func flag(_ position: Int, otherwise: Bool = false) -> Bool {
    if case .null = self[position] { return otherwise }
    return self[position].isTrue
  }

  /// The date of an argument, which is a date, a number of milliseconds, or ISO 8601 text; nil for
  /// null and invalid text.
  func date(_ position: Int) throws(ArcadeFailure) -> ArcadeDate? {
    let date: ArcadeDate
    switch self[position] {
    case .null: return nil
    case .date(let dateValue): date = dateValue
    case .number(let number):
      guard number.isFinite else { return nil }
      guard number.magnitude < 1e15 else { throw ArcadeFunction.beyondRange() }
      date = ArcadeDate(milliseconds: Int64(number))
    case .text(let text):
      guard let read = ArcadeDate(iso: text) else { return nil }
      date = read
    default:
      throw ArcadeFailure(
        "value \(position + 1) of the call must be a date, not \(shown(position))")
    }
    guard ArcadeDate.range.contains(date.milliseconds) else { throw ArcadeFunction.beyondRange() }
    return date
  }

  /// The part of text in a range of UTF-16 code units, clamped to the text.
  func substring(_ text: String, _ range: Range<Int>) throws(ArcadeFailure) -> ArcadeValue {
    try spend(text: text.utf8.count)
    let units = text.utf16
    let length = units.count
    let start = units.index(units.startIndex, offsetBy: min(range.lowerBound, length))
    let end = units.index(units.startIndex, offsetBy: min(range.upperBound, length))
    // If no surrogate pair is cut, nothing has to be dropped.
    if let part = String(units[start..<end]) { return .text(part) }
    return .text(ArcadeFunction.text(ofUnits: units[start..<end]))
  }

  /// Charges the budget for bytes of text, and for the same number of steps.
  func spend(text bytes: Int) throws(ArcadeFailure) {
    try context.spend(steps: bytes, bytes: bytes)
  }

  /// A short form of an argument for errors.
  private func shown(_ position: Int) -> String {
    switch self[position] {
    case .text(let text): "\"\(String(text.prefix(40)).printable)\""
    case .number(let number): ArcadeNumber.text(number)
    case let value: value.typeName
    }
  }
}
