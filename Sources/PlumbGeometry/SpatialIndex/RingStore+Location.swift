import CKernels

extension RingStore {
  /// The result of testing a point's ray against the edges tested so far.
  private struct Crossings {
    var isOdd = false
    var isOnBoundary = false
  }

  /// The position of a point relative to one polygon.
  ///
  /// - Parameter point: a point in the polygon's box.
  @inline(__always)
  func location(_ point: SIMD2<Double>, in polygon: Int) -> PolygonLocator.Location {
    let shape = shapes.base[polygon]
    var crossings = Crossings()
    if shape.large >= 0 {
      let large = large.base[Int(shape.large)]
      let level = large.firstLevel + large.height - 1
      cross(
        large, level: level, levels.base[level]..<levels.base[level + 1], point, &crossings)
    } else {
      for ring in shape.firstRing..<shape.firstRing + Int(shape.ringCount) {
        let start = ringStarts.base[ring]
        cross(start, edges: ringStarts.base[ring + 1] - start - 1, point, &crossings)
      }
    }
    return crossings.isOnBoundary ? .boundary : crossings.isOdd ? .interior : .exterior
  }

  /// Tests some nodes of a level and, recursively, their children. There are at most about ten levels.
  private func cross(
    _ large: Large, level: Int, _ range: Range<Int>, _ point: SIMD2<Double>,
    _ crossings: inout Crossings
  ) {
    for index in range {
      let node = nodes.base[index]
      if point.y > node.yMax || point.y < node.yMin || point.x > node.xMax { continue }
      if point.x < node.xMin {
        crossings.isOdd = crossings.isOdd != node.isOdd(above: point.y)
      } else if level == large.firstLevel {
        let chain = chains.base[large.firstChain + index - levels.base[level]]
        cross(chain.first, edges: Int(chain.edges), point, &crossings)
      } else {
        let first = levels.base[level - 1] + (index - levels.base[level]) * ChainNode.children
        let end = min(first + ChainNode.children, levels.base[level])
        cross(large, level: level - 1, first..<end, point, &crossings)
      }
      if crossings.isOnBoundary { return }
    }
  }

  /// Tests consecutive edges, beginning at a vertex.
  @inline(__always)
  private func cross(
    _ first: Int, edges: Int, _ point: SIMD2<Double>, _ crossings: inout Crossings
  ) {
    let found = Int(
      plumb_ring_crossings(x.base + first, y.base + first, edges, point.x, point.y))
    if found & PLUMB_RING_BOUNDARY != 0 {
      crossings.isOnBoundary = true
    } else if found & PLUMB_RING_UNSURE != 0 {
      crossExactly(first, edges: edges, point, &crossings)
    } else if found & PLUMB_RING_ODD != 0 {
      crossings.isOdd.toggle()
    }
  }

  /// Tests the edges that straddle the ray, each by exact arithmetic.
  @inline(never)
  private func crossExactly(
    _ first: Int, edges: Int, _ point: SIMD2<Double>, _ crossings: inout Crossings
  ) {
    for vertex in first..<first + edges {
      let a = SIMD2(x.base[vertex], y.base[vertex])
      let b = SIMD2(x.base[vertex + 1], y.base[vertex + 1])
      guard (a.y > point.y) != (b.y > point.y) else { continue }
      let side = orientation(a, b, point)
      if side == 0 {
        crossings.isOnBoundary = true
        return
      }
      if (side > 0) == (b.y > point.y) { crossings.isOdd.toggle() }
    }
  }
}
