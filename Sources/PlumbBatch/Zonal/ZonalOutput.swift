import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbParquet
import PlumbSources

/// Receives the areas with their statistics, in order.
package protocol ZonalTarget: AnyObject {
  /// Whether names of columns that differ in case only are the same.
  var ignoresCase: Bool { get }
  /// Whether the shapes of the areas are written.
  var hasShapes: Bool { get }
  /// Whether the output is a Parquet or Arrow table.
  var isColumnar: Bool { get }

  /// Begins the output.
  ///
  /// - Parameter fields: the added columns.
  func start(_ input: AreaInput, _ fields: [Field], _ options: ZonalOptions) throws
  /// Writes features with the values of the added columns, in one or more rows each.
  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws
  /// Ends the output.
  ///
  /// - Returns: warnings, one line for each change to the areas that the format requires.
  func finish() throws -> [String]
  /// Converts an error of the output to an error that names the user's file.
  func named(_ error: any Error) -> any Error
}

/// A file or a stream of areas with their statistics.
final class ZonalOutput: ZonalTarget {
  let format: OutputFormat
  var ignoresCase: Bool { format.ignoresCase }
  var isColumnar: Bool { format.isColumnar }
  var hasShapes: Bool {
    if case .delimited = format { return false }
    return true
  }
  private let file: OutputFile?
  private var writer: (any ZonalWriter)?

  /// - Throws: if the format cannot be written, or if the output is an input file or exists
  ///   already.
  init(_ options: ZonalOptions, inputs: [String]) throws {
    try InputGuard.check(output: options.output, inputs: inputs)
    let format =
      try OutputFormat.choose(
        among: OutputFormat.ofAreas, options.format, output: options.output, table: options.table)
      ?? .comma
    guard format != .jsonLines else {
      throw PlumbError(
        "jsonl is for values of identify, not for areas", code: .badOption,
        remedies: ["write them with \(.format) geojsonseq"])
    }
    if case .vector(let name) = format, options.output == nil {
      throw PlumbError(
        "\(name) cannot be written to standard output", code: .badOption,
        remedies: ["name a file with \(.output)"])
    }
    self.format = format
    file =
      options.table != nil
      ? nil : try options.output.map { try OutputFile(target: $0, overwrite: options.overwrites) }
    if case .vector(let name) = format, file?.isDirect == true, let path = options.output {
      throw PlumbError("\(name) cannot be written to \(path.printable); name a file")
    }
  }

  /// Begins the output, which may write a header.
  ///
  /// - Parameter fields: the added columns.
  func start(_ input: AreaInput, _ fields: [Field], _ options: ZonalOptions) throws {
    let workers = options.workers
    if let vector = try VectorTarget(format, file, options.table) {
      let isPoints = options.radius != nil
      writer = try VectorZonalWriter(
        vector.writer(
          fields: input.vectorFields + fields.map { VectorField($0) },
          reference: input.reference, kind: isPoints ? .mixed : .area),
        isPoints: isPoints)
      return
    }
    if let columnFormat = format.columnFormat {
      writer = try ColumnZonalWriter(
        ColumnShapeOutput(
          ByteOutput(file), columnFormat,
          fields: input.columnFields + fields.map { ColumnField($0) },
          reference: input.reference, workers: workers), isPoints: options.radius != nil)
      return
    }
    switch format {
    case .delimited(let delimiter):
      writer = try DelimitedZonalWriter(
        ByteOutput(file), input.fields + fields, delimiter, workers)
    default:
      let projector = try input.reference.flatMap {
        try ShapeProjector(from: $0, to: .wgs84, workers: workers)
      }
      writer = GeoJSONZonalWriter(
        try GeoJSONAreaWriter(
          ByteOutput(file), fields: input.fields + fields,
          isSequence: format == .geoJSONSequence, workers: workers), projector)
    }
  }

  /// Writes features with the values of the added columns, in one or more rows each.
  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws {
    try writer?.write(batch, rows)
  }

  /// Closes the output and renames it to its final name.
  ///
  /// - Returns: warnings, one line for each change to the areas that the format requires.
  func finish() throws -> [String] {
    try writer?.finish()
    try file?.commit()
    return writer?.warnings ?? []
  }

