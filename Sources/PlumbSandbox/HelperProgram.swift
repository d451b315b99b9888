import CSandbox
import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program of helper processes: this program if it has called `offerThisProgram()`, otherwise
/// `plumb-reader`.
package enum HelperProgram {
  /// The argument that starts a program as a helper.
  package static let argument = name
  private static let name = "plumb-reader"
  private static let setting = "PLUMB_READER"
  private static let isThisProgram = Atomic<Bool>(false)

  /// Whether this program was started as a helper.
  package static var isRequested: Bool { plumb_helper_is_requested(argument) != 0 }

  /// Declares that this program runs as a helper when it is started with `argument` as its only
  /// argument.
  package static func offerThisProgram() { isThisProgram.store(true, ordering: .relaxed) }

  /// - Throws: an error that describes how to install the program, if no program is found.
  package static func find() throws(PlumbError) -> (path: String, arguments: [String]) {
    if let named = getenv(setting).map({ String(cString: $0) }), !named.isEmpty {
      guard access(named, X_OK) == 0 else {
        throw PlumbError(
          "\(setting) is set to \(named.printable), which is not a program", code: .missingLibrary)
      }
      return (named, [argument])
    }
    if isThisProgram.load(ordering: .relaxed) { return (programPath, [argument]) }
    let folders = [libraryPath, realProgramPath].compactMap { $0.map(folder) }
    for folder in folders {
      let path = folder + "/" + name
      if FileKind(path: path) == .file, access(path, X_OK) == 0 { return (path, [argument]) }
    }
    throw PlumbError(
      "its format is read by the helper process \(name), which is not in "
        + "\(folders.first?.printable ?? "the library's folder"); put it there, or set its path in "
        + setting, code: .missingLibrary)
  }

  /// The files that are read and executed to start a helper.
  static var files: [String] {
    guard let (path, _) = try? find() else { return [] }
    var loaders: [String] = []
    withUnsafeMutablePointer(to: &loaders) { loaders in
      plumb_loaded_libraries(
        { path, context in
          guard let path, let context else { return }
          let text = String(cString: path)
          if text.contains("/ld-") {
            context.assumingMemoryBound(to: [String].self).pointee.append(text)
          }
        }, loaders)
    }
    return [path == programPath ? realProgramPath ?? path : path] + loaders
  }

  #if os(Linux)
    /// A path that refers to this program even if its file has been replaced.
    private static let programPath = "/proc/self/exe"
  #else
    private static let programPath = CommandLine.arguments[0]
  #endif

  private static var realProgramPath: String? {
    guard let path = realpath(programPath, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static var libraryPath: String? {
    guard let path = plumb_helper_library_file().flatMap({ realpath($0, nil) }) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
