import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbRaster
import PlumbSources

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The output of a batch and its format.
final class BatchOutput {
  package let writer: any RowWriter
  let needsProvenance: Bool
  private let file: OutputFile?
  private let bytes: ByteOutput?
  private let resume: ResumeFolder?
  private let target: String?

  init(
    _ options: BatchIdentify.Options, format: OutputFormat, input: PointInput,
    columns: ResultColumns, stacks: StackSource, resume: ResumeFolder?
  ) throws {
    (self.resume, target) = (resume, options.output)
    let source = stacks.source
    let long = stacks.series?.isLong == true ? LongColumns(columns, stacks) : nil
    let advice = long == nil ? source.advice : "rename it"
    if case .vector(let name) = format, options.output == nil {
      throw PlumbError(
        "\(name) cannot be written to standard output", code: .badOption,
        remedies: ["name a file with \(.output)"])
    }
    file =
      resume != nil || options.table != nil
      ? nil : try options.output.map { try OutputFile(target: $0, overwrite: options.overwrites) }
    if case .vector(let name) = format, file?.isDirect == true, let path = options.output {
      throw PlumbError("\(name) cannot be written to \(path.printable); name a file")
    }
    needsProvenance =
      options.columns.hasProvenance || format == .jsonLines && !stacks.hasDates
    if let vector = try VectorTarget(format, file, options.table) {
      bytes = nil
      writer = try VectorFormatWriter(
        vector, columns: columns, long: long, input: input, reference: source.reference)
      return
    }
    let bytes =
      try resume.map { try ByteOutput(path: $0.outputPath, after: $0.written?.bytes ?? 0) }
      ?? ByteOutput(file)
    self.bytes = bytes
    if let columnFormat = format.columnFormat {
      writer = try ColumnRowWriter(
        bytes, columnFormat, columns: columns, long: long, input: input,
        reference: source.reference, hasGeometry: !options.takesCells, workers: options.workers)
      return
    }
    switch format {
    case .delimited(let delimiter):
      if let long {
        writer = LongRowWriter(
          bytes, long, delimiter: delimiter, input: input, workers: options.workers)
      } else {
        writer = try DelimitedRowWriter(
          bytes, columns: columns, delimiter: delimiter, input: input, workers: options.workers)
      }
    case .jsonLines where stacks.hasDates:
      writer = JSONTableWriter(
        bytes, ResultMembers(columns, long), input: input, workers: options.workers)
    case .jsonLines:
      writer = try JSONLinesRowWriter(
        bytes, source: source, input: input, names: options.names, workers: options.workers)
    default:
      writer = try GeoJSONRowWriter(
        bytes, ResultMembers(columns, long), advice: advice, input: input,
        reference: source.reference, isSequence: format == .geoJSONSequence,
        workers: options.workers)
    }
  }

  package func commit() throws {
    try file?.commit()
    if let resume, let target { try resume.commit(to: target) }
  }

  /// Records that rows are written, so that a run that was killed continues after them.
  func noteWritten(rows: Int) throws {
    try writer.flush()
    if let bytes { try resume?.noteWritten(rows: rows, bytes: bytes.byteCount) }
  }

  /// Converts a write error, which names the temporary file, to an error that names the user's file.
  package func named(_ error: any Error) -> any Error {
    guard let file, !file.isDirect else { return error }
    return file.named(error)
  }

  /// Throws if the output is one of the inputs, including the files that a VRT reads.
  static func checkTarget(_ options: BatchIdentify.Options, inputs: [String]) throws {
    try InputGuard.check(output: options.output, inputs: [options.points] + inputs)
  }
}

extension PointInput {
  /// The output format that corresponds to the format of the input. Database input is written as
  /// GeoJSON by default.
  var naturalFormat: OutputFormat {
    switch kind {
    case .delimited(let reader, _): .delimited(reader.header.delimiter)
    case .geoJSON(let reader): reader.layout == .sequence ? .geoJSONSequence : .geoJSON
    case .esri, .vector, .columnar: .geoJSON
    }
  }
}
