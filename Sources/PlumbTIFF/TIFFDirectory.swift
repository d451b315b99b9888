/// A TIFF directory: its entries and the positions of their values.
///
/// The file is not trusted: counts and positions are checked against the file's size before reading.
package struct TIFFDirectory {
  /// A function that reads a number of bytes at a position; nil if the file has fewer bytes.
  package typealias Read<Failure: Error> =
    (_ count: Int, _ position: Int) throws(Failure) -> [UInt8]?

  /// An entry: values of one type.
  package struct Entry {
    /// The type number: 2 ASCII, 3 SHORT, 4 LONG, 12 DOUBLE, 16 LONG8…
    let type: Int
    let count: Int
    /// The range of the values in the file; values that fit are stored inside the entry itself.
    package let values: Range<Int>
    /// Whether the values are stored inside the entry.
    let isWithin: Bool
  }

  /// The entries of known type whose values begin within the file, by tag.
  package private(set) var entries: [Int: Entry] = [:]
  /// Whether all entries are valid, without repeated tags, unknown types or values outside the
  /// file.
  private(set) var isComplete = true
  /// The position of the next directory; 0 if there is none.
  package private(set) var next = 0
  package let order: ByteOrder

  /// The byte order, and whether positions have 64 bits (BigTIFF).
  package struct ByteOrder: Sendable {
    let isLittle: Bool
    let isBig: Bool

    fileprivate func number(_ bytes: ArraySlice<UInt8>) -> Int? {
      var value: UInt64 = 0
      if isLittle {
        for byte in bytes.reversed() { value = value << 8 | UInt64(byte) }
      } else {
        for byte in bytes { value = value << 8 | UInt64(byte) }
      }
      return Int(exactly: value)
    }
  }

  /// Directories with more entries are not read.
  private static let maximumEntries = 4096
  /// The size of a value in bytes, by type number.
  private static let sizes = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8,
    18: 8,
  ]

  /// The position of the first directory.
  ///
  /// - Returns: nil if the file is not a TIFF.
  package static func first<Failure: Error>(
    _ read: Read<Failure>
  ) throws(Failure) -> (position: Int, order: ByteOrder)? {
    guard let head = try read(16, 0) else { return nil }
    let isLittle = head[0] == UInt8(ascii: "I")
    guard head[0] == head[1], isLittle || head[0] == UInt8(ascii: "M") else { return nil }
    let short = ByteOrder(isLittle: isLittle, isBig: false)
    switch short.number(head[2..<4]) {
    case 42:
      return short.number(head[4..<8]).map { ($0, short) }
    case 43 where short.number(head[4..<6]) == 8 && short.number(head[6..<8]) == 0:
      return short.number(head[8..<16]).map { ($0, ByteOrder(isLittle: isLittle, isBig: true)) }
    default: return nil
    }
  }

  /// - Parameters:
  ///   - position: the position of the directory.
  ///   - size: the size of the file in bytes.
  /// - Returns: nil if there is no valid directory at the position.
  package init?<Failure: Error>(
    at position: Int, _ order: ByteOrder, size: Int, _ read: Read<Failure>
  ) throws(Failure) {
    self.order = order
    // The sizes of the count of entries, of an entry, and of the value field inside an entry.
    let (countSize, entrySize, valueSize) = order.isBig ? (8, 20, 8) : (2, 12, 4)
    guard position > 0, position < size, let counted = try read(countSize, position),
      let count = order.number(counted[...]), count <= Self.maximumEntries,
      let bytes = try read(count * entrySize, position + countSize)
    else { return nil }
    let end = position + countSize + count * entrySize
    // A file may end before the position of the next directory.
    next = try read(valueSize, end).flatMap { order.number($0[...]) } ?? 0
    for index in 0..<count {
      let start = index * entrySize
      let entry = bytes[start..<start + entrySize]
      guard let tag = order.number(entry[start..<start + 2]),
        let type = order.number(entry[start + 2..<start + 4]), let unit = Self.sizes[type],
        let values = order.number(entry[start + 4..<start + 4 + valueSize]), values <= size
      else {
        isComplete = false
        continue
      }
      let within = position + countSize + start + 4 + valueSize
      let length = values * unit
      let isWithin = length <= valueSize
      let begin = isWithin ? within : order.number(entry[(start + 4 + valueSize)...])
      guard let begin, begin <= size - min(length, size), entries[tag] == nil else {
        // In a truncated file, tile lists may extend beyond the end of the file; the available part
        // is used.
        isComplete = false
        if let begin, begin < size, entries[tag] == nil {
          entries[tag] = Entry(type: type, count: values, values: begin..<size, isWithin: false)
        }
        continue
      }
      entries[tag] = Entry(
        type: type, count: values, values: begin..<begin + length, isWithin: isWithin)
    }
  }

  // MARK: Values

  /// The bytes of an entry's values; for a truncated entry, the available bytes.
  ///
  /// - Parameter limit: the size limit in bytes; larger entries are not read.
  package func bytes<Failure: Error>(
    _ tag: Int, limit: Int, _ read: Read<Failure>
  ) throws(Failure) -> [UInt8]? {
    guard let entry = entries[tag], entry.values.count <= limit else { return nil }
    return try read(entry.values.count, entry.values.lowerBound)
  }

  /// The bytes of all values of an entry, and the size of one value; nil if the entry has another type or is
  /// truncated.
  private func values<Failure: Error>(
    _ tag: Int, types: [Int], limit: Int, _ read: Read<Failure>
  ) throws(Failure) -> (bytes: [UInt8], unit: Int)? {
    guard let entry = entries[tag], types.contains(entry.type), let unit = Self.sizes[entry.type],
      entry.count * unit == entry.values.count, let bytes = try bytes(tag, limit: limit, read)
    else { return nil }
    return (bytes, unit)
  }

  /// The values of an entry of type SHORT, LONG or LONG8; nil if the entry is missing, truncated or
  /// of another type.
  package func integers<Failure: Error>(
    _ tag: Int, limit: Int = 1 << 16, _ read: Read<Failure>
  ) throws(Failure) -> [Int]? {
    guard let (bytes, unit) = try values(tag, types: [3, 4, 16], limit: limit, read) else {
      return nil
    }
    let values = stride(from: 0, to: bytes.count, by: unit).compactMap {
      order.number(bytes[$0..<$0 + unit])
    }
    return values.count == bytes.count / unit ? values : nil
  }

  /// The values of an entry of type DOUBLE; nil if the entry is missing, truncated or of another
  /// type.
  package func reals<Failure: Error>(
    _ tag: Int, limit: Int = 1 << 16, _ read: Read<Failure>
  ) throws(Failure) -> [Double]? {
    guard let (bytes, unit) = try values(tag, types: [12], limit: limit, read) else { return nil }
    return stride(from: 0, to: bytes.count, by: unit).map { start in
      var bits: UInt64 = 0
      for byte in bytes[start..<start + unit] { bits = bits << 8 | UInt64(byte) }
      return Double(bitPattern: order.isLittle ? bits.byteSwapped : bits)
    }
  }

  /// The string of an entry of type ASCII, up to its first zero byte.
  ///
  /// - Returns: nil if the entry is missing, truncated or not UTF-8.
  package func text<Failure: Error>(
    _ tag: Int, limit: Int = 1 << 20, _ read: Read<Failure>
  ) throws(Failure) -> String? {
    guard let (bytes, _) = try values(tag, types: [2], limit: limit, read) else { return nil }
    return String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
