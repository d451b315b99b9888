import Plumb
import PlumbIO

/// The options in a configuration file. The file contains a JSON object, whose keys are option
/// names without leading hyphens, such as `{"maps": ["cape.json"], "port": 8080, "open": true,
/// "allow-host": ["maps.example.org"]}`.
enum ConfigurationFile {
  /// Returns the options of the `--config` file followed by the arguments, so that an argument
  /// overrides an option of the file.
  ///
  /// - Parameters:
  ///   - names: the valid options, such as `--port`.
  ///   - faults: receives the faults of the file's members, which are omitted from the options.
  static func expanded(
    _ arguments: [String], names: Set<String>, _ faults: inout [PlumbError]
  ) throws(PlumbError) -> [String] {
    guard let path = path(in: arguments) else { return arguments }
    // `--config=PATH` is inserted between the options of the file and the arguments. Otherwise, a list
    // option at the end of the file would consume the maps in `arguments`.
    return try self.arguments(of: path, names: names, &faults)
      + ["--config=\(path)"] + arguments
  }

  private static func path(in arguments: [String]) -> String? {
    for (index, argument) in arguments.enumerated() {
      if argument.hasSameBytes(as: "--") { return nil }
      if argument.hasSameBytes(as: "--config"), index + 1 < arguments.count {
        return arguments[index + 1]
      }
      if argument.hasBytes(atStart: "--config=") { return String(argument.dropFirst(9)) }
    }
    return nil
  }

  private static func arguments(
    of path: String, names: Set<String>, _ faults: inout [PlumbError]
  ) throws(PlumbError) -> [String] {
    let shown = path.printable
    guard let bytes = try bytes(of: path) else {
      throw PlumbError("\(shown) has over 1 MB, the limit for a file of options", code: .limit)
    }
    let read = bytes.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try JSONTree(bytes, allowsRepeats: false) }
    }
    let tree: JSONTree
    switch read {
    case .success(let known): tree = known
    case .failure(let error): throw PlumbError("\(shown): \(error.summary)", code: .badInput)
    }
    guard case .object(let members) = tree else {
      throw PlumbError("\(shown) is not a JSON object of options", code: .badInput)
    }
    var (maps, options): ([String], [String]) = ([], [])
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      let what = "\(shown): \(name.printable)"
      do throws(PlumbError) {
        if name.hasSameBytes(as: "maps") {
          maps = try texts(value, what)
          continue
        }
        guard names.contains("--" + name), !excluded.contains(name) else {
          throw PlumbError("\(what) is not an option of plumb-server", code: .badOption)
        }
        switch value {
        case .boolean(true): options.append("--" + name)
        case .boolean(false), .null: break
        default:
          // The option and its value are one argument, because the value may begin with a hyphen.
          options += try texts(value, what).map { "--\(name)=\($0)" }
        }
      } catch {
        faults.append(error)
      }
    }
    return maps + options
  }

  /// The options that only the command line has.
  private static let excluded: Set = ["config", "check-config", "help", "version"]

  /// Returns nil if the file is too large.
  private static func bytes(of path: String) throws(PlumbError) -> [UInt8]? {
    do {
      return try SmallFile.bytes(of: path, limit: 1 << 20)
    } catch {
      throw PlumbError(error)
    }
  }

  private static func texts(_ value: JSONTree, _ what: String) throws(PlumbError) -> [String] {
    switch value {
    case .text(let text): return [text]
    case .integer(let number): return ["\(number)"]
    case .real(let number): return ["\(number)"]
    case .list(let list):
      var all: [String] = []
      for item in list {
        if case .list = item { break }
        all += try texts(item, what)
      }
      guard all.count == list.count else { break }
      return all
    case .null, .boolean, .object, .source, .pair, .integerPair: break
    }
    throw PlumbError("\(what): expected a string, a number or a list of them", code: .badOption)
  }
}
