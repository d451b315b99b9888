/// The exact sum of products of two finite numbers, stored as a long fixed-point number in two's
/// complement.
package struct FixedPointSum {
  /// The number of 64-bit words. Products range from 2⁻²¹⁴⁸ to below 2²⁰⁴⁸; the remaining bits
  /// store carries and the sign.
  package static let wordCount = 67

  private let words: UnsafeMutableBufferPointer<UInt64>

  /// - Parameter words: storage for `wordCount` words, valid while the sum lives.
  package init(_ words: UnsafeMutableBufferPointer<UInt64>) {
    words.initialize(repeating: 0)
    self.words = words
  }

  /// Adds the product of two finite numbers.
  package mutating func add(_ a: Double, _ b: Double) {
    let (p, q) = (parts(a), parts(b))
    let product = p.significand.multipliedFullWidth(by: q.significand)
    let shift = p.exponent + q.exponent
    let (word, bits) = (shift >> 6, UInt64(shift & 63))
    let isNegative = (a.sign == .minus) != (b.sign == .minus)
    // The product's 106 bits, shifted by up to 63, span at most three words.
    var carry = false
    for index in word..<words.count {
      let part: UInt64 =
        switch index - word {
        case 0: product.low << bits
        case 1: product.high << bits | (bits == 0 ? 0 : product.low >> (64 - bits))
        case 2: bits == 0 ? 0 : product.high >> (64 - bits)
        default: 0
        }
      if index - word > 2 && !carry { return }
      let old = words[index]
      let (first, firstCarry) =
        isNegative ? old.subtractingReportingOverflow(part) : old.addingReportingOverflow(part)
      let one: UInt64 = carry ? 1 : 0
      let (second, secondCarry) =
        isNegative ? first.subtractingReportingOverflow(one) : first.addingReportingOverflow(one)
      words[index] = second
      carry = firstCarry || secondCarry
    }
  }

  /// 1, −1, or 0 if the sum is zero.
  package var sign: Int {
    if words[words.count - 1] >> 63 == 1 { return -1 }
    return words.contains { $0 != 0 } ? 1 : 0
  }

  /// A number's magnitude as a whole number times 2^(exponent − 1074).
  private func parts(_ value: Double) -> (significand: UInt64, exponent: Int) {
    let fraction = value.significandBitPattern
    let exponent = Int(value.exponentBitPattern)
    return exponent == 0 ? (fraction, 0) : (fraction | 1 << 52, exponent - 1)
  }
}
