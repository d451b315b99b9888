import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps results from being written over what they are made of.
package enum InputGuard {
  /// - Parameter output: nil for standard output.
  /// - Throws: when the output is one of the inputs.
  package static func check(output path: String?, inputs: [String]) throws {
    guard let own = path.map({ FileIdentity(path: $0) }) ?? FileIdentity(file: StandardOutput.file)
    else {
      return
    }
    for input in inputs where input != "-" && FileIdentity(path: input) == own {
      throw PlumbError(
        path.map { "\($0.printable) is an input; write to another file" }
          ?? "standard output is \(input.printable); write to another file", code: .notAllowed)
    }
  }
}
