import Plumb
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
  /// The threads of the run; nil for those of the request.
  package var workers: Workers?
  /// Receives each warning as soon as it is known, also of a run that fails later.
  package var warn: (Wording) -> Void
  /// Receives lines that explain the run; nil where none are wanted.
  package var note: ((String) -> Void)?
  /// Receives the share of the input that is read, where known, and the number of features so far.
  package var progress: (Double?, Int) -> Void = { _, _ in }
  /// Called once the input is read.
  package var endProgress: () -> Void = {}

  package init(_ frontEnd: FrontEnd, warn: @escaping (Wording) -> Void) {
    (self.frontEnd, self.warn) = (frontEnd, warn)
  }
}

/// Holds the body of a run in memory.
package final class MemorySink {
  /// The body so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  func write(_ body: [UInt8]) { bytes = bytes.isEmpty ? body : bytes + body }
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
    case .memory(let sink): sink.write(bytes)
    }
  }
}
