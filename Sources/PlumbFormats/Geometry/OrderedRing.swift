import PlumbCore

/// A ring with the direction that a format requires.
struct OrderedRing {
  /// The range of the ring in the polygon's vertices.
  let range: Range<Int>
  /// Whether the vertices are written in reverse order.
  let isReversed: Bool

  /// The indices of the vertices in the order of writing.
  var indices: StrideTo<Int> {
    isReversed
      ? stride(from: range.upperBound - 1, to: range.lowerBound - 1, by: -1)
      : stride(from: range.lowerBound, to: range.upperBound, by: 1)
  }
}

extension Polygon {
  /// The rings in the direction of OGC formats and GeoJSON. Exterior rings are counter-clockwise,
  /// and holes are clockwise.
  ///
  /// Rings without area have no direction and are not reversed. `Polygon` does not reverse them
  /// either.
  var ringsCounterClockwise: [OrderedRing] {
    let rings = self.rings
    var result: [OrderedRing] = []
    result.reserveCapacity(rings.count)
    for part in parts {
      for ring in part {
        let right = ring == part.lowerBound ? 1 : -1
        result.append(
          OrderedRing(
            range: rings[ring],
            isReversed: vertices.orientation(ofRing: rings[ring]) == -right))
      }
    }
    return result
  }

  /// Writes the x and y of all vertices to memory, ring after ring, in the direction of
  /// `ringsCounterClockwise`. The memory must have room for all vertices.
  package func writeCounterClockwise(to start: UnsafeMutablePointer<SIMD2<Double>>) {
    vertices.xy.withUnsafeBufferPointer { xy in
      var target = start
      for ring in ringsCounterClockwise {
        for index in ring.indices {
          target.initialize(to: xy[index])
          target += 1
        }
      }
    }
  }
}
