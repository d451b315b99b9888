#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Sine and cosine of an angle in degrees, exact at multiples of 90°.
func sineAndCosine(ofDegrees angle: Double) -> (sine: Double, cosine: Double) {
  if angle.magnitude < 45 { return (sin(angle.inRadians), cos(angle.inRadians)) }
  let rest = angle.remainder(dividingBy: 90)
  let quarters = ((angle - rest) / 90).rounded()
  let (s, c) = (sin(rest.inRadians), cos(rest.inRadians))
  switch quarters.remainder(dividingBy: 4) {
  case 0: return (s, c)
  case 1: return (c, -s)
  case -1: return (-c, s)
  default: return (-s, -c)
  }
}

extension Double {
  var inRadians: Double { self * (.pi / 180) }
  var inDegrees: Double { self * (180 / .pi) }

  /// The same direction in [−180, 180].
  var wrappedDegrees: Double { remainder(dividingBy: 360) }
}
