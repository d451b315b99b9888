import PlumbCore

/// Finds the items of a `GeometryLocator` within a radius of a point. Distances are measured on the
/// ground, or in the plane of a CRS other than the CRS of the locator.
///
/// Near a point, the square of a distance is approximately a quadratic form of the coordinate
/// differences. The form selects the edges that may be nearest, and exact distances are computed
/// for these edges. Where the form is not accurate (near poles and for wide circles), edges are
/// subdivided until the distances of their ends determine the least distance.
///
/// The class is not thread-safe; each worker needs a separate instance.
public final class DistanceCalculator {
  /// The method that measures distances.
  public enum Measure: Sendable, Hashable {
    /// The distance on the CRS's ellipsoid, in metres.
    case ground
    /// The planar distance in another CRS, in the unit of that CRS, for example for a number of
    /// pixels on a map in that CRS. If a period of longitude is a constant shift in the plane of
    /// that CRS, distances are measured in the shorter direction.
    case plane(of: SpatialReference)
  }

  let measure: DistanceMeasure
  /// Whether distances are planar in the coordinates of the CRS.
  private let isPlain: Bool
  /// The last query point with its metric.
  private var lastFrame: LocalMetric?
  private var lastSpread = (radius: 0.0, spread: 0.0)

  /// The greatest accepted relative error of lengths that the quadratic form computes; for larger
  /// errors, edges are subdivided instead.
  private static let maximumSpread = 0.05

  /// - Parameters:
  ///   - reference: the CRS of the coordinates.
  ///   - measure: the method that measures distances.
  /// - Throws: if the CRS is not on the Earth's surface, or PROJ finds no transformation to the CRS
  ///   of the measure.
  public init(_ reference: SpatialReference, measure: Measure) throws(GeometryError) {
    self.measure = try DistanceMeasure(reference, measure: measure)
    isPlain = measure == .plane(of: reference)
  }

  /// The distance between two points of the CRS; NaN if a point cannot be transformed.
  public func distance(from: SIMD2<Double>, to: SIMD2<Double>) -> Double {
    measure.distance(measure.image(from), measure.image(to))
  }

  /// The items whose distance from the point is at most `searchRadius`, ascending by item; for a
  /// radius of 0, the items that contain the point. The list is empty if the search radius is
  /// negative, if a number is NaN, or if the point cannot be transformed. Edges are straight lines
  /// in the locator's CRS, and nearest points are in this CRS. A distance is 0 if the item contains
  /// the point.
  public func hits(
    of locator: GeometryLocator, near point: SIMD2<Double>, within searchRadius: Double
  ) throws(GeometryError) -> [GeometryLocator.Hit] {
    guard searchRadius >= 0 else { return [] }
    if isPlain, measure.period == nil { return locator.hits(near: point, within: searchRadius) }
    let frame = frame(point)
    guard !frame.image.x.isNaN else { return [] }
    var hits: [GeometryLocator.Hit] = []
    let spread = searchRadius == 0 ? 0 : spread(frame, radius: searchRadius * 1.2)
    guard let metric = frame.metric, spread <= Self.maximumSpread else {
      return measure.carefulHits(of: locator, near: point, frame.image, within: searchRadius)
    }
    let limit = searchRadius / (1 - spread) * (1 + 1e-9)
    let half = frame.halfSides(metric, radius: limit)
    forEachImage(locator, frame, searchRadius: half.x) { frame in
      locator.visitParts(from: frame.point - half, to: frame.point + half) { part in
        guard
          let found = approach(locator, part, frame, metric, limit: limit, spread: spread),
          found.distance <= searchRadius
        else { return }
        hits.append(
          GeometryLocator.Hit(
            item: locator.item(of: part), distance: found.distance, nearest: found.nearest))
      }
    }
    return GeometryLocator.nearestOfEach(hits)
  }

  /// Half the sides of a box around a point that contains all points within a radius by the
  /// measure. The sides are in the coordinates of the CRS; nil if unknown, for example near poles
  /// and for wide circles.
  package func halfSides(round point: SIMD2<Double>, within radius: Double) -> SIMD2<Double>? {
    let frame = frame(point)
    guard radius > 0, !frame.image.x.isNaN, let metric = frame.metric else { return nil }
    let spread = spread(frame, radius: radius * 1.2)
    guard spread <= Self.maximumSpread else { return nil }
    return frame.halfSides(metric, radius: radius / (1 - spread) * (1 + 1e-9))
  }