  /// Converts a write error, which names the temporary file, to an error that names the user's file.
  func named(_ error: any Error) -> any Error {
    guard let file, !file.isDirect else { return error }
    return file.named(error)
  }
}

/// Writes features with added columns, in order.
private protocol ZonalWriter: AnyObject {
  var warnings: [String] { get }
  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws
  func finish() throws
}

/// Writes the attributes and the added columns as delimited text, without geometry.
private final class DelimitedZonalWriter: ZonalWriter {
  private let output: ByteOutput
  private let delimiter: UInt8
  private let text: FeatureText
  let warnings: [String] = []

  init(_ output: ByteOutput, _ fields: [Field], _ delimiter: UInt8, _ workers: Workers) throws {
    (self.output, self.delimiter) = (output, delimiter)
    text = FeatureText(workers: workers)
    let header = TextBuffer()
    for (index, field) in fields.enumerated() {
      if index > 0 { header.append(delimiter) }
      DelimitedRow.append(field.name, delimiter: delimiter, to: header)
    }
    header.append("\n")
    try output.write(header.bytes)
  }

  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws {
    try text.write(batch.features.count, to: output) {
      [delimiter] index, text throws(FormatError) in
      for row in rows.rows(of: index) {
        for (position, value) in batch.features[index].attributes.enumerated() {
          if position > 0 { text.append(delimiter) }
          DelimitedRow.append(value, delimiter: delimiter, to: text)
        }
        var hasFields = !batch.features[index].attributes.isEmpty
        for value in row {
          if hasFields { text.append(delimiter) }
          DelimitedRow.append(value, delimiter: delimiter, to: text)
          hasFields = true
        }
        text.append("\n")
      }
    }
  }

  func finish() throws {}
}

/// Writes features as GeoJSON.
private final class GeoJSONZonalWriter: ZonalWriter {
  private let writer: GeoJSONAreaWriter
  private let projector: ShapeProjector?
  var warnings: [String] { writer.warnings + [projector?.warning].compactMap { $0 } }

  init(_ writer: GeoJSONAreaWriter, _ projector: ShapeProjector?) {
    (self.writer, self.projector) = (writer, projector)
  }

  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws {
    var shapes = batch.features.map { $0.geometry ?? $0.area }
    if let projector { shapes = try projector.project(shapes) }
    // The original text of the properties is not copied, because it does not contain the
    // statistics.
    var expanded = FeatureInput.Batch(features: [])
    var expandedShapes: [Geometry?] = []
    for index in batch.features.indices {
      for row in rows.rows(of: index) {
        var feature = batch.features[index]
        feature.attributes += row
        expanded.features.append(feature)
        expandedShapes.append(shapes[index])
      }
    }
    try writer.write(expanded, shapes: expandedShapes)
  }

  func finish() throws { try writer.finish() }
}

/// Writes features as a Parquet or Arrow table.
private final class ColumnZonalWriter: ZonalWriter {
  private let output: ColumnShapeOutput
  private let isPoints: Bool
  var warnings: [String] { output.warnings }

  init(_ output: ColumnShapeOutput, isPoints: Bool) {
    (self.output, self.isPoints) = (output, isPoints)
  }

  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws {
    try output.write(batch.features.count, source: batch.rows) { [isPoints] index in
      let feature = batch.features[index]
      return (
        isPoints ? feature.geometry : feature.area,
        rows.rows(of: index).map { feature.attributes + $0 }
      )
    }
  }

  func finish() throws { try output.finish() }
}

/// Writes features in a format that OGR writes.
private final class VectorZonalWriter: ZonalWriter {
  private let writer: VectorRowWriter
  var warnings: [String] { writer.warnings }

  private let isPoints: Bool

  init(_ writer: VectorRowWriter, isPoints: Bool) {
    (self.writer, self.isPoints) = (writer, isPoints)
  }

  func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws {
    for (index, feature) in batch.features.enumerated() {
      for row in rows.rows(of: index) {
        let values = feature.attributes + row
        if isPoints {
          try writer.append(shape: feature.geometry, values: values)
        } else if case .polygon(let polygon)? = feature.area {
          try writer.append(area: polygon, values: values)
        } else {
          try writer.append(area: nil, values: values)
        }
      }
    }
  }

  func finish() throws { try writer.finish() }
}
