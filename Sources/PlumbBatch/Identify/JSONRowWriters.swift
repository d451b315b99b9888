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
  private let results: ResultMembers
  /// The names of the new members.
  private let names: [[UInt8]]
  /// Advice for the user on how to avoid clashing names.
  private let advice: String
  private let members: RowMembers
  private let isSequence: Bool
  private let hasRecordSeparators: Bool
  /// The transformations to WGS84, the CRS of GeoJSON, one per worker. They are nil unless new
  /// geometries are written for points in another CRS.
  private let transformations: WorkerStates<Transformation?>
  let warnings: [String]
  private let passesThrough: Bool
  /// The reader of GeoJSON input, which provides the text after the last feature; nil for other input.
  private let reader: GeoJSONReader?

  package init(
    _ output: ByteOutput, _ results: ResultMembers, advice: String, input: PointInput,
    reference: SpatialReference?, isSequence: Bool, workers: Workers
  ) throws {
    (self.output, self.results, self.advice) = (output, results, advice)
    self.isSequence = isSequence
    rows = RowTextOutput(output, workers: workers)
    members = RowMembers(input.fields)
    names = results.names.map { Array($0.utf8) }
    let isForeign = reference.map { !$0.isEquivalent(to: .wgs84) } ?? false
    var reader: GeoJSONReader?
    if case .geoJSON(let geoJSON) = input.kind { reader = geoJSON }
    // Features in another CRS are copied unchanged only if they remain in their collection, because
    // a sequence cannot contain the collection's `crs` member.
    let passesThrough =
      reader.map { !(isForeign && isSequence && $0.layout == .collection) } ?? false
    self.passesThrough = passesThrough
    hasRecordSeparators = isSequence && reader?.hasRecordSeparators == true
    let source = isForeign && !passesThrough ? reference : nil
    transformations = try WorkerStates(count: workers.count) {
      try source.map { try Transformation(from: $0, to: .wgs84) }
    }
    warnings = [source.flatMap { Transformation.warning(from: $0, to: .wgs84, area: nil) }]
      .compactMap { $0 }
    self.reader = reader
    if !isSequence { output.begin(with: opening) }
  }

  /// The layout of the output; nil for a new collection. The dates of a single feature become
  /// several features.
  private var layout: GeoJSONReader.Layout? {
    let layout = reader?.layout
    return layout == .single && results.objectCount > 1 ? nil : layout
  }

  private var opening: [UInt8] {
    switch layout {
    case .collection?: reader?.prefix ?? []
    case .single?: []
    default: Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
    }
  }

  private var closing: [UInt8] {
    switch layout {
    case .collection?: reader?.suffix ?? []
    case .single?: [0x0A]
    default: Array("\n]}\n".utf8)
    }
  }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let (results, count) = (results.rows(of: answers), results.objectCount)
    let (isSequence, hasRecordSeparators) = (isSequence, hasRecordSeparators)
    try rows.write(batch.count, linesPerRow: count) {
      [members, transformations, passesThrough, names, advice] worker, rows, out in
      func begin(_ row: Int, _ object: Int) {
        if hasRecordSeparators { out.append(0x1E) }
        if !isSequence, batch.firstRow + row > 0 || object > 0 { out.append(literal: ",\n") }
      }
      if passesThrough, case .geoJSON(let features) = batch.rows {
        for row in rows {
          try Self.check(row, of: features, names: names, advice)
          for object in 0..<count {
            begin(row, object)
            GeoJSONRowText.append(
              row, of: features, hasMembers: !results.isEmpty, onOneLine: isSequence, to: out
            ) {
              results.append(row, object: object, isFirst: true, to: out)
            }
            if isSequence { out.append(0x0A) }
          }
        }
        return
      }
      let transformation = transformations[worker]
      try members.forEach(of: rows, in: batch, to: out) { row, appendMembers in
        var point = batch.point(row)
        if var there = point, let transformation {
          transformation.apply(x: &there.x, y: &there.y, count: 1)
          point = there
        }
        for object in 0..<count {
          begin(row, object)
          try GeoJSONRowText.appendFeature(point: point, to: out) {
            let hasMembers = try appendMembers()
            results.append(row, object: object, isFirst: !hasMembers, to: out)
          }
          if isSequence { out.append(0x0A) }
        }
      }
    }
  }

  /// - Throws: if a feature has a property with the name of a new member.
  private static func check(
    _ row: Int, of features: GeoJSONBatch, names: [[UInt8]], _ advice: String
  ) throws(PlumbError) {
    guard let name = features.firstProperty(among: names, at: row) else { return }
    throw PlumbError(
      "line \(features.lines[row]): the feature has a property "
        + "\(String(decoding: names[name], as: UTF8.self).printable) already; \(advice)")
  }

  func flush() throws { try rows.finish() }

  package func finish() throws {
    try rows.finish()
    if !isSequence { try output.write(closing) }
  }
}
