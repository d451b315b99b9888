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

      REF is an id that only one source has, source:id, source:id:terminal, or a place @X,Y or \
      @X,Y,TOLERANCE in the network's reference and unit. From EPANET the sources are junction, \
      reservoir, tank, pipe, pump, valve and, with --valve-layer, isolation_valve with the ids \
      link@node.

      EXPR is a condition in SQL on network attributes, as "status = 'open' AND diameter > 100", with \
      category('Isolating'), includes(attribute, bits) and includesAny(attribute, bits).

      An isolation that leaves a source uncut exits with status 1.
      """)

  @Argument(help: "The network: an EPANET file or a network document.")
  var network: String

  @Option(
    help: ArgumentHelp(
      """
      connected, subnetwork, subnetworkControllers, upstream, downstream, loops, shortestPath or \
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
      "What may be closed, a valve or a place on a pipe; may be given again.", valueName: "ref"))
  var filterBarrier: [String] = []

  @Option(help: ArgumentHelp("What may be closed: all of a category.", valueName: "name"))
  var filterCategory: String?

  @Option(help: ArgumentHelp("What may be closed: all that meets a condition.", valueName: "expr"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "What stops the trace, beside what the tier's configuration says.", valueName: "expr"))
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

  @Option(help: ArgumentHelp("The attribute that shortestPath sums.", valueName: "attribute"))
  var cost: String?

  @Option(
    help: ArgumentHelp("The domain network; needed when there are several.", valueName: "name"))
  var domain: String?

  @Option(help: ArgumentHelp("The tier; needed when there are several.", valueName: "name"))
  var tier: String?

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
      "A trace request of UtilityNetworkServer in JSON, instead of the options.",
      valueName: "file"))
  var request: String?

  @Flag(help: "Give every isolation segment: what closing all valves divides, flow either way.")
  var segments = false

  @Option(
    help: ArgumentHelp(
      """
      What the coordinates of a network without a reference are in, as EPSG:28992. GeoJSON is then \
      in WGS84.
      """, valueName: "crs"))
  var crs: String?

  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: """
      text, json, geojson or gpkg; json, csv, geojson or gpkg with --segments. Default: by the \
      output's name, else text, or json with --segments or --request.
      """)
  var format: TraceFormat?

  @Option(name: [.short, .long], help: "The file to write; default: standard output.")
  var output: String?

  @Flag(help: "Replace an existing output.")
  var overwrite = false

  @Flag(
    help: """
      Let a document name files outside its folder, all files lead to a network, and SQL in them \
      (views of a GeoPackage) do anything; no wall stands then.
      """
  )
  var allowOutside = false

  @Flag(help: "Say what the trace goes by.")
  var explain = false

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false

  @OptionGroup var text: EncodingArguments

  func validate() throws {
    if segments, request != nil {
      throw ValidationError("--segments and --request do not go together")
    }
    if filter != nil, filterCategory != nil {
      throw ValidationError(
        "--filter and --filter-category do not go together; say both in one: "
          + "--filter \"category('NAME') AND ...\"")
    }
    if format == .gpkg, output == nil {
      throw ValidationError("a GeoPackage is written to a file: give -o FILE.gpkg")
    }
    try refuse("--segments", segments, among: segmentStrangers)
    try refuse("--request", request != nil, among: requestStrangers)
    if segments {
      if format == .text {
        throw ValidationError("--segments prints json, csv, geojson or gpkg, and no text")
      }
      return
    }
    if format == .csv { throw ValidationError("--of csv goes with --segments") }
    if request != nil { return }
    guard let type else {
      throw ValidationError("give --type, --request FILE or --segments")
    }
    if start.isEmpty { throw ValidationError("give where the trace starts with --start REF") }
    if type == .shortestPath {
      if start.count != 2 { throw ValidationError("--type shortestPath needs two --start") }
      if cost == nil { throw ValidationError("--type shortestPath needs --cost ATTRIBUTE") }
    } else if cost != nil {
      throw ValidationError("--cost goes with --type shortestPath")
    }
    if oneWay != nil, type == .connected || type == .shortestPath {
      throw ValidationError(
        "--type \(type.rawValue) passes one-way elements either way: no --one-way")
    }
    if type != .isolation {
      if includeIsolated { throw ValidationError("--include-isolated goes with --type isolation") }
      if !inoperable.isEmpty { throw ValidationError("--inoperable goes with --type isolation") }
    }
  }

  private func refuse(_ option: String, _ isGiven: Bool, among others: [(String, Bool)]) throws {
    if isGiven, let other = others.first(where: \.1)?.0 {
      throw ValidationError("\(other) does not go with \(option)")
    }
  }

  private var requestStrangers: [(String, Bool)] {
    [
      ("--type", type != nil), ("--start", !start.isEmpty), ("--barrier", !barrier.isEmpty),
      ("--filter-barrier", !filterBarrier.isEmpty), ("--filter-category", filterCategory != nil),
      ("--filter", filter != nil), ("--condition", condition != nil),
      ("--include-isolated", includeIsolated), ("--cost", cost != nil),
      ("--domain", domain != nil), ("--tier", tier != nil),
    ]
  }

  private var segmentStrangers: [(String, Bool)] {
    [
      ("--type", type != nil), ("--start", !start.isEmpty), ("--barrier", !barrier.isEmpty),
      ("--condition", condition != nil), ("--inoperable", !inoperable.isEmpty),
      ("--one-way", oneWay != nil), ("--include-isolated", includeIsolated),
      ("--cost", cost != nil), ("--domain", domain != nil), ("--tier", tier != nil),
    ]
  }

  func run() throws {
    let walls = RunWalls(
      documents: [network], inputs: [valveLayer, request].compactMap { $0 }, output: output,
      allowsOutside: allowOutside)
    try Console.run(within: walls, explains: explain) {
      try text.apply()
      try trace()
    }
  }
}

enum TraceFormat: String, ExpressibleByArgument, CaseIterable {
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

extension OneWayFlow: ExpressibleByArgument {}

extension TraceType: ExpressibleByArgument {
  public init?(argument: String) {
    let plain = argument.filter { $0 != "-" && $0 != "_" }.lowercased()
    guard let type = Self.allCases.first(where: { $0.rawValue.lowercased() == plain }) else {
      return nil
    }
    self = type
  }
}
