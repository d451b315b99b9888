import PlumbLayers

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Hillshading (Horn, 1981).
struct Hillshade {
  private let heights: [Float]
  private let width, height: Int
  /// The distance to the neighbours in pixels. If cells are larger than pixels, the distance is the
  /// size of a cell, because all pixels of a cell have the same height.
  private let step: Int
  /// The factor that converts the weighted difference of eight heights to a slope.
  private let slope: Double
  /// The direction of the light: east, north and up.
  private let light: SIMD3<Double>

  /// - Parameters:
  ///   - cell: the distance from one cell to the next in metres.
  ///   - scale: metres per unit of the heights.
  ///   - heights: the height of each pixel of a rectangle of the view; NaN if unknown.
  ///   - width: the number of pixels in a row.
  init(
    _ view: DrawnView, _ relief: RasterRenderer.ShadedRelief, cell: Double, scale: Double,
    _ heights: [Float], width: Int
  ) {
    (self.width, height, self.heights) = (width, heights.count / max(1, width), heights)
    let ground = view.groundResolution ?? view.pixelSide
    let pixels = (cell / ground).rounded()
    step = pixels > 1 ? Int(min(pixels, Double(max(1, min(width, height) / 2)))) : 1
    slope = relief.zFactor * scale / (8 * ground * Double(step))
    // The azimuth is relative to the picture, in which north is not up if the view is rotated.
    let azimuth = (relief.azimuth - view.rotation) * .pi / 180
    let altitude = relief.altitude * .pi / 180
    light = SIMD3(sin(azimuth) * cos(altitude), cos(azimuth) * cos(altitude), sin(altitude))
  }

  /// The brightness of a pixel: 1 on flat ground, more on slopes that face the light.
  func light(_ index: Int) -> Double {
    let (row, column) = index.quotientAndRemainder(dividingBy: width)
    func value(_ down: Int, _ right: Int) -> Double {
      let (row, column) = (row + down * step, column + right * step)
      guard row >= 0, row < height, column >= 0, column < width else {
        return Double(heights[index])
      }
      let found = heights[row * width + column]
      return Double(found.isNaN ? heights[index] : found)
    }
    let (a, b, c) = (value(-1, -1), value(-1, 0), value(-1, 1))
    let (d, f) = (value(0, -1), value(0, 1))
    let (g, h, i) = (value(1, -1), value(1, 0), value(1, 1))
    let east = (c + 2 * f + i - a - 2 * d - g) * slope
    let north = (a + 2 * b + c - g - 2 * h - i) * slope
    // The ground's normal is (-east, -north, 1).
    let length = (1 + east * east + north * north).squareRoot()
    let found = (light.z - east * light.x - north * light.y) / length
    return 0.35 + 0.65 * max(0, found) / max(0.01, light.z)
  }
}
