import CSandbox
import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program that runs as a helper: this one, where it offers that, else `plumb-reader`.
package enum HelperProgram {
  /// The one argument with which a program that offers it is a helper.
  package static let argument = name
  private static let name = "plumb-reader"
  private static let setting = "PLUMB_READER"
  private static let isOwn = Atomic<Bool>(false)

  /// Whether this program was started as a helper.
  package static var isAsked: Bool { plumb_helper_is_asked(argument) != 0 }

  /// Says that this program is a helper when it has that argument alone.
  package static func offerThisProgram() { isOwn.store(true, ordering: .relaxed) }

  /// - Throws: where there is none, what to do.
  package static func find() throws(PlumbError) -> (path: String, arguments: [String]) {
    if let named = getenv(setting).map({ String(cString: $0) }), !named.isEmpty {
      guard access(named, X_OK) == 0 else {
        throw PlumbError(
          "\(setting) names \(named.printable), which is not a program", code: .missingLibrary)
      }
      return (named, [argument])
    }
    if isOwn.load(ordering: .relaxed) { return (ownPath, [argument]) }
    let folders = [ownLibrary, realOwnPath].compactMap { $0.map(folder) }
    for folder in folders {
      let path = folder + "/" + name
      if FileKind(path: path) == .file, access(path, X_OK) == 0 { return (path, [argument]) }
    }
    throw PlumbError(
      "its format is read by the helper process \(name), which is not in "
        + "\(folders.first?.printable ?? "the library's folder"); put it there, or name it in "
        + setting, code: .missingLibrary)
  }

  /// What is read and executed to start one.
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
    return [path == ownPath ? realOwnPath ?? path : path] + loaders
  }

  #if os(Linux)
    /// Leads to the program also where its file was replaced since.
    private static let ownPath = "/proc/self/exe"
  #else
    private static let ownPath = CommandLine.arguments[0]
  #endif

  private static var realOwnPath: String? {
    guard let path = realpath(ownPath, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static var ownLibrary: String? {
    guard let path = plumb_helper_own_file().flatMap({ realpath($0, nil) }) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
