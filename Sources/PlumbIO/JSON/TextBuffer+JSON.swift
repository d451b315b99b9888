import PlumbCore

/// Writes JSON in the same format as `JSONText`, without a separate string or array for each value.
extension TextBuffer {
  /// Appends a string in quotes. Control characters, quotes and backslashes are escaped.
  package func append(json text: String) {
    var buffer = self
    JSONText.write(text, to: &buffer)
  }

  /// Appends UTF-8 as a string in quotes. Invalid UTF-8 is repaired.
  package func append(json text: UnsafeBufferPointer<UInt8>) {
    var buffer = self
    guard text.contains(where: { $0 >= 0x80 }), !UTF8Text.isValid(text) else {
      return JSONText.writeQuoted(text, to: &buffer)
    }
    JSONText.write(String(decoding: text, as: UTF8.self), to: &buffer)
  }

  /// Appends the shortest decimal number that is parsed as the same double. Infinity and NaN are
  /// written as null.
  package func append(json value: Double) {
    value.isFinite ? NumberText.append(value, to: self) : append(literal: "null")
  }

  /// Appends the shortest decimal number that is parsed as the same float. Infinity and NaN are
  /// written as null.
  package func append(json value: Float) {
    value.isFinite ? NumberText.append(value, to: self) : append(literal: "null")
  }

  /// Appends `true` or `false`.
  package func append(json value: Bool) { append(literal: value ? "true" : "false") }

  /// Appends an attribute in the same format as `JSONText`.
  package func append(json value: FieldValue) {
    switch value {
    case .null: append(literal: "null")
    case .text(let text): append(json: text)
    case .integer(let integer): append(signed: integer)
    case .real(let real): append(json: real)
    case .boolean(let boolean): append(json: boolean)
    case .json(let text):
      var buffer = self
      JSONText.write(json: text, to: &buffer)
    }
  }

  /// Appends `"name":`, the start of a member.
  package func append(key name: String) {
    append(json: name)
    append(UInt8(ascii: ":"))
  }
}
