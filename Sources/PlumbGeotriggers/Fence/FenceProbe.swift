import PlumbCore
import PlumbGeometry

/// Distances to the fences of a set, for one worker: not thread-safe.
///
/// Points are in the fences' reference.
struct FenceProbe {
  /// What depends on the reference alone, and costs time to make.
  final class Tools {
    let reference: SpatialReference
    let meter: DistanceCalculator
    /// From WGS84; nil where nothing is to be done.
    let transformation: Transformation?
    let earth = Geodesic(.wgs84)

    init(_ reference: SpatialReference) throws(GeometryError) {
      self.reference = reference
      meter = try DistanceCalculator(reference, measure: .ground)
      transformation =
        reference.isEquivalent(to: .wgs84)
        ? nil : try Transformation(from: .wgs84, to: reference)
    }

    /// The counterpart of a point on WGS84; NaN without one.
    func point(ofDegrees point: SIMD2<Double>) -> SIMD2<Double> {
      guard let transformation else { return point }
      var (x, y) = (point.x, point.y)
      unsafe transformation.apply(x: &x, y: &y, count: 1)
      return x.isFinite && y.isFinite ? SIMD2(x, y) : SIMD2(repeating: .nan)
    }
  }

  let fences: FenceSet
  let tools: Tools

  var buffer: Double { fences.bufferDistance }

  /// The fences whose buffers a disc meets, ascending, and their distances without the buffer.
  func hits(near point: SIMD2<Double>, radius: Double) -> [GeometryLocator.Hit] {
    // It fails for no point: one without a counterpart has no hits.
    (try? tools.meter.hits(of: fences.locator, near: point, within: buffer + radius)) ?? []
  }

  /// Metres to a fence's geometry; NaN where there is no way to tell.
  func distance(_ fence: Int, _ point: SIMD2<Double>) -> Double {
    guard fence < fences.fences.count else { return .nan }
    return tools.meter.distance(of: fences.locator, item: fence, from: point)
  }

  /// Where a point is with regard to a fence with its buffer.
  struct Depth {
    var isInside: Bool
    /// Metres, no more than the distance to the border of the buffered fence.
    var clear: Double
  }

  /// - Parameter enough: metres; a clear distance of more is of no use.
  func depth(_ fence: Int, _ point: SIMD2<Double>, enough: Double = .infinity) -> Depth {
    depth(fence, point, distance: distance(fence, point), enough: enough)
  }

  /// The same where the distance is known.
  func depth(
    _ fence: Int, _ point: SIMD2<Double>, distance: Double, enough: Double = .infinity
  ) -> Depth {
    guard !distance.isNaN else { return Depth(isInside: false, clear: 0) }
    guard distance == 0 else {
      return Depth(isInside: distance <= buffer, clear: (distance - buffer).magnitude)
    }
    guard buffer <= enough, fences.fences[fence].geometry.dimension == 2 else {
      return Depth(isInside: true, clear: buffer)
    }
    // A way out of the area passes its border and then all of the buffer.
    let inner = tools.meter.distance(of: fences.rings(), item: fence, from: point)
    return Depth(isInside: true, clear: buffer + (inner.isNaN ? 0 : inner))
  }
}
