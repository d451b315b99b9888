import CGEOS
import PlumbCore

/// Builds a planar buffer from its definition, as the union of the strips along the edges, the
/// joins at outer corners, the caps of lines, and the area itself.
///
/// This method is slower than GEOS's buffer, but does not have GEOS's errors where a line folds
/// back on itself or edges are short relative to the distance.
struct EdgeBuffers {
  private let edges: BufferEdges
  private let area: Geometry?
  private let distance: Double
  private let options: PlanarBufferOptions
  private let context: GEOSContext
  /// The number of edges that GEOS buffers at a time. It is small because the number of crossings
  /// grows with the square of the number of edges.
  private static let edgesAtOnce = 8

  /// - Parameter edges: edges that replace the geometry's edges; nil to use the geometry's edges.
  init(
    _ geometry: Geometry, _ edges: BufferEdges? = nil, distance: Double,
    _ options: PlanarBufferOptions, _ context: GEOSContext
  ) {
    self.edges = edges ?? BufferEdges(geometry)
    area = geometry.dimension == 2 ? geometry : nil
    (self.distance, self.options, self.context) = (distance, options, context)
  }

  func shape() throws(GeometryError) -> GEOSShape {
    let outlines = EdgeOutlines(distance.magnitude, options, BufferEdges.side(of: area, distance))
    var pieces = Pieces(context)
    for chain in edges.chains {
      let course = BufferCourse(edges, chain)
      if course.ways.isEmpty {
        if let point = course.points.first, area == nil { try pieces.append(end(at: point)) }
      }
      for edge in course.ways.indices {
        try pieces.append(ring: outlines.strip(edge, of: course))
      }
      for index in course.cornerIndices {
        for ring in outlines.joins(course.corner(index)) { try pieces.append(ring: ring) }
      }
    }
    return try shape(&pieces)
  }

  /// The buffer if all joins and caps are round. GEOS buffers a run of a few edges at a time, and
  /// the buffers of neighbouring runs cover GEOS's errors within one run.
  func shapeOfRuns() throws(GeometryError) -> GEOSShape {
    var round = options
    round.cap = .round
    var pieces = Pieces(context)
    for chain in edges.chains {
      let last = chain.vertices.upperBound - 1
      var first = chain.vertices.lowerBound
      repeat {
        let end = min(first + Self.edgesAtOnce, last)
        let run = Polyline(VertexList(Array(edges.xy[first...end]))).withOpenParts
        try pieces.append(
          context.buffer(context.shape(of: .polyline(run)), distance: distance.magnitude, round))
        first = end
      } while first < last
    }
    let border = try pieces.joined()
    guard let area else { return border }
    return try faces(of: area, round: border)
  }

  /// The area minus the border along all its edges, plus the border if the distance is positive.
  ///
  /// The border divides the rest of the plane into faces, each of which is entirely inside or
  /// outside the area. The border has few vertices even if the area has many crowded vertices, so
  /// the area is used only to test one point of each face.
  private func faces(
    of area: Geometry, round border: consuming GEOSShape
  ) throws(GeometryError) -> GEOSShape {
    guard case .polygon(let polygon) = area else { return border }
    let parts = polygon.singleParts
    let locator = try PolygonLocator(parts)
    let box = Box(polygon.vertices)
    let margin = distance.magnitude * 2
    let (low, high) = (box.low - margin, box.high + margin)
    let plane = try context.shape(
      of: .envelope(Envelope(xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y)))
    let rest = try context.adopt(
      GEOSDifference_r(context.handle, plane.pointer, border.pointer), "a difference")
    var pieces = Pieces(context)
    for index in 0..<max(0, GEOSGetNumGeometries_r(context.handle, rest.pointer)) {
      guard let face = GEOSGetGeometryN_r(context.handle, rest.pointer, index) else { continue }
      let point = try context.adopt(
        GEOSPointOnSurface_r(context.handle, face), "a point of a face")
      var (x, y) = (0.0, 0.0)
      guard GEOSGeomGetX_r(context.handle, point.pointer, &x) == 1,
        GEOSGeomGetY_r(context.handle, point.pointer, &y) == 1,
        parts.indices.contains(where: {
          locator.location(of: SIMD2(x, y), inPolygon: $0) != .exterior
        })
      else { continue }
      try pieces.append(context.adopt(GEOSGeom_clone_r(context.handle, face), "a face"))
    }
    if distance > 0 { try pieces.append(border) }
    return try pieces.joined()
  }

  /// The union of the area and the pieces along its edges, or the area minus these pieces if the
  /// distance is negative.
  private func shape(_ pieces: inout Pieces) throws(GeometryError) -> GEOSShape {
    guard let area else { return try pieces.joined() }
    let shape = try context.shape(of: area)
    if distance > 0 {
      try pieces.append(shape)
      return try pieces.joined()
    }
    let border = try pieces.joined()
    return try context.adopt(
      GEOSDifference_r(context.handle, shape.pointer, border.pointer), "a difference")
  }

  /// The buffer of a line of zero length.
  private func end(at point: SIMD2<Double>) throws(GeometryError) -> GEOSShape {
    try context.buffer(
      context.shape(of: .point(Point(x: point.x, y: point.y))), distance: distance, options)
  }
}

extension BufferEdges {
  /// The side of an area's rings on which the buffer is, given that exterior rings are clockwise
  /// and holes counter-clockwise; both sides for a line.
  static func side(of area: Geometry?, _ distance: Double) -> BufferCourse.Side {
    area == nil ? .both : distance > 0 ? .left : .right
  }
}

/// Collects areas, and joins them whenever the list contains many areas.
private struct Pieces: ~Copyable {
  private var members: [OpaquePointer?] = []
  /// Unions of pieces. Each union contains at least twice as many pieces as the next union in the
  /// list.
  private var heaps: [(shape: OpaquePointer, count: Int)] = []
  private let context: GEOSContext
  /// The number of areas joined at a time, which keeps memory proportional to the size of the result.
  private static let atOnce = 4096

  init(_ context: GEOSContext) { self.context = context }

  deinit { context.destroy(members + heaps.map { Optional($0.shape) }) }

  mutating func append(ring: [SIMD2<Double>]) throws(GeometryError) {
    let polygon = Polygon(
      canonical: VertexList(ring), ringEnds: [ring.count], partEnds: [1], spatialReference: nil)
    try append(context.shape(of: .polygon(polygon)))
  }

  mutating func append(_ shape: consuming GEOSShape) throws(GeometryError) {
    members.append(shape.take())
    guard members.count >= Self.atOnce else { return }
    var count = 1
    var joined = try union()
    while let last = heaps.last, last.count <= count {
      heaps.removeLast()
      members = [last.shape, joined.take()]
      joined = try union()
      count += last.count
    }
    heaps.append((joined.take(), count))
  }

  mutating func joined() throws(GeometryError) -> GEOSShape {
    members += heaps.map { Optional($0.shape) }
    heaps = []
    return try union()
  }

  private mutating func union() throws(GeometryError) -> GEOSShape {
    let all = try context.collection(GEOS_GEOMETRYCOLLECTION, &members)
    if let union = GEOSUnaryUnion_r(context.handle, all.pointer) {
      return GEOSShape(union, context)
    }
    // GEOS's union occasionally fails because it finds no shell for a hole that rounding has created. A
    // buffer by 0 does not fail.
    return try context.adopt(GEOSBuffer_r(context.handle, all.pointer, 0, 8), "a union")
  }
}
