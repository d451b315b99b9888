import PlumbNetwork
import PlumbTestSupport
import Testing

/// Compares isolations of thousands of small random networks with the definition.
@Suite struct IsolationBruteForceTests {
  /// The smallest subset of the barriers around the start that separates it, found by trying all
  /// subsets.
  private func smallest(
    _ naive: NaiveNetwork, _ bounds: [Int], _ controllers: Set<Int>, _ found: Set<Int>,
    _ opened: Set<String>
  ) -> [Set<Int>] {
    var best: [Set<Int>] = []
    for mask in 0..<1 << bounds.count {
      let closed = Set(bounds.indices.filter { mask >> $0 & 1 == 1 }.map { bounds[$0] })
      if let size = best.first?.count, closed.count > size { continue }
      let supplied = naive.reachable(
        controllers.subtracting(closed), along: true, against: false,
        opened: opened, within: found
      ) { vertex in
        naive.vertices[vertex].isBarrier || naive.vertices[vertex].isController
          || closed.contains(vertex)
      }
      guard !supplied.contains(naive.startVertex) else { continue }
      if let size = best.first?.count, closed.count < size { best = [] }
      best.append(closed)
    }
    return best
  }

  struct Sort: CustomTestStringConvertible {
    var hasCuts = false
    /// Whether the start is in a one-way element.
    var startsOneWay = false
    var oneWayFlow = OneWayFlow.hold
    var seed: UInt64

    var testDescription: String {
      "cuts: \(hasCuts), one-way starts: \(startsOneWay), one-way elements \(oneWayFlow)"
    }
  }

