import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO
import Synchronization

/// Writes notifications to standard output, to a file that is renamed to its final name at the end,
/// or to a table of a database.
///
/// For an endless feed and a format that consists of lines, the file has its final name from the
/// start. Complete lines are appended to the file, so that other processes can follow, truncate or
/// rename the file, and no line is lost if the process ends. After the file has been renamed,
/// `reopen` continues in a file with the original name.
///
/// In a table, the notifications of an endless feed are committed by each call of `write`. The
/// notifications of any other feed are committed in one transaction.
///
/// When `write` returns, the notifications passed to it have been written. Several threads may call
/// `write`.
public final class NotificationWriter: Sendable {
  private let text: Mutex<NotificationText>

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - overwrite: whether an existing file is replaced. If false, an existing file is an error.
  ///   - appends: whether lines are appended to an existing file, or to a new file that has its
  ///     final name from the start.
  ///   - format: the format of notifications.
  ///   - isLive: whether the feed may be endless.
  ///   - explains: whether each line contains the reason for the notification.
  ///   - reportsCrossings: whether lines have members or columns for crossings of borders.
  /// - Throws: when the file exists and may not be overwritten, or cannot be written.
  public init(
    path: String?, overwrite: Bool = false, appends: Bool = false, format: NotificationFormat,
    isLive: Bool = false, explains: Bool = false, reportsCrossings: Bool = false
  ) throws {
    text = Mutex(
      try NotificationText(
        path: path, overwrite: overwrite, appends: appends, format: format, isLive: isLive,
        explains: explains, reportsCrossings: reportsCrossings))
  }

  /// Writes rows with the columns of a GeoPackage to a table of a database.
  ///
  /// - Parameters:
  ///   - table: the table, which is live for a feed that may be endless.
  ///   - explains: whether each row contains the reason for the notification.
  ///   - reportsCrossings: whether rows have columns for crossings of borders.
  /// - Throws: if the database cannot be opened or refuses the table.
  package init(table: DatabaseTable, explains: Bool, reportsCrossings: Bool) throws {
    text = Mutex(
      try NotificationText(
        table: table, explains: explains, reportsCrossings: reportsCrossings))
  }

  /// Remarks about changes to an existing file before lines are added to it, one line each.
  public var remarks: [String] { text.withLock { $0.remarks } }

  /// Opens the file of lines by its name again, or creates it if it was renamed or removed. The
  /// method does nothing for other outputs.
  ///
  /// - Throws: when the file cannot be opened. In this case, lines are still written to the
  ///   previous file.
  public func reopen() throws { try text.withLock { try $0.reopen() } }

  /// Whether `reopen` has an effect.
  public var isReopenable: Bool { text.withLock { $0.isReopenable } }

  package static let columns = [
    "time", "entity", "monitor", "fence", "fenceId", "type", "message", "x", "y", "index",
  ]
  package static let passages = [
    "crossing_time", "crossing_x", "crossing_y", "second_time", "second_x", "second_y",
  ]

  /// Writes the notifications in their order, and flushes them before it returns.
  ///
  /// - Throws: an error with the name of the file or database when the notifications cannot be
  ///   written.
  public func write(_ notifications: [FenceNotification]) throws {
    guard !notifications.isEmpty else { return }
    try text.withLock { try $0.append(notifications) }
  }

  /// Ends the output, and renames the file to its final name.
  public func finish() throws {
    try text.withLock { try $0.end() }
  }

  /// Ensures that the output is finished before a signal ends the run, because a live feed may have
  /// no other end. If the run fails, the output is removed when the writer is deinitialized.
  public func finishWhenInterrupted() {
    OutputFile.beforeDiscarding { [weak self] in try? self?.finish() }
  }
}

/// The state of a writer of notifications, protected by its lock.
private struct NotificationText {
  private let format: NotificationFormat
  private let file: OutputFile?
  /// The output for lines that are written immediately; nil for other outputs.
  private let lines: LineFile?
  /// The output for other text; nil for formats that GDAL writes.
  private let output: ByteOutput?
  private let layer: NotificationLayer?
  private let json: NotificationJSON
  private var bytes: [UInt8] = []
  private var isFirst = true
  private var isFinished = false

  init(
    path: String?, overwrite: Bool, appends: Bool, format: NotificationFormat, isLive: Bool,
    explains: Bool, reportsCrossings: Bool
  ) throws {
    if appends, !format.isLines || path == nil {
      throw PlumbError(
        "only a file of jsonl, csv or geojsonseq can be continued", code: .badOption)
    }
    self.format = format
    json = NotificationJSON(explains: explains, reportsCrossings: reportsCrossings)
    if let path, appends || isLive && format.isLines, !OutputFile.isStream(path) {
      lines = try LineFile(
        path: path, existing: appends ? .continued : overwrite ? .replaced : .refused)
      (file, output, layer) = (nil, nil, nil)
      try startLines()
      return
    }
    lines = nil
    file = try path.map { try OutputFile(target: $0, overwrite: overwrite) }
    if let layerFormat = format.layerFormat {
      layer = try NotificationLayer(
        path: file?.temporaryPath, layerFormat, explains: explains,
        reportsCrossings: reportsCrossings)
      output = nil
    } else {
      output = try ByteOutput(file)
      layer = nil
    }
    switch format {
    case .jsonl, .geojsonseq, .gpkg, .parquet, .arrow: break
    case .csv: put(header + "\n")
    case .geojson: put("{\"type\":\"FeatureCollection\",\"features\":[")
    }
    try flush()
  }

