import Plumb
import PlumbIO

/// Converts events to the formats of the C interface.
struct EventTable: Sendable {
  let notifications: [FenceNotification]
  let rules: FenceRules
  let workers: Workers

  /// The events as one JSON object per line.
  var lines: [UInt8] {
    let json = NotificationJSON(
      explains: rules.measuresDistances, reportsCrossings: rules.reportsCrossings)
    var bytes: [UInt8] = []
    for notification in notifications {
      bytes.append(UInt8(ascii: "{"))
      json.append(notification, to: &bytes)
      bytes += Array("}\n".utf8)
    }
    return bytes
  }

  /// The notifications as columns.
  func table() throws -> ArrowTable {
    let all = notifications
    var columns = [
      try times("time") { $0.event.time },
      try texts("entity") { $0.location.entity },
      try texts("monitor") { $0.monitor },
      try texts("fence") { $0.fence.name },
      try texts("fenceId") { $0.fence.id },
      try texts("type") { $0.event.type.rawValue },
      try texts("message") { $0.message.text },
      try numbers("x") { $0.event.x },
      try numbers("y") { $0.event.y },
      try ArrowColumn.fixed("index", "l", Int64.self, count: all.count, workers: workers) {
        row, value in
        value = Int64(all[row].event.index)
        return true
      },
    ]
    if rules.reportsCrossings {
      columns += [
        try times("crossing_time") { $0.event.passage?.time },
        try numbers("crossing_x") { $0.event.passage?.x },
        try numbers("crossing_y") { $0.event.passage?.y },
        try times("second_time") { $0.event.secondPassage?.time },
        try numbers("second_x") { $0.event.secondPassage?.x },
        try numbers("second_y") { $0.event.secondPassage?.y },
      ]
    }
    if rules.measuresDistances { columns.append(try texts("why") { $0.why }) }
    columns.append(try texts("actions") { NotificationJSON.actions($0) })
    columns.append(try texts("properties") { NotificationJSON.properties($0) })
    return ArrowTable(columns: columns, count: all.count)
  }

  private func texts(
    _ name: String, _ value: (FenceNotification) -> String?
  ) throws -> ArrowColumn {
    try .texts(name, notifications.map(value), workers: workers)
  }

  private func numbers(
    _ name: String, _ value: @Sendable (FenceNotification) -> Double?
  ) throws -> ArrowColumn {
    let all = notifications
    return try .fixed(name, "g", Double.self, count: all.count, workers: workers) { row, cell in
      guard let number = value(all[row]) else { return false }
      cell = number
      return true
    }
  }

  private func times(
    _ name: String, _ value: @Sendable (FenceNotification) -> Int64?
  ) throws -> ArrowColumn {
    let all = notifications
    return try .fixed(name, "tsm:UTC", Int64.self, count: all.count, workers: workers) {
      row, cell in
      guard let time = value(all[row]) else { return false }
      cell = time
      return true
    }
  }
}
