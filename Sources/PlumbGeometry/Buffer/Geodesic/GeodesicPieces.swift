import CGEOS
import PlumbCore

/// The simple areas whose union is the area within a distance of a line or on one side of a ring:
/// strips along the edges, wedges around the corners, discs around single points.
///
/// Neighbouring pieces share bit-identical paths from a vertex to the boundary, so that there are
/// no gaps between the pieces.
struct GeodesicPieces {
  let geodesic: Geodesic
  let context: GEOSContext
  /// The greatest distance in metres of a piece's boundary from the true boundary.
  let tolerance: Double
  let vertexLimit: Int
  /// The pieces added so far; the caller destroys them or passes them to GEOS.
  private(set) var shapes: [OpaquePointer?] = []
  /// The number of vertices of `shapes`.
  private var vertexCount = 0
  /// The number of vertices above which the pieces are next joined.
  private var joinCount: Int
  private static let joinStep = 2_000_000
  /// The vertices of the added geodesic paths.
  private var corners: [SIMD2<Double>] = []
  /// The distance in metres from a vertex within which all points are inside the buffer.
  private var bufferWidth = 0.0

  init(geodesic: Geodesic, context: GEOSContext, tolerance: Double, vertexLimit: Int) {
    self.geodesic = geodesic
    self.context = context
    self.tolerance = tolerance
    self.vertexLimit = vertexLimit
    joinCount = min(Self.joinStep, vertexLimit)
  }

  /// Transfers ownership of the pieces to the caller.
  mutating func removeShapes() -> [OpaquePointer?] {
    defer { shapes = [] }
    return shapes
  }

  mutating func add(_ shape: consuming GEOSShape) { shapes.append(shape.take()) }

  /// Returns the union of the pieces in degrees, and removes the pieces.
  mutating func union() throws(GeometryError) -> Polygon {
    defer { context.destroy(removeShapes()) }
    let union = try DegreePlane.polygon(context.degreeUnion(&shapes))
    guard union.vertices.count <= vertexLimit else {
      throw DegreePlane.tooManyVertices(vertexLimit)
    }
    guard union.ringEnds.count > union.partEnds.count else { return union }
    return DegreePlane.polygon(union, isFalse: { isGap(union.vertices.xy[$0]) })
  }

  /// Returns an area minus the pieces, and removes the pieces.
  mutating func subtracted(from area: borrowing GEOSShape) throws(GeometryError) -> Polygon {
    defer { context.destroy(removeShapes()) }
    // The holes of the border must remain, because the interior of the ring is one of these holes.
    let border = try context.degreeUnion(&shapes)
    let rest = try DegreePlane.polygon(context.degreeDifference(area, border))
    return DegreePlane.polygon(rest, isFalsePart: { isGap(rest.vertices.xy[$0]) })
  }

  /// Whether a hole is a false gap. Paths with few vertices may cross near a corner and leave a gap
  /// whose boundary is nearer to the corner than the buffer distance.
  private func isGap(_ ring: ArraySlice<SIMD2<Double>>) -> Bool {
    // Test the other vertices only if the first vertex is covered. More than half of the vertices
    // have to be covered, because a single notch may be part of a true hole.
    guard let first = ring.first, isCovered(first) else { return false }
    return ring.count { isCovered($0) } * 2 > ring.count
  }

  /// Whether a point is within the buffer distance, less a margin, of one of `corners`.
  private func isCovered(_ point: SIMD2<Double>) -> Bool {
    let allowed = bufferWidth - 4 * tolerance
    let degrees = allowed / (geodesic.semiMinorAxis * .pi / 180) * 1.02
    return corners.contains { corner in
      (corner.y - point.y).magnitude <= degrees
        && geodesic.distance(from: corner, to: point) < allowed
    }
  }

  /// Joins the pieces, so that the pieces of a long geometry neither fill the memory nor count
  /// against the vertex limit, which applies to the buffer itself.
  private mutating func join() throws(GeometryError) {
    let union = try context.degreeUnion(&shapes)
    vertexCount = max(0, Int(GEOSGetNumCoordinates_r(context.handle, union.pointer)))
    guard vertexCount <= vertexLimit else { throw DegreePlane.tooManyVertices(vertexLimit) }
    // A join takes more than 300 bytes per vertex, so a low limit bounds the memory of a join.
    joinCount = vertexCount + min(vertexCount + Self.joinStep, vertexLimit)
    shapes.append(union.take())
  }

