#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

/// A chain of edges and their directions, without edges of zero length.
struct BufferCourse {
  /// The side of a course on which a buffer is.
  enum Side {
    case left, right, both
  }

  /// The vertex between two consecutive edges.
  struct Corner {
    let point: SIMD2<Double>
    /// The directions of the edges before and after the corner, as unit vectors.
    let arriving, leaving: SIMD2<Double>
    /// The ends of the two edges that are not at the corner, and the lengths of the edges.
    let neighbours: (SIMD2<Double>, SIMD2<Double>)
    let lengths: (Double, Double)
    /// 1 if the course turns left, −1 if it turns right, 0 if it continues straight ahead or turns straight
    /// back.
    let turn: Int

    var cosine: Double { (arriving * leaving).sum() }
    var sine: Double { (arriving.toTheLeft * leaving).sum() }
    var isStraight: Bool { turn == 0 && cosine > 0 }
    /// Whether the course turns by 180°, back along the same line.
    var turnsBack: Bool { turn == 0 && cosine <= 0 }
    /// The tangent of half the turn angle.
    var halfTangent: Double {
      cosine > 0 ? sine.magnitude / (1 + cosine) : (1 - cosine) / sine.magnitude
    }

    /// Whether both edges are so long that, on the inner side of the corner, the strip along each edge
    /// ends next to the other edge, not past its far end.
    func isRoomy(_ distance: Double) -> Bool {
      hasSpace(distance) && distance * sine.magnitude <= min(lengths.0, lengths.1)
    }

    /// Whether the offset lines of the edges meet on the inner side.
    func hasSpace(_ distance: Double) -> Bool {
      distance * halfTangent <= min(lengths.0, lengths.1)
    }

    /// Whether the strips of the two edges leave a gap on the side; a join fills the gap.
    func opens(on side: Side) -> Bool {
      switch side {
      case .left: turn < 0
      case .right: turn > 0
      case .both: !isStraight
      }
    }

    /// Whether the strips of the two edges overlap on the side.
    func closes(on side: Side) -> Bool {
      switch side {
      case .left: turn > 0
      case .right: turn < 0
      case .both: !isStraight
      }
    }
  }

  let points: [SIMD2<Double>]
  /// The direction of each edge, as a unit vector.
  let ways: [SIMD2<Double>]
  let lengths: [Double]
  let isClosed: Bool

  init(_ edges: BufferEdges, _ chain: BufferEdges.Chain) {
    var points: [SIMD2<Double>] = []
    for point in edges.xy[chain.vertices] where points.last != point { points.append(point) }
    self.points = points
    lengths = zip(points, points.dropFirst()).map { hypot($1.x - $0.x, $1.y - $0.y) }
    ways = points.indices.dropLast().map { [lengths] in
      (points[$0 + 1] - points[$0]) / lengths[$0]
    }
    // Like GEOS, treat a line from one point to another and back as a line with two ends.
    isClosed = chain.isClosed && ways.count > 2
  }

  /// The indices of the vertices between two edges. If the course is closed, index 0 is included,
  /// because the last edge ends at the first vertex.
  var cornerIndices: Range<Int> {
    ways.isEmpty ? 0..<0 : (isClosed ? 0 : 1)..<ways.count
  }

  func corner(_ index: Int) -> Corner {
    let before = index == 0 ? ways.count - 1 : index - 1
    return Corner(
      point: points[index], arriving: ways[before], leaving: ways[index],
      neighbours: (points[before], points[index + 1]), lengths: (lengths[before], lengths[index]),
      turn: orientation(points[before], points[before + 1], points[index + 1]))
  }

  /// The distance of a corner from the line between its neighbours.
  func depth(ofCorner index: Int) -> Double {
    let before = points[index == 0 ? ways.count - 1 : index - 1]
    let across = points[index + 1] - before
    let offset = points[index] - before
    let length = (across * across).sum()
    let fraction = length > 0 ? min(1, max(0, (across * offset).sum() / length)) : 0
    let rest = offset - across * fraction
    return hypot(rest.x, rest.y)
  }
}

extension SIMD2<Double> {
  /// The vector rotated by 90° counter-clockwise.
  var toTheLeft: SIMD2<Double> { SIMD2(-y, x) }
}
