import CGEOS
import PlumbCore

/// Planar buffers of a list of geometries, computed by `GEOSBufferWithParams_r`; round buffers of
/// points are computed directly.
struct PlanarBuffers {
  let geometries: [Geometry]
  /// The distances in the unit of the CRS, one per geometry.
  let distances: [Double]
  let reference: SpatialReference?
  let options: PlanarBufferOptions
  let workers: Workers

  /// The largest number of edges per quarter circle; with more edges, vertices would be closer
  /// together than GEOS allows.
  static let segmentLimit = 1_000_000

  /// For an area, a distance of less than this many ulps of the largest coordinate is treated as 0,
  /// because GEOS's arithmetic fails for distances of up to about 75 ulps.
  private static let minimumSteps = 256.0

  /// The limit for the sum of coordinate and distance. For larger sums, GEOS's arithmetic
  /// overflows, and GEOS crashes.
  private static let maximumExtent = 1e100

  func list() throws(GeometryError) -> [Polygon] {
    let circle = try circle()
    return try workers.mapMembers(
      geometries.count, grain: grain, state: try Worker(circle, GEOSContext())
    ) {
      (worker, index) throws(GeometryError) in
      try self.polygon(index, circle, worker)
    }
  }

  /// The number of buffers that a worker computes at a time. The number is small if the geometries
  /// have many vertices, so that all workers finish at about the same time.
  private var grain: Int {
    let vertices = geometries.reduce(0) { count, geometry in
      if case .point = geometry { count + 1 } else { count + geometry.vertices.count }
    }
    return min(64, max(1, 1024 * geometries.count / max(1, vertices)))
  }

  /// The union of all buffers, computed without keeping all of them in memory.
  func union() throws(GeometryError) -> Polygon {
    let circle = try circle()
    let boxes = geometries.indices.map { index in
      var box = Box(geometries[index].vertices)
      box.low -= distances[index]
      box.high += distances[index]
      return box
    }
    return try AreaUnion(boxes, reference, workers) { () throws(GeometryError) in
      try Worker(circle, GEOSContext())
    } member: { (index, worker) throws(GeometryError) in
      try self.polygon(index, circle, worker)
    }.polygon()
  }

  private func circle() throws(GeometryError) -> PointCircle? {
    if case .mitre(let limit) = options.join, !(limit > 0 && limit.isFinite) {
      throw GeometryError("the mitre limit \(limit) is not a number above 0", code: .badOption)
    }
    guard options.segmentsPerQuarter <= Self.segmentLimit else {
      throw GeometryError(
        "\(options.segmentsPerQuarter) segments in a quarter of a circle; up to "
          + "\(Self.segmentLimit) are possible", code: .badOption)
    }
    return options.cap == .round
      ? PointCircle(segmentsPerQuarter: max(1, options.segmentsPerQuarter)) : nil
  }

  /// The objects of one worker: a GEOS context, and the arrays `ringEnds` and `partEnds` of a
  /// circle. If workers shared these arrays, their reference counts would be a bottleneck.
  private final class Worker: UnionTools {
    let context: GEOSContext
    let ringEnds: [Int]
    let partEnds: [Int]

    init(_ circle: PointCircle?, _ context: GEOSContext) {
      self.context = context
      ringEnds = [circle?.count ?? 0]
      partEnds = [1]
    }
  }

  private func polygon(
    _ index: Int, _ circle: PointCircle?, _ worker: Worker
  ) throws(GeometryError) -> Polygon {
    let distance = distances[index]
    if case .point(let point) = geometries[index], distance > 0, let circle,
      circle.isResolved(centre: point.xy, radius: distance)
    {
      return Polygon(
        canonical: VertexList(circle.vertices(centre: point.xy, radius: distance)),
        ringEnds: worker.ringEnds, partEnds: worker.partEnds, spatialReference: reference)
    }
    return try polygon(geometries[index], distance, worker.context)
  }