  // MARK: Discs

  mutating func addDisc(around point: SIMD2<Double>, radius: Double) throws(GeometryError) {
    let disc = GeodesicDisc(center: point, radius: radius, geodesic: geodesic)
    let ring = try disc.ring(tolerance: tolerance, vertexLimit: vertexLimit)
    try add(ring, mayContainBothPoles: true)
  }

  // MARK: Paths

  /// The width of a path's strip on each side, in metres.
  struct Width {
    var left: Double
    var right: Double
    /// Whether corners are rounded on the left side, and on the right side.
    var roundsLeft: Bool
    var roundsRight: Bool

    static func both(_ width: Double) -> Width {
      Width(left: width, right: width, roundsLeft: true, roundsRight: true)
    }

    static func mainlyLeft(_ width: Double) -> Width {
      Width(left: width, right: width / 4, roundsLeft: true, roundsRight: false)
    }

    static func mainlyRight(_ width: Double) -> Width {
      Width(left: width / 4, right: width, roundsLeft: false, roundsRight: true)
    }
  }

  mutating func add(_ path: GeodesicPath, _ width: Width) throws(GeometryError) {
    let edges = path.edges
    guard let first = edges.first, let last = edges.last else { return }
    corners += edges.map(\.start) + [last.end]
    bufferWidth = max(width.left, width.right)
    let joints = self.joints(of: path, width)
    if path.isClosed {
      try addCorner(from: last, to: first, joints[0], width)
    } else if width.left == width.right {
      let (start, end) = (first.startAzimuth, last.endAzimuth)
      try addWedge(
        at: first.start, radius: width.left, from: start - 90, to: start + 90, span: 180)
      try addWedge(at: last.end, radius: width.left, from: end + 90, to: end - 90, span: 180)
    } else {
      try addDisc(around: first.start, radius: max(width.left, width.right))
      try addDisc(around: last.end, radius: max(width.left, width.right))
    }
    // A chain of edges with smooth joints becomes one strip.
    var start = 0
    var turned = 0.0
    for index in edges.indices {
      let isEnd = index == edges.count - 1
      if !isEnd {
        turned += joints[index + 1].turn.magnitude
        if joints[index + 1].isSmooth, turned < 60, index - start < 4096 { continue }
      }
      try addStrip(edges[start...index], joints, width)
      if !isEnd {
        try addCorner(from: edges[index], to: edges[index + 1], joints[index + 1], width)
      }
      start = index + 1
      turned = 0
    }
  }

  /// The joint between an edge and the previous edge.
  private struct Joint {
    var turn: Double
    /// The direction halfway between the directions of the two edges. The path of a smooth joint is
    /// perpendicular to this direction.
    var azimuth: Double
    /// Whether the corner is negligible, so that the strips of both edges share one path from the
    /// vertex.
    var isSmooth: Bool
  }

  /// The joint before each edge, and the joint after the last edge.
  private func joints(of path: GeodesicPath, _ width: Width) -> [Joint] {
    let edges = path.edges
    let distance = max(width.left, width.right)
    func joint(_ edge: GeodesicPath.Edge, _ next: GeodesicPath.Edge) -> Joint {
      let turn = GeodesicPath.turn(from: edge, to: next)
      let radians = turn.magnitude * .pi / 180
      let isSmooth =
        distance * radians * radians / 8 <= tolerance * 0.05
        && distance * radians <= 0.4 * min(edge.length, next.length)
      return Joint(turn: turn, azimuth: edge.endAzimuth + turn / 2, isSmooth: isSmooth)
    }
    let end = Joint(turn: 0, azimuth: 0, isSmooth: false)
    var joints = [end]
    for index in edges.indices.dropLast() { joints.append(joint(edges[index], edges[index + 1])) }
    joints.append(end)
    if path.isClosed, edges.count > 1, let first = edges.first, let last = edges.last {
      joints[0] = joint(last, first)
      joints[edges.count] = joints[0]
    }
    return joints
  }

