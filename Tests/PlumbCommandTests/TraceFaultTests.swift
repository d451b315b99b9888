import PlumbTestSupport
import Testing

/// Errors in a user's input: one line and an exit status.
@Suite struct TraceFaultTests {
  struct Fault: CustomTestStringConvertible {
    var arguments: [String]
    /// The beginning of the line after `plumb: `.
    var line: String
    var inp = TraceScene.inp
    var valves = TraceScene.valves
    var testDescription: String { arguments.joined(separator: " ") + " " + line }

    init(_ arguments: String, _ line: String, inp: String? = nil, valves: String? = nil) {
      self.arguments = arguments.split(separator: " ").map {
        String($0).replacing("_", with: " ")
      }
      self.line = line
      self.inp = inp ?? self.inp
      self.valves = valves ?? self.valves
    }
  }

  private static let isolation = "--type isolation --valve-layer valves.csv --start "

  @Test(
    "mistakes in the input",
    arguments: [
      // Errors for unknown names list similar ones.
      Fault("--type upstream --start P33", "the network has no feature P33; did you mean P3?"),
      Fault(
        "--type upstream --start pip:P3",
        "the network has no feature pip:P3, and no source pip; did you mean pipe?"),
      Fault(
        "--type upstream --start C --domain netwrk",
        "there is no domain network netwrk; did you mean network?"),
      Fault(
        "--type upstream --start C --tier netwrk",
        "network has no tier netwrk; did you mean network?"),
      Fault(
        "--type isolation --start C --filter-category Isolatin",
        "there is no category Isolatin; did you mean Isolating?"),
      Fault(
        "--type shortestPath --start C --start R --cost lenth",
        "there is no network attribute lenth; did you mean length?"),
      // A start that is not on the network, and a start on a barrier.
      Fault(
        "--type upstream --start @500,500,1",
        "no element of the network is within 1.0 of 500.0,500.0"),
      Fault(
        "\(isolation)P2@A --filter-barrier P2@A", "isolation_valve:P2@A: the start is a barrier"
      ),
      Fault(
        "--type upstream --start P5",
        "pipe:P5: the start is a barrier that stops the trace; choose a start next to the barrier"),
      Fault(
        "\(isolation)C --barrier R",
        "no valid subnetwork controllers are reached from the starting locations"),
      Fault("--type upstream --start C --barrier C", "junction:C: the start is a barrier"),
      // The valves of the layer also end paths.
      Fault(
        "--type shortestPath --start C --start R --cost length --valve-layer valves.csv",
        "no path joins junction:C and reservoir:R; filter barriers lie between them"),
      // A heading that is not an EPANET heading is named in the resulting error.
      Fault(
        "\(isolation)C",
        "valves.csv: the network has no link P1; the section [PIPS] on line 10 is unknown and was "
          + "not read (line 2)",
        inp: TraceScene.inp.replacing("[PIPES]", with: "[PIPS]")),
      Fault(
        "--type upstream --start C",
        "net.inp: the network has no nodes; they are in [JUNCTIONS], [RESERVOIRS] and [TANKS]; "
          + "the section [NODES] on line 1 is unknown and was not read",
        inp: "[NODES]\nA 1\n"),
      // The network has neither a filter barrier nor a controller.
      Fault(
        "--type isolation --start C",
        "an isolation needs filter barriers: locations, a condition or a function"),
      // Duplicate ids, and ids that do not exist.
      Fault(
        "--type upstream --start C", "net.inp: ", inp: TraceScene.inp + "\n[PIPES]\nP1 A B 1 1 1\n"),
      Fault(
        "--type upstream --start C", "net.inp: ", inp: TraceScene.inp + "\n[PIPES]\nP9 A ZZ 1 1 1\n"
      ),
      Fault("--type upstream --start C", "net.inp: ", inp: "[JUNCTIONS]\nA one\n"),
      Fault(
        "\(isolation)C", "valves.csv: the network has no link P9 (line 2)",
        valves: "link,node\nP9,A\n"),
      Fault(
        "\(isolation)C",
        "valves.csv: the node C is not an end of the link P1, which has R and A (line 2)",
        valves: "link,node\nP1,C\n"),
      Fault(
        "\(isolation)C", "valves.csv: the valve P1@R is repeated; it is also on line 2 (line 3)",
        valves: "link,node\nP1,R\nP1,R\n"),
      Fault(
        "\(isolation)C", "valves.csv: the valve layer has no column link (line 1)", valves: "a,b\n"),
      Fault("--type upstream --start C --valve-layer none.csv", "no such file: none.csv"),
      Fault("--request none.json", "no such file: none.json"),
      Fault(
        "--type upstream --start C",
        "net.inp: the network has no nodes; they are in [JUNCTIONS], [RESERVOIRS] and [TANKS]",
        inp: ""),
      // Errors in conditions include the position.
      Fault("--type isolation --start C --filter status_=", "--filter: "),
      Fault("--type upstream --start C --condition nothing_=_1", ""),
    ])
  func mistakes(fault: Fault) throws {
    let fixture = try TraceScene.folder()
    try fixture.folder.write("net.inp", fault.inp)
    try fixture.folder.write("valves.csv", fault.valves)
    let run = try plumb(["trace", "net.inp"] + fault.arguments, folder: fixture.folder.path)
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("plumb: " + fault.line), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1, "\(run.errors)")
  }

  @Test func `nothing to read`() throws {
    for (path, line) in [("none.json", "no such file: none.json"), (".", ". is not a file")] {
      let run = try plumb(["trace", path, "--segments"])
      #expect(run.status == 1 && run.errors == "plumb: \(line)\n", "\(run.errors)")
    }
  }

  @Test func `no controller can be reached past the closed elements`() throws {
    let fixture = try TraceScene.folder()
    let run = try plumb(
      [
        "trace", "net.inp", "--type", "isolation", "--valve-layer", "valves.csv", "--start", "C",
        "--condition", "length = 10",
      ], folder: fixture.folder.path)
    #expect(run.status == 1)
    #expect(run.errors.contains("controller"), "\(run.errors)")
  }

  @Test func `an id in two sources shows both ways to write it`() throws {
    let fixture = try TraceScene.folder()
    try fixture.folder.write("net.inp", TraceScene.inp + "\n[PUMPS]\nA R A POWER 5\n")
    let run = try plumb(
      ["trace", "net.inp", "--type", "upstream", "--start", "A"], folder: fixture.folder.path)
    #expect(run.errors == "plumb: A may be junction:A or pump:A: use one of these\n")
  }

  @Test func `warnings of the file are reported`() throws {
    let fixture = try TraceScene.folder()
    try fixture.folder.write(
      "net.inp", TraceScene.inp + "\n[JUNCTIONS]\nZ 1\n[PIPES]\nL A A 1 1 1\n")
    let run = try plumb(
      ["trace", "net.inp", "--type", "upstream", "--start", "C"], folder: fixture.folder.path)
    #expect(run.status == 0)
    #expect(run.errors.contains("plumb: warning: net.inp: no link is at node Z"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 2, "\(run.errors)")
  }

  @Test(
    "options that exclude each other",
    arguments: [
      ("", "give --type, --request or --segments"),
      ("--type upstream", "give the start of the trace with --start"),
      ("--type shortestPath --start A", "--type shortest-path needs exactly 2 values of --start"),
      (
        "--type shortestPath --start A --start B",
        "--type shortest-path needs --cost, the attribute to sum"
      ),
      ("--type upstream --start A --cost length", "--cost needs --type shortest-path"),
      ("--type upstream --start A --inoperable P", "--inoperable needs --type isolation"),
      (
        "--type upstream --start A --include-isolated",
        "--include-isolated needs --type isolation"
      ),
      ("--type upstream --start A --format csv", "--of csv needs --segments"),
      ("--segments --start A", "--start cannot be combined with --segments"),
      ("--segments --format text", "--of text cannot be combined with --segments"),
      ("--segments --format gpkg", "--of gpkg needs -o, the file to write"),
      ("--request r --type loops", "--type cannot be combined with --request"),
      ("--request r --segments", "--request cannot be combined with --segments"),
      (
        "--type isolation --start A --filter a --filter-category b",
        "--filter cannot be combined with --filter-category"
      ),
    ])
  func options(arguments: String, expected: String) throws {
    let run = try plumb(["trace", "net.inp"] + arguments.split(separator: " ").map(String.init))
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("Error: " + expected), "\(run.errors)")
  }
}
