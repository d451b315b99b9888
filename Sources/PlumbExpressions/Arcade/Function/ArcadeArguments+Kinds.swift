import PlumbCore

/// Accessors for arguments that must be of a particular kind. Errors identify the invalid argument.
extension ArcadeArguments {
  func array(_ position: Int) throws(ArcadeFailure) -> ArcadeArray {
    guard case .array(let array) = self[position] else { throw wrong(position, "an array") }
    return array
  }

  func function(_ position: Int) throws(ArcadeFailure) -> ArcadeCallable {
    guard case .function(let function) = self[position] else {
      throw wrong(position, "a function's name")
    }
    return function
  }

  /// A whole number; `orElse` if the argument is missing or null.
  func whole(_ position: Int, orElse: Int? = nil) throws(ArcadeFailure) -> Int {
    if let orElse, case .null = self[position] { return orElse }
    guard case .number(let number) = self[position], let whole = Int(exactly: number) else {
      throw wrong(position, "a whole number")
    }
    return whole
  }

  func wrong(_ position: Int, _ wanted: String) -> ArcadeFailure {
    ArcadeFailure(
      "value \(position + 1) of the call must be \(wanted), not \(self[position].kindText)")
  }
}

extension ArcadeValue {
  fileprivate var kindText: String {
    switch self {
    case .null: "null"
    case .number(let number): ArcadeNumber.text(number)
    case .text(let text): "the text \(text.shown)"
    case .boolean(let boolean): boolean ? "true" : "false"
    default: "a " + typeName
    }
  }
}
