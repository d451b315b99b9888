import ArgumentParser
import Plumb

extension MonitorCommand {
  /// Rows that are taken at once from what has arrived.
  private static let batchLimit = 65_536

  func monitor() throws {
    let console = Console(isQuiet: running.quiet)
    // What can be wrong at once is reported before files are read.
    let chosen = try NotificationFormat.all.choose(writing.format, output: target.output) ?? .jsonl
    if writing.append, !chosen.isLines {
      throw ValidationError("--append adds lines: give --of jsonl, csv or geojsonseq")
    }
    let filter = try watching.filter.map { try FeedFilter($0) }
    let message = try watching.message.map { try MessageExpression($0) }
    let regions = try reading.rasterFences.map { try RasterFence($0, access: walls.access) }
    let condition = try reading.condition.map { try Condition($0) }
    let files = try reading.fences.map {
      try FenceFile(
        $0, where: condition, area: envelope, access: walls.access,
        services: walls.services(signing))
    }
    for line in GDALMessages.take() { console.warn(line) }
    let geotriggers =
      try files.map { try geotrigger($0, message) } + regions.map { geotrigger($0, message) }
    for geotrigger in geotriggers {
      warn(of: geotrigger, amongOthers: geotriggers.count > 1, console)
    }
    let notifiers = FenceNotifierGroup(
      try geotriggers.map { try FenceNotifier($0, filter: filter) })
    let source = try FeedSource(
      reading.feed, columns, attributes: filter != nil || message?.readsLocation == true)
    let inputs = [reading.feed] + files.flatMap(\.files) + regions.flatMap(\.files)
    try InputGuard.check(output: target.output, inputs: inputs)
    let picture = try ResultPicture(drawn, overwrite: target.overwrite, inputs: inputs)
    let writer = try NotificationWriter(
      path: target.output, overwrite: target.overwrite, appends: writing.append,
      format: chosen, isLive: source.isLive, explains: running.explain,
      reportsCrossings: watching.crossings)
    for line in writer.remarks { console.warn(line) }
    if source.isLive { writer.finishWhenInterrupted() }
    if writer.isReopenable {
      InterruptHandler.onHangup {
        do {
          try writer.reopen()
        } catch {
          console.warn(PlumbError.line(of: error))
        }
      }
    }
    var seen = picture.map { _ in MonitorPicture() }
    try watch(source, notifiers, writer, regions, console, &seen)
    if let picture, let seen {
      try picture.write(
        geotriggers.map { Overlay($0.fences, named: $0.name) } + seen.overlays, console)
    }
    // Nothing could be entered: that was said, and is no success.
    if !geotriggers.contains(where: \.fences.hasUsableFence) { throw ExitCode.failure }
  }

  private var rules: FenceRules {
    var rules = FenceRules()
    rules.rule = watching.rule
    rules.feedAccuracyMode = watching.accuracy ? .useGeometryWithAccuracy : .useGeometry
    rules.relationship = watching.relationship
    (rules.dwell, rules.cooldown, rules.forgetsAfter) = (
      watching.dwell, watching.cooldown, watching.forget
    )
    rules.reportsCrossings = watching.crossings
    rules.firesInitially = !watching.noInitial
    rules.measuresDistances = running.explain
    return rules
  }

  private func geotrigger(_ file: FenceFile, _ message: MessageExpression?) throws
    -> FenceGeotrigger
  {
    FenceGeotrigger(
      name: watching.name ?? file.name,
      fences: try FenceSet(file.fences, bufferDistance: watching.buffer),
      fenceFields: file.fields, rules: rules, messageExpression: message)
  }

  private func geotrigger(_ region: RasterFence, _ message: MessageExpression?) -> FenceGeotrigger {
    FenceGeotrigger(
      name: watching.name ?? region.name, fences: region.set, rules: rules,
      messageExpression: message)
  }

  private func warn(
    of geotrigger: FenceGeotrigger, amongOthers: Bool, _ console: Console
  ) {
    let start = amongOthers ? geotrigger.name + ": " : ""
    for warning in geotrigger.fences.warnings { console.warn(start + warning.description) }
    let flaws = geotrigger.fences.shapeWarnings()
    for flaw in flaws.prefix(1000) { console.warn(start + flaw.description) }
    if flaws.count > 1000 {
      console.warn(start + "and \(flaws.count - 1000) more fences that are not well formed")
    }
    if !geotrigger.fences.hasUsableFence { console.warn(start + "there is no valid fence") }
  }

  private func watch(
    _ source: FeedSource, _ notifiers: FenceNotifierGroup, _ writer: NotificationWriter,
    _ regions: [RasterFence], _ console: Console, _ seen: inout MonitorPicture?
  ) throws {
    let bar = ProgressBar(isQuiet: running.quiet)
    var warnings = RowWarnings(console: console)
    var rows = 0
    do {
      defer {
        bar.clear()
        warnings.finish()
      }
      remark(source, console)
      while let batch = try source.next(limit: Self.batchLimit) {
        remark(source, console)
        seen?.add(batch)
        var issues: [GeotriggerIssue] = []
        try notifiers.update(batch, entities: source.entities) { updates in
          try writer.write(updates.notifications)
          seen?.add(updates.notifications)
          source.release(updates.forgotten)
          issues += updates.issues
        }
        // A warning about a row implies that the events before it are written.
        let unread = source.takeIssues()
        if !unread.isEmpty || !issues.isEmpty { bar.clear() }
        for issue in unread { warnings.add(issue.report) }
        for issue in issues { warnings.add(issue) }
        for region in regions {
          if let fault = region.takeFault() {
            warnings.add("the raster fence \(region.name.printable): \(fault)")
          }
        }
        rows = (batch.index.last ?? rows) + 1
        bar.show(nil, rows: rows)
      }
      for issue in source.takeIssues() {
        warnings.add(issue.report)
      }
    }
    if let emptiness = source.emptiness { throw emptiness }
    try writer.finish()
  }

  /// What a picture of a run shows beside the fences.
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

  private func remark(_ source: FeedSource, _ console: Console) {
    for remark in source.takeRemarks() where !running.quiet { console.note(remark) }
  }
}
