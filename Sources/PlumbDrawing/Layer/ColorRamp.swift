import PlumbCore

/// Colours from 0 to 1, with straight ways between stops of equal distance.
struct ColorRamp {
  let stops: [Color]

  static let gray = ColorRamp(stops: [Color(20, 20, 20), Color(245, 245, 245)])
  /// From lowland to peaks.
  static let elevation = ColorRamp(stops: [
    Color(112, 168, 118), Color(196, 207, 148), Color(233, 214, 165), Color(198, 158, 120),
    Color(158, 128, 112), Color(240, 240, 240),
  ])

  func color(_ share: Double) -> Color {
    let position = share * Double(stops.count - 1)
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

extension Color {
  /// The colour as Cairo keeps a pixel.
  var premultiplied: UInt32 {
    func part(_ value: UInt8) -> UInt32 { (UInt32(value) * UInt32(alpha) + 127) / 255 }
    return UInt32(alpha) << 24 | part(red) << 16 | part(green) << 8 | part(blue)
  }

  /// Darker with less light than 1, from 0.
  func lit(_ light: Double) -> Color {
    func part(_ value: UInt8) -> UInt8 { UInt8(min(255, Double(value) * light)) }
    return Color(part(red), part(green), part(blue), alpha: alpha)
  }
}

/// Light on heights from the north-west, 45 degrees above the horizon (Horn, 1981).
struct Hillshade {
  private let width, height: Int
  /// Metres on the ground in a pixel of the middle row.
  private let ground: Double

  init(_ view: DrawnView) {
    (width, height) = (view.width, view.height)
    ground = view.groundSide
  }

  /// How much light the pixel of an index has: 1 on flat ground, more on slopes to the light.
  func light(_ heights: [Float], _ index: Int) -> Double {
    let (row, column) = index.quotientAndRemainder(dividingBy: width)
    func value(_ down: Int, _ right: Int) -> Double {
      let (row, column) = (row + down, column + right)
      guard row >= 0, row < height, column >= 0, column < width else {
        return Double(heights[index])
      }
      let found = heights[row * width + column]
      return Double(found.isNaN ? heights[index] : found)
    }
    let (a, b, c) = (value(-1, -1), value(-1, 0), value(-1, 1))
    let (d, f) = (value(0, -1), value(0, 1))
    let (g, h, i) = (value(1, -1), value(1, 0), value(1, 1))
    let east = (c + 2 * f + i - a - 2 * d - g) / (8 * ground)
    let north = (a + 2 * b + c - g - 2 * h - i) / (8 * ground)
    // The light's direction is (-1, 1, √2) / 2, the slope's normal (-east, -north, 1).
    let length = (1 + east * east + north * north).squareRoot()
    let light = (east - north + 2.0.squareRoot()) / 2 / length
    return 0.35 + 0.65 * max(0, light) * 2.0.squareRoot()
  }
}
