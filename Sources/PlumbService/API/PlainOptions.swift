import Plumb
import PlumbIO
import PlumbVerbs

/// The members of a request's object, each taken once; what is left was not known.
struct PlainOptions {
  private var members: [String: JSONTree]

  init(_ body: [UInt8]) throws(ServiceError) {
    guard case .object(let members) = try JSONTree.of(body, "the body") else {
      throw ServiceError("the body is no JSON object")
    }
    self.init(members)
  }

  init(_ members: [String: JSONTree]) {
    self.members = members.filter { if case .null = $0.value { false } else { true } }
  }

  /// Sets the options of a verb.
  func read<Request>(
    _ table: OptionTable<Request>, into request: inout Request
  ) throws(OptionViolation) {
    try table.read(members, into: &request, by: .service)
  }

  /// - Throws: names a member that nobody has taken.
  func finish() throws(ServiceError) {
    if let name = members.keys.min() {
      throw ServiceError("unknown option \(name.shown)", kind: .badOption)
    }
  }

  private func fault(_ name: String, _ expected: String) -> ServiceError {
    ServiceError("\(name): \(expected) is expected", kind: .badOption)
  }

  mutating func take(_ name: String) -> JSONTree? { members.removeValue(forKey: name) }

  mutating func text(_ name: String) throws(ServiceError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.text else { throw fault(name, "a text") }
    return text
  }

  mutating func texts(_ name: String) throws(ServiceError) -> [String] {
    guard let value = take(name) else { return [] }
    if let text = value.text { return [text] }
    guard let list = value.list else { throw fault(name, "a list of texts") }
    var texts: [String] = []
    for item in list {
      guard let text = item.text else { throw fault(name, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  mutating func flag(_ name: String) throws(ServiceError) -> Bool {
    guard let value = take(name) else { return false }
    guard let flag = value.flag else { throw fault(name, "true or false") }
    return flag
  }

  mutating func number(_ name: String) throws(ServiceError) -> Double? {
    guard let value = take(name) else { return nil }
    guard let number = value.number else { throw fault(name, "a number") }
    return number
  }

  mutating func word<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ type: Word.Type
  ) throws(ServiceError) -> Word? {
    guard let text = try text(name) else { return nil }
    let plain = { (text: String) in text.filter { $0 != "-" && $0 != "_" }.lowercased() }
    guard let word = Word.allCases.first(where: { plain($0.rawValue) == plain(text) }) else {
      throw fault(name, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }
}
