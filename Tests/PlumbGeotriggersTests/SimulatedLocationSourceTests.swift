import Foundation
import PlumbCore
import PlumbGeometry
import PlumbGeotriggers
import PlumbTestSupport
import Testing

@Suite struct SimulatedLocationSourceTests {
  private func fixes(
    _ vertices: [SIMD2<Double>], partEnds: [Int]? = nil,
    pace: SimulatedLocationSource.Pace = .standard, maxSegmentLength: Double? = nil,
    start: Int64 = 0
  ) throws -> LocationBatch {
    var source = try SimulatedLocationSource(
      Polyline(VertexList(vertices), partEnds: partEnds), pace: pace,
      maxSegmentLength: maxSegmentLength, start: start)
    let count = source.count
    let (first, rest) = (source.next(limit: .max), source.next(limit: 1))
    let batch = try #require(first)
    #expect(batch.count == count && rest?.count == nil)
    #expect(batch.index == Array(0..<count))
    #expect(batch.time == (0..<count).map { start + Int64($0) * 1000 })
    #expect(batch.horizontalAccuracy.isEmpty && batch.attributes.isEmpty)
    return batch
  }

  // MARK: GeographicLib's program

  private static let geodSolve = "/usr/bin/GeodSolve"

  /// Distance in metres and azimuths at both ends of each pair, by GeographicLib's `GeodSolve`.
  private func inverse(
    _ pairs: [(SIMD2<Double>, SIMD2<Double>)]
  ) throws -> [(distance: Double, start: Double, end: Double)] {
    let input = pairs.map { "\($0.y) \($0.x) \($1.y) \($1.x)\n" }.joined()
    let run = try ProgramRun(Self.geodSolve, ["-i", "-p", "9"], input: input)
    let lines = run.output.split(separator: "\n")
    try #require(run.status == 0 && lines.count == pairs.count)
    return try lines.map { line in
      let numbers = line.split(separator: " ").compactMap { Double($0) }
      try #require(numbers.count == 3)
      return (numbers[2], numbers[0], numbers[1])
    }
  }

  /// The path of the samples, from its EsriJSON.
  private func walk() throws -> [SIMD2<Double>] {
    let path =
      (TestPaths.data ?? "") + "/tracks/santa_barbara_botanic_garden_walking_tour.esri.json"
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let paths = try #require(json["paths"] as? [[[Double]]])
    return paths[0].map { SIMD2($0[0], $0[1]) }
  }

  private func near(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool {
    let turn = abs((a - b).remainder(dividingBy: 360))
    return turn <= tolerance
  }

  private static let hasOracle =
    TestPaths.data != nil && FileManager.default.isExecutableFile(atPath: geodSolve)

  @Test(
    "Along the sample path the distance from fix to fix is the velocity, by GeographicLib",
    .enabled(if: hasOracle, "GeodSolve or the shared data are absent"))
  func spacing() throws {
    let vertices = try walk()
    let segments = try inverse(Array(zip(vertices, vertices.dropFirst())))
    var ends = [0.0]
    for segment in segments { ends.append(ends[ends.count - 1] + segment.distance) }
    let length = ends[ends.count - 1]
    #expect(length > 900)
    for velocity in [1.4, 10, 333] {
      let batch = try fixes(vertices, pace: .velocity(velocity))
      #expect(batch.count == Int(length / velocity) + 2)
      #expect(batch.speed.allSatisfy { $0 == velocity })
      // The expected position of each fix: on the segment that contains k × velocity, at the remainder.
      var pairs: [(SIMD2<Double>, SIMD2<Double>)] = []
      var holders: [Int] = []
      for row in 0..<(batch.count - 1) {
        let holder = (ends.firstIndex { $0 > Double(row) * velocity } ?? 1) - 1
        holders.append(holder)
        pairs.append((vertices[holder], SIMD2(batch.x[row], batch.y[row])))
      }
      for (row, way) in try inverse(pairs).enumerated() {
        let holder = holders[row]
        let rest = Double(row) * velocity - ends[holder]
        #expect(abs(way.distance - rest) < 1e-6, "location \(row)")
        guard rest > 0.01 else { continue }
        #expect(
          near(way.start, segments[holder].start, 1e-4 / rest), "location \(row) is on its segment")
        #expect(near(batch.course[row], segments[holder].start, 1e-3))
        #expect(batch.course[row] >= 0 && batch.course[row] < 360)
      }
      #expect(batch.x.last == vertices.last?.x && batch.y.last == vertices.last?.y)
    }
  }

