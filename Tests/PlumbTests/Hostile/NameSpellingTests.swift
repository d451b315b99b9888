import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Names that are equal as `String`, or whose letters are hidden by a combining mark, but differ as
/// file names.
@Suite(.enabled(if: keepsSpellings, "this file system makes names equal"))
struct NameSpellingTests {
  private static let grid = "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n"

  private static func failure(_ url: String, _ folder: TemporaryFolder, _ map: String) throws
    -> String?
  {
    let path = try folder.write(
      map,
      MapDocumentTests.map(ofLayers: #"{"id":"a","layerType":"RasterLayer","url":"\#(url)"}"#))
    return MapDocumentTests.failure(try Map.open(path: path).layers[0], folder)
  }

  private static func vrt(_ sources: [String]) -> String {
    "<VRTDataset rasterXSize=\"1\" rasterYSize=\"1\"><GeoTransform>0,2,0,2,0,-2</GeoTransform><VRTRasterBand dataType=\"Byte\" band=\"1\">"
      + sources.map {
        "<SimpleSource><SourceFilename relativeToVRT=\"1\">\($0)</SourceFilename></SimpleSource>"
      }.joined() + "</VRTRasterBand></VRTDataset>"
  }

  @Test func `a folder of the same characters is another folder`() throws {
    let folder = try TemporaryFolder()
    for name in ["caf\u{E9}", "cafe\u{301}"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      try folder.write(name + "/o.asc", Self.grid)
    }
    let map = "caf\u{E9}/map.json"
    #expect(try Self.failure("o.asc", folder, map) == nil)
    #expect(
      try Self.failure("../cafe\u{301}/o.asc", folder, map)?.contains("outside the map's folder")
        == true)
  }

  @Test func `each source with the same characters is checked`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("maps"), withIntermediateDirectories: true)
    try folder.write("o.asc", Self.grid)
    try folder.write("maps/m.asc", Self.grid)
    try folder.write("maps/\u{E9}.vrt", Self.vrt(["m.asc"]))
    try folder.write("maps/e\u{301}.vrt", Self.vrt(["../o.asc"]))
    try folder.write("maps/v.vrt", Self.vrt(["\u{E9}.vrt", "e\u{301}.vrt"]))
    try folder.write("maps/w.vrt", Self.vrt(["\u{E9}.vrt"]))
    #expect(try Self.failure("w.vrt", folder, "maps/map.json") == nil)
    #expect(
      try Self.failure("v.vrt", folder, "maps/map.json")?.contains("outside the map's folder")
        == true)
  }

  @Test func `a combining mark after a sign hides no driver and no folder`() throws {
    let folder = try TemporaryFolder()
    for url in [
      "WFS:\u{301}http://127.0.0.1/", "/vsicurl/\u{301}http://127.0.0.1/", " <VRTDataset/>",
    ] {
      #expect(
        try Self.failure(url, folder, "map.json")?.contains("is not a path in the map's folder")
          == true, "\(url)")
    }
    #expect(
      try Self.failure("PG:\u{301}dbname=x", folder, "map.json")?.contains("may not set") == true)
    #expect(
      try Self.failure("*/../\u{301}../../o*", folder, "map.json")?.contains("outside") == true)
    #expect("a/\u{301}b".pathWords == ["a", "\u{301}b"])
    #expect("a/\u{301}b".folderPrefix == "a/")
    #expect(!"\u{212A}".hasSameBytes(as: "K") && ByteName("\u{212A}") != ByteName("K"))
    #expect("\u{212A}\u{130}A".lowercasedASCII.hasSameBytes(as: "\u{212A}\u{130}a"))
  }
}

private let keepsSpellings: Bool = {
  guard let folder = try? TemporaryFolder(), (try? folder.write("\u{E9}", "x")) != nil else {
    return false
  }
  return !FileManager.default.fileExists(atPath: folder.path("e\u{301}"))
}()
