import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Prevents outputs from overwriting their inputs.
package enum InputGuard {
  /// - Parameter output: the path of the output; nil for standard output.
  /// - Throws: if the output is the same file as one of the inputs.
  package static func check(output path: String?, inputs: [String]) throws {
    guard
      let identity = path.map({ FileIdentity(path: $0) }) ?? FileIdentity(file: StandardOutput.file)
    else {
      return
    }
    for input in inputs where input != "-" && FileIdentity(path: input) == identity {
      throw PlumbError(
        path.map { "\($0.printable) is an input; write to another file" }
          ?? "standard output is \(input.printable); write to another file", code: .notAllowed)
    }
  }

  /// - Throws: if two outputs, which may not exist yet, are the same file.
  package static func check(_ path: String, isNot other: String) throws {
    guard resolved(path) == resolved(other) else { return }
    throw PlumbError(
      "\(path.printable) is given for two outputs; write to different files", code: .notAllowed)
  }

  /// Returns the path with symbolic links resolved. The file may not exist yet.
  private static func resolved(_ path: String, depth: Int = 0) -> String {
    if let whole = realpath(path, nil) {
      defer { free(whole) }
      return String(cString: whole)
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? "."
    // The path may be a link to a file that does not exist.
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &target, target.count - 1)
    if count > 0, depth < 40 {
      let name = String(
        decoding: target[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return resolved(name.hasPrefix("/") ? name : folder + "/" + name, depth: depth + 1)
    }
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    guard let whole = realpath(folder, nil) else { return path }
    defer { free(whole) }
    return String(cString: whole) + "/" + name
  }
}
