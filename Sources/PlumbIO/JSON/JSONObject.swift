import PlumbCore

/// A JSON object that is written member by member.
package struct JSONObject: Sendable {
  /// The members, separated by commas.
  private var members: [UInt8] = []

  /// Creates an object without members.
  package init() {}

  /// The object as a JSON string.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The object as JSON in UTF-8.
  package var bytes: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

  private mutating func key(_ name: String) {
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    JSONText.append(key: name, to: &members)
  }

  package mutating func add(_ name: String, _ value: FieldValue) {
    key(name)
    JSONText.append(value, to: &members)
  }

  package mutating func add(_ name: String, _ value: String?) {
    add(name, value.map { FieldValue.text($0) } ?? .null)
  }

  package mutating func add(_ name: String, _ value: Int) { add(name, .integer(Int64(value))) }

  package mutating func add(_ name: String, _ value: Double) { add(name, .real(value)) }

  package mutating func add(_ name: String, _ value: Bool) { add(name, .boolean(value)) }

  package mutating func add(_ name: String, _ value: JSONObject) { add(name, json: value.bytes) }

  package mutating func add(_ name: String, _ values: [JSONObject]) {
    key(name)
    members.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { members.append(UInt8(ascii: ",")) }
      members += value.bytes
    }
    members.append(UInt8(ascii: "]"))
  }

  /// - Parameter json: valid JSON.
  package mutating func add(_ name: String, json: [UInt8]) {
    key(name)
    members += json
  }

  /// - Parameter json: valid JSON.
  package mutating func add(_ name: String, json: String) { add(name, json: Array(json.utf8)) }

  package mutating func add(_ name: String, list: [String]) {
    add(name, json: "[" + list.joined(separator: ",") + "]")
  }

  package mutating func add(_ name: String, integers: [Int]) {
    add(name, list: integers.map { String($0) })
  }

  package mutating func add(_ name: String, texts: [String]) {
    add(
      name,
      list: texts.map {
        var text: [UInt8] = []
        JSONText.append($0, to: &text)
        return String(decoding: text, as: UTF8.self)
      })
  }
}
