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
    case .value, .scaled, .status, .file, .row, .column, .date, .days, .distance,
      .tried:
      return try AnswerColumns(
        requests: map.source.rasters?.sampler.requests ?? [], count: count, workers: workers
      ).column(column, answers.rasters[column.part])
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
    case .nothing:
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
}
