import Plumb
import PlumbVerbs

/// An open map, with its options and the batches that are kept for later calls.
final class OpenMap: Sendable {
  let path: String
  let opened: OpenedMap
  /// The options with which the map was opened. Each call adds its own options.
  let request: Identify.Request
  let workers: Workers
  private let batches = IdlePool<OpenedMap.Query, MapBatch>(limit: 2)

  init(_ path: String, _ request: Identify.Request) throws {
    (self.path, self.request) = (path, request)
    let workers = Workers(count: request.threads)
    self.workers = workers
    let access = FileAccess.files(request.access)
    let open: @Sendable () throws -> Map = {
      try Map.open(path: path, access: access, workers: workers)
    }
    opened = OpenedMap(
      try open(), cache: TileCache(capacity: request.cacheBytes ?? RunContext.defaultCache),
      reopen: open)
  }

  /// The results at the single point of a request.
  func identify(_ request: Identify.Request) throws -> BodyRun<Identify.Outcome> {
    try BodyRun { try Identify.run(request, on: .map(opened), in: $0) }
  }

  /// The results at many points as a table, and the warnings.
  func table(
    _ points: SamplePoints, _ request: Identify.Request
  ) throws -> (table: ArrowTable, warnings: [MessageTemplate]) {
    var warnings: [MessageTemplate] = []
    let context = RunContext(.library) { warnings.append($0) }
    let query = try request.query(in: context)
    let table = try batches.lend(
      query, isFresh: { !$0.map.isStale },
      make: { MapBatch(try PreparedMap(opened, query, workers: workers), workers) },
      { try $0.table(points, request, context) })
    return (table, warnings)
  }
}
