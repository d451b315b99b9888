import PlumbCore

extension GeometryLocator {
  /// An item near a point.
  public struct Hit: Sendable, Hashable {
    /// The item's index in the locator's list of geometries.
    public var item: Int
    /// The distance from the query point; 0 if the item contains the point.
    public var distance: Double
    /// The nearest point of the item, in the locator's coordinates. If the item contains the query
    /// point, the nearest point is the query point, possibly shifted by whole periods.
    public var nearest: SIMD2<Double>

    /// Creates a hit for an item, its distance and its nearest point.
    public init(item: Int, distance: Double, nearest: SIMD2<Double>) {
      (self.item, self.distance, self.nearest) = (item, distance, nearest)
    }
  }

  /// The items whose distance to the point, in the unit of the coordinates, is at most
  /// `searchRadius`, ascending by item; for a radius of 0, the items that contain the point. The
  /// list is empty if the search radius is negative or a number is NaN.
  public func hits(near point: SIMD2<Double>, within searchRadius: Double) -> [Hit] {
    guard searchRadius >= 0 else { return [] }
    let metric = PlaneMetric.plain(upTo: magnitude(with: point))
    var hits: [Hit] = []
    forEachImage(of: point, searchRadius: searchRadius) { point in
      // The margin covers rounding errors of distances.
      let margin = SIMD2(repeating: searchRadius * (1 + 1e-12))
      visitParts(from: point - margin, to: point + margin) { part in
        guard
          let (distance, nearest) = planarApproach(to: point, part, metric, within: searchRadius),
          distance <= searchRadius
        else { return }
        hits.append(Hit(item: item(of: part), distance: distance, nearest: nearest))
      }
    }
    return Self.nearestOfEach(hits)
  }

  /// Visits the parts whose boxes intersect a window; stops early if the calling thread's work is
  /// cancelled.
  @inline(__always)
  func visitParts(
    from low: SIMD2<Double>, to high: SIMD2<Double>, _ body: (Part) -> Void
  ) {
    areas.locator.index.visit(intersecting: low, high) {
      body(.area($0))
      return !WorkCancellation.isCurrentCancelled
    }
    lines.index.visit(intersecting: low, high) {
      body(.line($0))
      return !WorkCancellation.isCurrentCancelled
    }
    points.index.visit(intersecting: low, high) {
      body(.point($0))
      return !WorkCancellation.isCurrentCancelled
    }
  }

  /// Calls `body` with each part of one item.
  func forEachPart(ofItem item: Int, _ body: (Part) -> Void) {
    guard item >= 0, item < count else { return }
    let slot = slots.base[item]
    for element in Int(slot.first)..<Int(slot.first) + Int(slot.count) {
      switch slot.kind {
      case .points: body(.point(element))
      case .line: body(.line(element))
      case .area: body(.area(element))
      case .nothing, .unusable: break
      }
    }
  }

  @inline(__always)
  func item(of part: Part) -> Int {
    switch part {
    case .point(let point): points.item(point)
    case .line(let line): lines.item(line)
    case .area(let area): areas.item(area)
    }
  }

  /// Whether a part contains a point, by exact arithmetic.
  func holds(_ location: SIMD2<Double>, _ part: Part) -> Bool {
    switch part {
    case .point(let point): points.points.base[point] == location
    case .line(let line): lines.store.isOnEdge(location, ofShape: line)
    case .area(let area):
      areas.locator.location(of: location, inPolygon: area) != .exterior
    }
  }

  /// The edges of a part; nil for a point.
  func edges(of part: Part) -> (store: RingStore, shape: Int)? {
    switch part {
    case .point: nil
    case .line(let line): (lines.store, line)
    case .area(let area): (areas.locator.store, area)
    }
  }

  /// The distance and nearest point of a part; nil if the part is beyond the search radius.
  private func planarApproach(
    to location: SIMD2<Double>, _ part: Part, _ metric: PlaneMetric, within searchRadius: Double
  ) -> (distance: Double, nearest: SIMD2<Double>)? {
    if holds(location, part) { return (0, location) }
    // With a radius of 0, only parts that contain the point match, and these were found above by
    // exact arithmetic.
    guard searchRadius > 0 else { return nil }
    guard let (store, shape) = edges(of: part) else {
      guard case .point(let point) = part else { return nil }
      let there = points.points.base[point]
      return ((there - location).planarLength, there)
    }
    let limit = (searchRadius * metric.scale) * (searchRadius * metric.scale) * (1 + 1e-12)
    // If the limit underflows, it is not applied.
    guard
      let approach = store.nearestEdge(
        ofShape: shape, to: location, metric, limit: limit >= 1e-290 ? limit : .infinity)
    else { return nil }
    let (a, b) = (store.vertex(approach.vertex), store.vertex(approach.vertex + 1))
    return (
      location.distance(toEdge: a, b, fraction: approach.fraction, metric.scale),
      store.point(approach)
    )
  }

  /// The greatest magnitude of the coordinates of the geometries and of the point.
  private func magnitude(with point: SIMD2<Double>) -> Double {
    guard !SpatialIndex.isEmpty(box) else { return 0 }
    let all = max(
      max(box.x.magnitude, box.y.magnitude), max(box.z.magnitude, box.w.magnitude))
    return max(all, max(point.x.magnitude, point.y.magnitude))
  }

  /// Returns one hit for each item, at the least distance of the item, ascending by item.
  static func nearestOfEach(_ hits: [Hit]) -> [Hit] {
    guard hits.count > 1 else { return hits }
    // Of several hits at the same distance, the hit that was found first is used.
    let order = hits.indices.sorted {
      let (a, b) = (hits[$0], hits[$1])
      if a.item != b.item { return a.item < b.item }
      return a.distance != b.distance ? a.distance < b.distance : $0 < $1
    }
    var result: [Hit] = []
    for index in order where result.last?.item != hits[index].item { result.append(hits[index]) }
    return result
  }
}

extension SIMD2 where Scalar == Double {
  /// The distance from this point to an edge that does not contain the point, given the fraction of
  /// the nearest point on the edge's line.
  fileprivate func distance(
    toEdge a: SIMD2<Double>, _ b: SIMD2<Double>, fraction: Double, _ scale: Double
  ) -> Double {
    if !(fraction > 0) { return (self - a).planarLength }
    if fraction >= 1 { return (self - b).planarLength }
    let (way, edge) = ((self - a) * scale, (b - a) * scale)
    // Use Kahan's difference of products, which adds the rounding error of one product.
    let product = way.y * edge.x
    let error = (-product).addingProduct(way.y, edge.x)
    let cross = (-product).addingProduct(way.x, edge.y) - error
    let distance = cross.magnitude / edge.planarLength / scale
    // The point is not on the edge, so the distance must not be 0.
    return distance > 0 ? distance : .leastNonzeroMagnitude
  }
}
