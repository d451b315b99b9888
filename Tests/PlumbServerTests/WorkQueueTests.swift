import PlumbCore
import PlumbServer
import Testing

/// The order in which requests get their turn.
@Suite struct WorkQueueTests {
  private func job(
    _ client: String, isPicture: Bool = false, isLarge: Bool = false
  ) -> WorkJob {
    WorkJob(
      WorkPool.Turn(client: client, isPicture: isPicture, isLarge: isLarge), WorkCancellation(),
      work: { _ in }, fail: {})
  }

  private func makeQueue(largeLimit: Int = .max, _ jobs: [WorkJob]) -> WorkQueue {
    var queue = WorkQueue(limit: 100, perClient: 2, largeLimit: largeLimit)
    for job in jobs { #expect(add(job, to: &queue)) }
    return queue
  }

  private func add(_ job: WorkJob, to queue: inout WorkQueue) -> Bool { queue.add(job) }

  /// Returns the next job; nil if no job can start.
  private func next(_ queue: inout WorkQueue) -> WorkJob? { queue.next() ?? nil }

  @Test func largeJobsAreLimited() {
    let (first, second, third) = (
      job("a", isLarge: true), job("b", isLarge: true), job("c", isLarge: true)
    )
    let small = job("b")
    var queue = makeQueue(largeLimit: 2, [first, second, third, small])
    #expect(next(&queue) === first)
    #expect(next(&queue) === second)
    #expect(next(&queue) === small)
    #expect(next(&queue) == nil && queue.count == 1)
    queue.end(small)
    #expect(next(&queue) == nil)
    queue.end(first)
    #expect(next(&queue) === third)
    #expect(next(&queue) == nil && queue.count == 0)
  }

  /// Other requests of the same client do not wait for its large requests.
  @Test func smallJobsOvertakeLargeJobs() {
    let (first, second, small) = (job("a", isLarge: true), job("a", isLarge: true), job("a"))
    var queue = makeQueue(largeLimit: 1, [first, second, small])
    #expect(next(&queue) === first)
    #expect(next(&queue) === small)
    #expect(next(&queue) == nil)
    queue.end(first)
    #expect(next(&queue) === second)
  }

  @Test func largeJobsWaitWhileTheyAreHeld() {
    let (large, picture, small) = (
      job("a", isLarge: true), job("a", isPicture: true, isLarge: true), job("b")
    )
    var queue = makeQueue([large, picture, small])
    queue.holdsLarge = true
    #expect(next(&queue) === small)
    #expect(next(&queue) == nil && queue.count == 2)
    queue.isClosed = true
    #expect(next(&queue) == nil && queue.count == 2)
    queue.holdsLarge = false
    #expect(next(&queue) === large)
    #expect(next(&queue) === picture)
    queue.end(large)
    queue.end(picture)
    queue.end(small)
    var hasEnded = false
    if case .some(.none) = queue.next() { hasEnded = true }
    #expect(hasEnded)
  }

  @Test func jobsRunOneByOne() {
    let jobs = ["a", "b"].map { job($0) }
    var queue = makeQueue(jobs)
    queue.runsOneByOne = true
    #expect(next(&queue) === jobs[0])
    #expect(next(&queue) == nil)
    queue.end(jobs[0])
    #expect(next(&queue) === jobs[1])
  }

  @Test func clientsTakeTurns() {
    let many = (0..<5).map { _ in job("a") }
    let (one, two) = (job("b"), job("c"))
    var queue = makeQueue(many + [one, two])
    let order = (0..<4).compactMap { _ in next(&queue) }
    #expect(order.map(\.turn.client) == ["a", "b", "c", "a"])
    // The limit per client.
    #expect(next(&queue) == nil)
    queue.end(many[0])
    #expect(next(&queue) === many[2])
    let removed = [queue.remove(many[3]), queue.remove(many[3])]
    #expect(removed == [true, false] && queue.count == 1)
  }

  @Test func newPicturesAreFirst() {
    let (first, second) = (job("a", isPicture: true), job("a", isPicture: true))
    var queue = makeQueue([first, second])
    #expect(next(&queue) === second)
    #expect(next(&queue) === first)
  }

  @Test func queuesAreBounded() {
    var queue = WorkQueue(limit: 8, perClient: 2)
    let added = (0..<3).map { _ in queue.add(job("a")) }
    #expect(added == [true, true, false])
    for number in 0..<6 { #expect(add(job("c\(number)"), to: &queue)) }
    #expect(!add(job("d"), to: &queue))
    queue.isClosed = true
    #expect(!add(job("d"), to: &queue))
  }
}
