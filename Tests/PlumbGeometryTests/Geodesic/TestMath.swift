import Foundation

enum TestMath {
  static func cosine(_ angle: Double) -> Double { cos(angle) }
  static func sine(_ angle: Double) -> Double { sin(angle) }
  static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
  static func arcSine(_ value: Double) -> Double { asin(value) }
}
