import Plumb
import Testing

/// References to elements on the command line.
@Suite struct ElementReferenceTests {
  private static let inp = """
    [JUNCTIONS]
    10 1
    J2 1
    [RESERVOIRS]
    R 10
    [PIPES]
    20 R 10 10 100 100
    P2 10 J2 10 100 100
    [PUMPS]
    10 R J2 POWER 5
    [COORDINATES]
    10 0 0
    J2 10 0
    R 0 10
    """

  private func name(_ text: String, _ opened: OpenedNetwork) throws -> String {
    let location = try ElementReference(opened.network).start(text)
    return opened.network.name(of: location.element)
      + (location.terminalID.map { ":\($0)" } ?? "")
      + (location.fractionAlongEdge.map { "@\($0)" } ?? "")
  }

  @Test(
    "the element of a reference",
    arguments: [
      ("junction:10", "junction:10"), ("Pump:10", "pump:10"), ("20", "pipe:20"),
      ("R", "reservoir:R"),
      ("@0,0", "junction:10"), ("@0.5,0.5,1", "junction:10"), ("@5,0", "pipe:P2@0.5"),
      ("@2.5,0.25,0.5", "pipe:P2@0.25"), ("isolation_valve:P2@J2", "isolation_valve:P2@J2"),
      ("P2@J2", "isolation_valve:P2@J2"),
    ])
  func meant(text: String, expected: String) throws {
    let opened = try NetworkText.opened(Self.inp, valves: "link,node\nP2,J2\n")
    // The layered valve is at J2.
    #expect(try name(text, opened) == expected)
  }

  /// Each reference that the error suggests is that of its element.
  @Test func `an id may begin like a source`() throws {
    let opened = try NetworkText.opened(
      "[JUNCTIONS]\n10 1\njunction:10 1\n[PUMPS]\n10 10 junction:10 POWER 5\n")
    #expect(try name("junction:10", opened) == "junction:10")
    #expect(try name("junction:junction:10", opened) == "junction:junction:10")
    #expect(
      message { _ = try name("10", opened) }
        == "10 may be junction:10 or pump:10: use one of these")
  }

  @Test(
    "references without an element",
    arguments: [
      ("10", "10 may be junction:10 or pump:10: use one of these"),
      ("J3", "the network has no feature J3; did you mean J2?"),
      ("j2", "the network has no feature j2; did you mean J2 or P2?"),
      ("pipe:21", "pipe has no feature 21; did you mean pipe:20?"),
      ("pip:20", "the network has no feature pip:20, and no source pip; did you mean pipe?"),
      ("junction:10:High", "junction:10 has no terminals, so not High"),
      ("20:1", "pipe:20 has no terminals, so not 1"), ("", "a reference is empty"),
      ("@1", "@1 is not a point: expected @X,Y or @X,Y,TOLERANCE"),
      ("@1,2,3,4", "@1,2,3,4 is not a point: expected @X,Y or @X,Y,TOLERANCE"),
      ("@a,b", "@a,b is not a point: expected @X,Y or @X,Y,TOLERANCE"),
      ("@nan,0", "@nan,0 is not a point: expected @X,Y or @X,Y,TOLERANCE"),
      ("@1,2,-1", "@1,2,-1: the tolerance is below 0"),
      ("@3,4", "no element of the network is at 3.0,4.0: write @3.0,4.0,TOLERANCE for one near it"),
      ("@300,4,5", "no element of the network is within 5.0 of 300.0,4.0"),
    ])
  func notMeant(text: String, expected: String) throws {
    let opened = try NetworkText.opened(Self.inp)
    #expect(message { _ = try name(text, opened) } == expected)
  }

  @Test func `terminals are given by name or number, and a start needs one`() throws {
    let opened = try NetworkScene().open()
    #expect(try name("Device:V:Low", opened) == "Device:V:2")
    #expect(try name("device:V:high", opened) == "Device:V:1")
    #expect(try name("V:2", opened) == "Device:V:2")
    #expect(
      message { _ = try name("V", opened) }
        == "Device:V has several terminals: specify one: Device:V:High or Device:V:Low")
    #expect(
      message { _ = try name("@10,0,0.5", opened) }
        == "Device:V has several terminals: specify one: Device:V:High or Device:V:Low")
    #expect(
      message { _ = try name("V:Middle", opened) }
        == "Device:V has no terminal Middle; available: High (1), Low (2)")
    // A barrier applies to all terminals, but a point needs one.
    let references = ElementReference(opened.network)
    #expect(try references.barrier("V").terminalID == nil)
    #expect(message { _ = try references.barrier("@10,0") }?.contains("specify one") == true)
    #expect(
      message { _ = try references.element("V:Low") }
        == "V:Low names a terminal: name the whole element Device:V")
  }

  @Test func `a GUID may be written with or without braces, in either case`() throws {
    let scene = try NetworkScene()
    let id = "{3AE5B9F5-1111-2222-3333-ABCDEF012345}"
    try scene.replace("devices.geojson", "\"GLOBALID\":\"M\"", "\"GLOBALID\":\"\(id)\"")
    let opened = try scene.open()
    for text in [id, id.lowercased(), "3ae5b9f5-1111-2222-3333-abcdef012345"] {
      #expect(try name(text, opened) == "Device:" + id)
      #expect(try name("Device:" + text, opened) == "Device:" + id)
    }
  }
}
