import Plumb
import PlumbBatch
import PlumbCore

/// Everything a run needs beside its request.
package struct RunContext {
  /// The front end of the request.
  package var frontEnd: FrontEnd
  /// Where the body goes; nil for the request's output path or standard output.
  package var sink: MemorySink?
  /// The files and hosts that documents may name.
  package var access = DocumentAccess.folder
  /// The credentials for services; nil for none.
  package var signIn: SignIn?
  /// Reads features from services; nil where an address is GDAL's to open.
  package var services: FeatureServices?
  /// The paths of a table that comes with the request and of its answers; nil where the request names files.
  package var tables: (input: String, output: String)?
  /// Bounds of the memory and the number of rows of a table.
  package var limits = RowLimits()
  /// Finds the layers of `layers`, by their paths, at a scale; nil where they have no numbers.
  package var layers: ((String, Double?) throws -> Set<String>?)?
  /// The names of uses of a source; those without one are described in plain words.
  package var uses: [SourceUse: String] = [:]
  /// The threads of the run; nil for those of the request.
  package var workers: Workers?
  /// Receives each warning as soon as it is known, also of a run that fails later.
  package var warn: (Wording) -> Void
  /// Receives lines that explain the run; nil where none are wanted.
  package var note: ((String) -> Void)?
  /// Receives lines about the input that are not warnings.
  package var remark: (String) -> Void = { _ in }
  /// Receives lines that the request itself prints.
  package var print: (String) -> Void = { _ in }
  /// Receives warnings of other threads while the run goes on.
  package var warnLater: @Sendable (Wording) -> Void = { _ in }
  /// Receives the share of the input that is read, where known, and the number of features so far.
  package var progress: (Double?, Int) -> Void = { _, _ in }
  /// Called once the input is read.
  package var endProgress: () -> Void = {}

  package init(_ frontEnd: FrontEnd, warn: @escaping (Wording) -> Void) {
    (self.frontEnd, self.warn) = (frontEnd, warn)
  }

  /// Warns of what GDAL has reported so far, where this run is the only one of its process.
  func takeLibraryMessages() {
    guard frontEnd == .command else { return }
    for line in GDALMessages.take() { warn(Wording(line)) }
  }
}

/// Holds the body of a run in memory.
package final class MemorySink {
  /// The body so far.
  package private(set) var bytes: [UInt8] = []
  private let limit: Int

  /// - Parameter limit: the most bytes of a body.
  package init(limit: Int = .max) { self.limit = limit }

  /// - Throws: for a body above the limit.
  func check(_ count: Int) throws {
    if count > limit {
      throw PlumbError("the answer has over \(limit >> 20) MB; ask for less", code: .limit)
    }
  }

  func write(_ body: [UInt8]) throws {
    try check(bytes.count + body.count)
    bytes = bytes.isEmpty ? body : bytes + body
  }
}

/// The body of a run: a file that appears whole, standard output, or memory.
enum RunOutput {
  case file(ResultOutput)
  case memory(MemorySink)

  /// - Throws: when the output exists and must not be overwritten, or cannot be written.
  init(_ context: RunContext, path: String?, overwrite: Bool) throws {
    if let sink = context.sink {
      self = .memory(sink)
    } else {
      self = .file(try ResultOutput(path: path, overwrite: overwrite))
    }
  }

  /// Refuses to write over a file that is read.
  func check(inputs: [String]) throws {
    if case .file(let output) = self { try output.check(inputs: inputs) }
  }

  /// Has a file written.
  ///
  /// - Throws: in memory, whose formats are not files.
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

  /// Refuses a body of more bytes than the output takes, while it is made.
  func check(_ count: Int) throws {
    if case .memory(let sink) = self { try sink.check(count) }
  }
}
