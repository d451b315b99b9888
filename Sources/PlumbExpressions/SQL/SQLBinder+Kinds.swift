import PlumbCore

/// Lookup of fields, and compatibility of kinds.
extension SQLBinder {
  func index(of name: String, _ node: SQLNode) throws(ExpressionError) -> Int {
    if let positions = exact[name] {
      guard positions.count == 1 else {
        throw error(node, "\(positions.count) fields have the name \(name.shown)")
      }
      return positions[0]
    }
    let positions = folded[name.lowercased()] ?? []
    guard let index = positions.first else {
      throw error(
        node, "there is no field \(name.shown)" + NameSuggestions.list(fields.map(\.name.shown)))
    }
    guard positions.count == 1 else {
      let names = positions.prefix(10).map { fields[$0].name.shown }.joined(separator: ", ")
      throw error(node, "\(name.shown) may be any of \(names): use the field's exact name")
    }
    return index
  }

  /// Pairs two values for a comparison. Text literals are parsed as the kind of the other value.
  ///
  /// - Throws: an error with advice if the values cannot be compared.
  func paired(_ a: Bound, _ b: Bound) throws(ExpressionError) -> (Bound, Bound) {
    if a.kind == b.kind || a.kind == .null || b.kind == .null { return (a, b) }
    if a.literal != nil, b.literal == nil { return (try read(a, as: b), b) }
    if b.literal != nil, a.literal == nil { return (a, try read(b, as: a)) }
    switch (a.kind, b.kind) {
    case (.number, .boolean), (.boolean, .number), (.text, .moment), (.moment, .text):
      return (a, b)
    case (.text, .number): throw mismatch(text: a, number: b)
    case (.number, .text): throw mismatch(text: b, number: a)
    default:
      throw error(b.node, "\(describe(b)) cannot be compared with \(describe(a))")
    }
  }

  private func mismatch(text: Bound, number: Bound) -> ExpressionError {
    var advice = "CAST one of them"
    if case .constant(let value) = number.value, let text = value.text {
      advice = "write '\(text)', or CAST(… AS FLOAT)"
    }
    return error(
      number.node, "\(describe(text)) cannot be compared with \(describe(number)): \(advice)")
  }

  /// The value of literal text parsed as the kind of another value: a number, boolean or date.
  private func read(_ text: Bound, as other: Bound) throws(ExpressionError) -> Bound {
    let literal = text.literal ?? ""
    let value: SQLValue
    switch other.kind {
    case .number: value = SQLNumber.read(literal) ?? .null
    case .boolean: value = SQLValue.text(literal).boolean
    case .moment: value = SQLMoment(literal).map { .moment($0) } ?? .null
    case .months, .duration: value = .null
    case .text, .null: return text
    }
    if case .null = value {
      throw error(
        text.node,
        "'\(literal.shown)' is compared with \(describe(other)) but is not \(other.kind.article)")
    }
    return Bound(value: .constant(value), kind: other.kind, literal: literal, node: text.node)
  }

  func error(_ node: SQLNode, _ message: String) -> ExpressionError {
    source.error(at: node.offset, message)
  }

  /// The description of a value in messages.
  func describe(_ value: Bound) -> String {
    switch value.node {
    case .field(let name, _): "the \(value.kind.word) field \(name.shown)"
    case .literal(let literal, _): literal.text.shown
    default: value.kind == .null ? "NULL" : value.kind.article
    }
  }
}

extension SQLKind {
  init(_ kind: FieldKind) {
    switch kind {
    case .text: self = .text
    case .integer, .real: self = .number
    case .boolean: self = .boolean
    }
  }

  fileprivate var word: String {
    switch self {
    case .boolean: "boolean"
    case .number: "number"
    case .text: "text"
    case .moment: "date"
    case .months: "interval of months"
    case .duration: "interval of time"
    case .null: "NULL"
    }
  }

  var article: String { (isInterval ? "an " : "a ") + word }

  var isInterval: Bool { self == .months || self == .duration }
}
