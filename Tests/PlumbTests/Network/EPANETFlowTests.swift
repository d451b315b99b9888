import Plumb
import PlumbTestSupport
import PlumbVerbs
import Testing

/// The elements of an EPANET network that conduct flow, and the direction of the flow.
@Suite struct EPANETFlowTests {
  /// Reservoir R, then the link X from A to B, then C: R–P1–A–X–B–P2–C.
  private func reached(_ link: String, downstreamFrom start: String) throws -> [String] {
    let town = EPANETTown("R-P1-A", "B-P2-C", links: link)
    let opened = try NetworkText.opened(town.text)
    let network = opened.network
    let result = try network.trace(
      UtilityTraceParameters(
        .downstream,
        startingLocations: [TraceLocation(try network.element(globalID: start))]))
    return network.names(result.elements)
  }

  @Test(
    "links that pass flow to their end only",
    arguments: [
      ("X %1 %2 10 100 100 0 CV", ""), ("[PUMPS]\nX %1 %2 POWER 5", ""),
      ("[VALVES]\nX %1 %2 100 PRV 30", ""), ("[VALVES]\nX %1 %2 100 PSV 30", ""),
    ])
  func oneWay(link: String, status: String) throws {
    let forward = link.replacing("%1", with: "A").replacing("%2", with: "B")
    let backward = link.replacing("%1", with: "B").replacing("%2", with: "A")
    #expect(try reached(forward, downstreamFrom: "A").contains("junction:C"))
    #expect(try !reached(backward, downstreamFrom: "A").contains("junction:C"))
  }

  @Test(
    "links that pass flow either way",
    arguments: [
      "X %1 %2 10 100 100 0 Open", "[VALVES]\nX %1 %2 100 FCV 30", "[VALVES]\nX %1 %2 100 PBV 30",
      "[VALVES]\nX %1 %2 100 TCV 30", "[VALVES]\nX %1 %2 100 PRV 30\n[STATUS]\nX Open",
      "[VALVES]\nX %1 %2 100 PSV 30\n[STATUS]\nX Open",
    ])
  func bothWays(link: String) throws {
    for (first, second) in [("A", "B"), ("B", "A")] {
      let text = link.replacing("%1", with: first).replacing("%2", with: second)
      #expect(try reached(text, downstreamFrom: "A").contains("junction:C"))
    }
  }

  @Test(
    "closed links stop traces",
    arguments: [
      "X A B 10 100 100 0 Closed", "[PUMPS]\nX A B POWER 5\n[STATUS]\nX Closed",
      "[VALVES]\nX A B 100 PRV 30\n[STATUS]\nX Closed",
    ])
  func closed(link: String) throws {
    #expect(try !reached(link, downstreamFrom: "A").contains("junction:B"))
  }

  /// Rows of the table of isolation cases, with valves from a layer.
  @Test(
    "the isolating valves of the table of cases",
    arguments: [
      // C–v1–s–v2–end
      ("P1 R S 1 1 1\nP2 S E 1 1 1", "P1,R\nP2,S", ["P1@R"], ["P2@S"]),
      // C1–v1–s–v2–C2
      ("P1 R S 1 1 1\nP2 S Q 1 1 1", "P1,R\nP2,Q", ["P1@R", "P2@Q"], []),
      // C–a; a–v1–s–v2–a
      ("P0 R A 1 1 1\nP1 A S 1 1 1\nP2 S A 1 1 1", "P1,A\nP2,A", ["P1@A", "P2@A"], []),
      // C1–v1–s–k–y–v2–C2, k a check valve from s to y
      ("P1 R S 1 1 1\nK S A 1 1 1 0 CV\nP2 A Q 1 1 1", "P1,R\nP2,Q", ["P1@R"], []),
      // The same, with k conducting in both directions
      ("P1 R S 1 1 1\nK S A 1 1 1\nP2 A Q 1 1 1", "P1,R\nP2,Q", ["P1@R", "P2@Q"], []),
    ])
  func isolation(pipes: String, valves: String, isolating: [String], bounding: [String]) throws {
    let opened = try NetworkText.opened(
      "[JUNCTIONS]\nS 1\nE 1\nA 1\n[RESERVOIRS]\nR 10\nQ 10\n[PIPES]\n\(pipes)\n",
      valves: "link,node\n\(valves)\n")
    var request = Trace.Request(.isolation)
    request.starts = ["junction:S"]
    let result = try opened.network.trace(try request.parameters(in: opened))
    let isolation = try #require(result.isolation)
    let names = { (list: [String]) in list.map { "isolation_valve:" + $0 } }
    #expect(opened.network.names(isolation.isolating) == names(isolating))
    #expect(opened.network.names(isolation.boundingOnly) == names(bounding))
    #expect(result.isSuccess)
  }

