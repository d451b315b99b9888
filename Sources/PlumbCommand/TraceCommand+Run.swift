import ArgumentParser
import Plumb

extension TraceCommand {
  /// The exit status of an isolation trace that finds a source which no valve closes off.
  static let notIsolated = ExitCode(2)

  func trace() throws {
    let console = Console(isQuiet: running.quiet)
    let formats = tracing.segments ? TraceFormat.ofSegments : TraceFormat.ofTraces
    let format =
      try formats.choose(writing.format, output: target.output)
      ?? (tracing.segments || tracing.request != nil ? .json : .text)
    let output = try ResultOutput(path: target.output, overwrite: target.overwrite)
    let opened = try open(console)
    let inputs = opened.files + [tracing.request].compactMap { $0 }
    try output.check(inputs: inputs)
    let picture = try ResultPicture(drawn, overwrite: target.overwrite, inputs: inputs)
    if format == .geojson || format == .gpkg, opened.spatialReference == nil {
      console.warn("the network has no reference: its coordinates are written as they are")
    }
    if tracing.segments { return try write(segments: opened, format, to: output, console) }
    let parameters = try parameters(in: opened, console)
    if running.explain {
      for line in opened.explanation(of: parameters) { console.note(line) }
    }
    let result = try opened.network.trace(parameters)
    for line in result.warnings { console.warn(line) }
    if format == .gpkg {
      try NetworkFeatureLayer(opened).write(result, to: output)
    } else {
      try output.write(bytes(of: result, format, parameters, opened))
    }
    if let picture {
      let found = try Overlay(result, from: parameters.startingLocations, in: opened)
      let view = try found.extent.map { _ in
        try DrawnView(
          showing: [found], width: ResultPicture.size.width, height: ResultPicture.size.height)
      }
      try picture.write([Overlay(pipesOf: opened), found], view: view, console)
    }
    if !result.isSuccess { throw Self.notIsolated }
  }

  private func open(_ console: Console) throws -> OpenedNetwork {
    let bar = ProgressBar(isQuiet: running.quiet)
    defer {
      bar.clear()
      for line in GDALMessages.take() { console.warn(line) }
    }
    let reference = try reading.crs.map { try SpatialReference($0) }
    var opened = try OpenedNetwork.open(
      path: network, valveLayer: reading.valveLayer,
      access: walls.access, signIn: walls.signIn, isStrict: reading.strict
    ) { share, features in
      bar.show(share, rows: features)
    }
    bar.clear()
    if let reference { opened = try opened.referenced(by: reference) }
    for line in opened.warnings { console.warn(line) }
    return opened
  }

  private func parameters(
    in opened: OpenedNetwork, _ console: Console
  ) throws -> UtilityTraceParameters {
    if let request = tracing.request {
      var (parameters, warnings) = try opened.parameters(
        request: request, inoperable: tracing.inoperable)
      for line in warnings { console.warn(line) }
      if let violation = tracing.options.violation(of: parameters.traceType) {
        throw PlumbError(violation.text { $0.flag }, code: .badOption)
      }
      parameters.oneWayFlow = tracing.oneWay ?? .hold
      return parameters
    }
    return try setup.parameters(in: opened)
  }

  private var setup: TraceSetup {
    var setup = TraceSetup(tracing.type ?? .isolation)
    (setup.starts, setup.barriers) = (tracing.start, tracing.barrier)
    (setup.filterBarriers, setup.inoperable) = (tracing.filterBarrier, tracing.inoperable)
    (setup.filterCategory, setup.filter, setup.condition) = (
      tracing.filterCategory, tracing.filter, tracing.condition
    )
    (setup.domain, setup.tier, setup.cost) = (tracing.domain, tracing.tier, tracing.cost)
    setup.includesIsolated = tracing.includeIsolated
    setup.oneWayFlow = tracing.oneWay ?? .hold
    return setup
  }

  private func bytes(
    of result: UtilityTraceResult, _ format: TraceFormat, _ parameters: UtilityTraceParameters,
    _ opened: OpenedNetwork
  ) throws -> [UInt8] {
    switch format {
    case .json, .csv, .gpkg: return result.json(in: opened.network)
    case .geojson: return try result.geoJSON(in: opened)
    case .text:
      let text = result.text(parameters, in: opened.network, listsIsolated: tracing.includeIsolated)
      return Array((text + "\n").utf8)
    }
  }

  private func write(
    segments opened: OpenedNetwork, _ format: TraceFormat, to output: ResultOutput,
    _ console: Console
  ) throws {
    let (found, hasValves) = try opened.segments(between: setup)
    if !hasValves {
      console.warn("there is no valve: give --valve-layer, --filter or --filter-category")
    }
    if running.explain { console.note("\(found.count) segments") }
    switch format {
    case .csv: try output.write(found.csv(in: opened))
    case .geojson: try output.write(found.geoJSON(in: opened))
    case .gpkg: try NetworkFeatureLayer(opened).write(found, to: output)
    case .json, .text: try output.write(found.json(in: opened))
    }
  }
}
