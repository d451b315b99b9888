import PlumbCore
import PlumbFormats
import PlumbIO

/// The types of delimited text's columns in output formats with typed columns.
public struct ColumnTypes: Sendable, Hashable {
  /// Whether columns without a given type may be detected as numbers.
  public var findsNumbers = true
  /// The columns with given types, in order.
  public var given: [Field] = []

  /// Types are detected. In a file, a column is numeric if every field that is not empty is a
  /// number that is written again with the same text. In input that can be read only once, all
  /// columns are text.
  public static let automatic = ColumnTypes()

  private init() {}

  /// - Parameter text: `text` for all columns, or `NAME=KIND` separated by commas, where KIND is
  ///   int, real, text or bool.
  public init(_ text: String) throws(PlumbError) {
    if text.lowercased() == "text" {
      findsNumbers = false
      return
    }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = part.lastIndex(of: "="), equals != part.startIndex else {
        throw PlumbError(
          "\(String(part).printable) is not NAME=KIND: expected text, or name=int,other=real")
      }
      let (name, word) = (String(part[..<equals]), part[part.index(after: equals)...])
      let kinds: [String: FieldKind] = [
        "int": .integer, "integer": .integer, "real": .real, "double": .real, "float": .real,
        "text": .text, "string": .text, "bool": .boolean, "boolean": .boolean,
      ]
      guard let kind = kinds[word.lowercased()] else {
        throw PlumbError(
          "\(String(word).printable) is not a kind of column: use int, real, text or bool")
      }
      guard !given.contains(where: { $0.name == name }) else {
        throw PlumbError("the column \(name.printable) has two kinds")
      }
      given.append(Field(name: name, kind: kind))
    }
  }

  /// Returns the types of a table's columns.
  ///
  /// - Parameter forms: the common form of each column's fields, if known.
  /// - Throws: if a column with a given type does not exist.
  package func fields(names: [String], forms: ColumnForms?) throws(PlumbError) -> [Field] {
    var fields = names.map { Field(name: $0, kind: .text) }
    if let forms, findsNumbers {
      for (index, form) in forms.forms.enumerated() where index < fields.count {
        switch form {
        case .integer: fields[index].kind = .integer
        case .real: fields[index].kind = .real
        case .empty, .text: break
        }
      }
    }
    for field in given {
      let matches = names.indices.filter { names[$0] == field.name }
      guard let index = matches.first else {
        throw PlumbError(
          "there is no column \(field.name.printable) for the given type"
            + NameSuggestions.hint(field.name, among: names))
      }
      fields[index].kind = field.kind
    }
    return fields
  }
}

/// Converts a field of delimited text to a value of its column's type.
package enum TypedField {
  /// The error for bytes that are not UTF-8, whose encoding is unknown.
  package static var notUTF8: PlumbError {
    PlumbError(
      "the text is not UTF-8", code: .badInput,
      remedies: ["name its encoding with \(.encoding), or save the file as UTF-8"])
  }

  /// - Parameter isJSON: whether numbers keep all of their digits, as JSON text.
  /// - Throws: if the field is not of the column's type.
  package static func value(
    _ bytes: [UInt8], _ field: Field, isJSON: Bool
  ) throws(PlumbError) -> FieldValue {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw notUTF8 }
    guard field.kind != .text else { return .text(text) }
    if bytes.isEmpty { return .null }
    let form = bytes.withUnsafeBufferPointer { FieldForm($0) }
    let number = bytes.withUnsafeBufferPointer { NumberText.parse($0) }
    switch field.kind {
    case .text: return .text(text)
    case .integer:
      if let number = Int64(text) { return .integer(number) }
      if let number, let exact = Int64(exactly: number) { return .integer(exact) }
    case .real:
      if let number {
        return isJSON && (form == .integer || form == .real) ? .json(text) : .real(number)
      }
      if text.lowercased() == "nan" { return .null }
    case .boolean:
      switch text.lowercased() {
      case "true", "1": return .boolean(true)
      case "false", "0": return .boolean(false)
      default: break
      }
    }
    let kind =
      switch field.kind {
      case .integer: "an integer"
      case .real: "a number"
      case .boolean: "true or false"
      case .text: "text"
      }
    throw PlumbError(
      "column \(field.name.printable): \"\(String(text.prefix(40)).printable)\" is not \(kind)")
  }
}