  /// The buffer of any geometry.
  private func polygon(
    _ geometry: Geometry, _ distance: Double, _ context: GEOSContext
  ) throws(GeometryError) -> Polygon {
    guard !geometry.isEmpty else { return .empty(reference) }
    // This call throws for a coordinate that is not finite, even if the distance is 0.
    let inputShape = try context.shape(of: geometry)
    let box = Box(geometry.vertices)
    let farthest = max((-box.low).max(), box.high.max())
    guard distance == 0 || farthest + distance.magnitude <= Self.maximumExtent else {
      throw GeometryError("the distance \(distance) results in numbers that are too large")
    }
    // For a distance of less than `minimumSteps` ulps, GEOS loses holes and whole areas.
    let isNothing = distance.magnitude < max(-farthest, farthest).ulp * Self.minimumSteps
    if geometry.dimension == 2, isNothing {
      return try area(geometry, isValid: context.isValid(inputShape), inputShape)
    }
    guard geometry.dimension == 2 else {
      return distance > 0
        ? try checked(geometry, inputShape, distance, context, mayVanish: options.cap == .flat)
        : .empty(reference)
    }
    // Validating a crowded area takes GEOS a long time, and its validity does not matter for this
    // kind of buffer.
    if growsRoundly(geometry, distance),
      let polygon = try crowded(geometry, distance, context, mayVanish: false)
    {
      return polygon
    }
    let isValid = try context.isValid(inputShape)
    let mayVanish = distance < 0 || options.cap == .flat
    guard !isValid else {
      return try checked(geometry, inputShape, distance, context, mayVanish: mayVanish)
    }
    // GEOS loses parts of an area whose ring crosses itself, so buffer the repaired parts
    // separately. Where a ring runs back along itself, the repair also results in a line, which has
    // a buffer, too.
    let parts = try ShapeParts(context.madeValidByParts(inputShape))
    var buffers: [Polygon] = []
    for dimension in distance > 0 ? [2, 1, 0] : [2] {
      let part = parts.geometry(dimension: dimension, nil)
      guard !part.isEmpty else { continue }
      let shape = try context.shape(of: part)
      buffers.append(try checked(part, shape, distance, context, mayVanish: mayVanish))
    }
    return try union(buffers, context)
  }

  private func union(
    _ areas: [Polygon], _ context: GEOSContext
  ) throws(GeometryError) -> Polygon {
    guard areas.count > 1 else { return areas.first ?? .empty(reference) }
    var members: [OpaquePointer?] = []
    defer { context.destroy(members) }
    for area in areas { members.append(try context.shape(of: .polygon(area)).take()) }
    let all = try context.collection(GEOS_GEOMETRYCOLLECTION, &members)
    return try ShapeParts(
      context.adopt(GEOSUnaryUnion_r(context.handle, all.pointer), "a union")
    ).polygon(reference)
  }

  /// The area itself, repaired if it is invalid.
  private func area(
    _ geometry: Geometry, isValid: Bool, _ shape: borrowing GEOSShape
  ) throws(GeometryError) -> Polygon {
    guard isValid else {
      return try ShapeParts(shape.context.madeValidByParts(shape)).polygon(reference)
    }
    guard case .polygon(var polygon) = geometry else { return geometry.envelope.polygon }
    polygon.spatialReference = reference
    return polygon
  }

  /// The buffer computed by GEOS, or built from the edges if GEOS's buffer cannot be correct.
  ///
  /// - Parameters:
  ///   - inputShape: the geometry for GEOS.
  ///   - mayVanish: whether an empty result is possible.
  private func checked(
    _ geometry: Geometry, _ inputShape: borrowing GEOSShape, _ distance: Double,
    _ context: GEOSContext, mayVanish: Bool
  ) throws(GeometryError) -> Polygon {
    if !growsRoundly(geometry, distance),
      let second = try crowded(geometry, distance, context, mayVanish: mayVanish)
    {
      return second
    }
    let check = BufferCheck(geometry, distance: distance, options)
    func result(_ shape: consuming GEOSShape) throws(GeometryError) -> Polygon {
      try check.withoutFalseHoles(polygon(shape, distance, mayVanish: mayVanish), context)
    }
    if check.suitsGEOS {
      let first: Polygon
      if case .polyline(let polyline) = geometry, polyline.hasClosedPart, options.cap == .round,
        options.join == .round
      {
        let opened = try context.shape(of: .polyline(polyline.withOpenParts))
        first = try result(context.buffer(opened, distance: distance, options))
      } else {
        first = try result(context.buffer(inputShape, distance: distance, options))
      }
      if try check.passes(first, context) { return first }
    }
    let second = try result(
      EdgeBuffers(geometry, distance: distance, options, context).shape())
    // The check is not exact for bevels and mitres, so do not apply it to this buffer.
    if options.join != .round { return second }
    guard try check.passes(second, context) else {
      throw GeometryError("the buffer of \(distance) is not correct; simplify the shape")
    }
    return second
  }

