import ArgumentParser
import Plumb
import PlumbVerbs

extension ArgumentHelp {
  /// Returns the help text of an option, from its verb's table.
  static func of<Request>(
    _ option: Setting, _ table: OptionTable<Request>, _ valueName: String?
  ) -> ArgumentHelp {
    ArgumentHelp("\(table.help(of: option, for: .command))", valueName: valueName)
  }
}

private func help(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Trace.options, valueName)
}

/// The options for reading a network.
struct NetworkArguments: ParsableArguments {
  @Option(help: help(.valveLayer, "file")) var valveLayer: String?
  @Option(help: help(.crs, "crs")) var crs: String?
  @Flag(help: help(.strict)) var strict = false
}

/// The options of a trace.
struct TracingArguments: ParsableArguments {
  @Option(help: help(.type, "type")) var type: TraceType?
  @Option(parsing: .unconditionalSingleValue, help: help(.start, "ref")) var start: [String] = []
  @Option(parsing: .unconditionalSingleValue, help: help(.barrier, "ref"))
  var barrier: [String] = []
  @Option(parsing: .unconditionalSingleValue, help: help(.filterBarrier, "ref"))
  var filterBarrier: [String] = []
  @Option(help: help(.filterCategory, "name")) var filterCategory: String?
  @Option(help: help(.filter, "sql")) var filter: String?
  @Option(help: help(.condition, "sql")) var condition: String?
  @Option(parsing: .unconditionalSingleValue, help: help(.inoperable, "ref"))
  var inoperable: [String] = []
  @Option(help: help(.oneWay, "flow")) var oneWay: OneWayFlow?
  @Flag(help: help(.includeIsolated)) var includeIsolated = false
  @Option(help: help(.cost, "attribute")) var cost: String?
  @Option(help: help(.domain, "name")) var domain: String?
  @Option(help: help(.tier, "name")) var tier: String?
  @Option(help: help(.request, "file")) var request: String?
  @Flag(help: help(.segments)) var segments = false
}

/// The options for writing results.
struct TraceOutputArguments: ParsableArguments {
  @Option(name: [.customLong("of"), .customLong("format")], help: help(.format, "format"))
  var format: Trace.Format?
}

/// The options of a run of trace.
struct TraceRunArguments: ParsableArguments {
  @Flag(help: "Print the network, the starts and the conditions of the trace.")
  var explain = false

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
