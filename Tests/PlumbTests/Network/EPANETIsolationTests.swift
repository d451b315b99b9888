import Foundation
import Plumb
import PlumbFormats
import PlumbTestSupport
import PlumbVerbs
import Testing

/// Compares isolations of published networks with random valve layers, including one-way links as
/// starts, with a search that shares no code with the library.
@Suite(.enabled(if: NetworkText.published != nil, "needs the shared EPANET networks"))
struct EPANETIsolationTests {
  private static let networks = ["Net1", "Net2", "Net3", "CCWI17-HermanMahmoud"]

  private static func read(_ path: String) throws -> (bytes: Data, file: EPANETNetwork) {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return (bytes, try bytes.withUnsafeBytes { try EPANETNetwork($0) })
  }

  /// The oracle's name of an element of a result.
  private static func name(_ element: NetworkElement, _ network: UtilityNetwork) -> String {
    let known = network.describe(element)
    let mark =
      switch known.sourceName {
      case "isolation_valve": "v:"
      case "pipe", "pump", "valve": "l:"
      default: "n:"
      }
    return mark + known.globalID
  }

  @Test(arguments: networks, 0..<6)
  func `closed and lost elements`(name: String, round: Int) throws {
    var random = SeededGenerator(seed: UInt64(round * 10 + name.utf8.count))
    let folder = try TemporaryFolder()
    let path = (NetworkText.published ?? "") + "/\(name).inp"
    var (bytes, file) = try Self.read(path)
    // The network as published, and its layout with links of other types.
    if round > 0 {
      bytes = Data(EPANETOracle.text(file, &random).utf8)
      file = try bytes.withUnsafeBytes { try EPANETNetwork($0) }
    }
    var layer: [(link: Int, node: Int)] = []
    let share = Double.random(in: 0.1...0.6, using: &random)
    for (index, link) in file.links.enumerated() {
      for node in link.start == link.end ? [link.start] : [link.start, link.end]
      where Double.random(in: 0..<1, using: &random) < share {
        layer.append((index, node))
      }
    }
    let oracle = EPANETOracle(file, valves: layer)
    let opened = try OpenedNetwork.open(
      path: try folder.write("net.inp", String(decoding: bytes, as: UTF8.self)),
      valveLayer: try folder.write(
        "valves.csv",
        "link,node\n"
          + layer.map { "\(file.links[$0.link].id),\(file.nodes[$0.node].id)\n" }.joined()))
    let network = opened.network
    var starts = oracle.oneWay
    starts += file.links.filter { $0.status != .closed }.map { "l:" + $0.id }.shuffled(
      using: &random
    ).prefix(20)
    starts += file.nodes.map { "n:" + $0.id }.shuffled(using: &random).prefix(20)
    let names = Set(network.elements.map { network.name(of: $0) })
    var isolated = 0
    for start in starts {
      var request = Trace.Request(.isolation)
      let kinds =
        start.hasPrefix("l:") ? ["pipe", "pump", "valve"] : ["junction", "reservoir", "tank"]
      let id = String(start.dropFirst(2))
      request.starts = kinds.map { "\($0):\(id)" }.filter { names.contains($0) }
      if oracle.closed.contains(start) { continue }
      let expected = oracle.isolation(of: start)
      let result: UtilityTraceResult
      do {
        result = try network.trace(try request.parameters(in: opened))
      } catch let error as NetworkError {
        #expect(error.kind == .noControllers && expected == nil, "\(start): \(error)")
        continue
      }
      let known = try #require(expected, "\(start)")
      let isolation = try #require(result.isolation)
      func texts(_ barriers: [IsolationBarrier]) -> Set<String> {
        Set(barriers.map { Self.name($0.location.element, network) })
      }
      func texts(_ traced: [TracedElement]) -> Set<String> {
        Set(traced.map { Self.name($0.element, network) })
      }
      #expect(texts(isolation.controllersNotIsolated) == known.uncut, "\(start)")
      #expect(
        Set(isolation.heldBy.map { Self.name($0.element, network) }) == known.holding, "\(start)")
      let plan = isolation.partialPlan
      #expect(texts(plan?.isolating ?? isolation.isolating) == known.isolating, "\(start)")
      #expect(texts(plan?.boundingOnly ?? isolation.boundingOnly) == known.bounding, "\(start)")
      guard known.uncut.isEmpty else { continue }
      #expect(texts(isolation.isolated) == known.isolated, "\(start)")
      #expect(texts(isolation.alreadyWithoutSupply) == known.dry, "\(start)")
      isolated += 1
    }
    #expect(isolated > 0 || round > 0)
  }
}

/// To work on a one-way link, neither of its sides may have supply.
@Suite struct EPANETOneWayStartTests {
  @Test(
    "both valves of a one-way link between two sources",
    arguments: [
      ("pipe:X", "X A B 10 100 100 0 CV"), ("pump:X", "[PUMPS]\nX A B POWER 5"),
      ("valve:X", "[VALVES]\nX A B 100 PRV 30"), ("valve:X", "[VALVES]\nX A B 100 PSV 30"),
      ("valve:X", "[VALVES]\nX A B 100 FCV 30"), ("pipe:X", "X A B 10 100 100"),
    ])
  func bothSides(start: String, link: String) throws {
    let town = EPANETTown("R-P1-A", "B-P2-Q", reservoirs: ["R", "Q"], links: link)
    let opened = try NetworkText.opened(town.text, valves: "link,node\nP1,A\nP2,B\n")
    var request = Trace.Request(.isolation)
    request.starts = [start]
    let result = try opened.network.trace(try request.parameters(in: opened))
    let isolation = try #require(result.isolation)
    #expect(
      opened.network.names(isolation.isolating) == ["isolation_valve:P1@A", "isolation_valve:P2@B"])
    #expect(
      opened.network.names(isolation.isolated) == ["junction:A", "junction:B", start].sorted())
  }
}
