import PlumbCore

/// The output for a complete result: a file, or standard output.
public final class ResultOutput {
  private let file: OutputFile?
  private let path: String?

  /// - Parameters:
  ///   - path: the path of the output; nil for standard output.
  ///   - overwrite: whether an existing file is replaced. If false, an existing file is an error.
  /// - Throws: if the file exists and may not be overwritten, or cannot be written.
  public init(path: String?, overwrite: Bool = false) throws {
    self.path = path
    file = try path.map { try OutputFile(target: $0, overwrite: overwrite) }
  }

  /// - Throws: if the output is the same file as one of the inputs.
  public func check(inputs: [String]) throws { try InputGuard.check(output: path, inputs: inputs) }

  /// Writes all bytes, then moves the file to its final name.
  public func write(_ bytes: [UInt8]) throws {
    try write { _ in try ByteOutput(file).write(bytes) }
  }

  /// Writes a file at the path passed to `body`, then moves it to its final name. The path is nil for standard
  /// output.
  package func write(_ body: (_ path: String?) throws -> Void) throws {
    do {
      try body(file?.temporaryPath)
      try file?.commit()
    } catch {
      guard let file, !file.isDirect else { throw error }
      throw file.named(error)
    }
  }
}
