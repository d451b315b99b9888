import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Lines that fold back on themselves, close, touch and overlap: GEOS 3.11 loses or fills whole faces
/// of their buffers. The oracle is the union of their edges' own buffers.
@Suite struct FoldedBufferTests {
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

  /// Whatever joins and ends, bevels apart, the strips beside the edges are there.
  @Test(arguments: [
    PlanarBufferOptions(cap: .flat), PlanarBufferOptions(cap: .square),
    PlanarBufferOptions(cap: .flat, join: .mitre()),
    PlanarBufferOptions(cap: .square, join: .bevel),
    PlanarBufferOptions(join: .mitre(limit: 2)), PlanarBufferOptions(join: .bevel),
  ])
  func joinsAndEndsOfAnyKind(options: PlanarBufferOptions) throws {
    var shapes = RandomShapes(seed: 77)
    for index in 0..<300 {
      let (line, extent) = shapes.foldedLine()
      // A bevelled or mitred ring cuts off more at the turn where it started.
      if options.join != .round, line.vertices.xy.first == line.vertices.xy.last { continue }
      let distance = extent * shapes.number(0.05...2)
      let buffer = try #require(
        GeometryEngine.buffer(around: [line], distances: [distance], method: .planar(options)).first
      )
      #expect(try oracle.isValid(.polygon(buffer)))
      // Bevels cut into the strips beside short edges.
      if options.join == .bevel { continue }
      var flat = options
      flat.cap = .flat
      let area = try oracle.area(.polygon(buffer))
      let strips = try oracle.union(strips(of: line, distance, flat))
      let least = try oracle.area(strips)
      #expect(area >= least * (1 - 5e-2), "\(index): \(line) \(distance)")
    }
  }

  /// A negative distance leaves what is farther than it from the rings.
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

  /// The buffers of the edges alone.
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
  /// A line on a lattice that folds, closes or runs back along itself, and the size of its window.
  fileprivate mutating func foldedLine() -> (Geometry, extent: Double) {
    while true {
      let size = [1, 2, 4, 8, 40].randomElement(using: &numbers) ?? 1
      let kind = Int.random(in: 0..<5, using: &numbers)
      var places = (0..<Int.random(in: 2...9, using: &numbers)).map { _ in
        let x = Double(Int.random(in: 0...size, using: &numbers)) * 10
        let y = Double(Int.random(in: 0...size, using: &numbers)) * 10
        let isFlat = kind == 0 || kind == 1 && number(0...1) < 0.7
        return SIMD2(x, isFlat ? 80 : y)
      }
      if number(0...1) < 0.4 { places.append(places[0]) }
      if number(0...1) < 0.2 { places += places.dropLast().reversed() }
      if kind == 2 {
        for index in places.indices {
          let steps: [Double] = [0, 1e-9, 0.001, 0.1, 1]
          let step: Double = steps.randomElement(using: &numbers) ?? 0
          places[index] += SIMD2(number(-1...1), number(-1...1)) * step
        }
      }
      let list = VertexList(places)
      guard let (low, high) = list.bounds(), low != high else { continue }
      return (.polyline(Polyline(list)), (high - low).max())
    }
  }
}
