#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

/// Creates the polygon of a point's round buffer, with the same vertices as
/// `GEOSBufferWithParams_r`: clockwise from the east, `segmentsPerQuarter` edges per quarter.
struct PointCircle: Sendable {
  /// The closed circle of radius 1 around the origin.
  private let unit: [SIMD2<Double>]
  /// The angle between two vertices in radians.
  private let step: Double

  init(segmentsPerQuarter: Int) {
    let count = 4 * segmentsPerQuarter
    let step = 2 * Double.pi / Double(count)
    self.step = step
    unit = (0...count).map { index in
      let angle = index == count ? 0 : -Double(index) * step
      return SIMD2(cos(angle), sin(angle))
    }
  }

  /// The number of vertices, including the last vertex, which repeats the first vertex.
  var count: Int { unit.count }

  /// Whether neighbouring vertices of a circle around `centre` are so far apart that rounding
  /// cannot make the ring cross itself.
  func isResolved(centre: SIMD2<Double>, radius: Double) -> Bool {
    let farthest = max(abs(centre.x), abs(centre.y)) + radius
    return farthest.isFinite && farthest * (8 * Double.ulpOfOne) < radius * step
  }

  func vertices(centre: SIMD2<Double>, radius: Double) -> [SIMD2<Double>] {
    unit.withUnsafeBufferPointer { unit in
      [SIMD2<Double>](unsafeUninitializedCapacity: unit.count) { buffer, filled in
        for index in 0..<unit.count {
          (buffer.baseAddress! + index).initialize(to: centre + radius * unit[index])
        }
        filled = unit.count
      }
    }
  }
}
