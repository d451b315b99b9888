import PlumbIO

/// A FlatBuffers table in a message. Every position is checked against the message's size.
///
/// The message must outlive the table.
struct FlatBufferTable {
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  /// The position of the list of field offsets, each of which has 2 bytes.
  private let offsets: Int
  private let fieldCount: Int

  /// The outermost table of a message.
  init(root bytes: UnsafeRawBufferPointer) throws(FormatError) {
    guard bytes.count >= 4 else { throw Self.fault }
    try self.init(bytes, at: Int(Self.load(UInt32.self, bytes, 0)))
  }

  private init(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(FormatError) {
    guard start >= 0, start <= bytes.count - 4 else { throw Self.fault }
    let offsets = start - Int(Self.load(Int32.self, bytes, start))
    guard offsets >= 0, offsets <= bytes.count - 4 else { throw Self.fault }
    let size = Int(Self.load(UInt16.self, bytes, offsets))
    guard size >= 4, size <= bytes.count - offsets else { throw Self.fault }
    (self.bytes, self.start) = (bytes, start)
    (self.offsets, fieldCount) = (offsets + 4, (size - 4) / 2)
  }

  private static var fault: FormatError {
    ArrowFault.damaged("a part of a message is outside the message")
  }

  /// - Precondition: all bytes of the number are within the message.
  private static func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type, _ bytes: UnsafeRawBufferPointer, _ position: Int
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
  }

  /// The position of a field; nil if the table does not have the field.
  private func position(_ field: Int, byteCount: Int) throws(FormatError) -> Int? {
    guard field < fieldCount else { return nil }
    let offset = Int(Self.load(UInt16.self, bytes, offsets + 2 * field))
    if offset == 0 { return nil }
    guard start + offset <= bytes.count - byteCount else { throw Self.fault }
    return start + offset
  }

  /// The position to which a field refers; nil if the table does not have the field.
  private func target(_ field: Int) throws(FormatError) -> Int? {
    guard let place = try position(field, byteCount: 4) else { return nil }
    return place + Int(Self.load(UInt32.self, bytes, place))
  }

  /// A number; the default if the table does not have the field.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, default value: Number
  ) throws(FormatError) -> Number {
    guard let place = try position(field, byteCount: MemoryLayout<Number>.size) else {
      return value
    }
    return Self.load(Number.self, bytes, place)
  }

  func table(_ field: Int) throws(FormatError) -> FlatBufferTable? {
    guard let place = try target(field) else { return nil }
    return try FlatBufferTable(bytes, at: place)
  }

  /// The bytes of a string.
  func text(_ field: Int) throws(FormatError) -> UnsafeRawBufferPointer? {
    guard let list = try elements(field, byteCount: 1) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[list.start..<list.start + list.count])
  }

  /// The tables in a vector; empty if the table does not have the field.
  func tables(_ field: Int, limit: Int) throws(FormatError) -> [FlatBufferTable] {
    guard let list = try elements(field, byteCount: 4) else { return [] }
    guard list.count <= limit else {
      throw ArrowFault.tooLarge("a message has \(list.count) parts, more than \(limit)")
    }
    var tables: [FlatBufferTable] = []
    tables.reserveCapacity(list.count)
    for index in 0..<list.count {
      let place = list.start + 4 * index
      tables.append(
        try FlatBufferTable(bytes, at: place + Int(Self.load(UInt32.self, bytes, place))))
    }
    return tables
  }

  /// The numbers in a vector; empty if the table does not have the field.
  func numbers(_ field: Int) throws(FormatError) -> [Int64] {
    guard let list = try elements(field, byteCount: 8) else { return [] }
    return (0..<list.count).map { Self.load(Int64.self, bytes, list.start + 8 * $0) }
  }

  /// The pairs of numbers in a vector; empty if the table does not have the field.
  func pairs(_ field: Int) throws(FormatError) -> [(Int64, Int64)] {
    guard let list = try elements(field, byteCount: 16) else { return [] }
    return (0..<list.count).map {
      let place = list.start + 16 * $0
      return (Self.load(Int64.self, bytes, place), Self.load(Int64.self, bytes, place + 8))
    }
  }

  /// The position of the first element of a vector, and the number of elements.
  private func elements(
    _ field: Int, byteCount: Int
  ) throws(FormatError) -> (start: Int, count: Int)? {
    guard let place = try target(field) else { return nil }
    guard place <= bytes.count - 4 else { throw Self.fault }
    let count = Int(Self.load(UInt32.self, bytes, place))
    guard count <= (bytes.count - place - 4) / byteCount else { throw Self.fault }
    return (place + 4, count)
  }
}
