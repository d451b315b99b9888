/// Lengths along an edge, in the unit of the coordinates.
enum Planar {
  static func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    let offset = b - a
    let scale = max(abs(offset.x), abs(offset.y))
    // Scale the difference, because the square of a large difference would overflow.
    guard scale > 0, scale.isFinite else { return scale }
    let unit = offset / scale
    return (unit * unit).sum().squareRoot() * scale
  }

  static func length(_ vertices: ArraySlice<SIMD2<Double>>) -> Double {
    var sum = 0.0
    for (a, b) in zip(vertices, vertices.dropFirst()) { sum += distance(a, b) }
    return sum
  }
}
