import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry
@testable import PlumbGeotriggers

/// Compares crossings of borders between two locations with dense samples of the same path.
@Suite struct CrossingTests {
  private func probe(_ fences: [Fence], _ buffer: Double) throws -> FenceProbe {
    let set = try FenceSet(fences, bufferDistance: buffer)
    return FenceProbe(fences: set, tools: try FenceProbe.Tools(set.reference))
  }

  @Test(
    "The number of crossings between two samples is odd if one of them is inside",
    arguments: BruteForceTests.worlds, [0, 0.05])
  func agreesWithSamples(_ world: BruteForceTests.World, _ part: Double) throws {
    var source = FenceWorld(seed: 21, centre: world.centre, extent: world.extent)
    let earth = Geodesic(.wgs84)
    let buffer =
      part * earth.distance(from: world.centre, to: world.centre - SIMD2(0, world.extent.y))
    let fences = source.fences(
      8, part == 0 ? [.area, .holed, .parts, .box] : FenceWorld.Kind.allCases)
    let shapes = try fences.map { try BruteDistance($0.geometry) }
    let probe = try probe(fences, buffer)
    let steps = 120
    var (passed, several) = (0, 0)
    for _ in 0..<12 {
      let (a, b) = (source.point(), source.point())
      let path = try #require(FencePath(probe, from: a, to: b))
      var found: [Int: [Double]] = [:]
      path.forEachFence { found[$0.fence] = $0.points }
      let azimuth = earth.inverse(from: a, to: b).startAzimuth
      for fence in fences.indices {
        let points = found[fence] ?? []
        #expect(points == points.sorted())
        passed += points.count
        several += points.count > 1 ? 1 : 0
        let spacing = path.length / Double(steps)
        let isInside = (0...steps).map { step in
          let point = earth.direct(from: a, azimuth: azimuth, distance: Double(step) * spacing)
          return shapes[fence].distance(point, maximumDistance: buffer + 1) <= buffer
        }
        for step in 0..<steps {
          let (low, high) = (Double(step) * spacing, Double(step + 1) * spacing)
          let between = points.filter { $0 >= low && $0 < high }
          #expect(
            between.count % 2 == (isInside[step] != isInside[step + 1] ? 1 : 0),
            "\(world) fence \(fence) \(a) \(b) \(low)...\(high): \(points)")
        }
        // Each point is on the border of the buffered fence.
        for distance in points {
          let point = path.degrees(at: distance)
          let gap =
            buffer == 0
            ? shapes[fence].toEdges(point) : shapes[fence].toEdges(point) - buffer
          let depth = shapes[fence].holds(point) && buffer > 0 ? 0 : gap
          #expect(depth.magnitude < 2e-3, "\(world) \(depth)")
        }
      }
    }
    #expect(passed > 15 && several > 5, "\(passed) \(several)")
  }

  private static func fence(_ points: [SIMD2<Double>]) -> Fence {
    var polygon = Polygon(VertexList(points))
    polygon.spatialReference = .wgs84
    return Fence(id: "f", geometry: .polygon(polygon))
  }

  @Test("A touch is not a crossing: at a corner, along a border, and from within")
  func touches() throws {
    // A diamond around 0, 0, with a corner on the equator, like the path.
    let diamond = Self.fence([[0, 0], [0.01, 0.01], [0, 0.02], [-0.01, 0.01]])
    let square = Self.fence([[0, 0], [0.01, 0], [0.01, 0.01], [0, 0.01]])
    for (fence, from, to) in [
      (diamond, SIMD2(-0.02, 0.0), SIMD2(0.02, 0.0)),
      // The equator and the meridians are geodesics.
      (square, SIMD2(-0.02, 0.0), SIMD2(0.02, 0.0)),
      (square, SIMD2(0.01, -0.02), SIMD2(0.01, 0.03)),
      (square, SIMD2(0.002, 0.0), SIMD2(0.008, 0.0)),
      (diamond, SIMD2(-0.001, 0.01), SIMD2(0.009, 0.01)),
    ] {
      let probe = try probe([fence], 0)
      for (a, b) in [(from, to), (to, from)] {
        let path = try #require(FencePath(probe, from: a, to: b))
        #expect(path.passages(of: 0).points.isEmpty, "\(a) \(b)")
      }
    }
  }

  @Test("Crossings of a circle's border are those of the closed form")
  func circle() throws {
    var point = Point(x: 0, y: 0)
    point.spatialReference = .wgs84
    let probe = try probe([Fence(id: "p", geometry: .point(point))], 100)
    let path = try #require(FencePath(probe, from: [-0.01, 0], to: [0.01, 0]))
    // Along the equator a degree is π a / 180.
    let middle = 6_378_137 * Double.pi / 180 * 0.01
    let points = path.passages(of: 0).points
    try #require(points.count == 2)
    #expect((points[0] - (middle - 100)).magnitude < 1e-5)
    #expect((points[1] - (middle + 100)).magnitude < 1e-5)
  }

  @Test("A path over ±180° crosses fences there and none on the other side of the Earth")
  func antimeridian() throws {
    let fences = [
      Self.fence([[179.99, 0], [180.01, 0], [180.01, 0.01], [179.99, 0.01]]),
      Self.fence([[-0.1, 0], [0.1, 0], [0.1, 0.01], [-0.1, 0.01]]),
      Self.fence([[-179.985, 0], [-179.98, 0], [-179.98, 0.01], [-179.985, 0.01]]),
    ]
    let path = try #require(
      FencePath(try probe(fences, 0), from: [179.97, 0.005], to: [-179.97, 0.005]))
    var found: [Int: Int] = [:]
    path.forEachFence { found[$0.fence] = $0.points.count }
    #expect(found == [0: 2, 2: 2])
  }
}
