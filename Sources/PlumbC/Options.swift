import Plumb
import PlumbIO
import PlumbVerbs

/// The members of a call's options, each taken once; what is left was not known.
struct Options {
  private var members: [String: JSONTree] = [:]

  /// - Parameter json: one object; nil for none.
  /// - Throws: when it is not one.
  init(_ json: UnsafePointer<CChar>?) throws {
    guard let json = try CText.optional(json, "options") else { return }
    var text = json
    let tree = try text.withUTF8 { bytes in
      do throws(FormatError) {
        return try JSONTree(UnsafeRawBufferPointer(bytes))
      } catch {
        throw CallError.bad("the options: \(error.summary)")
      }
    }
    guard case .object(let members) = tree else {
      throw CallError.bad("the options are \(tree.what); give an object")
    }
    // A member that is null is one that is not there.
    self.members = members.filter { if case .null = $0.value { false } else { true } }
  }

  /// Sets the options of a verb.
  func read<Request>(
    _ table: OptionTable<Request>, into request: inout Request
  ) throws {
    try table.read(members, into: &request, by: .library)
  }

  /// Whether a member is there that has not been taken.
  func has(_ name: String) -> Bool { members[name] != nil }

  /// - Throws: names a member that nobody has taken.
  func finish() throws {
    if let name = members.keys.min() {
      throw CallError.bad("the options: unknown option \(name.printable)")
    }
  }

  private func fault(_ name: String, _ expected: String) -> CallError {
    .bad("the option \(name): \(expected) is expected")
  }

  mutating func text(_ name: String) throws -> String? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard case .text(let text) = value else { throw fault(name, "a text") }
    return text
  }

  mutating func texts(_ name: String) throws -> [String]? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    if case .text(let text) = value { return [text] }
    guard case .list(let list) = value else { throw fault(name, "a list of texts") }
    return try list.map { item in
      guard case .text(let text) = item else { throw fault(name, "a list of texts") }
      return text
    }
  }

  mutating func flag(_ name: String) throws -> Bool {
    guard let value = members.removeValue(forKey: name) else { return false }
    guard case .boolean(let flag) = value else { throw fault(name, "true or false") }
    return flag
  }

  mutating func flag(_ name: String, default usual: Bool) throws -> Bool {
    has(name) ? try flag(name) : usual
  }

  mutating func number(_ name: String) throws -> Double? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    return try number(value, name)
  }

  private func number(_ value: JSONTree, _ name: String) throws -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .real(let number) where number.isFinite: return number
    default: throw fault(name, "a number")
    }
  }

  mutating func numbers(_ name: String) throws -> [Double]? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard case .list(let list) = value else { throw fault(name, "a list of numbers") }
    return try list.map { try number($0, name) }
  }

  mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    return try integer(value, name, range)
  }

  private func integer(
    _ value: JSONTree, _ name: String, _ range: ClosedRange<Int>
  ) throws -> Int {
    guard case .integer(let number) = value, let number = Int(exactly: number),
      range.contains(number)
    else {
      throw fault(
        name,
        range.upperBound == .max
          ? "a whole number from \(range.lowerBound)"
          : "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A word of an enumeration, in any case and with or without its hyphens.
  mutating func word<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ type: Word.Type
  ) throws -> Word? {
    guard let text = try text(name) else { return nil }
    let plain = { (text: String) in text.filter { $0 != "-" && $0 != "_" }.lowercased() }
    guard let word = Word.allCases.first(where: { plain($0.rawValue) == plain(text) }) else {
      let words = Word.allCases.map { Self.word($0.rawValue) }.joined(separator: ", ")
      throw CallError.bad("the option \(name): \(text.printable) is none of \(words)")
    }
    return word
  }

  /// `shortestPath` as `shortest-path`.
  private static func word(_ text: String) -> String {
    text.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }

  // MARK: What several calls have

  /// "access".
  mutating func access() throws -> DocumentAccess {
    switch try text("access") {
    case nil, "folder": .folder
    case "anywhere": .anywhere
    case let other?:
      throw CallError.bad("the option access: \(other.printable) is none of folder, anywhere")
    }
  }

  /// "threads".
  mutating func workers() throws -> Workers {
    Workers(count: try integer("threads", 1...1024))
  }
}
