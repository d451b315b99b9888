import CGEOS
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The plane of longitude and latitude in degrees, in which the boundaries of geodesic buffers are
/// constructed and joined.
enum DegreePlane {
  /// The number of grid steps per degree. Vertices are on a grid of 2⁻⁴⁰ degrees (0.1 µm), so that
  /// a shift by 360° is exact, and two pieces still share an edge after one piece is cut at ±180°.
  private static let steps = 1_099_511_627_776.0

  @inline(__always)
  static func settled(_ value: Double) -> Double { (value * steps).rounded() / steps }

  @inline(__always)
  static func settled(_ point: SIMD2<Double>) -> SIMD2<Double> {
    (point * steps).rounded(.toNearestOrEven) / steps
  }

  /// A difference of longitudes in the shorter direction, in [−180, 180].
  @inline(__always)
  static func shorter(_ difference: Double) -> Double {
    difference.magnitude <= 180 ? difference : difference.wrappedDegrees
  }

  static func isPole(_ point: SIMD2<Double>) -> Bool { point.y.magnitude >= 90 }

  /// The areas of a shape without the slivers that rounding creates between neighbouring pieces:
  /// holes, parts and slits less than a micrometre wide.
  static func polygon(_ shape: borrowing GEOSShape) throws(GeometryError) -> Polygon {
    withoutSlivers(try ShapeParts(shape).polygon(nil))
  }

  static func withoutSlivers(_ polygon: Polygon) -> Polygon {
    let whole = withoutSlits(polygon)
    let vertices = whole.vertices
    let rings = whole.rings
    let isSliver = rings.map { ring in
      var length = 0.0
      for index in ring.dropLast() {
        let edge = vertices.xy[index + 1] - vertices.xy[index]
        length += edge.x.magnitude + edge.y.magnitude
      }
      return vertices.doubleArea(ofRing: ring).magnitude <= length * 1e-11
    }
    return without(isSliver, whole)
  }

  private static func withoutSlits(_ polygon: Polygon) -> Polygon {
    var xy: [SIMD2<Double>] = []
    var ringEnds: [Int] = []
    for ring in polygon.rings {
      xy += withoutSlits(polygon.vertices.xy[ring])
      ringEnds.append(xy.count)
    }
    guard xy.count < polygon.vertices.xy.count else { return polygon }
    return Polygon(
      canonical: VertexList(xy), ringEnds: ringEnds, partEnds: polygon.partEnds,
      spatialReference: nil)
  }

  /// A closed ring without slits. A slit is a vertex from which the ring returns along the same
  /// edge.
  private static func withoutSlits(
    _ ring: ArraySlice<SIMD2<Double>>
  ) -> ArraySlice<SIMD2<Double>> {
    var isClean = true
    for index in ring.indices.dropLast() where isClean {
      let before = index == ring.startIndex ? ring.endIndex - 2 : index - 1
      isClean = !isSlit(ring[before], ring[index], ring[index + 1])
    }
    guard !isClean else { return ring }
    var points: [SIMD2<Double>] = []
    for point in ring.dropLast() {
      points.append(point)
      while let last = points.last, points.count > 2,
        isSlit(points[points.count - 3], points[points.count - 2], last)
      {
        points.removeLast(2)
      }
    }
    // Remove slits across the start of the ring.
    var (start, end) = (0, points.count)
    while end - start > 3 {
      if isSlit(points[end - 2], points[end - 1], points[start]) {
        end -= 2
      } else if isSlit(points[end - 1], points[start], points[start + 1]) {
        start += 2
      } else {
        break
      }
    }
    guard end - start >= 3 else { return ring }
    return points[start..<end] + [points[start]]
  }

  /// Whether the edges to and from a vertex coincide within a micrometre.
  private static func isSlit(
    _ before: SIMD2<Double>, _ vertex: SIMD2<Double>, _ after: SIMD2<Double>
  ) -> Bool {
    let gap = after - before
    // A pole is one point with many longitudes.
    guard gap.y.magnitude < 1e-11, !isPole(before), !isPole(after) else { return false }
    let scale = SIMD2(cosine(ofDegrees: before.y), 1)
    let (width, length) = (gap * scale, (vertex - before) * scale)
    return (width * width).sum() < 1e-22
      && (width * width).sum() < (length * length).sum() * 1e-6
  }

  /// A polygon without the holes for which `isFalse` returns true.
  static func polygon(_ polygon: Polygon, isFalse: (Range<Int>) -> Bool) -> Polygon {
    let rings = polygon.rings
    let exteriors = Set(polygon.parts.map(\.lowerBound))
    return without(
      rings.indices.map { !exteriors.contains($0) && isFalse(rings[$0]) }, polygon)
  }

  /// A polygon without the parts for whose exterior `isFalsePart` returns true.
  static func polygon(_ polygon: Polygon, isFalsePart: (Range<Int>) -> Bool) -> Polygon {
    let rings = polygon.rings
    let exteriors = Set(polygon.parts.map(\.lowerBound))
    return without(
      rings.indices.map { exteriors.contains($0) && isFalsePart(rings[$0]) }, polygon)
  }

  /// A polygon without some of its rings; a part whose exterior is removed is removed entirely.
  private static func without(_ isOut: [Bool], _ polygon: Polygon) -> Polygon {
    guard isOut.contains(true) else { return polygon }
    let rings = polygon.rings
    var xy: [SIMD2<Double>] = []
    var ringEnds: [Int] = []
    var partEnds: [Int] = []
    for part in polygon.parts where !isOut[part.lowerBound] {
      for ring in part where !isOut[ring] {
        xy.append(contentsOf: polygon.vertices.xy[rings[ring]])
        ringEnds.append(xy.count)
      }
      partEnds.append(ringEnds.count)
    }
    return Polygon(
      canonical: VertexList(xy), ringEnds: ringEnds, partEnds: partEnds, spatialReference: nil)
  }

  static func cosine(ofDegrees angle: Double) -> Double { cos(angle.inRadians) }

  /// The point with its longitude wrapped to [−180, 180].
  static func normal(_ point: SIMD2<Double>) -> SIMD2<Double> {
    // Files often contain longitudes that exceed ±180° by a rounding error.
    if (point.x.magnitude - 180).magnitude < 1e-9 {
      return SIMD2(point.x < 0 ? -180 : 180, point.y)
    }
    return point.x.magnitude <= 180 ? point : SIMD2(point.x.wrappedDegrees, point.y)
  }

  static func tooManyVertices(_ limit: Int) -> GeometryError {
    GeometryError("the buffer needs more than \(limit) vertices; allow a larger deviation")
  }
}

extension GEOSContext {
  /// The union of shapes in the plane of degrees; `members` is empty afterwards.
  func degreeUnion(_ members: inout [OpaquePointer?]) throws(GeometryError) -> GEOSShape {
    let collection = try collection(GEOS_GEOMETRYCOLLECTION, &members)
    return try adopt(GEOSUnaryUnion_r(handle, collection.pointer), "a union in degrees")
  }

  func degreeDifference(
    _ a: borrowing GEOSShape, _ b: borrowing GEOSShape
  ) throws(GeometryError) -> GEOSShape {
    try adopt(GEOSDifference_r(handle, a.pointer, b.pointer), "a difference in degrees")
  }

  /// A shape's planar area in square units of its coordinates.
  func planarArea(of shape: OpaquePointer) -> Double {
    var area = 0.0
    GEOSArea_r(handle, shape, &area)
    return area
  }
}
