import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbGeotriggers

/// The boxes that are searched first for the fixes of a batch.
@Suite struct FenceSearchBoxesTests {
  private func point(_ x: Double, _ y: Double) -> Fence {
    Fence(id: "\(x) \(y)", geometry: .point(Point(x: x, y: y, spatialReference: .wgs84)))
  }

  @Test("A box contains every end of a geodesic of the buffer's length")
  func everyDirection() throws {
    let latitudes = [0, -0.001, 12, -34, 51.5, -60, 70, 80, -85, 88]
    let fences = latitudes.enumerated().map { point([179.9999, -180, 18.4][$0 % 3], $1) }
    for buffer in [1e-3, 50, 20_000, 90_000] {
      let searchBoxes = try #require(try FenceSet(fences, bufferDistance: buffer).searchBoxes())
      for (number, fence) in fences.enumerated() {
        guard case .point(let centre) = fence.geometry else { continue }
        for azimuth in stride(from: -180.0, to: 180, by: 2.5) {
          let line = Geodesic(.wgs84).line(from: centre.xy, azimuth: azimuth)
          let point = line.point(at: buffer).point
          for turn in [0, 360.0, -360] where (point.x + turn).magnitude <= 360 {
            let found = searchBoxes.items(at: SIMD2(point.x + turn, point.y))
            #expect(found.contains(number), "\(centre.xy) \(azimuth) \(buffer)")
          }
        }
      }
    }
  }

  @Test("There are none near a pole, without a buffer and in metres")
  func none() throws {
    #expect(
      try FenceSet([point(0, 0), point(0, 88.9)], bufferDistance: 20_000).searchBoxes() == nil)
    let corner = Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1, spatialReference: .wgs84)
    let area = Fence(id: "area", geometry: .envelope(corner))
    #expect(try FenceSet([area]).searchBoxes() == nil)
    let metres = try SpatialReference("EPSG:32734")
    let post = Point(x: 300_000, y: 6_200_000, spatialReference: metres)
    let fence = Fence(id: "post", geometry: .point(post))
    #expect(try FenceSet([fence], bufferDistance: 10).searchBoxes() == nil)
  }
}
