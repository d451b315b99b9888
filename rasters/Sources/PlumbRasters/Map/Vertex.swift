#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A place in integer millionths of a degree, so that neighbours can share corners exactly.
struct Vertex: Hashable {
  var x: Int
  var y: Int

  init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  /// The nearest vertex to a place in degrees.
  init(longitude: Double, latitude: Double) {
    x = Int((longitude * 1e6).rounded())
    y = Int((latitude * 1e6).rounded())
  }

  var longitude: Double { Double(x) / 1e6 }
  var latitude: Double { Double(y) / 1e6 }
  var ground: Ground { Ground(longitude: longitude, latitude: latitude) }

  /// The midpoint, identical from either end.
  static func middle(_ a: Vertex, _ b: Vertex) -> Vertex {
    Vertex(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2)
  }
}

/// Lengths and areas on the WGS 84 ellipsoid, accurate to one part in ten thousand for short edges.
enum Measure {
  private static let radius = 6378137.0
  private static let flattening = 1 / 298.257223563
  private static let squaredEccentricity = flattening * (2 - flattening)

  /// The length of a line in kilometres; each edge by the radii of curvature at its midpoint.
  static func length(_ line: [Vertex]) -> Double {
    zip(line, line.dropFirst()).reduce(0) { sum, edge in
      let latitude = (edge.0.latitude + edge.1.latitude) / 2 * .pi / 180
      let bulge = 1 - squaredEccentricity * sin(latitude) * sin(latitude)
      let prime = radius / bulge.squareRoot()
      let meridian = prime * (1 - squaredEccentricity) / bulge
      let east = (edge.1.longitude - edge.0.longitude) * .pi / 180 * prime * cos(latitude)
      let north = (edge.1.latitude - edge.0.latitude) * .pi / 180 * meridian
      return sum + (east * east + north * north).squareRoot() / 1000
    }
  }

  /// The area of a closed ring in square kilometres; above 0 if it is anticlockwise.
  static func area(_ ring: [Vertex]) -> Double {
    zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
      let width = (edge.1.longitude - edge.0.longitude) * .pi / 180
      return sum - width * (zone(edge.0.latitude) + zone(edge.1.latitude)) / 2 / 1e6
    }
  }

  /// The area of polygons in square kilometres, each a ring and its holes.
  static func area(_ polygons: [[[Vertex]]]) -> Double {
    polygons.joined().reduce(0) { $0 + area($1) }
  }

  /// Square metres from the equator to a latitude, for each radian of longitude.
  private static func zone(_ latitude: Double) -> Double {
    let e = squaredEccentricity.squareRoot()
    let s = sin(latitude * .pi / 180)
    return radius * radius * (1 - e * e) / 2 * (s / (1 - e * e * s * s) + atanh(e * s) / e)
  }
}
