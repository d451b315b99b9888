import PlumbCore

/// Computes the extent of boxes and shapes.
///
/// If x has a period and all boxes and shapes are within half a period, the extent takes the
/// shorter direction, across the antimeridian if necessary: the extent of Fiji is from 177 to 182
/// degrees.
package struct JoinedExtent: Sendable {
  private let period: Double?
  private var plain: Envelope?
  /// The occupied ranges of x, from west to east; each `west` is within half a period of 0.
  private var spans: [(west: Double, east: Double)] = []
  private static let maximumSpans = 4096

  /// - Parameter reference: the CRS of all added boxes and shapes and of the extent; nil if it is
  ///   unknown.
  package init(in reference: SpatialReference?) {
    period = reference?.planePeriod
    self.reference = reference
  }

  private let reference: SpatialReference?

  /// The extent; nil if nothing was added.
  package var envelope: Envelope? {
    guard var result = plain else { return nil }
    result.spatialReference = reference
    guard let period, result.xMax - result.xMin > period / 2 else { return result }
    let merged = Self.merged(spans, closing: period / 8)
    guard let first = merged.first, let farthest = merged.map(\.east).max() else { return result }
    var (west, east) = (first.west, farthest)
    for (span, next) in zip(merged, merged.dropFirst()) {
      // A range that extends beyond the antimeridian continues at the western side.
      let end = max(span.east, farthest - period)
      if next.west - end > period - (east - west) { (west, east) = (next.west, end + period) }
    }
    guard east - west < period / 2, east - west < result.xMax - result.xMin else { return result }
    (result.xMin, result.xMax) = (west, east)
    return result
  }

  /// Adds a box; an empty box is ignored.
  package mutating func add(_ box: Envelope) {
    guard !box.isEmpty else { return }
    plain = (plain ?? box).joined(box)
    guard let period, box.xMin.isFinite, box.xMax.isFinite else { return }
    let turns = (box.xMin / period).rounded() * period
    spans.append((box.xMin - turns, box.xMax - turns))
    if spans.count > Self.maximumSpans { spans = Self.merged(spans, closing: period / 8) }
  }

  /// Adds each part of a shape separately, because the parts may be on both sides of the
  /// antimeridian.
  package mutating func add(_ shape: Geometry) {
    let box = shape.envelope
    guard !box.isEmpty, let period, box.xMax - box.xMin > period / 2 else { return add(box) }
    let parts: [Range<Int>]
    switch shape {
    case .point, .envelope: return add(box)
    case .multipoint(let points):
      parts = (0..<points.vertices.count).map { $0..<$0 + 1 }
    case .polyline(let line): parts = line.parts
    case .polygon(let area): parts = area.rings
    }
    let vertices = shape.vertices.xy
    for part in parts {
      guard let first = vertices[part].first else { continue }
      var (low, high) = (first, first)
      for vertex in vertices[part] {
        low = pointwiseMin(low, vertex)
        high = pointwiseMax(high, vertex)
      }
      add(Envelope(xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y))
    }
  }

  /// The ranges from west to east, merged where the gap between two ranges is at most `gap`.
  private static func merged(
    _ spans: [(west: Double, east: Double)], closing gap: Double
  ) -> [(west: Double, east: Double)] {
    var result: [(west: Double, east: Double)] = []
    for span in spans.sorted(by: { $0.west < $1.west }) {
      if let last = result.last, span.west - last.east <= gap {
        result[result.count - 1].east = max(last.east, span.east)
      } else {
        result.append(span)
      }
    }
    return result
  }
}

extension Envelope {
  /// The smallest envelope that contains this envelope and another envelope.
  package func joined(_ other: Envelope) -> Envelope {
    Envelope(
      xMin: min(xMin, other.xMin), yMin: min(yMin, other.yMin), xMax: max(xMax, other.xMax),
      yMax: max(yMax, other.yMax), spatialReference: spatialReference)
  }
}
