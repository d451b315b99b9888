import PlumbTestSupport

/// Mutates inputs of a parser at random, reproducibly by seed.
public struct InputMutator {
  private let target: ParserTarget
  private let seed: UInt64

  /// The maximum length of an input; longer inputs are truncated.
  private static let maximumBytes = 4096

  public init(_ target: ParserTarget, seed: UInt64) {
    self.target = target
    self.seed = seed
  }

  /// The input with the given number. Each input can be created separately.
  public func input(_ number: Int) -> [UInt8] {
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
    var bytes = target.corpus[Int(random.next() % UInt64(target.corpus.count))]
    for _ in 0..<1 + Int(random.next() % 4) { change(&bytes, &random) }
    return bytes.count > Self.maximumBytes ? Array(bytes[..<Self.maximumBytes]) : bytes
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    func below(_ limit: Int) -> Int { Int(random.next() % UInt64(max(1, limit))) }
    let start = below(bytes.count + 1)
    let end = min(bytes.count, start + 1 + below(24))
    switch below(14) {
    case 0: bytes.removeSubrange(start..<max(start, end))
    case 1: bytes.removeSubrange(start...)
    case 2: bytes.insert(contentsOf: bytes[start..<max(start, end)], at: below(bytes.count + 1))
    case 3 where start < bytes.count: bytes[start] = UInt8(truncatingIfNeeded: random.next())
    case 4 where start < bytes.count: bytes[start] ^= 1 << UInt8(below(8))
    case 5 where start < bytes.count: bytes[start] = [0, 1, 0x7F, 0x80, 0xFF, 0x20, 0x0A][below(7)]
    case 6: putNumber(&bytes, start, &random)
    case 7: putDigits(&bytes, start, &random)
    case 8:
      // A part of another corpus entry.
      let other = target.corpus[below(target.corpus.count)]
      bytes.replaceSubrange(start..., with: other[below(other.count + 1)...])
    case 9:
      let word = target.words.isEmpty ? [0x22] : target.words[below(target.words.count)]
      let count = below(8) == 0 ? 1 + below(700) : 1
      bytes.insert(contentsOf: (0..<count).flatMap { _ in word }, at: start)
    case 10 where start < end:
      let piece = Array(bytes[start..<end])
      bytes.insert(contentsOf: (0..<1 + below(20)).flatMap { _ in piece }, at: start)
    case 11 where start < end: bytes[start..<end].reverse()
    default:
      let word = target.words.isEmpty ? [0x2C] : target.words[below(target.words.count)]
      bytes.replaceSubrange(start..<max(start, min(bytes.count, start + word.count)), with: word)
    }
  }

  /// Writes a number near the limits of integer types over two, four or eight bytes.
  private func putNumber(_ bytes: inout [UInt8], _ start: Int, _ random: inout SeededGenerator) {
    let numbers: [UInt64] = [
      0, 1, 2, 3, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
      0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max, .max - 7, UInt64(bytes.count),
      0x7FF0_0000_0000_0000, 0x7FF8_0000_0000_0000, 0x7FEF_FFFF_FFFF_FFFF,
    ]
    var number = numbers[Int(random.next() % UInt64(numbers.count))]
    let size = [2, 4, 8][Int(random.next() % 3)]
    if random.next() % 2 == 0 { number = number.byteSwapped >> UInt64(64 - 8 * size) }
    for index in start..<min(bytes.count, start + size) {
      bytes[index] = UInt8(truncatingIfNeeded: number)
      number >>= 8
    }
  }

  /// Replaces the next digits in the text with another number.
  private func putDigits(_ bytes: inout [UInt8], _ start: Int, _ random: inout SeededGenerator) {
    let numbers = [
      "0", "-1", "255", "65536", "2147483648", "4294967295", "9007199254740993",
      "9223372036854775807", "-9223372036854775808", "9223372036854775808",
      "18446744073709551616", "99999999999999999999999", "1e308", "-1e400", "1e-400", "0.1e1",
      "1e99999999999", ".", "-", "nan", "inf", "00000000000000000000000000000000001",
      "0.3333333333333333333333333333",
    ]
    let number = Array(numbers[Int(random.next() % UInt64(numbers.count))].utf8)
    guard let first = bytes[start...].firstIndex(where: { $0 &- 48 <= 9 }) else {
      bytes.insert(contentsOf: number, at: start)
      return
    }
    let end = bytes[first...].firstIndex { $0 &- 48 > 9 } ?? bytes.count
    bytes.replaceSubrange(first..<end, with: number)
  }
}
