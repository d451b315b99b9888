import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct PlanarBufferTests {
  private let oracle = GEOSOracle()

  /// Lists of points use a separate code path, whose vertices are compared with those of GEOS.
  @Test(arguments: [1, 2, 3, 8, 32, 100], [PlanarBufferOptions.Cap.round, .flat, .square])
  func circlesAreGEOSs(segments: Int, cap: PlanarBufferOptions.Cap) throws {
    var shapes = RandomShapes(seed: UInt64(segments))
    let options = PlanarBufferOptions(cap: cap, segmentsPerQuarter: segments)
    for exponent in [-3.0, 0, 3, 7] {
      let scale = exponent == 0 ? 1 : (exponent < 0 ? 1e-3 : (exponent == 3 ? 1e3 : 1e7))
      let point = shapes.point(-scale...scale)
      let distance = shapes.number(0.001...1000)
      let expected = try oracle.buffer(point, distance, options)
      let actual = try #require(
        GeometryEngine.buffer(around: [point], distances: [distance], method: .planar(options))
          .first)
      #expect(actual.ringEnds == expected.ringEnds)
      #expect(actual.partEnds == expected.partEnds)
      #expect(expected.isEmpty == (cap == .flat))
      for (a, b) in zip(actual.vertices.xy, expected.vertices.xy) {
        let size = distance + scale
        #expect(abs(a.x - b.x) <= 1e-9 * size && abs(a.y - b.y) <= 1e-9 * size)
      }
    }
  }

  @Test func circlesStartEastAndRunClockwise() throws {
    let circle = try #require(
      GeometryEngine.buffer(
        around: [.point(Point(x: 10, y: 20))], distances: [5],
        method: .planar(PlanarBufferOptions(segmentsPerQuarter: 1))
      ).first)
    let expected = [(15.0, 20.0), (10, 15), (5, 20), (10, 25), (15, 20)]
    #expect(circle.vertices.count == 5)
    for (vertex, location) in zip(circle.vertices.xy, expected) {
      #expect(abs(vertex.x - location.0) < 1e-12 && abs(vertex.y - location.1) < 1e-12)
    }
  }

  @Test func distanceZeroGivesAnAreaItself() throws {
    let square = Polygon(
      VertexList(
        [SIMD2(0, 0), SIMD2(0, 4), SIMD2(4, 4), SIMD2(4, 0), SIMD2(0, 0)], z: [1, 2, 3, 4, 1]))
    let crossed = try oracle.geometry("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))")
    let window = Envelope(xMin: 1, yMin: 2, xMax: 3, yMax: 5)
    let result = try GeometryEngine.buffer(
      around: [.polygon(square), crossed, .envelope(window), try line(), point(1, 1)],
      distances: [0])
    #expect(result[0] == square)
    #expect(try oracle.isValid(.polygon(result[1])))
    #expect(try abs(oracle.area(.polygon(result[1])) - 2) < 1e-12)
    #expect(result[2] == window.polygon)
    #expect(result[3].isEmpty && result[4].isEmpty)
  }

  @Test func negativeDistancesShrinkAreasAndEmptyTheRest() throws {
    let square = try oracle.geometry("POLYGON ((0 0, 0 10, 10 10, 10 0, 0 0))")
    let result = try GeometryEngine.buffer(
      around: [square, square, try line(), point(3, 4)], distances: [-1, -5.5, -1, -1])
    #expect(try abs(oracle.area(.polygon(result[0])) - 64) < 1e-9)
    #expect(result.dropFirst().map(\.isEmpty) == [true, true, true])
  }

  @Test func emptyInEmptyOut() throws {
    let none = try GeometryEngine.buffer(around: [], distances: [1])
    #expect(none.isEmpty)
    let empties: [Geometry] = [
      .point(.empty()), .multipoint(Multipoint(VertexList())), .polyline(Polyline(VertexList())),
      .polygon(.empty()), .envelope(.empty()),
    ]
    let buffers = try GeometryEngine.buffer(around: empties, distances: [7])
    #expect(buffers == empties.map { _ in Polygon.empty() })
    let union = try GeometryEngine.buffer(around: empties, distances: [7], union: true)
    #expect(union == [Polygon.empty()])
  }

  @Test func theLastDistanceIsReused() throws {
    let points = (0..<4).map { point(Double($0) * 100, 0) }
    let result = try GeometryEngine.buffer(around: points, distances: [1, 2])
    let radii = result.map {
      $0.vertices.xy[0].x - ($0.vertices.xy[64].x + $0.vertices.xy[0].x) / 2
    }
    for (radius, expected) in zip(radii, [1.0, 2, 2, 2]) { #expect(abs(radius - expected) < 1e-9) }
  }

  @Test func distancesThatDoNotFit() {
    #expect(throws: GeometryError.self) {
      try GeometryEngine.buffer(around: [point(0, 0)], distances: [1, 2])
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.buffer(around: [point(0, 0)], distances: [])
    }
    for bad in [Double.nan, .infinity, -.infinity] {
      #expect(throws: GeometryError.self) {
        try GeometryEngine.buffer(around: [point(0, 0)], distances: [bad])
      }
    }
  }

  @Test(arguments: [false, true])
  func coordinatesThatAreNotFiniteNameTheLowestMember(union: Bool) throws {
    for bad in [point(.nan, 5), point(5, .infinity), try line(to: .nan)] {
      for distance in [-1.0, 0, 1] {
        var list = (0..<2000).map { point(Double($0), Double($0 * 7 % 100)) }
        list[1801] = bad
        list[333] = bad
        let input = list
        let error = #expect(throws: GeometryError.self) {
          try GeometryEngine.buffer(
            around: input, distances: [distance], union: union, workers: Workers(count: 3))
        }
        #expect(error?.member == 333)
      }
    }
  }

  @Test func circlesThatCannotBeDrawn() {
    let options = PlanarBufferOptions(segmentsPerQuarter: 1_000_001)
    #expect(throws: GeometryError.self) {
      try GeometryEngine.buffer(
        around: [point(0, 0)], distances: [1], method: .planar(options))
    }
    // A radius that is lost in the rounding of the coordinates, and a radius that is too large.
    for (x, distance) in [(1e9, 1e-9), (1e308, 1e308)] {
      let error = #expect(throws: GeometryError.self) {
        try GeometryEngine.buffer(around: [point(0, 0), point(x, 0)], distances: [1, distance])
      }
      #expect(error?.member == 1)
    }
  }

  /// GEOS squares coordinates, and fails with the resulting infinities.
  @Test(arguments: [1e308, 1e200]) func coordinatesMayBeTooLarge(size: Double) {
    let line = Geometry.polyline(Polyline(VertexList([SIMD2(size, 10), SIMD2(-size, 20)])))
    let area = Geometry.polygon(
      Polygon(VertexList([SIMD2(size, 10), SIMD2(-size, 20), SIMD2(0, size)])))
    for (geometry, distance) in [(line, 1000.0), (line, size), (area, -1000), (area, 1000)] {
      #expect(throws: GeometryError.self) {
        try GeometryEngine.buffer(around: [geometry], distances: [distance])
      }
    }
  }

  @Test func orderIsKeptWhateverTheNumberOfThreads() throws {
    var shapes = RandomShapes(seed: 5)
    let list = (0..<900).map { index -> Geometry in
      switch index % 4 {
      case 0: return shapes.point()
      case 1: return shapes.polyline()
      case 2: return .polygon(shapes.tangle())
      default: return .polygon(shapes.star())
      }
    }
    let distances = list.map { _ in shapes.number(0.1...5) }
    let one = try GeometryEngine.buffer(
      around: list, distances: distances, workers: Workers(count: 1))
    let four = try GeometryEngine.buffer(
      around: list, distances: distances, workers: Workers(count: 4))
    #expect(one == four)
    for (index, buffer) in one.enumerated() {
      #expect(try oracle.isValid(.polygon(buffer)), "\(index)")
      // A buffer contains its geometry.
      #expect(
        try GeometryEngine.contains(.polygon(buffer), list[index]), "\(index)")
    }
  }

  /// GEOS alone omits one half of a ring in the form of an 8.
  @Test func crossingRingsKeepAllTheirArea() throws {
    let eight = try oracle.geometry("POLYGON ((0 0, 20 20, 20 0, 0 20, 0 0))")
    let buffer = try #require(
      GeometryEngine.buffer(around: [eight], distances: [1]).first)
    #expect(try GeometryEngine.contains(.polygon(buffer), point(2, 10)))
    #expect(try GeometryEngine.contains(.polygon(buffer), point(18, 10)))
  }

  @Test func unitsFollowTheReference() throws {
    let texas = try SpatialReference("EPSG:32038")
    let location = Geometry.point(Point(x: 2_000_000, y: 400_000, spatialReference: texas))
    let circle = try #require(
      GeometryEngine.buffer(around: [location], distances: [3], unit: .mile).first)
    // A mile is 5,280 international feet; the CRS uses US survey feet of 1200/3937 m.
    let feet = 3 * 1609.344 * 3937 / 1200
    #expect(abs(circle.vertices.xy[0].x - (2_000_000 + feet)) < 1e-6)
    #expect(circle.spatialReference == texas)
    let single = try #require(GeometryEngine.buffer(around: [location], distances: [3]).first)
    #expect(single.vertices.xy[0].x == 2_000_003)

    let geographic = Geometry.point(Point(x: 1, y: 2, spatialReference: .wgs84))
    #expect(throws: GeometryError.self) {
      try GeometryEngine.buffer(around: [geographic], distances: [1], unit: .metre)
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.buffer(around: [location], distances: [1], unit: .degree)
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.buffer(around: [point(0, 0)], distances: [1], unit: .metre)
    }
    let degrees = try #require(
      GeometryEngine.buffer(around: [geographic], distances: [1], unit: .degree).first)
    #expect(abs(degrees.vertices.xy[0].x - 2) < 1e-12)
  }

  private func point(_ x: Double, _ y: Double) -> Geometry { .point(Point(x: x, y: y)) }

  private func line(to x: Double = 5) throws -> Geometry {
    .polyline(Polyline(VertexList([SIMD2(0, 0), SIMD2(x, 5)])))
  }
}

/// Rule: a distance close to the coordinates' rounding leaves an area unchanged.
@Suite struct TinyDistanceTests {
  @Test(arguments: [0.0, 30, 5e5])
  func `holes are kept with a tiny distance`(offset: Double) throws {
    let points: [SIMD2<Double>] = [
      [0, 0], [0, 10], [10, 10], [10, 0], [0, 0], [2, 2], [8, 2], [8, 8], [2, 8], [2, 2],
    ]
    let area = Polygon(
      VertexList(points.map { $0 + offset }), ringEnds: [5, 10], partEnds: [2],
      spatialReference: nil)
    let step = (10 + offset).ulp
    for size in [1e-17, step / 4, step, step * 17, step * 70, step * 300, step * 1e5] {
      for distance in [size, -size] {
        let buffer = try GeometryEngine.buffer(
          around: [.polygon(area)], distances: [distance], workers: Workers(count: 1))[0]
        #expect(buffer.ringEnds.count == 2, "\(distance) at \(offset)")
        let (low, high) = try #require(buffer.vertices.bounds())
        #expect(abs(high.x - low.x - 10 - 2 * distance) <= step * 300, "\(distance) at \(offset)")
      }
    }
  }
}
