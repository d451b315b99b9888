import CGEOS
import PlumbCore

extension GEOSContext {
  /// Copies a geometry to GEOS. Measures are omitted, because GEOS 3.11 does not support them.
  ///
  /// Rings are always closed; in a ring of fewer than four vertices, the last vertex is repeated.
  ///
  /// - Parameter keepsZ: whether heights are copied.
  /// - Throws: if a coordinate is not finite.
  func shape(
    of geometry: Geometry, keepsZ: Bool = false
  ) throws(GeometryError) -> GEOSShape {
    switch geometry {
    case .point(let point):
      guard !point.isEmpty else { return try adopt(GEOSGeom_createEmptyPoint_r(handle), "a point") }
      return try point1(VertexList([point.xy], z: point.z.map { [$0] }), 0, keepsZ)
    case .multipoint(let multipoint):
      var members: [OpaquePointer?] = []
      defer { destroy(members) }
      for index in 0..<multipoint.vertices.count {
        members.append(try point1(multipoint.vertices, index, keepsZ).take())
      }
      return try collection(GEOS_MULTIPOINT, &members)
    case .polyline(let polyline):
      var members: [OpaquePointer?] = []
      defer { destroy(members) }
      for part in polyline.parts where !part.isEmpty {
        let sequence = try sequence(
          polyline.vertices, part, keepsZ, atLeast: 2)
        let line = GEOSGeom_createLineString_r(handle, sequence)
        members.append(try adopt(line, "a line").take())
      }
      return try collection(GEOS_MULTILINESTRING, &members)
    case .polygon(let polygon):
      var members: [OpaquePointer?] = []
      defer { destroy(members) }
      let rings = polygon.rings
      for part in polygon.parts {
        if let member = try area(polygon.vertices, rings[part], keepsZ) { members.append(member) }
      }
      return try collection(GEOS_MULTIPOLYGON, &members)
    case .envelope(let envelope):
      return try shape(of: .polygon(envelope.polygon), keepsZ: false)
    }
  }

  /// Creates one polygon from an exterior ring and its holes; nil if there is no exterior ring.
  private func area(
    _ vertices: VertexList, _ rings: ArraySlice<Range<Int>>, _ keepsZ: Bool
  ) throws(GeometryError) -> OpaquePointer? {
    guard let first = rings.first, !first.isEmpty else {
      for hole in rings { try checkFinite(vertices.xy[hole]) }
      return nil
    }
    let exterior = try ring(vertices, first, keepsZ)
    var holes: [OpaquePointer?] = []
    do throws(GeometryError) {
      for hole in rings.dropFirst() where !hole.isEmpty {
        holes.append(try ring(vertices, hole, keepsZ))
      }
    } catch {
      destroy(holes + [exterior])
      throw error
    }
    return try adopt(
      GEOSGeom_createPolygon_r(handle, exterior, &holes, UInt32(holes.count)), "a polygon"
    ).take()
  }

  private func ring(
    _ vertices: VertexList, _ range: Range<Int>, _ keepsZ: Bool
  ) throws(GeometryError) -> OpaquePointer {
    let sequence = try sequence(vertices, range, keepsZ, atLeast: 4)
    return try adopt(GEOSGeom_createLinearRing_r(handle, sequence), "a ring").take()
  }

  private func point1(
    _ vertices: VertexList, _ index: Int, _ keepsZ: Bool
  ) throws(GeometryError) -> GEOSShape {
    let sequence = try sequence(vertices, index..<index + 1, keepsZ, atLeast: 1)
    return try adopt(GEOSGeom_createPoint_r(handle, sequence), "a point")
  }

  private func checkFinite(_ points: ArraySlice<SIMD2<Double>>) throws(GeometryError) {
    let isFinite = points.withUnsafeBufferPointer { points in
      points.allSatisfy { $0.x.isFinite && $0.y.isFinite }
    }
    guard isFinite else { throw GeometryError("a coordinate is not a finite number") }
  }

  /// Creates a coordinate sequence; the last vertex is repeated until there are `count` vertices.
  private func sequence(
    _ vertices: VertexList, _ range: Range<Int>, _ keepsZ: Bool, atLeast count: Int
  ) throws(GeometryError) -> OpaquePointer {
    let z = keepsZ ? vertices.z : nil
    try checkFinite(vertices.xy[range])
    let result: OpaquePointer?
    if range.count >= count, z == nil {
      result = vertices.xy.withUnsafeBytes { bytes in
        GEOSCoordSeq_copyFromBuffer_r(
          handle, bytes.baseAddress!.assumingMemoryBound(to: Double.self) + 2 * range.lowerBound,
          UInt32(range.count), 0, 0)
      }
    } else {
      var values: [Double] = []
      for step in 0..<max(range.count, count) {
        let index = min(range.lowerBound + step, range.upperBound - 1)
        values.append(vertices.xy[index].x)
        values.append(vertices.xy[index].y)
        if let z { values.append(z[index]) }
      }
      result = GEOSCoordSeq_copyFromBuffer_r(
        handle, values, UInt32(max(range.count, count)), z == nil ? 0 : 1, 0)
    }
    guard let result else { throw failure("vertices") }
    return result
  }

  /// Creates one GEOS collection that takes ownership of the members; `members` is empty afterwards.
  func collection(
    _ type: GEOSGeomTypes, _ members: inout [OpaquePointer?]
  ) throws(GeometryError) -> GEOSShape {
    let result = GEOSGeom_createCollection_r(
      handle, Int32(type.rawValue), &members, UInt32(members.count))
    members = []
    return try adopt(result, "a collection")
  }

  func destroy(_ members: [OpaquePointer?]) {
    for member in members { GEOSGeom_destroy_r(handle, member) }
  }
}
