import Plumb
import Synchronization
import Testing

/// Work that was given up: threads know of it, and leave well-formed answers.
@Suite struct CancellationTests {
  @Test func threadsHaveThatOfWhoStartsThem() {
    let cancellation = WorkCancellation()
    cancellation.cancel()
    let seen = Atomic<Int>(0)
    WorkCancellation.with(cancellation) {
      Workers(count: 4).run(64) { _, _ in
        if WorkCancellation.isCurrentCancelled { seen.add(1, ordering: .relaxed) }
      }
      WorkCancellation.with(nil) { #expect(!WorkCancellation.isCurrentCancelled) }
      #expect(WorkCancellation.isCurrentCancelled)
    }
    #expect(seen.load(ordering: .relaxed) == 64)
    #expect(!WorkCancellation.isCurrentCancelled)
  }

  @Test func listsOfWorkThatWasGivenUpAreEmpty() {
    let cancellation = WorkCancellation()
    cancellation.cancel()
    let square = Polygon(
      VertexList([SIMD2(0, 0), SIMD2(1, 0), SIMD2(1, 1), SIMD2(0, 1), SIMD2(0, 0)]))
    let locator = GeometryLocator([.polygon(square)])
    let x = [Double](repeating: 0.5, count: 3000)
    let lists = WorkCancellation.with(cancellation) {
      locator.items(atEach: x, x, count: x.count, workers: Workers(count: 2))
    }
    #expect(lists.count == x.count)
  }
}
