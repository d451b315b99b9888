import PlumbIO

/// The form of a field of delimited text. A field is a number only if parsing and printing the
/// number reproduces the text.
public enum FieldForm: UInt8, Sendable, Hashable {
  /// An empty field, which does not affect its column's form.
  case empty
  /// An integer within ±2⁵³, written as digits without leading zeros, optionally after a minus
  /// sign.
  case integer
  /// A number in decimal notation, as printed by Swift. It has no leading plus sign or zeros, no
  /// trailing zeros except in a final `.0`, no exponent, and not more digits than the printed
  /// nearest double.
  case real
  /// Any other text, such as `007`, `+1`, `1e5`, `.5`, `1.50` or `NaN`, and integers beyond ±2⁵³.
  case text

  /// The form of a field's bytes, without enclosing quotes.
  public init(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      self = .empty
      return
    }
    self = Self.form(base, bytes.count)
  }

  private static func form(_ base: UnsafePointer<UInt8>, _ count: Int) -> FieldForm {
    var position = 0
    if base[0] == UInt8(ascii: "-") { position = 1 }
    let start = position
    // The longest number that round-trips consists of a sign, `0.`, six zeros and 17 digits.
    guard position < count, count <= 27 else { return .text }
    var digits: UInt64 = 0
    var digitCount = 0
    while position < count, base[position] &- 48 <= 9 {
      digits = digits &* 10 &+ UInt64(base[position] &- 48)
      if digits != 0 { digitCount += 1 }
      position += 1
    }
    let wholeCount = position - start
    guard wholeCount > 0, wholeCount <= 16, wholeCount == 1 || base[start] != 48,
      digits <= 1 << 53
    else { return .text }
    if position == count { return digits == 0 && start > 0 ? .text : .integer }
    guard base[position] == UInt8(ascii: ".") else { return .text }
    position += 1
    let fractionStart = position
    while position < count, base[position] &- 48 <= 9 {
      if digits != 0 || base[position] != 48 {
        digits = 1
        digitCount += 1
      }
      position += 1
    }
    let fractionCount = position - fractionStart
    guard position == count, fractionCount > 0 else { return .text }
    if base[count - 1] == 48 {
      // A whole double is printed as `1.0`. Any other trailing zero would be lost.
      return fractionCount == 1 && (digits != 0 || start == 0) ? .real : .text
    }
    // If the whole part is 0, the fraction may have at most as many leading zeros as 0.000001.
    // Smaller numbers are printed with an exponent.
    let zeros = fractionCount - digitCount
    if wholeCount == 1, base[start] == 48, zeros > 5 { return .text }
    // Decimals of up to 15 digits round-trip through the nearest double. Longer decimals have to be
    // tested.
    if digitCount <= 15 { return .real }
    return digitCount <= 17 && printsBack(base, count) ? .real : .text
  }

  private static func printsBack(_ base: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let bytes = UnsafeBufferPointer(start: base, count: count)
    guard let number = NumberText.parse(bytes) else { return false }
    return number.description.utf8.elementsEqual(bytes)
  }
}

/// The forms of a table's columns. The form of a column is the narrowest form that fits all of its
/// non-empty fields.
public struct ColumnForms: Sendable {
  /// The form of each column; `empty` if the column has only empty fields so far.
  public private(set) var forms: [FieldForm]
  /// The number of columns that may still be numeric.
  private var open: Int

  /// Creates the forms of columns without any fields yet.
  public init(count: Int) {
    forms = Array(repeating: .empty, count: count)
    open = count
  }

  /// Whether all columns are text, so that further fields change nothing.
  public var areAllText: Bool { open == 0 }

  /// Adds the fields of whole records. Fields beyond the last column are ignored.
  public mutating func add(
    _ text: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) {
    guard let base = text.baseAddress, open > 0 else { return }
    var left = open
    forms.withUnsafeMutableBufferPointer { forms in
      Self.scan(base, text.count, delimiter, forms, &left)
    }
    open = left
  }

  /// Merges the forms of another part of the same table. Columns of the other part beyond the last
  /// column of this part are ignored.
  public mutating func merge(_ other: ColumnForms) {
    for (index, form) in other.forms.enumerated() where index < forms.count {
      forms[index] = Self.union(forms[index], form)
    }
    open = forms.reduce(0) { $0 + ($1 == .text ? 0 : 1) }
  }

  private static func union(_ a: FieldForm, _ b: FieldForm) -> FieldForm {
    FieldForm(rawValue: max(a.rawValue, b.rawValue)) ?? .text
  }

  private static func scan(
    _ base: UnsafePointer<UInt8>, _ count: Int, _ delimiter: UInt8,
    _ forms: UnsafeMutableBufferPointer<FieldForm>, _ open: inout Int
  ) {
    let isSpaced = delimiter == DelimitedHeader.space
    var position = 0
    var column = 0
    while position < count {
      if isSpaced {
        while position < count, base[position] == 0x20 || base[position] == 0x09 { position += 1 }
        if position >= count { return }
      }
      // A quoted number is treated as a number. A field with a doubled quote is always text.
      let span = DelimitedField(
        base, at: position, limit: count, delimiter: delimiter, other: isSpaced ? 0x09 : delimiter,
        lineEnd: 0x0A)
      let (start, end) = (span.content.lowerBound, span.content.upperBound)
      position = span.next
      if column < forms.count, forms[column] != .text, end > start {
        let form = FieldForm(UnsafeBufferPointer(start: base + start, count: end - start))
        if form.rawValue > forms[column].rawValue {
          forms[column] = form
          if form == .text {
            open -= 1
            if open == 0 { return }
          }
        }
      }
      column += 1
      if position < count, base[position] == 0x0A { column = 0 }
      position += 1
    }
  }
}
