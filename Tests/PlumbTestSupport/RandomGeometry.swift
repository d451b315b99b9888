import PlumbCore

/// Random geometries of every type and size, with every kind of number.
package struct RandomGeometry {
  package var random: SeededGenerator
  /// Whether numbers may have any exponent.
  package var isWild = true
  /// Whether some heights and measures are NaN.
  package var hasGaps = true

  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A finite number: degrees, metres, an integer, negative zero, a subnormal number, or any bits.
  package mutating func number() -> Double {
    switch Int.random(in: 0..<(isWild ? 8 : 3), using: &random) {
    case 0: return Double.random(in: -180...180, using: &random)
    case 1: return Double.random(in: -2e7...2e7, using: &random)
    case 2: return Double(Int.random(in: -9...9, using: &random))
    case 3:
      return [
        -0.0, 0, 3 * Double.leastNonzeroMagnitude, -2 * Double.leastNonzeroMagnitude, 1e308, -1e308,
        .pi, 0.1,
      ].randomElement(
        using: &random)!
    case 4: return Double(bitPattern: random.next() & 0x800F_FFFF_FFFF_FFFF)
    default:
      while true {
        let value = Double(bitPattern: random.next())
        if value.isFinite { return value }
      }
    }
  }

  /// A height or measure.
  package mutating func extra() -> Double {
    hasGaps && Int.random(in: 0..<6, using: &random) == 0 ? .nan : number()
  }

  package mutating func vertices(_ count: Int, z: Bool? = nil, m: Bool? = nil) -> VertexList {
    let (hasZ, hasM) = (z ?? Bool.random(using: &random), m ?? Bool.random(using: &random))
    return VertexList(
      (0..<count).map { _ in SIMD2(number(), number()) },
      z: hasZ ? (0..<count).map { _ in extra() } : nil,
      m: hasM ? (0..<count).map { _ in extra() } : nil)
  }

  /// The ends of `count` consecutive runs of up to `longest` items, some of them empty.
  package mutating func ends(_ count: Int, longest: Int) -> [Int] {
    var end = 0
    return (0..<count).map { _ in
      end += Int.random(in: 0...longest, using: &random)
      return end
    }
  }

  package mutating func point() -> Point {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .empty()
    default:
      let one = vertices(1)
      return Point(x: one.xy[0].x, y: one.xy[0].y, z: one.z?[0], m: one.m?[0])
    }
  }

  package mutating func multipoint() -> Multipoint {
    Multipoint(vertices(Int.random(in: 0...6, using: &random)))
  }

  package mutating func polyline() -> Polyline {
    let parts = ends(Int.random(in: 0...4, using: &random), longest: 5)
    return Polyline(vertices(parts.last ?? 0), partEnds: parts)
  }

  /// Rings that cross, touch, are slivers or degenerate, and are not necessarily nested.
  package mutating func tangle() -> Polygon {
    let parts = ends(Int.random(in: 0...4, using: &random), longest: 3)
    let rings = ends(parts.last ?? 0, longest: 7)
    return Polygon(vertices(rings.last ?? 0), ringEnds: rings, partEnds: parts)
  }

  /// A geometry that every format keeps unchanged; EsriJSON changes polygons.
  package mutating func any() -> Geometry {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .point(point())
    case 1: .multipoint(multipoint())
    case 2: .polyline(polyline())
    default: .polygon(tangle())
    }
  }

  /// Adjacent areas with adjacent holes, each hole with an island, and so on; the parts are in
  /// random order.
  package mutating func islands() -> Polygon {
    var parts: [[[SIMD2<Double>]]] = []
    for column in 0..<Int.random(in: 1...3, using: &random) {
      fill(SIMD2(Double(column) * 10, 0), SIMD2(Double(column) * 10 + 9, 9), 0, &parts)
    }
    parts.shuffle(using: &random)
    return polygon(parts)
  }

  package mutating func polygon(_ parts: [[[SIMD2<Double>]]]) -> Polygon {
    var ends: [Int] = []
    var partEnds: [Int] = []
    var xy: [SIMD2<Double>] = []
    for part in parts {
      for ring in part {
        xy += ring
        ends.append(xy.count)
      }
      partEnds.append(ends.count)
    }
    let count = xy.count
    return Polygon(
      VertexList(
        xy, z: Bool.random(using: &random) ? (0..<count).map { _ in extra() } : nil,
        m: Bool.random(using: &random) ? (0..<count).map { _ in extra() } : nil),
      ringEnds: ends, partEnds: partEnds)
  }

  private mutating func fill(
    _ low: SIMD2<Double>, _ high: SIMD2<Double>, _ depth: Int, _ parts: inout [[[SIMD2<Double>]]]
  ) {
    var rings = [ring(low, high)]
    let count = Int.random(in: 0...3, using: &random)
    let width = (high.x - low.x) / 3
    for slot in 0..<count {
      let corner = SIMD2(low.x + width * Double(slot), low.y)
      let size = SIMD2(width, high.y - low.y)
      let margin = [0.25, 0.2].randomElement(using: &random) ?? 0.1
      let (holeLow, holeHigh) = (corner + size * margin, corner + size * (1 - margin))
      rings.append(ring(holeLow, holeHigh))
      if depth < 3, Bool.random(using: &random) {
        let inner = (holeHigh - holeLow) * 0.2
        fill(holeLow + inner, holeHigh - inner, depth + 1, &parts)
      }
    }
    parts.append(rings)
  }

  /// An octagon with irregular coordinates in a window, starting at any of its corners.
  private mutating func ring(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> [SIMD2<Double>] {
    let corners: [SIMD2<Double>] = [
      [0, 0.2], [0, 0.8], [0.1, 1], [0.9, 1], [1, 0.7], [1, 0.3], [0.8, 0], [0.3, 0],
    ]
    let start = Int.random(in: 0..<8, using: &random)
    return (0...8).map { low + (high - low) * corners[($0 + start) % 8] }
  }
}

/// All bits of a geometry except its CRS; all NaNs are equal.
package func bits(_ geometry: Geometry?) -> String {
  func text(_ value: Double?) -> String {
    guard let value else { return "-" }
    return value.isNaN ? "nan" : String(value.bitPattern, radix: 16)
  }
  func list(_ vertices: VertexList) -> String {
    vertices.xy.map { text($0.x) + " " + text($0.y) }.joined(separator: ",") + " z "
      + (vertices.z.map { $0.map(text).joined(separator: ",") + "." } ?? "-") + " m "
      + (vertices.m.map { $0.map(text).joined(separator: ",") + "." } ?? "-")
  }
  switch geometry {
  case nil: return "nil"
  case .point(let point)?:
    return "point " + [point.x, point.y, point.z, point.m].map(text).joined(separator: " ")
  case .multipoint(let multipoint)?: return "multipoint " + list(multipoint.vertices)
  case .polyline(let polyline)?: return "polyline \(polyline.partEnds) " + list(polyline.vertices)
  case .polygon(let polygon)?:
    return "polygon \(polygon.ringEnds) \(polygon.partEnds) " + list(polygon.vertices)
  case .envelope(let envelope)?:
    return "envelope "
      + [
        envelope.xMin, envelope.yMin, envelope.xMax, envelope.yMax, envelope.zRange?.lowerBound,
        envelope.zRange?.upperBound, envelope.mRange?.lowerBound, envelope.mRange?.upperBound,
      ].map(text).joined(separator: " ")
  }
}
