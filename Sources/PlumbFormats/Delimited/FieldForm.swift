import PlumbIO

/// What a field of delimited text is: whether it is a number that prints back as it stands there.
public enum FieldForm: UInt8, Sendable, Hashable {
  /// Nothing: it says nothing of its column.
  case empty
  /// Digits, maybe after a minus sign, without leading zeros, within ±2⁵³.
  case integer
  /// Decimal notation as numbers are printed: no leading plus or zeros, no zeros at the end but a
  /// single `.0`, no exponent, and no more digits than the nearest double prints.
  case real
  /// Anything else: `007`, `+1`, `1e5`, `.5`, `1.50`, `NaN`, and integers beyond ±2⁵³.
  case text

  /// The form of a field's bytes, without quotes round them.
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
    // No number that prints back is longer: a sign, 0., six zeros and 17 digits.
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
      // `1.0` is how a whole double prints; other zeros at the end would be lost.
      return fractionCount == 1 && (digits != 0 || start == 0) ? .real : .text
    }
    // Zeros behind the point, without a digit before: from 0.000001 on.
    let zeros = fractionCount - digitCount
    if wholeCount == 1, base[start] == 48, zeros > 5 { return .text }
    // Any decimal of 15 digits comes back from its nearest double; longer ones are tried.
    if digitCount <= 15 { return .real }
    return digitCount <= 17 && printsBack(base, count) ? .real : .text
  }

  private static func printsBack(_ base: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let bytes = UnsafeBufferPointer(start: base, count: count)
    guard let number = NumberText.parse(bytes) else { return false }
    return number.description.utf8.elementsEqual(bytes)
  }
}

/// The forms of a table's columns, field by field: what all non-empty fields of each have in common.
public struct ColumnForms: Sendable {
  /// `empty` for a column without a field yet.
  public private(set) var forms: [FieldForm]
  /// Columns that may still become numbers.
  private var open: Int

  /// Columns that no field was seen of.
  public init(count: Int) {
    forms = Array(repeating: .empty, count: count)
    open = count
  }

  /// Whether all columns are text, so that nothing more can change.
  public var areAllText: Bool { open == 0 }

  /// Takes the fields of whole records into account; those beyond the last column are left out.
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

  /// Takes what another part of the same table has; its columns beyond the last one here are left
  /// out.
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
      // A quoted number is one, too; a doubled quote makes text of it in any case.
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
