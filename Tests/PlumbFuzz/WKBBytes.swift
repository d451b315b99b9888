/// Well-known binary of every kind, in either byte order, of ISO and of PostGIS.
enum WKBBytes {
  static var corpus: [[UInt8]] {
    [
      shape(1, [.point(18, -34)]), shape(1, [.point(18, -34)], isLittle: false),
      shape(1001, [.point(1, 2), .number(3)]), shape(3001, [.point(1, 2), .number(3), .number(4)]),
      shape(1, [.point(.nan, .nan)]),
      shape(0x2000_0001, [.word(4326), .point(18, -34)]),
      shape(0xC000_0001, [.point(1, 2), .number(3), .number(4)], isLittle: false),
      shape(2, [.word(2), .point(0, 0), .point(1, 1)]), shape(2, [.word(0)]),
      shape(3, [.word(1)] + ring(0)), shape(3, [.word(2)] + ring(0) + ring(2)),
      shape(4, [.word(2), .shape(shape(1, [.point(0, 0)])), .shape(shape(1, [.point(1, 1)]))]),
      shape(5, [.word(1), .shape(shape(2, [.word(2), .point(0, 0), .point(1, 1)]))]),
      shape(
        6,
        [.word(2), .shape(shape(3, [.word(1)] + ring(0))), .shape(shape(3, [.word(1)] + ring(9)))]),
      shape(
        7,
        [
          .word(2), .shape(shape(1, [.point(0, 0)])),
          .shape(shape(7, [.word(1), .shape(shape(4, [.word(0)]))])),
        ]), shape(8, [.word(0)]), shape(17, [.word(1)]), shape(99, []),
      (0..<40).reduce(shape(1, [.point(0, 0)])) { inner, _ in shape(7, [.word(1), .shape(inner)]) },
    ]
  }

  private enum Part {
    case word(UInt32)
    case number(Double)
    case shape([UInt8])
    case point(Double, Double)
  }

  private static func ring(_ at: Double) -> [Part] {
    [
      .word(5), .point(at, at), .point(at + 4, at), .point(at + 4, at + 4), .point(at, at + 4),
      .point(at, at),
    ]
  }

  private static func shape(_ type: UInt32, _ parts: [Part], isLittle: Bool = true) -> [UInt8] {
    func bytes(_ value: UInt64, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
      return isLittle ? bytes : bytes.reversed()
    }
    return parts.reduce([isLittle ? 1 : 0] + bytes(UInt64(type), 4)) { result, part in
      switch part {
      case .word(let word): result + bytes(UInt64(word), 4)
      case .number(let number): result + bytes(number.bitPattern, 8)
      case .shape(let shape): result + shape
      case .point(let x, let y): result + bytes(x.bitPattern, 8) + bytes(y.bitPattern, 8)
      }
    }
  }
}
