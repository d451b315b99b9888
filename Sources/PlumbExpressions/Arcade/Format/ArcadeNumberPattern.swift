/// A pattern for numbers, such as `$#,##0.00;($#)`.
///
/// `0` is a mandatory digit, and `#` is an optional digit. The number of digits between the last
/// `,` and the point is the size of the first group. The number of digits between two commas is the
/// size of the groups farther left. Digits after the point are rounded as in `DecimalDigits`. A
/// pattern with only zeros before the point keeps only that number of the lowest digits, as in
/// Esri's documentation: 123 with `00` is 23. `%` multiplies the number by 100, and `‰` multiplies
/// it by 1,000. Other characters before and after the digits are text. `;` is followed by the text
/// around negative numbers, whose digits are formatted by the first pattern. Without `;`, negative
/// numbers have a minus sign before the text.
struct ArcadeNumberPattern {
  let positive: (prefix: String, suffix: String)
  let negative: (prefix: String, suffix: String)
  /// The minimal number of digits before the point.
  private var minimumIntegerDigits = 0
  private var truncatesInteger = false
  /// The minimal and maximal number of digits after the point.
  private(set) var decimals = (minimum: 0, maximum: 0)
  /// The number of digits in the first group (`group`) and in the other groups (`fartherGroup`); 0
  /// without groups.
  private(set) var group = 0
  private var fartherGroup = 0
  private(set) var shift = 0

  /// The maximum number of digits on each side of the point. A double does not have more decimals.
  private static let maximumDecimals = 1100

  init(_ pattern: String) throws(ArcadeFailure) {
    let scalars = Array(pattern.unicodeScalars)
    let end = scalars.firstIndex(of: ";") ?? scalars.count
    guard let digits = Self.digits(in: scalars[..<end]) else {
      throw ArcadeFailure("the format \"\(pattern.printable)\" has no # and no 0 for the digits")
    }
    positive = (
      Self.text(scalars[..<digits.lowerBound]), Self.text(scalars[digits.upperBound..<end])
    )
    if end < scalars.count {
      let rest = scalars[(end + 1)...]
      let placeholders = Self.digits(in: rest) ?? rest.endIndex..<rest.endIndex
      negative = (
        Self.text(rest[..<placeholders.lowerBound]), Self.text(rest[placeholders.upperBound...])
      )
    } else {
      negative = ("-" + positive.prefix, positive.suffix)
    }
    let affix = scalars[..<digits.lowerBound] + scalars[digits.upperBound..<end]
    shift = affix.contains("‰") ? 3 : affix.contains("%") ? 2 : 0
    read(scalars[digits])
    guard decimals.maximum <= Self.maximumDecimals, minimumIntegerDigits <= Self.maximumDecimals
    else {
      throw ArcadeFailure(
        "a format has at most \(Self.maximumDecimals) digits on each side of the decimal point")
    }
  }

  /// The formatted number; nil if it is infinite or NaN.
  func text(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    let digits = DecimalDigits(number.magnitude).rounded(places: decimals.maximum, shift: shift)
    var whole = digits.whole
    if whole.count < minimumIntegerDigits {
      whole.insert(contentsOf: repeatElement(0, count: minimumIntegerDigits - whole.count), at: 0)
    }
    var fraction = digits.fraction[...]
    while fraction.count > decimals.minimum, fraction.last == 0 { fraction.removeLast() }
    // A number that is rounded to zero has no sign.
    let isZero = whole.allSatisfy { $0 == 0 } && digits.fraction.allSatisfy { $0 == 0 }
    let affixes = number < 0 && !isZero ? negative : positive
    if truncatesInteger { whole.removeFirst(whole.count - minimumIntegerDigits) }
    var text: [UInt8] = []
    text.reserveCapacity(2 * whole.count + fraction.count + 16)
    text.append(contentsOf: affixes.prefix.utf8)
    for (index, digit) in whole.enumerated() {
      if index > 0, isGroupEnd(whole.count - index) { text.append(UInt8(ascii: ",")) }
      text.append(digit + UInt8(ascii: "0"))
    }
    if !fraction.isEmpty {
      text.append(UInt8(ascii: "."))
      for digit in fraction { text.append(digit + UInt8(ascii: "0")) }
    }
    text.append(contentsOf: affixes.suffix.utf8)
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether there is a comma before the last `left` digits.
  func isGroupEnd(_ left: Int) -> Bool {
    guard group > 0, left >= group else { return false }
    return left == group || (left - group) % fartherGroup == 0
  }

  /// The range of the first digits, with the point and decimals.
  private static func digits(in scalars: ArraySlice<Unicode.Scalar>) -> Range<Int>? {
    let isDigit: (Unicode.Scalar) -> Bool = { $0 == "#" || $0 == "0" }
    guard let firstDigit = scalars.firstIndex(where: isDigit) else { return nil }
    // The point belongs to the pattern, as in `.00`, unless it follows a letter, as in `No.00`.
    let before = scalars[..<firstDigit]
    if before.last == ".", !(before.dropLast().last?.properties.isAlphabetic ?? false) {
      let after = scalars[firstDigit...].firstIndex { !isDigit($0) } ?? scalars.endIndex
      return firstDigit - 1..<after
    }
    // A comma before the first digit belongs to the text.
    let start = firstDigit
    var end = start
    for index in start..<scalars.endIndex {
      if isDigit(scalars[index]) { end = index + 1 } else if scalars[index] != "," { break }
    }
    guard end + 1 < scalars.endIndex, scalars[end] == ".", isDigit(scalars[end + 1]) else {
      return start..<end
    }
    let after = scalars[(end + 1)...].firstIndex { !isDigit($0) } ?? scalars.endIndex
    return start..<after
  }

  private mutating func read(_ digits: ArraySlice<Unicode.Scalar>) {
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let whole = parts[0].filter { $0 != "," }
    if let zero = whole.firstIndex(of: "0") { minimumIntegerDigits = whole.count - zero }
    truncatesInteger = !whole.isEmpty && !whole.contains("#")
    let runs = parts[0].split(separator: ",", omittingEmptySubsequences: false).map(\.count)
    if runs.count > 1 {
      group = runs[runs.count - 1]
      fartherGroup = runs.count > 2 && runs[runs.count - 2] > 0 ? runs[runs.count - 2] : group
    }
    if parts.count > 1 {
      let fraction = Array(parts[1])
      decimals = ((fraction.lastIndex(of: "0") ?? -1) + 1, fraction.count)
    }
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}
