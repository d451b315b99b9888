import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Counts the statuses of rows, and derives the warnings and the error of a strict run.
package struct RowCounter {
  private let source: BatchSource
  /// The unit that row numbers count, such as `line`.
  private let itemName: String
  private var badRows = BadRows()
  private var extent = PointExtent()
  /// The number of rows without a result, by feature layer and status.
  private var unanswered: [[SampleStatus: Int]]
  private var remoteFaults = RemoteFaults()
  private let dated: DatedSource?

  /// - Parameter dated: the stacks whose dates are matched; nil if no dates are matched.
  init(_ source: BatchSource, itemName: String, dated: DatedSource?) {
    (self.source, self.itemName, self.dated) = (source, itemName, dated)
    unanswered = source.featureNames.map { _ in [:] }
  }

  private var rasters: [Raster] { source.rasters?.sampler.requests.map(\.raster) ?? [] }

  /// A summary of zero rows.
  package var emptySummary: BatchIdentify.Summary {
    var summary = BatchIdentify.Summary()
    summary.statuses = rasters.map { _ in [:] }
    summary.unreadRows = rasters.map { _ in 0 }
    return summary
  }

  /// Creates a counter of rows without dates.
  package init(_ source: BatchSource, itemName: String) {
    self.init(source, itemName: itemName, dated: nil)
  }

  /// Counts rows and their results.
  ///
  /// - Parameters:
  ///   - bad: the numbers of the rows without a usable point, and the reasons.
  ///   - summary: the summary to which the rows are added.
  package mutating func add(
    _ points: PointCoordinates, bad: [(line: Int, fault: PointFault)], _ answers: MapAnswers,
    to summary: inout BatchIdentify.Summary
  ) {
    summary.rows += points.count
    badRows.add(bad)
    extent.add(points)
    remoteFaults.add(answers.remotes)
    for (index, answer) in answers.features.enumerated() {
      unanswered[index].merge(answer.unanswered, uniquingKeysWith: +)
    }
    for (index, answer) in answers.rasters.enumerated() {
      var counts = [Int](repeating: 0, count: SampleStatus.allCases.count)
      if answer.columns.count == 1 {
        let status = answer.columns[0].status.base
        for row in 0..<points.count { counts[Int(status[row])] += 1 }
      } else {
        for row in 0..<points.count { counts[Int(answer.status(at: row).rawValue)] += 1 }
      }
      for status in SampleStatus.allCases where counts[Int(status.rawValue)] > 0 {
        summary.statuses[index][status, default: 0] += counts[Int(status.rawValue)]
      }
      summary.unreadRows[index] += answer.unreadRows(of: points.count)
    }
  }

  /// Returns the warnings, and the error if no row could be read.
  ///
  /// Takes the read failures from the rasters' sampler.
  ///
  /// - Parameter columns: text about the columns from which the points were read.
  package func report(
    _ summary: BatchIdentify.Summary, columns: MessageTemplate = ""
  ) -> (warnings: [MessageTemplate], failure: PlumbError?) {
    var warnings = badRows.warnings(itemName: itemName).map { MessageTemplate($0) }
    for (name, counts) in zip(source.featureNames, unanswered) {
      if let count = counts[.transformFailed] {
        warnings.append(
          "\(name.printable): \(count) \(count == 1 ? "row has" : "rows have") no coordinates in "
            + "the layer's CRS")
      }
    }
    warnings += remoteFaults.lines(source.remoteNames)
    if let hint = exchangeHint(summary, columns) { warnings.append(hint) }
    guard let identifier = source.rasters else { return (warnings, nil) }
    for (raster, counts) in zip(rasters, summary.statuses) {
      let outside = counts[.outside] ?? 0
      let total = summary.rows - (counts[.badPoint] ?? 0)
      if outside > 0, outside * 2 > total {
        warnings.append(
          MessageTemplate(
            identifier.outsideWarning(
              raster, outside: outside, total: total, x: extent.x, y: extent.y)))
      }
    }
    let failures = dated?.drainFailures() ?? identifier.sampler.drainFailures()
    let unread = report(failures, summary)
    return (warnings + unread.warnings, unread.failure)
  }

  /// Returns a hint if x and y of the points look swapped; see `PointWarnings`.
  private func exchangeHint(
    _ summary: BatchIdentify.Summary, _ columns: MessageTemplate
  ) -> MessageTemplate? {
    let total = summary.statuses.map { summary.rows - ($0[.badPoint] ?? 0) }.max() ?? summary.rows
    return PointWarnings(
      x: extent.samples.x, y: extent.samples.y, reference: source.reference
    ).exchangeHint(
      columns: columns,
      latitudes: "latitudes span \(extent.y.lowerBound)…\(extent.y.upperBound), longitudes "
        + "\(extent.x.lowerBound)…\(extent.x.upperBound)", source.rasters, of: source.map,
      off: summary.statuses.map { ($0[.outside] ?? 0) + ($0[.transformFailed] ?? 0) }, of: total)
  }

  /// Returns a line for each raster with rows that could not be read, and for other failures.
  private func report(
    _ failures: ReadFailures, _ summary: BatchIdentify.Summary
  ) -> (warnings: [MessageTemplate], failure: PlumbError?) {
    var warnings: [MessageTemplate] = []
    var failure: PlumbError?
    var reported: Set<String> = []
    // The dates of a stack that could not be read for the same reason are in one line.
    var groups: [(indices: [Int], fault: ReadFailures.Line?)] = []
    for (index, raster) in rasters.enumerated() where summary.unreadRows[index] > 0 {
      let files = Set(raster.members.map(\.path))
      let fault = failures.lines.first { files.contains($0.path) }
      reported.formUnion(files)
      let known = groups.firstIndex {
        $0.fault == fault && rasters[$0.indices[0]].name == raster.name
      }
      if let known { groups[known].indices.append(index) } else { groups.append(([index], fault)) }
    }
    for (indices, fault) in groups {
      var line = MessageTemplate(unreadLine(indices, summary))
      if let fault { line = "\(line); \(fault.path.printable): \(fault.messageTemplate)" }
      if failure == nil, !hasReadRow(summary) {
        failure = PlumbError(messageTemplate: "no row could be read: \(line)", code: .readError)
      } else {
        warnings.append(line)
      }
    }
    let rest = failures.lines.filter { !reported.contains($0.path) }
    warnings += rest.map { "\($0.path.printable): \($0.messageTemplate)" }
    if reported.isEmpty, failures.count > rest.count {
      warnings.append("\(failures.count) reads failed in total")
    }
    return (warnings, failure)
  }

  /// - Parameter indices: the indices of a raster, or of some dates of a stack.
  private func unreadLine(_ indices: [Int], _ summary: BatchIdentify.Summary) -> String {
    let index = indices[0]
    guard indices.count == 1 else {
      let count = indices.reduce(0) { $0 + summary.unreadRows[$1] }
      let name = rasters[index].name.printable
      return "\(name): \(count) values on \(indices.count) dates are read_error"
    }
    let count = summary.unreadRows[index]
    let (rows, verb) = count == 1 ? ("row", "is") : ("rows", "are")
    let name = rasters[index].name.printable
    guard summary.statuses[index][.readError] == count else {
      return "\(name): \(count) \(rows) could not be read in all bands"
    }
    return "\(name): \(count) \(rows) \(verb) read_error"
  }

  /// Whether a raster or a feature layer could be read for at least one row.
  private func hasReadRow(_ summary: BatchIdentify.Summary) -> Bool {
    summary.statuses.contains { counts in
      [.ok, .nodata, .masked].contains { (counts[$0] ?? 0) > 0 }
    } || unanswered.contains { $0.values.reduce(0, +) < summary.rows }
  }

  /// The error of a strict run; nil if every row has its results.
  package func refusal(_ summary: BatchIdentify.Summary) -> PlumbError? {
    for (index, (raster, counts)) in zip(rasters, summary.statuses).enumerated() {
      if summary.unreadRows[index] > 0 {
        return .strict(MessageTemplate(unreadLine([index], summary)))
      }
      for status in [SampleStatus.transformFailed, .badPoint, .badTime] {
        if let count = counts[status] { return refusal(raster.name, count, status.name) }
      }
    }
    if let line = remoteFaults.lines(source.remoteNames).first { return .strict(line) }
    for (name, counts) in zip(source.featureNames, unanswered) {
      for status in SampleStatus.allCases {
        if let count = counts[status] { return refusal(name, count, status.name) }
      }
    }
    return nil
  }

  private func refusal(_ name: String, _ count: Int, _ status: String) -> PlumbError {
    .strict("\(name.printable): \(count) \(count == 1 ? "row is" : "rows are") \(status)")
  }
}