  private mutating func addCorner(
    from edge: GeodesicPath.Edge, to next: GeodesicPath.Edge, _ joint: Joint, _ width: Width
  ) throws(GeometryError) {
    guard !joint.isSmooth, joint.turn != 0 else { return }
    let (point, turn) = (next.start, joint.turn)
    // An arc is needed on the outer side. On the inner side, the strips overlap, unless a pole is
    // so near that the paths of the strips, which have few vertices, pass the pole on different
    // sides.
    if width.roundsLeft, turn > 0 || isNearPole(point, width.left) {
      let (edge, next) = (edge.endAzimuth - 90, next.startAzimuth - 90)
      try addWedge(
        at: point, radius: width.left, from: turn > 0 ? next : edge, to: turn > 0 ? edge : next,
        span: turn.magnitude)
    }
    if width.roundsRight, turn < 0 || isNearPole(point, width.right) {
      let (edge, next) = (edge.endAzimuth + 90, next.startAzimuth + 90)
      try addWedge(
        at: point, radius: width.right, from: turn > 0 ? next : edge, to: turn > 0 ? edge : next,
        span: turn.magnitude)
    }
  }

  private func isNearPole(_ point: SIMD2<Double>, _ radius: Double) -> Bool {
    (90 - point.y.magnitude) * geodesic.semiMinorAxis * .pi / 180 < 4 * radius
  }

  /// Adds a sector of a disc, counter-clockwise from one azimuth to another.
  private mutating func addWedge(
    at point: SIMD2<Double>, radius: Double, from azimuth: Double, to end: Double, span: Double
  ) throws(GeometryError) {
    var tracer = self.tracer
    let disc = GeodesicDisc(center: point, radius: radius, geodesic: geodesic)
    let outward = try way(from: point, azimuth: azimuth, radius)
    let inward = try way(from: point, azimuth: end, radius)
    for point in outward { tracer.add(point) }
    try tracer.follow(
      from: outward[outward.count - 1], to: inward[inward.count - 1],
      steps: disc.steps(span: span, tolerance: tolerance)
    ) { share in
      geodesic.direct(from: point, azimuth: azimuth - share * span, distance: radius)
    }
    // Omit both ends of the path back to the centre, because the last vertex of the arc and the
    // centre have already been added.
    for point in inward.dropFirst().dropLast().reversed() { tracer.add(point) }
    try add(tracer.points, mayContainBothPoles: false)
  }

  /// The path from a vertex to the boundary. The same arguments result in bit-identical paths.
  ///
  /// The path is inside the buffer, so its accuracy does not matter, but neighbouring paths must
  /// not cross. Even steps keep paths of nearly the same direction parallel; paths get more
  /// vertices only near a pole.
  private func way(
    from point: SIMD2<Double>, azimuth: Double, _ distance: Double
  ) throws(GeometryError) -> [SIMD2<Double>] {
    var tracer = BoundaryTracer(
      ellipsoid: geodesic.ellipsoid, tolerance: max(distance * 0.02, tolerance),
      vertexLimit: vertexLimit)
    // Wrap azimuths to one period, because they are compared by value.
    let azimuth = DegreePlane.shorter(azimuth)
    let start = tracer.settled(point)
    let line = geodesic.line(from: point, azimuth: azimuth)
    let end = tracer.settled(line.point(at: distance).point)
    tracer.add(start)
    try tracer.follow(from: start, to: end, steps: 2 + Int(distance / 40_000)) {
      line.point(at: distance * $0).point
    }
    return tracer.points
  }

