import PlumbTestSupport

/// A town's water network for EPANET, with isolation valves at the ends of some links.
///
///     R ─P1─ A ─P2─ B ─P3─ C        valves: P1@R, P2@A, P3@C, P4@B
///                   │
///                   P4 (closed link P5 to tank T behind D)
///                   D ─P5─ T
enum TraceScene {
  static let inp = EPANETTown(
    "R-P1-A-P2-B-P3-C", "B-P4-D-P5-T", tanks: ["T"], closed: ["P5"],
    coordinates: "R 0 0\nA 10 0\nB 20 0\nC 30 0\nD 20 10\nT 20 20"
  ).text

  static let valves = "link,node\nP1,R\nP2,A\nP3,C\nP4,B\n"

  static func folder() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.folder.write("net.inp", inp)
    try fixture.folder.write("valves.csv", valves)
    return fixture
  }
}
