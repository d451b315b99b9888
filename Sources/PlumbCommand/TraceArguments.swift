import ArgumentParser
import Plumb

/// What a network is read with.
struct NetworkArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A table of an EPANET network's isolation valves with the columns link and node, and maybe \
      status (open, closed) and operable (1, 0, true, false, yes, no). They are what may be closed \
      unless --filter or --filter-category says otherwise.
      """, valueName: "file"))
  var valveLayer: String?

  @Option(
    help: ArgumentHelp(
      """
      What the coordinates of a network without a reference are in, as EPSG:28992. GeoJSON is then \
      in WGS84.
      """, valueName: "crs"))
  var crs: String?

  @Flag(
    help: """
      Refuse a network with features that have a fault, such as no shape, an empty id or one that is there \
      twice. Without it they are left out with a warning.
      """)
  var strict = false
}

/// What is traced.
struct TracingArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      connected, subnetwork, subnetwork-controllers, upstream, downstream, loops, shortest-path or \
      isolation.
      """, valueName: "type"))
  var type: TraceType?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Where the trace starts; may be given again.", valueName: "ref"))
  var start: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("What stops it altogether; may be given again.", valueName: "ref"))
  var barrier: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "What may be closed, a valve or a point on a pipe; may be given again.", valueName: "ref"))
  var filterBarrier: [String] = []

  @Option(help: ArgumentHelp("What may be closed: all of a category.", valueName: "name"))
  var filterCategory: String?

  @Option(help: ArgumentHelp("What may be closed: all that meets a condition.", valueName: "sql"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "What stops the trace, beside what the tier's configuration says.", valueName: "sql"))
  var condition: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A valve that cannot be closed, so that the next ones out are sought; may be given again.",
      valueName: "ref"))
  var inoperable: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Whether check valves, pumps, pressure reducing and sustaining valves and directional devices \
      hold, or are taken to be open both ways: hold or open.
      """, valueName: "flow"))
  var oneWay: OneWayFlow?

  @Flag(help: "Name the isolated elements too, and not only count them.")
  var includeIsolated = false

  @Option(help: ArgumentHelp("The attribute that shortest-path sums.", valueName: "attribute"))
  var cost: String?

  @Option(
    help: ArgumentHelp("The domain network; needed when there are several.", valueName: "name"))
  var domain: String?

  @Option(help: ArgumentHelp("The tier; needed when there are several.", valueName: "name"))
  var tier: String?

  @Option(
    help: ArgumentHelp(
      "A trace request of UtilityNetworkServer in JSON, instead of the options.",
      valueName: "file"))
  var request: String?

  @Flag(help: "Give every isolation segment: what closing all valves divides, flow either way.")
  var segments = false

  /// The options that are given, for the rules about them.
  var options: TraceOptions {
    let isGiven: [TraceOption: Bool] = [
      .type: type != nil, .start: !start.isEmpty, .barrier: !barrier.isEmpty,
      .filterBarrier: !filterBarrier.isEmpty, .filterCategory: filterCategory != nil,
      .filter: filter != nil, .condition: condition != nil, .inoperable: !inoperable.isEmpty,
      .oneWay: oneWay != nil, .includeIsolated: includeIsolated, .cost: cost != nil,
      .domain: domain != nil, .tier: tier != nil, .request: request != nil, .segments: segments,
    ]
    return TraceOptions(
      Set(isGiven.filter { $0.value }.keys), type: type, startCount: start.count)
  }
}

extension TraceOption {
  /// What the command calls the option.
  var flag: String { "--" + rawValue }
}

/// How results are written.
struct TraceOutputArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: """
      text, json, geojson or gpkg; json, csv, geojson or gpkg with --segments. Default: by the \
      output's name, else text, or json with --segments or --request.
      """)
  var format: TraceFormat?
}

/// How a run of trace goes.
struct TraceRunArguments: ParsableArguments {
  @Flag(help: "Say what the trace goes by.")
  var explain = false

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
