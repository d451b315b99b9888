@testable import PlumbFormats
import PlumbTestSupport
import Testing

@Suite struct EPANETRuleTests {
  private static let nodes = "[JUNCTIONS]\nA 1\nB 2\nC 3\n[RESERVOIRS]\nR 9\n"

  @Test func `links may precede their nodes, and sections more than once`() throws {
    let network = try EPANETText.network(
      "[PIPES]\nP A B 1 1 1\n[JUNCTIONS]\nA 1\n[PIPES]\nQ B A 1 1 1\n[JUNCTIONS]\nB 2\n[END]\n")
    #expect(network.nodes.map(\.id) == ["A", "B"])
    #expect(network.links.map(\.id) == ["P", "Q"])
    #expect(network.nodes.map(\.line) == [4, 8])
    #expect(network.links.map(\.line) == [2, 6])
  }

  @Test(
    "a heading is recognized by its first four letters",
    arguments: [
      "[JUNCTIONS]", "[junctions]", "[JUNC", "[junc]", "[JunctionsOfTheTown]", "  [JUNCTION]",
    ])
  func heading(text: String) throws {
    #expect(try EPANETText.network("\(text)\nA 1").nodes.map(\.id) == ["A"])
  }

  @Test(
    "a pipe's loss and status are optional, together and alone",
    arguments: [
      ("", "pipe A-B 5.0 6.0 7.0 0.0 open"), ("0.5", "pipe A-B 5.0 6.0 7.0 0.5 open"),
      ("CV", "pipe A-B 5.0 6.0 7.0 0.0 checkValve"),
      ("closed", "pipe A-B 5.0 6.0 7.0 0.0 closed"),
      ("0.5 Open", "pipe A-B 5.0 6.0 7.0 0.5 open"),
      ("1 cv;x", "pipe A-B 5.0 6.0 7.0 1.0 checkValve"),
    ])
  func pipe(rest: String, described: String) throws {
    let network = try EPANETText.network(Self.nodes + "[PIPES]\n P\tA B 5 6 7 " + rest)
    #expect(network.described("P") == described)
  }

  @Test(
    "a pump has keywords, or numbers as in the old format",
    arguments: [
      ("HEAD 1", "open 1.0", "1"), ("POWER 50 SPEED 1.2", "open 1.2", nil),
      ("head C SPEE 0", "closed 0.0", "C"), ("pattern X power 1", "open 1.0", nil),
      ("80 100 60 200", "open 1.0", nil),
    ])
  func pump(rest: String, described: String, curve: String?) throws {
    let network = try EPANETText.network(Self.nodes + "[PUMPS]\nP A B " + rest)
    #expect(network.described("P") == "pump A-B 0.0 0.0 0.0 0.0 " + described)
    #expect(network.curves[0] == curve)
  }

  @Test(
    "a valve has a type and a setting",
    arguments: [
      ("12 PRV 120", "12.0 0.0 0.0 active PRV 120.0"),
      ("12 psv 120 0.5", "12.0 0.0 0.5 active PSV 120.0"),
      ("1 FCV -1", "1.0 0.0 0.0 active FCV -1.0"), ("1 TCV 0", "1.0 0.0 0.0 active TCV 0.0"),
      ("1 PBV 3", "1.0 0.0 0.0 active PBV 3.0"), ("1 GPV Loss 2", "1.0 0.0 2.0 open GPV"),
      ("1 PCV 40 0 K", "1.0 0.0 0.0 active PCV 40.0"),
    ])
  func valve(rest: String, described: String) throws {
    let network = try EPANETText.network(Self.nodes + "[VALVES]\nV A B " + rest)
    #expect(network.described("V") == "valve A-B 0.0 " + described)
  }

