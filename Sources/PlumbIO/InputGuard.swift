import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Prevents outputs from overwriting their inputs.
package enum InputGuard {
  /// - Parameter output: nil for standard output.
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
}
