import PlumbCore

extension GeometryEngine {
  /// The area of polygons and envelopes: the sum over all parts of the exterior ring's area minus
  /// the areas of its holes. The area is never negative, and is 0 for points, lines and empty
  /// geometries.
  ///
  /// If a ring crosses itself, the areas that it encloses clockwise and counter-clockwise have
  /// opposite signs: the halves of a figure eight cancel. On the ellipsoid, a ring encloses the
  /// smaller of the two areas into which it divides the surface. If the edges of a ring are
  /// straight lines in the geometry's CRS, the interior of the ring is its interior in the plane of
  /// the CRS.
  ///
  /// - Returns: the area in the square of the unit of the CRS if planar; in square metres if
  ///   geodesic.
  /// - Throws: if the area exceeds the range of a double, and in the same cases as
  ///   `length(of:measure:)`.
  public static func area(
    of geometry: Geometry, measure: Measure = .planar
  ) throws(GeometryError) -> Double {
    guard geometry.dimension == 2, !geometry.isEmpty else { return 0 }
    let polygon: Polygon
    switch geometry {
    case .polygon(let original): polygon = original
    case .envelope(let envelope): polygon = envelope.polygon
    default: return 0
    }
    let ringArea: (Range<Int>) throws(GeometryError) -> Double
    switch measure {
    case .planar:
      try checkFinite(polygon.vertices.xy)
      ringArea = { (ring) throws(GeometryError) in polygon.vertices.doubleArea(ofRing: ring) / 2 }
    case .geodesic(let curve):
      let edges = try EllipsoidalEdges(geometry, curve: curve)
      ringArea = { (ring) throws(GeometryError) in try edges.area(ofRing: ring) }
    }
    var sum = 0.0
    let rings = polygon.rings
    for part in polygon.parts {
      var area = 0.0
      for index in part {
        let ring = try ringArea(rings[index]).magnitude
        area += index == part.lowerBound ? ring : -ring
      }
      // If the area is NaN, the comparison is false, and the sum becomes NaN.
      sum += area < 0 ? 0 : area
    }
    guard sum.isFinite else { throw GeometryError("the area exceeds the range of a double") }
    return sum
  }
}

extension EllipsoidalEdges {
  /// The area within a closed ring in square metres; its sign has no meaning.
  fileprivate func area(ofRing ring: Range<Int>) throws(GeometryError) -> Double {
    guard ring.count > 3 else { return 0 }
    let authalic = AuthalicArea(geodesic.ellipsoid)
    if curve == .shapePreserving, base.isUnprojected {
      return authalic.area(ofRing: degrees[ring]).magnitude
    }
    var sum = geodesic.areaAndPerimeter(ofRing: degrees[ring.dropLast()]).area
    for index in ring.dropLast() { sum += try areaBesideGeodesic(index, index + 1) }
    let total = authalic.total
    let minimum = sum.remainder(dividingBy: total).magnitude
    guard curve == .shapePreserving else { return minimum }
    let estimate = estimatedArea(ofRing: ring)
    return (estimate - minimum).magnitude <= (estimate - (total - minimum)).magnitude
      ? minimum : total - minimum
  }

  /// The approximate area of a ring with straight edges in projected coordinates: the sum of the
  /// areas of the grid cells whose centres are in the ring. The estimate distinguishes the inside
  /// of the ring from its outside.
  private func estimatedArea(ofRing ring: Range<Int>) -> Double {
    guard let (low, high) = VertexList(sourceVertices).bounds(ring) else { return 0 }
    let count = 32
    let size = (high - low) / Double(count)
    var sum = 0.0
    for row in 0..<count {
      let y = low.y + (Double(row) + 0.5) * size.y
      let crossings = crossings(ofRing: ring, y: y)
      for column in 0..<count {
        let x = low.x + (Double(column) + 0.5) * size.x
        guard crossings.count(where: { $0 < x }) % 2 == 1 else { continue }
        let corners = [SIMD2(-0.5, -0.5), SIMD2(0.5, -0.5), SIMD2(0.5, 0.5), SIMD2(-0.5, 0.5)].map {
          SIMD2(x, y) + $0 * size
        }
        // A cell at the edge of the projection may have corners that cannot be transformed.
        guard let points = try? base.toDegrees(corners) else { continue }
        sum += geodesic.areaAndPerimeter(ofRing: points).area.magnitude
      }
    }
    return sum
  }

  private func crossings(ofRing ring: Range<Int>, y: Double) -> [Double] {
    var result: [Double] = []
    for index in ring.dropLast() {
      let (a, b) = (sourceVertices[index], sourceVertices[index + 1])
      if (a.y <= y) != (b.y <= y) { result.append(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)) }
    }
    return result
  }
}
