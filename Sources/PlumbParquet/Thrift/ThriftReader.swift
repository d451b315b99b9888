import PlumbIO

/// Reads values of Thrift's compact protocol, in which Parquet stores its metadata.
///
/// The bytes must outlive the reader.
struct ThriftReader {
  /// A field's identifier and kind.
  struct FieldHead {
    var id: Int
    var kind: ThriftKind

    /// The value of a boolean field.
    var isTrue: Bool { kind == .yes }
  }

  private static let nestingLimit = 40

  private let bytes: UnsafeRawBufferPointer
  private(set) var position: Int
  private var depth = 0

  init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
    (self.bytes, self.position) = (bytes, position)
  }

  private func fault(_ message: String) -> FormatError {
    FormatError("damaged Parquet metadata: \(message)", offset: position)
  }

  private mutating func readByte() throws(FormatError) -> UInt8 {
    guard position < bytes.count else { throw fault("it ends too early") }
    position += 1
    return bytes[position - 1]
  }

  private mutating func readVarint() throws(FormatError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try readByte()
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw fault("a number has too many bytes")
  }

  private mutating func readZigzag() throws(FormatError) -> Int64 {
    let value = try readVarint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  private func kind(_ code: UInt8) throws(FormatError) -> ThriftKind {
    guard let kind = ThriftKind(rawValue: code) else {
      throw fault("a value has the unknown kind \(code)")
    }
    return kind
  }

  // MARK: Values

  /// Reads a structure. `body` reads the value of a field and returns true, or returns false without
  /// reading, so that the value is skipped.
  mutating func readStructure(
    _ body: (inout ThriftReader, FieldHead) throws(FormatError) -> Bool
  ) throws(FormatError) {
    depth += 1
    guard depth <= Self.nestingLimit else { throw fault("structures are nested too deeply") }
    var last = 0
    while true {
      let head = try readByte()
      let kind = try kind(head & 0x0F)
      if kind == .stop { break }
      let step = Int(head >> 4)
      let id = step == 0 ? Int(truncatingIfNeeded: try readZigzag()) : last + step
      guard (0...Int(Int16.max)).contains(id) else { throw fault("a field has the number \(id)") }
      last = id
      if try !body(&self, FieldHead(id: id, kind: kind)) { try skip(kind, isElement: false) }
    }
    depth -= 1
  }

  /// Reads an integer of any size.
  mutating func readInteger(_ kind: ThriftKind) throws(FormatError) -> Int64 {
    guard kind.isInteger else { throw fault("a value is not an integer") }
    return kind == .byte ? Int64(Int8(bitPattern: try readByte())) : try readZigzag()
  }

  /// Reads an integer that is not negative.
  mutating func readCount(_ kind: ThriftKind) throws(FormatError) -> Int {
    let value = try readInteger(kind)
    guard let count = Int(exactly: value), count >= 0 else {
      throw fault("\(value) is not a count or a position")
    }
    return count
  }

  /// Reads an integer of 32 bits.
  mutating func readInt32(_ kind: ThriftKind) throws(FormatError) -> Int32 {
    let value = try readInteger(kind)
    guard let number = Int32(exactly: value) else { throw fault("\(value) is out of range") }
    return number
  }

  mutating func readBytes(_ kind: ThriftKind) throws(FormatError) -> UnsafeRawBufferPointer {
    guard kind == .binary else { throw fault("a value is not text") }
    let length = try readVarint()
    guard length <= UInt64(bytes.count - position) else { throw fault("a string is truncated") }
    let start = position
    position += Int(length)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  mutating func readText(_ kind: ThriftKind) throws(FormatError) -> String {
    String(decoding: try readBytes(kind), as: UTF8.self)
  }

  /// Reads the head of a list, and returns the kind and the number of its elements, each of which
  /// has at least one byte.
  mutating func readList(_ kind: ThriftKind) throws(FormatError) -> (kind: ThriftKind, count: Int) {
    guard kind == .list || kind == .set else { throw fault("a value is not a list") }
    let head = try readByte()
    let element = try self.kind(head & 0x0F)
    let count = head >> 4 == 15 ? try readVarint() : UInt64(head >> 4)
    guard count <= UInt64(bytes.count - position) else { throw fault("a list is truncated") }
    return (element, Int(count))
  }

  // MARK: Unknown fields

  private mutating func skip(_ kind: ThriftKind, isElement: Bool) throws(FormatError) {
    switch kind {
    case .stop: throw fault("unexpected end of a structure")
    case .yes, .no: if isElement { _ = try readByte() }
    case .byte: _ = try readByte()
    case .int16, .int32, .int64: _ = try readVarint()
    case .double: try skipBytes(8)
    case .uuid: try skipBytes(16)
    case .binary: _ = try readBytes(.binary)
    case .structure: try readStructure { _, _ in false }
    case .list, .set:
      let (element, count) = try readList(kind)
      try nested { reader throws(FormatError) in
        for _ in 0..<count { try reader.skip(element, isElement: true) }
      }
    case .map:
      let count = try readVarint()
      guard count <= UInt64(bytes.count - position) else { throw fault("a map is truncated") }
      if count == 0 { return }
      let kinds = try readByte()
      let (key, value) = (try self.kind(kinds >> 4), try self.kind(kinds & 0x0F))
      try nested { reader throws(FormatError) in
        for _ in 0..<count {
          try reader.skip(key, isElement: true)
          try reader.skip(value, isElement: true)
        }
      }
    }
  }

  private mutating func nested(
    _ body: (inout ThriftReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    depth += 1
    guard depth <= Self.nestingLimit else { throw fault("values are nested too deeply") }
    try body(&self)
    depth -= 1
  }

  private mutating func skipBytes(_ count: Int) throws(FormatError) {
    guard count <= bytes.count - position else { throw fault("it ends too early") }
    position += count
  }
}
