/// Writes a message in the FlatBuffers format, from its end to its beginning.
struct FlatBufferWriter {
  /// The bytes so far, in reverse order.
  private var reversed: [UInt8] = []
  private var largestAlignment = 4
  /// The position of each field of the current table, counted from the end of the message; 0 if there is no
  /// value.
  private var fields: [Int] = []
  private var tableStart = 0

  /// A part of the message, by its distance from the end of the message.
  struct Reference {
    fileprivate let position: Int
  }

  // MARK: Values

  /// Appends zeros, so that `size` bytes that follow `more` bytes are aligned to `alignment`.
  private mutating func align(_ alignment: Int, after more: Int = 0) {
    largestAlignment = max(largestAlignment, alignment)
    while (reversed.count + more) % alignment != 0 { reversed.append(0) }
  }

  private mutating func push<Number: FixedWidthInteger>(_ number: Number) {
    align(MemoryLayout<Number>.size)
    for byte in 0..<MemoryLayout<Number>.size {
      let shift = Number(8 * (MemoryLayout<Number>.size - 1 - byte))
      reversed.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private mutating func push(_ reference: Reference) {
    align(4)
    push(UInt32(truncatingIfNeeded: reversed.count + 4 - reference.position))
  }

  mutating func text(_ text: String) -> Reference {
    let bytes = Array(text.utf8)
    align(4, after: bytes.count + 1)
    reversed.append(0)
    reversed += bytes.reversed()
    push(UInt32(truncatingIfNeeded: bytes.count))
    return Reference(position: reversed.count)
  }

  mutating func vector(_ items: [Reference]) -> Reference {
    align(4, after: 4 * items.count)
    for item in items.reversed() { push(item) }
    push(UInt32(truncatingIfNeeded: items.count))
    return Reference(position: reversed.count)
  }

  /// A vector of structures of two 64-bit integers each.
  mutating func vector(_ items: [(Int64, Int64)]) -> Reference {
    align(4, after: 16 * items.count)
    align(8, after: 16 * items.count)
    for item in items.reversed() {
      push(item.1)
      push(item.0)
    }
    push(UInt32(truncatingIfNeeded: items.count))
    return Reference(position: reversed.count)
  }

  // MARK: Tables

  /// Writes a table, whose fields `body` adds. Parts to which the fields refer must be written before the
  /// table.
  mutating func table(fieldCount: Int, _ body: (inout FlatBufferWriter) -> Void) -> Reference {
    fields = Array(repeating: 0, count: fieldCount)
    tableStart = reversed.count
    body(&self)
    push(Int32(0))
    let table = reversed.count
    while fields.last == 0 { fields.removeLast() }
    for field in fields.reversed() {
      push(UInt16(truncatingIfNeeded: field == 0 ? 0 : table - field))
    }
    push(UInt16(truncatingIfNeeded: table - tableStart))
    push(UInt16(truncatingIfNeeded: 4 + 2 * fields.count))
    // A table begins with the distance to its vtable, which lists the positions of the fields.
    let distance = UInt32(truncatingIfNeeded: reversed.count - table)
    for byte in 0..<4 {
      reversed[table - 1 - byte] = UInt8(truncatingIfNeeded: distance >> UInt32(8 * byte))
    }
    return Reference(position: table)
  }

  mutating func add<Number: FixedWidthInteger>(_ field: Int, _ number: Number) {
    push(number)
    fields[field] = reversed.count
  }

  mutating func add(_ field: Int, _ reference: Reference) {
    push(reference)
    fields[field] = reversed.count
  }

  /// The whole message with `root` as its table.
  mutating func finished(_ root: Reference) -> [UInt8] {
    align(largestAlignment, after: 4)
    push(root)
    return reversed.reversed()
  }
}
