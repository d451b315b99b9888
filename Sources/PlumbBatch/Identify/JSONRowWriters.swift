import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

extension PointBatch {
  /// Converts a field of delimited text to its column's type.
  package func value(
    _ text: [UInt8], _ field: Field, _ row: Int, isJSON: Bool
  ) throws(PlumbError) -> FieldValue {
    do throws(PlumbError) {
      return try TypedField.value(text, field, isJSON: isJSON)
    } catch {
      var error = error
      error.messageTemplate = "row \(firstRow + row + 1), \(error.messageTemplate)"
      error.context.row = firstRow + row + 1
      throw error
    }
  }
}

/// Writes identify results as one JSON object per line. The member `input` contains the columns of
/// the row.
final class JSONLinesRowWriter: RowWriter {
  private let rows: RowTextOutput
  private let results: BatchResultText
  private let members: RowMembers
  /// The text between a row's point and its columns.
  private let link: TextPieces

  /// - Parameter names: the names of settings in errors.
  package init(
    _ output: ByteOutput, source: BatchSource, input: PointInput, names: [Setting: String],
    workers: Workers
  ) throws {
    results = try source.resultText(names: names, workers: workers.count)
    rows = RowTextOutput(output, workers: results.workers(of: workers))
    members = RowMembers(input.fields)
    var builder = TextPieces.Builder()
    _ = builder.add { text in
      IdentifyJSON.appendReference(source.reference?.label, to: text)
      text.append(literal: ",\"input\":{")
    }
    link = builder.pieces
  }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    try rows.write(batch.count) { [members, link, results] worker, rows, text in
      let results = results.rows(of: answers, worker: worker)
      try members.forEach(of: rows, in: batch, to: text) { row, appendMembers in
        let (x, y) = (batch.x.base[row], batch.y.base[row])
        IdentifyJSON.append(x: x, y: y, to: text)
        link.append(0, to: text)
        _ = try appendMembers()
        text.append(literal: "},\"results\":[")
        results.append(row, x: x, y: y, to: text)
        text.append(literal: "]}\n")
      }
    }
  }

  package func finish() throws { try rows.finish() }
}

/// Writes GeoJSON, as a collection or as one feature per line. Features from GeoJSON input are
/// copied unchanged, with the new members at the end of their properties.
final class GeoJSONRowWriter: RowWriter {
  private let output: ByteOutput
  private let rows: RowTextOutput
  private let columns: ResultColumns
  /// The new columns' names, as JSON keys such as `"name":` (`keys`) and as bytes (`names`).
  private let keys: TextPieces
  private let names: [[UInt8]]
  private let members: RowMembers
  private let isSequence: Bool
  private let hasRecordSeparators: Bool
  /// The transformations to WGS84, the CRS of GeoJSON, one per worker. They are nil unless new
  /// geometries are written for points in another CRS.
  private let transformations: WorkerStates<Transformation?>
  private let passesThrough: Bool
  /// The reader of GeoJSON input, which provides the text after the last feature; nil for other input.
  private let reader: GeoJSONReader?

  package init(
    _ output: ByteOutput, columns: ResultColumns, input: PointInput,
    reference: SpatialReference?, isSequence: Bool, workers: Workers
  ) throws {
    self.output = output
    self.columns = columns
    self.isSequence = isSequence
    rows = RowTextOutput(output, workers: workers)
    members = RowMembers(input.fields)
    var builder = TextPieces.Builder()
    for name in columns.names { _ = builder.add { $0.append(key: name) } }
    keys = builder.pieces
    names = columns.names.map { Array($0.utf8) }
    let isForeign = reference.map { !$0.isEquivalent(to: .wgs84) } ?? false
    var reader: GeoJSONReader?
    if case .geoJSON(let geoJSON) = input.kind { reader = geoJSON }
    // Features in another CRS are copied unchanged only if they remain in their collection, because
    // a sequence cannot contain the collection's `crs` member.
    let passesThrough =
      reader.map { !(isForeign && isSequence && $0.layout == .collection) } ?? false
    self.passesThrough = passesThrough
    hasRecordSeparators = isSequence && reader?.hasRecordSeparators == true
    transformations = try WorkerStates(count: workers.count) {
      guard isForeign, !passesThrough, let reference else { return nil }
      return try Transformation(from: reference, to: .wgs84)
    }
    self.reader = reader
    if !isSequence { output.begin(with: Self.opening(reader)) }
  }

  private static func opening(_ reader: GeoJSONReader?) -> [UInt8] {
    switch reader?.layout {
    case .collection?: reader?.prefix ?? []
    case .single?: []
    default: Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
    }
  }

  private var closing: [UInt8] {
    switch reader?.layout {
    case .collection?: reader?.suffix ?? []
    case .single?: [0x0A]
    default: Array("\n]}\n".utf8)
    }
  }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let text = GeoJSONResultText(
      columns: columns, keys: keys, names: names,
      writers: columns.columns.indices.map {
        ColumnWriter($0, columns.columns[$0], answers, nil)
      }, answers: answers, isSequence: isSequence)
    let (isSequence, hasRecordSeparators) = (isSequence, hasRecordSeparators)
    try rows.write(batch.count) { [members, transformations, passesThrough] worker, rows, out in
      func begin(_ row: Int) {
        if hasRecordSeparators { out.append(0x1E) }
        if !isSequence, batch.firstRow + row > 0 { out.append(literal: ",\n") }
      }
      if passesThrough, case .geoJSON(let features) = batch.rows {
        for row in rows {
          begin(row)
          try text.append(row, of: features, to: out)
          if isSequence { out.append(0x0A) }
        }
        return
      }
      let transformation = transformations[worker]
      try members.forEach(of: rows, in: batch, to: out) { row, appendMembers in
        begin(row)
        var point = batch.point(row)
        if var there = point, let transformation {
          transformation.apply(x: &there.x, y: &there.y, count: 1)
          point = there
        }
        try GeoJSONRowText.appendFeature(point: point, to: out) {
          let hasMembers = try appendMembers()
          text.append(row, isFirst: !hasMembers, to: out)
        }
        if isSequence { out.append(0x0A) }
      }
    }
  }

  package func finish() throws {
    try rows.finish()
    if !isSequence { try output.write(closing) }
  }
}

/// Writes the values of a batch's rows as members of their features' properties.
private struct GeoJSONResultText: Sendable {
  let columns: ResultColumns
  let keys: TextPieces
  let names: [[UInt8]]
  let writers: [ColumnWriter]
  let answers: MapAnswers
  let isSequence: Bool

  /// Appends a feature from the input, with the values after its properties.
  func append(_ row: Int, of features: GeoJSONBatch, to text: TextBuffer) throws {
    if let name = features.firstProperty(among: names, at: row) {
      throw PlumbError(
        "line \(features.lines[row]): the feature has a property "
          + "\(columns.columns[name].name.printable) already; \(columns.advice)")
    }
    GeoJSONRowText.append(
      row, of: features, hasMembers: !writers.isEmpty, onOneLine: isSequence, to: text
    ) {
      append(row, isFirst: true, to: text)
    }
  }

  /// - Parameter isFirst: whether there is no member before the values.
  func append(_ row: Int, isFirst: Bool, to text: TextBuffer) {
    for index in writers.indices {
      if !isFirst || index > 0 { text.append(UInt8(ascii: ",")) }
      keys.append(index, to: text)
      if writers[index].appendJSON(row, to: text) != nil {
        text.append(
          json: columns.fieldValue(columns.columns[index], row: row, answers, isJSON: true))
      }
    }
  }
}
