import PlumbCore
import PlumbExpressions

/// A title or text, split at its braces.
struct PopupTemplate {
  enum Piece: Equatable {
    case text(Substring)
    /// The text in a pair of braces without nested braces.
    case name(String)
  }

  private(set) var pieces: [Piece] = []

  init(_ template: String) {
    var rest = template[...]
    while let open = rest.firstIndex(of: "{") {
      add(rest[..<open])
      guard let close = rest[open...].firstIndex(of: "}") else {
        add(rest[open...])
        return
      }
      // The innermost opening brace matches the closing brace.
      if let inner = rest[rest.index(after: open)..<close].lastIndex(of: "{") {
        add(rest[open..<inner])
        rest = rest[inner...]
        continue
      }
      pieces.append(.name(String(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    add(rest)
  }

  private mutating func add(_ text: Substring) {
    if !text.isEmpty { pieces.append(.text(text)) }
  }
}

extension PopupDefinition {
  /// Returns the popup of one element.
  ///
  /// A template's `{NAME}` is replaced by the field's value in the field's format, or by nothing for null. A
  /// name in braces that is not a field is kept with its braces; an unknown expression is removed with its
  /// braces.
  ///
  /// - Parameters:
  ///   - attributes: all attributes of the element, by name.
  ///   - values: the values of the expressions that the popup uses, as strings.
  package func popup(
    of attributes: [(name: String, value: FieldValue)],
    expressions values: [(name: String, text: String)] = []
  ) -> Popup {
    let texts = ElementTexts(self, attributes, values)
    var popup = Popup(
      title: texts.fill(title), text: texts.fill(text),
      fields: fields.filter(\.isVisible).compactMap { field in
        texts.text(of: field.name).map {
          Popup.Field(name: field.name, label: label(of: field), text: $0)
        }
      })
    popup.media = media.map { medium in
      Popup.Medium(
        type: medium.type, title: texts.fill(medium.title), caption: texts.fill(medium.caption),
        address: texts.fill(medium.address), link: texts.fill(medium.link),
        fields: medium.fields.compactMap { name in
          texts.text(of: name, dividedBy: medium.normalizeField).map {
            Popup.Field(name: name, label: label(of: info(of: name)), text: $0)
          }
        })
    }
    return popup
  }

  /// The field with a name, or a field with default settings if the name is not listed.
  private func info(of name: String) -> FieldInfo {
    fields.first { $0.name == name }
      ?? fields.first { $0.name.lowercased() == name.lowercased() } ?? FieldInfo(name: name)
  }

  /// The label of a field; the default label of a field with an expression is the expression's title.
  private func label(of field: FieldInfo) -> String {
    guard field.label == field.name else { return field.label }
    return Self.expression(field.name, in: expressions)?.title ?? field.label
  }
}

/// An element's attributes and the values of expressions as strings, by name.
private struct ElementTexts {
  private let popup: PopupDefinition
  private let attributes: [(name: String, value: FieldValue)]
  private let values: [(name: String, text: String)]

  init(
    _ popup: PopupDefinition, _ attributes: [(name: String, value: FieldValue)],
    _ values: [(name: String, text: String)]
  ) {
    self.popup = popup
    self.attributes = attributes
    self.values = values
  }

  /// The text of a field or an expression; nil if there is none with that name.
  func text(of name: String) -> String? {
    let match =
      attributes.first { $0.name == name }
      ?? attributes.first { $0.name.lowercased() == name.lowercased() }
    guard let match else {
      return PopupDefinition.expression(name, in: popup.expressions).map { expression in
        values.first { $0.name == expression.name }?.text ?? ""
      }
    }
    switch (match.value, format(of: name)) {
    case (.integer, let format?), (.real, let format?), (.json, let format?):
      return format.text(of: match.value.plainText) ?? match.value.plainText
    default: return match.value.plainText
    }
  }

  /// A field's number divided by the number of another field, in the format of the first field; nil
  /// if one of the fields is not a number, or the divisor is 0. If `divisor` is nil, the text of
  /// the field.
  func text(of name: String, dividedBy divisor: String?) -> String? {
    guard let divisor else { return text(of: name) }
    guard let numerator = number(of: name), let other = number(of: divisor), other != 0 else {
      return nil
    }
    let text = (numerator / other).description
    return format(of: name)?.text(of: text) ?? text
  }

  private func number(of name: String) -> Double? {
    let match =
      attributes.first { $0.name == name }
      ?? attributes.first { $0.name.lowercased() == name.lowercased() }
    switch match?.value {
    case .integer(let number)?: return Double(number)
    case .real(let number)?: return number
    case nil: return text(of: name).flatMap { Double($0) }
    default: return nil
    }
  }

  private func format(of name: String) -> PopupDefinition.NumberFormat? {
    (popup.fields.first { $0.name == name }
      ?? popup.fields.first { $0.name.lowercased() == name.lowercased() })?.format
  }

  func fill(_ template: String) -> String {
    var result = ""
    for piece in PopupTemplate(template).pieces {
      switch piece {
      case .text(let text): result += text
      case .name(let name):
        if let text = text(of: name) {
          result += text
        } else if !name.lowercased().hasPrefix("expression/") {
          result += "{\(name)}"
        }
      }
    }
    return result
  }
}

extension PopupDefinition.NumberFormat {
  /// Formats a number with `places` decimals, at most 15, rounded half away from zero in decimal
  /// notation.
  ///
  /// - Parameter number: the number in Swift's shortest representation, which is rounded instead of the
  ///   binary value: 0.285 becomes 0.29.
  /// - Returns: nil if the text is not a number, or has more than 20 digits before the decimal
  ///   point.
  func text(of number: String) -> String? {
    guard let decimal = DecimalDigits(number), decimal.wholeCount <= 20 else { return nil }
    let (whole, fraction) = decimal.rounded(places: min(max(self.places, 0), 15))
    let isZero = whole.allSatisfy { $0 == 0 } && fraction.allSatisfy { $0 == 0 }
    var text = decimal.isNegative && !isZero ? "-" : ""
    for (index, digit) in whole.enumerated() {
      if hasDigitSeparator, index > 0, (whole.count - index) % 3 == 0 { text += "," }
      text += String(digit)
    }
    if !fraction.isEmpty { text += "." }
    for digit in fraction { text += String(digit) }
    return text
  }
}
