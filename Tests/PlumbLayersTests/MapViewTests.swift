import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

@testable import PlumbLayers

@Suite struct MapViewTests {
  private static func view(
    _ reference: String, _ center: SIMD2<Double>, scale: Double, rotation: Double = 0
  ) throws -> MapView {
    let map = Map(spatialReference: try SpatialReference(reference))
    return try MapView(
      map,
      viewpoint: Viewpoint(
        center: Point(x: center.x, y: center.y), scale: scale, rotation: rotation),
      width: 800, height: 600)
  }

  /// An inch has 96 pixels, and is 0.0254 m multiplied by the scale on the ground.
  @Test func anInchOnTheScreenIsAScaledInchOnTheGround() throws {
    let view = try Self.view("EPSG:32734", SIMD2(260_000, 6_240_000), scale: 50_000)
    let middle = view.location(of: SIMD2(400, 300))
    #expect(middle.x == 260_000 && middle.y == 6_240_000)
    let right = view.location(of: SIMD2(496, 300))
    #expect((right.x - middle.x - 1270).magnitude < 1e-9 && right.y == middle.y)
    let below = view.location(of: SIMD2(400, 396))
    #expect((middle.y - below.y - 1270).magnitude < 1e-8 && below.x == middle.x)
  }

  /// Scales of maps in degrees apply at the equator: at 1:111319490.79… one degree is one metre.
  @Test func degreesCountOnTheEquator() throws {
    let view = try Self.view("EPSG:4326", SIMD2(18, -34), scale: 6_378_137 * .pi / 180)
    let side = view.location(of: SIMD2(401, 300)).x - 18
    #expect((side - 0.0254 / 96).magnitude < 1e-14)
  }

  /// If the map is rotated by 90°, north is on the left.
  @Test func rotationTurnsCounterClockwise() throws {
    let view = try Self.view("EPSG:3857", SIMD2(0, 0), scale: 96 / 0.0254, rotation: 90)
    let left = view.location(of: SIMD2(300, 300))
    #expect(left.x.magnitude < 1e-9 && (left.y - 100).magnitude < 1e-9)
  }

  @Test func screenAndMapAreEachOthersInverse() throws {
    var random = SeededGenerator(seed: 41)
    for _ in 0..<500 {
      let view = try Self.view(
        "EPSG:3857", SIMD2(.random(in: -1e7...1e7, using: &random), 5e5),
        scale: .random(in: 500...5e7, using: &random),
        rotation: .random(in: -720...720, using: &random))
      let screen = SIMD2(
        Double.random(in: -100...900, using: &random),
        Double.random(in: -100...700, using: &random))
      let back = view.screenPoint(of: view.location(of: screen))
      #expect((back.x - screen.x).magnitude < 1e-4 && (back.y - screen.y).magnitude < 1e-4)
    }
  }

  @Test func aCentreInAnotherReferenceIsProjected() throws {
    let map = Map(spatialReference: try SpatialReference("EPSG:3857"))
    let view = try MapView(
      map,
      viewpoint: Viewpoint(
        center: Point(x: 90, y: 0, spatialReference: .wgs84), scale: 1000),
      width: 10, height: 10)
    #expect((view.viewpoint.center.x - 6_378_137 * .pi / 2).magnitude < 1e-6)
  }

  @Test(arguments: [0, -1, Double.nan, .infinity]) func aScaleHasToBeANumberAbove0(scale: Double) {
    #expect(throws: LayerError.self) { try Self.view("EPSG:3857", SIMD2(0, 0), scale: scale) }
  }
}
