import PlumbCore

/// The nearest approach of two sets of edges on an ellipsoid.
///
/// The search is a branch and bound over pairs of balls, the nearest pair first, down to pieces so
/// short that the distance between two pieces has a single minimum. At this minimum, the geodesic
/// to the other piece is perpendicular to the piece.
struct NearestApproach {
  /// The distance in metres; 0 for edges that meet, including edges less than 20 nm apart.
  private(set) var distance = Double.infinity
  /// The nearest point of each set: the edge, and the fraction along the edge.
  private(set) var a = (edge: 0, fraction: 0.0)
  private(set) var b = (edge: 0, fraction: 0.0)

  private let geodesic: Geodesic
  private let first: CurveTree
  private let second: CurveTree

  /// The least improvement in metres that is searched for.
  private static let indifference = 1e-9
  /// The distance in metres from a piece's middle to its ends below which the piece has a single
  /// minimum.
  private static let long = 10_000.0
  /// The precision of intersections, in metres.
  private static let touch = 2e-8

  private let queueLimit: Int
  /// The error bound of a pair's upper bound, in metres.
  private static let slack = 1e-6

  /// A pair of balls whose edges may include the nearest edges.
  private struct Pair {
    var a: CurveTree.Ball
    var b: CurveTree.Ball
    /// The lower and the upper bound of the least distance between the two balls' edges, in metres.
    var minimum: Double
    var maximum: Double
  }

  /// Stops early if the calling thread's work is cancelled; the result is then meaningless.
  ///
  /// - Parameter queueLimit: the maximum number of queued pairs. The nearest pair in the queue is
  ///   examined first. Further pairs are examined immediately, which limits memory.
  init(
    _ first: CurveTree, _ second: CurveTree, _ geodesic: Geodesic, queueLimit: Int = 1 << 17
  ) {
    (self.first, self.second, self.geodesic) = (first, second, geodesic)
    self.queueLimit = queueLimit
    var queue = MinimumHeap<Pair>()
    var stack: [Pair] = []
    // An upper bound of the result.
    var ceiling = Double.infinity
    var steps = 0
    push([(first.root, second.root)], &queue, &stack, &ceiling)
    while let pair = stack.popLast() ?? queue.pop()?.element {
      steps &+= 1
      if steps & 255 == 0, WorkCancellation.isCurrentCancelled { return }
      guard pair.minimum < distance - Self.indifference, pair.minimum <= ceiling else { continue }
      let (a, b) = (pair.a, pair.b)
      if let pieceA = first.piece(a), let pieceB = second.piece(b) {
        let radiusSum = pieceA.radius + pieceB.radius
        if radiusSum <= 2 * Self.long || radiusSum <= min(300_000, 0.1 * pair.minimum) {
          solve(pieceA, pieceB)
          continue
        }
      }
      // Divide groups of edges first; a single edge is divided only while it is long.
      let splitsFirst =
        switch (first.piece(a) == nil, second.piece(b) == nil) {
        case (true, false): !(b.radius > a.radius && b.radius > Self.long)
        case (false, true): a.radius > b.radius && a.radius > Self.long
        default: a.radius >= b.radius
        }
      if splitsFirst {
        let (low, high) = first.halves(a)
        push([(low, b), (high, b)], &queue, &stack, &ceiling)
      } else {
        let (low, high) = second.halves(b)
        push([(a, low), (a, high)], &queue, &stack, &ceiling)
      }
    }
  }

  /// Adds the pairs that may contain the nearest points.
  private func push(
    _ balls: [(CurveTree.Ball, CurveTree.Ball)], _ queue: inout MinimumHeap<Pair>,
    _ stack: inout [Pair], _ ceiling: inout Double
  ) {
    var pairs = balls.map { a, b in
      let between = geodesic.distance(from: a.center, to: b.center)
      return Pair(
        a: a, b: b, minimum: max(0, between - a.radius - b.radius),
        maximum: between + a.radius + b.radius)
    }
    let isFull = queue.count >= queueLimit
    // The last pair on the stack is processed first.
    if isFull { pairs.sort { $0.minimum > $1.minimum } }
    for pair in pairs { ceiling = min(ceiling, pair.maximum + Self.slack) }
    for pair in pairs where pair.minimum < distance - Self.indifference && pair.minimum <= ceiling {
      if isFull { stack.append(pair) } else { queue.push(pair, key: pair.minimum) }
    }
  }

  private mutating func offer(_ s: Double, _ t: Double, _ pieceA: Int, _ pieceB: Int) -> Double {
    let between = geodesic.distance(
      from: first.edges[pieceA].point(at: s), to: second.edges[pieceB].point(at: t))
    if between < distance {
      distance = between
      (a, b) = ((pieceA, s), (pieceB, t))
    }
    return between
  }

