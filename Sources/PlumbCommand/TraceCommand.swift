import ArgumentParser
import Plumb

struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Follows a utility network: which valves to close, what feeds what, the way between.",
    usage: """
      plumb trace NETWORK --type isolation --start REF [--start REF ...] [OPTIONS]
      plumb trace NETWORK --request FILE [OPTIONS]
      plumb trace NETWORK --segments [--valve-layer FILE] [--of json|csv|geojson|gpkg]
      """,
    discussion: """
      NETWORK is an EPANET file (.inp), or a JSON document that names the layers of a network.

      REF is an id that only one source has, source:id, source:id:terminal, or a point @X,Y or \
      @X,Y,TOLERANCE in the network's reference and unit. From EPANET the sources are junction, \
      reservoir, tank, pipe, pump, valve and, with --valve-layer, isolation_valve with the ids \
      link@node.

      SQL is a condition on network attributes, as "status = 'open' AND diameter > 100", with \
      category('Isolating'), includes(attribute, bits) and includesAny(attribute, bits).

      An isolation that leaves a source uncut exits with status 2.

      plumb trace rasters/gas.json --type isolation --start M0054:Load \\
        --filter-category Isolating
      plumb trace rasters/gas.json --type upstream --start M0054:Load -o up.geojson
      plumb trace rasters/gas.json --segments --filter-category Isolating -o s.gpkg
      """)

  @Argument(help: "The network: an EPANET file or a network document.")
  var network: String

  @OptionGroup(title: "Input") var reading: NetworkArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Trace") var tracing: TracingArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var writing: TraceOutputArguments

  @OptionGroup(title: "Run") var running: TraceRunArguments

  @OptionGroup(title: "Run") var walls: DocumentAccessArguments

  func validate() throws {
    if tracing.segments, tracing.request != nil {
      throw ValidationError("--segments and --request do not go together")
    }
    if tracing.filter != nil, tracing.filterCategory != nil {
      throw ValidationError(
        "--filter and --filter-category do not go together; say both in one: "
          + "--filter \"category('NAME') AND ...\"")
    }
    if writing.format == .gpkg, target.output == nil {
      throw ValidationError("a GeoPackage is written to a file: give -o FILE.gpkg")
    }
    try refuse("--segments", tracing.segments, among: segmentStrangers)
    try refuse("--request", tracing.request != nil, among: requestStrangers)
    if tracing.segments {
      if writing.format == .text {
        throw ValidationError("--segments prints json, csv, geojson or gpkg, and no text")
      }
      return
    }
    if writing.format == .csv { throw ValidationError("--of csv goes with --segments") }
    if tracing.request != nil { return }
    guard let type = tracing.type else {
      throw ValidationError("give --type, --request FILE or --segments")
    }
    if tracing.start.isEmpty {
      throw ValidationError("give where the trace starts with --start REF")
    }
    if type == .shortestPath {
      if tracing.start.count != 2 { throw ValidationError("--type shortestPath needs two --start") }
      if tracing.cost == nil { throw ValidationError("--type shortestPath needs --cost ATTRIBUTE") }
    } else if tracing.cost != nil {
      throw ValidationError("--cost goes with --type shortestPath")
    }
    if tracing.oneWay != nil, type == .connected || type == .shortestPath {
      throw ValidationError(
        "--type \(type.rawValue) passes one-way elements either way: no --one-way")
    }
    if type != .isolation {
      if tracing.includeIsolated {
        throw ValidationError("--include-isolated goes with --type isolation")
      }
      if !tracing.inoperable.isEmpty {
        throw ValidationError("--inoperable goes with --type isolation")
      }
    }
  }

  private func refuse(_ option: String, _ isGiven: Bool, among others: [(String, Bool)]) throws {
    if isGiven, let other = others.first(where: \.1)?.0 {
      throw ValidationError("\(other) does not go with \(option)")
    }
  }

  private var requestStrangers: [(String, Bool)] {
    [
      ("--type", tracing.type != nil), ("--start", !tracing.start.isEmpty),
      ("--barrier", !tracing.barrier.isEmpty),
      ("--filter-barrier", !tracing.filterBarrier.isEmpty),
      ("--filter-category", tracing.filterCategory != nil),
      ("--filter", tracing.filter != nil), ("--condition", tracing.condition != nil),
      ("--include-isolated", tracing.includeIsolated), ("--cost", tracing.cost != nil),
      ("--domain", tracing.domain != nil), ("--tier", tracing.tier != nil),
    ]
  }

  private var segmentStrangers: [(String, Bool)] {
    [
      ("--type", tracing.type != nil), ("--start", !tracing.start.isEmpty),
      ("--barrier", !tracing.barrier.isEmpty),
      ("--condition", tracing.condition != nil), ("--inoperable", !tracing.inoperable.isEmpty),
      ("--one-way", tracing.oneWay != nil), ("--include-isolated", tracing.includeIsolated),
      ("--cost", tracing.cost != nil), ("--domain", tracing.domain != nil),
      ("--tier", tracing.tier != nil), ("--picture", drawn.picture != nil),
    ]
  }

  func run() throws {
    let run = RunWalls(
      documents: [network], inputs: [reading.valveLayer, tracing.request].compactMap { $0 },
      outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: walls.allowOutside,
      reachesHosts: walls.reachesHosts)
    try Console.run(within: run, explains: running.explain) {
      try text.apply()
      try trace()
    }
  }
}

enum TraceFormat: String, WordArgument {
  case text, json, geojson, gpkg, csv

  /// What a trace's result is written as.
  static let ofTraces = OutputFormats<Self>([
    .init("text", "txt", "text", format: .text), .init("json", "json", format: .json),
    .init("geojson", "geojson", format: .geojson), .init("gpkg", "gpkg", format: .gpkg),
  ])

  /// What segments are written as.
  static let ofSegments = OutputFormats<Self>([
    .init("json", "json", format: .json), .init("csv", "csv", format: .csv),
    .init("geojson", "geojson", format: .geojson), .init("gpkg", "gpkg", format: .gpkg),
  ])
}

extension OneWayFlow: WordArgument {}
extension TraceType: WordArgument {}
