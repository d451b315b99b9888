import Foundation
import PlumbTestSupport
import Testing

/// Expressions and points that look like options, and values that cannot be printed.
@Suite struct EvalArgumentTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "trees.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"oak"},
      "geometry":{"type":"Point","coordinates":[24.5,60.25]}}]}
      """)
  }

  func run(_ arguments: String...) throws -> ProgramRun {
    try ProgramRun(TestPaths.program("plumb"), ["eval"] + arguments, folder: folder.path)
  }

  @Test(
    "an expression that begins with a minus sign is not an option",
    arguments: [
      ("-7 % 3", "-1\n"), ("-Abs(-5)", "-5\n"), ("-1/0", "-Infinity\n"), ("-h", "usage"),
    ])
  func minus(expression: String, value: String) throws {
    let run = try run(expression)
    #expect(run.status == 0)
    if value == "usage" {
      #expect(run.output.contains("USAGE: plumb eval EXPR"))
    } else {
      #expect(run.output == value && run.errors == "")
    }
  }

  @Test("options may follow an expression that begins with a minus sign") func minusAndOptions()
    throws
  {
    #expect(try run("-Geometry($feature).x", "--at", "-24.5,60").output == "24.5\n")
    #expect(try run("-Geometry($feature).x", "--feature", "trees.geojson").output == "-24.5\n")
    #expect(try run("--", "-2 + 1").output == "-1\n")
    #expect(try run("--fature", "x").status == 64)
  }

  @Test("a point off the globe is refused", arguments: ["500,0", "0,91", "361,-91"])
  func points(point: String) throws {
    let run = try run("1", "--at", point)
    #expect(run.status == 64 && run.output == "")
    #expect(
      run.errors.contains("a pair of longitude and latitude in degrees, in this order, is expected")
    )
  }

  @Test("a value that cannot be printed in full is an error, not truncated") func wholeValues()
    throws
  {
    let deep = try run("var a = [1]; for (var i = 0; i < 100; i++) { a = [a] } a")
    #expect(deep.status == 1 && deep.output == "")
    #expect(deep.errors.contains("nests deeper than 64 levels"))
    let wide = try run("var a = [1]; for (var i = 0; i < 60; i++) { a = [a, a] } a")
    #expect(wide.status == 1 && wide.output == "" && wide.errors.contains("too long"))
  }

  @Test("a feature's shape has the number of its CRS, regardless of the CRS's name in the file")
  func reference() throws {
    let run = try run(
      "Geometry($feature).spatialReference.wkid", "--feature", "trees.geojson")
    #expect(run.output == "4326\n" && run.errors == "")
    let shape = try self.run("Geometry($feature)", "--feature", "trees.geojson")
    #expect(shape.output == "{\"x\":24.5,\"y\":60.25,\"spatialReference\":{\"wkid\":4326}}\n")
  }
}
