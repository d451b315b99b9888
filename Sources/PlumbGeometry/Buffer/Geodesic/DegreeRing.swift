import CGEOS
import PlumbCore

/// A closed curve on the ellipsoid in the plane of degrees, with longitudes that continue beyond
/// ±180° instead of jumping.
struct DegreeRing {
  /// The vertices of the closed curve. The last vertex is the first vertex, shifted east by
  /// `shifts` times 360°.
  private var path: [SIMD2<Double>]
  /// The number of revolutions around the north pole; eastward revolutions are positive.
  private let shifts: Int

  /// - Parameters:
  ///   - points: the vertices, without repeating the first; consecutive vertices are less than 180°
  ///     of longitude apart.
  ///   - isConvexAtPoles: whether the area is to the left of the ring and the area's angle at a
  ///     pole is at most 180°. If false, the ring passes a pole in the shorter direction, or
  ///     follows the ring's edge along the pole if there is such an edge.
  init?(_ points: [SIMD2<Double>], isConvexAtPoles: Bool) {
    guard let first = points.firstIndex(where: { !DegreePlane.isPole($0) }) else { return nil }
    path = [points[first]]
    path.reserveCapacity(points.count + 4)
    // The first and last of the consecutive vertices at a pole.
    var row: (first: SIMD2<Double>, last: SIMD2<Double>)?
    for step in 1...points.count {
      let point = points[(first + step) % points.count]
      let last = path[path.count - 1]
      if DegreePlane.isPole(point) {
        if row == nil { path.append(SIMD2(last.x, point.y)) }
        row = (row?.first ?? point, point)
        continue
      }
      var difference = DegreePlane.shorter(point.x - last.x)
      if let (start, end) = row {
        let latitude = end.y
        if isConvexAtPoles {
          if latitude > 0, difference > 90 { difference -= 360 }
          if latitude < 0, difference < -90 { difference += 360 }
        } else if (end.x - start.x).magnitude > 190 {
          // The polygon is drawn along the pole from one side of the map to the other.
          difference =
            DegreePlane.shorter(start.x - last.x) + (end.x - start.x)
            + DegreePlane.shorter(point.x - end.x)
        }
        path.append(SIMD2(last.x + difference, latitude))
        row = nil
      }
      path.append(SIMD2(last.x + difference, point.y))
    }
    shifts = Int(((path[path.count - 1].x - path[0].x) / 360).rounded())
  }

  /// The pole that the area contains, if the area is to the left.
  enum Pole {
    case north, south
  }

  var pole: Pole? { shifts == 0 ? nil : shifts > 0 ? .north : .south }

  /// Whether the curve goes around a pole more than once, so that it cannot be the boundary of an
  /// area.
  var isTangled: Bool { shifts.magnitude > 1 }

  /// Whether the area that contains the given pole is to the left of the curve.
  func isCounterClockwise(over pole: Pole?) -> Bool {
    let ring = closed(over: pole)
    return VertexList(ring).doubleArea(ofRing: 0..<ring.count) >= 0
  }

  /// The curve closed in the plane. A curve around a pole is closed through the pole.
  private func closed(over pole: Pole?) -> [SIMD2<Double>] {
    guard let pole, shifts != 0, let first = path.first, let last = path.last else { return path }
    let latitude: Double = pole == .north ? 90 : -90
    return path + [SIMD2(last.x, latitude), SIMD2(first.x, latitude), first]
  }

  /// The ring between −180° and 180°, if it crosses neither ±180° nor a pole; otherwise nil.
  var simpleArea: [SIMD2<Double>]? {
    guard shifts == 0, let (low, high) = VertexList(path).bounds() else { return nil }
    let shift = -360 * ((low.x + 180) / 360).rounded(.down)
    guard high.x + shift <= 180 else { return nil }
    return shift == 0 ? path : path.map { SIMD2($0.x + shift, $0.y) }
  }

