import CGEOS
import PlumbCore

/// Geodesic buffers of a list of geometries.
///
/// The buffers are constructed and joined in the plane of longitude and latitude in degrees. A
/// point's buffer is a disc. A line's buffer is the union of strips along its edges and wedges
/// around its corners. An area's buffer is the area plus such strips and wedges along
/// its rings or, for a negative distance, the area minus these strips and wedges.
struct GeodesicBuffers {
  let geometries: [Geometry]
  /// The distances in metres, one per geometry.
  let distances: [Double]
  let reference: SpatialReference
  let options: GeodesicBufferOptions
  let workers: Workers

  /// The least deviation in metres, which is ten times the spacing of the vertex grid. With a
  /// smaller deviation, an approximated curve would follow the steps of the grid. This value
  /// is also the least distance of a buffer, except for 0.
  static let minimumDeviation = 1e-6

  /// The CRS of the buffers.
  private var target: SpatialReference { options.outputReference ?? reference }

  /// The objects owned by one worker.
  private final class Tools: UnionTools {
    let context: GEOSContext
    let compass = Compass()
    let base: GeographicBase
    let geodesic: Geodesic
    let placement: DegreePlacement

    init(
      _ reference: SpatialReference, _ target: SpatialReference
    ) throws(GeometryError) {
      context = try GEOSContext()
      base = try GeographicBase(reference)
      geodesic = Geodesic(base.ellipsoid)
      placement = try DegreePlacement(base, of: reference, to: target)
    }
  }

  func list() throws(GeometryError) -> [Polygon] {
    try polygons { (tools, index) throws(GeometryError) in
      if distances[index] == 0 {
        let area = areaItself(geometries[index])
        guard !tools.placement.isNative, !area.isEmpty else { return area }
        return try placed(
          region(of: area, tolerances(of: index).boundary, tools), tolerances(of: index), tools)
      }
      if let disc = try placedDisc(index, tools) { return disc }
      let area = try degrees(index, tools)
      return try placed(area, tolerances(of: index), tools)
    }
  }

  /// The buffer of a point in a projected CRS; nil for other buffers, and for discs that must be
  /// constructed in degrees.
  private func placedDisc(_ index: Int, _ tools: Tools) throws(GeometryError) -> Polygon? {
    guard !target.isGeographic, case .point(let point) = geometries[index],
      !geometries[index].isEmpty, distances[index] > 0
    else { return nil }
    try check(distances[index], geometries[index], tools)
    let tolerances = tolerances(of: index)
    let center = try normal(tools.base.toDegrees([point.xy]))[0]
    return try tools.placement.placed(
      GeodesicDisc(center: center, radius: distances[index], geodesic: tools.geodesic),
      tolerance: tolerances.boundary + tolerances.placement, vertexLimit: options.vertexLimit,
      tools.compass)
  }

  /// The union of all buffers, computed without keeping all of them in memory.
  func union() throws(GeometryError) -> Polygon {
    // If the CRS has no ellipsoid, the creation of the objects fails before any worker starts.
    let tools = try Tools(reference, target)
    let union = try AreaUnion(
      boxes(tools.base), nil, workers, vertexLimit: options.joinedVertexLimit
    ) { () throws(GeometryError) in
      try Tools(reference, target)
    } member: { (index, tools) throws(GeometryError) in
      if distances[index] == 0 {
        guard case let area = areaItself(geometries[index]), !area.isEmpty else {
          return .empty()
        }
        return try region(of: area, tolerances(of: index).boundary, tools)
      }
      return try degrees(index, tools)
    }.polygon()
    let tolerance = distances.indices.map { tolerances(of: $0) }.min {
      $0.placement < $1.placement
    }
    return try tools.placement.placed(
      DegreePlane.withoutSlivers(union), tolerance: (tolerance ?? tolerances(of: 0)).placement,
      vertexLimit: options.joinedVertexLimit < .max
        ? max(options.vertexLimit, options.joinedVertexLimit) : options.vertexLimit)
  }

