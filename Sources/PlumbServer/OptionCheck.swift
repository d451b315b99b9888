import ArgumentParser
import PlumbCore

/// Finds all faults of the options for `--check-config`; the parser reports only the first.
enum OptionCheck {
  /// - Parameter arguments: the options and their values. Those with faults are removed.
  /// - Returns: the faults, one line each.
  static func faults(of arguments: inout [String]) -> [String] {
    var options = Self.options(in: arguments)
    var faults: [String] = []
    while let fault = fault(of: options.flatMap(\.self)) {
      faults.append(fault)
      // A faulty option causes the same fault if it is parsed without the other options.
      let others = options.filter { option in Self.fault(of: ["map.json"] + option) != fault }
      guard others.count < options.count else { break }
      options = others
    }
    arguments = options.flatMap(\.self)
    return faults
  }

  /// The options with their values; the first element has the arguments before the first option.
  private static func options(in arguments: [String]) -> [[String]] {
    var options: [[String]] = [[]]
    for argument in arguments {
      if argument.hasBytes(atStart: "--") { options.append([]) }
      options[options.count - 1].append(argument)
    }
    return options
  }

  private static func fault(of arguments: [String]) -> String? {
    do {
      _ = try ServerCommand.parse(arguments)
      return nil
    } catch {
      guard ServerCommand.exitCode(for: error) != .success else { return nil }
      return ServerCommand.message(for: error)
        .split(separator: "\n").map { String($0).trimmingASCIISpace() }.joined(separator: " ")
    }
  }
}
