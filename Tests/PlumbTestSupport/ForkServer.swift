import CForkClient
import Foundation

/// A process of `plumb` that has loaded its libraries and forks for each run of the command.
///
/// A run is the program's `main` with its arguments, environment, working directory, standard files and exit
/// status. It differs from a spawned run in that the libraries are already loaded.
final class ForkServer: Sendable {
  /// The server of this process; nil if it cannot be compiled, as on systems other than Linux, or cannot start.
  static let shared = ForkServer(program: TestPaths.program("plumb"))

  private let socket: Int32

  private init?(program: String) {
    // A library that the package manager links would initialize the Swift runtime before the server.
    guard let folder = try? TemporaryFolder() else { return nil }
    let library = folder.path("server.so")
    let compiled = try? ProgramRun(
      "/usr/bin/cc",
      [
        "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-Wl,-z,initfirst", "-o", library,
        TestPaths.root + "/Tests/ForkServer/ForkServer.c",
      ])
    guard compiled?.status == 0 else { return nil }
    // The library is loaded when this returns.
    socket = plumb_fork_server_start(program, library)
    guard socket >= 0 else { return nil }
  }

  /// Runs the command and waits for its end.
  ///
  /// - Returns: the exit status, or -1 if a signal ended the process; nil if the arguments are too long for the
  ///   server, so that nothing is run.
  /// - Throws: `WaitingError` if the command does not end in five minutes, or if the server has ended.
  func run(
    _ arguments: [String], folder: String, input: Int32, output: Int32, errors: Int32
  ) throws -> Int32? {
    let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    let all = ["plumb"] + arguments
    let texts = [folder, String(all.count)] + all + variables
    let request = texts.flatMap { (text: String) -> [UInt8] in Array(text.utf8) + [0] }
    var status: Int32 = 0
    let code = request.withUnsafeBytes { bytes in
      plumb_fork_server_run(
        socket, bytes.baseAddress, Int32(bytes.count), input, output, errors, &status)
    }
    guard code >= 0 else {
      throw WaitingError(event: "\(arguments.joined(separator: " ")) ends", seconds: 300)
    }
    return code == 0 ? status : nil
  }
}
