/// The decimal digits of a number, rounded half away from zero.
///
/// The shortest decimal representation is rounded, not the binary value. Therefore, 0.285, whose
/// binary value is slightly less, becomes 0.29.
package struct DecimalDigits {
  package private(set) var isNegative = false
  /// The digits d₀, d₁, d₂… of the number 0.d₀d₁d₂… × 10^exponent. The first digit is not 0.
  private var digits: [UInt8] = []
  private var exponent = 0

  /// - Parameter text: digits with an optional point, sign and exponent, such as Swift's shortest
  ///   representation of a number.
  package init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest.removeFirst()
    }
    if let mark = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      let power = String(decoding: rest[(mark + 1)...], as: UTF8.self)
      guard let power = Int(power), power.magnitude < 100_000 else { return nil }
      exponent = power
      rest = rest[..<mark]
    }
    var seesPoint = false
    var count = 0
    for byte in rest {
      if byte == UInt8(ascii: "."), !seesPoint {
        seesPoint = true
        continue
      }
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      count += 1
      if !seesPoint { exponent += 1 }
      if digit == 0, digits.isEmpty { exponent -= 1 } else { digits.append(digit) }
    }
    guard count > 0 else { return nil }
    if digits.isEmpty { exponent = 0 }
  }

  /// - Parameter number: a finite number.
  init(_ number: Double) {
    self = DecimalDigits(number.description) ?? DecimalDigits()
  }

  private init() {}

  /// The number of digits before the point.
  package var wholeCount: Int { max(0, exponent) }

  /// The digits of the number times 10^shift, rounded to `places` decimals.
  ///
  /// - Parameter places: 0 or more.
  /// - Returns: the digits before the point without leading zeros, or a single 0, and `places`
  ///   digits after the point.
  package func rounded(places: Int, shift: Int = 0) -> (whole: [UInt8], fraction: [UInt8]) {
    let count = exponent + shift + places
    var kept: [UInt8] = []
    if count >= 0 {
      kept = Array(digits.prefix(count))
      kept.append(contentsOf: repeatElement(0, count: count - kept.count))
      if count < digits.count, digits[count] >= 5 { Self.increment(&kept) }
    }
    if kept.count <= places {
      kept.insert(contentsOf: repeatElement(0, count: places + 1 - kept.count), at: 0)
    }
    let point = kept.count - places
    return (Array(kept[..<point]), Array(kept[point...]))
  }

  private static func increment(_ digits: inout [UInt8]) {
    var index = digits.count - 1
    while index >= 0, digits[index] == 9 {
      digits[index] = 0
      index -= 1
    }
    if index < 0 { digits.insert(1, at: 0) } else { digits[index] += 1 }
  }
}
