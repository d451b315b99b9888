import Testing

/// The sample network as a graph of names: the id of a junction, or the id and terminal of a
/// device.
struct SampleNetworkGraph {
  /// The nodes that flow can reach from each node, and the pipe in between.
  private(set) var arcs: [String: [(node: String, pipe: String?)]] = [:]
  private var back: [String: [String]] = [:]
  private let closed: Set<String>
  private let controllers: [String: String]

  init(_ network: SampleNetworkReader) throws {
    closed = Set(network.features.filter { $0.fields["STATUS"] == "0" }.map(\.id))
    var controllers: [String: String] = [:]
    for feature in network.features {
      if let terminal = feature.fields["CONTROLLERTERMINAL"] {
        controllers["\(feature.id):\(terminal)"] = feature.id
      }
    }
    self.controllers = controllers
    func name(_ end: SampleNetworkReader.Association.End) -> String {
      end.terminal.map { "\(end.id):\($0)" } ?? end.id
    }
    var cuts: [String: [(along: Double, node: String)]] = [:]
    for association in network.associations {
      switch association.kind {
      case 1: join(name(association.from), name(association.to), nil, isOneWay: false)
      case 4: cuts[association.to.id, default: []].append((0, name(association.from)))
      case 5:
        let along = try #require(association.percentAlong)
        cuts[association.to.id, default: []].append((along, name(association.from)))
      case 6: cuts[association.to.id, default: []].append((1, name(association.from)))
      default: break
      }
    }
    for feature in network.features where feature.source == 9 {
      guard let id = network.types[feature.type]?.configuration else { continue }
      let configuration = try #require(network.configurations[id])
      let path = feature.fields["TERMINALCONFIGURATION"] ?? configuration.defaultPath
      for pair in try #require(configuration.paths[path]) {
        join(
          "\(feature.id):\(pair.0)", "\(feature.id):\(pair.1)", nil,
          isOneWay: configuration.isDirectional)
      }
    }
    for pipe in network.features where pipe.source == 12 {
      var stops = cuts[pipe.id] ?? []
      let steps = zip(pipe.vertices, pipe.vertices.dropFirst()).map { a, b in
        ((b - a) * (b - a)).sum().squareRoot()
      }
      let total = steps.reduce(0, +)
      var length = 0.0
      for (index, point) in pipe.vertices.enumerated() {
        if index > 0 { length += steps[index - 1] }
        for id in network.sites[point] ?? [] where try network.terminals(of: id).isEmpty {
          stops.append((index == pipe.vertices.count - 1 ? 1 : length / total, id))
        }
      }
      stops.sort { $0.along < $1.along }
      for (a, b) in zip(stops, stops.dropFirst()) { join(a.node, b.node, pipe.id, isOneWay: false) }
    }
  }

  private mutating func join(_ a: String, _ b: String, _ pipe: String?, isOneWay: Bool) {
    arcs[a, default: []].append((b, pipe))
    back[b, default: []].append(a)
    guard !isOneWay else { return }
    arcs[b, default: []].append((a, pipe))
    back[a, default: []].append(b)
  }

  /// Whether flow can pass directly from one node to another.
  func conducts(_ from: String, _ to: String) -> Bool {
    arcs[from]?.contains { $0.node == to } ?? false
  }

  /// The controllers from which flow can reach a node through open elements.
  func controllers(upstreamOf node: String) -> Set<String> {
    var found: Set<String> = []
    var seen: Set<String> = [node]
    var pending = [node]
    while let next = pending.popLast() {
      if let controller = controllers[next] {
        found.insert(controller)
        continue
      }
      if closed.contains(next) { continue }
      for other in back[next] ?? [] where seen.insert(other).inserted { pending.append(other) }
    }
    return found
  }

  /// Disjoint sets of names.
  struct Sets {
    private var parents: [String: String] = [:]

    func root(_ name: String) -> String {
      var name = name
      while let parent = parents[name] { name = parent }
      return name
    }

    /// Whether the two sets were separate.
    @discardableResult mutating func join(_ a: String, _ b: String) -> Bool {
      let (first, second) = (root(a), root(b))
      if first != second { parents[first] = second }
      return first != second
    }
  }
}
