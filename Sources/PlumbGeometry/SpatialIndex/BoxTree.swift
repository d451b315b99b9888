/// Pointers to the arrays of a spatial index, for inner loops.
struct BoxTree {
  /// The boxes of all levels, leaves first, as (xMin, yMin, −xMax, −yMax).
  let boxes: UnsafePointer<SIMD4<Double>>
  /// The item of each leaf box.
  let items: UnsafePointer<Int32>
  /// The start of each level in `boxes`, and the end of the last level.
  let levels: UnsafePointer<Int>
  /// The number of levels; 0 if the index is empty.
  let height: Int

  /// Returns a window as (xMax, yMax, −xMin, −yMin) for comparison with boxes. The window
  /// intersects a box if no component of the box exceeds the same component of the window.
  @inline(__always)
  static func window(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> SIMD4<Double> {
    SIMD4(lowHalf: high, highHalf: -low)
  }

  /// The children, from `first` on, that intersect the window, as one bit per child.
  @inline(__always)
  private func hits(_ window: SIMD4<Double>, level: Int, first: Int) -> UInt32 {
    let count = min(SpatialIndex.nodeSize, levels[level + 1] &- levels[level] &- first)
    let children = boxes + (levels[level] &+ first)
    var result: UInt32 = 0
    for child in 0..<count {
      let meets = all(children[child] .<= window)
      result |= (meets ? 1 : 0) &<< UInt32(truncatingIfNeeded: child)
    }
    return result
  }

  /// Calls `body` with the number of each leaf that intersects the window, until `body` returns
  /// false.
  @inline(__always)
  func visit(_ window: SIMD4<Double>, _ body: (_ leaf: Int) -> Bool) {
    guard height > 0 else { return }
    // An index has fewer than 16⁸ leaves.
    withUnsafeTemporaryAllocation(of: (first: Int, hits: UInt32).self, capacity: 8) { nodes in
      var level = height &- 1
      nodes[level] = (0, hits(window, level: level, first: 0))
      while true {
        let (first, hits) = nodes[level]
        if hits == 0 {
          level &+= 1
          if level == height { return }
          continue
        }
        let entry = first &+ hits.trailingZeroBitCount
        nodes[level].hits = hits & (hits &- 1)
        if level == 0 {
          if !body(entry) { return }
        } else {
          level &-= 1
          let child = entry &* SpatialIndex.nodeSize
          nodes[level] = (child, self.hits(window, level: level, first: child))
        }
      }
    }
  }
}
