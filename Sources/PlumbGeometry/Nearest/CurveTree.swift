import PlumbCore

/// A bounding-ball tree of edges on an ellipsoid, used to find the nearest approach of two sets of edges.
///
/// A ball has a centre on the surface and a radius in metres along the surface. Because surface distances
/// obey the triangle inequality, two balls bound the least distance between their edges.
struct CurveTree {
  /// The edges; isolated points are edges of length zero.
  let edges: [CurveEdge]
  private var nodes: [Node] = []

  private struct Node {
    var ball: Ball
    /// The indices of the child nodes; for a node of a single edge, the index of the edge and −1.
    var halves: (Int, Int)?
  }

  /// A ball that contains some edges, or a piece of one edge.
  struct Ball {
    var center: SIMD2<Double>
    var radius: Double
    /// The index of the node; for a piece, the index of its edge.
    var index: Int
    /// The fractions of a piece's ends; nil for a node.
    var piece: ClosedRange<Double>?
  }

  /// The maximum ratio of the speed of a point that moves along a plane section to the point's mean speed.
  private let slack: Double

  /// - Precondition: there is at least one edge.
  init(_ edges: [CurveEdge], _ geodesic: Geodesic) {
    self.edges = edges
    let polar = 1 - geodesic.ellipsoid.flattening
    let stretch = max(polar, 1 / polar)
    slack = stretch * stretch * stretch * stretch
    nodes.reserveCapacity(2 * edges.count)
    _ = build(0..<edges.count, geodesic)
  }

  /// The root ball, which contains all edges.
  var root: Ball { nodes[0].ball }

  private mutating func build(_ range: Range<Int>, _ geodesic: Geodesic) -> Int {
    let index = nodes.count
    // If the work is cancelled, the tree is never used, so it may be incomplete.
    if range.count == 1 || range.count > 1000 && WorkCancellation.isCurrentCancelled {
      var ball = piece(range.lowerBound, 0...1)
      (ball.index, ball.piece) = (index, nil)
      nodes.append(Node(ball: ball, halves: (range.lowerBound, -1)))
      return index
    }
    nodes.append(Node(ball: Ball(center: .zero, radius: 0, index: index)))
    let middle = range.lowerBound + range.count / 2
    let first = build(range.lowerBound..<middle, geodesic)
    let second = build(middle..<range.upperBound, geodesic)
    let (a, b) = (nodes[first].ball, nodes[second].ball)
    let way = geodesic.inverse(from: a.center, to: b.center)
    let center = geodesic.direct(
      from: a.center, azimuth: way.startAzimuth, distance: way.distance / 2)
    let radius = max(
      geodesic.distance(from: center, to: a.center) + a.radius,
      geodesic.distance(from: center, to: b.center) + b.radius)
    nodes[index] = Node(
      ball: Ball(center: center, radius: radius, index: index), halves: (first, second))
    return index
  }

  private func piece(_ edge: Int, _ range: ClosedRange<Double>) -> Ball {
    let length = edges[edge].length * (range.upperBound - range.lowerBound)
    // Adds a micrometre for rounding errors.
    return Ball(
      center: edges[edge].point(at: (range.lowerBound + range.upperBound) / 2),
      radius: length > 0 ? length / 2 * slack + 1e-6 : 0, index: edge, piece: range)
  }

  /// The ball as a piece of an edge; nil if it contains several edges.
  func piece(_ ball: Ball) -> Ball? {
    if ball.piece != nil { return ball }
    guard let halves = nodes[ball.index].halves, halves.1 < 0 else { return nil }
    return piece(halves.0, 0...1)
  }

  /// The two halves of a ball.
  func halves(_ ball: Ball) -> (Ball, Ball) {
    if ball.piece == nil, let halves = nodes[ball.index].halves, halves.1 >= 0 {
      return (nodes[halves.0].ball, nodes[halves.1].ball)
    }
    let part = piece(ball) ?? ball
    let range = part.piece ?? 0...1
    let middle = (range.lowerBound + range.upperBound) / 2
    return (
      piece(part.index, range.lowerBound...middle), piece(part.index, middle...range.upperBound)
    )
  }
}
