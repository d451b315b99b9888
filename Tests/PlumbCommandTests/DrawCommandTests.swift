import Foundation
import PlumbTestSupport
import Testing

/// Maps as pictures, through the command.
@Suite struct DrawCommandTests {
  private static func document(_ layers: String) -> String {
    #"{"spatialReference":{"wkid":4326},"operationalLayers":["# + layers + "]}"
  }

  /// A square of one colour, from 0 to 1 degree.
  private static let square =
    #"{"id":"a","layerType":"ArcGISFeatureLayer","url":"a.geojson","drawingInfo":{"renderer":{"#
    + #""type":"simple","symbol":{"type":"esriSFS","style":"esriSFSSolid","color":[200,30,10,255]}}}}"#

  private static let shapes =
    #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
    + #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}}]}"#

  private func scene(_ layers: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("map.json", Self.document(layers))
    try folder.write("a.geojson", Self.shapes)
    return folder
  }

  private func draw(_ folder: TemporaryFolder, _ options: [String]) throws -> ProgramRun {
    try ProgramRun(TestPaths.program("plumb"), ["draw", folder.path("map.json")] + options)
  }

  /// Red, green, blue and opacity of one cell of a picture, as GDAL's own driver reads it; 0 for what
  /// the opacity hides.
  private func cell(_ path: String, _ column: Int, _ row: Int) throws -> [Int] {
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      ["identify", path, "--of", "json", "--at", "\(column).5,\(row).5"])
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let results = value?["results"] as? [[String: Any]]
    let elements = results?.first?["geoElements"] as? [[String: Any]]
    let attributes = try #require(elements?.first?["attributes"] as? [String: Any], "\(run)")
    // Where every cell is opaque the file has no opacity.
    let opacity = attributes.keys.contains("Band_3") ? 0 : 255
    return (0..<4).map { attributes["Band_\($0)"] as? Int ?? ($0 == 3 ? opacity : 0) }
  }

  @Test func areasHaveTheirColoursWhereTheyLie() throws {
    let folder = try scene(Self.square)
    let picture = folder.path("m.png")
    // The square takes the middle half of the picture's width and height.
    let run = try draw(
      folder,
      ["--extent", "-0.5,-0.5,1.5,1.5", "--crs", "EPSG:4326", "--size", "80x80", "-o", picture])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors == "")
    for (column, row) in [(21, 21), (40, 40), (58, 58), (21, 58)] {
      #expect(try cell(picture, column, row) == [200, 30, 10, 255], "\(column), \(row)")
    }
    for (column, row) in [(18, 40), (61, 40), (40, 18), (40, 61), (0, 0), (79, 79)] {
      #expect(try cell(picture, column, row)[3] == 0, "\(column), \(row)")
    }
  }

  @Test func opacityAndVisibilityCount() throws {
    let half = Self.square.dropLast() + #","opacity":0.5}"#
    let folder = try scene(String(half))
    let picture = folder.path("m.png")
    _ = try draw(folder, ["--size", "40x40", "-o", picture])
    let found = try cell(picture, 20, 20)
    #expect((126...129).contains(found[3]) && (198...202).contains(found[0]), "\(found)")
    let hidden = Self.square.dropLast() + #","visibility":false}"#
    try folder.write("map.json", Self.document(String(hidden)))
    let run = try draw(folder, ["--extent", "0,0,1,1", "-o", folder.path("h.png")])
    #expect(run.status == 0)
    #expect(try cell(folder.path("h.png"), 20, 20)[3] == 0)
  }

  /// What a layer cannot show is said, and the others are drawn.
  @Test func brokenLayersAreLeftOut() throws {
    let broken = #"{"id":"b","title":"gone","layerType":"ArcGISFeatureLayer","url":"none.geojson"}"#
    let folder = try scene(Self.square + "," + broken)
    let run = try draw(folder, ["--size", "40x40", "-o", folder.path("m.png")])
    #expect(run.status == 0)
    #expect(run.errors.contains("gone is not drawn"), "\(run.errors)")
    #expect(try cell(folder.path("m.png"), 20, 20) == [200, 30, 10, 255])
  }

  @Test func vectorFormatsHoldShapes() throws {
    let folder = try scene(Self.square)
    for (name, start) in [("m.svg", "<?xml"), ("m.pdf", "%PDF-")] {
      let run = try draw(folder, ["-o", folder.path(name)])
      #expect(run.status == 0, "\(run.errors)")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
      #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(start))
    }
    // A path, and no cells.
    let text = try String(contentsOfFile: folder.path("m.svg"), encoding: .utf8)
    #expect(text.contains("<path") && !text.contains("<image"))
  }

  @Test(arguments: [
    (["-o", "m.gif"], "a picture's name ends in .png, .svg or .pdf", 64),
    (["--extent", "1,1,0,0", "-o", "m.png"], "the lower numbers first", 64),
    (["--center", "0,0", "-o", "m.png"], "--center goes with --scale", 64),
    (["--size", "0x5", "-o", "m.png"], "--size", 64),
    (["--size", "99999x5", "-o", "m.png"], "--size", 64),
    (["--center", "500000,10", "--scale", "5", "-o", "m.png"], "longitude and latitude", 1),
    (["--crs", "EPSG:0", "-o", "m.png"], "EPSG:0", 1),
  ])
  func mistakesAreOneLine(options: [String], part: String, status: Int32) throws {
    let folder = try scene(Self.square)
    let options = options.map { $0.hasPrefix("m.") ? folder.path($0) : $0 }
    let run = try draw(folder, options)
    #expect(run.status == status && run.errors.contains(part), "\(run.status) \(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("m.png")))
  }
}
