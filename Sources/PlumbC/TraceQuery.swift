import Plumb

/// What is traced in a network, and how the answer is written.
struct TraceQuery: Sendable {
  /// What a trace gives.
  struct Answer: Sendable {
    var text: String
    var isSuccess = true
    var warnings: [String] = []
  }

  private enum Format: String, CaseIterable { case json, geojson, text, csv }

  private var format: Format
  private var isSegments: Bool
  /// The path of a request that says all but what is inoperable and the flow.
  private var request: String?
  private var setup: TraceSetup

  /// - Parameter options: all of them are taken.
  /// - Throws: what does not go together.
  init(_ options: inout Options) throws {
    format = try options.word("format", Format.self) ?? .json
    isSegments = try options.flag("segments")
    request = try options.text("request")
    let given = [
      "type", "start", "barrier", "condition", "inoperable", "one_way", "include_isolated", "cost",
      "domain", "tier",
    ].filter { options.has($0) }
    let type = try options.word("type", TraceType.self)
    setup = TraceSetup(type ?? .isolation)
    setup.starts = try options.texts("start") ?? []
    setup.barriers = try options.texts("barrier") ?? []
    setup.filterBarriers = try options.texts("filter_barrier") ?? []
    setup.inoperable = try options.texts("inoperable") ?? []
    setup.filterCategory = try options.text("filter_category")
    setup.filter = try options.text("filter")
    setup.condition = try options.text("condition")
    (setup.domain, setup.tier) = (try options.text("domain"), try options.text("tier"))
    setup.cost = try options.text("cost")
    setup.includesIsolated = try options.flag("include_isolated")
    setup.oneWayFlow = try options.word("one_way", OneWayFlow.self) ?? .hold
    if setup.filter != nil, setup.filterCategory != nil {
      throw CallError.bad(
        "the options filter and filter_category do not go together: say both in the filter, as "
          + "category('NAME') AND ...")
    }
    if isSegments {
      try refuse(given + (request == nil ? [] : ["request"]), besides: "segments")
      if format == .text { throw CallError.bad("the option format: segments have no text") }
      return
    }
    if format == .csv { throw CallError.bad("the option format: csv goes with segments") }
    if request != nil {
      try refuse(
        given.filter { !["inoperable", "one_way"].contains($0) }
          + (setup.filterBarriers.isEmpty ? [] : ["filter_barrier"])
          + (setup.filter == nil ? [] : ["filter"])
          + (setup.filterCategory == nil ? [] : ["filter_category"]), besides: "request")
      return
    }
    guard let type else {
      throw CallError.bad("the options say neither type, nor request, nor segments")
    }
    try check(type, given)
  }

  private func refuse(_ given: [String], besides option: String) throws {
    if let other = given.first {
      throw CallError.bad("the options \(option) and \(other) do not go together")
    }
  }

  private func check(_ type: TraceType, _ given: [String]) throws {
    guard !setup.starts.isEmpty else {
      throw CallError.bad("the option start: say where the trace starts")
    }
    if type == .shortestPath {
      guard setup.starts.count == 2 else {
        throw CallError.bad("the option start: a shortest path needs two")
      }
      guard setup.cost != nil else {
        throw CallError.bad("the option cost: a shortest path needs an attribute to sum")
      }
    } else if setup.cost != nil {
      throw CallError.bad("the option cost goes with the type shortest-path")
    }
    if given.contains("one_way"), type == .connected || type == .shortestPath {
      throw CallError.bad(
        "the option one_way: \(type.rawValue) passes one-way elements either way")
    }
    if type != .isolation {
      for option in ["include_isolated", "inoperable"] where given.contains(option) {
        throw CallError.bad("the option \(option) goes with the type isolation")
      }
    }
  }

  // MARK: The trace

  /// Traces a network.
  func run(_ opened: OpenedNetwork) throws -> Answer {
    if isSegments { return try segments(opened) }
    var warnings: [String] = []
    if format == .geojson, opened.spatialReference == nil { warnings.append(Self.noReference) }
    var parameters: UtilityTraceParameters
    if let request {
      let (asked, passedOver) = try opened.parameters(
        request: request, inoperable: setup.inoperable)
      warnings += passedOver
      parameters = asked
      parameters.oneWayFlow = setup.oneWayFlow
    } else {
      parameters = try setup.parameters(in: opened)
    }
    let result = try opened.network.trace(parameters)
    let bytes: [UInt8] =
      switch format {
      case .json, .csv: result.json(in: opened.network)
      case .geojson: try result.geoJSON(in: opened)
      case .text:
        Array(
          result.text(
            parameters, in: opened.network, listsIsolated: setup.includesIsolated
          ).utf8)
      }
    return Answer(
      text: Self.text(bytes), isSuccess: result.isSuccess, warnings: warnings + result.warnings)
  }

  private static let noReference =
    "the network has no reference: its coordinates are written as they are"

  private func segments(_ opened: OpenedNetwork) throws -> Answer {
    var warnings: [String] = []
    if format == .geojson, opened.spatialReference == nil { warnings.append(Self.noReference) }
    let (found, hasValves) = try opened.segments(between: setup)
    if !hasValves { warnings.append("there is no valve that may be closed") }
    let bytes: [UInt8] =
      switch format {
      case .csv: found.csv(in: opened)
      case .geojson: try found.geoJSON(in: opened)
      case .json, .text: found.json(in: opened)
      }
    return Answer(text: Self.text(bytes), warnings: warnings)
  }

  /// Without the last line's end.
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}
