import PlumbCore

/// The way where no quadratic form holds: edges are cut in pieces until the distances of their ends
/// tell. No way is shorter than the difference of two distances.
extension PlaceMeasure {
  func carefulHits(
    of locator: GeometryLocator, near place: SIMD2<Double>, _ image: SIMD2<Double>,
    within reach: Double
  ) -> [GeometryLocator.Hit] {
    var hits: [GeometryLocator.Hit] = []
    let places = turns(of: place, locator)
    func consider(_ part: GeometryLocator.Part) {
      guard let found = carefulApproach(locator, part, places, image, limit: reach),
        found.distance <= reach
      else { return }
      hits.append(
        GeometryLocator.Hit(
          item: locator.item(of: part), distance: found.distance, nearest: found.nearest))
    }
    let whole = SIMD2<Double>(repeating: .infinity)
    if let half = surelyHalfSides(place, reach: reach) {
      if half.x == .infinity {
        locator.visitParts(
          from: SIMD2(-.infinity, place.y - half.y), to: SIMD2(.infinity, place.y + half.y),
          consider)
      } else {
        locator.visitParts(from: place - half, to: place + half, consider)
        locator.forEachOtherTurn(of: place, reach: half.x, locator.period ?? turn) {
          locator.visitParts(from: $0 - half, to: $0 + half, consider)
        }
      }
    } else {
      locator.visitParts(from: -whole, to: whole, consider)
    }
    return GeometryLocator.nearestOfEach(hits)
  }

  func carefulDistance(
    of locator: GeometryLocator, item: Int, from place: SIMD2<Double>, _ image: SIMD2<Double>
  ) -> Double {
    let places = turns(of: place, locator)
    var least = Double.infinity
    locator.forEachPart(ofItem: item) { part in
      if let found = carefulApproach(locator, part, places, image, limit: least) {
        least = min(least, found.distance)
      }
    }
    return least.isFinite ? least : .nan
  }

  private func turns(of place: SIMD2<Double>, _ locator: GeometryLocator) -> [SIMD2<Double>] {
    var places = [place]
    locator.forEachOtherTurn(of: place, reach: 0, locator.period ?? turn) { places.append($0) }
    return places
  }

  /// Half the sides of a box that surely holds all within a reach on the ground, where coordinates
  /// are longitudes and latitudes; x is infinite round a pole.
  private func surelyHalfSides(_ place: SIMD2<Double>, reach: Double) -> SIMD2<Double>? {
    guard isAnalytic else { return nil }
    let axis = geodesic.ellipsoid.semiMajorAxis
    let polar = geodesic.semiMinorAxis
    // The least radius of a meridian's curve, at the equator or at a pole, and some more.
    let least = min(polar * polar / axis, axis * axis / polar)
    let angle = reach / least * 1.01 + 1e-12
    let scale = base.degreesPerUnit
    let latitude = (place.y * scale).magnitude
    let y = angle.inDegrees / scale
    guard angle < 1.5, latitude + angle.inDegrees < 89 else {
      return SIMD2(.infinity, angle < 3.2 ? y : .infinity)
    }
    // A meridian touches the circle: on a sphere, sin Δλ = sin θ / cos φ.
    let sine = sineAndCosine(ofDegrees: angle.inDegrees).sine
    let cosine = sineAndCosine(ofDegrees: latitude).cosine
    guard sine < 0.99 * cosine else { return SIMD2(.infinity, y) }
    return SIMD2(arcSine(sine / cosine).inDegrees * 1.02 / scale, y)
  }

  /// How near a part comes; nil when it is not as near as the limit.
  func carefulApproach(
    _ locator: GeometryLocator, _ part: GeometryLocator.Part, _ places: [SIMD2<Double>],
    _ image: SIMD2<Double>, limit: Double
  ) -> (distance: Double, nearest: SIMD2<Double>)? {
    for place in places where locator.holds(place, part) { return (0, place) }
    guard let (store, shape) = locator.edges(of: part) else {
      guard case .point(let point) = part else { return nil }
      let there = locator.points.places.base[point]
      let distance = distance(image, self.image(there))
      return distance <= limit ? (distance, there) : nil
    }
    var search = PieceSearch(self, image, limit: limit * (1 + 1e-12))
    let box = store.shapes.base[shape].box
    guard leastDistance(from: image, toBox: box.lowHalf, -box.highHalf) <= search.least else {
      return nil
    }
    // What is near by the form is a good start: the sooner something is near, the more is passed by.
    for place in places {
      guard let metric = metric(at: place),
        let edge = store.nearestEdge(ofShape: shape, to: place, metric)
      else { continue }
      search.offer(store.place(edge))
    }
    store.walk(shape) { low, high in
      leastDistance(from: image, toBox: low, high) <= search.least
    } edges: { first, count in
      for vertex in first...first + count { search.offer(store.vertex(vertex)) }
      for vertex in first..<first + count {
        search.edge(store.vertex(vertex), store.vertex(vertex + 1))
      }
    }
    return search.nearest.map { (search.least, $0) }
  }
}

