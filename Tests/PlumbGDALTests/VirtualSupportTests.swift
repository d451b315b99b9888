import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// VRTs with parts that the installed GDAL ignores: the error names the part.
@Suite struct VirtualSupportTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a.asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n")
  }

  private func failure(_ band: String, _ dataset: String = "", _ name: String = "m.vrt") throws
    -> String?
  {
    try folder.write(
      name,
      "<VRTDataset rasterXSize=\"1\" rasterYSize=\"1\" \(dataset)>"
        + "<GeoTransform>0,2,0,2,0,-2</GeoTransform><VRTRasterBand dataType=\"Float32\" band=\"1\" "
        + band + "</VRTRasterBand></VRTDataset>")
    do {
      _ = try GDALRasterSource(path: folder.path(name))
      return nil
    } catch {
      return error.message
    }
  }

  private static func source(_ name: String) -> String {
    "><\(name)><SourceFilename relativeToVRT=\"1\">a.asc</SourceFilename><SourceBand>1</SourceBand>"
      + "</\(name)>"
  }

  private static func function(_ name: String, _ more: String = "") -> String {
    "subClass=\"VRTDerivedRasterBand\"><PixelFunctionType>\(name)</PixelFunctionType>\(more)"
  }

  @Test(arguments: ["SimpleSource", "complexsource", "AveragedSource"])
  func `sources that GDAL can parse are opened`(name: String) throws {
    #expect(try failure(Self.source(name)) == nil)
  }

  @Test(arguments: ["NoSuchSource", "Sampled"])
  func `other sources are reported by name`(name: String) throws {
    let message = try failure(Self.source("SimpleSource") + Self.source(name).dropFirst())
    #expect(message?.contains("GDAL 3") == true)
    #expect(message?.contains("does not support the source <\(name)>") == true, "\(message ?? "")")
  }

  @Test func `pixel functions that GDAL lacks are reported by name`() throws {
    #expect(try failure(Self.function("sum")) == nil)
    let message = try failure(Self.function("no_such_function"))
    #expect(message?.contains("does not support the pixel function no_such_function") == true)
    // GDAL rejects functions in Python.
    let python = "<PixelFunctionLanguage>Python</PixelFunctionLanguage>"
    let failureText = try failure(Self.function("a.b", python))
    #expect(failureText?.contains("pixel function") != true)
  }

  @Test func `classes that GDAL treats as plain ones are reported by name`() throws {
    let message = try failure(Self.source("SimpleSource"), "subClass=\"VRTNoSuchDataset\"")
    #expect(message?.contains("does not support the class VRTNoSuchDataset") == true)
  }

  @Test func `sources of sources and VRTs in archives are checked, too`() throws {
    _ = try failure(Self.source("NoSuchSource"), "", "inner.vrt")
    let outer = try failure(
      Self.source("SimpleSource").replacing("a.asc", with: "inner.vrt"), "", "outer.vrt")
    #expect(outer?.contains("inner.vrt needs another GDAL") == true, "\(outer ?? "")")
    let text = try String(contentsOfFile: folder.path("inner.vrt"), encoding: .utf8)
    try ZIPFile.write(folder.path("a.zip"), name: "d/m.vrt", head: text, blanks: 0, tail: "")
    #expect {
      try GDALRasterSource(path: "/vsizip/" + folder.path("a.zip") + "/d/m.vrt")
    } throws: { error in
      "\(error)".contains("does not support the source <NoSuchSource>")
    }
  }
}
