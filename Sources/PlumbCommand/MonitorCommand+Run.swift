import ArgumentParser
import Plumb
import PlumbVerbs

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
    let watched = try {
      defer { for line in GDALMessages.take() { console.warn(line) } }
      return try WatchedFences(
        plan, access: walls.access, services: walls.services(signing), warn: { console.warn($0) })
    }()
    let source = try FeedSource(
      reading.feed, columns, attributes: watched.readsAttributes)
    let inputs = [reading.feed] + watched.files
    try InputGuard.check(output: target.output, inputs: inputs)
    let picture = try ResultPicture(
      path: drawn.picture, overwrite: target.overwrite, inputs: inputs)
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
    try watch(source, watched, writer, console, &seen)
    if let picture, let seen {
      try picture.write(
        watched.geotriggers.map { Overlay($0.fences, named: $0.name) } + seen.overlays,
        warn: { console.warn($0) })
    }
    // Nothing could be entered: that was said, and is no success.
    if !watched.geotriggers.contains(where: \.fences.hasUsableFence) { throw ExitCode.failure }
  }

  private var plan: FencePlan {
    var plan = FencePlan()
    (plan.fences, plan.rasterFences) = (reading.fences, reading.rasterFences)
    (plan.condition, plan.area, plan.buffer) = (reading.condition, envelope, watching.buffer)
    (plan.filter, plan.message, plan.name) = (watching.filter, watching.message, watching.name)
    plan.rules.rule = watching.rule
    plan.rules.feedAccuracyMode = watching.accuracy ? .useGeometryWithAccuracy : .useGeometry
    plan.rules.relationship = watching.relationship
    (plan.rules.dwell, plan.rules.cooldown, plan.rules.forgetsAfter) = (
      watching.dwell, watching.cooldown, watching.forget
    )
    plan.rules.reportsCrossings = watching.crossings
    plan.rules.firesInitially = !watching.noInitial
    plan.rules.measuresDistances = running.explain
    return plan
  }

  private func watch(
    _ source: FeedSource, _ watched: WatchedFences, _ writer: NotificationWriter,
    _ console: Console, _ seen: inout MonitorPicture?
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
        try watched.notifiers.update(batch, entities: source.entities) { updates in
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
        for region in watched.regions {
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
