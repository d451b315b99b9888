import PlumbCore

/// The attributes of a row, in the order of the fields.
typealias SQLRow = [FieldValue]

/// A part of a condition that has a value, with bound fields.
indirect enum BoundValue: Sendable {
  case constant(SQLValue)
  case field(Int, FieldKind)
  case truth(BoundTruth)
  case negated(BoundValue)
  case chain(BoundValue, [BoundTerm])
  /// A chain of operators with dates or intervals.
  case timeChain(BoundValue, [BoundTerm])
  case choice(BoundChoice)
  case joined([BoundValue])
  case call([BoundValue], @Sendable (SQLArguments) -> SQLValue)
  case cast(BoundValue, SQLType)

  func value(_ row: SQLRow) -> SQLValue {
    switch self {
    case .constant(let value): return value
    case .field(let index, let kind):
      return index < row.count ? SQLValue(row[index], kind) : .null
    case .truth(let truth): return truth.truth(row).value
    case .negated(let node): return SQLArithmetic.negated(node.value(row))
    case .chain(let first, let terms):
      var result = first.value(row)
      for term in terms {
        result = SQLArithmetic.apply(term.sign, result, term.operand.value(row))
      }
      return result
    case .timeChain(let first, let terms):
      var result = first.value(row)
      for term in terms {
        result = SQLArithmetic.applyToTimes(term.sign, result, term.operand.value(row))
      }
      return result
    case .choice(let choice): return choice.value(row)
    case .joined(let nodes):
      var result = ""
      for node in nodes {
        guard let text = node.value(row).text,
          result.utf8.count + text.utf8.count <= SQLText.byteLimit
        else { return .null }
        result += text
      }
      return .text(result)
    case .call(let nodes, let body): return body(SQLArguments(nodes: nodes, row: row))
    case .cast(let node, let type): return node.value(row).cast(to: type)
    }
  }
}

struct BoundTerm: Sendable {
  var sign: SQLSign
  var operand: BoundValue
}

extension SQLValue {
  /// Converts an attribute to the kind of its field. NaN and values that cannot be converted are NULL.
  @inline(__always)
  init(_ value: FieldValue, _ kind: FieldKind) {
    switch (value, kind) {
    case (.text(let text), .text), (.json(let text), .text): self = .text(text)
    case (.integer(let integer), .integer), (.integer(let integer), .real):
      self = .integer(integer)
    case (.real(let real), .integer), (.real(let real), .real): self = SQLValue(number: real)
    case (.boolean(let boolean), .boolean): self = .boolean(boolean)
    default: self = SQLValue(unlike: value, kind)
    }
  }

  private init(unlike value: FieldValue, _ kind: FieldKind) {
    let plain: SQLValue =
      switch value {
      case .null: .null
      case .text(let text), .json(let text): .text(text)
      case .integer(let integer): .integer(integer)
      case .real(let real): SQLValue(number: real)
      case .boolean(let boolean): .boolean(boolean)
      }
    switch kind {
    case .text: self = plain.text.map { .text($0) } ?? .null
    case .integer, .real: self = plain.number
    case .boolean: self = plain.boolean
    }
  }

  /// The value as a number. True is 1. Text is parsed, and the result is NULL if the text is not a
  /// number.
  var number: SQLValue {
    switch self {
    case .text(let text): SQLNumber.read(text) ?? .null
    case .boolean(let boolean): .integer(boolean ? 1 : 0)
    case .integer, .real: self
    case .null, .moment, .interval: .null
    }
  }

  /// The value as a boolean. 0, 1, and the words true and false, regardless of case, are converted.
  /// Other values are NULL.
  var boolean: SQLValue {
    switch self {
    case .boolean: return self
    case .text(let text):
      let word = text.lowercased()
      if word == "true" { return .boolean(true) }
      if word == "false" { return .boolean(false) }
      return SQLNumber.read(text)?.boolean ?? .null
    default: return double == 0 ? .boolean(false) : double == 1 ? .boolean(true) : .null
    }
  }

  /// The value as a date. Text is parsed.
  private var moment: SQLMoment? {
    switch self {
    case .moment(let moment): moment
    case .text(let text): SQLMoment(text)
    default: nil
    }
  }

  func cast(to type: SQLType) -> SQLValue {
    switch type {
    case .integer:
      let value = number
      guard case .real(let real) = value else { return value }
      return Int64(exactly: real.rounded(.towardZero)).map { .integer($0) } ?? .null
    case .real: return number.double.map { .real($0) } ?? .null
    case .decimal(let form): return SQLArithmetic.decimal(number, form)
    case .date: return moment.map { .moment($0.day) } ?? .null
    case .timestamp: return moment.map { .moment($0) } ?? .null
    case .text(let length):
      guard let text else { return .null }
      guard let length else { return .text(text) }
      return SQLText.part(of: text, from: 1, length: Int64(length))
    }
  }
}
