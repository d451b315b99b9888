import Plumb

/// Keeps shapes from GEOS whose edges cross so often that it would take all memory: it holds every
/// crossing. Pairs of edges whose boxes meet are counted, at least as many as there are crossings.
enum EdgeCrossings {
  /// Of the pairs beyond those that shapes without crossings have.
  private static let limit = 400_000
  /// Pairs for each edge that shapes without crossings have, neighbours among them.
  private static let usual = 16

  /// - Throws: where the edges of shapes cross too often, one another or themselves.
  static func check(_ shapes: [Geometry], _ name: String) throws(ServiceError) {
    var boxes: [Envelope] = []
    for shape in shapes where shape.dimension > 0 { addEdges(of: shape, to: &boxes) }
    // So few cannot cross too often.
    guard boxes.count > 1000 else { return }
    let index = SpatialIndex(boxes, workers: Workers(count: 1))
    var left = limit + usual * boxes.count
    for box in boxes {
      left -= index.items(intersecting: box).count
      guard left >= 0 else {
        throw ServiceError(
          "'\(name)' parameter is invalid: the edges of its shapes cross too often; send parts",
          kind: .limit)
      }
    }
  }

  private static func addEdges(of shape: Geometry, to boxes: inout [Envelope]) {
    let parts: [Range<Int>]
    switch shape {
    case .polyline(let line): parts = line.parts
    case .polygon(let area): parts = area.rings
    case .point, .multipoint, .envelope: return
    }
    let vertices = shape.vertices.xy
    for part in parts where part.count > 1 {
      for index in part.dropLast() {
        let (a, b) = (vertices[index], vertices[index + 1])
        boxes.append(
          Envelope(
            xMin: min(a.x, b.x), yMin: min(a.y, b.y), xMax: max(a.x, b.x), yMax: max(a.y, b.y)))
      }
    }
  }
}
