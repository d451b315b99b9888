import PlumbNetwork
import PlumbTestSupport
import Testing

/// Isolations of thousands of small random networks against the definition itself.
@Suite struct IsolationBruteForceTests {
  /// The smallest subset of the barriers round the start that cuts it off, found by trying all.
  private func smallest(
    _ naive: NaiveNetwork, _ bounds: [Int], _ controllers: Set<Int>, _ found: Set<Int>
  ) -> [Set<Int>] {
    var best: [Set<Int>] = []
    for mask in 0..<1 << bounds.count {
      let closed = Set(bounds.indices.filter { mask >> $0 & 1 == 1 }.map { bounds[$0] })
      if let size = best.first?.count, closed.count > size { continue }
      let supplied = naive.reach(
        controllers.subtracting(closed), along: true, against: false,
        opened: [naive.startOwner], within: found
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

  @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
  func theIsolatingSetIsTheUniqueSmallestOne(hasCuts: Bool, startsOneWay: Bool) throws {
    var random = SeededGenerator(seed: (hasCuts ? 51 : 50) + (startsOneWay ? 2 : 0))
    var (isolated, uncut, unsupplied, barred, several) = (0, 0, 0, 0, 0)
    for round in 0..<(startsOneWay ? 2000 : 4000) {
      let naive = NaiveNetwork(
        &random, isUndirected: round % (startsOneWay ? 2 : 4) != 1, hasCuts: hasCuts,
        asksEdges: round % 4 == 0, startsOneWay: startsOneWay)
      let network = try naive.network(&random)
      let start = naive.startVertex
      let vertices = naive.vertices
      func isStop(_ vertex: Int) -> Bool {
        vertices[vertex].isBarrier || vertices[vertex].isController
      }
      let found = naive.reach([start], along: true, against: true, stops: isStop)
      let controllers = found.filter { vertices[$0].isController }
      let region = naive.reach(
        [start], along: false, against: true, opened: [naive.startOwner], within: found
      ) {
        isStop($0) || vertices[$0].isFilter
      }
      let bounds = region.filter { vertices[$0].isFilter && !vertices[$0].isBarrier && $0 != start }
        .sorted()
      let result: UtilityTraceResult
      do {
        result = try network.trace(try naive.parameters(.isolation, network))
      } catch let error as NetworkError {
        switch error.kind {
        case .noControllers:
          #expect(controllers.isEmpty)
          unsupplied += 1
        case .startIsBarrier:
          // A start on a pipe that is closed, or a hose.
          let pipe = naive.cuts.first { $0.use == .start }.map { naive.pipes[$0.pipe] }
          #expect(pipe?.isClosed == true || pipe?.isHose == true)
          barred += 1
        case .badParameters:
          Issue.record("\(error)")
        default: Issue.record("\(error)")
        }
        continue
      }
      let isolation = try #require(result.isolation)
      let reachedControllers = controllers.filter { region.contains($0) }
      #expect(
        network.texts(isolation.controllersNotIsolated)
          == Set(reachedControllers.map { vertices[$0].name }))
      guard reachedControllers.isEmpty else {
        #expect(!result.isSuccess && isolation.isolating.isEmpty && isolation.isolated.isEmpty)
        uncut += 1
        continue
      }
      let best = smallest(naive, bounds, Set(controllers), found)
      #expect(best.count == 1, "round \(round): \(best.count) smallest sets")
      let closed = try #require(best.first)
      if closed.count > 1 { several += 1 }
      func name(_ vertex: Int) -> String { vertices[vertex].name }
      func parted(_ barriers: [IsolationBarrier]) -> [String] {
        barriers.map { network.text($0.location) }.sorted()
      }
      // A barrier edge of several parts is named once for each.
      func plain(_ set: some Collection<Int>) -> [String] {
        set.map { name($0).split(separator: "[").first.map(String.init) ?? "" }.sorted()
      }
      #expect(parted(isolation.isolating) == plain(closed), "round \(round)")
      #expect(
        parted(isolation.boundingOnly) == plain(Set(bounds).subtracting(closed)), "round \(round)")

      // What is isolated: the region, and what is supplied normally but not with these closed.
      let normal = naive.reach(
        Set(controllers), along: true, against: false, within: found, stops: isStop)
      let still = naive.reach(
        Set(controllers).subtracting(closed), along: true, against: false,
        opened: [naive.startOwner], within: found
      ) { isStop($0) || closed.contains($0) }
      var lost = region.subtracting(still).union(normal.subtracting(still)).subtracting(closed)
      // Devices that are closed count as isolating, all their terminals.
      let devices = Set(closed.map { name($0).split(separator: ":")[0] })
      lost = lost.filter {
        !vertices[$0].isNode || !devices.contains(name($0).split(separator: ":")[0])
      }
      let hoses = Set(closed.compactMap { vertices[$0].pipe })
      let own = network.texts(isolation.isolated)
      if hoses.isEmpty {
        #expect(own == naive.texts(lost), "round \(round)")
      }
      isolated += 1
    }
    #expect(isolated > 600 && uncut > 100 && unsupplied > 20 && several > 100)
    if hasCuts, !startsOneWay { #expect(barred > 10) }
  }
}
