import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet
import PlumbSources

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The output of buffers, with its format and CRS.
package final class BufferOutput {
  package let format: OutputFormat
  /// The CRS of the output; nil if unknown.
  package let reference: SpatialReference?
  private let file: OutputFile?
  private let table: DatabaseTable?
  private var writer: (any AreaWriter)?

  /// Checks everything that can be checked before a writer is created.
  ///
  /// - Parameter input: the CRS of the input.
  package init(
    _ options: BatchBuffer.Options, files: [String], input: SpatialReference?
  ) throws {
    try InputGuard.check(output: options.output, inputs: files)
    format = try Self.format(options)
    if case .vector(let name) = format, options.output == nil {
      throw PlumbError(
        "\(name) cannot be written to standard output", code: .badOption,
        remedies: ["name a file with \(.output)"])
    }
    reference = try Self.reference(options, format, input)
    table = options.table
    file =
      options.table != nil
      ? nil : try options.output.map { try OutputFile(target: $0, overwrite: options.overwrites) }
    if case .vector(let name) = format, file?.isDirect == true, let path = options.output {
      throw PlumbError("\(name) cannot be written to \(path.printable); name a file")
    }
  }

  /// Creates an output with an existing writer.
  ///
  /// - Parameter reference: the CRS of the areas.
  package init(_ writer: any AreaWriter, reference: SpatialReference?) {
    (self.writer, self.reference) = (writer, reference)
    (format, file, table) = (.geoJSON, nil, nil)
  }

  /// - Throws: if buffers cannot be written in the requested format.
  package static func format(_ options: BatchBuffer.Options) throws -> OutputFormat {
    let format =
      try OutputFormat.choose(
        among: OutputFormat.ofAreas, options.format, output: options.output, table: options.table)
      ?? .geoJSON
    guard format != .jsonLines else {
      throw PlumbError(
        "jsonl is only for results of identify", code: .badOption,
        remedies: ["write buffers with \(.format) geojsonseq"])
    }
    return format
  }

  private static func reference(
    _ options: BatchBuffer.Options, _ format: OutputFormat, _ input: SpatialReference?
  ) throws -> SpatialReference? {
    let isGeoJSON = format == .geoJSON || format == .geoJSONSequence
    if isGeoJSON, let wanted = options.outputReference, !wanted.isEquivalent(to: .wgs84) {
      throw PlumbError(
        "GeoJSON is always in WGS84 and cannot be in \(wanted.label)", code: .badOption,
        remedies: ["leave \(.outCRS) out, or write another format with \(.output), such as gpkg"])
    }
    guard let target = isGeoJSON ? .wgs84 : options.outputReference else { return input }
    guard input != nil else {
      throw PlumbError(
        "the input has no CRS, so its coordinates cannot be transformed to "
          + "\(isGeoJSON ? "GeoJSON's WGS84" : target.label)", code: .noReference,
        remedies: ["set it with \(.crs)"])
    }
    return target
  }

  /// Creates the writer, which may write a header.
  package func start(
    fields: [Field], vectorFields: [VectorField], columnFields: [ColumnField], workers: Workers
  ) throws {
    if writer != nil { return }
    if let vector = try VectorTarget(format, file, table) {
      writer = VectorAreaWriter(
        try vector.writer(fields: vectorFields, reference: reference, kind: .area))
      return
    }
    let bytes = try ByteOutput(file)
    if let columnFormat = format.columnFormat {
      writer = try ColumnAreaWriter(
        ColumnShapeOutput(
          bytes, columnFormat, fields: columnFields, reference: reference, workers: workers))
      return
    }
    switch format {
    case .delimited(let delimiter):
      writer = try DelimitedAreaWriter(
        bytes, fields: fields, delimiter: delimiter, workers: workers)
    default:
      writer = try GeoJSONAreaWriter(
        bytes, fields: fields, isSequence: format == .geoJSONSequence, workers: workers)
    }
  }

  package func write(_ batch: FeatureInput.Batch, _ areas: [Polygon?]) throws {
    try writer?.write(batch, areas)
  }

  /// Closes the output and renames it to its final name.
  ///
  /// - Returns: warnings, one line for each change to the features that the format requires.
  package func finish() throws -> [String] {
    try writer?.finish()
    try file?.commit()
    return writer?.warnings ?? []
  }

  /// Converts a write error, which names the temporary file, to an error that names the user's file.
  package func named(_ error: any Error) -> any Error {
    guard let file, !file.isDirect else { return error }
    return file.named(error)
  }
}
