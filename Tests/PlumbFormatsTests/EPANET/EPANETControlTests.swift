import PlumbFormats
import PlumbTestSupport
import Testing

/// The state of links at time 0. Expected states are those of EPANET 2.2.
@Suite struct EPANETControlTests {
  private static let base = """
    [JUNCTIONS]
    A 1
    B 1
    [RESERVOIRS]
    R 9
    [TANKS]
    T 5 4 0 8 10 0
    U 5 4 0 8 10 0 V
    [PIPES]
    P A B 1 1 1
    C R A 1 1 1 0 CV
    [PUMPS]
    Q R A POWER 5
    S R A POWER 5 PATTERN off
    [VALVES]
    W A B 1 PRV 30
    [CURVES]
    V 0 0
    V 3 100
    V 6 100
    V 8 200
    [PATTERNS]
    off 0 1 1
    off 2

    """

  private func state(_ text: String) throws -> (EPANETNetwork, String) {
    let network = try EPANETText.network(Self.base + text)
    return (
      network,
      ["P", "Q", "S", "W"].compactMap { network.link($0) }
        .map { network.links[$0].status.rawValue }.joined(separator: " ")
    )
  }

  @Test(
    "controls whose conditions hold at time 0 act, in order",
    arguments: [
      ("", "open open closed active"),
      ("[CONTROLS]\nLINK P CLOSED AT TIME 0", "closed open closed active"),
      (
        "[CONTROLS]\nLINK P CLOSED AT TIME 0:00:00\nLINK P OPEN AT TIME 0",
        "open open closed active"
      ),
      ("[CONTROLS]\nLINK P CLOSED AT TIME 0.0001 HOURS", "closed open closed active"),
      ("[CONTROLS]\nLINK P CLOSED AT TIME 1 SEC", "open open closed active"),
      ("[CONTROLS]\nLINK P CLOSED AT CLOCKTIME 12 AM", "closed open closed active"),
      ("[CONTROLS]\nLINK P CLOSED AT CLOCKTIME 6 PM", "open open closed active"),
      (
        "[TIMES]\nSTART CLOCKTIME 6 PM\n[CONTROLS]\nLINK P CLOSED AT CLOCKTIME 18:00",
        "closed open closed active"
      ),
      ("[CONTROLS]\nLINK P CLOSED IF NODE T ABOVE 4", "closed open closed active"),
      ("[CONTROLS]\nLINK P CLOSED IF NODE T ABOVE 4.1", "open open closed active"),
      ("[CONTROLS]\nLINK P CLOSED IF NODE T BELOW 4", "closed open closed active"),
      // Levels are compared by volume: the tank's curve is flat from 3 to 6.
      ("[CONTROLS]\nLINK P CLOSED IF NODE U ABOVE 5", "closed open closed active"),
      ("[CONTROLS]\nLINK P CLOSED IF NODE U ABOVE 6.5", "open open closed active"),
      ("[CONTROLS]\nLINK P CLOSED IF NODE A BELOW 50", "open open closed active"),
      ("[CONTROLS]\nLINK Q 0 AT TIME 0\nLINK S 1.5 AT TIME 0", "open closed open active"),
      ("[CONTROLS]\nLINK W CLOSED AT TIME 0", "open open closed closed"),
      ("[CONTROLS]\nLINK W OPEN AT TIME 0", "open open closed open"),
      ("[STATUS]\nW CLOSED\n[CONTROLS]\nLINK W 20 AT TIME 0", "open open closed active"),
      ("[CONTROLS]\nLINK P 0 AT TIME 0", "closed open closed active"),
      // A speed pattern overrides the pump's state in [STATUS].
      ("[TIMES]\nPATTERN START 1:00", "open open open active"),
      ("[TIMES]\nPATTERN START 4:00\n[STATUS]\nS CLOSED", "open open closed active"),
      ("[TIMES]\nPATTERN TIMESTEP 30 MIN\nPATTERN START 30 MIN", "open open open active"),
      ("[STATUS]\nQ 0", "open closed closed active"),
      ("[CONTROLS]\nLINK P CLOSED AT TIME 0 SEC DISABLED", "open open closed active"),
      ("[CONTROLS]\nLINK C CLOSED AT TIME 0\nLINK ZZ OPEN AT TIME 0", "open open closed active"),
    ])
  func states(text: String, expected: String) throws {
    #expect(try state(text).1 == expected)
  }

  @Test func `controls that do not act at time 0 are counted in one warning`() throws {
    let (network, _) = try state(
      """
      [CONTROLS]
      LINK P CLOSED AT TIME 5
      LINK P OPEN AT TIME 0
      LINK Q OPEN IF NODE A BELOW 20
      LINK nothing OPEN AT TIME 0
      [RULES]
      RULE 1
      IF TANK T LEVEL BELOW 3
      THEN PUMP Q STATUS IS OPEN
      """)
    #expect(
      network.warnings.map(\.description) == [
        "2 controls and 1 rule do not act at time 0 and are not applied (line 26)",
        "the control of nothing is not understood and not applied (line 29)",
      ])
  }

  @Test func `short rows have the values of EPANET 2 3`() throws {
    let network = try EPANETText.network(
      """
      [JUNCTIONS]
      J1
      J2
      [RESERVOIRS]
      R
      [PIPES]
      P1 R J1
      P2 J1 J2 5
      [PUMPS]
      Q R J1
      [VALVES]
      V J1 J2 12 PRV
      [OPTIONS]
      UNITS LPS
      HEADLOSS D-W
      """)
    #expect(network.described("P1") == "pipe R-J1 100.0 254.0 0.0005 0.0 open")
    #expect(network.described("P2") == "pipe J1-J2 5.0 254.0 0.0005 0.0 open")
    #expect(network.described("Q") == "pump R-J1 0.0 0.0 0.0 0.0 open 1.0")
    #expect(network.described("V") == "valve J1-J2 0.0 12.0 0.0 0.0 active PRV 0.0")
    #expect(network.warnings.isEmpty)
  }
}
