import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The isolation segments that WNTR publishes for its networks, and the counts in the data's
/// manifest.
@Suite(.enabled(if: NetworkText.published != nil, "needs the shared EPANET networks"))
struct EPANETPublishedSegmentTests {
  /// Elements of a segment: links as `l:id`, and nodes as `n:id`.
  private typealias Segment = Set<String>

  private static func path(_ name: String) -> String { (NetworkText.published ?? "") + "/" + name }

  private static func segments(_ opened: OpenedNetwork) throws -> [Segment] {
    let found = try opened.network.segments(filterBarriers: opened.defaultFilter)
    return (0..<found.count).map { segment in
      Set(found.junctions(of: segment).map { "n:" + opened.network.globalID(of: $0) })
        .union(found.edges(of: segment).map { "l:" + opened.network.globalID(of: $0) })
    }
  }

  /// The groups of equal labels; the labels themselves are arbitrary.
  private static func published(_ name: String) throws -> Set<Segment> {
    var groups: [String: Segment] = [:]
    for (file, mark) in [("node", "n:"), ("link", "l:")] {
      let text = try String(
        contentsOfFile: path("\(file)_segments_\(name).csv"), encoding: .utf8)
      for row in text.split(whereSeparator: \.isNewline).dropFirst() {
        let cells = row.split(separator: ",")
        groups[String(cells[1]), default: []].insert(mark + cells[0])
      }
    }
    return Set(groups.values)
  }

  @Test(
    "Net3 is cut as WNTR cuts it",
    arguments: [("random", "valve_layer_random"), ("strategic", "valve_layer_stategic_1")])
  func published(name: String, layer: String) throws {
    let opened = try OpenedNetwork.open(
      path: Self.path("Net3.inp"), valveLayer: Self.path(layer + ".csv"))
    let expected = try Self.published(name)
    let found = try Self.segments(opened)
    #expect(expected.count == (name == "random" ? 23 : 119))
    #expect(Set(found) == expected)
    #expect(found.count == expected.count, "a duplicate segment")
    #expect(found.map(\.count).max() == (name == "random" ? 125 : 3))
  }

  @Test func `five valves of the manifest give four segments`() throws {
    let folder = try TemporaryFolder()
    let layer = try folder.write("v.csv", "link,node\np1,n1\np3,n2\np7,n5\np7,n6\np8,n6\n")
    let opened = try OpenedNetwork.open(
      path: Self.path("CCWI17-HermanMahmoud.inp"), valveLayer: layer)
    let found = try Self.segments(opened)
    #expect(found.count == 4)
    #expect(found.map(\.count).max() == 11)
  }

  @Test(
    "what is connected short of the valves is the segment, from every element",
    arguments: ["valve_layer_random", "valve_layer_stategic_1", "valve_layer_stategic_3"])
  func connected(layer: String) throws {
    let opened = try OpenedNetwork.open(
      path: Self.path("Net3.inp"), valveLayer: Self.path(layer + ".csv"))
    let network = opened.network
    var segmentOf: [String: Segment] = [:]
    for segment in try Self.segments(opened) {
      for element in segment { segmentOf[element] = segment }
    }
    let isValve = { (element: NetworkElement) in
      network.describe(element).sourceName == "isolation_valve"
    }
    let valves = network.elements.filter(isValve).map { TraceLocation($0) }
    #expect(valves.count >= 9)
    let mark = { (element: NetworkElement) in
      (network.isEdge(element) ? "l:" : "n:") + network.globalID(of: element)
    }
    for element in network.elements where !isValve(element) {
      let result = try network.trace(
        UtilityTraceParameters(
          .connected, startingLocations: [TraceLocation(element)], barriers: valves))
      let reached = Set(result.elements.map(\.element).filter { !isValve($0) }.map(mark))
      #expect(reached == segmentOf[mark(element)], "\(network.name(of: element))")
    }
  }

  @Test(
    "every network has the elements of the manifest, one piece and its controllers",
    arguments: [
      ("CCWI17-HermanMahmoud.inp", 7, 8, 1), ("Net1.inp", 11, 13, 2), ("Net2.inp", 36, 40, 1),
      ("Net3.inp", 97, 119, 5),
    ])
  func counts(file: String, junctions: Int, edges: Int, controllers: Int) throws {
    let opened = try OpenedNetwork.open(path: Self.path(file))
    #expect(opened.form == .epanet)
    #expect(opened.network.junctionCount == junctions)
    #expect(opened.network.edgeCount == edges)
    #expect(opened.network.controllerCount == controllers)
    #expect(opened.controllers.count == controllers)
    #expect(try opened.network.segments(filterBarriers: nil).count == 1)
    #expect(opened.warnings.allSatisfy { $0.contains("do not act at time 0") })
  }

  @Test func `Net1 has the attributes in its file`() throws {
    let network = try OpenedNetwork.open(path: Self.path("Net1.inp")).network
    func value(_ name: String, _ source: String, _ id: String) throws -> FieldValue {
      try network.attribute(name, of: try network.element(source: source, globalID: id))
    }
    #expect(try value("length", "pipe", "10") == .real(10530))
    #expect(try value("diameter", "pipe", "10") == .real(18))
    #expect(try value("roughness", "pipe", "10") == .real(100))
    #expect(try value("status", "pipe", "10") == .text("open"))
    #expect(try value("elevation", "junction", "10") == .real(710))
    #expect(try value("demand", "junction", "11") == .real(150))
    #expect(try value("elevation", "reservoir", "9") == .real(800))
    #expect(try value("demand", "reservoir", "9") == .null)
    #expect(try value("length", "pump", "9") == .real(0))
    #expect(try value("diameter", "pump", "9") == .null)
  }
}