  /// The approximate bounding boxes of the buffers in degrees.
  private func boxes(_ base: GeographicBase) -> [Box] {
    geometries.indices.map { index in
      let box = Box(geometries[index].vertices)
      let (low, high) = (base.toDegreesOrNaN(box.low), base.toDegreesOrNaN(box.high))
      guard low.x.isFinite, high.x.isFinite else { return Box(low: .zero, high: .zero) }
      let height = min(180, distances[index].magnitude / 111_000)
      let shrinkage = sineAndCosine(ofDegrees: max(low.y.magnitude, high.y.magnitude)).cosine
      let margin = SIMD2(min(180, height / max(shrinkage, 0.01)), height)
      return Box(
        low: pointwiseMin(low, high) - margin, high: pointwiseMax(low, high) + margin)
    }
  }

  private func polygons(
    _ body: @Sendable (Tools, Int) throws(GeometryError) -> Polygon
  ) throws(GeometryError) -> [Polygon] {
    // If the CRS has no ellipsoid, the creation of the objects fails before any worker starts.
    let states = try WorkerStates(count: workers.count) { () throws(GeometryError) in
      try Tools(reference, target)
    }
    return try workers.mapMembers(geometries.count, grain: 16, states: states, body)
  }

  private func areaItself(_ geometry: Geometry) -> Polygon {
    switch geometry {
    case .polygon(var polygon):
      polygon.spatialReference = reference
      return polygon
    case .envelope(let envelope):
      var polygon = envelope.polygon
      polygon.spatialReference = reference
      return polygon
    case .point, .multipoint, .polyline: return .empty(reference)
    }
  }

  // MARK: Tolerances

  /// The shares of the allowed deviation, in metres.
  private struct Tolerances {
    /// The deviation between an input edge and the geodesics that replace it.
    var curve: Double
    /// The deviation between the boundary and its straight edges in degrees.
    var boundary: Double
    /// The deviation between the straight edges in degrees and straight edges in the plane of the
    /// target CRS.
    var placement: Double
  }

  private func tolerances(of index: Int) -> Tolerances {
    let distance = distances[index].magnitude
    let usual = distance == 0 ? 0.01 : max(min(0.002 * distance, 0.01), options.deviationFloor)
    let requestedDeviation = options.maxDeviation.isNaN ? usual : options.maxDeviation
    let maximumDeviation = min(
      requestedDeviation, distance == 0 ? requestedDeviation : distance / 4)
    let isCurved = options.curve != .geodesic && geometries[index].dimension > 0
    let curve = isCurved ? maximumDeviation * 0.15 : 0
    let placement = target.isGeographic ? 0 : maximumDeviation * 0.25
    return Tolerances(
      curve: curve, boundary: (maximumDeviation - curve - placement) * 0.9, placement: placement)
  }

  // MARK: One buffer in degrees

  private func degrees(_ index: Int, _ tools: Tools) throws(GeometryError) -> Polygon {
    let geometry = geometries[index]
    let distance = distances[index]
    guard !geometry.isEmpty, distance > 0 || geometry.dimension == 2 else { return .empty() }
    let tolerances = tolerances(of: index)
    try check(distance, geometry, tools)
    switch geometry {
    case .point(let point):
      return try disc(around: point, distance, tolerances.boundary, tools)
    case .multipoint(let multipoint):
      var pieces = pieces(tolerances, tools)
      defer { tools.context.destroy(pieces.removeShapes()) }
      for location in try normal(tools.base.toDegrees(multipoint.vertices.xy)) {
        try pieces.addDisc(around: location, radius: distance)
      }
      return try pieces.union()
    case .polyline(let polyline):
      var pieces = pieces(tolerances, tools)
      defer { tools.context.destroy(pieces.removeShapes()) }
      try addLines(polyline, distance, tolerances, tools, &pieces)
      return try pieces.union()
    case .polygon(let polygon): return try bordered(polygon, distance, tolerances, tools)
    case .envelope(let envelope):
      return try bordered(envelope.polygon, distance, tolerances, tools)
    }
  }

