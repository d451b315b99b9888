import PlumbCore

/// A Hilbert curve through a square of 2³² × 2³² cells: cells that are near each other along the
/// curve are near each other in the square.
///
/// A table lookup resolves four levels at a time.
struct HilbertCurve: Sendable {
  static let shared = HilbertCurve()

  /// For each of 4 orientations and each combination of 4 bits of x and 4 bits of y: the next
  /// orientation, from bit 8 up, and eight bits of the position on the curve.
  private let table: TrivialBuffer<UInt16>

  private init() {
    table = TrivialBuffer(count: 4 << 8)
    for orientation in 0..<4 {
      for bits in 0..<256 {
        var state = orientation
        var position = 0
        for level in (0..<4).reversed() {
          let turned = state & 2 == 0 ? 0 : 1
          var x = bits >> (4 + level) & 1 ^ turned
          var y = bits >> level & 1 ^ turned
          if state & 1 != 0 { swap(&x, &y) }
          position = position << 2 | (3 * x ^ y)
          // The curve in each of the lower quarters is reflected across a diagonal.
          if y == 0 { state ^= x == 1 ? 3 : 1 }
        }
        table[orientation << 8 | bits] = UInt16(state << 8 | position)
      }
    }
  }

  /// The position on the curve of a point, from the highest 4 · `steps` bits of x and of y.
  ///
  /// - Parameter steps: 4 or 8, for a position of 32 or 64 bits.
  @inline(__always)
  func position(_ x: UInt32, _ y: UInt32, steps: Int) -> UInt64 {
    let table = table.base
    var state = 0
    var result: UInt64 = 0
    var shift: UInt32 = 28
    for _ in 0..<steps {
      let bits = Int((x &>> shift & 15) << 4 | (y &>> shift & 15))
      let entry = table[state | bits]
      result = result &<< 8 | UInt64(entry & 255)
      state = Int(entry & 0x300)
      shift &-= 4
    }
    return result
  }
}
