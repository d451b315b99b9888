import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbSources

/// The output of `BatchZonal`: areas with their statistics.
final class ZonalOutput {
  let format: OutputFormat
  private let file: OutputFile?
  private var writer: (any ZonalWriter)?

  /// - Throws: for a format that cannot be written, and for an output that is the input or exists.
  init(_ options: BatchZonal.Options, inputs: [String]) throws {
    try InputGuard.check(output: options.output, inputs: inputs)
    let format =
      try OutputFormat.ofAreas.choose(
        options.format.map { try OutputFormat(name: $0) }, output: options.output) ?? .comma
    guard format != .jsonLines else {
      throw PlumbError(
        "jsonl is for answers of identify", code: .badOption,
        remedies: ["write areas with \(.format) geojsonseq"])
    }
    if case .vector(let name) = format, options.output == nil {
      throw PlumbError(
        "\(name) cannot be written to standard output", code: .badOption,
        remedies: ["name a file with \(.output)"])
    }
    self.format = format
    file = try options.output.map { try OutputFile(target: $0, overwrite: options.overwrites) }
    if case .vector(let name) = format, file?.isDirect == true, let path = options.output {
      throw PlumbError("\(name) cannot be written to \(path.printable); name a file")
    }
  }

  /// Begins the output, which may write a header.
  func start(_ input: FeatureInput, _ fields: [Field], _ workers: Workers) throws {
    switch format {
    case .vector(let name):
      guard let driver = VectorDriver.named(name), let file else {
        throw PlumbError("GDAL has no format \(name.printable)", code: .unsupported)
      }
      let layer = file.temporaryPath.split(separator: "/").last.map(String.init) ?? "areas"
      writer = try VectorZonalWriter(
        VectorRowWriter(
          path: file.temporaryPath, driver: driver,
          layer: layer.split(separator: ".").first.map(String.init) ?? layer,
          fields: input.vectorFields + fields.map { VectorField($0) },
          reference: input.source.spatialReference?.definition, kind: .area))
    case .delimited(let delimiter):
      writer = try DelimitedZonalWriter(
        ByteOutput(file), input.source.fields + fields, delimiter, workers)
    case .geoJSON, .geoJSONSequence, .jsonLines:
      let reference = input.source.spatialReference
      let projector = try reference.flatMap {
        try AreaProjector(from: $0, to: .wgs84, workers: workers)
      }
      writer = GeoJSONZonalWriter(
        try GeoJSONAreaWriter(
          ByteOutput(file), fields: input.source.fields + fields,
          isSequence: format == .geoJSONSequence, workers: workers), projector)
    }
  }

  /// Writes features with the values of the added columns.
  func write(_ batch: FeatureInput.Batch, _ rows: [[FieldValue]]) throws {
    try writer?.write(batch, rows)
  }

  /// Closes the output and renames it to its final name.
  ///
  /// - Returns: one line for each change that the format required.
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
  func write(_ batch: FeatureInput.Batch, _ rows: [[FieldValue]]) throws
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

  func write(_ batch: FeatureInput.Batch, _ rows: [[FieldValue]]) throws {
    try text.write(batch.features.count, to: output) {
      [delimiter] index, text throws(FormatError) in
      for (position, value) in (batch.features[index].attributes + rows[index]).enumerated() {
        if position > 0 { text.append(delimiter) }
        DelimitedRow.append(value.text, delimiter: delimiter, to: text)
      }
      text.append("\n")
    }
  }

  func finish() throws {}
}

/// Writes features as GeoJSON.
private final class GeoJSONZonalWriter: ZonalWriter {
  private let writer: GeoJSONAreaWriter
  private let projector: AreaProjector?
  var warnings: [String] { writer.warnings }

  init(_ writer: GeoJSONAreaWriter, _ projector: AreaProjector?) {
    (self.writer, self.projector) = (writer, projector)
  }

  func write(_ batch: FeatureInput.Batch, _ rows: [[FieldValue]]) throws {
    var batch = batch
    // The original text of the properties has no statistics.
    batch.texts = nil
    for index in batch.features.indices { batch.features[index].attributes += rows[index] }
    var areas = batch.features.map(\.polygon)
    if let projector {
      let known = areas.indices.filter { areas[$0] != nil }
      for (index, area) in zip(known, try projector.project(known.compactMap { areas[$0] })) {
        areas[index] = area
      }
    }
    try writer.write(batch, areas)
  }

  func finish() throws { try writer.finish() }
}

/// Writes features in a format created by OGR.
private final class VectorZonalWriter: ZonalWriter {
  private let writer: VectorRowWriter
  var warnings: [String] { writer.warnings }

  init(_ writer: VectorRowWriter) { self.writer = writer }

  func write(_ batch: FeatureInput.Batch, _ rows: [[FieldValue]]) throws {
    for (feature, row) in zip(batch.features, rows) {
      try writer.append(area: feature.polygon, values: feature.attributes + row)
    }
  }

  func finish() throws { try writer.finish() }
}
