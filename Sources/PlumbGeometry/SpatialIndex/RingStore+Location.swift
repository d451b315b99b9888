import CKernels

extension RingStore {
  /// What the edges that were looked at say of a place.
  private struct Crossings {
    var isOdd = false
    var isOnBoundary = false
  }

  /// Where a place lies with regard to one polygon.
  ///
  /// - Parameter place: a place in the polygon's box.
  @inline(__always)
  func location(_ place: SIMD2<Double>, in polygon: Int) -> PolygonLocator.Location {
    let shape = shapes.base[polygon]
    var crossings = Crossings()
    if shape.large >= 0 {
      let large = large.base[Int(shape.large)]
      let level = large.firstLevel + large.height - 1
      cross(
        large, level: level, levels.base[level]..<levels.base[level + 1], place, &crossings)
    } else {
      for ring in shape.firstRing..<shape.firstRing + Int(shape.ringCount) {
        let start = ringStarts.base[ring]
        cross(start, edges: ringStarts.base[ring + 1] - start - 1, place, &crossings)
      }
    }
    return crossings.isOnBoundary ? .boundary : crossings.isOdd ? .interior : .exterior
  }

  /// Goes down from some nodes of a level. There are about ten levels at most.
  private func cross(
    _ large: Large, level: Int, _ range: Range<Int>, _ place: SIMD2<Double>,
    _ crossings: inout Crossings
  ) {
    for index in range {
      let node = nodes.base[index]
      if place.y > node.yMax || place.y < node.yMin || place.x > node.xMax { continue }
      if place.x < node.xMin {
        crossings.isOdd = crossings.isOdd != node.isOdd(above: place.y)
      } else if level == large.firstLevel {
        let chain = chains.base[large.firstChain + index - levels.base[level]]
        cross(chain.first, edges: Int(chain.edges), place, &crossings)
      } else {
        let first = levels.base[level - 1] + (index - levels.base[level]) * ChainNode.children
        let end = min(first + ChainNode.children, levels.base[level])
        cross(large, level: level - 1, first..<end, place, &crossings)
      }
      if crossings.isOnBoundary { return }
    }
  }

  /// Counts the edges from a vertex on.
  @inline(__always)
  private func cross(
    _ first: Int, edges: Int, _ place: SIMD2<Double>, _ crossings: inout Crossings
  ) {
    let found = Int(
      plumb_ring_crossings(x.base + first, y.base + first, edges, place.x, place.y))
    if found & PLUMB_RING_BOUNDARY != 0 {
      crossings.isOnBoundary = true
    } else if found & PLUMB_RING_DOUBT != 0 {
      crossExactly(first, edges: edges, place, &crossings)
    } else if found & PLUMB_RING_ODD != 0 {
      crossings.isOdd.toggle()
    }
  }

  /// Counts the edges that straddle the ray, each by exact arithmetic.
  @inline(never)
  private func crossExactly(
    _ first: Int, edges: Int, _ place: SIMD2<Double>, _ crossings: inout Crossings
  ) {
    for vertex in first..<first + edges {
      let a = SIMD2(x.base[vertex], y.base[vertex])
      let b = SIMD2(x.base[vertex + 1], y.base[vertex + 1])
      guard (a.y > place.y) != (b.y > place.y) else { continue }
      let side = orientation(a, b, place)
      if side == 0 {
        crossings.isOnBoundary = true
        return
      }
      if (side > 0) == (b.y > place.y) { crossings.isOdd.toggle() }
    }
  }
}
