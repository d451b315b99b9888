import PlumbCore
import PlumbGeometry

/// A rectangle of another reference that has all that a view shows, and some more round it.
struct ViewWindow {
  /// Points of the view along each side that say where it lies.
  private static let points = 17
  /// Pixels round the view from which symbols may reach into it.
  private static let margin = 64.0

  private var low, high: SIMD2<Double>
  /// After how much x comes round again; nil where it does not.
  private let period: Double?
  /// How far a side of a shape may be from its box in the view, in lengths of the box: sides are drawn
  /// straight between corners.
  private var sway = 0.0

  /// - Parameters:
  ///   - source: nil for the view's own reference.
  ///   - symbolScale: pixels of the view in one of symbols.
  /// - Returns: nil where part of the view has no counterpart, or has a pole or half the world in it:
  ///   then all has to be looked at.
  init?(_ view: DrawnView, in source: SpatialReference?, symbolScale: Double = 1) {
    let reach = (view.overhang + Self.margin * max(1, symbolScale)) * view.pixelSide
    (low, high) = (
      SIMD2(view.extent.xMin, view.extent.yMin) - reach,
      SIMD2(view.extent.xMax, view.extent.yMax) + reach
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
      // A view across the cut of the period lies in one piece round its middle.
      let middle = x[x.count / 2]
      for index in x.indices {
        x[index] = middle + (x[index] - middle).remainder(dividingBy: period)
      }
    }
    guard x.allSatisfy(\.isFinite), y.allSatisfy(\.isFinite), let xMin = x.min(),
      let xMax = x.max(), let yMin = y.min(), let yMax = y.max()
    else { return nil }
    if let period, xMax - xMin >= period / 2 { return nil }
    // What lies farther out between the points.
    sway = 0.125
    let more = SIMD2(xMax - xMin, yMax - yMin) / 16
    (low, high) = (SIMD2(xMin, yMin) - more, SIMD2(xMax, yMax) + more)
  }

  /// Whether a box meets the window, whole periods away, too.
  func meets(_ lowest: SIMD2<Double>, _ highest: SIMD2<Double>) -> Bool {
    let reach = (highest - lowest).max() * sway
    let (from, to) = (lowest - reach, highest + reach)
    guard from.y <= high.y, to.y >= low.y else { return false }
    guard let period else { return from.x <= high.x && to.x >= low.x }
    return ((high.x - from.x) / period).rounded(.down) >= ((low.x - to.x) / period).rounded(.up)
  }

  /// The window, and its copies whole periods away that meet what there is; nil where that is not known
  /// or has many.
  ///
  /// - Parameter held: round all that there is.
  func copies(over held: Envelope?) -> [Envelope]? {
    guard let period else { return [envelope(0)] }
    guard let held, !held.isEmpty else { return nil }
    let first = ((held.xMin - high.x) / period).rounded(.up)
    let last = ((held.xMax - low.x) / period).rounded(.down)
    guard last - first < 8 else { return nil }
    return stride(from: first, through: last, by: 1).map { envelope($0 * period) }
  }

  private func envelope(_ shift: Double) -> Envelope {
    Envelope(xMin: low.x + shift, yMin: low.y, xMax: high.x + shift, yMax: high.y)
  }
}
