import CGEOS
import PlumbCore

/// The points, lines and areas of a GEOS shape, with collections flattened.
struct ShapeParts {
  private var points = Collector()
  private var lines = Collector()
  private var areas = Collector()

  init(_ shape: borrowing GEOSShape) throws(GeometryError) {
    try add(shape.pointer, shape.context)
  }

  /// The greatest dimension among the parts; nil if there are none.
  var dimension: Int? {
    if !areas.ends.isEmpty { return 2 }
    if !lines.ends.isEmpty { return 1 }
    return points.xy.isEmpty ? nil : 0
  }

  func polygon(_ reference: SpatialReference?) -> Polygon {
    Polygon(
      canonical: areas.vertices, ringEnds: areas.ends, partEnds: areas.partEnds,
      spatialReference: reference)
  }

  func polyline(_ reference: SpatialReference?) -> Polyline {
    Polyline(lines.vertices, partEnds: lines.ends, spatialReference: reference)
  }

  func multipoint(_ reference: SpatialReference?) -> Multipoint {
    Multipoint(points.vertices, spatialReference: reference)
  }

  /// The parts of one dimension as one geometry; a single point becomes a point instead of a
  /// multipoint.
  func geometry(dimension: Int, _ reference: SpatialReference?) -> Geometry {
    switch dimension {
    case 2: return .polygon(polygon(reference))
    case 1: return .polyline(polyline(reference))
    default:
      guard points.xy.count <= 1 else { return .multipoint(multipoint(reference)) }
      guard let point = points.xy.first else { return .point(.empty(reference)) }
      return .point(
        Point(x: point.x, y: point.y, z: points.z.first, spatialReference: reference))
    }
  }

  /// The vertices of a polygon's hole, counter-clockwise.
  static func hole(
    _ ring: OpaquePointer, _ context: GEOSContext
  ) throws(GeometryError) -> [SIMD2<Double>] {
    var collector = Collector()
    try collector.append(ring, context, isRing: false)
    return collector.xy
  }

  private mutating func add(
    _ shape: OpaquePointer, _ context: GEOSContext
  ) throws(GeometryError) {
    let handle = context.handle
    guard GEOSisEmpty_r(handle, shape) == 0 else { return }
    let type = GEOSGeomTypes(rawValue: UInt32(bitPattern: GEOSGeomTypeId_r(handle, shape)))
    switch type {
    case GEOS_POINT: try points.append(shape, context, isRing: nil)
    case GEOS_LINESTRING, GEOS_LINEARRING:
      try lines.append(shape, context, isRing: nil)
      lines.ends.append(lines.xy.count)
    case GEOS_POLYGON:
      guard let exterior = GEOSGetExteriorRing_r(handle, shape) else {
        throw context.failure("a polygon's ring")
      }
      try areas.append(exterior, context, isRing: true)
      areas.ends.append(areas.xy.count)
      for index in 0..<max(0, GEOSGetNumInteriorRings_r(handle, shape)) {
        guard let hole = GEOSGetInteriorRingN_r(handle, shape, index) else {
          throw context.failure("a polygon's hole")
        }
        try areas.append(hole, context, isRing: false)
        areas.ends.append(areas.xy.count)
      }
      areas.partEnds.append(areas.ends.count)
    default:
      for index in 0..<max(0, GEOSGetNumGeometries_r(handle, shape)) {
        guard let member = GEOSGetGeometryN_r(handle, shape, index) else {
          throw context.failure("a collection's member")
        }
        try add(member, context)
      }
    }
  }
}

/// The vertices of the parts of one kind.
private struct Collector {
  var xy: [SIMD2<Double>] = []
  var z: [Double] = []
  var ends: [Int] = []
  var partEnds: [Int] = []

  var vertices: VertexList {
    VertexList(xy, z: z.isEmpty ? nil : z)
  }

  /// Adds a shape's vertices. If `isRing` is true, the shape is an exterior ring and becomes
  /// clockwise. If `isRing` is false, the shape is a hole and becomes counter-clockwise.
  mutating func append(
    _ shape: OpaquePointer, _ context: GEOSContext, isRing: Bool?
  ) throws(GeometryError) {
    let handle = context.handle
    guard let sequence = GEOSGeom_getCoordSeq_r(handle, shape) else {
      throw context.failure("a shape's vertices")
    }
    var size: UInt32 = 0
    guard GEOSCoordSeq_getSize_r(handle, sequence, &size) != 0 else {
      throw context.failure("a shape's vertices")
    }
    let count = Int(size)
    let start = xy.count
    let hasZ = GEOSHasZ_r(handle, shape) == 1
    if hasZ {
      var values = [Double](repeating: 0, count: count * 3)
      guard GEOSCoordSeq_copyToBuffer_r(handle, sequence, &values, 1, 0) != 0 else {
        throw context.failure("a shape's vertices")
      }
      // Pad with NaN for the vertices of earlier parts, which have no heights.
      while z.count < start { z.append(.nan) }
      for index in 0..<count {
        xy.append(SIMD2(values[index * 3], values[index * 3 + 1]))
        z.append(values[index * 3 + 2])
      }
    } else {
      xy.append(contentsOf: repeatElement(.zero, count: count))
      let copied = xy.withUnsafeMutableBytes { bytes in
        GEOSCoordSeq_copyToBuffer_r(
          handle, sequence,
          bytes.baseAddress!.assumingMemoryBound(to: Double.self) + 2 * start, 0, 0)
      }
      guard copied != 0 else { throw context.failure("a shape's vertices") }
      if !z.isEmpty { z.append(contentsOf: repeatElement(.nan, count: count)) }
    }
    // Do not use GEOS's orientation test, whose result for slivers differs from the orientation
    // that `Polygon` uses.
    if let isRing, ringOrientation(xy[start...]) == (isRing ? 1 : -1) {
      xy[start...].reverse()
      if hasZ { z[start...].reverse() }
    }
  }
}
