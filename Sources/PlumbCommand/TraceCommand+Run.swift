import ArgumentParser
import Plumb

extension TraceCommand {
  func trace() throws {
    let console = Console(isQuiet: quiet)
    let formats = segments ? TraceFormat.ofSegments : TraceFormat.ofTraces
    let format =
      try formats.choose(format, output: output) ?? (segments || request != nil ? .json : .text)
    let target = try TraceOutput(path: output, overwrite: overwrite)
    let opened = try open(console)
    try target.check(inputs: opened.files + [request].compactMap { $0 })
    if segments { return try target.write(segmentBytes(of: opened, format, console)) }
    let parameters = try parameters(in: opened, console)
    if explain {
      for line in opened.explanation(of: parameters) { console.note(line) }
    }
    let result = try opened.network.trace(parameters)
    for line in result.warnings { console.warn(line) }
    try target.write(bytes(of: result, format, parameters, opened, console))
    if !result.isSuccess { throw ExitCode.failure }
  }

  private func open(_ console: Console) throws -> OpenedNetwork {
    let bar = ProgressBar(isQuiet: quiet)
    defer {
      bar.clear()
      for line in GDALMessages.take() { console.warn(line) }
    }
    let opened = try OpenedNetwork.open(
      path: network, valveLayer: valveLayer, access: allowOutside ? .anywhere : .folder
    ) { share, features in
      bar.show(share, rows: features)
    }
    bar.clear()
    for line in opened.warnings { console.warn(line) }
    return opened
  }

  private func parameters(
    in opened: OpenedNetwork, _ console: Console
  ) throws -> UtilityTraceParameters {
    if let request {
      var (parameters, warnings) = try opened.parameters(request: request, inoperable: inoperable)
      for line in warnings { console.warn(line) }
      parameters.oneWayFlow = oneWay ?? .hold
      return parameters
    }
    var setup = TraceSetup(type ?? .isolation)
    (setup.starts, setup.barriers) = (start, barrier)
    (setup.filterBarriers, setup.inoperable) = (filterBarrier, inoperable)
    (setup.filterCategory, setup.filter, setup.condition) = (filterCategory, filter, condition)
    (setup.domain, setup.tier, setup.cost) = (domain, tier, cost)
    setup.includesIsolated = includeIsolated
    setup.oneWayFlow = oneWay ?? .hold
    return try setup.parameters(in: opened)
  }

  private func bytes(
    of result: UtilityTraceResult, _ format: TraceFormat, _ parameters: UtilityTraceParameters,
    _ opened: OpenedNetwork, _ console: Console
  ) throws -> [UInt8] {
    switch format {
    case .json, .csv: return result.json(in: opened.network)
    case .geojson:
      if opened.spatialReference == nil {
        console.warn("the network has no reference: its coordinates are written as they are")
      }
      return try result.geoJSON(in: opened)
    case .text:
      let text = result.text(parameters, in: opened.network, listsIsolated: includeIsolated)
      return Array((text + "\n").utf8)
    }
  }

  private func segmentBytes(
    of opened: OpenedNetwork, _ format: TraceFormat, _ console: Console
  ) throws -> [UInt8] {
    let condition =
      try TraceSetup.filter(category: filterCategory, condition: filter, in: opened.network)
      ?? opened.defaultFilter
    let references = ElementReference(opened.network)
    let locations = try filterBarrier.map { try references.barrier($0) }
    if condition == nil, locations.isEmpty {
      console.warn("there is no valve: give --valve-layer, --filter or --filter-category")
    }
    let found = try opened.network.segments(
      filterBarriers: condition, locations: locations, inoperable: opened.stuckOpen)
    if explain { console.note("\(found.count) segments") }
    return format == .csv ? found.csv(in: opened) : found.json(in: opened)
  }
}
