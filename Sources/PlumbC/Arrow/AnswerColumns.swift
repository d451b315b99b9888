import Plumb
import PlumbVerbs

/// Converts the results of rasters to columns.
struct AnswerColumns {
  /// The requests that the results belong to.
  let requests: [RasterSampler.Request]
  let count: Int
  let workers: Workers
  /// Whether statuses are the numbers of `plumb_column`, not their names.
  var hasStatusCodes = false

  /// A column of results of a raster.
  func column(
    _ column: ResultColumns.Column, _ answer: RasterAnswer
  ) throws -> ArrowColumn {
    switch column.content {
    case .value(let position):
      return try values(column.name, answer.columns[position])
    case .scaled(let position, let band):
      let stored = answer.columns[position]
      return try .fixed(column.name, "g", Double.self, count: count, workers: workers) {
        row, value in
        guard let scaled = stored[row].flatMap({ band.scaled($0) }) else { return false }
        value = scaled
        return true
      }
    case .status:
      if hasStatusCodes {
        return try .fixed(column.name, "C", UInt8.self, count: count, workers: workers) {
          row, value in
          value = answer.status(at: row).rawValue
          return true
        }
      }
      let names = ByteStore(SampleStatus.allCases.map { Optional($0.name) })
      return try .texts(column.name, count: count, workers: workers) { row in
        names[Int(answer.status(at: row).rawValue)]
      }
    case .date, .days, .distance, .tried: return try dates(column, answer)
    case .file, .row, .column: return try cells(column, answer)
    case .featureCount, .featureField, .remoteCount, .remoteText, .nothing:
      return try .texts(
        column.name, [String?](repeating: nil, count: count), workers: workers)
    }
  }

  /// A column with one of these values for each point: the matched date, the days from the point's time to
  /// this date, the distance from the point to the cell, or the number of dates that were tried.
  private func dates(
    _ column: ResultColumns.Column, _ answer: RasterAnswer
  ) throws -> ArrowColumn {
    guard let dates = answer.dates else {
      preconditionFailure("a result with columns of dates has dates")
    }
    switch column.content {
    case .date(let texts) where texts.hasTime:
      return try .fixed(column.name, "tsu:UTC", Int64.self, count: count, workers: workers) {
        row, value in
        value = dates.time[row]
        return value != .min
      }
    case .date:
      return try .fixed(column.name, "tdD", Int32.self, count: count, workers: workers) {
        row, value in
        guard let day = dates.day(at: row) else { return false }
        value = day
        return true
      }
    case .days:
      return try .fixed(column.name, "g", Double.self, count: count, workers: workers) {
        row, value in
        value = dates.days[row]
        return !value.isNaN
      }
    case .distance:
      return try .fixed(column.name, "g", Double.self, count: count, workers: workers) {
        row, value in
        value = dates.distance?[row] ?? .nan
        return !value.isNaN
      }
    default:
      return try .fixed(column.name, "i", Int32.self, count: count, workers: workers) {
        row, value in
        value = dates.tried[row]
        return value >= 0
      }
    }
  }

  /// A column with the file, the row or the column of the cell from which each value was read.
  private func cells(
    _ column: ResultColumns.Column, _ answer: RasterAnswer
  ) throws -> ArrowColumn {
    guard let provenance = answer.provenance else {
      preconditionFailure("a result with columns of cells has cells")
    }
    let members = provenance.member
    if case .file = column.content {
      let store = ByteStore(requests[column.part].raster.members.map { Optional($0.path) })
      return try .texts(column.name, count: count, workers: workers) { row in
        members.base[row] < 0 ? nil : store[Int(members.base[row])]
      }
    }
    var numbers = provenance.column
    if case .row = column.content { numbers = provenance.row }
    return try .fixed(column.name, "l", Int64.self, count: count, workers: workers) {
      [numbers] row, value in
      value = Int64(numbers.base[row])
      return members.base[row] >= 0
    }
  }

  /// A column of a raster's values in the type of its band.
  private func values(_ name: String, _ values: ValueColumn) throws -> ArrowColumn {
    switch values.pixelType {
    case .uint8: try copy(name, "C", UInt8.self, values)
    case .int8: try copy(name, "c", Int8.self, values)
    case .uint16: try copy(name, "S", UInt16.self, values)
    case .int16: try copy(name, "s", Int16.self, values)
    case .uint32: try copy(name, "I", UInt32.self, values)
    case .int32: try copy(name, "i", Int32.self, values)
    case .uint64: try copy(name, "L", UInt64.self, values)
    case .int64: try copy(name, "l", Int64.self, values)
    case .float32: try copy(name, "f", Float.self, values)
    case .float64: try copy(name, "g", Double.self, values)
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64:
      try .texts(
        name, (0..<values.count).map { values[$0]?.description }, workers: workers)
    }
  }

  private func copy<Value: BitwiseCopyable & Sendable>(
    _ name: String, _ format: String, _ type: Value.Type, _ values: ValueColumn
  ) throws -> ArrowColumn {
    try .fixed(name, format, type, count: values.count, workers: workers) { row, value in
      guard values.status.base[row] == SampleStatus.ok.rawValue else { return false }
      value = values.bytes.assumingMemoryBound(to: type)[row]
      return true
    }
  }
}
