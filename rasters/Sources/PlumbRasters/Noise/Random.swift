/// A small seeded generator (Steele, Lea and Flood's SplitMix64): the same numbers on every machine.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return scramble(state)
  }

  /// A number in `0..<1`.
  mutating func unit() -> Double { unitInterval(next()) }
}

/// The output function of SplitMix64: distributes each bit of a number over all bits.
@inline(__always)
func scramble(_ value: UInt64) -> UInt64 {
  var z = value
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}

/// A random number for a point of a lattice.
@inline(__always)
func latticeHash(_ column: Int, _ row: Int, seed: UInt64) -> UInt64 {
  let x = UInt64(bitPattern: Int64(column)) &* 0x9E37_79B9_7F4A_7C15
  let y = UInt64(bitPattern: Int64(row)) &* 0xC2B2_AE3D_27D4_EB4F
  return scramble(scramble(x ^ seed) &+ y)
}

/// The upper 53 bits as a number in `0..<1`.
@inline(__always)
func unitInterval(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

/// Perlin's fade: 0 to 1, with zero slope and curvature at both ends.
@inline(__always)
func fade(_ t: Double) -> Double { t * t * t * (t * (t * 6 - 15) + 10) }

/// 0 below `low`, 1 above `high`, smooth in between; `low` may be greater than `high`.
@inline(__always)
func smoothStep(_ low: Double, _ high: Double, _ value: Double) -> Double {
  let t = min(1, max(0, (value - low) / (high - low)))
  return t * t * (3 - 2 * t)
}

@inline(__always)
func mix(_ a: Double, _ b: Double, _ t: Double) -> Double { a + (b - a) * t }
