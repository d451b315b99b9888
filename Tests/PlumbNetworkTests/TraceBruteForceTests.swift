import PlumbNetwork
import PlumbTestSupport
import Testing

/// Compares the other traces of thousands of small random networks with naive searches.
@Suite struct TraceBruteForceTests {
  private func isStop(_ naive: NaiveNetwork, _ vertex: Int) -> Bool {
    naive.vertices[vertex].isBarrier || naive.vertices[vertex].isController
  }

  /// A trace's elements; nil if the start is a barrier.
  private func trace(
    _ type: TraceType, _ naive: NaiveNetwork, _ network: UtilityNetwork
  ) throws -> Result<UtilityTraceResult, NetworkError> {
    let parameters = try naive.parameters(type, network)
    do throws(NetworkError) { return .success(try network.trace(parameters)) } catch {
      return .failure(error)
    }
  }

  private func isBarred(_ naive: NaiveNetwork) -> Bool {
    naive.cuts.contains { $0.use == .start && naive.pipes[$0.pipe].isClosed }
  }

  @Test func connectedFloodsOverEverythingButLocations() throws {
    var random = SeededGenerator(seed: 60)
    for round in 0..<1500 {
      let naive = NaiveNetwork(&random, isUndirected: false, hasCuts: true, hasFilters: false)
      let network = try naive.network(&random)
      let reached = naive.reachable([naive.startVertex], along: true, against: true, any: true) {
        naive.vertices[$0].name.contains("@") && naive.vertices[$0].isBarrier
      }
      let result = try trace(.connected, naive, network).get()
      #expect(network.texts(result.elements) == naive.texts(reached), "round \(round)")
    }
  }

  @Test func subnetworksAndTheirControllers() throws {
    var random = SeededGenerator(seed: 61)
    var count = 0
    for round in 0..<1500 {
      let naive = NaiveNetwork(&random, isUndirected: false, hasCuts: true, hasFilters: false)
      if isBarred(naive) { continue }
      let network = try naive.network(&random)
      let found = naive.reachable([naive.startVertex], along: true, against: true) {
        isStop(naive, $0)
      }
      let controllers = found.filter { naive.vertices[$0].isController }
      let listed = try trace(.subnetworkControllers, naive, network)
      guard !controllers.isEmpty else {
        #expect(throws: NetworkError.self) { try listed.get() }
        continue
      }
      #expect(network.texts(try listed.get().elements) == naive.texts(Set(controllers)))
      let whole = naive.reachable(Set(controllers), along: true, against: true) {
        isStop(naive, $0)
      }
      let result = try trace(.subnetwork, naive, network).get()
      #expect(network.texts(result.elements) == naive.texts(whole), "round \(round)")
      count += 1
    }
    #expect(count > 800)
  }

  @Test func loopsAreWhatCanBeLeftOutWithoutParting() throws {
    var random = SeededGenerator(seed: 62)
    var looped = 0
    for round in 0..<2000 {
      let naive = NaiveNetwork(&random, isUndirected: false, hasCuts: true, hasFilters: false)
      if isBarred(naive) { continue }
      let network = try naive.network(&random)
      let start = naive.startVertex
      let found = naive.reachable([start], along: true, against: true) { isStop(naive, $0) }
      let crossed = found.filter { $0 == start || !isStop(naive, $0) }
      let links = naive.links.filter {
        ($0.isForward || $0.isBackward) && crossed.contains($0.a) && crossed.contains($0.b)
      }
      var onCycle: Set<Int> = []
      for (index, link) in links.enumerated() {
        var seen: Set<Int> = [link.a]
        var list = [link.a]
        while let vertex = list.popLast() {
          for (other, way) in links.enumerated() where other != index {
            for (from, to) in [(way.a, way.b), (way.b, way.a)]
            where from == vertex && seen.insert(to).inserted { list.append(to) }
          }
        }
        if seen.contains(link.b) {
          onCycle.insert(link.a)
          onCycle.insert(link.b)
        }
      }
      let result = try trace(.loops, naive, network).get()
      #expect(network.texts(result.elements) == naive.texts(onCycle), "round \(round)")
      if !onCycle.isEmpty { looped += 1 }
    }
    #expect(looped > 300)
  }

