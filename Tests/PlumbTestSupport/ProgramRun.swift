import Foundation

/// A complete run of a program.
public struct ProgramRun: Sendable {
  public var status: Int32
  public var output: String
  public var errors: String

  /// Runs a program and waits for its end. `plumb` is run by the fork server if there is one.
  ///
  /// - Parameters:
  ///   - input: the text on standard input.
  ///   - folder: the working directory; nil for the package's root.
  ///   - isSpawned: whether a new process loads the program, even if it is `plumb`.
  public init(
    _ program: String, _ arguments: [String], input: String = "", folder: String? = nil,
    isSpawned: Bool = false
  ) throws {
    // Files are used instead of pipes, so nothing has to be drained and a deadlock is impossible.
    let work = try TemporaryFolder()
    for name in ["in", "out", "err"] { try work.write(name, name == "in" ? input : "") }
    let files = try [
      FileHandle(forReadingFrom: work.url("in")), FileHandle(forWritingTo: work.url("out")),
      FileHandle(forWritingTo: work.url("err")),
    ]
    let folder = folder ?? TestPaths.root
    let server = isSpawned || program != TestPaths.program("plumb") ? nil : ForkServer.shared
    let forked = try server?.run(
      arguments, folder: folder, input: files[0].fileDescriptor, output: files[1].fileDescriptor,
      errors: files[2].fileDescriptor)
    status = try forked ?? Self.spawn(program, arguments, folder: folder, files)
    output = String(decoding: try Data(contentsOf: work.url("out")), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: work.url("err")), as: UTF8.self)
  }

  /// Runs a new process. Returns the exit status, or -1 if a signal ended the process.
  private static func spawn(
    _ program: String, _ arguments: [String], folder: String, _ files: [FileHandle]
  ) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = files[0]
    process.standardOutput = files[1]
    process.standardError = files[2]
    try process.run()
    try process.waitForExit(seconds: 300)
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}