  /// Adds the strip on both sides of a chain of edges.
  private mutating func addStrip(
    _ edges: ArraySlice<GeodesicPath.Edge>, _ joints: [Joint], _ width: Width
  ) throws(GeometryError) {
    guard let first = edges.first, let last = edges.last else { return }
    let (before, after) = (joints[edges.startIndex], joints[edges.endIndex])
    let start = try crossing(
      at: first.start, azimuth: before.isSmooth ? before.azimuth : first.startAzimuth, width)
    let end = try crossing(
      at: last.end, azimuth: after.isSmooth ? after.azimuth : last.endAzimuth, width)
    var tracer = self.tracer
    for point in start.right { tracer.add(point) }
    try follow(edges, joints, side: 90, width.right, to: end.right.last, &tracer)
    for point in end.right.dropLast().reversed() { tracer.add(point) }
    for point in end.left.dropFirst() { tracer.add(point) }
    try followBack(edges, joints, width.left, to: start.left.last, &tracer)
    for point in start.left.dropFirst().dropLast().reversed() { tracer.add(point) }
    try add(tracer.points, mayContainBothPoles: false)
  }

  private func crossing(
    at point: SIMD2<Double>, azimuth: Double, _ width: Width
  ) throws(GeometryError) -> (left: [SIMD2<Double>], right: [SIMD2<Double>]) {
    (
      try way(from: point, azimuth: azimuth - 90, width.left),
      try way(from: point, azimuth: azimuth + 90, width.right)
    )
  }

  private func follow(
    _ edges: ArraySlice<GeodesicPath.Edge>, _ joints: [Joint], side: Double, _ distance: Double,
    to end: SIMD2<Double>?, _ tracer: inout BoundaryTracer
  ) throws(GeometryError) {
    for index in edges.indices {
      let offset = self.offset(edges[index], joints[index], joints[index + 1], side, distance)
      guard let start = tracer.points.last else { return }
      let stop = index == edges.endIndex - 1 ? end ?? start : tracer.settled(offset(1))
      try tracer.follow(
        from: start, to: stop, steps: steps(edges[index].length), offset)
    }
  }

  private func followBack(
    _ edges: ArraySlice<GeodesicPath.Edge>, _ joints: [Joint], _ distance: Double,
    to end: SIMD2<Double>?, _ tracer: inout BoundaryTracer
  ) throws(GeometryError) {
    for index in edges.indices.reversed() {
      let offset = self.offset(edges[index], joints[index], joints[index + 1], -90, distance)
      guard let start = tracer.points.last else { return }
      let stop = index == edges.startIndex ? end ?? start : tracer.settled(offset(0))
      try tracer.follow(
        from: start, to: stop, steps: steps(edges[index].length)
      ) { offset(1 - $0) }
    }
  }

  /// The number of initial steps along the side of an edge. Steps are so short that the deviation
  /// in the middle of a step is representative of the whole step.
  private func steps(_ length: Double) -> Int { 1 + Int(length / 200_000) }

  /// Returns a function that computes the point on the side of the edge at a fraction of the edge's
  /// length.
  private func offset(
    _ edge: GeodesicPath.Edge, _ start: Joint, _ end: Joint, _ side: Double, _ distance: Double
  ) -> (Double) -> SIMD2<Double> {
    let line = geodesic.line(from: edge.start, azimuth: edge.startAzimuth)
    let startBend = start.isSmooth ? -start.turn / 2 : 0
    let endBend = end.isSmooth ? end.turn / 2 : 0
    let geodesic = self.geodesic
    return { share in
      let (point, azimuth) = line.point(at: edge.length * share)
      let bend = startBend + (endBend - startBend) * share
      return geodesic.direct(from: point, azimuth: azimuth + bend + side, distance: distance)
    }
  }

  // MARK: Rings

  private var tracer: BoundaryTracer {
    BoundaryTracer(
      ellipsoid: geodesic.ellipsoid, tolerance: tolerance, vertexLimit: vertexLimit)
  }

  private mutating func add(
    _ points: [SIMD2<Double>], mayContainBothPoles: Bool
  ) throws(GeometryError) {
    vertexCount += points.count
    guard let ring = DegreeRing(points, isConvexAtPoles: true) else { return }
    var shape = try ring.area(context, mayContainBothPoles: mayContainBothPoles)
    // Paths that pass close to a pole may cross each other in the plane of longitude and latitude.
    if points.contains(where: { $0.y.magnitude > 75 }), try !context.isValid(shape) {
      shape = try context.madeValid(shape)
    }
    shapes.append(shape.take())
    if vertexCount > joinCount { try join() }
  }
}