  /// All paths from a vertex that visit no vertex twice, with controllers and barriers only at the ends.
  private func paths(
    _ naive: NaiveNetwork, from start: Int, along: Bool, any: Bool = false,
    _ body: ([Int]) -> Void
  ) {
    var path = [start]
    func extend() {
      body(path)
      let last = path[path.count - 1]
      if path.count > 1, isStop(naive, last) { return }
      for next in naive.next(last, along: along, against: !along || any) where !path.contains(next)
      {
        path.append(next)
        extend()
        path.removeLast()
      }
    }
    extend()
  }

  @Test func upstreamAndDownstreamAreAllPathsThatVisitNothingTwice() throws {
    var random = SeededGenerator(seed: 63)
    var (equal, through) = (0, 0)
    for round in 0..<1200 {
      let isUndirected = round % 3 > 0
      let naive = NaiveNetwork(
        &random, isUndirected: isUndirected, hasCuts: true, hasFilters: false, extra: 2)
      if isBarred(naive) { continue }
      let network = try naive.network(&random)
      let start = naive.startVertex
      if naive.vertices[start].isController { continue }
      let found = naive.reachable([start], along: true, against: true) { isStop(naive, $0) }
      let controllers = found.filter { naive.vertices[$0].isController }
      guard !controllers.isEmpty else { continue }
      var (upstream, downstream): (Set<Int>, Set<Int>) = ([], [])
      for controller in controllers {
        paths(naive, from: controller, along: true) { path in
          // A barrier at the start's node would stop there, but starts are not barriers.
          guard let point = path.firstIndex(of: start) else { return }
          if point == path.count - 1 { upstream.formUnion(path) }
          // Controllers do not receive flow, and elements that lead to a controller supply nothing.
          // With one-way flow, a path ends at a node, at a barrier or in a loop at one node.
          let last = path[path.count - 1]
          if naive.vertices[last].isController { return }
          if !isUndirected, !naive.vertices[last].isNode, !naive.vertices[last].isBarrier,
            !naive.next(last, along: true, against: false).allSatisfy({ $0 == path.dropLast().last }
            )
          {
            return
          }
          downstream.formUnion(path[point...])
        }
      }
      // With two-way flow, an edge between two supplied nodes is supplied, too.
      downstream = downstream.filter { vertex in
        naive.vertices[vertex].isNode || naive.vertices[vertex].isBarrier
          || naive.links.allSatisfy { link in
            (link.a != vertex || downstream.contains(link.b))
              && (link.b != vertex || downstream.contains(link.a))
          }
      }
      let up = network.texts(try trace(.upstream, naive, network).get().elements)
      let down = network.texts(try trace(.downstream, naive, network).get().elements)
      if isUndirected {
        #expect(up == naive.texts(upstream), "round \(round)")
        #expect(down == naive.texts(downstream), "round \(round)")
        equal += 1
        if upstream.count > 4 { through += 1 }
      }
    }
    #expect(equal > 300 && through > 100)
  }

