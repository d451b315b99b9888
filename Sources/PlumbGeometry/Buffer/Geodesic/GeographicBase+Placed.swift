import PlumbCore

extension GeographicBase {
  /// A polygon of degrees in the reference's own coordinates. In a projected one, edges get
  /// vertices until straight edges stay within a tolerance of the old ones.
  ///
  /// - Parameter tolerance: metres.
  /// - Throws: when a vertex has no counterpart, or more than `vertexLimit` are needed.
  func placed(
    _ polygon: Polygon, in reference: SpatialReference, tolerance: Double, vertexLimit: Int
  ) throws(GeometryError) -> Polygon {
    let vertices = polygon.vertices.xy
    guard !reference.isGeographic else {
      return Polygon(
        VertexList(try fromDegrees(vertices)), ringEnds: polygon.ringEnds,
        partEnds: polygon.partEnds, spatialReference: reference)
    }
    let allowed = tolerance / reference.unit.factor
    var result: [SIMD2<Double>] = []
    var ringEnds: [Int] = []
    for ring in polygon.rings {
      var chain = Array(vertices[ring])
      var placed = try fromDegrees(chain)
      // Halves all edges that are off, until none is.
      for _ in 0..<40 {
        let middles = try fromDegrees(
          chain.indices.dropLast().map { (chain[$0] + chain[$0 + 1]) / 2 })
        var (nextChain, nextPlaced) = ([chain[0]], [placed[0]])
        for index in middles.indices {
          let edge = placed[index + 1] - placed[index]
          let away = middles[index] - placed[index]
          let length = (edge * edge).sum().squareRoot()
          let across =
            length > 0
            ? (edge.x * away.y - edge.y * away.x).magnitude / length
            : (away * away).sum().squareRoot()
          if across > allowed {
            nextChain.append((chain[index] + chain[index + 1]) / 2)
            nextPlaced.append(middles[index])
          }
          nextChain.append(chain[index + 1])
          nextPlaced.append(placed[index + 1])
        }
        guard nextChain.count > chain.count else { break }
        (chain, placed) = (nextChain, nextPlaced)
        guard result.count + chain.count <= vertexLimit else {
          throw DegreePlane.tooManyVertices(vertexLimit)
        }
      }
      result.append(contentsOf: placed)
      ringEnds.append(result.count)
    }
    return Polygon(
      VertexList(result), ringEnds: ringEnds, partEnds: polygon.partEnds,
      spatialReference: reference)
  }
}
