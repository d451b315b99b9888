import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a batch writes and in which format.
final class BatchOutput {
  let writer: any RowWriter
  let needsProvenance: Bool
  private let file: OutputFile?

  init(
    _ options: BatchIdentify.Options, format: OutputFormat, input: PlaceInput,
    columns: ResultColumns, source: BatchSource
  ) throws {
    if case .vector(let name) = format, options.output == nil {
      throw PlumbError("\(name) cannot be written to standard output; name a file with -o")
    }
    file = try options.output.map { try OutputFile(target: $0, overwrite: options.overwrites) }
    if case .vector(let name) = format, file?.isDirect == true, let path = options.output {
      throw PlumbError("\(name) cannot be written to \(path.printable); name a file")
    }
    needsProvenance = options.columns.hasProvenance || format == .jsonLines
    if case .vector(let name) = format, let file {
      guard let driver = VectorDriver.named(name) else {
        throw PlumbError("GDAL has no format \(name.printable)")
      }
      let stem = file.temporaryPath.split(separator: "/").last.map(String.init) ?? "places"
      writer = try VectorFormatWriter(
        path: file.temporaryPath, driver: driver,
        layer: stem.split(separator: ".").first.map(String.init) ?? stem, columns: columns,
        input: input, reference: source.reference)
      return
    }
    let bytes = try ByteOutput(path: file?.temporaryPath)
    switch format {
    case .delimited(let delimiter):
      writer = try DelimitedRowWriter(
        bytes, columns: columns, delimiter: delimiter, input: input, workers: options.workers)
    case .jsonLines:
      writer = JSONLinesRowWriter(bytes, source: source, input: input)
    case .geoJSON, .geoJSONSequence, .vector:
      writer = try GeoJSONRowWriter(
        bytes, columns: columns, input: input, reference: source.reference,
        isSequence: format == .geoJSONSequence)
    }
  }

  func commit() throws { try file?.commit() }

  /// The error of a write, in terms of the file that the user named.
  func named(_ error: any Error) -> any Error {
    guard let file, !file.isDirect else { return error }
    return PlumbError(file.message(from: PlumbError.message(of: error)))
  }

  /// Refuses an output that is one of the inputs, a file that a VRT reads from among them.
  static func checkTarget(_ options: BatchIdentify.Options, inputs: [String]) throws {
    guard let output = options.output else {
      guard let own = FileIdentity(file: StandardOutput.file) else { return }
      for path in [options.points] + inputs where path != "-" && FileIdentity(path: path) == own {
        throw PlumbError("standard output is \(path.printable); write to another file")
      }
      return
    }
    guard let own = FileIdentity(path: output) else { return }
    for path in [options.points] + inputs
    where path != "-" && FileIdentity(path: path) == own {
      throw PlumbError("\(output.printable) is an input; write to another file")
    }
  }
}

/// Tells whether two paths are one file.
struct FileIdentity: Hashable {
  let device: UInt64
  let node: UInt64

  init?(path: String) {
    var facts = stat()
    guard stat(StandardOutput.path(for: path), &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// - Parameter file: an open descriptor.
  init?(file: Int32) {
    var facts = stat()
    guard fstat(file, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// - Returns: nil for what is no regular file: a terminal may well be input and output.
  private init?(_ facts: stat) {
    guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    node = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}

extension PlaceInput {
  /// The format of the input itself. What came from a database goes out as GeoJSON when nothing
  /// else was said.
  var naturalFormat: OutputFormat {
    switch kind {
    case .delimited(let reader, _): .delimited(reader.header.delimiter)
    case .geoJSON(let reader): reader.layout == .sequence ? .geoJSONSequence : .geoJSON
    case .vector: .geoJSON
    }
  }
}
