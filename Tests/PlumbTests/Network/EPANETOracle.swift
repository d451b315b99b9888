import PlumbFormats
import PlumbTestSupport

/// An EPANET network with a valve layer, as vertices and links between them, with searches that
/// share no code with the library. Nodes are `n:id`, links `l:id`, and valves of the layer
/// `v:link@node`.
struct EPANETOracle {
  private struct Step {
    var to: String
    var owner: String
    /// Whether flow may pass to the vertex, and from it.
    var isOut: Bool
    var isIn: Bool
  }

  private var steps: [String: [Step]] = [:]
  private(set) var controllers: Set<String> = []
  private(set) var closed: Set<String> = []
  private(set) var valves: Set<String> = []
  /// Links that allow flow only towards their end, as `l:id`.
  private(set) var oneWay: [String] = []

  init(_ file: EPANETNetwork, valves layer: [(link: Int, node: Int)]) {
    for node in file.nodes where node.kind != .junction { controllers.insert("n:" + node.id) }
    for (index, link) in file.links.enumerated() {
      let name = "l:" + link.id
      if link.status == .closed { closed.insert(name) }
      let isOneWay = Self.isOneWay(link)
      if isOneWay { oneWay.append(name) }
      func end(_ node: Int) -> String {
        let point = "n:" + file.nodes[node].id
        guard layer.contains(where: { $0 == (index, node) }) else { return point }
        let valve = "v:\(link.id)@\(file.nodes[node].id)"
        if valves.insert(valve).inserted { join(valve, point, owner: valve, isOneWay: false) }
        return valve
      }
      join(end(link.start), name, owner: name, isOneWay: isOneWay)
      join(name, end(link.end), owner: name, isOneWay: isOneWay)
    }
  }

  private static func isOneWay(_ link: EPANETNetwork.Link) -> Bool {
    switch link.kind {
    case .pump: true
    case .pipe: link.status == .checkValve
    case .valve:
      link.status != .open
        && (link.valveType == .pressureReducing || link.valveType == .pressureSustaining)
    }
  }

  private mutating func join(_ a: String, _ b: String, owner: String, isOneWay: Bool) {
    steps[a, default: []].append(Step(to: b, owner: owner, isOut: true, isIn: !isOneWay))
    steps[b, default: []].append(Step(to: a, owner: owner, isOut: !isOneWay, isIn: true))
  }

  enum Flow { case along, against, either }

  /// - Parameter opened: links that allow flow both ways.
  func reachable(
    _ starts: Set<String>, _ flow: Flow, opened: Set<String> = [], within: Set<String>? = nil,
    stops: Set<String>
  ) -> Set<String> {
    var result = starts
    var list = Array(starts)
    while let vertex = list.popLast() {
      if stops.contains(vertex), !starts.contains(vertex) { continue }
      for step in steps[vertex] ?? [] where within?.contains(step.to) ?? true {
        let isPermitted: Bool =
          switch flow {
          case .along: step.isOut
          case .against: step.isIn
          case .either: true
          }
        guard isPermitted || opened.contains(step.owner) else { continue }
        if result.insert(step.to).inserted { list.append(step.to) }
      }
    }
    return result
  }

  /// The result of an isolation according to the rules; nil if no controller is reached.
  struct Isolation {
    var isolating: Set<String> = []
    var bounding: Set<String> = []
    var isolated: Set<String> = []
    /// Elements without supply before the isolation.
    var dry: Set<String> = []
    var uncut: Set<String> = []
    var holding: Set<String> = []
  }

  func isolation(of start: String) -> Isolation? {
    let stops = closed.union(controllers).subtracting([start])
    let found = reachable([start], .either, stops: stops)
    let supplying = found.intersection(controllers)
    guard !supplying.isEmpty else { return nil }
    let region = reachable(
      [start], .against, opened: [start], within: found, stops: stops.union(valves))
    let bounds = region.intersection(valves).subtracting([start])
    var result = Isolation()
    result.uncut = region.intersection(controllers)
    let rest = supplying.subtracting(result.uncut)
    let reached = reachable(
      rest, .along, within: found,
      stops: stops.union(bounds).union(result.uncut))
    result.isolating = bounds.intersection(reached)
    result.bounding = bounds.subtracting(result.isolating)
    let normal = reachable(supplying, .along, within: found, stops: stops)
    let still = reachable(
      rest, .along, within: found,
      stops: stops.union(result.isolating).union(result.uncut))
    let without = region.union(normal).subtracting(still).subtracting(result.isolating)
    result.isolated = without.intersection(normal)
    result.dry = without.subtracting(normal)
    for link in oneWay where link != start {
      let opened = reachable(
        rest, .along, opened: [link], within: found,
        stops: stops.union(result.isolating).union(result.uncut))
      if !opened.isDisjoint(with: without) { result.holding.insert(link) }
    }
    return result
  }
}

extension EPANETOracle {
  /// The network's layout with links of random types, as a file.
  static func text(_ file: EPANETNetwork, _ random: inout SeededGenerator) -> String {
    var (pipes, pumps, valves, status) = ("", "", "", "")
    for link in file.links {
      let ends = "\(link.id) \(file.nodes[link.start].id) \(file.nodes[link.end].id)"
      switch Int.random(in: 0..<20, using: &random) {
      case 0...2: pipes += "\(ends) 10 100 100 0 CV\n"
      case 3: pumps += "\(ends) POWER 5\n"
      case 4: valves += "\(ends) 100 PRV 30\n"
      case 5: valves += "\(ends) 100 PSV 30\n"
      case 6: valves += "\(ends) 100 FCV 30\n"
      case 7:
        valves += "\(ends) 100 PRV 30\n"
        status += "\(link.id) Open\n"
      case 8: pipes += "\(ends) 10 100 100 0 Closed\n"
      default: pipes += "\(ends) 10 100 100\n"
      }
    }
    var (junctions, reservoirs, tanks) = ("", "", "")
    for node in file.nodes {
      switch node.kind {
      case .junction: junctions += "\(node.id) 1\n"
      case .reservoir: reservoirs += "\(node.id) 10\n"
      case .tank: tanks += "\(node.id) 5 1 0 2 10 0\n"
      }
    }
    return """
      [JUNCTIONS]
      \(junctions)[RESERVOIRS]
      \(reservoirs)[TANKS]
      \(tanks)[PIPES]
      \(pipes)[PUMPS]
      \(pumps)[VALVES]
      \(valves)[STATUS]
      \(status)
      """
  }
}
