import PlumbIO

/// One record's fields, and fields as text.
public enum DelimitedRow {
  /// The fields of a record, unquoted; text that is not UTF-8 is repaired.
  public static func fields(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) -> [String] {
    rawFields(record, delimiter: delimiter).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields of a record, unquoted, whatever their encoding.
  public static func rawFields(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) -> [[UInt8]] {
    var fields: [[UInt8]] = []
    var position = 0
    let isSpaced = delimiter == DelimitedHeader.space
    while true {
      var field: [UInt8] = []
      if isSpaced {
        while position < record.count, isBlank(record[position]) { position += 1 }
        // Spaces behind the last field, or nothing but spaces.
        if position >= record.count { return fields }
      }
      if position < record.count, record[position] == UInt8(ascii: "\"") {
        position += 1
        while position < record.count {
          if record[position] == UInt8(ascii: "\"") {
            guard position + 1 < record.count, record[position + 1] == UInt8(ascii: "\"") else {
              position += 1
              break
            }
            position += 1
          }
          field.append(record[position])
          position += 1
        }
      }
      while position < record.count, record[position] != delimiter,
        !isSpaced || record[position] != 0x09
      {
        field.append(record[position])
        position += 1
      }
      fields.append(field)
      if position >= record.count { return fields }
      position += 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Appends a field, quoted when it has to be.
  public static func append(_ field: String, delimiter: UInt8, to text: TextBuffer) {
    append(Array(field.utf8), delimiter: delimiter, to: text)
  }

  /// Appends a field of any encoding, quoted when it has to be.
  public static func append(_ field: [UInt8], delimiter: UInt8, to text: TextBuffer) {
    let isSpaced = delimiter == DelimitedHeader.space
    let needsQuotes =
      field.contains {
        $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D
          || isSpaced && $0 == 0x09
      } || isSpaced && field.isEmpty
    guard needsQuotes else {
      text.append(contentsOf: field)
      return
    }
    text.append(UInt8(ascii: "\""))
    for byte in field {
      if byte == UInt8(ascii: "\"") { text.append(byte) }
      text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
  }
}
