import PlumbCore
import PlumbFormats
import PlumbGDAL

/// Writes features with areas for geometries in one format: each feature one row, in order.
protocol AreaWriter: AnyObject {
  /// - Parameter areas: one per feature, nil for a null geometry.
  func write(_ features: [Feature], _ areas: [Polygon?]) throws
  /// Writes what follows the last row and closes the output.
  func finish() throws
  /// What the format could not take as it was, one line each.
  var warnings: [String] { get }
}

extension AreaWriter {
  var warnings: [String] { [] }
}

/// Text of features, made on several threads.
struct FeatureText {
  let workers: Workers
  private static let grain = 128

  /// Writes each feature's text in order.
  func write(
    _ count: Int, to output: ByteOutput, _ append: (Int, inout TextBuffer) -> Void
  ) throws {
    let jobs = (count + Self.grain - 1) / Self.grain
    let texts = Slots<TextBuffer>(count: jobs)
    workers.run(jobs) { _, job in
      var text = TextBuffer()
      for index in job * Self.grain..<min(count, (job + 1) * Self.grain) { append(index, &text) }
      texts.values[job] = text
    }
    for text in texts.values {
      if let text { try output.write(text.bytes) }
    }
  }
}

/// Writes GeoJSON: a collection, or one feature a line.
final class GeoJSONAreaWriter: AreaWriter {
  private let output: ByteOutput
  private let names: [String]
  private let isSequence: Bool
  private let text: FeatureText
  private var isFirst = true

  init(_ output: ByteOutput, fields: [Field], isSequence: Bool, workers: Workers) throws {
    self.output = output
    self.isSequence = isSequence
    names = fields.map(\.name)
    text = FeatureText(workers: workers)
    if !isSequence {
      try output.write(Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8))
    }
  }

  func write(_ features: [Feature], _ areas: [Polygon?]) throws {
    let followsOthers = !isFirst
    isFirst = isFirst && features.isEmpty
    try text.write(features.count, to: output) { index, text in
      if !isSequence, followsOthers || index > 0 { text.append(",\n") }
      let feature = features[index]
      text.append("{\"type\":\"Feature\",")
      if let id = feature.id {
        text.append("\"id\":")
        text.append(signed: id)
        text.append(",")
      }
      text.append("\"geometry\":")
      GeoJSONGeometry.append(areas[index].map { .polygon($0) }, to: &text)
      var members: [UInt8] = []
      GeoJSONRowText.append(members: zip(names, feature.attributes), to: &members)
      text.append(",\"properties\":{")
      text.append(contentsOf: members)
      text.append("}}")
      if isSequence { text.append("\n") }
    }
  }

  func finish() throws {
    if !isSequence { try output.write(Array("\n]}\n".utf8)) }
  }
}

/// Writes features in a format that OGR creates.
final class VectorAreaWriter: AreaWriter {
  private let writer: VectorRowWriter

  init(
    path: String, driver: VectorDriver, fields: [VectorField], reference: SpatialReference?
  ) throws {
    let name = path.split(separator: "/").last.map(String.init) ?? "buffers"
    writer = try VectorRowWriter(
      path: path, driver: driver, layer: name.split(separator: ".").first.map(String.init) ?? name,
      fields: fields, reference: reference?.definition, kind: .area)
  }

  var warnings: [String] { writer.warnings }

  func write(_ features: [Feature], _ areas: [Polygon?]) throws {
    for (feature, area) in zip(features, areas) {
      try writer.append(area: area, values: feature.attributes)
    }
  }

  func finish() throws { try writer.finish() }
}