  @Test func `columns distinguish tanks from reservoirs, in either section`() throws {
    let network = try EPANETText.network(
      "[TANKS]\nT 1 2 3 4 5\nR 1 pattern\nZ 1 2 3 4 0\n[RESERVOIRS]\nU 1 2 3 4 5 6 * Yes\nS 1\n")
    #expect(
      network.nodes.map { "\($0.id) \($0.kind)" } == [
        "T tank", "R reservoir", "Z reservoir", "U tank", "S reservoir",
      ])
    #expect(
      network.warnings.map(\.description) == [
        "the tank Z has no diameter and counts as a reservoir (line 4)"
      ])
  }

  @Test func `ids are case-sensitive, and a node and a link may share one`() throws {
    let long = String(repeating: "x", count: 200)
    let network = try EPANETText.network(
      "[JUNCTIONS]\na 1\nA 1\n\"b c\" 2\n\(long) 3\n[PIPES]\na A a 1 1 1\nb \"b c\" \(long) 1 1 1\n"
    )
    #expect(network.nodes.map(\.id) == ["a", "A", "b c", long])
    #expect(network.described("a") == "pipe A-a 1.0 1.0 1.0 0.0 open")
    #expect(network.described("b") == "pipe b c-\(long) 1.0 1.0 1.0 0.0 open")
    #expect(network.node("B") == nil)
  }

  @Test func `Latin-1 bytes are read in comments, titles and ids`() throws {
    let bytes =
      Array("[TITLE]\nR".utf8) + [0xFC] + Array("gen ; town\n[JUNC]\nA".utf8) + [0xE9]
      + Array(" 1 ;".utf8) + [0xFF, 0xE4] + Array("\nB 2".utf8)
    let network = try EPANETText.network(bytes)
    #expect(network.title == ["Rügen ; town"])
    #expect(network.nodes.map(\.id) == ["Aé", "B"])
  }

  @Test func `a link from a node to itself is kept with a warning`() throws {
    let network = try EPANETText.network(Self.nodes + "[PIPES]\nP A A 1 1 1\nQ B B 1 1 1\n")
    #expect(network.links.map(\.start) == network.links.map(\.end))
    #expect(
      network.warnings.map(\.description) == [
        "the pipe P begins and ends at A (line 8, and 1 more)"
      ])
  }

  @Test func `a status overrides the sections, and the last one counts`() throws {
    let network = try EPANETText.network(
      Self.nodes + """
        [STATUS]
        P Closed
        P Open
        Q closed
        U 0
        W 1.5
        V Open
        X 30
        Y Closed
        [PIPES]
        P A B 1 1 1 Closed
        Q B C 1 1 1
        [PUMPS]
        U A B HEAD 1
        W A B HEAD 1
        [VALVES]
        V A B 1 PRV 5
        X A B 1 PRV 5
        Y A B 1 GPV 5
        """)
    let shown = network.links.map {
      "\($0.id) \($0.status) \($0.setting.map { "\($0)" } ?? "-")"
    }
    #expect(
      shown == [
        "P open -", "Q closed -", "U closed 0.0", "W open 1.5", "V open 5.0", "X active 30.0",
        "Y closed -",
      ])
  }

  @Test(
    "a status for a range compares leading numbers, otherwise bytes",
    arguments: [
      ("2 10 Closed", ["2", "10", "3a"]), ("2 3 Closed", ["2", "3a"]),
      ("P Q Closed", ["P", "Pz", "Q"]),
      ("0 2 Closed", ["2", "10"]), ("Q P Closed", []),
    ])
  func range(line: String, closed: [String]) throws {
    let ids = ["2", "10", "3a", "P", "Pz", "Q", "V"]
    let pipes = ids.map { "\($0) A B 1 1 1" + ($0 == "V" ? " CV" : "") }.joined(separator: "\n")
    let network = try EPANETText.network(Self.nodes + "[PIPES]\n" + pipes + "\n[STATUS]\n" + line)
    #expect(network.links.filter { $0.status == .closed }.map(\.id) == closed)
    #expect(network.links.last?.status == .checkValve)
  }

  @Test func `demands replace a junction's own and then add up`() throws {
    let network = try EPANETText.network(
      "[JUNCTIONS]\nA 1 7\nB 1 8\n[DEMANDS]\nA 2\nA 3 p ;category\nR 1\n[RESERVOIRS]\nR 1\n")
    #expect(network.nodes.map(\.demand) == [5, 8, 0])
    #expect(
      network.warnings.map(\.description) == [
        "the demand of R, which is not a junction, is not read (line 7)"
      ])
  }

  @Test func `vertices keep their order, the last of repeated coordinates counts`() throws {
    let network = try EPANETText.network(
      Self.nodes + """
        [PIPES]
        P A B 1 1 1
        Q B C 1 1 1
        [VERTICES]
        Q 1 2
        P 3 4
        Q -5 6e1
        [COORDINATES]
        A 1 1
        A 2 3
        Z 0 0
        """)
    #expect(Array(network.vertices(ofLink: 0)) == [SIMD2(3, 4)])
    #expect(Array(network.vertices(ofLink: 1)) == [SIMD2(1, 2), SIMD2(-5, 60)])
    #expect(network.nodes.map(\.point) == [SIMD2(2, 3), nil, nil, nil])
    #expect(
      network.warnings.map(\.description) == [
        "the coordinates of A are repeated; the last ones are used (line 16)",
        "[COORDINATES] refers to an unknown node: Z (line 17)",
      ])
  }

  @Test func `options and tags are read`() throws {
    let network = try EPANETText.network(
      Self.nodes + "[PIPES]\nP A B 1 1 1\n[OPTIONS]\nunits lps\nHeadloss D-W\nMAP town.map\n"
        + "[TAGS]\nNODE A old\nLINK P main road\nNODE Z x\nvalve\n")
    #expect(network.flowUnits == .litresPerSecond && network.flowUnits.isMetric)
    #expect(network.headLoss == .darcyWeisbach)
    #expect(network.nodeTags == [0: "old"])
    #expect(network.linkTags == [0: "main road"])
    #expect(
      network.warnings.map(\.description) == [
        "coordinates in the map file town.map are not read (line 12)",
        "[TAGS] refers to a node that does not exist: Z (line 16)",
        "a tag needs NODE or LINK, an id and text; this line is not read (line 17)",
      ])
    #expect(try EPANETText.network("[OPTI]\nUNITS SI").flowUnits == .litresPerSecond)
  }

  @Test func `ignored text is reported with its line`() throws {
    let network = try EPANETText.network(
      """
      ; a comment
      [WEATHER] of today
      rain 5
      [JUNCTIONS]
      A 1 2 p extra
      B 1 2 p extra more
      [RULES]
      RULE 1
      [CONTROLS]
      LINK 9 OPEN IF NODE 2 BELOW 110
      [END]

      A 2
      """)
    #expect(
      network.warnings.map(\.description) == [
        "the section [WEATHER] is unknown and not read (line 2)",
        "the words after [WEATHER] are not read (line 2)",
        "columns after the 4th are not read in [JUNCTIONS] (line 5, and 1 more)",
        "1 rule does not act at time 0 and is not applied (line 8)",
        "the control of 9 is not understood and not applied (line 10)",
        "text after [END] is not read (line 13)",
      ])
  }

  @Test("an empty file is an empty network", arguments: ["", "\n\n", "; nothing\n", "[END]"])
  func empty(text: String) throws {
    let network = try EPANETText.network(text)
    #expect(network.nodes.isEmpty && network.links.isEmpty && network.warnings.isEmpty)
    #expect(network.node("A") == nil)
  }

  @Test func `numbers print as they were written`() throws {
    var random = SeededGenerator(seed: 41)
    var values: [Double] = []
    var text = "[JUNCTIONS]\n"
    while values.count < 2000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      text += "N\(values.count) \(value) \(-value)\n"
      values.append(value)
    }
    text += "[COORDINATES]\n"
    for (index, value) in values.enumerated() { text += "N\(index) \(value) \(value / 3)\n" }
    let nodes = try EPANETText.network(text).nodes
    #expect(nodes.map(\.elevation) == values)
    #expect(nodes.map(\.demand) == values.map { -$0 })
    #expect(nodes.map(\.point) == values.map { SIMD2($0, $0 / 3) })
  }

  @Test func `ten thousand ids are found, and no others`() throws {
    let ids = (0..<10_000).map { "id\($0 * 7919)" }
    let network = try EPANETText.network(
      "[JUNCTIONS]\n" + ids.map { "\($0) 0\n" }.joined())
    for (index, id) in ids.enumerated() { #expect(network.node(id) == index) }
    #expect(network.node("id1") == nil && network.node("") == nil)
  }
}