  /// The area to the left of the curve, cut at ±180°.
  ///
  /// - Parameter mayContainBothPoles: whether a clockwise ring encloses the whole surface except
  ///   its inside.
  func area(_ context: GEOSContext, mayContainBothPoles: Bool) throws(GeometryError) -> GEOSShape {
    var crosses = false
    let inside = try area(context, over: pole, &crosses)
    guard mayContainBothPoles, shifts == 0, !isCounterClockwise(over: nil) else { return inside }
    let world = try Self.window(context)
    return try context.degreeDifference(world, inside)
  }

  /// The area that contains a given pole or, without a pole, the interior of the ring in the plane.
  ///
  /// - Parameter crosses: set to true if the ring is found to cross itself. If `crosses` remains
  ///   false, an area that did not have to be cut may still be invalid.
  func area(
    _ context: GEOSContext, over pole: Pole?, _ crosses: inout Bool
  ) throws(GeometryError) -> GEOSShape {
    try cut(closed(over: pole), context, &crosses)
  }

  /// The area of a closed ring in the plane, shifted and cut so that the area is between −180° and
  /// 180°.
  private func cut(
    _ ring: [SIMD2<Double>], _ context: GEOSContext, _ crosses: inout Bool
  ) throws(GeometryError) -> GEOSShape {
    guard let (low, high) = VertexList(ring).bounds() else {
      throw GeometryError("a boundary without vertices")
    }
    let first = ((low.x + 180) / 360).rounded(.down)
    let last = ((high.x + 180) / 360).rounded(.up) - 1
    if last <= first { return try Self.shape(ring, shift: -360 * first, context) }
    let ring = Self.withCrossings(ring)
    let window = try Self.window(context)
    var members: [OpaquePointer?] = []
    defer { context.destroy(members) }
    var turn = first
    while turn <= last {
      var shifted = try Self.shape(ring, shift: -360 * turn, context)
      // Only a valid shape can be cut, so repair an invalid shape first.
      if crosses || GEOSisValid_r(context.handle, shifted.pointer) != 1 {
        crosses = true
        shifted = try context.madeValid(shifted)
      }
      members.append(
        try context.adopt(
          GEOSIntersection_r(context.handle, shifted.pointer, window.pointer), "a cut at ±180°"
        ).take())
      turn += 1
    }
    // The pieces of two periods may overlap where a ring closes over a pole.
    return try context.degreeUnion(&members)
  }

  private static func shape(
    _ ring: [SIMD2<Double>], shift: Double, _ context: GEOSContext
  ) throws(GeometryError) -> GEOSShape {
    let points = shift == 0 ? ring : ring.map { SIMD2($0.x + shift, $0.y) }
    return try context.shape(
      of: .polygon(
        Polygon(
          canonical: VertexList(points), ringEnds: [points.count], partEnds: [1],
          spatialReference: nil)))
  }

  private static func window(_ context: GEOSContext) throws(GeometryError) -> GEOSShape {
    try context.shape(of: .envelope(Envelope(xMin: -180, yMin: -90, xMax: 180, yMax: 90)))
  }

  /// The ring with an additional vertex wherever an edge crosses ±180°; the vertex does not depend
  /// on the direction of the edge.
  private static func withCrossings(_ ring: [SIMD2<Double>]) -> [SIMD2<Double>] {
    var result: [SIMD2<Double>] = []
    result.reserveCapacity(ring.count + 8)
    for (index, point) in ring.enumerated() {
      if index > 0 {
        let last = ring[index - 1]
        let (west, east) = last.x <= point.x ? (last, point) : (point, last)
        var crossings: [SIMD2<Double>] = []
        var meridian = ((west.x + 180) / 360).rounded(.down) * 360 + 180
        while meridian < east.x {
          if meridian > west.x {
            let share = (meridian - west.x) / (east.x - west.x)
            crossings.append(
              SIMD2(meridian, DegreePlane.settled(west.y + (east.y - west.y) * share)))
          }
          meridian += 360
        }
        result.append(contentsOf: last.x <= point.x ? crossings : crossings.reversed())
      }
      result.append(point)
    }
    return result
  }
}