  @Test(arguments: [
    Sort(seed: 50), Sort(hasCuts: true, seed: 51), Sort(startsOneWay: true, seed: 52),
    Sort(hasCuts: true, startsOneWay: true, seed: 53), Sort(oneWayFlow: .open, seed: 54),
    Sort(hasCuts: true, startsOneWay: true, oneWayFlow: .open, seed: 55),
  ])
  func theIsolatingSetIsTheUniqueSmallestOne(_ sort: Sort) throws {
    var random = SeededGenerator(seed: sort.seed)
    var (isolated, uncut, unsupplied, barred, several, holdingCount) = (0, 0, 0, 0, 0, 0)
    var already = 0
    let isPlain = !sort.startsOneWay && sort.oneWayFlow == .hold
    for round in 0..<(isPlain ? 4000 : 2000) {
      let naive = NaiveNetwork(
        &random, isUndirected: round % (isPlain ? 4 : 2) != 1, hasCuts: sort.hasCuts,
        needsEdges: round % 4 == 0, startsOneWay: sort.startsOneWay)
      let network = try naive.network(&random)
      let start = naive.startVertex
      let vertices = naive.vertices
      let opened = sort.oneWayFlow == .open ? naive.owners : [naive.startOwner]
      func isStop(_ vertex: Int) -> Bool {
        vertices[vertex].isBarrier || vertices[vertex].isController
      }
      let found = naive.reachable([start], along: true, against: true, stops: isStop)
      let controllers = found.filter { vertices[$0].isController }
      let region = naive.reachable(
        [start], along: false, against: true, opened: opened, within: found
      ) { isStop($0) || vertices[$0].isFilter }
      let bounds = region.filter { vertices[$0].isFilter && !vertices[$0].isBarrier && $0 != start }
        .sorted()
      let result: UtilityTraceResult
      do {
        var parameters = try naive.parameters(.isolation, network)
        parameters.oneWayFlow = sort.oneWayFlow
        result = try network.trace(parameters)
      } catch let error as NetworkError {
        switch error.kind {
        case .noControllers:
          #expect(controllers.isEmpty)
          unsupplied += 1
        case .startIsBarrier:
          // A start on a closed pipe or on a hose.
          let pipe = naive.cuts.first { $0.use == .start }.map { naive.pipes[$0.pipe] }
          #expect(pipe?.isClosed == true || pipe?.isHose == true)
          barred += 1
        default: Issue.record("\(error)")
        }
        continue
      }
      let isolation = try #require(result.isolation)
      // Controllers around the start are closed, in a plan that does not report success.
      let shut = controllers.filter { region.contains($0) }
      let active = Set(controllers).subtracting(shut)
      #expect(
        network.texts(isolation.controllersNotIsolated) == Set(shut.map { vertices[$0].name }))
      #expect(result.isSuccess == shut.isEmpty)
      #expect((isolation.partialPlan == nil) == shut.isEmpty)
      if !shut.isEmpty {
        #expect(isolation.isolating.isEmpty && isolation.isolated.isEmpty)
        #expect(isolation.partialPlan?.shut == isolation.controllersNotIsolated)
        uncut += 1
      }
      let best = smallest(naive, bounds, active, found, opened)
      #expect(best.count == 1, "round \(round): \(best.count) smallest sets")
      let closed = try #require(best.first)
      if closed.count > 1 { several += 1 }
      func name(_ vertex: Int) -> String { vertices[vertex].name }
      func parted(_ barriers: [IsolationBarrier]) -> [String] {
        barriers.map { network.text($0.location) }.sorted()
      }
      // A barrier edge with several parts is listed once for each part.
      func plain(_ set: some Collection<Int>) -> [String] {
        set.map { name($0).split(separator: "[").first.map(String.init) ?? "" }.sorted()
      }
      let plan = isolation.partialPlan
      #expect(parted(plan?.isolating ?? isolation.isolating) == plain(closed), "round \(round)")
      #expect(
        parted(plan?.boundingOnly ?? isolation.boundingOnly)
          == plain(Set(bounds).subtracting(closed)), "round \(round)")
      if plan != nil { #expect(parted(isolation.boundingOnly) == plain(bounds)) }

      // The isolated elements: the region, and the elements that normally have supply but lose it
      // if these barriers are closed.
      func supplied(_ opened: Set<String>, _ closed: Set<Int>, _ sources: Set<Int>) -> Set<Int> {
        naive.reachable(
          sources.subtracting(closed), along: true, against: false, opened: opened, within: found
        ) { isStop($0) || closed.contains($0) }
      }
      let all = sort.oneWayFlow == .open ? opened : []
      let normal = supplied(all, [], Set(controllers))
      let still = supplied(opened, closed, active)
      let without = region.subtracting(still).union(normal.subtracting(still)).subtracting(closed)
      // Closed devices count as isolating, with all their terminals.
      let devices = Set(closed.map { name($0).split(separator: ":")[0] })
      let outside = without.filter {
        !vertices[$0].isNode || !devices.contains(name($0).split(separator: ":")[0])
      }
      // Elements that had no supply before do not lose supply.
      let lost = outside.intersection(normal)
      let dry = outside.subtracting(normal)
      if !dry.isEmpty { already += 1 }
      // Pipes behind a closed controller, away from the start, are not in this subnetwork.
      let beyond = vertices.indices.filter { vertex in
        !shut.isEmpty && !vertices[vertex].isNode
          && naive.next(vertex, along: true, against: true, any: true).contains {
            vertices[$0].isNode && !found.contains($0)
          }
      }
      let names = Set(beyond.compactMap { vertices[$0].pipe.map { naive.pipes[$0].name } })
      func within(_ texts: Set<String>) -> Set<String> {
        texts.filter { !names.contains(String($0.prefix { $0 != "[" })) }
      }
      let hoses = Set(closed.compactMap { vertices[$0].pipe })
      if hoses.isEmpty {
        #expect(
          within(network.texts(plan?.isolated ?? isolation.isolated)) == within(naive.texts(lost)),
          "round \(round)")
        #expect(
          within(network.texts(isolation.alreadyWithoutSupply)) == within(naive.texts(dry)),
          "round \(round)")
      }
      // Holding elements: each one-way element that supplies isolated elements if only this element
      // is opened.
      let holding = naive.oneWayOwners.filter { owner in
        !opened.contains(owner)
          && !supplied(opened.union([owner]), closed, active).isDisjoint(with: outside)
      }
      #expect(
        Set(isolation.heldBy.map { network.globalID(of: $0.element) }) == holding,
        "round \(round)")
      if !holding.isEmpty { holdingCount += 1 }
      if shut.isEmpty { isolated += 1 }
    }
    if sort.oneWayFlow == .hold { #expect(already > 20) }
    #expect(isolated > 600 && uncut > 100 && unsupplied > 20 && several > 100)
    #expect(sort.oneWayFlow == .open ? holdingCount == 0 : holdingCount > 100)
    if sort.hasCuts, !sort.startsOneWay { #expect(barred > 10) }
  }
}
