/// The exact decimal digits of a finite number, rounded to some places after the point: halves go
/// away from zero, by the number's exact value, as C rounds all but the halves.
struct DecimalDigits {
  /// The digits before the point, without leading zeros; "0" for none.
  private(set) var whole: [UInt8]
  /// As many as were asked for.
  private(set) var fraction: [UInt8]

  /// - Parameters:
  ///   - magnitude: 0 or more, and finite.
  ///   - places: digits after the point; from 0 on.
  ///   - shift: powers of ten that the number is multiplied with, exactly.
  init(_ magnitude: Double, places: Int, shift: Int = 0) {
    if shift == 0, magnitude < 1e15, magnitude == magnitude.rounded(.towardZero) {
      whole = Self.digits(of: UInt64(magnitude))
      fraction = Array(repeating: 0, count: places)
      return
    }
    let significand =
      magnitude.isNormal
      ? magnitude.significandBitPattern | 1 << 52 : magnitude.significandBitPattern
    // The number is significand · 2^exponent.
    let exponent = max(1, Int(magnitude.exponentBitPattern)) - 1075
    var digits: [UInt8]
    var rest: BinaryFraction
    if exponent >= 0 {
      digits = Self.digits(of: significand, timesTwoTo: exponent)
      rest = BinaryFraction(bits: 0, below: 0)
    } else {
      let bits = -exponent
      digits = Self.digits(of: bits < 64 ? significand >> UInt64(bits) : 0)
      let mask = bits < 64 ? (1 as UInt64) << UInt64(bits) - 1 : .max
      rest = BinaryFraction(bits: significand & mask, below: bits)
    }
    for _ in 0..<places + shift { digits.append(rest.nextDigit()) }
    if rest.isHalfOrMore { Self.increment(&digits) }
    let point = digits.count - places
    fraction = Array(digits[point...])
    let first = digits[..<point].firstIndex { $0 != 0 } ?? max(0, point - 1)
    whole = point == 0 ? [0] : Array(digits[first..<point])
  }

  private static func digits(of number: UInt64) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(20)
    var left = number
    repeat {
      digits.append(UInt8(truncatingIfNeeded: left % 10))
      left /= 10
    } while left > 0
    digits.reverse()
    return digits
  }

  private static func digits(of number: UInt64, timesTwoTo exponent: Int) -> [UInt8] {
    // Nine digits a limb, the lowest first.
    var limbs: [UInt64] = []
    var high = number
    while high > 0 {
      limbs.append(high % 1_000_000_000)
      high /= 1_000_000_000
    }
    var left = exponent
    while left > 0 {
      let bits = min(left, 29)
      var carry: UInt64 = 0
      for index in limbs.indices {
        let product = limbs[index] << UInt64(bits) + carry
        limbs[index] = product % 1_000_000_000
        carry = product / 1_000_000_000
      }
      if carry > 0 { limbs.append(carry) }
      left -= bits
    }
    var result: [UInt8] = []
    for limb in limbs.reversed() {
      var divisor: UInt64 = 100_000_000
      while divisor > 0 {
        result.append(UInt8(limb / divisor % 10))
        divisor /= 10
      }
    }
    return result
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

/// A number from 0 to below 1, of as many binary digits as it needs.
private struct BinaryFraction {
  /// The highest 32 bits after the point first.
  private var words: [UInt32]

  /// `bits` · 2^−`below`.
  init(bits: UInt64, below: Int) {
    words = Array(repeating: 0, count: (below + 31) / 32)
    // The lowest word holds the bits down to 2^−(32 · count).
    let shift = words.count * 32 - below
    let (low, high) = (
      bits << UInt64(shift), shift == 0 ? 0 : bits >> UInt64(64 - shift)
    )
    for (offset, word) in [
      UInt32(truncatingIfNeeded: low), UInt32(truncatingIfNeeded: low >> 32),
      UInt32(truncatingIfNeeded: high),
    ].enumerated() where offset < words.count {
      words[words.count - 1 - offset] = word
    }
  }

  var isHalfOrMore: Bool { (words.first ?? 0) >> 31 == 1 }

  /// Takes the first decimal digit away.
  mutating func nextDigit() -> UInt8 {
    var carry: UInt64 = 0
    for index in words.indices.reversed() {
      let product = UInt64(words[index]) * 10 + carry
      words[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    while words.last == 0 { words.removeLast() }
    return UInt8(carry)
  }
}
