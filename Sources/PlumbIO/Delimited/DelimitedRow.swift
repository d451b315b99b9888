import PlumbCore

/// Reads the fields of one record, and writes fields as delimited text.
public enum DelimitedRow {
  /// The fields of a record, unquoted, like `rawFields`. Invalid UTF-8 is repaired.
  public static func fields(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) -> [String] {
    rawFields(record, delimiter: delimiter).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields of a record, unquoted, in the encoding of the file. If the record has more fields than
  /// `DelimitedHeader.maximumColumns`, only the first `maximumColumns + 1` fields are returned.
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
      if field.next >= record.count || fields.count > DelimitedHeader.maximumColumns {
        return fields
      }
      position = field.next + 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Appends a value, quoted if necessary; appends nothing for null.
  package static func append(_ value: FieldValue, delimiter: UInt8, to text: TextBuffer) {
    switch value {
    case .null: append("", delimiter: delimiter, to: text)
    case .integer(let number): text.append(signed: number)
    case .real(let number): NumberText.append(number, to: text)
    case .boolean(let flag): text.append(literal: flag ? "true" : "false")
    case .text(let field), .json(let field): append(field, delimiter: delimiter, to: text)
    }
  }

  /// Appends a field, quoted if necessary.
  public static func append(_ field: String, delimiter: UInt8, to text: TextBuffer) {
    var field = field
    field.withUTF8 { append($0, delimiter: delimiter, to: text) }
  }

  /// Appends a field of any encoding, quoted if necessary.
  public static func append(_ field: [UInt8], delimiter: UInt8, to text: TextBuffer) {
    field.withUnsafeBufferPointer { append($0, delimiter: delimiter, to: text) }
  }

  private static func append(
    _ field: UnsafeBufferPointer<UInt8>, delimiter: UInt8, to text: TextBuffer
  ) {
    let isSpaced = delimiter == DelimitedHeader.space
    let needsQuotes =
      field.contains {
        $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D
          || isSpaced && $0 == 0x09
      } || isSpaced && field.isEmpty
    guard needsQuotes else {
      if let start = field.baseAddress { text.append(start, field.count) }
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
