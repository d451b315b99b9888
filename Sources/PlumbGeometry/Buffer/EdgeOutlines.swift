#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

/// The outlines of a buffer's pieces.
///
/// Where a piece ends within the buffer, another piece extends across this end. If the two pieces
/// only touched, a union that rounds a vertex on their common edge would leave slivers between
/// them.
struct EdgeOutlines {
  private let radius: Double
  private let options: PlanarBufferOptions
  private let side: BufferCourse.Side

  /// The overlap of the strips across the border of the area, as a fraction of the distance.
  private static let overlap = 1.0 / 128

  /// - Parameter radius: the distance, above 0.
  init(_ radius: Double, _ options: PlanarBufferOptions, _ side: BufferCourse.Side) {
    (self.radius, self.options, self.side) = (radius, options, side)
  }

  /// The strip along an edge, including the line's cap if the edge is the first or the last.
  func strip(_ edge: Int, of course: BufferCourse) -> [SIMD2<Double>] {
    let (a, b) = (course.points[edge], course.points[edge + 1])
    let offset = course.ways[edge].toTheLeft * radius
    if side != .both {
      let outward = side == .left ? offset : -offset
      let base = outward * -Self.overlap
      return [a + base, a + outward, b + outward, b + base, a + base]
    }
    var ring = end(at: a, -offset, isOpen: !course.isClosed && edge == 0)
    ring += end(at: b, offset, isOpen: !course.isClosed && edge == course.ways.count - 1)
    ring.append(ring[0])
    return ring
  }

  /// The end of a strip, clockwise from the side of `offset` to the other side, with the cap if the
  /// end is open.
  private func end(
    at point: SIMD2<Double>, _ offset: SIMD2<Double>, isOpen: Bool
  ) -> [SIMD2<Double>] {
    let way = -offset.toTheLeft
    let ends = [point + offset, point - offset]
    guard isOpen else { return ends }
    switch options.cap {
    case .flat: return ends
    case .square: return ends.map { $0 + way }
    case .round: return [ends[0]] + arc(at: point, offset, turningBy: -.pi) + [ends[1]]
    }
  }

  /// The join at the outer side of a corner, together with parts of both strips so that the join
  /// overlaps the strips. The list is empty if the strips alone are sufficient.
  func joins(_ corner: BufferCourse.Corner) -> [[SIMD2<Double>]] {
    // Where a line turns straight back, only a round join adds an area, as in GEOS.
    if corner.turnsBack, options.join != .round { return [] }
    let point = corner.point
    // If the line continues straight ahead or back, either side may be taken as the outer side.
    let isRight = corner.turn > 0 || corner.turn == 0 && side == .right
    let outward = isRight ? -radius : radius
    let (first, last) = (corner.arriving.toTheLeft * outward, corner.leaving.toTheLeft * outward)
    let (before, after) = corner.neighbours
    // Where the inner offset lines do not meet, the strips overlap sufficiently.
    let hasInner = (side == .both || corner.closes(on: side)) && corner.hasSpace(radius)
    let meeting = (first + last) / (1 + corner.cosine)
    let inner = [after - last, point - meeting, before - first]
    let outer =
      [before + first, point + first] + middle(corner, first, last)
      + [point + last, after + last]
    var rings: [[SIMD2<Double>]] = []
    if corner.isStraight || corner.opens(on: side) {
      rings.append(outer + (hasInner ? inner : [point]))
    } else if hasInner {
      rings.append([before, point, after] + inner)
    }
    if side != .both || !hasInner { rings.append(plug(corner, first / radius, last / radius)) }
    return rings.map { $0 + [$0[0]] }
  }

  /// A small area that extends across a corner where all other pieces end.
  private func plug(
    _ corner: BufferCourse.Corner, _ first: SIMD2<Double>, _ last: SIMD2<Double>
  ) -> [SIMD2<Double>] {
    let size = min(radius * Self.overlap, corner.lengths.0, corner.lengths.1)
    let sum = first + last
    // The cosine of half the turn angle, and the direction of the bisector.
    let cosine = hypot(sum.x, sum.y) / 2
    let middle = cosine > 1e-8 ? sum / (2 * cosine) : corner.arriving
    let outer = middle * min(size, radius * cosine / 2)
    return [
      -corner.arriving * size, first * size, outer, last * size, corner.leaving * size,
      -middle * size,
    ].map { corner.point + $0 }
  }

  /// The outline of a join between its ends.
  private func middle(
    _ corner: BufferCourse.Corner, _ first: SIMD2<Double>, _ last: SIMD2<Double>
  ) -> [SIMD2<Double>] {
    switch options.join {
    case .bevel: return []
    case .mitre(let limit): return tip(corner, first, last, limit)
    case .round:
      let angle = atan2(corner.sine.magnitude, corner.cosine)
      return arc(at: corner.point, first, turningBy: corner.turn > 0 ? angle : -angle)
    }
  }

  /// The vertices of an arc around `centre`, without its two ends. The number of vertices is the
  /// same as in GEOS.
  private func arc(
    at centre: SIMD2<Double>, _ offset: SIMD2<Double>, turningBy angle: Double
  ) -> [SIMD2<Double>] {
    let quantum = Double.pi / 2 / Double(options.segmentsPerQuarter)
    let count = Int((angle.magnitude / quantum).rounded())
    guard count > 1 else { return [] }
    return (1..<count).map { index in
      let turned = angle * Double(index) / Double(count)
      return centre + offset * cos(turned) + offset.toTheLeft * sin(turned)
    }
  }

  /// The vertices of a mitre between its ends. A complete mitre has one vertex, and a mitre that
  /// the limit cuts off has two. There are no vertices if even the straight line between the ends
  /// is beyond the limit.
  private func tip(
    _ corner: BufferCourse.Corner, _ first: SIMD2<Double>, _ last: SIMD2<Double>, _ limit: Double
  ) -> [SIMD2<Double>] {
    let sum = first + last
    // The cosine of half the turn angle.
    let cosine = hypot(sum.x, sum.y) / (2 * radius)
    if cosine * limit >= 1 { return [corner.point + sum / (2 * cosine * cosine)] }
    guard cosine < limit else { return [] }
    // The sum has no direction if it is nearly zero.
    let way = cosine > 1e-8 ? sum / (2 * cosine * radius) : corner.arriving
    let half = radius * (1 - limit * cosine) / (1 - cosine * cosine).squareRoot()
    var across = way.toTheLeft * half
    if (across * first).sum() < 0 { across = -across }
    let middle = corner.point + way * (limit * radius)
    return [middle + across, middle - across]
  }
}
