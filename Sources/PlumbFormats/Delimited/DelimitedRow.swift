/// One record's fields, and fields as text.
public enum DelimitedRow {
  /// The fields of a record, unquoted; text that is not UTF-8 is repaired.
  public static func fields(
    _ record: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) -> [String] {
    var fields: [String] = []
    var position = 0
    while true {
      var field: [UInt8] = []
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
      while position < record.count, record[position] != delimiter {
        field.append(record[position])
        position += 1
      }
      fields.append(String(decoding: field, as: UTF8.self))
      if position >= record.count { return fields }
      position += 1
    }
  }

  /// Appends a field, quoted when it has to be.
  public static func append(_ field: String, delimiter: UInt8, to text: TextBuffer) {
    let utf8 = field.utf8
    let needsQuotes = utf8.contains {
      $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D
    }
    guard needsQuotes else {
      text.append(field)
      return
    }
    text.append(UInt8(ascii: "\""))
    for byte in utf8 {
      if byte == UInt8(ascii: "\"") { text.append(byte) }
      text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
  }
}
