import PlumbCore
import PlumbGeometry

/// Measures distances to the fences of a set. A probe is not thread-safe, so each worker needs a
/// separate probe.
///
/// Points are in the fences' CRS.
struct FenceProbe {
  /// The objects that depend only on the CRS and are expensive to create.
  final class Tools {
    let reference: SpatialReference
    let meter: DistanceCalculator
    /// The transformation from WGS84; nil if none is needed.
    let transformation: Transformation?
    let earth = Geodesic(.wgs84)

    init(_ reference: SpatialReference) throws(GeometryError) {
      self.reference = reference
      meter = try DistanceCalculator(reference, measure: .ground)
      transformation =
        reference.isEquivalent(to: .wgs84)
        ? nil : try Transformation(from: .wgs84, to: reference)
    }

    /// Transforms a WGS84 point to the fences' CRS; NaN if the point cannot be transformed.
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

  /// Returns the fences whose buffers a disc intersects, in ascending order, with the distances to
  /// their geometries.
  func hits(near point: SIMD2<Double>, radius: Double) -> [GeometryLocator.Hit] {
    // `hits` does not throw for points. A point that cannot be transformed has no hits.
    (try? tools.meter.hits(of: fences.locator, near: point, within: buffer + radius)) ?? []
  }

  /// Returns the distance to a fence's geometry in metres; NaN if unknown.
  func distance(_ fence: Int, _ point: SIMD2<Double>) -> Double {
    guard fence < fences.fences.count else { return .nan }
    return tools.meter.distance(of: fences.locator, item: fence, from: point)
  }

  /// The position of a point relative to a fence with its buffer.
  struct Depth {
    var isInside: Bool
    /// A lower bound of the distance to the border of the buffered fence, in metres.
    var clear: Double
  }

  /// - Parameter enough: the clear distance in metres that is sufficient for the caller. A clear
  ///   distance of this value or more in the result may be smaller than the true clear distance.
  func depth(_ fence: Int, _ point: SIMD2<Double>, enough: Double = .infinity) -> Depth {
    depth(fence, point, distance: distance(fence, point), enough: enough)
  }

  /// Returns the position of a point whose distance to the fence's geometry is known.
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
    // A path out of the buffered area crosses the border of the area and then the whole buffer.
    let inner = tools.meter.distance(of: fences.rings(), item: fence, from: point)
    return Depth(isInside: true, clear: buffer + (inner.isNaN ? 0 : inner))
  }
}
