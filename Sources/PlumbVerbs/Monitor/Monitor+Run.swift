import Plumb
import PlumbCore
import PlumbFeeds
import PlumbGeotriggers

extension Monitor {
  /// The maximum number of rows to read at once.
  private static let batchLimit = 65_536

  /// The destination of events.
  fileprivate enum Target {
    /// A file or standard output.
    case file(NotificationFormat)
    case table(DatabaseTable)
  }

  /// Checks the options of a request.
  ///
  /// - Throws: `OptionViolation`.
  package static func check(
    _ request: Request, by frontEnd: FrontEnd
  ) throws(OptionViolation) {
    try options.check(request, by: frontEnd)
    // An unknown format is reported when the output is opened.
    if request.appends, request.outputTable == nil,
      let format = try? request.outputFormat, !format.isLines
    {
      throw OptionViolation(
        "\(.append) needs a format with lines: give \(.format) jsonl, csv or geojsonseq")
    }
  }

  /// Monitors the fences of a request until its feed ends, and writes the events.
  ///
  /// - Parameter onReopen: receives a closure that reopens the output file by its name, if the feed is
  ///   endless.
  /// - Throws: `OptionViolation` for an invalid combination of options; otherwise the first error.
  package static func run(
    _ request: Request, in context: RunContext,
    onReopen: (@escaping @Sendable () -> Void) -> Void
  ) throws -> Outcome {
    try check(request, by: context.frontEnd)
    guard let feed = request.feed else { preconditionFailure("the command has a feed") }
    // Checks the options before any file is read.
    let target = try request.target()
    let watched = try {
      defer { context.collectLibraryMessages() }
      return try WatchedFences(
        request.plan, access: context.access,
        services: context.services ?? FeatureServices(access: context.access, signIn: nil),
        workers: Workers(count: request.threads), warn: context.warn)
    }()
    let source = try FeedSource(feed, request, attributes: watched.readsAttributes)
    let inputs = [feed] + watched.files
    try InputGuard.check(output: request.output, inputs: inputs)
    let picture = try ResultPicture(
      path: request.picture, overwrite: request.overwrites, inputs: inputs)
    let writer = try request.writer(to: target, isLive: source.isLive)
    for line in writer.remarks { context.warn(MessageTemplate(line)) }
    if source.isLive { writer.finishWhenInterrupted() }
    if writer.isReopenable {
      let warn = context.warnLater
      onReopen {
        do {
          try writer.reopen()
        } catch {
          warn(PlumbError.line(of: error))
        }
      }
    }
    var seen = picture.map { _ in MonitorPicture() }
    try watch(source, watched, writer, context, &seen)
    if let picture, let seen {
      try picture.write(
        watched.geotriggers.map { Overlay($0.fences, named: $0.name) } + seen.overlays,
        warn: context.warn)
    }
    return watched.geotriggers.contains(where: \.fences.hasUsableFence) ? .done : .withoutFences
  }

  private static func watch(
    _ source: FeedSource, _ watched: WatchedFences, _ writer: NotificationWriter,
    _ context: RunContext, _ seen: inout MonitorPicture?
  ) throws {
    var warnings = RowWarnings(warn: context.warn)
    var rows = 0
    do {
      defer {
        context.endProgress()
        warnings.finish()
      }
      source.drainRemarks().forEach(context.remark)
      while let batch = try source.next(limit: batchLimit) {
        source.drainRemarks().forEach(context.remark)
        seen?.add(batch)
        var issues: [GeotriggerIssue] = []
        try watched.notifiers.update(batch, entities: source.entities) { updates in
          try writer.write(updates.notifications)
          seen?.add(updates.notifications)
          source.release(updates.forgotten)
          issues += updates.issues
        }
        // Warnings are reported after the events of the preceding rows have been written.
        let unread = source.drainIssues()
        if !unread.isEmpty || !issues.isEmpty { context.endProgress() }
        for issue in unread { warnings.add(issue.report) }
        for issue in issues { warnings.add(MessageTemplate(issue.description)) }
        for fault in watched.drainFaults() { warnings.add(fault) }
        rows = (batch.index.last ?? rows) + 1
        context.progress(nil, rows)
      }
      for issue in source.drainIssues() { warnings.add(issue.report) }
    }
    if let emptiness = source.emptiness { throw emptiness }
    try writer.finish()
  }
}

extension Monitor.Request {
  /// The destination of the events.
  ///
  /// - Throws: for a table without a database or a database without a table, and an unknown extension of the
  ///   output.
  fileprivate func target() throws -> Monitor.Target {
    if var table = try DatabaseTable(output: output, outputTable, overwrites, appends: appends) {
      // A monitor is restarted with the same options, and the first start creates the table, as it
      // creates a file.
      if appends { table.mode = .appendOrCreate }
      return .table(table)
    }
    return .file(try outputFormat)
  }

  /// The format of an output file.
  ///
  /// - Throws: for an unknown extension of the output.
  fileprivate var outputFormat: NotificationFormat {
    get throws { try NotificationFormat.all.choose(format, output: output) ?? .jsonl }
  }

  /// - Parameter isLive: whether the feed may be endless.
  fileprivate func writer(
    to target: Monitor.Target, isLive: Bool
  ) throws -> NotificationWriter {
    switch target {
    case .file(let format):
      return try NotificationWriter(
        path: output, overwrite: overwrites, appends: appends, format: format, isLive: isLive,
        explains: explains, reportsCrossings: reportsCrossings)
    case .table(var table):
      table.isLive = isLive
      return try NotificationWriter(
        table: table, explains: explains, reportsCrossings: reportsCrossings)
    }
  }
}

/// The track and the events that are drawn in the picture of a run.
private struct MonitorPicture {
  private var track = TrackLines()
  private var events = Overlay("Events", reference: .wgs84)

  mutating func add(_ batch: LocationBatch) { track.add(batch) }

  mutating func add(_ notifications: [FenceNotification]) {
    for notification in notifications {
      events.add(
        event: notification.type.rawValue,
        at: SIMD2(notification.event.x, notification.event.y))
    }
  }

  var overlays: [Overlay] { [track.overlay, events] }
}

/// Limits the number of warnings about rows. The first thousand warnings are shown, then 60
/// warnings a minute. If warnings are omitted, another line contains their number.
private struct RowWarnings {
  private let warn: (MessageTemplate) -> Void
  private var limit = RateLimit(first: 1000, perMinute: 60)

  init(warn: @escaping (MessageTemplate) -> Void) { self.warn = warn }

  mutating func add(_ line: MessageTemplate) {
    let (isShown, omitted) = limit.admit()
    report(omitted)
    if isShown { warn(line) }
  }

  mutating func finish() { report(limit.removeSuppressed()) }

  private func report(_ omitted: Int) {
    if omitted > 0 { warn("and \(omitted) more rows with faults") }
  }
}