  /// The nearest approach of two short pieces.
  private mutating func solve(_ pieceA: CurveTree.Ball, _ pieceB: CurveTree.Ball) {
    let (edgeA, edgeB) = (first.edges[pieceA.index], second.edges[pieceB.index])
    let (rangeA, rangeB) = (pieceA.piece ?? 0...1, pieceB.piece ?? 0...1)
    if edgeA.length == 0, edgeB.length == 0 {
      _ = offer(0, 0, pieceA.index, pieceB.index)
      return
    }
    // Compare the ends of each piece with the other piece.
    var best = (distance: Double.infinity, s: 0.0, t: 0.0)
    func consider(_ s: Double, _ t: Double) -> Double {
      let between = geodesic.distance(from: edgeA.point(at: s), to: edgeB.point(at: t))
      if between < best.distance { best = (between, s, t) }
      return between
    }
    for s in [rangeA.lowerBound, rangeA.upperBound] {
      _ = consider(s, edgeB.fraction(nearestTo: edgeA.point(at: s), within: rangeB))
      if edgeA.length == 0 { break }
    }
    for t in [rangeB.lowerBound, rangeB.upperBound] where edgeA.length > 0 {
      _ = consider(edgeA.fraction(nearestTo: edgeB.point(at: t), within: rangeA), t)
      if edgeB.length == 0 { break }
    }
    if edgeA.length > 0, edgeB.length > 0 {
      if let (s, t) = crossing(edgeA, rangeA, edgeB, rangeB),
        consider(s, t) < Self.touch
      {
        (distance, a, b) = (0, (pieceA.index, s), (pieceB.index, t))
        return
      }
      // Two curves that bulge towards each other are nearest between their ends.
      for _ in 0..<30 {
        let before = best.distance
        let s = edgeA.fraction(nearestTo: edgeB.point(at: best.t), within: rangeA)
        let t = edgeB.fraction(nearestTo: edgeA.point(at: s), within: rangeB)
        if consider(s, t) > before - 1e-9 { break }
      }
    }
    let between = offer(best.s, best.t, pieceA.index, pieceB.index)
    if between < Self.touch { distance = 0 }
  }

  /// The fractions at which two short pieces intersect, by Newton's method in the tangent plane;
  /// nil if no intersection is found.
  private func crossing(
    _ edgeA: CurveEdge, _ rangeA: ClosedRange<Double>, _ edgeB: CurveEdge,
    _ rangeB: ClosedRange<Double>
  ) -> (s: Double, t: Double)? {
    var s = (rangeA.lowerBound + rangeA.upperBound) / 2
    var t = (rangeB.lowerBound + rangeB.upperBound) / 2
    for _ in 0..<12 {
      let way = geodesic.inverse(from: edgeA.point(at: s), to: edgeB.point(at: t))
      if way.distance < 1e-9 { break }
      let towards = sineAndCosine(ofDegrees: way.startAzimuth)
      let alongA = sineAndCosine(ofDegrees: edgeA.azimuth(at: s))
      // The azimuth of the other edge, transferred to this point, which rotates it by the change of
      // azimuth along the geodesic between the two points.
      let alongB = sineAndCosine(
        ofDegrees: edgeB.azimuth(at: t) + way.startAzimuth - way.endAzimuth)
      let w = SIMD2(towards.sine, towards.cosine) * way.distance
      let u = SIMD2(alongA.sine, alongA.cosine)
      let v = SIMD2(alongB.sine, alongB.cosine)
      let turn = u.x * v.y - u.y * v.x
      guard turn.magnitude > 1e-12 else { return nil }
      let stepS = (w.x * v.y - w.y * v.x) / turn / edgeA.length
      let stepT = (w.x * u.y - w.y * u.x) / turn / edgeB.length
      let next = (
        s: min(max(s + stepS, rangeA.lowerBound), rangeA.upperBound),
        t: min(max(t + stepT, rangeB.lowerBound), rangeB.upperBound)
      )
      if next.s == s, next.t == t { break }
      (s, t) = next
    }
    return (s, t)
  }
}

extension CurveEdge {
  /// The fraction, within a short piece, of the point that is nearest to `point`: either the
  /// geodesic between the two points is perpendicular to the edge, or the nearest point is an end
  /// of the piece.
  func fraction(nearestTo point: SIMD2<Double>, within range: ClosedRange<Double>) -> Double {
    guard length > 0 else { return range.lowerBound }
    // Returns the distance by which `point` is ahead of the fraction, measured along the edge.
    func lead(_ fraction: Double) -> Double {
      let way = geodesic.inverse(from: self.point(at: fraction), to: point)
      return way.distance
        * sineAndCosine(ofDegrees: way.startAzimuth - azimuth(at: fraction)).cosine
    }
    var (low, high) = (range.lowerBound, range.upperBound)
    var (atLow, atHigh) = (lead(low), lead(high))
    if atLow <= 0 { return low }
    if atHigh >= 0 { return high }
    // The Illinois variant of the false position method.
    var lastSide = 0
    for _ in 0..<100 where (high - low) * length > 1e-10 {
      let guess = low + (high - low) * (atLow / (atLow - atHigh))
      let middle = guess > low && guess < high ? guess : (low + high) / 2
      let value = lead(middle)
      if value.magnitude < 1e-10 || middle == low || middle == high { return middle }
      if value > 0 {
        (low, atLow) = (middle, value)
        if lastSide == 1 { atHigh /= 2 }
        lastSide = 1
      } else {
        (high, atHigh) = (middle, value)
        if lastSide == -1 { atLow /= 2 }
        lastSide = -1
      }
    }
    return (low + high) / 2
  }
}

/// A priority queue that returns the element with the least key first.
struct MinimumHeap<Element> {
  private var items: [(key: Double, element: Element)] = []

  var count: Int { items.count }

  mutating func push(_ element: Element, key: Double) {
    items.append((key, element))
    var index = items.count - 1
    while index > 0, items[(index - 1) / 2].key > items[index].key {
      items.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func pop() -> (key: Double, element: Element)? {
    guard let last = items.popLast() else { return nil }
    guard let top = items.first else { return last }
    items[0] = last
    var index = 0
    while true {
      var minimum = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < items.count && items[child].key < items[minimum].key {
        minimum = child
      }
      if minimum == index { return top }
      items.swapAt(index, minimum)
      index = minimum
    }
  }
}
