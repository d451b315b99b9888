import PlumbCore

/// A geometry as curves on its ellipsoid, with the edge from which each curve originates.
struct CurveSet {
  let shape: EllipsoidalEdges
  let geometry: Geometry
  let tree: CurveTree
  /// For each curve, the vertex of the geometry at which its edge starts, and the fractions of the
  /// edge's length before the curve and within the curve.
  let origins: [(vertex: Int, before: Double, within: Double)]

  /// - Throws: for an empty geometry, and in the same cases as `EllipsoidalEdges`.
  init(_ geometry: Geometry, curve: GeodesicCurve) throws(GeometryError) {
    try self.init(geometry, EllipsoidalEdges(geometry, curve: curve))
  }

  /// - Parameter shape: the geometry's edges.
  init(_ geometry: Geometry, _ shape: EllipsoidalEdges) throws(GeometryError) {
    var edges: [CurveEdge] = []
    var origins: [(vertex: Int, before: Double, within: Double)] = []
    // Reserve the capacity in advance, because an edge takes about 1 kB.
    edges.reserveCapacity(geometry.vertices.count)
    origins.reserveCapacity(geometry.vertices.count)
    for path in geometry.paths where !path.isEmpty {
      if path.count == 1 {
        let point = shape.degrees[path.lowerBound]
        edges.append(
          CurveEdge(from: point, to: point, curve: .geodesic, geodesic: shape.geodesic))
        origins.append((path.lowerBound, 0, 1))
      }
      for index in path.dropLast() {
        let chain = try shape.chain(index, index + 1)
        let totalLength = chain.reduce(0) { $0 + $1.length }
        var before = 0.0
        for edge in chain {
          edges.append(edge)
          let within = totalLength > 0 ? edge.length / totalLength : 0
          origins.append((index, before, within))
          before += within
        }
      }
    }
    guard !edges.isEmpty else { throw GeometryError("an empty geometry has no nearest point") }
    (self.shape, self.geometry, self.origins) = (shape, geometry, origins)
    tree = CurveTree(edges, shape.geodesic)
  }

  /// Whether a point in degrees is within the areas of the geometry, that is, in an odd number of
  /// rings.
  func contains(_ point: SIMD2<Double>) throws(GeometryError) -> Bool {
    guard geometry.dimension == 2 else { return false }
    if shape.curve == .shapePreserving { return shape.sourceRings(geometry.paths, contain: point) }
    var isInside = false
    var start = 0
    for ring in geometry.paths {
      let first = start
      while start < origins.count, origins[start].vertex < ring.upperBound { start += 1 }
      let curves = tree.edges[first..<start]
      if !curves.isEmpty, CurveRing(curves, shape.geodesic).contains(point) { isInside.toggle() }
    }
    return isInside
  }
}

extension EllipsoidalEdges {
  /// Whether a point in degrees is in an odd number of rings whose edges are straight lines in the
  /// geometry's CRS. The interior is the interior in the plane of the CRS, so that a rectangle may
  /// contain the whole Earth.
  func sourceRings(_ rings: [Range<Int>], contain point: SIMD2<Double>) -> Bool {
    // The geometry's longitudes may differ from the point's by whole periods.
    let shifts = base.isUnprojected ? [0.0, 360, -360, 720, -720] : [0]
    return shifts.contains { period in
      // A point that cannot be projected is in no ring.
      guard let there = try? base.fromDegrees(SIMD2(point.x + period, point.y)) else {
        return false
      }
      var isInside = false
      for ring in rings {
        for index in ring.dropLast() {
          let (a, b) = (sourceVertices[index], sourceVertices[index + 1])
          guard (a.y <= there.y) != (b.y <= there.y) else { continue }
          let x = a.x + (there.y - a.y) / (b.y - a.y) * (b.x - a.x)
          if x > there.x { isInside.toggle() }
        }
      }
      return isInside
    }
  }
}

/// A closed ring of curves, which encloses the smaller of the two areas that it bounds.
struct CurveRing {
  private let edges: ArraySlice<CurveEdge>
  private let holdsNorthPole: Bool

  init(_ edges: ArraySlice<CurveEdge>, _ geodesic: Geodesic) {
    self.edges = edges
    let total = AuthalicArea(geodesic.ellipsoid).total
    // The area in square metres between the ring and the equator, positive eastward, and the ring's
    // total change of longitude.
    var beneath = 0.0
    var period = 0.0
    for edge in edges {
      period += edge.end.x - edge.start.x
      let points = edge.ringPoints
      for (a, b) in zip(points, points.dropFirst()) {
        beneath += geodesic.areaBeneath(from: a, to: b)
      }
    }
    switch (period / 360).rounded() {
    case 0: holdsNorthPole = beneath.magnitude > total / 2
    case 1...: holdsNorthPole = total / 2 - beneath <= total / 2
    default: holdsNorthPole = total / 2 + beneath <= total / 2
    }
  }

  /// Whether the ring contains a point, by counting the edges that cross the point's meridian north
  /// of the point. An edge between two longitudes of a pole is counted although its length is zero.
  func contains(_ point: SIMD2<Double>) -> Bool {
    var isInside = holdsNorthPole
    for edge in edges {
      // The longitudes are relative to the point's longitude; the first is in [−180, 180).
      var west = (edge.start.x - point.x).wrappedDegrees
      if west >= 180 { west -= 360 }
      let east = west + (edge.end.x - edge.start.x)
      guard (west < 0) != (east < 0) else { continue }
      var (low, high) = (0.0, 1.0)
      for _ in 0..<60 {
        let middle = (low + high) / 2
        let x = west + (edge.point(at: middle).x - edge.start.x)
        if (x < 0) == (west < 0) { low = middle } else { high = middle }
      }
      if edge.point(at: (low + high) / 2).y > point.y { isInside.toggle() }
    }
    return isInside
  }
}

extension CurveEdge {
  /// Points along the edge, including both ends, that are close enough to each other to compute
  /// areas.
  fileprivate var ringPoints: [SIMD2<Double>] { points(maxDeviation: 1000) }
}
