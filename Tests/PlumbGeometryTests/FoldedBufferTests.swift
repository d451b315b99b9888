import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Lines that fold back on themselves, run close together, touch and overlap: GEOS 3.11 omits or
/// fills whole faces of their buffers. The oracle is the union of the buffers of their edges.
@Suite struct FoldedBufferTests {
  /// Two overlapping parts both cover their intersection: it is not a hole.
  @Test(arguments: [0.0, 1, -1]) func partsThatOverlap(_ distance: Double) throws {
    func square(_ at: Double) -> [SIMD2<Double>] {
      [[at, at], [at, at + 10], [at + 10, at + 10], [at + 10, at], [at, at]]
    }
    let polygon = Polygon(
      VertexList(square(0) + square(5)), ringEnds: [5, 10], partEnds: [1, 2])
    let found = try GeometryEngine.buffer(
      around: [.polygon(polygon)], distances: [distance],
      method: .planar(PlanarBufferOptions(join: .mitre(limit: 5))))[0]
    let side = 10 + 2 * distance
    let shared = 5 + 2 * distance
    // A corner that points inwards remains where the two strips intersect.
    let expected = 2 * side * side - shared * shared
    #expect((try GeometryEngine.area(of: .polygon(found)) - expected).magnitude < 1e-9)
  }

  private let oracle = GEOSOracle()

  @Test func theEndOfAFoldedLineIsInItsBuffer() throws {
    let line = try oracle.geometry("LINESTRING (80 80, 20 80, 140 80, 80 80)")
    let buffer = try #require(GeometryEngine.buffer(around: [line], distances: [120]).first)
    #expect(try GeometryEngine.contains(.polygon(buffer), line))
    let stadium = 120.0 * 240 + .pi * 120 * 120
    #expect(try abs(oracle.area(.polygon(buffer)) / stadium - 1) < 1e-3)
  }

  @Test(arguments: [
    ("LINESTRING (0 0, 10 10, 10 20, 0 0, 10 10)", 1.0),
    ("LINESTRING (0 0, 10 10, 20 10, 0 0, 10 10, 0 10, 10 20)", 1.195189248940956),
    ("LINESTRING (0 0, 10 10, 0 0, 0 0, 0 10, 0 10, 0 10, 0 10, 10 10, 0 0)", 0.68454188356956),
    ("LINESTRING (0 0, 0 10, 10 10, 0 10, 0 0)", 10),
    ("LINESTRING (0 80, 10 0, 0 80, 0 0, 0 80, 0 0, 0 80, 10 0, 0 80)", 540),
  ])
  func linesThatGEOSGetsWrong(text: String, distance: Double) throws {
    try check(try oracle.geometry(text), distance, PlanarBufferOptions())
  }

  @Test(arguments: 0..<8)
  func linesOfAnyFold(seed: Int) throws {
    var shapes = RandomShapes(seed: UInt64(seed))
    for _ in 0..<250 {
      let (line, extent) = shapes.foldedLine()
      let factors: [Double] = [0.01, 0.1, 0.5, 1, 2, 10]
      let factor: Double = factors.randomElement(using: &shapes.numbers) ?? 1
      var distance = extent * factor * shapes.number(0.5...1.5)
      if shapes.number(0...1) < 0.3 { distance = max(1, (distance / 10).rounded()) * 10 }
      try check(line, distance, PlanarBufferOptions())
    }
  }

  /// GEOS 3.11 and 3.14 leave a hole the size of a thousandth of the distance in the buffer of each of
  /// these lines.
  @Test(arguments: [
    (
      [
        SIMD2(658656.947441, 2088003.029435), SIMD2(658612.615425, 2088003.715515),
        SIMD2(658579.149057, 2088006.730171), SIMD2(658576.763121, 2088012.264891),
        SIMD2(658578.925825, 2088030.070203),
      ], 801.8432007404044
    ),
    (
      [
        SIMD2(608988.587, 232509.148), SIMD2(608987.977, 232508.565),
        SIMD2(608983.194, 232504.16), SIMD2(608977.911, 232501.153),
        SIMD2(608973.125, 232499.345), SIMD2(608968.038, 232497.836),
        SIMD2(608961.654, 232497.024), SIMD2(608955.371, 232495.313),
        SIMD2(608947.989, 232493.999), SIMD2(608940.407, 232493.184),
        SIMD2(608936.316, 232493.475), SIMD2(608928.229, 232496.454),
      ], 603.58
    ),
  ])
  func aBufferHasNoHolesNearTheLine(points: [SIMD2<Double>], distance: Double) throws {
    let line = Geometry.polyline(Polyline(VertexList(points)))
    #expect(try oracle.buffer(line, distance, PlanarBufferOptions()).ringEnds.count == 2)
    let buffer = try #require(GeometryEngine.buffer(around: [line], distances: [distance]).first)
    #expect(buffer.ringEnds.count == 1)
    try expectDefinition(line, distance, PlanarBufferOptions(), "hole")
  }

