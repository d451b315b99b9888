import PlumbFormats
import PlumbTestSupport
import Testing

/// Each fault is one line with the file's line number.
@Suite struct EPANETFaultTests {
  private static let nodes = "[JUNCTIONS]\nA 1\nB 2\n"
  private static let pipe = nodes + "[PIPES]\nP A B 1 1 1\nC A B 1 1 1 CV\n"

  @Test(
    "a fault has its cause and line",
    arguments: [
      ("\nA 1\n[JUNCTIONS]", "there is text before the first [SECTION] (line 2)"),
      (nodes + "A 3", "the node A is repeated; it is also on line 2 (line 4)"),
      (nodes + "[TANKS]\nB 1", "the node B is repeated; it is also on line 3 (line 5)"),
      (pipe + "[PUMPS]\nP A B HEAD 1", "the link P is repeated; it is also on line 5 (line 8)"),
      (nodes + "Z 1,5", "the elevation of Z is not a number: 1,5 (line 4)"),
      (nodes + "Z nan", "the elevation of Z is not a number: nan (line 4)"),
      (nodes + "Z 1e999", "the elevation of Z is not a number: 1e999 (line 4)"),
      (nodes + "Z 1 x", "the demand of Z is not a number: x (line 4)"),
      (nodes + "\"\" 1", "a node has an empty id (line 4)"),
      (
        "[TANKS]\nT 1 2 3 4",
        "a tank needs an id, an elevation, three levels and a diameter; T has 5 of 6 columns (line 2)"
      ),
      ("[TANKS]\nT 1 2 3 4 -5", "the diameter of T must not be below 0: -5 (line 2)"),
      (
        nodes + "[PIPES]\nP A",
        "a pipe needs an id and two nodes; P has 2 of 3 columns (line 5)"
      ),
      (
        nodes + "[PIPES]\nP A Z 1 1 1",
        "the pipe P ends at an unknown node: Z (line 5)"
      ),
      (
        "[TANKS]\nA 1\n[JUNKTIONS]\nB 1\n[PIPES]\nP A B 1 1 1",
        "the pipe P ends at an unknown node: B; "
          + "the section [JUNKTIONS] on line 3 is unknown and was not read (line 6)"
      ),
      (
        nodes + "[PIPS]\nP A B 1 1 1\n[STATUS]\nP Closed",
        "[STATUS] refers to an unknown link: P; "
          + "the section [PIPS] on line 4 is unknown and was not read (line 7)"
      ),
      (nodes + "[PIPES]\nP A a 1 1 1", "the pipe P ends at an unknown node: a (line 5)"),
      (nodes + "[PIPES]\nP A B 0 1 1", "the length of P must be above 0: 0 (line 5)"),
      (nodes + "[PIPES]\nP A B 1 x 1", "the diameter of P is not a number: x (line 5)"),
      (nodes + "[PIPES]\nP A B 1 1 1 -1", "the minor loss of P must not be below 0: -1 (line 5)"),
      (nodes + "[PIPES]\nP A B 1 1 1 shut", "the minor loss of P is not a number: shut (line 5)"),
      (
        nodes + "[PIPES]\nP A B 1 1 1 0 shut",
        "the status of P is not Open, Closed or CV: shut (line 5)"
      ),
      (
        nodes + "[PUMPS]\nP A",
        "a pump needs an id and two nodes; P has 2 of 3 columns (line 5)"
      ),
      (
        nodes + "[PUMPS]\nP A B FUEL 1",
        "a parameter of P is not HEAD, POWER, SPEED or PATTERN: FUEL (line 5)"
      ),
      (nodes + "[PUMPS]\nP A B HEAD", "HEAD of P has no value (line 5)"),
      (nodes + "[PUMPS]\nP A B POWER 0", "the power of P must be above 0: 0 (line 5)"),
      (
        nodes + "[VALVES]\nV A B 1 XYZ 1",
        "the type of V is not one of PRV, PSV, PBV, FCV, TCV, GPV, PCV: XYZ (line 5)"
      ),
      (
        nodes + "[VALVES]\nV A B 1",
        "a valve needs an id, two nodes, a diameter and a type; V has 4 of 5 columns (line 5)"
      ),
      (nodes + "[VALVES]\nV A B 1 PRV x", "the setting of V is not a number: x (line 5)"),
      (pipe + "[STATUS]\nZ Open", "[STATUS] refers to an unknown link: Z (line 8)"),
      (
        pipe + "[STATUS]\nP",
        "a status needs a link, or two links for a range, and a value (line 8)"
      ),
      (
        pipe + "[STATUS]\nP ajar",
        "the status of P is neither Open nor Closed nor a number: ajar (line 8)"
      ),
      (pipe + "[STATUS]\nP -1", "the setting of P must not be below 0: -1 (line 8)"),
      (pipe + "[STATUS]\nP active", "only a valve can be active: P (line 8)"),
      (pipe + "[STATUS]\nC Open", "the check valve C cannot have another status (line 8)"),
      (
        nodes + "[VALVES]\nV A B 1 GPV c\n[STATUS]\nV 5",
        "the valve V follows a curve and cannot have a setting (line 7)"
      ),
      (
        pipe + "[STATUS]\n" + String(repeating: "P C Open\n", count: 1001),
        "[STATUS] has more than 1000 ranges of links (line 1008)"
      ),
      (nodes + "[DEMANDS]\nZ 1", "[DEMANDS] refers to an unknown node: Z (line 5)"),
      (
        nodes + "[DEMANDS]\nA",
        "a demand needs a junction and a number; A has 1 of 2 columns (line 5)"
      ),
      (nodes + "[COORDINATES]\nA 1", "a point needs an id, x and y; A has 2 of 3 columns (line 5)"),
      (nodes + "[COORDINATES]\nA 1 y", "the y of A is not a number: y (line 5)"),
      (pipe + "[VERTICES]\nP inf 1", "the x of P is not a number: inf (line 8)"),
      ("[OPTIONS]\nUNITS", "the unit of flow needs a name; UNITS has 1 of 2 columns (line 2)"),
      (
        "[OPTIONS]\nUNITS XYZ",
        "UNITS is not one of CFS, GPM, AFD, MGD, IMGD, LPS, LPM, CMH, CMD, MLD, CMS: XYZ (line 2)"
      ),
      ("[OPTIONS]\nHEADLOSS X", "HEADLOSS is not one of H-W, D-W, C-M: X (line 2)"),
      ("[JUNCTIONS]\n\u{1B}[2J x", "the elevation of \\u{1b}[2J is not a number: x (line 2)"),
    ])
  func fault(text: String, message: String) {
    #expect(EPANETText.fault(text) == message)
  }

