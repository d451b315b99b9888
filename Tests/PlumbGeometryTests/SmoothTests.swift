import PlumbCore
import PlumbGeometry
import Synchronization
import Testing

@Suite struct SmoothTests {
  @Test func theResultDoesNotDependOnTheThread() {
    let smooth = Atomic<Int>(0)
    Workers(count: 4).run(60) { _, _ in
      guard let from = try? SpatialReference("EPSG:4326"),
        let to = try? SpatialReference("EPSG:32734"),
        let transformation = try? Transformation(from: from, to: to)
      else { return }
      if transformation.isSmooth { smooth.wrappingAdd(1, ordering: .relaxed) }
    }
    #expect(smooth.load(ordering: .relaxed) == 60)
  }
}
