import Plumb

/// A feed of locations, or a walk along a line.
final class FeedSource {
  private var feed: LocationFeed?
  private var walk: SimulatedLocationSource?
  private var names = EntityNames()

  init(_ path: String, _ arguments: FeedArguments, attributes: Bool) throws {
    guard arguments.simulate else {
      let columns = LocationColumns(
        id: arguments.id, time: arguments.time, x: arguments.x, y: arguments.y)
      feed = try LocationFeed(
        path, columns: columns, attributes: attributes, maxAhead: arguments.maxAhead)
      return
    }
    let pace: SimulatedLocationSource.Pace =
      arguments.segment == nil ? .velocity(arguments.velocity ?? 10) : .vertexPerUpdate
    walk = try SimulatedLocationSource(
      SimulatedLocationSource.line(path: path), pace: pace, maxSegmentLength: arguments.segment,
      start: try arguments.start.map { try LocationFeed.time($0) } ?? 0,
      entity: names.number(of: ""))
  }

  /// Whether it ends only when the user says so.
  var isLive: Bool { feed?.isLive ?? false }

  /// What is wrong where not a single location came.
  var emptiness: PlumbError? { feed?.emptiness }

  var entities: EntityNames { feed?.entities ?? names }

  func next(limit: Int) throws -> LocationBatch? {
    if let feed { return try feed.next(limit: limit) }
    return walk?.next(limit: limit)
  }

  func release(_ entities: [Int32]) { feed?.release(entities) }

  func takeIssues() -> [LocationIssue] { feed?.takeIssues() ?? [] }

  func takeRemarks() -> [String] { feed?.takeRemarks() ?? [] }
}
