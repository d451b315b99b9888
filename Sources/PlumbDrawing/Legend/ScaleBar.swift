import PlumbCore
import PlumbLayers

/// Draws a scale bar in the lower left corner, and the attributions of the data in the lower right
/// corner.
struct ScaleBar {
  private let canvas: Canvas
  private static let margin = 10.0
  private static let longest = 140.0

  init(_ canvas: Canvas) { self.canvas = canvas }

  /// The longest length in metres that fits and is 1, 2 or 5 times a power of ten.
  static func length(_ metresPerPixel: Double) -> Double? {
    let maximum = metresPerPixel * longest
    guard maximum > 0, maximum.isFinite else { return nil }
    var unit = 1.0
    while unit * 10 <= maximum { unit *= 10 }
    while unit > maximum { unit /= 10 }
    return [5, 2, 1].lazy.map { $0 * unit }.first { $0 <= maximum }
  }

  private static func text(_ metres: Double) -> String {
    let (number, unit) =
      metres >= 1000 ? (metres / 1000, "km") : metres >= 1 ? (metres, "m") : (metres * 100, "cm")
    return "\(FieldValue.real(number).plainText) \(unit)"
  }

  /// Draws the bar; draws nothing if the view has no ground distances.
  ///
  /// - Parameter view: the view of the picture; the bar is exact in the middle of the picture.
  func draw(_ view: DrawnView) {
    guard Font.isInstalled, canvas.width > 200, canvas.height > 80,
      let side = view.groundResolution, let metres = Self.length(side)
    else { return }
    let width = metres / side
    let (x, y) = (Self.margin, Double(canvas.height) - Self.margin - 30)
    canvas.fill(x: x, y: y, width: width + 16, height: 30, .panel)
    let line = LineSymbol(width: 1.5, color: Color(34, 34, 34))
    let (left, right, base) = (x + 8, x + 8 + width, y + 24)
    canvas.stroke(
      [
        Canvas.Path(
          points: [
            SIMD2(left, base - 5), SIMD2(left, base), SIMD2(right, base), SIMD2(right, base - 5),
          ], isClosed: false)
      ], line)
    let text = Self.text(metres)
    let middle = (left + right - canvas.width(of: text, size: 11)) / 2
    canvas.write(text, at: SIMD2(max(left - 6, middle), y + 14), size: 11)
  }

  /// - Parameter attributions: the attributions without duplicates; text that does not fit is cut.
  func draw(attributions: [String]) {
    guard Font.isInstalled, !attributions.isEmpty, canvas.width > 200 else { return }
    let text = canvas.fitted(
      attributions.map(\.printable).joined(separator: " | "), width: Double(canvas.width) * 0.6,
      size: 9)
    let width = canvas.width(of: text, size: 9) + 8
    let (x, y) = (Double(canvas.width) - width, Double(canvas.height) - 16)
    canvas.fill(
      x: x, y: y, width: width, height: 16,
      FillSymbol(color: Color(255, 255, 255, alpha: 200)))
    canvas.write(text, at: SIMD2(x + 4, y + 11), size: 9, color: Color(70, 70, 70))
  }
}
