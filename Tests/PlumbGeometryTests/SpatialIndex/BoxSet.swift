import PlumbCore
import PlumbTestSupport

/// Seeded boxes and windows, and their brute-force results.
struct BoxSet {
  var low: [SIMD2<Double>] = []
  var high: [SIMD2<Double>] = []

  var count: Int { low.count }

  enum Kind: CaseIterable, Sendable {
    /// Small boxes, scattered evenly.
    case scattered
    /// Corners on a coarse lattice, many boxes without width or height, many equal.
    case lattice
    /// The same box many times.
    case identical
    /// Tight clusters, and a few boxes very far away.
    case clustered
    /// Boxes, some of which are empty, NaN or infinite.
    case strange
  }

  init(_ kind: Kind, count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func random(_ range: ClosedRange<Double>) -> Double {
      .random(in: range, using: &generator)
    }
    func location(_ range: ClosedRange<Double>) -> SIMD2<Double> {
      SIMD2(random(range), random(range))
    }
    for index in 0..<count {
      var (low, high): (SIMD2<Double>, SIMD2<Double>)
      switch kind {
      case .scattered:
        low = location(0...100)
        high = low + location(0...3)
      case .lattice:
        low = location(0...20).rounded(.down)
        high = low + location(0...3).rounded(.down)
      case .identical:
        (low, high) = (SIMD2(3, 4), SIMD2(5, 7))
      case .clustered:
        let centre = SIMD2(Double(index % 7), Double(index % 5)) * 13
        low = centre + location(0...1e-6)
        high = low + location(0...1e-7)
        if index % 97 == 5 { (low, high) = (low + 1e12, high + 1e12) }
        if index % 197 == 9 { (low, high) = (SIMD2(-1e300, -1e300), SIMD2(1e300, -1e299)) }
      case .strange:
        low = location(0...100)
        high = low + location(0...3)
        switch index % 9 {
        case 0: low.x = .nan
        case 1: high.y = .nan
        case 2: high.x = low.x - 1
        case 3: low.x = -.infinity
        case 4: high = SIMD2(.infinity, .infinity)
        case 5: (low, high) = (SIMD2(repeating: -.infinity), SIMD2(repeating: .infinity))
        case 6: (low.y, high.y) = (.infinity, .infinity)
        default: break
        }
      }
      self.low.append(low)
      self.high.append(high)
    }
  }

  /// Windows that miss, intersect and touch the boxes, some of them empty.
  func windows(_ count: Int, seed: UInt64) -> BoxSet {
    var result = BoxSet(.strange, count: count, seed: seed)
    var generator = SeededGenerator(seed: seed &+ 1)
    for index in 0..<count where index % 3 != 0 && self.count > 0 {
      // A window that shares a corner or a side with a box.
      let box = Int.random(in: 0..<self.count, using: &generator)
      switch index % 4 {
      case 0: (result.low[index], result.high[index]) = (high[box], high[box])
      case 1: (result.low[index], result.high[index]) = (low[box] - 1, low[box])
      case 2: (result.low[index], result.high[index]) = (high[box], high[box] + 2)
      default: (result.low[index], result.high[index]) = (low[box], high[box])
      }
    }
    return result
  }

  /// Whether a box and a window have a point in common.
  func meets(_ item: Int, _ low: SIMD2<Double>, _ high: SIMD2<Double>) -> Bool {
    func overlap(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Bool {
      a <= b && c <= d && a <= d && c <= b
    }
    return overlap(self.low[item].x, self.high[item].x, low.x, high.x)
      && overlap(self.low[item].y, self.high[item].y, low.y, high.y)
  }

  func items(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> [Int] {
    (0..<count).filter { meets($0, low, high) }
  }
}
