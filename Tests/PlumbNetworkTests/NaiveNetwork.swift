import PlumbCore
import PlumbNetwork
import PlumbTestSupport

/// A small random network as plain lists, with searches that share no code with the module.
///
/// Nodes, and parts of edges between them, are vertices.
struct NaiveNetwork {
  enum Sort: CaseIterable { case tee, valve, controller, oneWay, gate, closedGate, switchgear }

  struct Device {
    var name: String
    var sort: Sort
    var isClosed: Bool
  }

  struct Pipe {
    var name: String
    var ends: [(device: Int, terminal: Int)]
    var flow: EdgeFlow
    var isClosed: Bool
    var isHose: Bool
    var length: Int
  }

  /// A link between vertices. Flow may run from `a` to `b`, or from `b` to `a`; if neither is
  /// allowed, only connected traces cross the link.
  struct Link {
    var a: Int
    var b: Int
    var isForward: Bool
    var isBackward: Bool
    var isInside = false
    /// The device or the pipe that contains it.
    var owner = ""
  }

  struct Vertex {
    var name: String
    var isNode: Bool
    var isBarrier = false
    var isFilter = false
    var isController = false
    var cost = 0.0
    /// A part of an edge: its pipe.
    var pipe: Int?
  }

  var devices: [Device] = []
  var pipes: [Pipe] = []
  /// The positions of starts and barriers on pipes.
  var cuts: [(pipe: Int, fraction: Double, use: Use)] = []
  enum Use { case start, barrier, filter }
  var start = 0
  /// The terminal of a start at a device with terminals.
  private var startTerminal: Int?
  /// Whether some pipes are closed or valves.
  private var needsEdges = true
  private(set) var vertices: [Vertex] = []
  private(set) var links: [Link] = []
  private(set) var startVertex = 0
  /// The device or the pipe that contains the start.
  private(set) var startOwner = ""
  /// The first vertex of each device.
  private(set) var first: [Int] = []

  static func terminals(_ sort: Sort) -> Int {
    switch sort {
    case .tee, .valve, .controller: 1
    case .oneWay, .gate, .closedGate: 2
    case .switchgear: 3
    }
  }