  private func growsRoundly(_ geometry: Geometry, _ distance: Double) -> Bool {
    geometry.dimension == 2 && distance > 0 && options.join == .round
  }

  /// The buffer of edges that are close together relative to the distance, built from the buffers
  /// of a few edges at a time; nil if GEOS can process all edges at once.
  ///
  /// With round joins, vertices are first removed where the removal moves no edge by more than the
  /// distance between an arc and its chord.
  private func crowded(
    _ geometry: Geometry, _ distance: Double, _ context: GEOSContext, mayVanish: Bool
  ) throws(GeometryError) -> Polygon? {
    guard geometry.dimension > 0, geometry.vertices.count >= BufferEdges.fewVertices else {
      return nil
    }
    var edges = BufferEdges(geometry)
    if options.join == .round {
      let angle = 45 / Double(max(1, options.segmentsPerQuarter))
      edges = edges.thinned(
        within: distance.magnitude * (1 - sineAndCosine(ofDegrees: angle).cosine))
    }
    guard edges.areCrowded(within: distance) else { return nil }
    let pieces = EdgeBuffers(geometry, edges, distance: distance, options, context)
    let isRound = options.join == .round && (geometry.dimension == 2 || options.cap == .round)
    return try polygon(
      isRound ? pieces.shapeOfRuns() : pieces.shape(), distance, mayVanish: mayVanish)
  }

  private func polygon(
    _ shape: consuming GEOSShape, _ distance: Double, mayVanish: Bool
  ) throws(GeometryError) -> Polygon {
    let result = try ShapeParts(shape).polygon(reference)
    if result.isEmpty, !mayVanish {
      throw GeometryError("the distance \(distance) is too small relative to the coordinates")
    }
    guard result.vertices.xy.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      throw GeometryError("the distance \(distance) results in numbers that are too large")
    }
    return result
  }
}

extension GEOSContext {
  func buffer(
    _ shape: borrowing GEOSShape, distance: Double, _ options: PlanarBufferOptions
  ) throws(GeometryError) -> GEOSShape {
    guard let parameters = GEOSBufferParams_create_r(handle) else { throw failure("a buffer") }
    defer { GEOSBufferParams_destroy_r(handle, parameters) }
    let cap =
      switch options.cap {
      case .round: GEOSBUF_CAP_ROUND
      case .flat: GEOSBUF_CAP_FLAT
      case .square: GEOSBUF_CAP_SQUARE
      }
    GEOSBufferParams_setEndCapStyle_r(handle, parameters, Int32(cap.rawValue))
    // This function must be called first, because it resets the join style in some versions of
    // GEOS.
    GEOSBufferParams_setQuadrantSegments_r(
      handle, parameters, Int32(clamping: max(1, options.segmentsPerQuarter)))
    switch options.join {
    case .round:
      GEOSBufferParams_setJoinStyle_r(handle, parameters, Int32(GEOSBUF_JOIN_ROUND.rawValue))
    case .mitre(let limit):
      GEOSBufferParams_setJoinStyle_r(handle, parameters, Int32(GEOSBUF_JOIN_MITRE.rawValue))
      GEOSBufferParams_setMitreLimit_r(handle, parameters, limit)
    case .bevel:
      GEOSBufferParams_setJoinStyle_r(handle, parameters, Int32(GEOSBUF_JOIN_BEVEL.rawValue))
    }
    return try adopt(
      GEOSBufferWithParams_r(handle, shape.pointer, parameters, distance), "a buffer")
  }
}
