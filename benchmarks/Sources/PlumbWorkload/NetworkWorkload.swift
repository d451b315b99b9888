import Plumb

/// Plumb's part of the workloads on a loaded network:
///
///     plumb-workload network-flood DOCUMENT --starts starts.npy --out PREFIX
///     plumb-workload network-isolation DOCUMENT --starts starts.npy --out PREFIX
///     plumb-workload network-isolation-whole DOCUMENT --starts starts.npy --out PREFIX
///     plumb-workload network-segments DOCUMENT --out PREFIX
///
/// Ids are a letter and a number: P for pipes, J, V and S for junctions, valves and supplies. Results
/// are these numbers; with several starts, the upper 32 bits contain the number of the start.
struct NetworkWorkload {
  private static let valves = TraceCondition.category("Isolating")
  /// The number of isolations of each start; the shortest time counts.
  private static let repeats = 7

  let arguments: Arguments

  /// nil for another mode.
  init?(_ arguments: Arguments) {
    guard arguments.mode.hasPrefix("network-") else { return nil }
    self.arguments = arguments
  }

  /// The line with the time, for the suite.
  func run() throws -> String {
    guard let document = arguments.rasters.first else {
      throw NumPyFile.Failure(message: "no network")
    }
    let network = try OpenedNetwork.open(path: document).network
    switch arguments.mode {
    case "network-flood": return try flood(network)
    case "network-isolation": return try isolate(network, isWhole: false)
    case "network-isolation-whole": return try isolate(network, isWhole: true)
    case "network-segments": return try divide(network)
    default: throw NumPyFile.Failure(message: "there is no mode \(arguments.mode)")
    }
  }

  private func starts(_ network: UtilityNetwork) throws -> [TraceLocation] {
    try arguments.doubles("starts").map {
      TraceLocation(try network.element(source: "junction", globalID: "J\(Int($0))"))
    }
  }

  // MARK: Connected elements

  private func flood(_ network: UtilityNetwork) throws -> String {
    let parameters = UtilityTraceParameters(
      .connected, startingLocations: Array(try starts(network).prefix(1)))
    var result = try network.trace(parameters)
    let measured = try Measured.run { result = try network.trace(parameters) }
    let (nodes, pipes) = numbers(result.elements, in: network)
    try write("nodes", nodes.sorted())
    try write("pipes", pipes.sorted())
    return measured.json(["elements": result.elements.count])
  }

  // MARK: Isolation

  private func isolate(_ network: UtilityNetwork, isWhole: Bool) throws -> String {
    var configuration = TraceConfiguration()
    configuration.filter.barriers = Self.valves
    var answers: [String: [Int64]] = [:]
    var (whole, search, beyond): ([Double], [Double], [Double]) = ([], [], [])
    for (number, start) in try starts(network).enumerated() {
      let isolation = UtilityTraceParameters(
        .isolation, startingLocations: [start], traceConfiguration: configuration)
      let controllers = UtilityTraceParameters(
        .subnetworkControllers, startingLocations: [start], traceConfiguration: configuration)
      var result = try network.trace(isolation)
      // The two alternate, so that other load on the machine affects both.
      var (both, first) = (Double.infinity, Double.infinity)
      for _ in 0..<Self.repeats {
        first = min(first, try timed { _ = try network.trace(controllers) })
        both = min(both, try timed { result = try network.trace(isolation) })
      }
      whole.append(both)
      search.append(first)
      beyond.append(both - first)
      guard let found = result.isolation else { continue }
      let isolated = numbers(found.isolated, in: network)
      for (name, items) in [
        ("isolating", found.isolating.map { self.number(of: $0.location.element, in: network) }),
        ("idle", found.boundingOnly.map { self.number(of: $0.location.element, in: network) }),
        ("nodes", isolated.nodes), ("pipes", isolated.pipes),
      ] {
        let numbered = items.sorted().map { Int64(number) << 32 | $0 }
        answers[name, default: []].append(contentsOf: numbered)
      }
    }
    for (name, items) in answers { try write(name, items) }
    let timed = isWhole ? whole : beyond
    return "{\"nanoseconds_per_call\": \(Self.share(timed, 0.5) * 1e9), "
      + "\(Self.facts(timed)), \"search\": \(Self.share(search, 0.5)), "
      + "\"whole\": \(Self.share(whole, 0.5))}"
  }

  /// The mean, the median and the 99th percentile, in seconds.
  private static func facts(_ times: [Double]) -> String {
    let mean = times.reduce(0, +) / Double(max(1, times.count))
    return "\"mean\": \(mean), \"median\": \(share(times, 0.5)), \"most\": \(share(times, 0.99))"
  }

  private static func share(_ times: [Double], _ share: Double) -> Double {
    let sorted = times.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }

  // MARK: Segments

  private func divide(_ network: UtilityNetwork) throws -> String {
    var segments = try network.segments(filterBarriers: nil)
    let measured = try Measured.run {
      segments = try network.segments(filterBarriers: Self.valves)
    }
    var nodes = [Int64](repeating: -1, count: network.junctionCount)
    var edges = [Int64](repeating: -1, count: network.edgeCount)
    var pairs: [Int64] = []
    for segment in 0..<segments.count {
      for element in segments.junctions(of: segment) {
        nodes[Int(number(of: element, in: network))] = Int64(segment)
      }
      for element in segments.edges(of: segment) {
        edges[Int(number(of: element, in: network))] = Int64(segment)
      }
      for valve in segments.valves(of: segment) {
        pairs += [Int64(segment), number(of: valve.element, in: network)]
      }
    }
    try write("nodes", nodes)
    try write("edges", edges)
    try write("pairs", pairs)
    return measured.json(["segments": segments.count])
  }

  // MARK: Replies

  private func write(_ name: String, _ numbers: [Int64]) throws {
    try NumPyFile.write("\(arguments.text("out"))_\(name).npy", type: "<i8", numbers)
  }

  private func number(of element: NetworkElement, in network: UtilityNetwork) -> Int64 {
    Int64(network.globalID(of: element).dropFirst()) ?? -1
  }

  private func numbers(
    _ elements: [TracedElement], in network: UtilityNetwork
  ) -> (nodes: [Int64], pipes: [Int64]) {
    var (nodes, pipes): ([Int64], [Int64]) = ([], [])
    for traced in elements {
      let number = number(of: traced.element, in: network)
      if network.isEdge(traced.element) { pipes.append(number) } else { nodes.append(number) }
    }
    return (nodes, pipes)
  }
}