  /// Rejects distances so long that geodesics from one point meet again, and distances too small to
  /// be represented.
  private func check(
    _ distance: Double, _ geometry: Geometry, _ tools: Tools
  ) throws(GeometryError) {
    guard distance.magnitude >= Self.minimumDeviation else {
      throw GeometryError("a geodesic buffer of \(distance) m is too small")
    }
    let halfway = tools.geodesic.semiMinorAxis * .pi
    let limit = geometry.dimension == 0 ? halfway * 0.995 : halfway * 0.495
    guard distance.magnitude <= limit else {
      throw GeometryError(
        "a geodesic buffer of \(distance) m around a \(geometry.dimension == 0 ? "point" : "line") "
          + "exceeds the limit of \(Int(limit / 1000)) km")
    }
  }

  private func pieces(_ tolerances: Tolerances, _ tools: Tools) -> GeodesicPieces {
    GeodesicPieces(
      geodesic: tools.geodesic, context: tools.context, tolerance: tolerances.boundary,
      vertexLimit: options.vertexLimit)
  }

  private func disc(
    around point: Point, _ radius: Double, _ tolerance: Double, _ tools: Tools
  ) throws(GeometryError) -> Polygon {
    let center = try normal(tools.base.toDegrees([point.xy]))[0]
    let disc = GeodesicDisc(center: center, radius: radius, geodesic: tools.geodesic)
    if let ring = try disc.simpleRing(
      tolerance: tolerance, vertexLimit: options.vertexLimit, tools.compass)
    {
      return tools.compass.polygon(ring)
    }
    let points = try disc.ring(tolerance: tolerance, vertexLimit: options.vertexLimit)
    guard let ring = DegreeRing(points, isConvexAtPoles: true) else { return .empty() }
    let mayContainBothPoles = radius > tools.geodesic.semiMinorAxis * 1.5
    if !mayContainBothPoles, let area = ring.simpleArea {
      return Polygon(
        canonical: VertexList(area.reversed()), ringEnds: [area.count], partEnds: [1],
        spatialReference: nil)
    }
    return try DegreePlane.polygon(
      ring.area(tools.context, mayContainBothPoles: mayContainBothPoles))
  }

  private func addLines(
    _ polyline: Polyline, _ distance: Double, _ tolerances: Tolerances, _ tools: Tools,
    _ pieces: inout GeodesicPieces
  ) throws(GeometryError) {
    let degrees = try normal(tools.base.toDegrees(polyline.vertices.xy))
    let curves = curves(polyline.vertices.xy, tools)
    for part in polyline.parts where !part.isEmpty {
      let points = try curves.path(
        part, degrees, tolerance: tolerances.curve, limit: options.vertexLimit)
      let path = GeodesicPath(
        points, isClosed: false, geodesic: tools.geodesic, minimum: tolerances.boundary * 0.01)
      if path.edges.isEmpty {
        try pieces.addDisc(around: points[0], radius: distance)
      } else {
        try pieces.add(
          path,
          .both(distance))
      }
    }
  }

  private func bordered(
    _ polygon: Polygon, _ distance: Double, _ tolerances: Tolerances, _ tools: Tools
  ) throws(GeometryError) -> Polygon {
    let context = tools.context
    let size = distance.magnitude
    let inside = try inside(
      of: polygon, max(size / 16, tolerances.boundary), finest: tolerances.boundary, tools)
    let (polygon, degrees) = (inside.polygon, inside.degrees)
    let curves = curves(polygon.vertices.xy, tools)
    var pieces = pieces(tolerances, tools)
    defer { context.destroy(pieces.removeShapes()) }
    let seams = SeamEdges(polygon, degrees: degrees)
    let holes = Set(polygon.parts.flatMap { $0.dropFirst() })
    for (index, ring) in polygon.rings.enumerated() where ring.count > 3 {
      let points = try curves.path(
        ring, degrees, tolerance: tolerances.curve, limit: options.vertexLimit)
      // The border is needed on one side of a ring: for a positive distance, outside an exterior
      // ring and inside a hole; for a negative distance, inside an exterior ring and outside a
      // hole. On the other side, the border only has to cover the parts that the approximate region
      // may omit.
      let isInside = holes.contains(index) == (distance > 0)
      let width: GeodesicPieces.Width =
        switch inside.isTangled ? .either : inside.region.sides[index] {
        case .either: .both(size)
        case .left: isInside ? .mainlyLeft(size) : .mainlyRight(size)
        case .right: isInside ? .mainlyRight(size) : .mainlyLeft(size)
        }
      for chain in seams.boundaries(of: points) {
        let path = GeodesicPath(
          chain, isClosed: chain.first == chain.last, geodesic: tools.geodesic,
          minimum: tolerances.boundary * 0.01)
        try pieces.add(path, width)
      }
    }
    if distance > 0 {
      pieces.add(inside.region.shape)
      return try pieces.union()
    }
    return try pieces.subtracted(from: inside.region.shape)
  }