  /// A ring that runs back along itself consists of an area and a line. The line also has a buffer.
  @Test func spikesOfAreasHaveABuffer() throws {
    let area = try oracle.geometry("POLYGON ((50 90, 90 90, 90 50, 50 50, 10 10, 50 50, 50 90))")
    for distance in [0.1, 5, 30, 200] {
      let buffer = try #require(GeometryEngine.buffer(around: [area], distances: [distance]).first)
      let square = try oracle.geometry("POLYGON ((50 50, 50 90, 90 90, 90 50, 50 50))")
      let spike = try oracle.geometry("LINESTRING (50 50, 10 10)")
      let expected = try oracle.union(
        [square, spike].map { try oracle.buffer($0, distance, PlanarBufferOptions()) })
      let actual = try oracle.context.shape(of: .polygon(buffer))
      #expect(try oracle.areaApart(actual, expected) < 1e-9 * oracle.area(expected))
    }
    // The spike has no area that could be reduced.
    let less = try #require(GeometryEngine.buffer(around: [area], distances: [-5]).first)
    #expect(try abs(oracle.area(.polygon(less)) - 900) < 1e-9)
  }

  static let joinsAndEnds: [PlanarBufferOptions] = [
    PlanarBufferOptions.Cap.round, .flat, .square,
  ].flatMap { cap in
    [.round, .bevel, .mitre(), .mitre(limit: 1.2), .mitre(limit: 0.5)].map { join in
      PlanarBufferOptions(cap: cap, join: join)
    }
  }

  /// With any joins and caps, a buffer contains all points slightly inside the boundary that the
  /// definition gives, and none slightly outside.
  @Test(arguments: Array(joinsAndEnds.enumerated()))
  func joinsAndEndsOfAnyKind(seed: Int, options: PlanarBufferOptions) throws {
    var shapes = RandomShapes(seed: UInt64(seed))
    for index in 0..<10 {
      let (folded, extent) = shapes.foldedLine()
      try expectDefinition(folded, extent * shapes.number(0.05...2), options, "fold \(index)")
      let line = shapes.windingLine()
      try expectDefinition(line, shapes.number(0.5...80), options, "line \(index)")
    }
  }

  /// The joins of an area are outside it, or inside it with a negative distance.
  @Test(arguments: Array(joinsAndEnds.prefix(5).enumerated()))
  func joinsOfAreas(seed: Int, options: PlanarBufferOptions) throws {
    var shapes = RandomShapes(seed: UInt64(seed))
    for index in 0..<25 {
      let count = Int.random(in: 3...25, using: &shapes.numbers)
      let area = Geometry.polygon(shapes.star(vertices: count))
      let distance = shapes.number(0.1...30)
      try expectDefinition(area, distance, options, "star \(index)")
      try expectDefinition(area, -distance / 8, options, "star \(index)")
    }
  }

