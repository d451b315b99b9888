import PlumbCore

/// A ring in the direction in which a format wants it.
struct OrderedRing {
  /// Its range in the polygon's vertices.
  let range: Range<Int>
  /// Whether its vertices go out last first.
  let isReversed: Bool

  /// The vertices' indices in the order in which they are written.
  var indices: StrideTo<Int> {
    isReversed
      ? stride(from: range.upperBound - 1, to: range.lowerBound - 1, by: -1)
      : stride(from: range.lowerBound, to: range.upperBound, by: 1)
  }
}

extension Polygon {
  /// The rings as OGC's formats and GeoJSON want them: exterior ones counter-clockwise, holes
  /// clockwise.
  ///
  /// What runs neither way, having no area, stays as it is, as it does when `Polygon` takes the ring
  /// back.
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

  /// Writes the vertices' x and y to memory that has room for all, ring after ring in the direction
  /// of `ringsCounterClockwise`.
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
