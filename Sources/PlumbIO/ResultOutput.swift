import PlumbCore

/// Where a result goes, whole or not at all: a file, or standard output.
public final class ResultOutput {
  private let file: OutputFile?
  private let path: String?

  /// - Parameters:
  ///   - path: nil for standard output.
  ///   - overwrite: whether a file that is there already is replaced; else it is an error.
  /// - Throws: when the file exists and may not be overwritten, or cannot be written.
  public init(path: String?, overwrite: Bool = false) throws {
    self.path = path
    file = try path.map { try OutputFile(target: $0, overwrite: overwrite) }
  }

  /// Refuses to write over what is read.
  public func check(inputs: [String]) throws { try InputGuard.check(output: path, inputs: inputs) }

  /// Writes all there is, and gives the file its name.
  public func write(_ bytes: [UInt8]) throws {
    try write { _ in try ByteOutput(file).write(bytes) }
  }

  /// Has a file written, and gives it its name.
  package func write(_ body: (_ path: String) throws -> Void) throws {
    do {
      try body(file?.temporaryPath ?? "")
      try file?.commit()
    } catch {
      guard let file, !file.isDirect else { throw error }
      throw file.named(error)
    }
  }
}
