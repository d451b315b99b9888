import Plumb
import PlumbBatch
import PlumbCore

/// The inputs and receivers of a run besides its request.
package struct RunContext {
  /// The front end of the request.
  var frontEnd: FrontEnd
  /// The receiver of the body; nil for the request's output path or standard output.
  package var sink: MemorySink?
  /// The files and hosts that documents may name.
  package var access = DocumentAccess.folder
  /// The credentials for services; nil for none.
  package var signIn: SignIn?
  /// Reads features from services; nil if GDAL opens addresses.
  package var services: FeatureServices?
  /// The paths of a table in the request and of its results; nil if the request names files.
  package var tables: (input: String, output: String)?
  /// The limits of the memory and the number of rows of a table.
  package var limits = RowLimits()
  /// Finds the layers of `layers`, by their paths, at a scale; nil if layers have no numbers.
  package var layers: ((String, Double?) throws -> Set<String>?)?
  /// The names of uses of a source; other uses are described in plain words.
  package var uses: [SourceUse: String] = [:]
  /// The threads of the run; nil for those of the request.
  package var workers: Workers?
  /// Receives each warning as soon as it occurs, even if the run fails later.
  package var warn: (MessageTemplate) -> Void
  /// Receives lines that explain the run; nil if they are not wanted.
  package var note: ((String) -> Void)?
  /// Receives lines about the input that are not warnings.
  package var remark: (String) -> Void = { _ in }
  /// Receives lines that the request itself prints.
  package var print: (String) -> Void = { _ in }
  /// Receives warnings of other threads during the run.
  package var warnLater: @Sendable (MessageTemplate) -> Void = { _ in }
  /// Receives the share of the input that has been read, if known, and the number of features so far.
  package var progress: (Double?, Int) -> Void = { _, _ in }
  /// Called when the input has been read.
  package var endProgress: () -> Void = {}

  package init(_ frontEnd: FrontEnd, warn: @escaping (MessageTemplate) -> Void) {
    (self.frontEnd, self.warn) = (frontEnd, warn)
  }

  /// Reports the messages of GDAL so far as warnings, if this is the only run of its process.
  func takeLibraryMessages() {
    guard frontEnd == .command else { return }
    for line in GDALMessages.take() { warn(MessageTemplate(line)) }
  }
}

/// Holds the body of a run in memory.
package final class MemorySink {
  /// The body so far.
  package private(set) var bytes: [UInt8] = []
  private let limit: Int

  /// - Parameter limit: the maximum size of a body in bytes.
  package init(limit: Int = .max) { self.limit = limit }

  /// - Throws: if the body exceeds the limit.
  func check(_ count: Int) throws {
    if count > limit {
      throw PlumbError("the answer has over \(limit >> 20) MB; request less", code: .limit)
    }
  }

  func write(_ body: [UInt8]) throws {
    try check(bytes.count + body.count)
    bytes = bytes.isEmpty ? body : bytes + body
  }
}

/// The body of a run: a file that appears when it is complete, standard output, or memory.
enum RunOutput {
  case file(ResultOutput)
  case memory(MemorySink)

  /// - Throws: if the output exists and must not be overwritten, or cannot be written.
  init(_ context: RunContext, path: String?, overwrite: Bool) throws {
    if let sink = context.sink {
      self = .memory(sink)
    } else {
      self = .file(try ResultOutput(path: path, overwrite: overwrite))
    }
  }

  /// Fails if the output is one of the input files.
  func check(inputs: [String]) throws {
    if case .file(let output) = self { try output.check(inputs: inputs) }
  }

  /// Writes a file with `body`.
  ///
  /// - Throws: in memory, because the formats are not files.
  func writeFile(_ body: (ResultOutput) throws -> Void) throws {
    try WorkCancellation.checkCurrent()
    guard case .file(let output) = self else {
      throw PlumbError("this format is a file", code: .unsupported)
    }
    try body(output)
  }

  /// Writes the whole body.
  func write(_ bytes: [UInt8]) throws {
    try WorkCancellation.checkCurrent()
    switch self {
    case .file(let output): try output.write(bytes)
    case .memory(let sink): try sink.write(bytes)
    }
  }

  /// Fails if an unfinished body exceeds the output's limit.
  func check(_ count: Int) throws {
    if case .memory(let sink) = self { try sink.check(count) }
  }
}
