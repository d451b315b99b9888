/// Writes structures in Thrift's compact protocol, which is the encoding of Parquet's metadata.
struct ThriftWriter {
  private(set) var bytes: [UInt8] = []
  /// The number of the field written last in the current structure.
  private var lastField: Int16 = 0

  // MARK: Fields

  mutating func field(_ number: Int16, _ value: Bool) {
    begin(number, value ? .yes : .no)
  }

  mutating func field(_ number: Int16, byte value: Int8) {
    begin(number, .byte)
    bytes.append(UInt8(bitPattern: value))
  }

  mutating func field(_ number: Int16, _ value: Int32) {
    begin(number, .int32)
    append(zigzag: Int64(value))
  }

  mutating func field(_ number: Int16, _ value: Int64) {
    begin(number, .int64)
    append(zigzag: value)
  }

  /// Writes a 16-bit integer, which has the type 4.
  mutating func field(_ number: Int16, short value: Int16) {
    header(number, 4)
    append(zigzag: Int64(value))
  }

  mutating func field(_ number: Int16, _ value: String) { field(number, Array(value.utf8)) }

  mutating func field(_ number: Int16, _ value: [UInt8]) {
    begin(number, .binary)
    append(binary: value)
  }

  /// Writes a structure whose fields `body` writes.
  mutating func field(_ number: Int16, _ body: (inout ThriftWriter) -> Void) {
    begin(number, .structure)
    structure(body)
  }

  /// Begins a list, whose elements are written next.
  mutating func list(_ number: Int16, of kind: ThriftKind, count: Int) {
    begin(number, .list)
    if count < 15 {
      bytes.append(UInt8(truncatingIfNeeded: count << 4) | kind.rawValue)
    } else {
      bytes.append(0xF0 | kind.rawValue)
      append(varint: UInt64(count))
    }
  }

  // MARK: Values

  /// Writes a structure outside of a field: the whole message, or an element of a list.
  mutating func structure(_ body: (inout ThriftWriter) -> Void) {
    let outer = lastField
    lastField = 0
    body(&self)
    bytes.append(0)
    lastField = outer
  }

  mutating func append(zigzag value: Int64) {
    append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func append(binary value: [UInt8]) {
    append(varint: UInt64(value.count))
    bytes += value
  }

  /// Appends structures that are encoded already.
  mutating func append(encoded: [UInt8]) { bytes += encoded }

  private mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func begin(_ number: Int16, _ kind: ThriftKind) { header(number, kind.rawValue) }

  private mutating func header(_ number: Int16, _ kind: UInt8) {
    let step = number - lastField
    if (1...15).contains(step) {
      bytes.append(UInt8(truncatingIfNeeded: step << 4) | kind)
    } else {
      bytes.append(kind)
      append(zigzag: Int64(number))
    }
    lastField = number
  }
}
