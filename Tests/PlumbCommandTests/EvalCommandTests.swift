import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// `plumb eval`: printed values, the meaning of `$feature`, and errors with their position and
/// status.
struct EvalCommandTests {
  /// Each kind of value as the language's documentation defines it.
  @Test(arguments: [
    ("1 + 1", "2"), ("0.1 + 0.2", "0.30000000000000004"), ("1e21", "1e+21"),
    ("-1 / 0", "-Infinity"),
    ("0 / 0", "NaN"), ("true || false", "true"), ("null", "null"), ("''", ""), ("'é' + 1", "é1"),
    ("'a\\nb'", "a\nb"), ("Date(2024, 1, 29, 12)", "2024-02-29T12:00:00Z"),
    ("[1, 'a', null, [true]]", #"[1,"a",null,[true]]"#),
    ("{a: 1, b: {c: []}}", #"{"a":1,"b":{"c":[]}}"#),
    (
      "Point({x: 1, y: 2.5, spatialReference: {wkid: 4326}})",
      #"{"x":1,"y":2.5,"spatialReference":{"wkid":4326}}"#
    ),
    ("var n = 0;\nfor (var i = 1; i < 5; i++) { n += i }\nn", "10"),
    ("function twice(x) { x * 2 } twice(21)", "42"), ("-5", "-5"),
  ])
  func `values`(expression: String, text: String) throws {
    let run = try plumb(["eval", "--", expression])
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.output == text + "\n")
  }

  @Test func `the current time is the machine's`() throws {
    let before = Date.now.timeIntervalSince1970
    let run = try plumb(["eval", "Number(Now())"])
    let now = try #require(Double(String(run.output.dropLast()))) / 1000
    #expect(now >= before - 0.001 && now <= Date.now.timeIntervalSince1970 + 0.001)
  }

  @Test func `a line for each feature of a file, in its order`() throws {
    let fixture = try Fixture()
    try fixture.pair()
    let file = fixture.path("sq.geojson")
    let run = try plumb(["eval", "`${$feature.name} ${$FEATURE['N'] * 2}`", "--feature", file])
    #expect(run.lines == ["low 2", "high 4"])
    // The squares are 2 units wide and overlap: the second is offset by 1.
    let shape = try plumb(["eval", "Extent($feature).xmin", "--feature", file])
    #expect(shape.lines == ["0", "1"])
    #expect(try plumb(["eval", "7", "--feature", file]).lines == ["7", "7"])
  }

  @Test func `a layer of a file by its name`() throws {
    let fixture = try Fixture()
    let driver = try #require(VectorDriver.named("GPKG"))
    let file = fixture.path("places.gpkg")
    let writer = try VectorRowWriter(
      path: file, driver: driver, layer: "towns",
      fields: [VectorField(Field(name: "NAME", kind: .text))], reference: "EPSG:4326")
    try writer.append(point: (1, 2), values: [.text("A")])
    try writer.finish()
    let named = try plumb(["eval", "$feature.NAME", "--feature", file + ":towns"])
    #expect(named.output == "A\n", "\(named.errors)")
    try plumb(["eval", "$feature.NAME", "--feature", file + ":villages"]).expectRefusal("villages")
  }

  /// Both squares contain (1.5, 1.5), neither contains (9, 9), and (3, 3) is a corner of the second.
  @Test(arguments: [
    ("0.5,0.5", ["low"]), ("1.5,1.5", ["low", "high"]), ("3,3", ["high"]), ("9,9", []),
  ])
  func `features that contain a point`(point: String, names: [String]) throws {
    let fixture = try Fixture()
    try fixture.pair()
    let run = try plumb([
      "eval", "$feature.NAME", "--feature", fixture.path("sq.geojson"), "--at", point,
    ])
    #expect(run.status == 0 && run.lines == names, "\(run.errors)")
  }

  @Test func `a point is a longitude and a latitude, regardless of the file's CRS`() throws {
    let fixture = try Fixture()
    // In Web Mercator, 250,000 m is about 2.25 degrees at the equator.
    try fixture.features(
      "m.geojson", [Square(0, 0, side: 250_000, #""NAME":"metres""#).json], crs: 3857)
    let sendRequest = ["eval", "$feature.NAME", "--feature", fixture.path("m.geojson"), "--at"]
    #expect(try plumb(sendRequest + ["2,2"]).lines == ["metres"])
    #expect(try plumb(sendRequest + ["3,2"]).lines == [])
  }

  @Test func `a location alone is the feature's shape`() throws {
    let point = try plumb(["eval", "$feature", "--at", "-24.94,60.17"])
    #expect(point.status == 0, "\(point.errors)")
    let shape = try plumb(["eval", "Geometry($feature)", "--at", "-24.94,60.17"])
    #expect(shape.output == #"{"x":-24.94,"y":60.17,"spatialReference":{"wkid":4326}}"# + "\n")
    try plumb(["eval", "$feature.x", "--at", "1,2"])
      .expectRefusal("line 1, column 9: the feature has no field x")
  }

  @Test(arguments: [
    ("1 +", "line 1, column 4: "), ("", "line 1, column 1: the expression is empty"),
    ("var a = 1;\n\n  a + b", "line 3, column 7: the name b is unknown"),
    ("Lenght('x')", "line 1, column 1: there is no function Lenght; did you mean Length?"),
    ("Round(1, 2, 3)", "line 1, column 1: Round takes 1 to 2 values, not 3"),
    ("$fence.name", "line 1, column 1: there is no global $fence"),
    ("[1][\n5]", "the index 5 is out of range for 1 elements"),
    ("var s = 'xxxx'; while (true) s += s", "the expression creates more than 67108864 bytes"),
    ("1 ? 2 : 3", "line 1, column 3: ? : is not supported; use IIf"),
  ])
  func `errors are one line with the position, and status 1`(
    expression: String, message: String
  ) throws {
    let run = try plumb(["eval", expression])
    run.expectRefusal(message)
    #expect(run.output.isEmpty)
  }

  @Test
  func
    `the error of a failed evaluation names the feature and follows the output of earlier features`()
    throws
  {
    let fixture = try Fixture()
    try fixture.pair()
    let run = try plumb([
      "eval", "[10][$feature.N - 1]", "--feature", fixture.path("sq.geojson"),
    ])
    run.expectRefusal("feature 2: line 1, column ", "the index 1 is out of range for 1 elements")
    #expect(run.output == "10\n")
  }

  @Test func `the requirements of $feature`() throws {
    try plumb(["eval", "$feature.x"]).expectRefusal("give --feature FILE or --at X,Y")
    try plumb(["eval", "$feature.x", "--feature", "/no/such/file"]).expectRefusal("/no/such/file")
  }

  @Test(arguments: [
    [], ["1", "2"], ["1", "--at", "5"], ["1", "--at", "x,y"], ["1", "--at", "1,nan"],
    ["1", "--feature"],
  ])
  func `usage errors have status 64`(arguments: [String]) throws {
    let run = try plumb(["eval"] + arguments)
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("Error: ") && run.errors.contains("plumb eval EXPR"))
  }
}
