import Plumb
import PlumbBatch
import PlumbCore

/// The inputs of a run other than its request, and the receivers of its output.
package struct RunContext {
  /// The front end of the request.
  var frontEnd: FrontEnd
  /// The receiver of the output; nil to write to the request's output path or standard output.
  package var sink: MemorySink?
  /// The files and hosts to which documents may refer.
  package var access = DocumentAccess.folder
  /// The credentials for services; nil for none.
  package var signIn: SignIn?
  /// Reads features from services; nil if GDAL opens URLs.
  package var services: FeatureServices?
  /// The paths of temporary files for the table in a request and for its results; nil if the request names
  /// files.
  package var tables: (input: String, output: String)?
  /// The limits of the memory and the number of rows of a table.
  package var limits = RowLimits()
  /// Returns the paths of the layers that the value of the option `layers` selects at a scale; nil
  /// if layers have no numbers.
  package var layers: ((String, Double?) throws -> Set<String>?)?
  /// The names of the uses of a source, for descriptions. Uses without a name are described in
  /// plain words.
  package var uses: [SourceUse: String] = [:]
  /// Throws if shapes are too complex to be repaired or joined; nil for no limit.
  package var checkShapes: (@Sendable ([Geometry]) throws -> Void)?
  /// Whether messages of libraries belong to this run, because this run is the only run of the
  /// process.
  package var isOnlyRun = true
  /// The default size of the cache of decoded tiles, in bytes.
  package static let defaultCache = 512 << 20
  /// The cache of decoded tiles; nil to create a cache of the size in the request.
  package var tileCache: TileCache?
  /// The threads of the run; nil for the number in the request.
  package var workers: Workers?
  /// Receives each warning as soon as it occurs, even if the run fails later.
  package var warn: (MessageTemplate) -> Void
  /// Receives lines that explain the run; nil to omit these lines.
  package var note: ((String) -> Void)?
  /// Receives lines about the input that are not warnings.
  package var remark: (String) -> Void = { _ in }
  /// Receives the lines that the expression of a request prints.
  package var print: (String) -> Void = { _ in }
  /// Receives warnings from other threads during the run.
  package var warnLater: @Sendable (MessageTemplate) -> Void = { _ in }
  /// Receives the fraction of the input that has been read, if known, and the number of features so far.
  package var progress: (Double?, Int) -> Void = { _, _ in }
  /// Runs after the input has been read.
  package var endProgress: () -> Void = {}

  package init(_ frontEnd: FrontEnd, warn: @escaping (MessageTemplate) -> Void) {
    (self.frontEnd, self.warn) = (frontEnd, warn)
  }

  /// Reports warnings.
  ///
  /// - Throws: in strict mode, the first warning as an error.
  func report(_ lines: [MessageTemplate], isStrict: Bool, _ pronoun: String = "that") throws {
    try PlumbError.check(lines, isStrict: isStrict, pronoun)
    lines.forEach(warn)
  }

  /// Reports the messages that GDAL has logged so far as warnings, if this is the only run of the process.
  func collectLibraryMessages() {
    guard frontEnd == .command, isOnlyRun else { return }
    for line in GDALMessages.drain() { warn(MessageTemplate(line)) }
  }
}

/// The output of a run, collected in memory.
package final class MemorySink {
  /// The output so far.
  package private(set) var bytes: [UInt8] = []
  private let limit: Int

  /// - Parameter limit: the maximum size of the output in bytes.
  package init(limit: Int = .max) { self.limit = limit }

  /// - Throws: if an output of `count` bytes exceeds the limit.
  func check(_ count: Int) throws {
    if count > limit {
      throw PlumbError("the reply exceeds \(limit >> 20) MB; request less", code: .limit)
    }
  }

  func write(_ body: [UInt8]) throws {
    try check(bytes.count + body.count)
    bytes = bytes.isEmpty ? body : bytes + body
  }
}

/// The destination of a run's output, which is a file, standard output, memory or a table of a
/// database. A file appears when it is complete.
enum RunOutput {
  case file(ResultOutput)
  case memory(MemorySink)
  /// A table, which receives a layer.
  case table(DatabaseTable)

  /// - Parameter table: the table that is written instead of a file; nil for a file.
  /// - Throws: if the file exists and must not be overwritten, or cannot be written.
  init(
    _ context: RunContext, path: String?, overwrite: Bool, table: DatabaseTable? = nil
  ) throws {
    if let sink = context.sink {
      self = .memory(sink)
    } else if let table {
      self = .table(table)
    } else {
      self = .file(try ResultOutput(path: path, overwrite: overwrite))
    }
  }

  /// Throws if the output is one of the input files.
  func check(inputs: [String]) throws {
    if case .file(let output) = self { try output.check(inputs: inputs) }
  }

  /// Calls `body` to write a layer to a file or a table.
  ///
  /// - Throws: if the output is in memory, because `body` cannot write to memory.
  func writeLayer(_ body: (FeatureLayerOutput.Destination) throws -> Void) throws {
    try WorkCancellation.checkCurrent()
    switch self {
    case .file(let output): try body(.file(output))
    case .table(let table): try body(.table(table))
    case .memory:
      throw PlumbError("this format can only be written to a file", code: .unsupported)
    }
  }

  /// Writes the complete output.
  func write(_ bytes: [UInt8]) throws {
    try WorkCancellation.checkCurrent()
    switch self {
    case .file(let output): try output.write(bytes)
    case .memory(let sink): try sink.write(bytes)
    case .table: preconditionFailure("a table receives a layer")
    }
  }

  /// Throws if the output so far, of `count` bytes, exceeds the limit.
  func check(_ count: Int) throws {
    if case .memory(let sink) = self { try sink.check(count) }
  }
}
