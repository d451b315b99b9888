import PlumbCore

/// A colour ramp from 0 to 1, with linear interpolation between equidistant stops.
public struct ColorRamp: Sendable, Hashable {
  /// The colours from 0 to 1; never empty.
  public let stops: [Color]

  /// Creates a ramp of equidistant colours; grey if there are none.
  public init(_ stops: [Color]) { self.stops = stops.isEmpty ? [.gray] : stops }

  /// A ramp from nearly black to nearly white.
  public static let gray = ColorRamp([Color(20, 20, 20), Color(245, 245, 245)])

  /// A ramp of elevation colours, from lowlands to peaks.
  public static let elevation = ColorRamp([
    Color(112, 168, 118), Color(196, 207, 148), Color(233, 214, 165), Color(198, 158, 120),
    Color(158, 128, 112), Color(240, 240, 240),
  ])

  /// Returns the colour of a value from 0 to 1.
  public func color(_ share: Double) -> Color {
    guard stops.count > 1 else { return stops[0] }
    let position = min(1, max(0, share)) * Double(stops.count - 1)
    let index = min(stops.count - 2, Int(position))
    let (a, b, part) = (stops[index], stops[index + 1], position - Double(index))
    func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8((Double(a) + (Double(b) - Double(a)) * part).rounded())
    }
    return Color(
      mixed(a.red, b.red), mixed(a.green, b.green), mixed(a.blue, b.blue),
      alpha: mixed(a.alpha, b.alpha))
  }
}
