import PlumbCore
import PlumbIO

/// A JSON value with its path in the document. A null member is treated as missing.
struct JSONNode {
  let tree: JSONTree
  /// The path, such as `domainNetworks[0].tiers[1].rank`; empty for the root.
  let path: String

  init(_ tree: JSONTree, path: String = "") {
    self.tree = tree
    self.path = path
  }

  func fault(_ message: String) -> FormatError {
    FormatError(path.isEmpty ? message : "\(path): \(message)")
  }

  private func misfit(_ expected: String) -> FormatError {
    fault("expected \(expected), found \(tree.what)")
  }

  // MARK: As a value

  func object() throws(FormatError) -> [String: JSONTree] {
    guard case .object(let members) = tree else { throw misfit("an object") }
    return members
  }

  func text() throws(FormatError) -> String {
    guard case .text(let text) = tree else { throw misfit("a string") }
    return text
  }

  func flag() throws(FormatError) -> Bool {
    guard case .boolean(let flag) = tree else { throw misfit("true or false") }
    return flag
  }

  func integer() throws(FormatError) -> Int {
    switch tree {
    case .integer(let number):
      if let number = Int(exactly: number) { return number }
      throw fault("expected a whole number, found \(number)")
    case .real(let number):
      if let number = Int(exactly: number) { return number }
      throw fault("expected a whole number, found \(number)")
    default: throw misfit("a whole number")
    }
  }

  func number() throws(FormatError) -> Double {
    switch tree {
    case .integer(let number): return Double(number)
    case .real(let number) where number.isFinite: return number
    case .real: throw fault("expected a number, found one that is too large")
    default: throw misfit("a number")
    }
  }

  /// The enumeration case whose raw value is this string. Differences between upper and lower case
  /// are ignored, and the string may start with one of Esri's prefixes.
  func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ type: Choice.Type, prefixes: String...
  ) throws(FormatError) -> Choice {
    let text = try text()
    for prefix in prefixes + [""] where text.hasPrefix(prefix) {
      let name = text.dropFirst(prefix.count).lowercased()
      if let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == name }) {
        return choice
      }
    }
    let names = Choice.allCases.map { (prefixes.first ?? "") + $0.rawValue }
    let shown = text.printable
    throw fault(
      "expected \(names.joined(separator: ", ")), found "
        + (shown.count > 60 ? shown.prefix(60) + "…" : shown))
  }

  // MARK: As an object

  /// - Throws: if this value is not an object.
  func member(_ names: String...) throws(FormatError) -> JSONNode? {
    let members = try object()
    for name in names {
      guard let member = members[name] else { continue }
      if case .null = member { continue }
      return JSONNode(member, path: position(of: name))
    }
    return nil
  }

  /// - Parameter names: the member's name and its synonyms.
  /// - Throws: if this value is not an object, or if the member is missing.
  func required(_ names: String..., expected: String) throws(FormatError) -> JSONNode {
    for name in names {
      if let member = try member(name) { return member }
    }
    throw JSONNode(.null, path: position(of: names[0])).fault("expected \(expected), found nothing")
  }

  private func position(of name: String) -> String { path.isEmpty ? name : path + "." + name }

  /// The value of a string member. An empty string is treated as missing.
  func text(_ name: String) throws(FormatError) -> String? {
    guard let text = try member(name)?.text(), !text.isEmpty else { return nil }
    return text
  }

  func flag(_ name: String) throws(FormatError) -> Bool? { try member(name)?.flag() }
  func integer(_ name: String) throws(FormatError) -> Int? { try member(name)?.integer() }

  func requiredText(_ name: String) throws(FormatError) -> String {
    let node = try required(name, expected: "a string")
    let text = try node.text()
    if text.isEmpty { throw node.fault("expected a string, found an empty one") }
    return text
  }

  func requiredInteger(_ name: String) throws(FormatError) -> Int {
    try required(name, expected: "a whole number").integer()
  }

  // MARK: As a list

  func elements() throws(FormatError) -> [JSONNode] {
    guard let elements = tree.elements else { throw misfit("a list") }
    return elements.enumerated().map { JSONNode($1, path: path + "[\($0)]") }
  }

  /// The elements of a member; empty if the member is missing.
  func list<Element>(
    _ name: String, _ read: (JSONNode) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    guard let node = try member(name) else { return [] }
    var result: [Element] = []
    for element in try node.elements() { result.append(try read(element)) }
    return result
  }

  /// The elements of a member. Throws if two elements have the same key.
  func list<Element, Key: Hashable>(
    _ name: String, unique what: String, _ key: (Element) -> Key,
    _ read: (JSONNode) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    var seen: [Key: String] = [:]
    return try list(name) { node throws(FormatError) in
      let element = try read(node)
      if let first = seen.updateValue(node.path, forKey: key(element)) {
        throw node.fault("\(first) has the same \(what): \(key(element))".printable)
      }
      return element
    }
  }

  // MARK: Whole documents

  /// Parses a whole JSON text, optionally with a byte order mark.
  static func root(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> JSONNode {
    JSONNode(try JSONTree(bytes))
  }

  /// Parses a string as JSON, because forms send JSON values as strings. Other values are returned
  /// unchanged.
  func unwrapped() throws(FormatError) -> JSONNode {
    guard case .text(let text) = tree else { return self }
    // Closures do not preserve the type of a thrown error.
    let inner = Array(text.utf8).withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try JSONTree(bytes) }
    }
    switch inner {
    case .success(let tree): return JSONNode(tree, path: path)
    case .failure(let error): throw fault(error.description)
    }
  }

  /// - Throws: the error that a service's reply contains, if any.
  func refuseServiceError() throws(FormatError) {
    guard let error = try member("error"), case .object = error.tree else { return }
    let message = try error.text("message") ?? "no message"
    let details = try error.list("details") { node throws(FormatError) in try node.text() }
    throw error.fault(
      "the service answered: \(([message] + details).joined(separator: "; "))".printable)
  }
}
