import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Nested virtual sources multiply, so the number that GDAL would open is limited before the first
/// is opened, whether a document or the user names them.
@Suite struct VirtualTreeTests {
  private static func vrt(_ sources: [String], isInOneBand: Bool = true) -> String {
    let elements = sources.map {
      "<SimpleSource><SourceFilename relativeToVRT=\"1\">\($0)</SourceFilename><SourceBand>1"
        + "</SourceBand></SimpleSource>"
    }
    let bands = isInOneBand ? [elements.joined()] : elements
    return "<VRTDataset rasterXSize=\"1\" rasterYSize=\"1\">"
      + "<GeoTransform>0,2,0,2,0,-2</GeoTransform>"
      + bands.map { "<VRTRasterBand dataType=\"Byte\" band=\"1\">\($0)</VRTRasterBand>" }.joined()
      + "</VRTDataset>"
  }

  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("a.asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n")
    return folder
  }

  private static func failure(_ path: String) -> String? {
    do {
      _ = try GDALRasterSource(path: path)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `nine levels of ten sources are refused`() throws {
    let folder = try Self.folder()
    try folder.write("l0.vrt", Self.vrt([String](repeating: "a.asc", count: 10)))
    for level in 1..<9 {
      // Ten different spellings of the source on the next level.
      let below = (0..<10).map { String(repeating: "./", count: $0) + "l\(level - 1).vrt" }
      try folder.write("l\(level).vrt", Self.vrt(below))
    }
    let text = Self.failure(folder.path("l8.vrt"))
    #expect(text?.contains("nested virtual sources that open more than") == true)
    // A source that is listed ten times is read ten times.
    try folder.write("m0.vrt", Self.vrt([String](repeating: "a.asc", count: 10)))
    for level in 1..<9 {
      try folder.write(
        "m\(level).vrt", Self.vrt([String](repeating: "m\(level - 1).vrt", count: 10)))
    }
    #expect(Self.failure(folder.path("m8.vrt"))?.contains("open more than") == true)
    // The same applies to a different name, and to a description instead of a name.
    try FileManager.default.copyItem(atPath: folder.path("m7.vrt"), toPath: folder.path("n.tif"))
    try folder.write("o.vrt", Self.vrt([String](repeating: "n.tif", count: 10)))
    #expect(Self.failure(folder.path("o.vrt"))?.contains("open more than") == true)
  }

  @Test func `an endless chain and a cycle are refused`() throws {
    let folder = try Self.folder()
    try folder.write("c0.vrt", Self.vrt(["a.asc"]))
    for level in 1...20 { try folder.write("c\(level).vrt", Self.vrt(["c\(level - 1).vrt"])) }
    let deep = Self.failure(folder.path("c20.vrt"))
    #expect(deep?.contains("nests virtual sources too deeply") == true)
    #expect(Self.failure(folder.path("c9.vrt")) == nil)
    try folder.write("x.vrt", Self.vrt(["y.vrt"]))
    try folder.write("y.vrt", Self.vrt(["x.vrt"]))
    #expect(Self.failure(folder.path("x.vrt"))?.contains("refers to itself") == true)
  }

  @Test func `large mosaics and bands of mosaics stay open`() throws {
    let folder = try Self.folder()
    try folder.write("wide.vrt", Self.vrt([String](repeating: "a.asc", count: 3000)))
    try folder.write(
      "bands.vrt", Self.vrt([String](repeating: "wide.vrt", count: 40), isInOneBand: false))
    #expect(Self.failure(folder.path("wide.vrt")) == nil)
    #expect(Self.failure(folder.path("bands.vrt")) == nil)
  }
}
