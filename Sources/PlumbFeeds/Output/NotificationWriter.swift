import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO
import Synchronization

/// Writes notifications, a line each, to a file that gets its name at the end, or to standard output.
///
/// The file of a feed that goes on for ever is there from the start where its format is one of lines:
/// whole lines are appended to it, so that others can follow it and nothing is lost with the process.
///
/// What a call to `write` gets is out when it returns. Several threads may write.
public final class NotificationWriter: Sendable {
  private let text: Mutex<NotificationText>

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - overwrite: whether a file that is there already is replaced; else it is an error.
  ///   - format: how notifications are written.
  ///   - isLive: whether the feed may go on for ever.
  ///   - explains: whether each line says why.
  ///   - reportsCrossings: whether lines have room for the passages of borders.
  /// - Throws: when the file exists and may not be overwritten, or cannot be written.
  public init(
    path: String?, overwrite: Bool = false, format: NotificationFormat, isLive: Bool = false,
    explains: Bool = false, reportsCrossings: Bool = false
  ) throws {
    text = Mutex(
      try NotificationText(
        path: path, overwrite: overwrite, format: format, isLive: isLive, explains: explains,
        reportsCrossings: reportsCrossings))
  }

  package static let columns = [
    "time", "entity", "monitor", "fence", "fenceId", "type", "message", "x", "y", "index",
  ]
  package static let passages = [
    "crossing_time", "crossing_x", "crossing_y", "second_time", "second_x", "second_y",
  ]

  /// Writes the notifications in their order, and has them out when it returns.
  ///
  /// - Throws: when they cannot be written, with the file's name.
  public func write(_ notifications: [FenceNotification]) throws {
    guard !notifications.isEmpty else { return }
    try text.withLock { try $0.append(notifications) }
  }

  /// Ends the output, and gives the file its name.
  public func finish() throws {
    try text.withLock { try $0.end() }
  }

  /// Finishes the output, too, when a signal ends the run: a live feed has no other end.
  public func finishWhenInterrupted() {
    OutputFile.beforeDiscarding { [self] in try? finish() }
  }
}

/// What a writer of notifications keeps under its lock.
private struct NotificationText {
  private let format: NotificationFormat
  private let file: OutputFile?
  /// Where bytes go; nil where the format is one of layers.
  private let output: ByteOutput?
  private let layer: NotificationLayer?
  private let json: NotificationJSON
  private var bytes: [UInt8] = []
  private var isFirst = true
  private var isFinished = false

  init(
    path: String?, overwrite: Bool, format: NotificationFormat, isLive: Bool, explains: Bool,
    reportsCrossings: Bool
  ) throws {
    file = try path.map {
      try OutputFile(target: $0, overwrite: overwrite, isThereAtOnce: isLive && format.isLines)
    }
    if format == .gpkg {
      guard let file, !file.isDirect else {
        throw PlumbError("a GeoPackage is written to a file: name one that ends in .gpkg")
      }
      layer = try NotificationLayer(
        path: file.temporaryPath, explains: explains, reportsCrossings: reportsCrossings)
      output = nil
    } else {
      output = try ByteOutput(file)
      layer = nil
    }
    self.format = format
    json = NotificationJSON(explains: explains, reportsCrossings: reportsCrossings)
    switch format {
    case .jsonl, .geojsonseq, .gpkg: break
    case .csv:
      let names =
        NotificationWriter.columns + (reportsCrossings ? NotificationWriter.passages : [])
        + (explains ? ["why"] : [])
      put(names.joined(separator: ",") + "\n")
    case .geojson: put("{\"type\":\"FeatureCollection\",\"features\":[")
    }
    try flush()
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
      case .gpkg:
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

  /// A value for each column of a table.
  private func values(_ notification: FenceNotification) -> [FieldValue] {
    var values = NotificationJSON.facts(notification).map(\.1)
    if json.reportsCrossings {
      for passage in [notification.event.passage, notification.event.secondPassage] {
        guard let passage else {
          values += [.null, .null, .null]
          continue
        }
        values += [.text(NotificationJSON.text(passage.time)), .real(passage.x), .real(passage.y)]
      }
    }
    if json.explains { values.append(.text(notification.why)) }
    return values
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
