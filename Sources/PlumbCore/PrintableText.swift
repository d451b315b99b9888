extension String {
  /// The text with control characters, including bidirectional overrides, escaped, so that text from files
  /// cannot control a terminal or break a line. Passwords in the address of a database are removed.
  public var printable: String {
    if let address = DatabaseAddress(self) { return address.shown.escaped }
    return escaped
  }

  private var escaped: String {
    // Most text is printable ASCII.
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isUnprintable:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}

extension String {
  /// The first 80 characters of the text in one line, for messages that quote text from a client.
  package var shown: String {
    let text = printable
    return text.count > 80 ? text.prefix(80) + "…" : text
  }
}
