/// Functions for elements of a network.
extension SQLFunction {
  /// The name of the function that the binder binds to the categories of the row's element.
  static let category = "CATEGORY"

  private static func bits(
    _ name: String, _ holds: @escaping @Sendable (Int64, Int64) -> Bool
  ) -> SQLFunction {
    SQLFunction(name, .these([.number, .number], optional: 0), .boolean) { values in
      guard let bits = integer(values[0]), let wanted = integer(values[1]) else { return .null }
      return .boolean(holds(bits, wanted))
    }
  }

  /// A number as a 64-bit integer; nil if it is not an integer.
  private static func integer(_ value: SQLValue) -> Int64? {
    switch value {
    case .integer(let integer): integer
    case .boolean(let boolean): boolean ? 1 : 0
    case .real(let real): Int64(exactly: real)
    default: nil
    }
  }

  static let elements = [
    SQLFunction(category, .these([.text], optional: 0), .boolean) { _ in .null },
    bits("INCLUDES") { $0 & $1 == $1 },
    bits("INCLUDESANY") { $0 & $1 != 0 },
  ]

  /// The function that returns whether the row's element is of a category. The category is a bit of
  /// a row's integer, which contains 63 categories.
  static func test(ofBit bit: Int) -> @Sendable (SQLArguments) -> SQLValue {
    { values in
      guard case .integer(let bits) = values[0] else { return .boolean(false) }
      return .boolean(bits >> Int64(bit) & 1 == 1)
    }
  }
}