  private func expectDefinition(
    _ geometry: Geometry, _ distance: Double, _ options: PlanarBufferOptions, _ name: String
  ) throws {
    let buffer = try #require(
      GeometryEngine.buffer(around: [geometry], distances: [distance], method: .planar(options))
        .first)
    #expect(try oracle.isValid(.polygon(buffer)), "\(name): \(geometry) \(distance)")
    let fault = try BufferGauge.fault(of: buffer, geometry, distance, options)
    #expect(fault == nil, "\(name): \(geometry) \(distance)")
  }

  /// GEOS 3.11 cannot unite the pieces of this buffer.
  @Test func sidesOfASpikeMayBeALastBitApart() throws {
    let area = try oracle.geometry(
      """
      POLYGON ((-1120500.000000126 850931.058865365, -1120500.0000001257 851343.3885007716, \
      -1120500.0000001257 851342.2386007707, -1120399.762684411 851199.4941312922, \
      -1120500.000000126 850931.058865365))
      """)
    let options = PlanarBufferOptions(join: .bevel)
    for distance in [20.616481770330576, 206.16481770330574, -20] {
      try expectDefinition(area, distance, options, "spike")
    }
  }

  /// A negative distance keeps the points whose distance from the rings is greater than its
  /// magnitude.
  @Test func areasShrinkByTheirEdges() throws {
    let triangle = try oracle.geometry("POLYGON ((0 80, 10 80, 20 80, 30 80, 20 10, 20 20, 0 80))")
    var shapes = RandomShapes(seed: 12)
    var cases = [(triangle, -11.262339538224515)]
    for _ in 0..<400 {
      cases.append((.polygon(shapes.tangle()), -shapes.number(0.1...15)))
      cases.append((.polygon(shapes.star()), -shapes.number(0.1...15)))
    }
    for (index, (area, distance)) in cases.enumerated() {
      let buffer = try #require(GeometryEngine.buffer(around: [area], distances: [distance]).first)
      let whole = try oracle.context.validShape(of: area)
      let border = try oracle.union(
        strips(of: ShapeParts(whole).geometry(dimension: 2, nil), -distance, PlanarBufferOptions()))
      let expected = try oracle.difference(whole, border)
      let scale = try max(oracle.area(expected), distance * distance)
      #expect(
        try abs(oracle.area(.polygon(buffer)) - oracle.area(expected)) < 1.5e-2 * scale,
        "\(index): \(area) \(distance)")
    }
  }

  private func check(_ line: Geometry, _ distance: Double, _ options: PlanarBufferOptions) throws {
    let buffer = try #require(
      GeometryEngine.buffer(around: [line], distances: [distance], method: .planar(options)).first)
    let area = try oracle.area(.polygon(buffer))
    let expected = try oracle.area(oracle.union(strips(of: line, distance, options)))
    #expect(try oracle.isValid(.polygon(buffer)), "\(line) \(distance)")
    #expect(abs(area / expected - 1) < 2e-3, "\(line) \(distance): \(area), not \(expected)")
  }

  /// The buffer of each edge.
  private func strips(
    of geometry: Geometry, _ distance: Double, _ options: PlanarBufferOptions
  ) throws -> [Polygon] {
    var strips: [Polygon] = []
    for chain in BufferEdges(geometry).chains {
      for index in chain.vertices.dropFirst() {
        let ends = [geometry.vertices.xy[index - 1], geometry.vertices.xy[index]]
        guard ends[0] != ends[1] else { continue }
        strips.append(
          try oracle.buffer(.polyline(Polyline(VertexList(ends))), distance, options))
      }
    }
    return strips
  }
}

extension RandomShapes {
  /// A line with edges of varying lengths and directions.
  fileprivate mutating func windingLine() -> Geometry {
    let bends: [Double] = [0.2, 0.6, 1.5]
    let bend: Double = bends.randomElement(using: &numbers) ?? 1
    var (point, angle) = (SIMD2(0.0, 0.0), 0.0)
    let points = (0..<Int.random(in: 3...20, using: &numbers)).map { _ in
      angle += bend * number(-2...2)
      let length = 0.1 + 20 * number(0...1) * number(0...1)
      point += length * SIMD2(cosine(angle), cosine(angle - .pi / 2))
      return point
    }
    return .polyline(Polyline(VertexList(points)))
  }

  /// A line on a lattice that folds, closes or runs back along itself, and the longer side of its
  /// extent.
  fileprivate mutating func foldedLine() -> (Geometry, extent: Double) {
    while true {
      let size = [1, 2, 4, 8, 40].randomElement(using: &numbers) ?? 1
      let kind = Int.random(in: 0..<5, using: &numbers)
      var points = (0..<Int.random(in: 2...9, using: &numbers)).map { _ in
        let x = Double(Int.random(in: 0...size, using: &numbers)) * 10
        let y = Double(Int.random(in: 0...size, using: &numbers)) * 10
        let isFlat = kind == 0 || kind == 1 && number(0...1) < 0.7
        return SIMD2(x, isFlat ? 80 : y)
      }
      if number(0...1) < 0.4 { points.append(points[0]) }
      if number(0...1) < 0.2 { points += points.dropLast().reversed() }
      if kind == 2 {
        for index in points.indices {
          let steps: [Double] = [0, 1e-9, 0.001, 0.1, 1]
          let step: Double = steps.randomElement(using: &numbers) ?? 0
          points[index] += SIMD2(number(-1...1), number(-1...1)) * step
        }
      }
      let list = VertexList(points)
      guard let (low, high) = list.bounds(), low != high else { continue }
      return (.polyline(Polyline(list)), (high - low).max())
    }
  }
}
