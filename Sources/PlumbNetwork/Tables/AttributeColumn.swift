import PlumbCore

/// The values of one network attribute, one row per feature. Rows after the last value that is not null take
/// no memory.
struct AttributeColumn: Sendable {
  let type: NetworkAttribute.DataType
  private var integers: [Int64] = []
  private var reals: [Double] = []
  private var codes: [UInt32] = []
  private var texts: [String] = []
  private var codeOf: [String: UInt32] = [:]
  private var valid: [UInt64] = []
  private(set) var count = 0

  init(_ type: NetworkAttribute.DataType) { self.type = type }

  /// - Returns: false if the value is not of the column's type.
  mutating func set(_ row: Int, _ value: FieldValue) -> Bool {
    switch (type, value) {
    case (_, .null): return true
    case (.real, .real(let real)) where real.isNaN: return true
    case (.integer, .integer(let integer)): append(row, integer, 0, nil)
    case (.integer, .boolean(let boolean)): append(row, boolean ? 1 : 0, 0, nil)
    case (.integer, .real(let real)):
      guard let integer = Int64(exactly: real) else { return false }
      append(row, integer, 0, nil)
    case (.real, .real(let real)): append(row, 0, real, nil)
    case (.real, .integer(let integer)): append(row, 0, Double(integer), nil)
    case (.real, .boolean(let boolean)): append(row, 0, boolean ? 1 : 0, nil)
    case (.text, .text(let text)), (.text, .json(let text)): append(row, 0, 0, text)
    default: return false
    }
    return true
  }

  private mutating func append(_ row: Int, _ integer: Int64, _ real: Double, _ text: String?) {
    let gap = row - count
    switch type {
    case .integer:
      if gap > 0 { integers.append(contentsOf: repeatElement(0, count: gap)) }
      integers.append(integer)
    case .real:
      if gap > 0 { reals.append(contentsOf: repeatElement(0, count: gap)) }
      reals.append(real)
    case .text:
      if gap > 0 { codes.append(contentsOf: repeatElement(0, count: gap)) }
      codes.append(code(text ?? ""))
    }
    count = row + 1
    while valid.count <= row >> 6 { valid.append(0) }
    valid[row >> 6] |= 1 << UInt64(row & 63)
  }

  private mutating func code(_ text: String) -> UInt32 {
    if let known = codeOf[text] { return known }
    let code = UInt32(texts.count)
    codeOf[text] = code
    texts.append(text)
    return code
  }

  @inline(__always)
  func isValid(_ row: Int) -> Bool {
    row < count && valid[row >> 6] & (1 << UInt64(row & 63)) != 0
  }

  func value(_ row: Int) -> FieldValue {
    guard isValid(row) else { return .null }
    switch type {
    case .integer: return .integer(integers[row])
    case .real: return .real(reals[row])
    case .text: return .text(texts[Int(codes[row])])
    }
  }

  /// Returns the value as a number; nil for null and for strings.
  @inline(__always)
  func number(_ row: Int) -> Double? {
    guard isValid(row) else { return nil }
    switch type {
    case .integer: return Double(integers[row])
    case .real: return reals[row]
    case .text: return nil
    }
  }

  @inline(__always)
  func integer(_ row: Int) -> Int64? {
    guard type == .integer, isValid(row) else { return nil }
    return integers[row]
  }
}
