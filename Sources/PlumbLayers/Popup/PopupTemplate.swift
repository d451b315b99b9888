import PlumbCore
import PlumbExpressions

/// A title or text, taken apart at its braces.
struct PopupTemplate {
  enum Piece: Equatable {
    case text(Substring)
    /// What stands in braces without others in it.
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
      // The brace that the closing one belongs to.
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
  /// What the popup says of one element.
  ///
  /// A template's `{NAME}` becomes the field's value in the field's format, nothing for null.
  /// Braces round what is not a field stay as they are; those round an expression that there is not
  /// become nothing.
  ///
  /// - Parameters:
  ///   - attributes: all of the element's, by name.
  ///   - values: of the expressions that the popup names, as texts.
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

  /// What is said of a field, its name alone where nothing is.
  private func info(of name: String) -> FieldInfo {
    fields.first { $0.name == name }
      ?? fields.first { $0.name.lowercased() == name.lowercased() } ?? FieldInfo(name: name)
  }

  /// An expression's field without a label of its own has the expression's title.
  private func label(of field: FieldInfo) -> String {
    guard field.label == field.name else { return field.label }
    return Self.expression(field.name, in: expressions)?.title ?? field.label
  }
}

/// An element's attributes and the values of expressions as texts, by name.
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

  /// Nil when there is no such field or expression.
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

  /// The same, divided by the number of another field in its own format; nil where one of the two is no
  /// number, or the other is 0.
  func text(of name: String, dividedBy divisor: String?) -> String? {
    guard let divisor else { return text(of: name) }
    guard let own = number(of: name), let other = number(of: divisor), other != 0 else {
      return nil
    }
    let text = (own / other).description
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
  /// A number with so many places, at most 15, rounded half away from zero in decimal notation.
  ///
  /// - Parameter number: as Swift writes it, in its shortest form: the 0.285 that people see
  ///   becomes 0.29, whatever its bits.
  /// - Returns: nil for what is not a number, or has more than 20 digits before the point.
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
