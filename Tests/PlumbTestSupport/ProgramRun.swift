import Foundation

/// A complete run of a program.
public struct ProgramRun: Sendable {
  public var status: Int32
  public var output: String
  public var errors: String

  /// - Parameters:
  ///   - input: the text on standard input.
  ///   - folder: the working directory; nil for the package's root.
  public init(
    _ program: String, _ arguments: [String], input: String = "", folder: String? = nil
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder ?? TestPaths.root)
    // Files are used instead of pipes, so nothing has to be drained and a deadlock is impossible.
    let work = try TemporaryFolder()
    for name in ["in", "out", "err"] { try work.write(name, name == "in" ? input : "") }
    process.standardInput = FileHandle(forReadingAtPath: work.path("in"))
    process.standardOutput = FileHandle(forWritingAtPath: work.path("out"))
    process.standardError = FileHandle(forWritingAtPath: work.path("err"))
    try process.run()
    process.waitUntilExit()
    status = process.terminationReason == .exit ? process.terminationStatus : -1
    output = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: work.path("out"))), as: UTF8.self)
    errors = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: work.path("err"))), as: UTF8.self)
  }
}