  /// - Parameters:
  ///   - isUndirected: whether all flow runs both ways.
  ///   - hasCuts: whether starts and barriers are also along edges.
  ///   - oneWayShare: one of this many pipes is one-way, if some are.
  ///   - startsOneWay: whether the start is in a one-way device or on a one-way pipe.
  init(
    _ random: inout SeededGenerator, isUndirected: Bool, hasCuts: Bool, hasFilters: Bool = true,
    needsEdges: Bool = true, startsOneWay: Bool = false, extra: Int = 4, oneWayShare: Int = 6
  ) {
    self.needsEdges = needsEdges
    let count = Int.random(in: 3...8, using: &random)
    for index in 0..<count {
      let draw = Int.random(in: 0..<(needsEdges ? 20 : 19), using: &random)
      let sort: Sort =
        switch draw {
        case 0..<6: .tee
        case 6..<15: .valve
        case 15..<17: .controller
        case 17: isUndirected ? .tee : .oneWay
        case 18: .gate
        default:
          isUndirected ? .switchgear : [.closedGate, .switchgear].randomElement(using: &random)!
        }
      devices.append(
        Device(
          name: "n\(index)",
          sort: index == 0 ? .controller : index == 1 ? .valve : index == 2 ? .tee : sort,
          isClosed: Int.random(in: 0..<12, using: &random) == 0 && index > 2))
    }
    start = Int.random(in: 2..<count, using: &random)
    if devices[start].sort != .tee || devices[start].isClosed { start = 2 }
    let startsInDevice = startsOneWay && Bool.random(using: &random)
    if startsInDevice {
      start = 2
      devices[2].sort = .oneWay
      startTerminal = Int.random(in: 1...2, using: &random)
    }
    for index in 0..<count - 1 + Int.random(in: 0...extra, using: &random) {
      // The first pipes form a tree, so that most starts reach a controller.
      let isTree = index < count - 1
      let a = Int.random(in: 0..<(isTree ? index + 1 : count), using: &random)
      let b = isTree ? index + 1 : Int.random(in: 0..<count, using: &random)
      let ends = [a, b].map { device in
        (device, Int.random(in: 0..<Self.terminals(devices[device].sort), using: &random))
      }
      pipes.append(
        Pipe(
          name: "p\(index)", ends: Bool.random(using: &random) ? ends : ends.reversed(),
          flow: isUndirected || Int.random(in: 0..<oneWayShare, using: &random) > 0
            ? .bothWays : [.forward, .backward].randomElement(using: &random)!,
          isClosed: Int.random(in: 0..<15, using: &random) == 0 && needsEdges,
          isHose: Int.random(in: 0..<12, using: &random) == 0 && needsEdges,
          length: Int.random(in: 0...4, using: &random)))
    }
    if startsOneWay, !startsInDevice {
      let pipe = Int.random(in: 0..<pipes.count, using: &random)
      pipes[pipe].flow = Bool.random(using: &random) ? .forward : .backward
      pipes[pipe].isClosed = false
      pipes[pipe].isHose = false
      cuts.append((pipe, [0, 0.5, 1].randomElement(using: &random)!, .start))
    }
    if hasCuts {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let use: Use = [.start, .barrier, .filter, .filter].randomElement(using: &random)!
        if use == .filter, !hasFilters { continue }
        if use == .start, startsInDevice || cuts.contains(where: { $0.use == .start }) { continue }
        let pipe = Int.random(in: 0..<pipes.count, using: &random)
        let fraction = [0, 0.25, 0.5, 0.75, 1].randomElement(using: &random)!
        if cuts.contains(where: { $0.pipe == pipe && $0.fraction == fraction }) { continue }
        cuts.append((pipe, fraction, use))
      }
    }
    makeVertices()
  }

  private mutating func makeVertices() {
    for device in devices {
      first.append(vertices.count)
      let count = Self.terminals(device.sort)
      for terminal in 0..<count {
        vertices.append(
          Vertex(
            name: count > 1 ? "\(device.name):\(terminal + 1)" : device.name, isNode: true,
            isBarrier: device.isClosed,
            isFilter: [.valve, .gate, .closedGate].contains(device.sort),
            isController: device.sort == .controller))
      }
      let base = vertices.count - count
      func join(_ a: Int, _ b: Int, _ forward: Bool, _ backward: Bool) {
        links.append(
          Link(
            a: base + a, b: base + b, isForward: forward, isBackward: backward, isInside: true,
            owner: device.name))
      }
      switch device.sort {
      case .oneWay: join(0, 1, true, false)
      case .gate: join(0, 1, true, true)
      case .closedGate: join(0, 1, false, false)
      case .switchgear:
        join(0, 1, true, true)
        join(1, 2, true, true)
        join(0, 2, false, false)
      default: break
      }
    }
    startVertex = first[start] + (startTerminal ?? 1) - 1
    startOwner = devices[start].name
    for (index, pipe) in pipes.enumerated() {
      let (isForward, isBackward) = (pipe.flow != .backward, pipe.flow != .forward)
      var node = first[pipe.ends[0].device] + pipe.ends[0].terminal
      var from = 0.0
      let pipeCuts = cuts.filter { $0.pipe == index }.sorted { $0.fraction < $1.fraction }
      for step in 0...pipeCuts.count {
        let to = step < pipeCuts.count ? pipeCuts[step].fraction : 1
        let part = vertices.count
        vertices.append(
          Vertex(
            name: pipeCuts.isEmpty ? pipe.name : "\(pipe.name)[\(from),\(to)]", isNode: false,
            isBarrier: pipe.isClosed, isFilter: pipe.isHose,
            cost: Double(pipe.length) * (to - from), pipe: index))
        links.append(
          Link(
            a: node, b: part, isForward: isForward, isBackward: isBackward, owner: pipe.name))
        if step < pipeCuts.count {
          node = vertices.count
          vertices.append(
            Vertex(
              name: "\(pipe.name)@\(to)", isNode: true, isBarrier: pipeCuts[step].use == .barrier,
              isFilter: pipeCuts[step].use == .filter))
          if pipeCuts[step].use == .start { (startVertex, startOwner) = (node, pipe.name) }
        } else {
          node = first[pipe.ends[1].device] + pipe.ends[1].terminal
        }
        links.append(
          Link(
            a: part, b: node, isForward: isForward, isBackward: isBackward, owner: pipe.name))
        from = to
      }
    }
  }

  /// All devices and pipes, and those that are one-way in some place.
  var owners: Set<String> { Set(links.map(\.owner)) }
  var oneWayOwners: Set<String> {
    Set(links.filter { $0.isForward != $0.isBackward }.map(\.owner))
  }

  // MARK: The same network for the module

  func network(_ random: inout SeededGenerator, shuffles: Bool = false) throws -> UtilityNetwork {
    var builder = try NetworkBuilder(TestNetwork.definition())
    var order = Array(devices.indices)
    var pipeOrder = Array(pipes.indices)
    if shuffles {
      order.shuffle(using: &random)
      pipeOrder.shuffle(using: &random)
    }
    for index in order {
      let device = devices[index]
      let type: TestNetwork.Device? =
        switch device.sort {
        case .tee: nil
        case .valve: .valve
        case .controller: .controller
        case .oneWay: .oneWay
        case .gate, .closedGate: .gate
        case .switchgear: .switchgear
        }
      try builder.add(
        NetworkJunction(
          sourceID: type == nil ? TestNetwork.junction : TestNetwork.device, globalID: device.name,
          assetGroup: 1, assetType: type?.rawValue ?? 1, point: nil,
          attributes: TestNetwork.attributes(["status": .integer(device.isClosed ? 1 : 0)]),
          terminalPath: device.sort == .closedGate ? "Closed" : nil,
          controllers: device.sort == .controller ? [TestNetwork.controller()] : []))
    }
    for index in pipeOrder {
      let pipe = pipes[index]
      let ends = pipe.ends.map { end in
        EdgeEnd(
          ElementName(
            sourceID: devices[end.device].sort == .tee ? TestNetwork.junction : TestNetwork.device,
            globalID: devices[end.device].name),
          terminalID: Self.terminals(devices[end.device].sort) > 1 ? end.terminal + 1 : nil)
      }
      try builder.add(
        NetworkEdge(
          sourceID: TestNetwork.pipe, globalID: pipe.name, assetGroup: 1,
          assetType: pipe.isHose ? 2 : 1, vertices: [],
          attributes: TestNetwork.attributes([
            "status": .integer(pipe.isClosed ? 1 : 0), "length": .integer(Int64(pipe.length)),
          ]), from: ends[0], to: ends[1], flow: pipe.flow))
    }
    return try builder.build()
  }

  func parameters(_ type: TraceType, _ network: UtilityNetwork) throws -> UtilityTraceParameters {
    func location(_ use: Use) throws -> [TraceLocation] {
      try cuts.filter { $0.use == use }.map {
        try network.location(pipes[$0.pipe].name, at: $0.fraction)
      }
    }
    var starts = try location(.start)
    if starts.isEmpty {
      starts = [try network.location(devices[start].name, terminal: startTerminal)]
    }
    var configuration = TraceConfiguration()
    configuration.traversability.barriers = .attribute("status", .equal, .value(.integer(1)))
    if type == .isolation { configuration = isolating(configuration) }
    if !needsEdges {
      configuration.traversability.scope = .junctions
      configuration.filter.scope = .junctions
    }
    configuration.shortestPathAttribute = "length"
    var parameters = UtilityTraceParameters.test(type, starts, configuration)
    parameters.barriers = try location(.barrier)
    if type == .isolation { parameters.filterBarriers = try location(.filter) }
    return parameters
  }

  private func isolating(_ base: TraceConfiguration) -> TraceConfiguration {
    var result = base
    result.filter.barriers = .category("Isolating")
    return result
  }

  /// The elements of a set of vertices as strings: adjacent parts of pipes are merged.
  func texts(_ set: Set<Int>) -> Set<String> {
    var result: Set<String> = []
    var parts: [Int: [ClosedRange<Double>]] = [:]
    for index in set.sorted() {
      let vertex = vertices[index]
      if vertex.isNode {
        if !vertex.name.contains("@") { result.insert(vertex.name) }
      } else if let pipe = vertex.pipe {
        let text = vertex.name.split(separator: "[")
        guard text.count == 2 else {
          result.insert(vertex.name)
          continue
        }
        let bounds = text[1].dropLast().split(separator: ",").compactMap { Double($0) }
        var list = parts[pipe] ?? []
        if let last = list.last, last.upperBound == bounds[0] {
          list[list.count - 1] = last.lowerBound...bounds[1]
        } else {
          list.append(bounds[0]...bounds[1])
        }
        parts[pipe] = list
      }
    }
    for (pipe, list) in parts {
      let whole = list == [0...1]
      result.insert(
        pipes[pipe].name
          + (whole ? "" : list.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined()))
    }
    return result
  }

  // MARK: Naive searches

  /// The vertices one step away.
  ///
  /// - Parameter opened: devices and pipes that conduct flow both ways if they conduct it one way.
  func next(
    _ vertex: Int, along: Bool, against: Bool, any: Bool = false, opened: Set<String> = []
  ) -> [Int] {
    var result: [Int] = []
    for link in links {
      let any = any || ((link.isForward || link.isBackward) && opened.contains(link.owner))
      // A controller is not crossed inside its device; the controllers here have only one terminal.
      if link.a == vertex, any || (along && link.isForward) || (against && link.isBackward) {
        result.append(link.b)
      }
      if link.b == vertex, any || (along && link.isBackward) || (against && link.isForward) {
        result.append(link.a)
      }
    }
    return result
  }

  /// All reachable vertices, with nodes restricted to `within`. Vertices for which `stops` returns
  /// true are reached but not crossed, except starts.
  func reachable(
    _ starts: Set<Int>, along: Bool, against: Bool, any: Bool = false, opened: Set<String> = [],
    within: Set<Int>? = nil, stops: (Int) -> Bool
  ) -> Set<Int> {
    var result = starts
    var list = Array(starts)
    while let vertex = list.popLast() {
      if !starts.contains(vertex), stops(vertex) { continue }
      for other in next(vertex, along: along, against: against, any: any, opened: opened)
      where !result.contains(other) && (!vertices[other].isNode || within?.contains(other) ?? true)
      {
        result.insert(other)
        list.append(other)
      }
    }
    return result
  }
}
