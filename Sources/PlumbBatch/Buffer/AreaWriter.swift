import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbSources

/// Writes features in one format, with areas as their geometries. Features are written in order.
package protocol AreaWriter: AnyObject {
  /// - Parameter areas: one area per feature; nil for a null geometry.
  func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws
  /// Writes the text that follows the last row, if any, and closes the output.
  func finish() throws
  /// Warnings, one line for each change to the features that the format requires.
  var warnings: [String] { get }
}

extension AreaWriter {
  package var warnings: [String] { [] }
}

/// Formats the text of features on several threads.
struct FeatureText {
  package let workers: Workers
  private static let grain = 128
  /// The number of features per worker whose text is in memory at the same time.
  private static let featuresPerWorker = 1 << 11

  /// Writes each feature's text in order.
  package func write(
    _ count: Int, to output: ByteOutput,
    _ append: @Sendable (Int, inout TextBuffer) throws(FormatError) -> Void
  ) throws {
    let step = Self.featuresPerWorker * workers.count
    for start in stride(from: 0, to: count, by: step) {
      let texts = workers.mapRanges(min(step, count - start), grain: Self.grain) { _, range in
        Result { () throws(FormatError) in
          var text = TextBuffer()
          for index in range { try append(start + index, &text) }
          return text
        }
      }
      for text in texts { try output.write(text.get().bytes) }
    }
  }
}

/// Writes GeoJSON, as a feature collection or as a sequence with one feature per line.
final class GeoJSONAreaWriter: AreaWriter {
  private let output: ByteOutput
  private let row: GeoJSONAreaText
  private let text: FeatureText
  private var isFirst = true

  package init(_ output: ByteOutput, fields: [Field], isSequence: Bool, workers: Workers) throws {
    self.output = output
    row = GeoJSONAreaText(names: fields.map(\.name), isSequence: isSequence)
    text = FeatureText(workers: workers)
    if !isSequence {
      try output.write(Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8))
    }
  }

  package func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws {
    try write(batch, shapes: areas.map { $0.map { .polygon($0) } })
  }

  /// Writes features with shapes of any kind.
  func write(_ batch: FeatureInput.Batch, shapes: [Geometry?]) throws {
    let followsOthers = !isFirst
    isFirst = isFirst && batch.features.isEmpty
    try text.write(batch.features.count, to: output) { [row] index, text in
      if !row.isSequence, followsOthers || index > 0 { text.append(",\n") }
      row.append(batch.features[index], batch.texts?[index], shapes[index], to: &text)
    }
  }

  package func finish() throws {
    if !row.isSequence { try output.write(Array("\n]}\n".utf8)) }
  }
}

/// Writes a feature with a shape as GeoJSON.
private struct GeoJSONAreaText: Sendable {
  let names: [String]
  let isSequence: Bool

  /// - Parameter source: the feature's original text, if the input is GeoJSON.
  func append(
    _ feature: Feature, _ source: GeoJSONFeatureSource.Text?, _ shape: Geometry?,
    to text: inout TextBuffer
  ) {
    text.append("{\"type\":\"Feature\",")
    if let source {
      append(source, shape, to: &text)
    } else {
      var members: [UInt8] = []
      GeoJSONRowText.append(members: zip(names, feature.attributes), to: &members)
      append(feature.id.map { Array(String($0).utf8) }, shape, to: &text)
      text.append("{")
      text.append(contentsOf: members)
      text.append("}}")
    }
    if isSequence { text.append("\n") }
  }

  /// Appends a feature from GeoJSON input. Its id and properties keep their original bytes, except
  /// for line breaks, which a sequence does not allow within a feature.
  private func append(
    _ source: GeoJSONFeatureSource.Text, _ shape: Geometry?, to text: inout TextBuffer
  ) {
    append(source.id.map(onOneLine), shape, to: &text)
    text.append(contentsOf: source.properties.map(onOneLine) ?? Array("{}".utf8))
    text.append("}")
  }

  private func append(_ id: [UInt8]?, _ shape: Geometry?, to text: inout TextBuffer) {
    if let id {
      text.append("\"id\":")
      text.append(contentsOf: id)
      text.append(",")
    }
    text.append("\"geometry\":")
    GeoJSONGeometry.append(shape, to: &text)
    text.append(",\"properties\":")
  }

  /// Replaces line breaks with spaces if the output is a sequence. In JSON, line breaks occur only
  /// between tokens.
  private func onOneLine(_ bytes: [UInt8]) -> [UInt8] {
    isSequence ? bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } : bytes
  }
}

/// Writes features as a Parquet or Arrow table.
final class ColumnAreaWriter: AreaWriter {
  private let output: ColumnShapeOutput

  init(_ output: ColumnShapeOutput) { self.output = output }

  var warnings: [String] { output.warnings }

  func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws {
    try output.write(batch.features.count, source: batch.rows) { index in
      (areas[index].map { .polygon($0) }, [batch.features[index].attributes])
    }
  }

  func finish() throws { try output.finish() }
}

/// Writes features in a format that OGR writes.
final class VectorAreaWriter: AreaWriter {
  private let writer: VectorRowWriter

  init(_ writer: VectorRowWriter) { self.writer = writer }

  package var warnings: [String] { writer.warnings }

  package func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws {
    for (feature, area) in zip(batch.features, areas) {
      try writer.append(area: area, values: feature.attributes)
    }
  }

  package func finish() throws { try writer.finish() }
}
