import Plumb
import PlumbCore
import PlumbFeeds
import PlumbGeotriggers

/// The locations of a request, from a feed or from a simulated walk along a line. Only one thread
/// at a time may use a source.
package final class FeedSource {
  private var feed: LocationFeed?
  private var walk: SimulatedLocationSource?
  private var names = EntityNames()

  /// - Parameters:
  ///   - path: the path of the feed or of the line.
  ///   - attributes: whether expressions read attributes of locations.
  package init(_ path: String, _ request: Monitor.Request, attributes: Bool) throws {
    guard request.simulates else {
      feed = try LocationFeed(
        path, columns: request.columns, attributes: attributes, maxAhead: request.maxAhead)
      return
    }
    let pace: SimulatedLocationSource.Pace =
      request.segment == nil ? .velocity(request.velocity ?? 10) : .vertexPerUpdate
    walk = try SimulatedLocationSource(
      SimulatedLocationSource.line(path: path), pace: pace, maxSegmentLength: request.segment,
      start: try request.start.map { try LocationFeed.time($0) } ?? 0,
      entity: names.number(of: ""))
  }

  /// Whether the feed is endless, so that only the user can end the run.
  package var isLive: Bool { feed?.isLive ?? false }

  /// The reason why no location was usable; nil if at least one was usable.
  package var emptiness: PlumbError? { feed?.emptiness }

  package var entities: EntityNames { feed?.entities ?? names }

  /// Waits up to some milliseconds, and returns whether `next` would then return without waiting.
  package func isReady(within milliseconds: Int32) throws -> Bool {
    try feed?.isReady(within: milliseconds) ?? true
  }

  /// The next locations; nil at the end.
  package func next(limit: Int) throws -> LocationBatch? {
    if let feed { return try feed.next(limit: limit) }
    return walk?.next(limit: limit)
  }

  package func release(_ entities: [Int32]) { feed?.release(entities) }

  package func drainIssues() -> [LocationIssue] { feed?.drainIssues() ?? [] }

  package func drainRemarks() -> [String] { feed?.drainRemarks() ?? [] }
}
