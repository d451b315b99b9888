import PlumbCore

extension GeometryEngine {
  /// A copy with more vertices, so that no edge is longer than `maxSegmentLength`. Existing
  /// vertices are kept; each edge is divided evenly; z and m of new vertices are interpolated.
  /// Points are returned unchanged; an envelope becomes a polygon.
  ///
  /// With a geodesic measure, new vertices are on the curve of the edge. If the longitudes of both
  /// ends of an edge are within ±180°, the longitudes of its new vertices are within ±180°, too.
  /// With the curve `shapePreserving`, edges are divided into equal parts in the coordinates of the
  /// geometry's CRS.
  ///
  /// - Parameters:
  ///   - geometry: the shape, in the coordinates of its CRS.
  ///   - maxSegmentLength: the greatest length of an edge, in the unit of the CRS if planar; in
  ///     metres if geodesic.
  ///   - measure: planar in the geometry's CRS, or geodesic on its ellipsoid.
  /// - Throws: for a length that is not above 0, for more than 100 million vertices, and in the
  ///   same cases as `length(of:measure:)`.
  public static func densify(
    _ geometry: Geometry, maxSegmentLength: Double, measure: Measure = .planar
  ) throws(GeometryError) -> Geometry {
    guard maxSegmentLength > 0 else {
      throw GeometryError("the maximum segment length must be above 0, not \(maxSegmentLength)")
    }
    let source = geometry
    var geometry = geometry
    if case .envelope(let envelope) = geometry { geometry = .polygon(envelope.polygon) }
    let xy = geometry.vertices.xy
    guard geometry.dimension > 0, !geometry.isEmpty else {
      if !geometry.isEmpty { try checkFinite(xy) }
      return geometry
    }
    let cutter: EdgeCutter
    switch measure {
    case .planar:
      try checkFinite(xy)
      cutter = EdgeCutter(xy: xy, shape: nil, maxSegmentLength: maxSegmentLength)
    case .geodesic(let curve):
      cutter = EdgeCutter(
        xy: xy, shape: try EllipsoidalEdges(source, curve: curve),
        maxSegmentLength: maxSegmentLength)
    }
    var output = InterpolatedVertices(geometry.vertices)
    var ends: [Int] = []
    for path in geometry.paths {
      for index in path {
        output.append(index)
        if index + 1 < path.upperBound { try cutter.cut(index, into: &output) }
      }
      ends.append(output.xy.count)
    }
    switch geometry {
    case .polyline(let line):
      return .polyline(
        Polyline(output.vertices, partEnds: ends, spatialReference: line.spatialReference))
    case .polygon(let polygon):
      return .polygon(
        // Densification along a curve may reverse the orientation of a sliver polygon.
        Polygon(
          output.vertices, ringEnds: ends, partEnds: polygon.partEnds,
          spatialReference: polygon.spatialReference))
    default: return geometry
    }
  }
}

/// Divides edges into equal parts.
private struct EdgeCutter {
  let xy: [SIMD2<Double>]
  /// The edges on the ellipsoid; nil for planar edges.
  let shape: EllipsoidalEdges?
  let maxSegmentLength: Double

  private static let vertexLimit = 100_000_000

  func cut(_ index: Int, into output: inout InterpolatedVertices) throws(GeometryError) {
    let (a, b) = (xy[index], xy[index + 1])
    guard let shape else {
      let count = try pieces((b - a).planarLength, output)
      for step in 1..<max(count, 1) {
        let part = Double(step) / Double(count)
        output.append(a + (b - a) * part, between: index, part)
      }
      return
    }
    if shape.curve == .shapePreserving {
      var count = try pieces(shape.length(index, index + 1), output)
      // Parts of equal length in projected coordinates differ in length on the ellipsoid.
      while count > 1, try !shape.isCut(index, count, maxSegmentLength) {
        count += (count + 3) / 4
        _ = try pieces(Double(count) * maxSegmentLength, output)
      }
      for step in 1..<max(count, 1) {
        let part = Double(step) / Double(count)
        output.append(a + (b - a) * part, between: index, part)
      }
      return
    }
    let edge = CurveEdge(
      from: shape.degrees[index], to: shape.degrees[index + 1], curve: shape.curve,
      geodesic: shape.geodesic)
    let count = try pieces(edge.length, output)
    guard count > 1 else { return }
    let points = try shape.sourceCoordinates(
      (1..<count).map { edge.point(at: edge.fraction(ofPiece: $0, of: count)) },
      between: index, index + 1)
    for (step, point) in points.enumerated() {
      output.append(point, between: index, Double(step + 1) / Double(count))
    }
  }

  private func pieces(
    _ length: Double, _ output: InterpolatedVertices
  ) throws(GeometryError) -> Int {
    let count = (length / maxSegmentLength).rounded(.up)
    guard count + Double(output.xy.count) <= Double(Self.vertexLimit) else {
      throw GeometryError(
        "segments of at most \(maxSegmentLength) need more than \(Self.vertexLimit) vertices")
    }
    return max(1, Int(count))
  }
}

extension EllipsoidalEdges {
  /// Whether all `count` equal parts of a shape-preserving edge are short enough.
  fileprivate func isCut(
    _ index: Int, _ count: Int, _ maxSegmentLength: Double
  ) throws(GeometryError) -> Bool {
    let (a, b) = (sourceVertices[index], sourceVertices[index + 1])
    let points = try base.toDegrees((0...count).map { a + (b - a) * (Double($0) / Double(count)) })
    return zip(points, points.dropFirst()).allSatisfy {
      geodesic.distance(from: $0, to: $1) <= maxSegmentLength * (1 + 1e-9)
    }
  }
}

/// A list of vertices to which copies of given vertices and interpolated points are appended.
struct InterpolatedVertices {
  private let source: VertexList
  private(set) var xy: [SIMD2<Double>] = []
  private var z: [Double] = []
  private var m: [Double] = []

  init(_ source: VertexList) { self.source = source }

  var vertices: VertexList {
    VertexList(xy, z: source.z == nil ? nil : z, m: source.m == nil ? nil : m)
  }

  mutating func append(_ index: Int) {
    xy.append(source.xy[index])
    if let values = source.z { z.append(values[index]) }
    if let values = source.m { m.append(values[index]) }
  }

  /// Appends a point at a fraction of the edge from the vertex `index` to the next vertex.
  mutating func append(_ point: SIMD2<Double>, between index: Int, _ fraction: Double) {
    xy.append(point)
    func between(_ values: [Double]) -> Double {
      values[index] + (values[index + 1] - values[index]) * fraction
    }
    if let values = source.z { z.append(between(values)) }
    if let values = source.m { m.append(between(values)) }
  }
}
