import PlumbCore

/// The search where the quadratic form is not accurate: edges are subdivided until the distances of
/// their ends determine the least distance by the triangle inequality.
extension DistanceMeasure {
  func carefulHits(
    of locator: GeometryLocator, near point: SIMD2<Double>, _ image: SIMD2<Double>,
    within searchRadius: Double
  ) -> [GeometryLocator.Hit] {
    var hits: [GeometryLocator.Hit] = []
    let points = periods(of: point, locator)
    let region = self.region(of: locator, image, radius: searchRadius)
    func consider(_ part: GeometryLocator.Part) {
      guard let found = carefulApproach(locator, part, points, image, limit: searchRadius, region),
        found.distance <= searchRadius
      else { return }
      hits.append(
        GeometryLocator.Hit(
          item: locator.item(of: part), distance: found.distance, nearest: found.nearest))
    }
    if let region {
      for window in region.windows(within: searchRadius) {
        locator.visitParts(from: window.low, to: window.high, consider)
      }
      // Visit the point itself, too, so that items that contain it are found even if its
      // surroundings are outside the plane's domain.
      for point in points { locator.visitParts(from: point, to: point, consider) }
      return GeometryLocator.nearestOfEach(hits)
    }
    let whole = SIMD2<Double>(repeating: .infinity)
    if let half = surelyHalfSides(point, searchRadius: searchRadius) {
      if half.x == .infinity {
        locator.visitParts(
          from: SIMD2(-.infinity, point.y - half.y), to: SIMD2(.infinity, point.y + half.y),
          consider)
      } else {
        locator.visitParts(from: point - half, to: point + half, consider)
        locator.forEachOtherImage(of: point, searchRadius: half.x, locator.period ?? period) {
          locator.visitParts(from: $0 - half, to: $0 + half, consider)
        }
      }
    } else {
      locator.visitParts(from: -whole, to: whole, consider)
    }
    return GeometryLocator.nearestOfEach(hits)
  }

  func carefulDistance(
    of locator: GeometryLocator, item: Int, from point: SIMD2<Double>, _ image: SIMD2<Double>
  ) -> Double {
    let points = periods(of: point, locator)
    var minimum = Double.infinity
    let maximum = distanceToSome(of: locator, item: item, image)
    let region = maximum.flatMap { self.region(of: locator, image, radius: $0) }
    if let maximum, region != nil { minimum = maximum * (1 + 1e-12) }
    locator.forEachPart(ofItem: item) { part in
      if let found = carefulApproach(locator, part, points, image, limit: minimum, region) {
        minimum = min(minimum, found.distance)
      }
    }
    return minimum.isFinite ? minimum : .nan
  }

  /// The distance to the nearest of some vertices of an item, which is an upper bound of the item's
  /// distance; nil if none of these vertices can be transformed.
  private func distanceToSome(
    of locator: GeometryLocator, item: Int, _ image: SIMD2<Double>
  ) -> Double? {
    guard !isAnalytic else { return nil }
    var minimum = Double.infinity
    locator.forEachPart(ofItem: item) { part in
      var vertices: [SIMD2<Double>] = []
      if let (store, shape) = locator.edges(of: part) {
        vertices = store.someVertices(ofShape: shape)
      } else if case .point(let point) = part {
        vertices = [locator.points.points.base[point]]
      }
      for vertex in vertices {
        let distance = distance(image, self.image(vertex))
        if distance < minimum { minimum = distance }
      }
    }
    return minimum.isFinite ? minimum : nil
  }

  /// A region that contains all points within a radius; nil if the region would not exclude more
  /// points than the boxes of the parts.
  func region(
    of locator: GeometryLocator, _ image: SIMD2<Double>, radius: Double
  ) -> SearchRegion? {
    guard !isAnalytic, radius > 0, radius.isFinite else { return nil }
    // The radius is rounded up to a power of two, so that one region is used for several distances.
    let radius = radius.binade * 2
    if let last = lastRegion, last.image == image, last.radius == radius, last.box == locator.box {
      return last.region
    }
    let region = SearchRegion(self, round: image, radius: radius, extent: locator.box)
    lastRegion = (image, radius, locator.box, region)
    return region
  }

  private func periods(of point: SIMD2<Double>, _ locator: GeometryLocator) -> [SIMD2<Double>] {
    var points = [point]
    locator.forEachOtherImage(of: point, searchRadius: 0, locator.period ?? period) {
      points.append($0)
    }
    return points
  }