  /// The vertices of simple paths from the controllers to a start, and beyond it.
  private func visited(
    _ naive: NaiveNetwork, _ start: Int, _ controllers: [Int]
  ) -> (upstream: Set<Int>, downstream: Set<Int>) {
    var (upstream, downstream): (Set<Int>, Set<Int>) = ([], [])
    for controller in controllers {
      paths(naive, from: controller, along: true) { path in
        guard let point = path.firstIndex(of: start) else { return }
        if point == path.count - 1 { upstream.formUnion(path) }
        let last = path[path.count - 1]
        if last != start, naive.vertices[last].isController { return }
        let isLoop = naive.next(last, along: true, against: false).allSatisfy {
          $0 == path.dropLast().last
        }
        if naive.vertices[last].isNode || naive.vertices[last].isBarrier || isLoop {
          downstream.formUnion(path[point...])
        }
      }
    }
    // A two-way edge between two supplied nodes is supplied, unless there are barriers at both
    // nodes, because nothing crosses these.
    for vertex in naive.vertices.indices where !naive.vertices[vertex].isNode {
      let ends = naive.links.filter { $0.a == vertex || $0.b == vertex }
      let isTwoWay = ends.allSatisfy { $0.isForward && $0.isBackward }
      if isTwoWay, !naive.vertices[vertex].isBarrier,
        ends.allSatisfy({ downstream.contains($0.a == vertex ? $0.b : $0.a) }),
        ends.contains(where: { link in
          let node = link.a == vertex ? link.b : link.a
          return node == start || !isStop(naive, node)
        })
      {
        downstream.insert(vertex)
      }
    }
    // A two-way pipe to vertices that no path visits is not supplied.
    downstream = downstream.filter { vertex in
      let ends = naive.links.filter { $0.a == vertex || $0.b == vertex }
      return naive.vertices[vertex].isNode || naive.vertices[vertex].isBarrier
        || ends.contains { $0.isForward != $0.isBackward }
        || ends.allSatisfy { downstream.contains($0.a == vertex ? $0.b : $0.a) }
    }
    return (upstream, downstream)
  }

  @Test func certainElementsAreOnAPathAndNoneIsMissing() throws {
    var random = SeededGenerator(seed: 66)
    var (checked, undecided, exact) = (0, 0, 0)
    for round in 0..<1500 {
      let naive = NaiveNetwork(
        &random, isUndirected: false, hasCuts: round % 2 == 0, hasFilters: false, extra: 3,
        oneWayShare: round % 3 == 0 ? 2 : 6)
      if isBarred(naive) { continue }
      let network = try naive.network(&random)
      let start = naive.startVertex
      if naive.vertices[start].isController { continue }
      let found = naive.reachable([start], along: true, against: true) { isStop(naive, $0) }
      let controllers = found.filter { naive.vertices[$0].isController }
      guard !controllers.isEmpty else { continue }
      let known = visited(naive, start, Array(controllers))
      for (type, truth) in [
        (TraceType.upstream, known.upstream), (.downstream, known.downstream),
      ] {
        let result = try trace(type, naive, network).get()
        let all = Self.parts(network, result.elements + result.possible)
        let certain = Self.parts(network, result.elements)
        let wanted = Set(truth.flatMap { Self.parts(naive, $0) })
        #expect(certain.isSubset(of: wanted), "round \(round), \(type)")
        #expect(wanted.isSubset(of: all), "round \(round), \(type)")
        #expect(result.possible.isEmpty == result.warnings.allSatisfy { !$0.contains("possible") })
        if !result.possible.isEmpty { undecided += 1 }
        if all == wanted { exact += 1 }
        checked += 1
      }
    }
    #expect(checked > 1500 && undecided < checked / 100 && exact > checked * 99 / 100)
  }

  /// Elements as strings, edges by quarters.
  private static func parts(_ network: UtilityNetwork, _ elements: [TracedElement]) -> Set<String> {
    var result: Set<String> = []
    for traced in elements {
      let id = network.globalID(of: traced.element)
      guard network.isEdge(traced.element) else {
        result.insert(traced.terminalID.map { "\(id):\($0)" } ?? id)
        continue
      }
      for range in traced.ranges {
        result.formUnion(quarters(id, range.lowerBound, range.upperBound))
      }
    }
    return result
  }

