import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a trace's result goes, whole or not at all: a file, or standard output.
public final class TraceOutput {
  private let file: OutputFile?
  private let path: String?

  /// - Parameter path: nil for standard output.
  /// - Throws: when the file exists and may not be overwritten, or cannot be written.
  public init(path: String?, overwrite: Bool = false) throws {
    self.path = path
    file = try path.map { try OutputFile(target: $0, overwrite: overwrite) }
  }

  /// Refuses to write over what is read.
  public func check(inputs: [String]) throws {
    guard let own = path.map({ FileIdentity(path: $0) }) ?? FileIdentity(file: STDOUT_FILENO) else {
      return
    }
    for input in inputs where FileIdentity(path: input) == own {
      throw PlumbError(
        path == nil
          ? "standard output is \(input.printable); write to another file"
          : "\(input.printable) is an input; write to another file")
    }
  }

  /// Writes all there is, and gives the file its name.
  public func write(_ bytes: [UInt8]) throws {
    do {
      try ByteOutput(path: file?.temporaryPath).write(bytes)
      try file?.commit()
    } catch {
      guard let file, !file.isDirect else { throw error }
      throw PlumbError(file.message(from: PlumbError.message(of: error)))
    }
  }
}