  /// Half the sides of a box that certainly contains all points within a radius on the ground; x is
  /// infinite if a pole is within the radius. The result is nil unless coordinates are longitudes
  /// and latitudes.
  private func surelyHalfSides(_ point: SIMD2<Double>, searchRadius: Double) -> SIMD2<Double>? {
    guard isAnalytic else { return nil }
    let axis = geodesic.ellipsoid.semiMajorAxis
    let polar = geodesic.semiMinorAxis
    // The least radius of curvature of a meridian, which is at the equator or at a pole.
    let minimum = min(polar * polar / axis, axis * axis / polar)
    let angle = searchRadius / minimum * 1.01 + 1e-12
    let scale = base.degreesPerUnit
    let latitude = (point.y * scale).magnitude
    let y = angle.inDegrees / scale
    guard angle < 1.5, latitude + angle.inDegrees < 89 else {
      return SIMD2(.infinity, angle < 3.2 ? y : .infinity)
    }
    // The meridian tangent to the circle: on a sphere, sin Δλ = sin θ / cos φ.
    let sine = sineAndCosine(ofDegrees: angle.inDegrees).sine
    let cosine = sineAndCosine(ofDegrees: latitude).cosine
    guard sine < 0.99 * cosine else { return SIMD2(.infinity, y) }
    return SIMD2(arcSine(sine / cosine).inDegrees * 1.02 / scale, y)
  }

  /// The distance to a part; nil if it exceeds the limit.
  func carefulApproach(
    _ locator: GeometryLocator, _ part: GeometryLocator.Part, _ points: [SIMD2<Double>],
    _ image: SIMD2<Double>, limit: Double, _ region: SearchRegion?
  ) -> (distance: Double, nearest: SIMD2<Double>)? {
    for location in points where locator.holds(location, part) { return (0, location) }
    guard let (store, shape) = locator.edges(of: part) else {
      guard case .point(let point) = part else { return nil }
      let there = locator.points.points.base[point]
      let distance = distance(image, self.image(there))
      return distance <= limit ? (distance, there) : nil
    }
    var search = PieceSearch(self, image, limit: limit * (1 + 1e-12), region)
    let box = store.shapes.base[shape].box
    func bound(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> Double {
      region?.minimumDistance(toBox: low, high, limit: search.minimum)
        ?? minimumDistance(from: image, toBox: low, high)
    }
    guard bound(box.lowHalf, -box.highHalf) <= search.minimum else { return nil }
    // Start with the edge that is nearest by the quadratic form, because the sooner a near point is
    // found, the more edges are skipped.
    for location in points {
      guard let metric = metric(at: location),
        let edge = store.nearestEdge(ofShape: shape, to: location, metric)
      else { continue }
      search.offer(store.point(edge))
    }
    // Measure all vertices first, because measuring edges is more expensive.
    store.walk(shape) { low, high in
      bound(low, high) <= search.minimum
    } edges: { first, count in
      for vertex in first...first + count { search.offer(store.vertex(vertex)) }
    }
    store.walk(shape) { low, high in
      bound(low, high) <= search.minimum
    } edges: { first, count in
      for vertex in first..<first + count {
        search.edge(store.vertex(vertex), store.vertex(vertex + 1))
      }
    }
    return search.nearest.map { (search.minimum, $0) }
  }
}

extension DistanceMeasure {
  /// A lower bound of the distance to any point in a box; 0 if unknown.
  fileprivate func minimumDistance(
    from image: SIMD2<Double>, toBox low: SIMD2<Double>, _ high: SIMD2<Double>
  ) -> Double {
    guard isAnalytic else { return 0 }
    let scale = base.degreesPerUnit
    let (south, north) = (low.y * scale, high.y * scale)
    guard south >= -90, north <= 90 else { return 0 }
    // The distance from the middle is at most the length of the path that is straight in degrees.
    let half = (high - low) * (scale / 2)
    let widest = south * north <= 0 ? 0 : min(south.magnitude, north.magnitude)
    let flattest = max(
      radii(max(south.magnitude, north.magnitude)).north, radii(widest).north)
    let radius = SIMD2(half.x.inRadians * radii(widest).east, half.y.inRadians * flattest)
      .planarLength
    let middle = distance(image, (low + high) * (scale / 2))
    return middle.isNaN ? 0 : middle - radius * (1 + 1e-9) - smallest
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private func arcSine(_ value: Double) -> Double { asin(value) }
