import CGDAL
import PlumbCore

/// Collects the points, lines or areas of an OGR geometry, including nested collections.
struct VectorShape {
  /// Whether the first coordinate is a northing.
  private let isSwapped: Bool
  private var points = Run()
  private var lines = Run()
  private var areas = Run()
  private static let depthLimit = 64

  init(isSwapped: Bool) { self.isSwapped = isSwapped }

  /// The number of vertices added so far.
  var count: Int { points.xy.count + lines.xy.count + areas.xy.count }

  /// Adds a geometry with all its members. Empty geometries are ignored.
  ///
  /// - Throws: `GDALError` for a type that is not a point, line or area, and for excessive nesting.
  mutating func add(_ shape: OGRGeometryH, depth: Int = 0) throws(GDALError) {
    guard OGR_G_IsEmpty(shape) == 0 else { return }
    guard depth < Self.depthLimit else {
      throw GDALError("its collections are nested more than \(Self.depthLimit) deep")
    }
    // The condition includes types that allow arcs, even if all their parts are straight.
    if OGR_G_HasCurveGeometry(shape, 0) != 0 {
      CPLErrorReset()
      guard let straight = OGR_G_GetLinearGeometry(shape, 0, nil) else {
        throw GDALError(GDALLibrary.lastError("its curves cannot be converted to straight edges"))
      }
      defer { OGR_G_DestroyGeometry(straight) }
      guard OGR_G_HasCurveGeometry(straight, 0) == 0 else {
        throw GDALError("its curves cannot be converted to straight edges")
      }
      return try add(straight, depth: depth + 1)
    }
    switch OGR_GT_Flatten(OGR_G_GetGeometryType(shape)) {
    case wkbPoint: points.append(shape, isSwapped)
    case wkbLineString:
      lines.append(shape, isSwapped)
      lines.ends.append(lines.xy.count)
    case wkbPolygon, wkbTriangle: addArea(shape)
    case wkbMultiPoint, wkbMultiLineString, wkbMultiPolygon, wkbGeometryCollection,
      wkbPolyhedralSurface, wkbTIN:
      for index in 0..<OGR_G_GetGeometryCount(shape) {
        guard let member = OGR_G_GetGeometryRef(shape, index) else { continue }
        try add(member, depth: depth + 1)
      }
    default:
      let name = OGR_G_GetGeometryName(shape).map { String(cString: $0).printable } ?? "its type"
      throw GDALError("\(name) is not a supported kind of point, line or area")
    }
  }

  private mutating func addArea(_ shape: OGRGeometryH) {
    // A polygon without an exterior ring is empty, regardless of its other rings.
    for index in 0..<OGR_G_GetGeometryCount(shape) {
      guard let ring = OGR_G_GetGeometryRef(shape, index), OGR_G_GetPointCount(ring) > 0 else {
        if index == 0 { return }
        continue
      }
      areas.append(ring, isSwapped)
      areas.ends.append(areas.xy.count)
    }
    areas.partEnds.append(areas.ends.count)
  }

  /// The kinds of the added geometries.
  private var kinds: [String] {
    [
      (points.xy.isEmpty, "points"), (lines.xy.isEmpty, "lines"), (areas.xy.isEmpty, "areas"),
    ].filter { !$0.0 }.map(\.1)
  }

  /// The added geometries as one geometry; nil if there are none. A single point is returned as a
  /// point, not as a multipoint.
  ///
  /// - Throws: `GDALError` if the geometries are of several kinds.
  func geometry(_ reference: SpatialReference?) throws(GDALError) -> Geometry? {
    guard kinds.count <= 1 else {
      throw GDALError(
        "its collection mixes \(kinds.joined(separator: " and ")); "
          + "split it into one kind per feature")
    }
    return geometries(reference).first
  }

  /// The added geometries as one geometry for each kind.
  func geometries(_ reference: SpatialReference?) -> [Geometry] {
    var result: [Geometry] = []
    if !points.xy.isEmpty {
      result.append(
        points.xy.count > 1
          ? .multipoint(Multipoint(points.vertices, spatialReference: reference))
          : .point(
            Point(
              x: points.xy[0].x, y: points.xy[0].y, z: points.vertices.z?[0],
              m: points.vertices.m?[0], spatialReference: reference)))
    }
    if !lines.xy.isEmpty {
      result.append(
        .polyline(Polyline(lines.vertices, partEnds: lines.ends, spatialReference: reference)))
    }
    if !areas.xy.isEmpty {
      result.append(
        .polygon(
          Polygon(
            areas.vertices, ringEnds: areas.ends, partEnds: areas.partEnds,
            spatialReference: reference)))
    }
    return result
  }
}

/// The vertices of all parts of one kind.
private struct Run {
  var xy: [SIMD2<Double>] = []
  private var z: [Double] = []
  private var m: [Double] = []
  var ends: [Int] = []
  var partEnds: [Int] = []

  var vertices: VertexList {
    VertexList(xy, z: z.isEmpty ? nil : z, m: m.isEmpty ? nil : m)
  }

  /// Adds the vertices of a point, a line or a ring.
  mutating func append(_ shape: OGRGeometryH, _ isSwapped: Bool) {
    let start = xy.count
    let count = Int(OGR_G_GetPointCount(shape))
    guard count > 0 else { return }
    let hasZ = OGR_G_Is3D(shape) != 0
    let hasM = OGR_G_IsMeasured(shape) != 0
    // If only some parts have z or m values, the values of the other parts are NaN.
    if hasZ || !z.isEmpty {
      z.append(contentsOf: repeatElement(.nan, count: start + count - z.count))
    }
    if hasM || !m.isEmpty {
      m.append(contentsOf: repeatElement(.nan, count: start + count - m.count))
    }
    xy.append(contentsOf: repeatElement(.zero, count: count))
    let pair = Int32(MemoryLayout<SIMD2<Double>>.stride)
    let single = Int32(MemoryLayout<Double>.stride)
    xy.withUnsafeMutableBytes { points in
      z.withUnsafeMutableBufferPointer { z in
        m.withUnsafeMutableBufferPointer { m in
          guard let points = points.baseAddress else { return }
          let first = points + start * Int(pair)
          _ = OGR_G_GetPointsZM(
            shape, first, pair, first + Int(single), pair,
            hasZ ? z.baseAddress.map { UnsafeMutableRawPointer($0 + start) } : nil, single,
            hasM ? m.baseAddress.map { UnsafeMutableRawPointer($0 + start) } : nil, single)
        }
      }
    }
    if isSwapped {
      for index in start..<xy.count { xy[index] = SIMD2(xy[index].y, xy[index].x) }
    }
  }
}
