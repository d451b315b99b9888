import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The columns of any row as name and value.
package struct RowFields {
  package let fields: [Field]

  /// - Throws: when a field of delimited text is not of its column's kind.
  package func members(
    _ batch: PointBatch, _ row: Int
  ) throws(PlumbError) -> [(name: String, value: FieldValue)] {
    switch batch.rows {
    case .delimited:
      let texts = batch.rawFields(row)
      var members: [(name: String, value: FieldValue)] = []
      members.reserveCapacity(max(texts.count, fields.count))
      for (field, text) in zip(fields, texts) {
        members.append((field.name, try batch.value(text, field, row, isJSON: true)))
      }
      // A ragged row's fields beyond the header are named by their number.
      for index in texts.indices.dropFirst(fields.count) {
        members.append(("\(index + 1)", .text(String(decoding: texts[index], as: UTF8.self))))
      }
      return members
    case .geoJSON(let rows): return rows.fields(at: row)
    case .vector(let rows):
      return zip(fields, rows.values(at: row)).map { (name: $0.name, value: $1) }
    }
  }
}

extension PointBatch {
  /// A field of delimited text as its column's kind has it.
  package func value(
    _ text: [UInt8], _ field: Field, _ row: Int, isJSON: Bool
  ) throws(PlumbError) -> FieldValue {
    do throws(PlumbError) {
      return try TypedField.value(text, field, isJSON: isJSON)
    } catch {
      var error = error
      error.wording = "row \(firstRow + row + 1), \(error.wording)"
      error.context.row = firstRow + row + 1
      throw error
    }
  }
}

/// Writes identify results, one JSON object a line, each with its row's columns as `input`.
package final class JSONLinesRowWriter: RowWriter {
  private let output: ByteOutput
  private let source: BatchSource
  private let fields: RowFields
  private let reference: String?
  private let names: [Setting: String]

  /// - Parameter names: what settings are called in errors.
  package init(
    _ output: ByteOutput, source: BatchSource, input: PointInput, names: [Setting: String]
  ) {
    self.names = names
    self.output = output
    self.source = source
    fields = RowFields(fields: input.fields)
    reference = source.reference?.label
  }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    var text: [UInt8] = []
    for row in 0..<batch.count {
      var input: [UInt8] = [UInt8(ascii: "{")]
      GeoJSONRowText.append(members: try fields.members(batch, row), to: &input)
      input.append(UInt8(ascii: "}"))
      let point = AskedPoint(x: batch.x.base[row], y: batch.y.base[row], reference: reference)
      IdentifyJSON.append(
        point: point, input: input,
        results: source.results(at: row, of: answers, x: point.x, y: point.y), names: names,
        to: &text)
      text.append(0x0A)
      if text.count > 1 << 20 {
        try output.write(text)
        text.removeAll(keepingCapacity: true)
      }
    }
    try output.write(text)
  }

  package func finish() throws {}
}

/// Writes GeoJSON: a collection or one feature a line. Features that came as such keep their
/// bytes, with the new members at the end of their properties.
package final class GeoJSONRowWriter: RowWriter {
  private let output: ByteOutput
  private let columns: ResultColumns
  private let input: PointInput
  private let fields: RowFields
  private let isSequence: Bool
  /// To WGS84, which GeoJSON is in, where new geometry is written in another reference.
  private let transformation: Transformation?
  private let passesThrough: Bool
  private var isFirst = true

  package init(
    _ output: ByteOutput, columns: ResultColumns, input: PointInput,
    reference: SpatialReference?, isSequence: Bool
  ) throws {
    self.output = output
    self.columns = columns
    self.input = input
    self.isSequence = isSequence
    fields = RowFields(fields: input.fields)
    let isForeign = reference.map { !$0.isEquivalent(to: .wgs84) } ?? false
    if case .geoJSON(let reader) = input.kind {
      // A collection keeps its crs member, which a sequence has no room for.
      passesThrough = !(isForeign && isSequence && reader.layout == .collection)
    } else {
      passesThrough = false
    }
    transformation =
      isForeign && !passesThrough
      ? try reference.map { try Transformation(from: $0, to: .wgs84) } : nil
    if !isSequence { output.begin(with: Array(opening)) }
  }

  private var opening: [UInt8] {
    if case .geoJSON(let reader) = input.kind {
      if reader.layout == .collection { return reader.prefix }
      if reader.layout == .single { return [] }
    }
    return Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
  }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    var text: [UInt8] = []
    for row in 0..<batch.count {
      if isSequence {
        if case .geoJSON(let reader) = input.kind, reader.hasRecordSeparators { text.append(0x1E) }
      } else if !isFirst {
        text.append(contentsOf: [UInt8(ascii: ","), 0x0A])
      }
      isFirst = false
      let members = columns.members(row: row, answers)
      if passesThrough, case .geoJSON(let rows) = batch.rows {
        for member in members where rows.value(named: member.name, at: row) != nil {
          throw PlumbError(
            "line \(rows.lines[row]): the feature has a property \(member.name.printable) already; "
              + columns.advice)
        }
        GeoJSONRowText.append(
          row, of: rows, adding: members.map { ($0.name, $0.value) }, onOneLine: isSequence,
          to: &text)
      } else {
        let all = try fields.members(batch, row) + members
        GeoJSONRowText.appendFeature(
          point: point(batch, row), fields: all.map { ($0.name, $0.value) }, to: &text)
      }
      if isSequence { text.append(0x0A) }
      if text.count > 1 << 20 {
        try output.write(text)
        text.removeAll(keepingCapacity: true)
      }
    }
    try output.write(text)
  }

  private func point(_ batch: PointBatch, _ row: Int) -> (x: Double, y: Double)? {
    guard var point = batch.point(row) else { return nil }
    transformation?.apply(x: &point.x, y: &point.y, count: 1)
    return point
  }

  package func finish() throws {
    guard !isSequence else { return }
    if case .geoJSON(let reader) = input.kind {
      if reader.layout == .collection {
        try output.write(reader.suffix)
        return
      }
      if reader.layout == .single {
        try output.write([0x0A])
        return
      }
    }
    try output.write(Array("\n]}\n".utf8))
  }
}
