#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SQLFunction {
  /// A function of one number that leaves integers as they are.
  private static func whole(
    _ name: String, _ rule: FloatingPointRoundingRule
  ) -> SQLFunction {
    SQLFunction(name, .these([.number], optional: 0), .number) { values in
      let value = values[0]
      guard case .real(let real) = value else { return value }
      return .real(real.rounded(rule))
    }
  }

  static let numbers = [
    SQLFunction("ABS", .these([.number], optional: 0), .number) { values in
      switch values[0] {
      case .integer(let integer):
        integer == .min ? .real(0x1p63) : .integer(abs(integer))
      case .real(let real): .real(abs(real))
      case let other: other
      }
    },
    SQLFunction("ROUND", .these([.number, .number], optional: 1), .number) { values in
      let value = values[0]
      guard values.count > 1 else { return SQLArithmetic.rounded(value, digits: 0) }
      return values[1].clamped.map { SQLArithmetic.rounded(value, digits: $0) } ?? .null
    },
    whole("FLOOR", .down),
    whole("CEILING", .up),
    SQLFunction("MOD", .these([.number, .number], optional: 0), .number) { values in
      SQLArithmetic.apply(.remainder, values[0], values[1])
    },
    SQLFunction("SQRT", .these([.number], optional: 0), .number) { values in
      values.double(0).map { SQLValue(number: $0.squareRoot()) } ?? .null
    },
    SQLFunction("POWER", .these([.number, .number], optional: 0), .number) { values in
      guard let base = values.double(0), let power = values.double(1) else { return .null }
      return SQLValue(number: pow(base, power))
    },
  ]
}
