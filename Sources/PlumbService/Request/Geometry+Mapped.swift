import Plumb

extension Geometry {
  /// Returns the geometry with x and y rounded to a number of decimals.
  func rounded(to digits: Int) -> Geometry {
    guard digits < 17 else { return self }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return mapped { SIMD2(($0.x * scale).rounded() / scale, ($0.y * scale).rounded() / scale) }
  }

  /// Returns the geometry with x and y of each vertex replaced by the result of `change`.
  func mapped(_ change: (SIMD2<Double>) -> SIMD2<Double>) -> Geometry {
    func list(_ vertices: VertexList) -> VertexList {
      VertexList(vertices.xy.map(change), z: vertices.z, m: vertices.m)
    }
    switch self {
    case .point(var point):
      guard !point.isEmpty else { return self }
      let location = change(point.xy)
      (point.x, point.y) = (location.x, location.y)
      return .point(point)
    case .multipoint(let points):
      return .multipoint(Multipoint(list(points.vertices), spatialReference: spatialReference))
    case .polyline(let line):
      return .polyline(
        Polyline(
          list(line.vertices), partEnds: line.partEnds, spatialReference: spatialReference))
    case .polygon(let area):
      return .polygon(
        Polygon(
          list(area.vertices), ringEnds: area.ringEnds, partEnds: area.partEnds,
          spatialReference: spatialReference))
    case .envelope(let box):
      let (low, high) = (change(SIMD2(box.xMin, box.yMin)), change(SIMD2(box.xMax, box.yMax)))
      return .envelope(
        Envelope(
          xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y,
          spatialReference: spatialReference))
    }
  }
}
