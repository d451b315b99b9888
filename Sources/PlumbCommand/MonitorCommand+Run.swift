import ArgumentParser
import Plumb

extension MonitorCommand {
  /// Rows that are taken at once from what has arrived.
  private static let batchLimit = 65_536

  func monitor() throws {
    let console = Console(isQuiet: quiet)
    // What can be wrong at once is told before files are read.
    let chosen = try NotificationFormat.all.choose(format, output: output) ?? .jsonl
    let filter = try self.filter.map { try FeedFilter($0) }
    let message = try self.message.map { try MessageExpression($0) }
    let region = try rasterFence.map { try RasterFence($0) }
    let file = try fences.map {
      try FenceFile($0, where: condition.map { try Condition($0) }, area: envelope)
    }
    for line in GDALMessages.take() { console.warn(line) }
    let geotrigger = try geotrigger(file, region, message)
    for warning in geotrigger.fences.warnings { console.warn(warning.description) }
    if !geotrigger.fences.hasUsableFence { console.warn("there is no valid fence") }
    let notifier = try FenceNotifier(geotrigger, filter: filter)
    let source = try FeedSource(
      feed, columns, attributes: filter != nil || geotrigger.messageExpression?.readsFix == true)
    try InputGuard.check(
      output: output, inputs: [feed] + (file?.files ?? []) + (region?.files ?? []))
    let writer = try NotificationWriter(
      path: output, overwrite: overwrite,
      format: chosen,
      explains: explain, reportsCrossings: crossings)
    if source.isLive { writer.finishWhenInterrupted() }
    try watch(source, notifier, writer, region, console)
  }

  private func geotrigger(_ file: FenceFile?, _ region: RasterFence?, _ message: MessageExpression?)
    throws -> FenceGeotrigger
  {
    var rules = FenceRules()
    rules.rule = rule
    rules.feedAccuracyMode = accuracy ? .useGeometryWithAccuracy : .useGeometry
    rules.relationship = relationship
    (rules.dwell, rules.cooldown, rules.forgetsAfter) = (dwell, cooldown, forget)
    rules.reportsCrossings = crossings
    rules.firesInitially = !noInitial
    rules.measuresDistances = explain
    let set = try region?.set ?? FenceSet(file?.fences ?? [], bufferDistance: buffer)
    return FenceGeotrigger(
      name: name ?? file?.name ?? region?.name ?? "", fences: set, fenceFields: file?.fields ?? [],
      rules: rules, messageExpression: message)
  }

  private func watch(
    _ source: FeedSource, _ notifier: FenceNotifier, _ writer: NotificationWriter,
    _ region: RasterFence?, _ console: Console
  ) throws {
    let bar = ProgressBar(isQuiet: quiet)
    var issues = IssueLines(console: console)
    var rows = 0
    defer {
      bar.clear()
      issues.finish()
    }
    while let batch = try source.next(limit: Self.batchLimit) {
      let updates = notifier.update(batch, entities: source.entities)
      try writer.write(updates.notifications)
      source.release(updates.forgotten)
      let unread = source.takeIssues()
      if !unread.isEmpty || !updates.issues.isEmpty { bar.clear() }
      for issue in unread { issues.add(issue) }
      for issue in updates.issues { issues.add(issue) }
      if let fault = region?.takeFault() { console.warn("the raster fence: \(fault)") }
      rows = (batch.index.last ?? rows) + 1
      bar.show(nil, rows: rows)
    }
    for issue in source.takeIssues() { issues.add(issue) }
    try writer.finish()
  }
}

/// Lines about rows that are wrong: the first ones each, the rest by their number.
private struct IssueLines {
  private static let limit = 1000

  let console: Console
  private var count = 0

  init(console: Console) { self.console = console }

  mutating func add(_ issue: some CustomStringConvertible) {
    count += 1
    if count <= Self.limit { console.warn(issue.description) }
  }

  func finish() {
    if count > Self.limit { console.warn("and \(count - Self.limit) more rows that are wrong") }
  }
}

/// A feed of fixes, or a walk along a line.
private final class FeedSource {
  private var feed: LocationFeed?
  private var walk: SimulatedLocationSource?
  private var names = EntityNames()

  init(_ path: String, _ arguments: FeedArguments, attributes: Bool) throws {
    guard arguments.simulate else {
      let columns = LocationColumns(
        id: arguments.id, time: arguments.time, x: arguments.x, y: arguments.y)
      feed = try LocationFeed(path, columns: columns, attributes: attributes)
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

  var entities: EntityNames { feed?.entities ?? names }

  func next(limit: Int) throws -> LocationBatch? {
    if let feed { return try feed.next(limit: limit) }
    return walk?.next(limit: limit)
  }

  func release(_ entities: [Int32]) { feed?.release(entities) }

  func takeIssues() -> [LocationIssue] { feed?.takeIssues() ?? [] }
}