  init(table: DatabaseTable, explains: Bool, reportsCrossings: Bool) throws {
    // The columns and their values are those of a GeoPackage.
    format = .gpkg
    json = NotificationJSON(explains: explains, reportsCrossings: reportsCrossings)
    (file, lines, output) = (nil, nil, nil)
    layer = try NotificationLayer(
      table: table, explains: explains, reportsCrossings: reportsCrossings)
  }

  /// The header of a table.
  private var header: String {
    let names =
      NotificationWriter.columns
      + (json.reportsCrossings ? NotificationWriter.passages : [])
      + (json.explains ? ["why"] : [])
    return names.joined(separator: ",")
  }

  /// Writes the header to an empty file, or checks the header of an existing table.
  private mutating func startLines() throws {
    guard format == .csv, let lines else { return }
    let header = Array(header.utf8)
    guard let first = try lines.firstLine(limit: header.count + 2) else {
      try lines.write(header + [0x0A])
      return
    }
    guard first == header || first == header + [0x0D] else {
      throw PlumbError(
        "\(lines.path.printable) does not have the columns of the events: \(self.header)",
        code: .badOption, context: FailureContext(file: lines.path))
    }
  }

  var remarks: [String] {
    guard let lines, lines.removedByteCount > 0 else { return [] }
    return [
      "\(lines.path.printable): an incomplete last line of \(lines.removedByteCount) bytes was removed"
    ]
  }

  var isReopenable: Bool { lines != nil }

  mutating func reopen() throws {
    guard let lines, !isFinished else { return }
    try lines.reopen()
    try startLines()
  }

  mutating func append(_ notifications: [FenceNotification]) throws {
    guard !isFinished else { return }
    for notification in notifications {
      switch format {
      case .jsonl:
        put("{")
        json.append(notification, to: &bytes)
        put("}\n")
      case .csv: row(notification)
      case .gpkg, .parquet, .arrow:
        try named {
          try layer?.append(
            notification, values(notification), actions: NotificationJSON.actions(notification),
            properties: NotificationJSON.properties(notification))
        }
      case .geojson, .geojsonseq:
        if format == .geojson { put(isFirst ? "\n" : ",\n") }
        put("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
        JSONText.append(notification.event.x, to: &bytes)
        put(",")
        JSONText.append(notification.event.y, to: &bytes)
        put("]},\"properties\":{")
        json.append(notification, to: &bytes)
        put(format == .geojson ? "}}" : "}}\n")
      }
      isFirst = false
      if bytes.count > 1 << 20 { try flush() }
    }
    try flush()
    try named { try layer?.flush() }
  }

  mutating func end() throws {
    guard !isFinished else { return }
    isFinished = true
    if format == .geojson { put(isFirst ? "]}\n" : "\n]}\n") }
    try flush()
    try named {
      try layer?.finish()
      try file?.commit()
    }
  }

  private mutating func flush() throws {
    guard !bytes.isEmpty else { return }
    if let lines { try lines.write(bytes) }
    try named { try output?.write(whole: bytes) }
    bytes.removeAll(keepingCapacity: true)
  }

  private func named(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      guard let file, !file.isDirect else { throw error }
      throw file.named(error)
    }
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  // MARK: Tables

  /// Returns a value for each column of a table.
  private func values(_ notification: FenceNotification) -> [FieldValue] {
    var values = NotificationJSON.facts(notification).map(\.1)
    values[0] = value(time: notification.event.time)
    if json.reportsCrossings {
      for passage in [notification.event.passage, notification.event.secondPassage] {
        guard let passage else {
          values += [.null, .null, .null]
          continue
        }
        values += [value(time: passage.time), .real(passage.x), .real(passage.y)]
      }
    }
    if json.explains { values.append(.text(notification.why)) }
    return values
  }

  private func value(time: Int64) -> FieldValue {
    format.layerFormat?.hasNumericTimes == true
      ? .integer(time) : .text(NotificationJSON.text(time))
  }

  private mutating func row(_ notification: FenceNotification) {
    let text = TextBuffer()
    for (index, value) in values(notification).enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      switch value {
      case .text(let field):
        DelimitedRow.append(field, delimiter: UInt8(ascii: ","), to: text)
      case .null: break
      default:
        var number: [UInt8] = []
        JSONText.append(value, to: &number)
        text.append(contentsOf: number)
      }
    }
    bytes.append(contentsOf: text.bytes)
    put("\n")
  }
}
