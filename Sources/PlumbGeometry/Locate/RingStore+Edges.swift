import PlumbCore

/// The point of a store's edge that is nearest to a query point.
struct EdgeApproach {
  /// The index of the edge's first vertex in the store.
  var vertex: Int
  /// The position along the edge's line: 0 at the first vertex, 1 at the second; it may be less
  /// than 0 or more than 1.
  var fraction: Double
  /// The square of the distance, times the square of the metric's scale.
  var square: Double
}

extension RingStore {
  @inline(__always)
  func vertex(_ index: Int) -> SIMD2<Double> { SIMD2(x.base[index], y.base[index]) }

  /// The nearest point, clamped to the edge.
  func point(_ approach: EdgeApproach) -> SIMD2<Double> {
    point(onEdge: approach.vertex, approach.fraction)
  }

  func point(onEdge edge: Int, _ fraction: Double) -> SIMD2<Double> {
    let (a, b) = (vertex(edge), vertex(edge + 1))
    if !(fraction > 0) { return a }
    if fraction >= 1 { return b }
    let point = a + (b - a) * fraction
    // Clamp the point to the edge's box, because rounding may move it out of the box.
    return pointwiseMin(pointwiseMax(point, pointwiseMin(a, b)), pointwiseMax(a, b))
  }

  /// Whether a point is on an edge of a shape, by exact arithmetic.
  func isOnEdge(_ point: SIMD2<Double>, ofShape shape: Int) -> Bool {
    guard all(shapes.base[shape].box .<= BoxTree.window(point, point)) else { return false }
    var isFound = false
    walk(shape) { low, high in
      !isFound && all(low .<= point) && all(point .<= high)
    } edges: { first, count in
      for index in first..<first + count where !isFound {
        let (a, b) = (vertex(index), vertex(index + 1))
        guard all(pointwiseMin(a, b) .<= point), all(point .<= pointwiseMax(a, b)) else { continue }
        if orientation(a, b, point) == 0 { isFound = true }
      }
    }
    return isFound
  }

  /// The first vertex of each ring of a shape; if there are many rings, only of the first 16 rings.
  func someVertices(ofShape shape: Int) -> [SIMD2<Double>] {
    let entry = shapes.base[shape]
    return (entry.firstRing..<entry.firstRing + min(16, Int(entry.ringCount)))
      .filter { ringStarts.base[$0] < ringStarts.base[$0 + 1] }
      .map { vertex(ringStarts.base[$0]) }
  }

  /// The edge of a shape that is nearest to a point; if several edges are equally near, the first
  /// of them; nil if no edge is within the limit.
  func nearestEdge(
    ofShape shape: Int, to point: SIMD2<Double>, _ metric: PlaneMetric, limit: Double = .infinity
  ) -> EdgeApproach? {
    var best = EdgeApproach(vertex: -1, fraction: 0, square: limit)
    walkNearestFirst(shape, point, metric) {
      $0 <= best.square * (1 + 1e-12)
    } edges: { first, count in
      for index in first..<first + count {
        let (fraction, square) = metric.approach(vertex(index), vertex(index + 1), to: point)
        if square < best.square || square == best.square && (best.vertex < 0 || index < best.vertex)
        {
          best = EdgeApproach(vertex: index, fraction: fraction, square: square)
        }
      }
    }
    return best.vertex < 0 ? nil : best
  }

  /// Calls `body` with each edge of a shape that is within the limit of a point.
  func forEachEdge(
    ofShape shape: Int, near point: SIMD2<Double>, _ metric: PlaneMetric, limit: Double,
    _ body: (EdgeApproach) -> Void
  ) {
    walk(shape) { low, high in
      metric.minimumSquare(from: point, toBox: low, high) <= limit * (1 + 1e-12)
    } edges: { first, count in
      for index in first..<first + count {
        let (fraction, square) = metric.approach(vertex(index), vertex(index + 1), to: point)
        if square <= limit {
          body(EdgeApproach(vertex: index, fraction: fraction, square: square))
        }
      }
    }
  }

  /// Calls `edges` with the first vertex and the count of each run of edges for whose box `enters`
  /// returns true. A shape without chains has one run per ring.
  @inline(__always)
  func walk(
    _ shape: Int, enters: (_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> Bool,
    edges: (_ first: Int, _ count: Int) -> Void
  ) {
    let entry = shapes.base[shape]
    guard entry.large >= 0 else {
      for ring in entry.firstRing..<entry.firstRing + Int(entry.ringCount) {
        let start = ringStarts.base[ring]
        edges(start, ringStarts.base[ring + 1] - start - 1)
      }
      return
    }
    let large = large.base[Int(entry.large)]
    let top = large.firstLevel + large.height - 1
    walk(large, level: top, levels.base[top]..<levels.base[top + 1], enters, edges)
  }

  /// Descends from some nodes of a level. There are at most about ten levels.
  private func walk(
    _ large: Large, level: Int, _ range: Range<Int>,
    _ enters: (_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> Bool,
    _ edges: (_ first: Int, _ count: Int) -> Void
  ) {
    for index in range {
      let node = nodes.base[index]
      guard enters(SIMD2(node.xMin, node.yMin), SIMD2(node.xMax, node.yMax)) else { continue }
      if level == large.firstLevel {
        let chain = chains.base[large.firstChain + index - levels.base[level]]
        edges(chain.first, Int(chain.edges))
      } else {
        walk(large, level: level - 1, children(of: index, level), enters, edges)
      }
    }
  }

  private func children(of index: Int, _ level: Int) -> Range<Int> {
    let first = levels.base[level - 1] + (index - levels.base[level]) * ChainNode.children
    return first..<min(first + ChainNode.children, levels.base[level])
  }

  @inline(__always)
  private func walkNearestFirst(
    _ shape: Int, _ point: SIMD2<Double>, _ metric: PlaneMetric, enters: (Double) -> Bool,
    edges: (_ first: Int, _ count: Int) -> Void
  ) {
    let entry = shapes.base[shape]
    guard entry.large >= 0 else {
      return walk(shape) { _, _ in
        true
      } edges: {
        edges($0, $1)
      }
    }
    let large = large.base[Int(entry.large)]
    let top = large.firstLevel + large.height - 1
    walkNearestFirst(
      large, level: top, levels.base[top]..<levels.base[top + 1], point, metric, enters, edges)
  }

  private func walkNearestFirst(
    _ large: Large, level: Int, _ range: Range<Int>, _ point: SIMD2<Double>,
    _ metric: PlaneMetric, _ enters: (Double) -> Bool, _ edges: (_ first: Int, _ count: Int) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: ChainNode.children) { squares in
      for index in range {
        let node = nodes.base[index]
        squares[index - range.lowerBound] = metric.minimumSquare(
          from: point, toBox: SIMD2(node.xMin, node.yMin), SIMD2(node.xMax, node.yMax))
      }
      var open: UInt32 = (1 << UInt32(range.count)) - 1
      while open != 0 {
        var nearest = open.trailingZeroBitCount
        var rest = open & (open - 1)
        while rest != 0 {
          let child = rest.trailingZeroBitCount
          if squares[child] < squares[nearest] { nearest = child }
          rest &= rest - 1
        }
        open &= ~(1 << UInt32(nearest))
        guard enters(squares[nearest]) else { return }
        let index = range.lowerBound + nearest
        if level == large.firstLevel {
          let chain = chains.base[large.firstChain + index - levels.base[level]]
          edges(chain.first, Int(chain.edges))
        } else {
          walkNearestFirst(
            large, level: level - 1, children(of: index, level), point, metric, enters, edges)
        }
      }
    }
  }
}
