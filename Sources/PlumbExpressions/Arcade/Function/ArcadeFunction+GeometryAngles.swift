#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension ArcadeFunction {
  /// The direction of a vector in degrees, counter-clockwise from east.
  static func degrees(_ x: Double, _ y: Double) -> Double { atan2(y, x) * 180 / .pi }

  /// The sine and cosine of an angle, which are exact for multiples of 90 degrees.
  static func sineAndCosine(ofDegrees degrees: Double) -> (sine: Double, cosine: Double) {
    let angle = degrees.truncatingRemainder(dividingBy: 360)
    switch angle {
    case 0: return (0, 1)
    case 90, -270: return (1, 0)
    case 180, -180: return (0, -1)
    case 270, -90: return (-1, 0)
    default: return (sin(angle * .pi / 180), cos(angle * .pi / 180))
    }
  }
}
