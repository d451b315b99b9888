import Plumb
import PlumbVerbs

/// Converts the results at many points of a map to columns. Only one thread at a time may use a
/// batch.
final class MapBatch {
  let map: PreparedMap
  private let workers: Workers
  /// The fields of layers as columns, created on first use.
  private var fields: [Int: FieldTable] = [:]

  init(_ map: PreparedMap, _ workers: Workers) { (self.map, self.workers) = (map, workers) }

  /// The results at points as a table.
  func table(
    _ points: SamplePoints, _ request: Identify.Request, _ context: RunContext
  ) throws -> ArrowTable {
    let (columns, answers) = try map.answers(
      request, at: { body in points.withCoordinates(workers, body) }, in: context)
    let made = try columns.map { try column($0, answers, count: points.count) }
    return ArrowTable(columns: made, count: points.count)
  }

  private func column(
    _ column: ResultColumns.Column, _ answers: MapAnswers, count: Int
  ) throws -> ArrowColumn {
    switch column.content {
    case .featureCount:
      let answer = answers.features[column.part]
      return try .fixed(column.name, "l", Int64.self, count: count, workers: workers) {
        row, value in
        guard answer.isAnswered(at: row) else { return false }
        value = Int64(answer.count(at: row))
        return true
      }
    case .featureField(let position):
      let answer = answers.features[column.part]
      guard let features = answer.features else {
        return try .texts(
          column.name, [String?](repeating: nil, count: count), workers: workers)
      }
      return try table(of: column.part, features).column(
        column, position, count: count, workers: workers
      ) { answer.top(at: $0) }
    case .value(let position):
      return try values(column.name, answers.rasters[column.part].columns[position])
    case .scaled(let position, let band):
      let stored = answers.rasters[column.part].columns[position]
      return try .fixed(column.name, "g", Double.self, count: count, workers: workers) {
        row, value in
        guard let scaled = stored[row].flatMap({ band.scaled($0) }) else { return false }
        value = scaled
        return true
      }
    case .status:
      let answer = answers.rasters[column.part]
      let names = ByteStore(SampleStatus.allCases.map { Optional($0.name) })
      return try .texts(column.name, count: count, workers: workers) { row in
        names[Int(answer.status(at: row).rawValue)]
      }
    case .file, .row, .column:
      return try cells(column, answers.rasters[column.part], count: count)
    case .remoteCount:
      let answers = answers.remotes[column.part]
      return try .fixed(column.name, "l", Int64.self, count: count, workers: workers) {
        row, value in
        value = Int64(answers[row].elements.count)
        return answers[row].error == nil
      }
    case .remoteText:
      return try .texts(
        column.name, answers.remotes[column.part].map { $0.elements.first?.summary },
        workers: workers)
    // Maps have no dates.
    case .nothing, .date, .days, .tried:
      return try .texts(
        column.name, [String?](repeating: nil, count: count), workers: workers)
    }
  }

  /// The field table of a layer, created on first use.
  private func table(of part: Int, _ features: FeatureSet) -> FieldTable {
    if let known = fields[part], known.features === features { return known }
    let made = FieldTable(features)
    fields[part] = made
    return made
  }

  /// A column with the file, the row or the column of the cell from which each value was read.
  private func cells(
    _ column: ResultColumns.Column, _ answer: RasterAnswer, count: Int
  ) throws -> ArrowColumn {
    guard let provenance = answer.provenance else {
      preconditionFailure("asked for with the answers")
    }
    let members = provenance.member
    if case .file = column.content {
      let paths = map.source.rasters?.sampler.requests[column.part].raster.members.map(\.path) ?? []
      let store = ByteStore(paths.map { Optional($0) })
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