  @Test(
    "One vertex per update: the vertices themselves, each with the course of the next segment",
    .enabled(if: hasOracle, "GeodSolve or the shared data are absent"))
  func vertices() throws {
    let vertices = try walk()
    let batch = try fixes(vertices, pace: .vertexPerUpdate, start: 1_777_636_800_000)
    #expect(zip(batch.x, batch.y).map { SIMD2($0, $1) } == vertices)
    let segments = try inverse(Array(zip(vertices, vertices.dropFirst())))
    for (row, segment) in segments.enumerated() where segment.distance > 0 {
      #expect(near(batch.course[row], segment.start, 1e-6), "location \(row)")
      #expect(abs(batch.speed[row] - segment.distance) < 1e-6)
    }
    #expect(near(batch.course[vertices.count - 1], segments[segments.count - 1].end, 1e-6))
    // Densified: the same vertices in the same order, at most the given distance apart.
    let dense = try fixes(vertices, pace: .vertexPerUpdate, maxSegmentLength: 2)
    let points = zip(dense.x, dense.y).map { SIMD2($0, $1) }
    #expect(points.count > vertices.count)
    var next = vertices[...]
    for point in points where point == next.first { next.removeFirst() }
    #expect(next.isEmpty)
    let steps = try inverse(Array(zip(points, points.dropFirst())))
    #expect(steps.allSatisfy { $0.distance <= 2 + 1e-6 })
    let whole = segments.reduce(0) { $0 + $1.distance }
    #expect(abs(steps.reduce(0) { $0 + $1.distance } - whole) < 1e-5)
  }

  // MARK: Closed forms

  @Test("Along the equator points are equal arcs apart, also over the antimeridian")
  func equator() throws {
    // One degree of the equator is π a / 180.
    let degree = Double.pi * 6_378_137 / 180
    for start in [0.0, 179.5, -180] {
      let end = start + 1 > 180 ? start - 359 : start + 1
      let batch = try fixes([SIMD2(start, 0), SIMD2(end, 0)], pace: .velocity(degree / 10))
      #expect(batch.count == 11 || batch.count == 12)
      for row in 0..<10 {
        #expect(near(batch.x[row], start + Double(row) / 10, 1e-9) && abs(batch.y[row]) < 1e-12)
        #expect(abs(batch.x[row]) <= 180 && abs(batch.course[row] - 90) < 1e-9)
      }
    }
  }

  @Test("A part of one point is one fix; repeated vertices are steps only if vertices are")
  func degenerate() throws {
    let one = try fixes([SIMD2(1, 2)])
    #expect(one.x == [1] && one.y == [2] && one.course[0].isNaN)
    #expect(try fixes([SIMD2(1, 2), SIMD2(1, 2)]).x == [1])
    let twice = try fixes([SIMD2(1, 2), SIMD2(1, 2), SIMD2(2, 2)], pace: .vertexPerUpdate)
    #expect(twice.count == 3 && twice.course[0] == twice.course[1] && twice.speed[0] == 0)
    let still = try fixes([SIMD2(1, 2), SIMD2(1, 2)], pace: .vertexPerUpdate)
    #expect(still.count == 2 && still.course.allSatisfy(\.isNaN) && still.speed == [0, 0])
    let parts = try fixes(
      [SIMD2(0, 0), SIMD2(0.0001, 0), SIMD2(5, 5), SIMD2(5, 5.0001)], partEnds: [2, 4])
    #expect(parts.count == 6 && parts.x[3] == 5 && parts.y[5] == 5.0001)
    let pole = try fixes([SIMD2(0, 89.9999), SIMD2(180, 89.9999)], pace: .velocity(5))
    #expect(pole.y.allSatisfy { $0 <= 90 } && pole.count == 6)
  }

  @Test("Pieces of any size give the whole; each fix has the accuracy and entity")
  func pieces() throws {
    let line = Polyline(VertexList([SIMD2(0, 0), SIMD2(0.01, 0.01)]))
    let whole = try fixes([SIMD2(0, 0), SIMD2(0.01, 0.01)])
    var source = try SimulatedLocationSource(
      line, horizontalAccuracy: 5, verticalAccuracy: 8, entity: 3)
    var x: [Double] = []
    while let batch = source.next(limit: 7) {
      #expect(batch.count <= 7 && batch.index.first == x.count)
      #expect(
        batch.horizontalAccuracy.allSatisfy { $0 == 5 } && batch.entity.allSatisfy { $0 == 3 })
      #expect(batch.verticalAccuracy == Array(repeating: 8, count: batch.count))
      x += batch.x
    }
    #expect(x == whole.x)
  }

  @Test("An invalid path is an error in one line")
  func errors() {
    func error(
      _ vertices: [SIMD2<Double>], _ pace: SimulatedLocationSource.Pace = .standard,
      _ maxSegmentLength: Double? = nil
    ) -> String {
      do {
        _ = try SimulatedLocationSource(
          Polyline(VertexList(vertices)), pace: pace, maxSegmentLength: maxSegmentLength)
        return "none"
      } catch { return error.message }
    }
    let line = [SIMD2(0.0, 0.0), SIMD2(1, 1)]
    #expect(error([]) == "the line is empty")
    for velocity in [0, -1, Double.nan, .infinity] {
      #expect(error(line, .velocity(velocity)).hasPrefix("the velocity must be above 0"))
    }
    #expect(error(line, .velocity(1e-9)).contains("gives too many locations"))
    #expect(error(line, .standard, 0).contains("must be above 0"))
    #expect(error([SIMD2(0, 0), SIMD2(0, 91)]).contains("not a longitude and latitude"))
    #expect(error([SIMD2(0, 0), SIMD2(.nan, 1)]) != "none")
    #expect(error([SIMD2(0, 0), SIMD2(.infinity, 1)]) != "none")
  }
}
