import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct OrientationTests {
  /// The side in 128-bit integers.
  private static func side(_ a: SIMD2<Int64>, _ b: SIMD2<Int64>, _ p: SIMD2<Int64>) -> Int {
    let (u, v) = (a &- p, b &- p)
    let (left, right) = (Int128(u.x) * Int128(v.y), Int128(u.y) * Int128(v.x))
    return left > right ? 1 : left < right ? -1 : 0
  }

  /// Points on lines between integers and next to them, at all magnitudes: the sign is that of
  /// 128-bit integers.
  @Test func signsAreThoseOfWholeNumbers() {
    var generator = SeededGenerator(seed: 41)
    var counts = [0, 0, 0]
    for bits in [3, 20, 31, 40, 52] as [Int64] {
      let bound: Int64 = 1 << bits
      let range = -bound...bound
      func location(_ range: ClosedRange<Int64>) -> SIMD2<Int64> {
        SIMD2(.random(in: range, using: &generator), .random(in: range, using: &generator))
      }
      for round in 0..<4000 {
        let a = location(range)
        var (b, p) = (location(range), location(range))
        if round % 4 != 0 {
          // The point is on the line, or one step next to it.
          let small: Int64 = 1 << min(bits / 2, 10)
          let step = location(-small...small)
          b = a &+ step &* .random(in: 1...small, using: &generator)
          p = a &+ step &* .random(in: -2...small, using: &generator)
          if round % 4 == 1 { p.x += 1 }
          let limit: Int64 = 1 << 53
          guard abs(b.x) <= limit, abs(b.y) <= limit, abs(p.x) <= limit, abs(p.y) <= limit else {
            continue
          }
        }
        let expected = Self.side(a, b, p)
        counts[expected + 1] += 1
        // Multiplication by a power of two does not change any digit.
        for unit in [0x1p-1074, 0x1p-600, 0x1p-1, 1, 0x1p500, 0x1p970] {
          func scaled(_ point: SIMD2<Int64>) -> SIMD2<Double> {
            SIMD2(Double(point.x) * unit, Double(point.y) * unit)
          }
          if orientation(scaled(a), scaled(b), scaled(p)) != expected {
            Issue.record("\(a) \(b) \(p) by \(unit): not \(expected)")
          }
        }
      }
    }
    #expect(counts.allSatisfy { $0 > 1000 }, "\(counts)")
  }

  /// Coordinates of different magnitudes, whose differences are rounded. Three points of a line y =
  /// k x + c are on the line; if the last digit of one point changes, the point is next to the
  /// line.
  @Test func roundedDifferencesDoNotCount() {
    // (0, 0), (1, 1) and a point whose coordinates differ in their last digit.
    for x in [0x1p-1022, 1e-300, 1e-17, 0.1, 1 / 3.0, 1, 12345.678, 1e17, 1e300] {
      for (a, b) in [
        (SIMD2(0, 0), SIMD2(1, 1)), (SIMD2(-1e300, -1e300), SIMD2(1, 1)),
        (SIMD2(1e-300, 1e-300), SIMD2(1e300, 1e300)), (SIMD2(0.3, 0.3), SIMD2(0.7, 0.7)),
        (
          SIMD2(-Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude),
          SIMD2(Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)
        ),
      ] {
        #expect(orientation(a, b, SIMD2(x, x)) == 0)
        #expect(orientation(a, b, SIMD2(x, x.nextUp)) == 1)
        #expect(orientation(a, b, SIMD2(x, x.nextDown)) == -1)
        #expect(orientation(b, a, SIMD2(x, x.nextDown)) == 1)
        #expect(orientation(b, a, SIMD2(-x, -x)) == 0)
        #expect(orientation(b, a, SIMD2((-x).nextUp, -x)) == 1)
      }
    }
    // The classic case: near (0.5, 0.5) the rounded determinant is wrong.
    let (a, b) = (SIMD2(12.0, 12.0), SIMD2(24.0, 24.0))
    for i in 0..<256 {
      for j in 0..<256 {
        let point = SIMD2(0.5 + Double(i) * 0x1p-53, 0.5 + Double(j) * 0x1p-53)
        let expected = point.x == point.y ? 0 : point.y > point.x ? 1 : -1
        if orientation(a, b, point) != expected { Issue.record("\(i) \(j)") }
      }
    }
  }
}
