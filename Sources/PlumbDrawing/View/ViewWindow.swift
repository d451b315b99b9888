import PlumbCore
import PlumbGeometry

/// A rectangle in another CRS that contains a view and a margin.
struct ViewWindow {
  /// The number of points along each side of the view that are projected.
  private static let points = 17
  /// The margin around the view in pixels, for symbols of shapes outside the view.
  private static let margin = 64.0

  private var low, high: SIMD2<Double>
  /// The period of x; nil if x is not periodic.
  private let period: Double?
  /// The margin around the bounding box of a shape, as a fraction of the box's longer side. The
  /// edges of a shape are drawn as straight lines between projected vertices, and these lines may
  /// leave the bounding box.
  private var sway = 0.0

  /// - Parameters:
  ///   - source: the other CRS; nil for the view's CRS.
  ///   - symbolScale: the number of pixels of the view per pixel of a symbol.
  /// - Returns: nil if part of the view cannot be projected, or if the view contains a pole or half the
  ///   world; all features have to be checked in these cases.
  init?(_ view: DrawnView, in source: SpatialReference?, symbolScale: Double = 1) {
    let padding = (view.overhang + Self.margin * max(1, symbolScale)) * view.pixelSide
    (low, high) = (
      SIMD2(view.extent.xMin, view.extent.yMin) - padding,
      SIMD2(view.extent.xMax, view.extent.yMax) + padding
    )
    period = (source ?? view.reference).planePeriod
    guard let source, !source.isEquivalent(to: view.reference) else { return }
    guard let transformation = try? Transformation(from: view.reference, to: source) else {
      return nil
    }
    var (x, y): ([Double], [Double]) = ([], [])
    let step = (high - low) / Double(Self.points - 1)
    for row in 0..<Self.points {
      for column in 0..<Self.points {
        x.append(low.x + step.x * Double(column))
        y.append(low.y + step.y * Double(row))
      }
    }
    transformation.apply(x: &x, y: &y, count: x.count)
    if let period {
      // If the view crosses the longitude at which the CRS wraps, keep the points contiguous around
      // the middle of the view.
      let middle = x[x.count / 2]
      for index in x.indices {
        x[index] = middle + (x[index] - middle).remainder(dividingBy: period)
      }
    }
    guard x.allSatisfy(\.isFinite), y.allSatisfy(\.isFinite), let xMin = x.min(),
      let xMax = x.max(), let yMin = y.min(), let yMax = y.max()
    else { return nil }
    if let period, xMax - xMin >= period / 2 { return nil }
    // Add a margin, because the window may extend beyond the projected points.
    sway = 0.125
    let more = SIMD2(xMax - xMin, yMax - yMin) / 16
    (low, high) = (SIMD2(xMin, yMin) - more, SIMD2(xMax, yMax) + more)
  }

  /// Whether a box intersects the window, directly or after a shift by whole periods.
  func meets(_ lowest: SIMD2<Double>, _ highest: SIMD2<Double>) -> Bool {
    let padding = (highest - lowest).max() * sway
    let (from, to) = (lowest - padding, highest + padding)
    guard from.y <= high.y, to.y >= low.y else { return false }
    guard let period else { return from.x <= high.x && to.x >= low.x }
    return ((high.x - from.x) / period).rounded(.down) >= ((low.x - to.x) / period).rounded(.up)
  }

  /// The copies of the window, shifted by whole periods, that intersect the data; nil if the extent of the
  /// data is unknown, or if there are many copies.
  ///
  /// - Parameter dataExtent: the extent of the data.
  func copies(over dataExtent: Envelope?) -> [Envelope]? {
    guard let period else { return [envelope(0)] }
    guard let dataExtent, !dataExtent.isEmpty else { return nil }
    let first = ((dataExtent.xMin - high.x) / period).rounded(.up)
    let last = ((dataExtent.xMax - low.x) / period).rounded(.down)
    guard last - first < 8 else { return nil }
    return stride(from: first, through: last, by: 1).map { envelope($0 * period) }
  }

  private func envelope(_ shift: Double) -> Envelope {
    Envelope(xMin: low.x + shift, yMin: low.y, xMax: high.x + shift, yMax: high.y)
  }
}