  private static func parts(_ naive: NaiveNetwork, _ vertex: Int) -> Set<String> {
    let vertexFacts = naive.vertices[vertex]
    if vertexFacts.isNode { return vertexFacts.name.contains("@") ? [] : [vertexFacts.name] }
    let text = vertexFacts.name.split(separator: "[")
    guard text.count == 2 else { return quarters(vertexFacts.name, 0, 1) }
    let bounds = text[1].dropLast().split(separator: ",").compactMap { Double($0) }
    return quarters(String(text[0]), bounds[0], bounds[1])
  }

  private static func quarters(_ id: String, _ from: Double, _ to: Double) -> Set<String> {
    if from == to { return [] }
    return Set((Int(from * 4)..<Int(to * 4)).map { "\(id)#\($0)" })
  }

  @Test func shortestPathsHaveTheLeastSum() throws {
    var random = SeededGenerator(seed: 64)
    var (found, none) = (0, 0)
    for round in 0..<1500 {
      let naive = NaiveNetwork(&random, isUndirected: false, hasCuts: true, hasFilters: false)
      if isBarred(naive) { continue }
      let network = try naive.network(&random)
      let target = Int.random(in: 0..<naive.devices.count, using: &random)
      let goal = naive.first[target]
      if naive.vertices[goal].isBarrier { continue }
      var parameters = try naive.parameters(.shortestPath, network)
      let isDevice = NaiveNetwork.terminals(naive.devices[target].sort) > 1
      parameters.startingLocations.append(
        try network.location(naive.devices[target].name, terminal: isDevice ? 1 : nil))
      var (best, steps): (Double, Int) = (.infinity, .max)
      // Controllers do not end a path.
      var path = [naive.startVertex]
      func extend(_ sum: Double) {
        let last = path[path.count - 1]
        if last == goal {
          let nodes = path.filter { naive.vertices[$0].isNode }.count
          if (sum, nodes) < (best, steps) { (best, steps) = (sum, nodes) }
          return
        }
        for next in naive.next(last, along: true, against: true)
        where !path.contains(next) && !naive.vertices[next].isBarrier {
          path.append(next)
          extend(sum + naive.vertices[next].cost)
          path.removeLast()
        }
      }
      extend(0)
      guard best < .infinity else {
        let error = #expect(throws: NetworkError.self) { try network.trace(parameters) }
        #expect(error?.kind == .noPath)
        none += 1
        continue
      }
      let result = try network.trace(parameters)
      #expect(result.pathCost == best, "round \(round)")
      // The number of nodes is that of the shortest path, so the elements are one path.
      let nodes = result.elements.filter { !network.isEdge($0.element) }.count
      let cutNodes = naive.cuts.count
      #expect(nodes <= steps && nodes >= steps - cutNodes, "round \(round)")
      found += 1
    }
    #expect(found > 500 && none > 50)
  }

  @Test func resultsDoNotDependOnTheOrderOfInput() throws {
    var random = SeededGenerator(seed: 65)
    for _ in 0..<400 {
      let naive = NaiveNetwork(&random, isUndirected: false, hasCuts: true, hasFilters: false)
      let first = try naive.network(&random)
      let second = try naive.network(&random, shuffles: true)
      for type in TraceType.allCases {
        var results: [String] = []
        for network in [first, second] {
          var parameters = try naive.parameters(type, network)
          if type == .shortestPath {
            parameters.startingLocations.append(try network.location("n0"))
          }
          parameters.traceConfiguration?.functions = [
            TraceFunction(.add, attribute: "length"), TraceFunction(.count, attribute: nil),
          ]
          do {
            let result = try network.trace(parameters)
            results.append(
              "\(result.elements.map(network.text)) \(result.functionResults.map(\.value)) "
                + "\(result.isolation?.isolating.map { network.text($0.location) } ?? []) "
                + "\(result.isolation?.isolated.map(network.text) ?? []) \(result.warnings)")
          } catch { results.append("\(error)") }
        }
        #expect(results[0] == results[1])
      }
    }
  }
}