  /// The least distance of an item from a point: 0 if the item contains the point, NaN if the point
  /// or the whole item cannot be transformed.
  public func distance(
    of locator: GeometryLocator, item: Int, from point: SIMD2<Double>
  ) -> Double {
    let frame = frame(point)
    guard !frame.image.x.isNaN else { return .nan }
    guard let metric = frame.metric else {
      return measure.carefulDistance(of: locator, item: item, from: point, frame.image)
    }
    var minimum = Double.infinity
    forEachImage(locator, frame, searchRadius: .infinity) { frame in
      locator.forEachPart(ofItem: item) { part in
        if let square = locator.minimumSquare(part, frame.point, metric, limit: minimum) {
          minimum = min(minimum, square)
        }
      }
    }
    guard minimum.isFinite else { return .nan }
    let length = minimum.squareRoot()
    guard length > 0 else { return 0 }
    let spread = spread(frame, radius: length * 1.2)
    guard spread <= Self.maximumSpread else {
      return measure.carefulDistance(of: locator, item: item, from: point, frame.image)
    }
    let limit = length * (1 + spread) / (1 - spread) * (1 + 1e-9)
    var distance = Double.infinity
    forEachImage(locator, frame, searchRadius: .infinity) { frame in
      locator.forEachPart(ofItem: item) { part in
        guard distance > 0 else { return }
        if let found = approach(locator, part, frame, metric, limit: limit, spread: spread) {
          distance = min(distance, found.distance)
        }
      }
    }
    return distance.isFinite ? distance : .nan
  }

  private func frame(_ point: SIMD2<Double>) -> LocalMetric {
    if let lastFrame, lastFrame.point == point { return lastFrame }
    let frame = LocalMetric(point, measure)
    (lastFrame, lastSpread) = (frame, (0, 0))
    return frame
  }

  private func spread(_ frame: LocalMetric, radius: Double) -> Double {
    if measure.isAnalytic { return frame.spread(measure, radius: radius) }
    // The spread for a wider circle is also valid for a narrower circle. The radius is rounded up
    // to a power of two, so that results do not depend on the order of queries.
    let radius = radius > 0 && radius.isFinite ? radius.binade * 2 : radius
    if radius == lastSpread.radius { return lastSpread.spread }
    let spread = frame.spread(measure, radius: radius)
    lastSpread = (radius, spread)
    return spread
  }

  /// Calls `body` with the frame, and with the frame shifted by whole periods. The shifted frame
  /// has the same image and metric.
  private func forEachImage(
    _ locator: GeometryLocator, _ frame: LocalMetric, searchRadius: Double,
    _ body: (LocalMetric) -> Void
  ) {
    body(frame)
    locator.forEachOtherImage(
      of: frame.point, searchRadius: searchRadius, locator.period ?? measure.period
    ) {
      body(frame.moved(to: $0))
    }
  }

  /// The distance from a part to a point; nil if the distance by the metric exceeds the limit.
  private func approach(
    _ locator: GeometryLocator, _ part: GeometryLocator.Part, _ frame: LocalMetric,
    _ metric: PlaneMetric, limit: Double, spread: Double
  ) -> (distance: Double, nearest: SIMD2<Double>)? {
    if locator.holds(frame.point, part) { return (0, frame.point) }
    guard limit > 0 else { return nil }
    guard let (store, shape) = locator.edges(of: part) else {
      guard case .point(let point) = part else { return nil }
      let there = locator.points.points.base[point]
      let distance = measure.distance(frame.image, measure.image(there))
      return distance.isNaN ? nil : (distance, there)
    }
    guard
      let nearest = store.nearestEdge(
        ofShape: shape, to: frame.point, metric, limit: limit * limit)
    else { return nil }
    // The quadratic form is more accurate for nearer edges.
    let length = nearest.square.squareRoot()
    let spread =
      measure.isAnalytic ? min(spread, frame.spread(measure, radius: length * 1.2)) : spread
    let descent = EdgeDescent(measure, frame, metric, store, spread: spread)
    var best = descent.minimum(nearest)
    // If a point on an edge cannot be transformed, use the search by subdivision.
    var isLost = best.distance.isNaN
    let bound = min(limit, best.distance.isNaN ? limit : best.distance / (1 - spread))
    store.forEachEdge(
      ofShape: shape, near: frame.point, metric, limit: bound * bound * (1 + 1e-9)
    ) { edge in
      guard edge.vertex != nearest.vertex else { return }
      let found = descent.minimum(edge, below: best.distance)
      if found.distance.isNaN { isLost = true }
      if found.distance < best.distance { best = found }
    }
    guard isLost else { return best }
    return measure.carefulApproach(
      locator, part, [frame.point], frame.image, limit: .infinity, nil)
  }
}

extension LocalMetric {
  private init(_ point: SIMD2<Double>, image: SIMD2<Double>, metric: PlaneMetric?) {
    (self.point, self.image, self.metric) = (point, image, metric)
  }

  fileprivate func moved(to point: SIMD2<Double>) -> LocalMetric {
    LocalMetric(point, image: image, metric: metric)
  }
}

extension GeometryLocator {
  /// The square of a part's distance by a metric; nil if it is not below the limit.
  fileprivate func minimumSquare(
    _ part: Part, _ location: SIMD2<Double>, _ metric: PlaneMetric, limit: Double
  ) -> Double? {
    if holds(location, part) { return 0 }
    if let (store, shape) = edges(of: part) {
      return store.nearestEdge(ofShape: shape, to: location, metric, limit: limit)?.square
    }
    guard case .point(let point) = part else { return nil }
    return metric.square(points.points.base[point] - location)
  }
}
