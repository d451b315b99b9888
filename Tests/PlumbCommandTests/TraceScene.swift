import PlumbTestSupport

/// A town's water as EPANET has it, with isolation valves beside some links' ends.
///
///     R ─P1─ A ─P2─ B ─P3─ C        valves: P1@R, P2@A, P3@C, P4@B
///                   │
///                   P4 (closed link P5 to tank T behind D)
///                   D ─P5─ T
enum TraceScene {
  static let inp = """
    [JUNCTIONS]
    A 1
    B 1
    C 1
    D 1
    [RESERVOIRS]
    R 10
    [TANKS]
    T 5 1 0 2 10 0
    [PIPES]
    P1 R A 10 100 100
    P2 A B 20 100 100
    P3 B C 30 100 100
    P4 B D 40 100 100
    P5 D T 50 100 100 0 Closed
    [COORDINATES]
    R 0 0
    A 10 0
    B 20 0
    C 30 0
    D 20 10
    T 20 20
    """

  static let valves = "link,node\nP1,R\nP2,A\nP3,C\nP4,B\n"

  static func folder() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.folder.write("net.inp", inp)
    try fixture.folder.write("valves.csv", valves)
    return fixture
  }
}