  @Test func `one id in two encodings is repeated`() {
    let bytes = Array("[JUNCTIONS]\né 1\n".utf8) + [0xE9] + Array(" 1\n".utf8)
    #expect {
      try EPANETText.network(bytes)
    } throws: {
      "\($0)" == "the node é is repeated in another encoding; it is also on line 2 (line 3)"
    }
  }

  @Test(
    "text of two or four bytes per character is rejected",
    arguments: [
      [0xFF, 0xFE, 0x5B, 0x00], [0xFE, 0xFF, 0x00, 0x5B], [0x5B, 0x00, 0x4A, 0x00], [0x00, 0x5B],
    ])
  func wide(bytes: [UInt8]) {
    #expect {
      try EPANETText.network(bytes)
    } throws: {
      "\($0)" == "the file is UTF-16 or UTF-32 text; save it as UTF-8"
    }
  }

  // MARK: Valve layers

  @Test(
    "a layer's faults have its line numbers",
    arguments: [
      ("", "the valve layer is empty; it needs the columns link,node"),
      ("a,b\n", "the valve layer has no column link (line 1)"),
      ("link,Link,node\n", "the valve layer has more than one column link (line 1)"),
      ("link,node\nP,A\nZ,A\n", "the network has no link Z (line 3)"),
      (",link,node\r\n0,P,Z\r\n", "the network has no node Z (line 2)"),
      ("link,node\n\n\nP,D", "the node D is not an end of the link P, which has A and B (line 4)"),
      ("link,node\nP,A\nP,B\nP,A\n", "the valve P@A is repeated; it is also on line 2 (line 4)"),
      ("link,node\nP\n", "a valve needs a link and a node; the row has 1 columns (line 2)"),
      (
        "link,node,Status\nP,A\n",
        "a valve needs a link, a node and a status; the row has 2 columns "
          + "(line 2)"
      ),
      ("link,node,status\nP,A,ajar\n", "the status is ajar: expected open or closed (line 2)"),
      ("link,node,status\nP,A,\n", "the status is empty: expected open or closed (line 2)"),
      ("link,node,status,status\n", "the valve layer has more than one column status (line 1)"),
      (
        "link,node,operable\nP,A,1\nP,B,2\n",
        "the operable is 2: expected 0, 1, true, false, yes or no (line 3)"
      ),
    ])
  func layerFault(text: String, message: String) throws {
    let network = try EPANETText.network(
      "[JUNCTIONS]\nA 1\nB 1\nD 1\n[PIPES]\nP A B 1 1 1\nQ B D 1 1 1\n")
    #expect {
      try EPANETText.layer(text, of: network)
    } throws: {
      "\($0)" == message
    }
  }

  @Test(
    "a layer may have other columns, quotes, a byte order mark and other delimiters",
    arguments: [
      "link,node\nP,A\nP,B\n", "\u{FEFF}NODE;x;LINK\r\nA;1;P\r\nB;;P",
      "link\tnode\n\"P\"\tA\n P \tB\n",
    ])
  func layer(text: String) throws {
    let network = try EPANETText.network("[JUNCTIONS]\nA 1\nB 1\n[PIPES]\nP A B 1 1 1\n")
    let layer = try EPANETText.layer(text, of: network)
    #expect(layer.valves.map(\.node) == [0, 1])
    #expect(layer.valves.map(\.link) == [0, 0])
    #expect(layer.valves.map(\.line) == [2, 3])
  }
}
