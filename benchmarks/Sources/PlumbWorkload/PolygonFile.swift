import Plumb

/// Polygons as `.npy` files for the suite's comparison.
struct PolygonFile {
  /// The prefix of the files' names.
  let prefix: String

  /// The area of each polygon in square units of its coordinates, computed independently of Plumb.
  func writeAreas(_ polygons: [Polygon]) throws {
    let areas = polygons.map { polygon in
      polygon.rings.reduce(0) { $0 + area(of: polygon.vertices.xy[$1]) }
    }
    try NumPyFile.write("\(prefix)_areas.npy", type: "<f8", areas)
  }

  /// All vertices of all polygons, and the number of vertices of each polygon.
  func writeVertices(_ polygons: [Polygon]) throws {
    try NumPyFile.write(
      "\(prefix)_counts.npy", type: "<i8", polygons.map { Int64($0.vertices.count) })
    var numbers: [Double] = []
    numbers.reserveCapacity(2 * polygons.reduce(0) { $0 + $1.vertices.count })
    for polygon in polygons { append(polygon, to: &numbers) }
    try NumPyFile.write("\(prefix)_xy.npy", type: "<f8", numbers)
  }

  /// A polygon with its rings and parts.
  func write(_ polygon: Polygon) throws {
    var numbers: [Double] = []
    append(polygon, to: &numbers)
    try NumPyFile.write("\(prefix)_xy.npy", type: "<f8", numbers)
    try NumPyFile.write("\(prefix)_rings.npy", type: "<i8", polygon.ringEnds.map { Int64($0) })
    try NumPyFile.write("\(prefix)_parts.npy", type: "<i8", polygon.partEnds.map { Int64($0) })
  }

  private func append(_ polygon: Polygon, to numbers: inout [Double]) {
    for point in polygon.vertices.xy {
      numbers.append(point.x)
      numbers.append(point.y)
    }
  }

  /// Positive for a clockwise ring, as for exterior rings.
  private func area(of ring: ArraySlice<SIMD2<Double>>) -> Double {
    guard let origin = ring.first else { return 0 }
    var sum = 0.0
    var last = SIMD2<Double>(0, 0)
    for vertex in ring {
      let next = vertex - origin
      sum += next.x * last.y - last.x * next.y
      last = next
    }
    return sum / 2
  }
}