extension PlaceMeasure {
  /// No more than the distance to all that is in a box; 0 where that is not known.
  fileprivate func leastDistance(
    from image: SIMD2<Double>, toBox low: SIMD2<Double>, _ high: SIMD2<Double>
  ) -> Double {
    guard isAnalytic else { return 0 }
    let scale = base.degreesPerUnit
    let (south, north) = (low.y * scale, high.y * scale)
    guard south >= -90, north <= 90 else { return 0 }
    // No way from the middle is longer than the straight one in degrees.
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

/// The nearest of many edges, each by halves.
struct PieceSearch {
  /// The distance that is to be beaten.
  private(set) var least: Double
  private(set) var nearest: SIMD2<Double>?
  private let measure: PlaceMeasure
  private let image: SIMD2<Double>
  /// Halves of halves at most.
  private static let deepest = 40
  /// Pieces that have no counterpart at either end are not cut further.
  private static let deepestOutside = 8

  init(_ measure: PlaceMeasure, _ image: SIMD2<Double>, limit: Double) {
    (self.measure, self.image, least) = (measure, image, limit)
  }

  private struct Spot {
    var fraction: Double
    var image: SIMD2<Double>
    var distance: Double
  }

  mutating func offer(_ place: SIMD2<Double>) {
    let distance = measure.distance(image, measure.image(place))
    if distance <= least, distance < least || nearest == nil {
      (least, nearest) = (distance, place)
    }
  }

  mutating func edge(_ a: SIMD2<Double>, _ b: SIMD2<Double>) {
    guard a != b else { return }
    let line = LineSearch(measure, image, a, b)
    let (start, end) = (spot(line, 0), spot(line, 1))
    if let length = greatestLength(a, b, 0, 1),
      (start.distance + end.distance - length) / 2 > least
    {
      return
    }
    search(line, a, b, start, end, depth: 0)
  }

  private func spot(_ line: LineSearch, _ fraction: Double) -> Spot {
    let there = measure.image(line.place(fraction))
    return Spot(
      fraction: fraction, image: there, distance: measure.distance(image, there))
  }

  /// No less than the length of a piece of an edge; nil where that is not known.
  private func greatestLength(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ from: Double, _ to: Double
  ) -> Double? {
    guard measure.isAnalytic else { return nil }
    let scale = measure.base.degreesPerUnit
    let step = (b - a) * (to - from) * scale
    let (first, last) = ((a.y + (b.y - a.y) * from) * scale, (a.y + (b.y - a.y) * to) * scale)
    let widest = first * last <= 0 ? 0 : min(first.magnitude, last.magnitude)
    let highest = max(first.magnitude, last.magnitude)
    guard highest <= 90 else { return nil }
    let flattest = max(measure.radii(highest).north, measure.radii(widest).north)
    let way = SIMD2(
      step.x.inRadians * measure.radii(widest).east, step.y.inRadians * flattest)
    return way.planarLength * (1 + 1e-9) + measure.smallest
  }

  private mutating func search(
    _ line: LineSearch, _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ start: Spot, _ end: Spot,
    depth: Int
  ) {
    let middle = spot(line, (start.fraction + end.fraction) / 2)
    if middle.distance < least {
      (least, nearest) = (middle.distance, line.place(middle.fraction))
    }
    guard depth < Self.deepest else { return }
    let lost = [start, middle, end].filter(\.distance.isNaN).count
    if lost == 3, depth >= Self.deepestOutside { return }
    if lost == 0 {
      let first = measure.distance(start.image, middle.image)
      let second = measure.distance(middle.image, end.image)
      let chord = measure.distance(start.image, end.image)
      let known = greatestLength(a, b, start.fraction, end.fraction)
      // Chords miss a third more of the arc than halving shows.
      let length = known ?? (first + second) + 2 * max(0, first + second - chord)
      if known != nil || depth >= 4 {
        let nearer = min(start.distance, middle.distance, end.distance)
        if (start.distance + end.distance - length) / 2 > least { return }
        // Near the other end of the Earth there are valleys on several sides.
        let isShort =
          measure.isGround
          ? length <= max(min(0.02 * nearer, 50_000), 1e-3) : length <= 0.02 * nearer
        if isShort {
          let fraction = line.least(start.fraction...end.fraction)
          let distance = line.distance(fraction)
          if distance < least { (least, nearest) = (distance, line.place(fraction)) }
          return
        }
      }
    }
    search(line, a, b, start, middle, depth: depth + 1)
    search(line, a, b, middle, end, depth: depth + 1)
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private func arcSine(_ value: Double) -> Double { asin(value) }
