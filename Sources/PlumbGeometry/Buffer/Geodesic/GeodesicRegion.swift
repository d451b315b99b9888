import CGEOS
import PlumbCore

/// The inside of a polygon whose edges are curves on the ellipsoid.
struct GeodesicRegion {
  let curves: CurveMaker
  let context: GEOSContext
  /// The greatest distance in metres of an edge from its curve. It is small relative to the buffer
  /// distance, so that the buffer's strips cover the difference.
  let tolerance: Double
  let vertexLimit: Int

  /// The side of a ring where the enclosed area is.
  enum Side {
    case left, right
    /// The ring crosses itself.
    case either
  }

  /// A polygon's inside.
  struct Area: ~Copyable {
    let shape: GEOSShape
    /// For each ring, the side where the enclosed area is; for a hole, this is the side of the hole
    /// itself.
    let sides: [Side]
    /// Whether no ring crosses itself or another ring, all holes are inside their parts, and all
    /// parts are disjoint.
    var isSound: Bool { isPlain && !overlaps }
    /// Whether no ring crosses itself.
    let isPlain: Bool
    /// Whether a ring crosses another ring, a hole extends beyond its area, or parts overlap.
    let overlaps: Bool
  }

  /// The parts of a polygon, cut at ±180°.
  ///
  /// A ring around a pole encloses the smaller of the two areas that it bounds, unless the ring has
  /// an edge along the pole.
  func area(
    of polygon: Polygon, degrees: [SIMD2<Double>]
  ) throws(GeometryError) -> Area {
    let rings = polygon.rings
    var sides = [Side](repeating: .either, count: rings.count)
    var exteriors: [OpaquePointer?] = []
    defer { context.destroy(exteriors) }
    // The expected area of the parts if none overlap.
    var expected = 0.0
    for part in polygon.parts {
      var holes: [OpaquePointer?] = []
      defer { context.destroy(holes) }
      for hole in part.dropFirst() {
        if let area = try area(ofRing: rings[hole], degrees, &sides[hole]) {
          holes.append(area)
          expected -= context.planarArea(of: area)
        }
      }
      guard let first = part.first,
        let exterior = try area(ofRing: rings[first], degrees, &sides[first])
      else { continue }
      let solid = GEOSShape(exterior, context)
      expected += context.planarArea(of: exterior)
      guard !holes.isEmpty else {
        exteriors.append(solid.take())
        continue
      }
      exteriors.append(
        try context.degreeDifference(solid, context.degreeUnion(&holes)).take())
    }
    let union = try context.degreeUnion(&exteriors)
    let covered = context.planarArea(of: union.pointer)
    return Area(
      shape: union, sides: sides,
      isPlain: zip(rings, sides).allSatisfy { $0.count <= 3 || $1 != .either },
      overlaps: (covered - expected).magnitude > 1e-9 * covered)
  }

  private func area(
    ofRing range: Range<Int>, _ degrees: [SIMD2<Double>], _ side: inout Side
  ) throws(GeometryError) -> OpaquePointer? {
    guard range.count > 3 else { return nil }
    var tracer = BoundaryTracer(
      ellipsoid: curves.geodesic.ellipsoid, tolerance: tolerance, vertexLimit: vertexLimit)
    for index in range.dropLast() {
      let curve = curves.curve(from: index, to: index + 1, degrees)
      let start = tracer.settled(degrees[index])
      try tracer.follow(
        from: start, to: tracer.settled(degrees[index + 1]), steps: curve.steps, curve.point)
    }
    guard let ring = DegreeRing(tracer.points, isConvexAtPoles: false) else { return nil }
    guard !ring.isTangled else {
      throw GeometryError("a ring goes around a pole more than once")
    }
    var pole = ring.pole
    if let left = pole {
      let leftIsSmaller = curves.geodesic.areaAndPerimeter(ofRing: tracer.points).area >= 0
      if !leftIsSmaller { pole = left == .north ? .south : .north }
    }
    var crosses = false
    let shape = try ring.area(context, over: pole, &crosses)
    if !crosses, GEOSisValid_r(context.handle, shape.pointer) == 1 {
      side = ring.isCounterClockwise(over: pole) ? .left : .right
      return shape.take()
    }
    // The ring crosses itself, or only its straight edges in degrees cross each other.
    return try context.madeValid(shape).take()
  }
}
