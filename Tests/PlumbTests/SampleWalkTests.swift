import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The sample garden and the walks through it in `rasters/`.
@Suite struct SampleWalkTests {
  @Test(
    "the walkers keep to the path: no fix is farther from it than the random offset of their points"
  )
  func nearThePath() throws {
    let path = try SimulatedLocationSource.line(path: TestPaths.rasters + "/walk.esri.json")
    let feed = try LocationFeed(TestPaths.rasters + "/walk.csv", attributes: false)
    var counts: [String: Int] = [:]
    while let batch = try feed.next(limit: 100) {
      for row in 0..<batch.count {
        let point = Point(x: batch.x[row], y: batch.y[row], spatialReference: .wgs84)
        let distance = try GeometryEngine.distance(
          from: .polyline(path), to: .point(point), measure: .geodesic())
        #expect(distance < 2.2)
        counts[feed.entities[batch.entity[row]], default: 0] += 1
      }
    }
    #expect(feed.drainIssues().isEmpty)
    #expect(counts["ada"] ?? 0 > 100 && counts["ben"] ?? 0 > 100 && counts.count == 2)
  }
}
