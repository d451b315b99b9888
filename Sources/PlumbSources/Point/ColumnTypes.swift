import PlumbCore
import PlumbFormats
import PlumbIO

/// What the columns of delimited text become in formats that have types.
public struct ColumnTypes: Sendable, Hashable {
  /// Whether a column that nobody named may be found to be numbers.
  public var findsNumbers = true
  /// The kinds that were given, in order.
  public var given: [Field] = []

  /// Of a file, a column whose every non-empty field is a number that prints back as it stands is
  /// one of numbers; what can be read but once is text.
  public static let automatic = ColumnTypes()

  private init() {}

  /// - Parameter text: `text`, so that all columns are, or `NAME=KIND` with commas between, the kinds
  ///   being int, real, text and bool.
  public init(_ text: String) throws(PlumbError) {
    if text.lowercased() == "text" {
      findsNumbers = false
      return
    }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = part.lastIndex(of: "="), equals != part.startIndex else {
        throw PlumbError(
          "\(String(part).printable) is not NAME=KIND: expected text, or as name=int,other=real")
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

  /// The kinds of a table's columns.
  ///
  /// - Parameter forms: what the columns' fields have in common, where it is known.
  /// - Throws: when a name is not a column's.
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
          "there is no column \(field.name.printable) to have a type"
            + NearText.hint(field.name, among: names))
      }
      fields[index].kind = field.kind
    }
    return fields
  }
}

/// A field of delimited text as a value of its column's kind.
package enum TypedField {
  /// The error of bytes that are not UTF-8: what they stand for is not known.
  package static var notUTF8: PlumbError {
    PlumbError(
      "the text is not UTF-8", code: .badInput,
      remedies: ["name its encoding with \(.encoding), or save the file as UTF-8"])
  }

  /// - Parameter isJSON: whether numbers keep their digits, as JSON text.
  /// - Throws: when the field is not of that kind.
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
      if let number, let whole = Int64(exactly: number) { return .integer(whole) }
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
