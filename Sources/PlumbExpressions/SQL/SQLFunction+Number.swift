#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SQLFunction {
  /// A function of one number that returns integers unchanged.
  private static func whole(
    _ name: String, _ rule: FloatingPointRoundingRule
  ) -> SQLFunction {
    SQLFunction(name, .these([.number], optional: 0), .number) { values in
      let value = values[0]
      guard case .real(let real) = value else { return value }
      return .real(real.rounded(rule))
    }
  }

  /// A function of a double; NULL if the result is not a number.
  private static func real(
    _ name: String, _ function: @escaping @Sendable (Double) -> Double
  ) -> SQLFunction {
    SQLFunction(name, .these([.number], optional: 0), .number) { values in
      values.double(0).map { SQLValue(number: function($0)) } ?? .null
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
    SQLFunction("TRUNCATE", .these([.number, .number], optional: 1), .number) { values in
      let value = values[0]
      guard values.count > 1 else { return SQLArithmetic.truncated(value, digits: 0) }
      return values[1].clamped.map { SQLArithmetic.truncated(value, digits: $0) } ?? .null
    },
    whole("FLOOR", .down),
    whole("CEILING", .up),
    SQLFunction("MOD", .these([.number, .number], optional: 0), .number) { values in
      SQLArithmetic.apply(.remainder, values[0], values[1])
    },
    SQLFunction("SIGN", .these([.number], optional: 0), .number) { values in
      values.double(0).map { .integer($0 > 0 ? 1 : $0 < 0 ? -1 : 0) } ?? .null
    },
    real("SQRT") { $0.squareRoot() },
    real("EXP") { exp($0) },
    // The logarithm of 0 is undefined in SQL.
    real("LOG") { $0 > 0 ? log($0) : .nan },
    real("LOG10") { $0 > 0 ? log10($0) : .nan },
    SQLFunction("POWER", .these([.number, .number], optional: 0), .number) { values in
      guard let base = values.double(0), let power = values.double(1) else { return .null }
      return SQLValue(number: pow(base, power))
    },
  ]
}
