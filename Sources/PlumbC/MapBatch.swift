import Plumb

/// A map made ready to be asked at many points. One thread at a time may use it.
final class MapBatch {
  /// Which columns are wanted beside the values of rasters and features.
  struct Columns: Sendable, Hashable {
    var isScaled = false
    var hasStatus = false
    var hasProvenance = false
    /// The names of the only ones that are wanted; nil for all.
    var only: [String]?
  }

  /// Whether another that is made now may answer more.
  var isStale: Bool { source.isStale }
  private let source: BatchSource
  private let query: MapQuery
  private let workers: Workers
  private let resampling: Resampling
  /// Fields of layers as columns, made when they are first asked for.
  private var fields: [Int: FieldTable] = [:]

  init(_ map: Map, _ query: MapQuery, _ settings: OpenMap.Settings) throws {
    var options = BatchIdentify.Options(points: "")
    (options.bands, options.resampling) = (settings.bands, settings.resampling)
    (options.cacheBytes, options.workers) = (settings.cacheBytes, settings.workers)
    source = try BatchSource(
      .map(map, query.options, layer: query.layer), options,
      reference: query.crs.map { try SpatialReference(asked: $0) })
    self.query = query
    (workers, resampling) = (settings.workers, settings.resampling)
  }

  /// The answers at all points as a table, and what is to be said of them.
  func table(
    _ points: SamplePoints, _ wanted: Columns
  ) throws -> (table: ArrowTable, warnings: [Wording]) {
    let result = ResultColumns(
      source.parts,
      options: ResultColumns.Options(
        isScaled: wanted.isScaled, hasStatus: wanted.hasStatus,
        hasProvenance: wanted.hasProvenance),
      resampling: resampling, advice: source.advice)
    try result.checkNames(against: [])
    let columns = try Self.chosen(result.columns, wanted.only)
    var warnings = source.warnings.map { Wording($0) }
    warnings += try check(source.transformationWarnings.map { Wording($0) }, "it")
    source.startLoading()
    var tally = RowTally(source, noun: "point")
    var summary = tally.emptySummary
    let answers = points.withCoordinates(workers) { coordinates in
      let answers = source.answers(
        to: coordinates, keepsProvenance: wanted.hasProvenance, keepsTiles: true)
      tally.add(coordinates, bad: Self.badRows(of: coordinates), answers, to: &summary)
      return answers
    }
    source.finishLoading()
    try WorkCancellation.checkCurrent()
    let report = tally.report(summary)
    if let failure = source.failure { throw failure }
    warnings += try check(source.layerWarnings, "that")
    warnings += report.warnings
    if let failure = report.failure { throw failure }
    if query.isStrict, let refusal = tally.refusal(summary) { throw refusal }
    let made = try columns.map { try column($0, answers, count: points.count) }
    return (ArrowTable(columns: made, count: points.count), warnings)
  }

  /// The points, counted from 0, that are not finite numbers.
  private static func badRows(of points: PointCoordinates) -> [(line: Int, fault: PointFault)] {
    guard let status = points.status else { return [] }
    return (0..<points.count).filter { status[$0] == SampleStatus.badPoint.rawValue }
      .map { ($0, .missing) }
  }

  /// The columns that are wanted.
  ///
  /// - Throws: names one that is not there.
  private static func chosen(
    _ columns: [ResultColumns.Column], _ names: [String]?
  ) throws -> [ResultColumns.Column] {
    guard let names else { return columns }
    return try names.map { name in
      guard let column = columns.first(where: { $0.name == name }) else {
        throw CallError.bad(
          "the option fields: there is no column \(name.printable)"
            + NearText.advice(name, among: columns.map(\.name)))
      }
      return column
    }
  }

  private func check(_ lines: [Wording], _ pronoun: String) throws -> [Wording] {
    if query.isStrict, let first = lines.first { throw PlumbError.strict(first, pronoun) }
    return lines
  }

  // MARK: Columns

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
    case .nothing:
      return try .texts(
        column.name, [String?](repeating: nil, count: count), workers: workers)
    }
  }

  /// What asks a layer's fields by its features.
  private func table(of part: Int, _ features: FeatureSet) -> FieldTable {
    if let known = fields[part], known.features === features { return known }
    let made = FieldTable(features)
    fields[part] = made
    return made
  }

  /// Which cell answered.
  private func cells(
    _ column: ResultColumns.Column, _ answer: RasterAnswer, count: Int
  ) throws -> ArrowColumn {
    guard let provenance = answer.provenance else {
      preconditionFailure("asked for with the answers")
    }
    let members = provenance.member
    if case .file = column.content {
      let paths = source.rasters?.sampler.requests[column.part].raster.members.map(\.path) ?? []
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

  /// A column of a raster's values in their own type.
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
