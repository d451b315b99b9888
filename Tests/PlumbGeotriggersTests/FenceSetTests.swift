import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbGeotriggers

@Suite struct FenceSetTests {
  private func fence(_ id: String, _ geometry: Geometry, _ reference: SpatialReference? = .wgs84)
    -> Fence
  {
    var geometry = geometry
    geometry.spatialReference = reference
    return Fence(id: id, geometry: geometry)
  }

  private let square = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1))

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test("Single bad fences are warnings by id, and the others keep their positions")
  func warnings() throws {
    let fences = [
      fence("point", .point(Point(x: 0, y: 0))),
      fence("line", .polyline(Polyline(VertexList([[0, 0], [1, 1]])))),
      fence("empty", .polygon(.empty())),
      fence("nan", .polygon(Polygon(VertexList([[0, 0], [0, .nan], [1, 1]])))),
      fence("far", .polygon(Polygon(VertexList([[0, 0], [0, 91], [1, 1]])))),
      fence("good", square),
      fence("bare", square, nil),
    ]
    let set = try FenceSet(fences)
    #expect(
      set.warnings.map(\.description) == [
        "fence point: a point needs a buffer distance",
        "fence line: a line needs a buffer distance",
        "fence empty: its geometry is empty",
        "fence nan: the coordinate 0.0, nan is not finite",
        "fence far: the latitude 91.0 is beyond the pole",
      ])
    var batch = LocationBatch()
    (batch.entity, batch.time, batch.x, batch.y) = ([0], [0], [0.5], [0.5])
    #expect(try FenceTracker(set).update(batch).events.map(\.fence) == [5, 6])
    #expect(try FenceSet(fences, bufferDistance: 1).warnings.map(\.id) == ["empty", "nan", "far"])
  }

  @Test("Without usable fences nothing is entered, and the set reports it")
  func noneUsable() throws {
    var batch = LocationBatch()
    (batch.entity, batch.time, batch.x, batch.y) = ([0], [0], [0], [0])
    for set in [try FenceSet([]), try FenceSet([fence("p", .point(Point(x: 0, y: 0)))])] {
      #expect(!set.hasUsableFence)
      #expect(set.warnings.count == set.fences.count)
      #expect(try FenceTracker(set).update(batch).events.isEmpty)
    }
  }

  @Test("Faults of the whole set are one error")
  func errors() throws {
    #expect(
      message { _ = try FenceSet([fence("s", square, nil)]) }
        == "the fences have no spatial reference")
    for distance in [-1, .nan, .infinity] {
      #expect(
        message { _ = try FenceSet([fence("s", square)], bufferDistance: distance) }
          == "the buffer distance \(distance) is not a number of metres, 0 or more")
    }
    let utm = try SpatialReference("EPSG:32634")
    #expect(
      message { _ = try FenceSet([fence("a", square), fence("b", square, utm)]) }
        == "fence b is in EPSG:32634, others in EPSG:4326: project them to one")
    let set = try FenceSet([fence("s", square)])
    var rules = FenceRules()
    rules.dwell = -1
    #expect(
      message { _ = try FenceTracker(set, rules) }
        == "the dwell time -1.0 is not a number of seconds, 0 or more")
  }

  @Test("Fences in another CRS: straight edges there, geodesic distances on the ground")
  func projected() throws {
    let utm = try SpatialReference("EPSG:32634")
    var source = FenceWorld(seed: 41, centre: [500_000, 6_000_000], extent: [2000, 2000])
    source.highest = .infinity
    for buffer in [0.0, 150] {
      let fences = source.fences(20, [.area, .holed, .parts]).map { fence in
        var fence = fence
        fence.geometry.spatialReference = utm
        return fence
      }
      // The same edges in degrees, divided into pieces so short that the difference does not
      // matter.
      let dense = try fences.map { fence in
        var fence = fence
        fence.geometry = try GeometryEngine.project(
          GeometryEngine.densify(fence.geometry, maxSegmentLength: 20), to: .wgs84)
        return fence
      }
      var degrees = FenceWorld(seed: 42, centre: [21, 54.14], extent: [0.03, 0.02])
      let batch = degrees.batch(800, entities: 4)
      let a = try FenceTracker(FenceSet(fences, bufferDistance: buffer)).update(batch)
      let b = try FenceTracker(FenceSet(dense, bufferDistance: buffer)).update(batch)
      #expect(a.found(fences) == b.found(fences) && a.events.count > 50, "\(a.events.count)")
    }
  }

  @Test("A fence's geometry is its geodesic buffer on WGS84")
  func geometry() throws {
    let point = fence("p", .point(Point(x: 179.9999, y: 10)))
    let set = try FenceSet([point], bufferDistance: 100)
    let circle = try set.geometry(of: 0)
    #expect(circle.spatialReference == .wgs84 && circle.dimension == 2)
    let earth = Geodesic(.wgs84)
    for vertex in circle.vertices.xy where vertex.x.magnitude != 180 {
      let distance = earth.distance(from: SIMD2(179.9999, 10), to: vertex)
      #expect((distance - 100).magnitude < 0.011)
    }
    let fenceGeometry = try FenceSet([fence("s", square)]).geometry(of: 0)
    #expect(fenceGeometry == fence("s", square).geometry)
    let mercator = try SpatialReference("EPSG:3857")
    let area = fence(
      "m", .envelope(Envelope(xMin: 0, yMin: 7e6, xMax: 2e6, yMax: 8e6)), mercator)
    let projected = try FenceSet([area]).geometry(of: 0)
    // Rhumb lines along parallels and meridians stay straight.
    let corner = try GeometryEngine.project(area.geometry, to: .wgs84).envelope
    #expect((projected.envelope.yMax - corner.yMax).magnitude < 1e-6)
    #expect(message { _ = try set.geometry(of: 1) } == "there is no fence 1, only 1")
  }
}
