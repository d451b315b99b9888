import Foundation
import PlumbTestSupport
import Testing

/// The file extension of -o determines the format, by the same rule in every verb.
struct OutputEndingTests {
  private static let verbs = [
    "identify": "identify grid.tif --points p.csv",
    "buffer": "buffer p.csv --distance 1 --unit deg --crs 4326",
    "trace": "trace net.inp --type upstream --start C",
    "segments": "trace net.inp --segments --valve-layer valves.csv",
    "monitor": "monitor --feed track.csv --fences fences.geojson",
  ]

  private func fixture() throws -> Fixture {
    let fixture = try TraceScene.folder()
    try fixture.grid()
    try fixture.folder.write("p.csv", "x,y\n0.5,-0.5\n")
    try fixture.folder.write("fences.geojson", MonitorScene.fences)
    try fixture.folder.write("track.csv", MonitorScene.track)
    return fixture
  }

  private func run(_ verb: String, _ options: [String], _ fixture: Fixture) throws -> ProgramRun {
    let arguments = try #require(Self.verbs[verb]).split(separator: " ").map(String.init)
    return try plumb(arguments + ["-q"] + options, folder: fixture.folder.path)
  }

  @Test(arguments: verbs.keys.sorted(), ["foo", "map", "csv.gz", "v2", "x10"])
  func `an unknown extension is an error that lists the known ones`(verb: String, ending: String)
    throws
  {
    let fixture = try fixture()
    let before = try fixture.names
    let refused = try run(verb, ["-o", "q." + ending], fixture)
    refused.expectRefusal("q." + ending, "." + (ending.split(separator: ".").last ?? ""), ".json")
    #expect(try fixture.names == before)
  }

  @Test(arguments: [
    ("identify", "txt", ".csv, .tsv, .tab, .jsonl"), ("buffer", "txt", ".geojson, .json"),
    ("buffer", "jsonl", ".gpkg"), ("trace", "csv", ".txt, .text, .json, .geojson, .gpkg"),
    ("segments", "txt", ".json"), ("monitor", "txt", ".jsonl, .ndjson, .json, .csv"),
  ])
  func `extensions of other verbs, and unusual ones of GDAL's, are unknown`(
    verb: String, ending: String, known: String
  ) throws {
    let fixture = try fixture()
    try run(verb, ["-o", "q." + ending], fixture).expectRefusal("q." + ending, known)
  }

  @Test(arguments: [
    ("identify", "o.csv", "x,y,grid"), ("identify", "o.TSV", "x\ty\tgrid"),
    ("identify", "o.jsonl", "{\"place\""), ("identify", "o.json", "{\"type\":\"FeatureCollection"),
    ("identify", "plain", "x,y,grid"), ("identify", ".hidden", "x,y,grid"),
    ("buffer", "o.csv", "x,y,WKT"), ("buffer", "plain", "{\"type\":\"FeatureCollection"),
    ("buffer", "o.geojsonl", "{\"type\":\"Feature\","), ("trace", "o.json", "{\"traceResults"),
    ("trace", "o.txt", "upstream"), ("trace", "plain", "upstream"),
    ("trace", "o.geojson", "{\"type\":\"FeatureCollection"), ("segments", "o.csv", "segment,"),
    ("segments", "o.json", "{"), ("segments", "plain", "{"),
    ("monitor", "o.json", "{\"time\""), ("monitor", "o.csv", "time,"),
    ("monitor", "plain", "{\"time\""), ("monitor", "o.geojson", "{\"type\":\"FeatureCollection"),
  ])
  func `the extension decides, a name without one selects the default`(
    verb: String, name: String, start: String
  ) throws {
    let fixture = try fixture()
    let run = try run(verb, ["-o", name], fixture)
    #expect(run.status == 0, "\(run.errors)")
    let text = try fixture.text(name)
    #expect(text.hasPrefix(start), "\(verb) \(name): \(text)")
  }

  @Test(arguments: [
    ("identify", "--of", "csv", "x,y,grid"), ("buffer", "--of", "csv", "x,y,WKT"),
    ("trace", "--format", "json", "{\"traceResults"), ("segments", "--format", "csv", "segment,"),
    ("monitor", "--of", "csv", "time,"),
  ])
  func `a format given by name has precedence over the extension`(
    verb: String, option: String, name: String, start: String
  ) throws {
    let fixture = try fixture()
    for output in ["o.geojson", "o.foo"] {
      let run = try run(verb, [option, name, "-o", output], fixture)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try fixture.text(output).hasPrefix(start))
    }
  }

  @Test(arguments: ["gpkg", "shp", "fgb", "kml", "sqlite", "gml", "xlsx"])
  func `usual extensions of GDAL's formats are known`(ending: String) throws {
    let fixture = try fixture()
    for verb in ["identify", "buffer"] {
      let name = verb + "." + ending
      let run = try run(verb, ["-o", name], fixture)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try !fixture.bytes(name).isEmpty)
    }
  }

  @Test(arguments: verbs.keys.sorted())
  func `- is standard output, and ./- is a file`(verb: String) throws {
    let fixture = try fixture()
    let before = try fixture.names
    let plain = try run(verb, [], fixture)
    #expect(plain.status == 0 && !plain.output.isEmpty, "\(plain)")
    for options in [["-o", "-"], ["--output", "-"], ["-o", "-", "--overwrite"]] {
      let dash = try run(verb, options, fixture)
      #expect(dash.status == 0 && dash.output == plain.output, "\(options): \(dash)")
    }
    #expect(try fixture.names == before)
    // The output of formats that GDAL writes, and of databases, must be a file.
    let refused = try run(verb, ["-o", "-", "--of", "gpkg"], fixture)
    #expect(refused.status != 0 && refused.output.isEmpty)
    let first = refused.errors.split(separator: "\n").first ?? ""
    #expect(first.contains("file") && first.contains("-o"), "\(refused.errors)")
    #expect(try fixture.names == before)
    let file = try run(verb, ["-o", "./-"], fixture)
    #expect(file.status == 0 && file.output.isEmpty, "\(file)")
    #expect(try fixture.text("-") == plain.output)
  }

  @Test func `the output of --at may be sent to - too`() throws {
    let fixture = try fixture()
    let sendRequest = ["identify", "grid.tif", "--at", "0.5,-0.5"]
    let plain = try plumb(sendRequest, folder: fixture.folder.path)
    let dash = try plumb(sendRequest + ["-o", "-"], folder: fixture.folder.path)
    #expect(plain.status == 0 && dash.status == 0 && dash.output == plain.output)
    let file = try plumb(sendRequest + ["-o", "o.txt"], folder: fixture.folder.path)
    #expect(file.status == 64 && file.errors.contains("-o needs --points or --pixels"))
  }
}
