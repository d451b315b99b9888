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
  /// A ring is turned only when `Polygon` would turn it back, which the sign of the area tells as it
  /// comes out of the turned vertices: rounding can give a sliver another sign the other way round.
  /// So a ring without area, or with one that is too large for a double, stays as it is.
  var ringsCounterClockwise: [OrderedRing] {
    let rings = self.rings
    var result: [OrderedRing] = []
    result.reserveCapacity(rings.count)
    for part in parts {
      for ring in part {
        let area = vertices.doubleArea(ofReversedRing: rings[ring])
        result.append(
          OrderedRing(
            range: rings[ring], isReversed: ring == part.lowerBound ? area > 0 : area < 0))
      }
    }
    return result
  }
}

extension VertexList {
  /// What `doubleArea` says, to the last bit, of a ring whose vertices stand last first.
  func doubleArea(ofReversedRing range: Range<Int>) -> Double {
    guard range.count > 3 else { return 0 }
    return xy.withUnsafeBufferPointer { xy in
      let origin = xy[range.upperBound - 1]
      var sum = 0.0
      var last = SIMD2<Double>(0, 0)
      for index in range.dropLast().reversed() {
        let next = xy[index] - origin
        sum += last.x * next.y - last.y * next.x
        last = next
      }
      return sum
    }
  }
}
