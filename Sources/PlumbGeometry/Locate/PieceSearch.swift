import PlumbCore

/// Finds the point on many edges that is nearest to a query point, by bisection.
///
/// A piece of an edge is nearly straight in space, or in the measure's plane. The distance between
/// the middle of the piece and the middle of its chord is therefore an upper bound for the distance
/// between the piece and the chords of its two halves.
struct PieceSearch {
  /// The least distance found so far.
  private(set) var minimum: Double
  private(set) var nearest: SIMD2<Double>?
  /// The least straight-line distance to a point that was the nearest when it was found, or the
  /// limit if there is no such point.
  private var straight: Double
  private let measure: DistanceMeasure
  private let image: SIMD2<Double>
  private let position: SIMD3<Double>
  private let region: SearchRegion?
  /// The greatest bisection depth.
  private static let deepest = 40
  /// The greatest depth for pieces whose ends and middle cannot be transformed.
  private static let deepestOutside = 8
  /// If the straight-line distance to one point is less than this fraction of the straight-line
  /// distance to another point, the first point is also nearer along the ground.
  private static let ratio = 0.993
  /// The rounding error of the lengths of straight lines.
  private static let rounding = 1e-6

  init(
    _ measure: DistanceMeasure, _ image: SIMD2<Double>, limit: Double, _ region: SearchRegion?
  ) {
    (self.measure, self.image, minimum, self.region) = (measure, image, limit, region)
    position = measure.position(image)
    straight = limit
  }

  private struct Spot {
    var fraction: Double
    var image: SIMD2<Double>
    /// The offset from the query point.
    var offset: SIMD3<Double>

    var isLost: Bool { image.x.isNaN }
  }

  /// Measures the distance to a point, unless the point is certainly farther than the nearest point
  /// found so far.
  mutating func offer(_ point: SIMD2<Double>) {
    guard !isBeyond(point, point) else { return }
    offer(point, measure.image(point))
  }

  private mutating func offer(_ point: SIMD2<Double>, _ image: SIMD2<Double>) {
    let length = measure.offset(image, from: self.image, position).length
    guard length * Self.ratio <= straight + Self.rounding else { return }
    let distance = measure.distance(self.image, image)
    if distance <= minimum, distance < minimum || nearest == nil {
      (minimum, nearest) = (distance, point)
      straight = min(straight, length)
    }
  }

  mutating func edge(_ a: SIMD2<Double>, _ b: SIMD2<Double>) {
    guard a != b, !isBeyond(a, b) else { return }
    let line = LineSearch(measure, image, a, b)
    search(line, spot(line, 0), spot(line, 1), depth: 0)
  }

  /// Whether a piece of an edge cannot be nearer than the nearest point found so far.
  private func isBeyond(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Bool {
    guard let region else { return false }
    return region.minimumDistance(
      toBox: pointwiseMin(a, b), pointwiseMax(a, b), limit: minimum) > minimum
  }

  private func spot(_ line: LineSearch, _ fraction: Double) -> Spot {
    let there = measure.image(line.point(fraction))
    return Spot(
      fraction: fraction, image: there, offset: measure.offset(there, from: image, position))
  }

  private mutating func search(_ line: LineSearch, _ start: Spot, _ end: Spot, depth: Int) {
    if depth > 0, isBeyond(line.point(start.fraction), line.point(end.fraction)) { return }
    let middle = spot(line, (start.fraction + end.fraction) / 2)
    if !middle.isLost { offer(line.point(middle.fraction), middle.image) }
    guard depth < Self.deepest else { return }
    let lost = [start, middle, end].filter(\.isLost).count
    if lost == 3, depth >= Self.deepestOutside { return }
    if lost == 0 {
      let bend = (middle.offset - (start.offset + end.offset) / 2).length
      // In the first pieces, which are long, the middle may be on the chord by chance.
      let slack = depth < 2 ? 3 * bend : bend
      let chords = min(
        minimumLength(start.offset, middle.offset), minimumLength(middle.offset, end.offset))
      if depth >= 2 || 4 * bend < (end.offset - start.offset).length,
        (chords - slack) * Self.ratio > straight + Self.rounding
      {
        return
      }
      // Pieces also have a maximum length in metres: near the antipode of the query point, a long piece can have
      // several minima of the distance.
      let nearer = min(start.offset.length, middle.offset.length, end.offset.length)
      let length = (start.offset - middle.offset).length + (middle.offset - end.offset).length
      let isShort =
        measure.isGround
        ? length <= max(min(0.02 * nearer, 50_000), 1e-3) : length <= 0.02 * nearer
      if isShort, depth >= 2 || bend < 0.1 * length {
        let fraction = line.minimum(start.fraction...end.fraction)
        let point = line.point(fraction)
        offer(point, measure.image(point))
        return
      }
    }
    let (first, second) = ((start, middle), (middle, end))
    let isSecondNearer = end.offset.length < start.offset.length
    for (start, end) in isSecondNearer ? [second, first] : [first, second] {
      search(line, start, end, depth: depth + 1)
    }
  }

  /// The distance of a straight piece from the origin.
  private func minimumLength(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let way = b - a
    let square = (way * way).sum()
    guard square > 0 else { return a.length }
    let fraction = min(1, max(0, -(a * way).sum() / square))
    return (a + way * fraction).length
  }
}
