/// Encodes parameters for URLs and forms.
package enum FormText {
  /// Returns `name=value&…`. All characters except unreserved characters and commas are
  /// percent-encoded.
  package static func encode(_ parameters: [(name: String, value: String)]) -> String {
    var text: [UInt8] = []
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { text.append(UInt8(ascii: "&")) }
      append(parameter.name, to: &text)
      text.append(UInt8(ascii: "="))
      append(parameter.value, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ value: String, to text: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ","):
        text.append(byte)
      default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}
