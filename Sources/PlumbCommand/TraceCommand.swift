import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Traces a utility network: valves to close, supply and consumers, shortest paths.",
    usage: """
      plumb trace NETWORK --type isolation --start REF [--start REF ...] [OPTIONS]
      plumb trace NETWORK --request FILE [OPTIONS]
      plumb trace NETWORK --segments [--valve-layer FILE] [--of json|csv|geojson|...]
      """,
    discussion: """
      NETWORK is an EPANET file (.inp), or a JSON document that names the layers of a network.

      REF is an id that is unique among the sources, source:id, source:id:terminal, or a point @X,Y or \
      @X,Y,TOLERANCE in the network's CRS and its unit. The sources of EPANET files are junction, \
      reservoir, tank, pipe, pump, valve and, with --valve-layer, isolation_valve with the ids \
      link@node.

      SQL is a condition on network attributes, for example "status = 'open' AND diameter > 100", with \
      category('Isolating'), includes(attribute, bits) and includesAny(attribute, bits).

      The exit status is 2 if an isolation leaves a source connected.

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

  @OptionGroup(title: "Output") var tabular: TableArguments

  @OptionGroup(title: "Output") var writing: TraceOutputArguments

  @OptionGroup(title: "Run") var running: TraceRunArguments

  @OptionGroup(title: "Run") var permissions: DocumentAccessArguments

  func validate() throws {
    try checkUsage { try Trace.options.check(request, by: .command) }
  }

  func run() throws {
    let run = RunSandbox(
      documents: [network], inputs: [reading.valveLayer, tracing.request].compactMap { $0 },
      outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: permissions.allowOutside,
      allowsHosts: permissions.allowsHosts)
    try Console.run(within: run, explains: running.explain) {
      try text.apply()
      var context = RunContext(isQuiet: running.quiet, explains: running.explain)
      (context.access, context.signIn) = (permissions.access, permissions.signIn)
      if try Trace.run(request, in: context) == .notIsolated { throw Self.notIsolated }
    }
  }

  /// The exit status of an isolation trace that finds a source that no valve can cut off.
  private static let notIsolated = ExitCode(2)

  private var request: Trace.Request {
    var request = Trace.Request()
    request.network = network
    (request.valveLayer, request.crs) = (reading.valveLayer, reading.crs)
    request.isStrict = reading.strict
    (request.type, request.starts, request.barriers) = (
      tracing.type, tracing.start, tracing.barrier
    )
    (request.filterBarriers, request.filterCategory) = (
      tracing.filterBarrier, tracing.filterCategory
    )
    (request.filter, request.condition) = (tracing.filter, tracing.condition)
    (request.inoperable, request.oneWay) = (tracing.inoperable, tracing.oneWay)
    (request.includesIsolated, request.cost) = (tracing.includeIsolated, tracing.cost)
    (request.domain, request.tier) = (tracing.domain, tracing.tier)
    request.request = tracing.request.map { .file($0) }
    request.isSegments = tracing.segments
    (request.output, request.overwrites) = (target.output, target.overwrite)
    (request.outputTable, request.appends) = (tabular.table, tabular.append)
    (request.picture, request.format) = (drawn.picture, writing.format)
    return request
  }
}

extension Trace.Format: WordArgument {}
extension OneWayFlow: WordArgument {}
extension TraceType: WordArgument {}
