import PlumbCore
import PlumbIO
import PlumbParquet

/// Collects the values of a column, row by row.
package struct ColumnBuilder {
  private enum Form { case booleans, integers, floats, doubles, texts }

  package let field: ColumnField
  private let form: Form
  // Only the arrays for the form are used. If they were associated values of an enumeration, they
  // would be copied whenever a value is added.
  private var booleans: [Bool] = []
  /// Integers of 8 to 64 bits.
  private var integers: [Int64] = []
  private var floats: [Float] = []
  private var doubles: [Double] = []
  private var offsets: [Int] = [0]
  private var bytes: [UInt8] = []
  private var validity: [UInt8] = []
  package private(set) var count = 0
  private var hasNulls = false

  /// - Parameter field: a column of booleans, integers, floats of 32 or 64 bits, times since 1970, text,
  ///   or WKB.
  package init(_ field: ColumnField) {
    self.field = field
    form =
      switch field.kind {
      case .boolean: .booleans
      case .integer, .timestamp: .integers
      case .float(32): .floats
      case .float: .doubles
      default: .texts
      }
  }

  // MARK: Values

  private mutating func addValidity(_ isPresent: Bool) {
    if count & 7 == 0 { validity.append(0) }
    if isPresent {
      validity[count >> 3] |= 1 << UInt8(count & 7)
    } else {
      hasNulls = true
    }
    count += 1
  }

  package mutating func appendNull() {
    addValidity(false)
    switch form {
    case .booleans: booleans.append(false)
    case .integers: integers.append(0)
    case .floats: floats.append(0)
    case .doubles: doubles.append(0)
    case .texts: offsets.append(bytes.count)
    }
  }

  /// Appends text or WKB.
  ///
  /// - Throws: if the type of the column is neither text nor WKB.
  package mutating func append(bytes added: UnsafeRawBufferPointer) throws(PlumbError) {
    guard form == .texts else { throw misfit(.text(String(decoding: added, as: UTF8.self))) }
    push(bytes: added)
  }

  /// Appends an integer.
  ///
  /// - Throws: if the column's type cannot represent it.
  package mutating func append(integer: Int64) throws(PlumbError) {
    guard form == .integers, fits(integer) else { return try append(.integer(integer)) }
    push(integer: integer)
  }

  /// Appends a number.
  ///
  /// - Throws: if the column's type cannot represent it.
  package mutating func append(real: Double) throws(PlumbError) {
    guard form == .doubles else { return try append(.real(real)) }
    push(real: real)
  }

  private mutating func push(bytes added: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: added)
    offsets.append(bytes.count)
    addValidity(true)
  }

  private mutating func push(integer: Int64) {
    integers.append(integer)
    addValidity(true)
  }

  private mutating func push(real: Double) {
    if form == .floats { floats.append(Float(real)) } else { doubles.append(real) }
    addValidity(true)
  }

  private mutating func append(boolean: Bool) {
    booleans.append(boolean)
    addValidity(true)
  }

  /// Appends a value.
  ///
  /// - Throws: if the column's type cannot represent the value.
  package mutating func append(_ value: FieldValue) throws(PlumbError) {
    if value == .null { return appendNull() }
    switch (form, value) {
    case (.texts, .text(let text)), (.texts, .json(let text)): append(text: text)
    case (.texts, _): append(text: value.description)
    case (.booleans, .boolean(let boolean)): append(boolean: boolean)
    case (.booleans, .integer(0)): append(boolean: false)
    case (.booleans, .integer(1)): append(boolean: true)
    case (.integers, .integer(let integer)) where fits(integer): push(integer: integer)
    case (.integers, .boolean(let boolean)): push(integer: boolean ? 1 : 0)
    // Unsigned integers beyond the range of Int64 are text.
    case (.integers, .text(let text)), (.integers, .json(let text)):
      guard case .integer(64, false) = field.kind, let number = UInt64(text) else {
        throw misfit(value)
      }
      push(integer: Int64(bitPattern: number))
    case (.floats, .real(let real)), (.doubles, .real(let real)): push(real: real)
    case (.floats, .integer(let integer)), (.doubles, .integer(let integer)):
      push(real: Double(integer))
    case (.floats, .json(let text)), (.doubles, .json(let text)):
      guard let real = Double(text) else { throw misfit(value) }
      push(real: real)
    default: throw misfit(value)
    }
  }

  private mutating func append(text: String) {
    var text = text
    text.withUTF8 { push(bytes: UnsafeRawBufferPointer($0)) }
  }

  private func fits(_ integer: Int64) -> Bool {
    guard case .integer(let bits, let isSigned) = field.kind else { return true }
    if bits == 64 { return isSigned || integer >= 0 }
    let limit = Int64(1) << Int64(isSigned ? bits - 1 : bits)
    return integer < limit && integer >= (isSigned ? -limit : 0)
  }

  private func misfit(_ value: FieldValue) -> PlumbError {
    let text = value.description
    return PlumbError(
      "column \(field.name.printable) cannot hold \"\(String(text.prefix(40)).printable)\", "
        + "because of its type")
  }

  // MARK: The column

  /// The column with all values so far.
  package var column: PlumbParquet.ValueColumn {
    PlumbParquet.ValueColumn(
      field: field, values: values, validity: hasNulls ? validity : nil, count: count)
  }

  private var values: ColumnValues {
    switch form {
    case .booleans: return .booleans(booleans)
    case .floats: return .float(floats)
    case .doubles: return .double(doubles)
    case .texts: return .bytes(offsets: offsets, bytes: bytes)
    case .integers: break
    }
    // All values are in the range of the column.
    return switch field.kind {
    case .integer(8, true): .int8(integers.map { Int8(truncatingIfNeeded: $0) })
    case .integer(16, true): .int16(integers.map { Int16(truncatingIfNeeded: $0) })
    case .integer(32, true): .int32(integers.map { Int32(truncatingIfNeeded: $0) })
    case .integer(8, false): .uint8(integers.map { UInt8(truncatingIfNeeded: $0) })
    case .integer(16, false): .uint16(integers.map { UInt16(truncatingIfNeeded: $0) })
    case .integer(32, false): .uint32(integers.map { UInt32(truncatingIfNeeded: $0) })
    case .integer(_, false): .uint64(integers.map { UInt64(bitPattern: $0) })
    default: .int64(integers)
    }
  }
}