  @Test func `an inoperable valve is replaced by the next one outwards`() throws {
    let opened = try NetworkText.opened(
      EPANETTown("R-P1-A-P2-S").text, valves: "link,node\nP1,R\nP2,A\n")
    var request = Trace.Request(.isolation)
    request.starts = ["S"]
    let near = try opened.network.trace(try request.parameters(in: opened))
    request.inoperable = ["P2@A"]
    let far = try opened.network.trace(try request.parameters(in: opened))
    #expect(opened.network.names(near.isolation?.isolating ?? []) == ["isolation_valve:P2@A"])
    #expect(opened.network.names(far.isolation?.isolating ?? []) == ["isolation_valve:P1@R"])
    #expect(opened.network.names(near.isolation?.isolated ?? []) == ["junction:S", "pipe:P2"])
    #expect(
      opened.network.names(far.isolation?.isolated ?? [])
        == ["isolation_valve:P2@A", "junction:A", "junction:S", "pipe:P1", "pipe:P2"])
  }

  @Test func `two valves on one link and a valve on a loop from a node to itself`() throws {
    let opened = try NetworkText.opened(
      EPANETTown("R-P1-A-P2-B", "A-L-A").text, valves: "link,node\nP2,A\nP2,B\nL,A\n")
    let segments = try opened.network.segments(filterBarriers: opened.defaultFilter)
    let sets = (0..<segments.count).map { segment in
      Set(
        (Array(segments.junctions(of: segment)) + Array(segments.edges(of: segment)))
          .map { opened.network.name(of: $0) })
    }
    #expect(
      Set(sets) == [
        ["junction:A", "reservoir:R", "pipe:P1"], ["pipe:P2"], ["junction:B"], ["pipe:L"],
      ])
    #expect(opened.warnings.count == 1, "the loop has a warning")
  }

  /// R–P1–A–P2–S–P3–B–P4–Q, with valves at the outer ends of P1 and P4, and at the ends of P2 and P3 at S.
  @Test(
    "the valves' attributes in a layer",
    arguments: [
      ("link,node\nP1,R\nP2,S\nP3,S\nP4,Q\n", ["P2@S", "P3@S"], 5),
      // An inoperable valve is replaced by the next one outwards, whether it is stuck open or
      // closed.
      (
        "link,node,operable\nP1,R,yes\nP2,S,No\nP3,S,TRUE\nP4,Q,1\n", ["P1@R", "P3@S"], 4
      ),
      ("link,node,operable\nP1,R,1\nP2,S,0\nP3,S,false\nP4,Q,1\n", ["P1@R", "P4@Q"], 3),
      // A closed valve is already shut, whether or not it is operable.
      ("link,node,status\nP1,R,open\nP2,S,Closed\nP3,S,open\nP4,Q,open\n", ["P3@S"], 5),
      (
        "link,node,Operable,STATUS\nP1,R,1,open\nP2,S,0,closed\nP3,S,1,open\nP4,Q,1,open\n",
        ["P3@S"], 5
      ),
    ])
  func valves(layer: String, isolating: [String], segments: Int) throws {
    let town = EPANETTown("R-P1-A-P2-S-P3-B-P4-Q", reservoirs: ["R", "Q"])
    let opened = try NetworkText.opened(town.text, valves: layer)
    #expect(opened.warnings.isEmpty)
    var request = Trace.Request(.isolation)
    request.starts = ["S"]
    let result = try opened.network.trace(try request.parameters(in: opened))
    #expect(
      opened.network.names(result.isolation?.isolating ?? [])
        == isolating.map { "isolation_valve:" + $0 })
    #expect(result.isSuccess)
    let found = try opened.network.segments(
      filterBarriers: opened.defaultFilter, inoperable: opened.stuckOpen)
    #expect(found.count == segments)
  }

  @Test func `elements without supply before an isolation are listed separately`() throws {
    let town = EPANETTown("R-P0-A-P1-B-P2-C", closed: ["P1"])
    let opened = try NetworkText.opened(town.text, valves: "link,node\nP0,R\n")
    var request = Trace.Request(.isolation)
    request.starts = ["P1"]
    let result = try opened.network.trace(try request.parameters(in: opened))
    let (network, isolation) = (opened.network, try #require(result.isolation))
    #expect(network.names(isolation.isolating) == ["isolation_valve:P0@R"])
    #expect(network.names(isolation.isolated) == ["junction:A", "pipe:P0", "pipe:P1"])
    #expect(
      network.names(isolation.alreadyWithoutSupply)
        == ["junction:B", "junction:C", "pipe:P1", "pipe:P2"])
    let text = result.text(try request.parameters(in: opened), in: network, listsIsolated: false)
    #expect(text.contains("Already without supply: 4 elements"))
    let features = String(decoding: try result.geoJSON(in: opened), as: UTF8.self)
    #expect(features.contains("\"role\":\"alreadyWithoutSupply\""))
  }

  @Test func `a link that a control closes at time 0 is closed`() throws {
    let town = EPANETTown("R1-P1-A-P2-B-TIE-C-P3-R2", reservoirs: ["R1", "R2"])
    let valves = "link,node\nP1,A\nP2,A\nTIE,B\n"
    var request = Trace.Request(.isolation)
    request.starts = ["A"]
    let shut = try NetworkText.opened(
      town.text + "\n[CONTROLS]\nLINK TIE CLOSED AT TIME 0\n", valves: valves)
    let result = try shut.network.trace(try request.parameters(in: shut))
    #expect(shut.network.names(result.isolation?.isolating ?? []) == ["isolation_valve:P1@A"])
    #expect(shut.warnings.isEmpty)
    let open = try NetworkText.opened(
      town.text + "\n[CONTROLS]\nLINK TIE CLOSED AT TIME 1\n", valves: valves)
    #expect(open.warnings.count == 1)
    #expect(
      open.warnings.first?.hasSuffix(
        "net.inp: 1 control does not act at time 0 and is not applied (line 14)") == true)
  }

  @Test func `other columns of a layer are named in one warning`() throws {
    let inp = EPANETTown("R-P1-S").text
    let opened = try NetworkText.opened(
      inp, valves: ",link,node,DN,installed\n0,P1,R,100,1990\n")
    #expect(opened.warnings.count == 1)
    #expect(
      opened.warnings.first?.hasSuffix(
        "valves.csv: the values in the columns DN, installed are ignored; only the columns "
          + "link, node, status and operable are read") == true, "\(opened.warnings)")
    #expect(try NetworkText.opened(inp, valves: ",link,node\n0,P1,R\n").warnings.isEmpty)
  }
}
