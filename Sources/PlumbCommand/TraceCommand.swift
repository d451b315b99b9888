import ArgumentParser
import Plumb
import PlumbSandbox

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
    if let violation = tracing.options.violation {
      throw ValidationError(violation.text { $0.flag })
    }
    if writing.format == .gpkg, target.output == nil {
      throw ValidationError("a GeoPackage is written to a file: give -o FILE.gpkg")
    }
    if tracing.segments {
      if drawn.picture != nil { throw ValidationError("--picture does not go with --segments") }
      if writing.format == .text {
        throw ValidationError("--segments prints json, csv, geojson or gpkg, and no text")
      }
    } else if writing.format == .csv {
      throw ValidationError("--of csv goes with --segments")
    }
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
