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
    try ProgramRun(
      TestPaths.program("plumb"), ["draw", folder.path("map.json"), "--plain"] + options)
  }

  /// The red, green, blue and opacity of a picture's cell, read by GDAL's driver; 0 where it is
  /// transparent.
  private func cell(_ path: String, _ column: Int, _ row: Int) throws -> [Int] {
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      ["identify", path, "--of", "json", "--pixel", "\(column),\(row)"])
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let results = value?["results"] as? [[String: Any]]
    let elements = results?.first?["geoElements"] as? [[String: Any]]
    let attributes = try #require(elements?.first?["attributes"] as? [String: Any], "\(run)")
    // A file whose cells are all opaque does not have an opacity band.
    let opacity = attributes.keys.contains("Band_3") ? 0 : 255
    return (0..<4).map { attributes["Band_\($0)"] as? Int ?? ($0 == 3 ? opacity : 0) }
  }

  @Test func areasHaveTheirColoursWhereTheyLie() throws {
    let folder = try scene(Self.square)
    let picture = folder.path("m.png")
    // The square covers the middle half of the picture's width and height.
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

  /// Failures of layers are reported, and the other layers are drawn.
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
    // A path instead of a picture.
    let text = try String(contentsOfFile: folder.path("m.svg"), encoding: .utf8)
    #expect(text.contains("<path") && !text.contains("<image"))
  }

  /// A picture with a result is rejected for the same reasons as the result's output file.
  @Test func picturesOfResultsAreChecked() throws {
    let folder = try TemporaryFolder()
    let plumb = TestPaths.program("plumb")
    let identify = ["identify", "rasters/cape.json", "--at", "18.42,-33.92", "--picture"]
    try folder.write("there.png", "x")
    let there = try ProgramRun(plumb, identify + [folder.path("there.png")])
    #expect(there.status == 1 && there.errors.contains("--overwrite"), "\(there.errors)")
    #expect(try String(contentsOfFile: folder.path("there.png"), encoding: .utf8) == "x")
    let unknown = try ProgramRun(plumb, identify + [folder.path("a.bmp")])
    #expect(unknown.status != 0 && unknown.errors.contains("png"), "\(unknown.errors)")
    let nowhere = try ProgramRun(plumb, identify + [folder.path("no/a.png")])
    #expect(nowhere.status == 1, "\(nowhere.errors)")
    for arguments in [
      identify + [folder.path("a.svg")],
      ["buffer", "--at", "18.4,-33.9", "--distance", "1", "--picture", folder.path("b.pdf")],
    ] {
      let run = try ProgramRun(plumb, arguments)
      #expect(run.status == 0 && !run.output.isEmpty, "\(run.errors)")
      #expect(FileManager.default.fileExists(atPath: arguments[arguments.count - 1]))
    }
  }

  /// The legend and the scale bar are on panels at the right and left. A picture with panels is
  /// white below the panels.
  @Test func annotationsAreDrawn() throws {
    let folder = try scene(Self.square)
    let picture = folder.path("m.png")
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      [
        "draw", folder.path("map.json"), "--extent", "-1,-1,2,2", "--crs", "EPSG:4326", "--size",
        "300x300", "-o", picture,
      ])
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(try cell(picture, 5, 150) == [255, 255, 255, 255])
    #expect(try cell(picture, 150, 150) == [200, 30, 10, 255])
    // The borders of the two panels.
    for (column, row) in [(289, 20), (10, 280)] {
      let found = try cell(picture, column, row)
      #expect(found[0] < 250, "\(column), \(row): \(found)")
    }
  }

  /// A raster's renderer determines its colours; values that it does not cover are omitted.
  @Test(arguments: [
    (#"{"type":"rasterColormap","colormapInfos":[{"value":7,"color":[9,8,7]}]}"#, [9, 8, 7]),
    (
      #"{"type":"classBreaks","field":"Value","minValue":0,"classBreakInfos":[{"classMaxValue":9,"#
        + #""symbol":{"type":"esriSFS","style":"esriSFSSolid","color":[1,2,3,255]}}]}"#, [1, 2, 3]
    ),
    (
      #"{"type":"rasterStretch","stretchType":"minMax","statistics":[[7,9,8,1]],"colorRamp":{"#
        + #""type":"algorithmic","fromColor":[50,60,70,255],"toColor":[0,0,0,255]}}"#, [50, 60, 70]
    ),
    (
      #"{"type":"rasterStretch","stretchType":"minMax","statistics":[[5,9,8,1]],"colorRamp":{"#
        + #""type":"algorithmic","fromColor":[0,0,0,255],"toColor":[100,200,40,255]}}"#,
      [50, 100, 20]
    ),
    // Unusable renderers are ignored, and the raster's values are drawn in grey.
    (#"{"type":"rasterStretch","statistics":"x","colorRamp":[1]}"#, [133, 133, 133]),
  ])
  func rastersHaveTheirRenderersColours(renderer: String, color: [Int]) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "r.asc",
      "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9\n7 7\n7 -9\n")
    let layer =
      #"{"id":"r","layerType":"RasterLayer","url":"r.asc","layerDefinition":{"drawingInfo":"#
      + #"{"renderer":"# + renderer + "}}}"
    try folder.write("map.json", Self.document(layer))
    let picture = folder.path("m.png")
    let run = try draw(
      folder, ["--extent", "0,0,2,2", "--crs", "EPSG:4326", "--size", "40x40", "-o", picture])
    #expect(run.status == 0, "\(run.errors)")
    let found = try cell(picture, 10, 10)
    #expect(zip(found, color).allSatisfy { abs($0 - $1) <= 1 } && found[3] == 255, "\(found)")
    #expect(try cell(picture, 30, 30)[3] == 0)
  }

  /// Results of verbs are drawn over a map with symbols for their kind.
  @Test func resultsAreDrawn() throws {
    let folder = try scene(Self.square)
    let plumb = TestPaths.program("plumb")
    let event =
      #"{"time":"2026-05-01T10:00:00Z","entity":"a","monitor":"m","fence":"f","fenceId":"1","#
      + #""type":"exited","message":"f","x":0.5,"y":0.5,"index":0}"#
    try folder.write("events.jsonl", event + "\n")
    let explicitRun = try ProgramRun(
      plumb, ["identify", folder.path("map.json"), "--at", "0.5,0.5", "--of", "json"])
    try folder.write("asked.json", explicitRun.output)
    let areas = try ProgramRun(
      plumb, ["buffer", "--at", "0.5,0.5", "--distance", "0.3", "--unit", "deg"])
    try folder.write("areas.geojson", areas.output)
    // The colour in the middle of each: red for the remainder, and blue over the red of the square.
    for (name, isExpected) in [
      ("events.jsonl", { $0[0] == 200 && $0[1] == 30 && $0[2] == 45 }),
      ("asked.json", { $0[0] > 180 && $0[2] < 60 }),
      ("areas.geojson", { $0[2] > 40 && $0[0] < 170 }),
    ] as [(String, ([Int]) -> Bool)] {
      let picture = folder.path(name + ".png")
      let run = try draw(
        folder,
        [
          "--extent", "0,0,1,1", "--crs", "EPSG:4326", "--size", "80x80", "-o", picture,
          "--result", folder.path(name),
        ])
      #expect(run.status == 0 && run.errors == "", "\(name): \(run.errors)")
      let found = try cell(picture, 40, 40)
      #expect(isExpected(found), "\(name): \(found)")
    }
    try folder.write("bad.jsonl", event + "\n{\"time\":1}\n")
    let run = try draw(folder, ["-o", folder.path("b.png"), "--result", folder.path("bad.jsonl")])
    #expect(run.status == 1 && run.errors.contains("line 2"), "\(run.errors)")
  }

  @Test(arguments: [
    (["-o", "m.gif"], "a name that ends in .png, .svg or .pdf is expected", 64),
    (["--extent", "1,1,0,0", "-o", "m.png"], "the lower numbers first", 64),
    (["--center", "0,0", "-o", "m.png"], "--center needs --scale", 64),
    (["--size", "0x5", "-o", "m.png"], "--size", 64),
    (["--size", "99999x5", "-o", "m.png"], "--size", 64),
    (["--extent", "1,1,0", "-o", "m.png"], "--extent", 64),
    (["--center", "1,x", "--scale", "9", "-o", "m.png"], "--center", 64),
    (["--center", "1,2", "--scale", "-9", "-o", "m.png"], "a number above 0", 64),
    (["--center", "1,2", "--scale", "9", "--extent", "0,0,1,1", "-o", "m.png"], "--center", 64),
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
