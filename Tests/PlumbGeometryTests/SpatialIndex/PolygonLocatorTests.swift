import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct PolygonLocatorTests {
  /// Compares all points with all polygons, one by one and in batches.
  private func check(
    _ polygons: [Polygon], _ points: [SIMD2<Double>], atLeast least: [PolygonLocator.Location: Int]
  ) throws {
    let oracle = try PolygonOracle(polygons)
    let locator = try PolygonLocator(polygons)
    var counts: [PolygonLocator.Location: Int] = [:]
    var (inside, meeting) = ([[Int32]](), [[Int32]]())
    for point in points {
      inside.append([])
      meeting.append([])
      for polygon in polygons.indices {
        let expected = try oracle.location(point, polygon)
        let found = locator.location(of: point, inPolygon: polygon)
        if found != expected {
          Issue.record("\(point) in \(polygon): \(found), GEOS: \(expected)")
        }
        counts[expected, default: 0] += 1
        if expected != .exterior { meeting[meeting.count - 1].append(Int32(polygon)) }
        if expected == .interior { inside[inside.count - 1].append(Int32(polygon)) }
      }
      #expect(locator.polygons(at: point) == meeting[meeting.count - 1].map(Int.init))
    }
    for (location, count) in least { #expect(counts[location, default: 0] >= count, "\(counts)") }
    let (x, y) = (points.map(\.x), points.map(\.y))
    for threads in [1, 3] {
      let workers = Workers(count: threads)
      let intersects = locator.polygons(atEach: x, y, workers: workers)
      let contains = locator.polygons(atEach: x, y, relation: .contains, workers: workers)
      #expect(intersects.count == points.count && contains.count == points.count)
      for query in points.indices {
        #expect(Array(intersects[query]) == meeting[query])
        #expect(Array(contains[query]) == inside[query])
      }
      #expect(
        locator.firstPolygon(atEach: x, y, workers: workers) == meeting.map { $0.first ?? -1 })
      #expect(
        locator.firstPolygon(atEach: x, y, relation: .contains, workers: workers)
          == inside.map { $0.first ?? -1 })
    }
  }

  /// Small and large stars with holes, random points and all vertices.
  @Test func starsAgreeWithGEOS() throws {
    let polygons = PolygonSet.stars([3, 4, 5, 16, 17, 32, 63, 64, 65, 127, 500, 3000], seed: 51)
    let vertices = polygons.flatMap { $0.vertices.xy.prefix(200) }
    try check(
      polygons, PolygonSet.points(4000, seed: 52) + vertices,
      atLeast: [.interior: 1000, .exterior: 1000, .boundary: 800])
  }

  /// Integer coordinates: many points are at vertices, or on horizontal, vertical or slanting edges.
  /// Because of rounding, rings touch and intersect themselves and each other.
  @Test func latticePolygonsAgreeWithGEOS() throws {
    let polygons = PolygonSet.stars(
      [3, 4, 4, 5, 6, 8, 12, 20, 32, 64, 100, 300, 1000], seed: 53, rounded: true)
    try check(
      polygons, PolygonSet.points(6000, seed: 54, rounded: true),
      atLeast: [.interior: 3000, .exterior: 3000, .boundary: 1000])
  }

  /// Rings of random integer coordinates, intersecting themselves and each other, in several parts: the
  /// edges of all rings count together, as in GEOS's prepared geometries.
  @Test func invalidPolygonsAgreeWithGEOS() throws {
    var generator = SeededGenerator(seed: 55)
    let polygons = (0..<40).map { index in
      var (vertices, ringEnds): ([SIMD2<Double>], [Int]) = ([], [])
      for _ in 0..<(index % 5 + 1) {
        let count = index % 7 == 6 ? 60 : Int.random(in: 1...9, using: &generator)
        for _ in 0..<count {
          vertices.append(
            SIMD2(
              Double(Int.random(in: 0...12, using: &generator)),
              Double(Int.random(in: 0...12, using: &generator))))
        }
        ringEnds.append(vertices.count)
      }
      let parts = index % 2 == 0 ? Array(1...ringEnds.count) : [ringEnds.count]
      return Polygon(VertexList(vertices), ringEnds: ringEnds, partEnds: parts)
    }
    var points: [SIMD2<Double>] = []
    for x in -2...26 {
      for y in -2...26 { points.append(SIMD2(Double(x) / 2, Double(y) / 2)) }
    }
    try check(
      polygons, points, atLeast: [.interior: 3000, .exterior: 3000, .boundary: 3000])
  }

  /// Many small parts and holes, so that nodes contain chains of several rings.
  @Test func manyRingsAgreeWithGEOS() throws {
    var (vertices, ringEnds, partEnds): ([SIMD2<Double>], [Int], [Int]) = ([], [], [])
    for column in 0..<30 {
      for row in 0..<30 {
        let low = SIMD2(Double(column) * 4, Double(row) * 4)
        for (inset, side) in [(0.0, 3.0), (1, 1)] {
          let corner = low + inset
          vertices += [
            corner, corner + SIMD2(0, side), corner + SIMD2(side / 2, side + 0.25),
            corner + SIMD2(side, side), corner + SIMD2(side, 0),
          ]
          ringEnds.append(vertices.count)
        }
        partEnds.append(ringEnds.count)
      }
    }
    let polygon = Polygon(VertexList(vertices), ringEnds: ringEnds, partEnds: partEnds)
    try check(
      [polygon],
      PolygonSet.points(4000, seed: 56) + PolygonSet.points(4000, seed: 57, rounded: true),
      atLeast: [.interior: 1000, .exterior: 1000, .boundary: 1000])
  }

  /// The same polygons and points scaled by powers of two: the digits are unchanged, and so are the
  /// results. GEOS is used at a scale at which its arithmetic neither overflows nor underflows.
  @Test(arguments: [0x1p-1060, 0x1p-990, 0x1p-500, 0x1p500, 0x1p1015])
  func resultsDoNotDependOnTheMagnitude(unit: Double) throws {
    let polygons = PolygonSet.stars([4, 7, 32, 200], seed: 58, rounded: true)
    let oracle = try PolygonOracle(polygons)
    let scaled = polygons.map { polygon in
      Polygon(
        VertexList(polygon.vertices.xy.map { $0 * unit }), ringEnds: polygon.ringEnds,
        partEnds: polygon.partEnds)
    }
    let locator = try PolygonLocator(scaled)
    var boundary = 0
    for point in PolygonSet.points(3000, seed: 59, rounded: true) {
      for polygon in polygons.indices {
        let expected = try oracle.location(point, polygon)
        if expected == .boundary { boundary += 1 }
        if locator.location(of: point * unit, inPolygon: polygon) != expected {
          Issue.record("\(point) in \(polygon) by \(unit): not \(expected)")
        }
      }
    }
    #expect(boundary > 100)
  }

  /// Points next to slanting edges, nearer than the rounding error.
  @Test func pointsNextToEdgesAgreeWithGEOS() throws {
    var generator = SeededGenerator(seed: 60)
    let polygons = PolygonSet.stars([5, 9, 40, 150], seed: 61)
    var points: [SIMD2<Double>] = []
    for polygon in polygons {
      let xy = polygon.vertices.xy
      for _ in 0..<500 {
        let vertex = Int.random(in: 0..<polygon.ringEnds[0] - 1, using: &generator)
        let t = Double.random(in: 0...1, using: &generator)
        let point = xy[vertex] + t * (xy[vertex + 1] - xy[vertex])
        points += [point, SIMD2(point.x.nextUp, point.y), SIMD2(point.x, point.y.nextDown)]
      }
    }
    try check(polygons, points, atLeast: [.interior: 1000, .exterior: 1000])
    let locator = try PolygonLocator(polygons)
    for unit in [0x1p-900, 0x1p1000] {
      let scaled = try PolygonLocator(
        polygons.map { polygon in
          Polygon(
            VertexList(polygon.vertices.xy.map { $0 * unit }), ringEnds: polygon.ringEnds,
            partEnds: polygon.partEnds)
        })
      for point in points {
        for polygon in polygons.indices
        where scaled.location(of: point * unit, inPolygon: polygon)
          != locator.location(of: point, inPolygon: polygon)
        {
          Issue.record("\(point) in \(polygon) by \(unit)")
        }
      }
    }
  }

  /// Polygons without vertices are never found, nor are invalid points.
  @Test func emptyPolygonsAndPoints() throws {
    let square = Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1).polygon
    let locator = try PolygonLocator([.empty(), square, .empty()])
    #expect(locator.polygons(at: SIMD2(0.5, 0.5)) == [1])
    #expect(locator.location(of: SIMD2(0.5, 0.5), inPolygon: 0) == .exterior)
    let x = [0.5, .nan, 0.5, .infinity, -.infinity, 1]
    let y = [0.5, 0.5, .nan, 0.5, -.infinity, 1]
    #expect(locator.polygons(atEach: x, y).offsets == [0, 1, 1, 1, 1, 1, 2])
    #expect(locator.polygons(atEach: x, y, relation: .contains).items == [1])
    #expect(locator.firstPolygon(atEach: x, y) == [1, -1, -1, -1, -1, 1])
    #expect(locator.location(of: SIMD2(.nan, 0), inPolygon: 1) == .exterior)
    #expect(try PolygonLocator([]).polygons(atEach: x, y).items == [])
    #expect(locator.polygons(atEach: [], []).offsets == [0])
  }

  /// A coordinate that is not finite causes an error with the number of the first polygon that has such a
  /// coordinate.
  @Test func coordinatesAreFinite() throws {
    let square = Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1).polygon
    for wrong in [Double.nan, .infinity, -.infinity] {
      let broken = Polygon(VertexList([SIMD2(0, 0), SIMD2(0, wrong), SIMD2(1, 0)]))
      let error = #expect(throws: GeometryError.self) {
        try PolygonLocator([square, broken, broken])
      }
      #expect(error?.member == 1)
    }
  }

  /// Batches of many points and polygons give the results of single points, on one thread and on several.
  @Test func largeBatchesEqualSingleQueries() throws {
    var generator = SeededGenerator(seed: 62)
    // Points of very different densities, and a hundred polygons that overlap in one place.
    let centres = (0..<3000).map { index in
      let spread = index % 10 == 0 ? 0.5 : 1000.0
      return SIMD2(
        Double.random(in: 0...spread, using: &generator),
        Double.random(in: 0...spread, using: &generator))
    }
    let polygons = centres.map { centre in
      Polygon(
        VertexList([
          centre + SIMD2(-9, 1), centre + SIMD2(0, 9), centre + SIMD2(8, 0), centre + SIMD2(1, -7),
        ]))
    }
    let locator = try PolygonLocator(polygons)
    var (x, y): ([Double], [Double]) = ([], [])
    for index in 0..<6000 {
      let spread = index % 3 == 0 ? 2.0 : 1000.0
      x.append(.random(in: 0...spread, using: &generator))
      y.append(.random(in: 0...spread, using: &generator))
    }
    let alone = locator.polygons(atEach: x, y, workers: Workers(count: 1))
    for query in x.indices {
      let expected = locator.polygons(at: SIMD2(x[query], y[query]))
      if alone[query].map(Int.init) != expected { Issue.record("place \(query)") }
    }
    #expect(alone.items.count > 100_000)
    #expect(locator.polygons(atEach: x, y, workers: Workers(count: 4)) == alone)
  }
}