  /// The interior of a polygon in degrees, and the polygon along whose rings the border is built.
  private struct Inside: ~Copyable {
    let region: GeodesicRegion.Area
    let polygon: Polygon
    let degrees: [SIMD2<Double>]
    /// Whether overlapping rings were repaired, so that the interior may be on either side of a ring.
    var isTangled = false
  }

  /// The inside of a polygon by the even-odd rule, applied to the curves between the vertices. If
  /// the rings overlap, the polygon is repaired in the plane of its CRS, unless it crosses ±180°.
  /// The border still follows the original curves, which cross at slightly different points.
  ///
  /// - Parameter finest: the tolerance at which crossings are detected. Edges of a coarser
  ///   approximation may cross where the curves do not.
  private func inside(
    of polygon: Polygon, _ tolerance: Double, finest: Double, _ tools: Tools
  ) throws(GeometryError) -> Inside {
    func made(of polygon: Polygon, _ tolerance: Double) throws(GeometryError) -> Inside {
      let degrees = try normal(tools.base.toDegrees(polygon.vertices.xy))
      let region = try GeodesicRegion(
        curves: curves(polygon.vertices.xy, tools), context: tools.context, tolerance: tolerance,
        vertexLimit: options.vertexLimit
      ).area(of: polygon, degrees: degrees)
      return Inside(region: region, polygon: polygon, degrees: degrees)
    }
    var first = try made(of: polygon, tolerance)
    if !first.region.isSound, finest < tolerance { first = try made(of: polygon, finest) }
    guard first.region.overlaps else { return first }
    let leaves = polygon.rings.contains { ring in
      ring.dropLast().contains {
        (first.degrees[$0 + 1].x - first.degrees[$0].x).magnitude > 180
      }
    }
    let shape = try tools.context.shape(of: .polygon(polygon))
    guard !leaves, try !tools.context.isValid(shape) else { return first }
    let second = try made(
      of: ShapeParts(tools.context.madeValid(shape)).polygon(nil), tolerance)
    return Inside(
      region: second.region, polygon: first.polygon, degrees: first.degrees, isTangled: true)
  }

  /// The inside of an area in degrees, with edges within a tolerance of their curves.
  private func region(
    of polygon: Polygon, _ tolerance: Double, _ tools: Tools
  ) throws(GeometryError) -> Polygon {
    try DegreePlane.polygon(inside(of: polygon, tolerance, finest: tolerance, tools).region.shape)
  }

  private func curves(_ points: [SIMD2<Double>], _ tools: Tools) -> CurveMaker {
    CurveMaker(geodesic: tools.geodesic, kind: options.curve, base: tools.base, points: points)
  }

  /// The points with longitudes in [−180, 180].
  private func normal(_ degrees: [SIMD2<Double>]) -> [SIMD2<Double>] {
    degrees.map(DegreePlane.normal)
  }

  // MARK: The result's CRS

  private func placed(
    _ polygon: Polygon, _ tolerances: Tolerances, _ tools: Tools
  ) throws(GeometryError) -> Polygon {
    try tools.placement.placed(
      polygon, tolerance: tolerances.placement, vertexLimit: options.vertexLimit)
  }
}
