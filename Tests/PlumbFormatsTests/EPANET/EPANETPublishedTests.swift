import Foundation
@testable import PlumbFormats
import PlumbTestSupport
import Testing

/// Networks published with WNTR, with the counts of the data's manifest.
@Suite(.enabled(if: EPANETText.folder != nil, "needs the shared EPANET networks"))
struct EPANETPublishedTests {
  struct Counts: Equatable, CustomTestStringConvertible {
    var file: String
    var junctions = 0
    var reservoirs = 0
    var tanks = 0
    var pipes = 0
    var pumps = 0
    var testDescription: String { file }
  }

  private static let counts = [
    Counts(file: "CCWI17-HermanMahmoud.inp", junctions: 6, reservoirs: 1, pipes: 8),
    Counts(file: "Net1.inp", junctions: 9, reservoirs: 1, tanks: 1, pipes: 12, pumps: 1),
    Counts(file: "Net2.inp", junctions: 35, tanks: 1, pipes: 40),
    Counts(file: "Net3.inp", junctions: 92, reservoirs: 2, tanks: 3, pipes: 117, pumps: 2),
  ]

  @Test("has the elements of the manifest and a point for every node", arguments: counts)
  func elements(expected: Counts) throws {
    let network = try EPANETText.network(try EPANETText.bytes(expected.file))
    #expect(
      Counts(
        file: expected.file, junctions: network.count(.junction),
        reservoirs: network.count(.reservoir), tanks: network.count(.tank),
        pipes: network.count(.pipe), pumps: network.count(.pump)) == expected)
    #expect(network.count(.valve) == 0)
    #expect(network.nodes.allSatisfy { $0.point != nil })
    #expect(network.warnings.allSatisfy { $0.message.contains("do not act at time 0") })
    for (index, node) in network.nodes.enumerated() { #expect(network.node(node.id) == index) }
    for (index, link) in network.links.enumerated() { #expect(network.link(link.id) == index) }
  }

  @Test(
    "line ends, a byte order mark, case and shortened headings do not matter", arguments: counts)
  func writtenOtherwise(expected: Counts) throws {
    let bytes = try EPANETText.bytes(expected.file).filter { $0 != 0x0D }
    let network = try EPANETText.network(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    let variants = [
      text.replacing("\n", with: "\r\n"), text.replacing("\n", with: "\r"), "\u{FEFF}" + text,
      text.replacing("Open", with: "OPEN").replacing("Closed", with: "cLoSeD"),
      text.replacing("[JUNCTIONS]", with: "[junc]").replacing("[COORDINATES]", with: "[Coord]"),
    ]
    for variant in variants {
      let other = try EPANETText.network(variant)
      #expect(other.nodes == network.nodes)
      #expect(other.links == network.links)
      #expect(other.title == network.title)
    }
  }

  @Test func `Net1 has the values of its file`() throws {
    let network = try EPANETText.network(try EPANETText.bytes("Net1.inp"))
    #expect(
      network.title == [
        "EPANET Example Network 1", "A simple example of modeling chlorine decay. Both bulk and",
        "wall reactions are included.",
      ])
    #expect(network.flowUnits == .gallonsPerMinute)
    #expect(!network.flowUnits.isMetric)
    #expect(network.headLoss == .hazenWilliams)
    #expect(
      network.nodes[1]
        == EPANETNetwork.Node(
          id: "11", kind: .junction, elevation: 710, demand: 150, point: SIMD2(30, 70), line: 9))
    let reservoir = network.nodes[try #require(network.node("9"))]
    #expect(reservoir.kind == .reservoir && reservoir.elevation == 800)
    let tank = network.nodes[try #require(network.node("2"))]
    #expect(tank.kind == .tank && tank.elevation == 850 && tank.point == SIMD2(50, 90))
    #expect(network.described("110") == "pipe 2-12 200.0 18.0 100.0 0.0 open")
    #expect(network.described("9") == "pump 9-10 0.0 0.0 0.0 0.0 open 1.0")
    #expect(network.curves == [12: "1"])
  }

  @Test func `the status of one pipe and one pump of Net3 is closed`() throws {
    let network = try EPANETText.network(try EPANETText.bytes("Net3.inp"))
    let closed = network.links.filter { $0.status == .closed }.map(\.id)
    #expect(closed == ["330", "10"])
    #expect(network.vertices(ofLink: 0).isEmpty)
  }

  @Test(
    "every valve of a published layer is at an end of its link",
    arguments: [
      ("valve_layer_random.csv", 40), ("valve_layer_stategic_0.csv", 238),
      ("valve_layer_stategic_1.csv", 141), ("valve_layer_stategic_4.csv", 0),
    ])
  func valveLayer(file: String, count: Int) throws {
    let network = try EPANETText.network(try EPANETText.bytes("Net3.inp"))
    let text = String(decoding: try EPANETText.bytes(file), as: UTF8.self)
    let layer = try EPANETText.layer(text, of: network)
    #expect(layer.valves.count == count)
    for (row, valve) in layer.valves.enumerated() {
      #expect(valve.line == row + 2)
      let link = network.links[valve.link]
      #expect(link.start == valve.node || link.end == valve.node)
    }
  }
}
