import Plumb
import PlumbIO

/// A JSON object as it is written, member by member.
struct JSONObject {
  private var bytes: [UInt8] = []

  /// The object's text.
  var text: String { "{" + String(decoding: bytes, as: UTF8.self) + "}" }

  private mutating func key(_ name: String) {
    if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
    JSONText.append(key: name, to: &bytes)
  }

  mutating func add(_ name: String, _ value: FieldValue) {
    key(name)
    JSONText.append(value, to: &bytes)
  }

  mutating func add(_ name: String, _ value: String?) {
    add(name, value.map { FieldValue.text($0) } ?? .null)
  }

  mutating func add(_ name: String, _ value: Int) { add(name, .integer(Int64(value))) }

  mutating func add(_ name: String, _ value: Bool) { add(name, .boolean(value)) }

  /// - Parameter json: valid JSON.
  mutating func add(_ name: String, json: String) {
    key(name)
    bytes += Array(json.utf8)
  }

  mutating func add(_ name: String, list: [String]) {
    add(name, json: "[" + list.joined(separator: ",") + "]")
  }

  mutating func add(_ name: String, texts: [String]) {
    add(
      name,
      list: texts.map {
        var text: [UInt8] = []
        JSONText.append($0, to: &text)
        return String(decoding: text, as: UTF8.self)
      })
  }
}
