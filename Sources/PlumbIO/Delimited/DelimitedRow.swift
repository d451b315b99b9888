/// Reads the fields of one record, and writes fields as delimited text.
public enum DelimitedRow {
  /// The fields of a record, unquoted; invalid UTF-8 is repaired.
  public static func fields(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) -> [String] {
    rawFields(record, delimiter: delimiter).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields of a record, unquoted, in their own encoding.
  public static func rawFields(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) -> [[UInt8]] {
    var fields: [[UInt8]] = []
    var position = 0
    let isSpaced = delimiter == DelimitedHeader.space
    guard let base = record.baseAddress else { return isSpaced ? [] : [[]] }
    while true {
      if isSpaced {
        while position < record.count, isBlank(base[position]) { position += 1 }
        // The rest of the record is only spaces.
        if position >= record.count { return fields }
      }
      let field = DelimitedField(
        base, at: position, limit: record.count, delimiter: delimiter,
        other: isSpaced ? 0x09 : delimiter, lineEnd: delimiter)
      fields.append(field.text(in: base))
      if field.next >= record.count { return fields }
      position = field.next + 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Appends a field, quoted if necessary.
  public static func append(_ field: String, delimiter: UInt8, to text: TextBuffer) {
    append(Array(field.utf8), delimiter: delimiter, to: text)
  }

  /// Appends a field of any encoding, quoted if necessary.
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
