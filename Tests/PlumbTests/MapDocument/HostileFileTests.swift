import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbGeometry
@testable import PlumbLayers

/// Files in a map's folder that are not of the expected kind.
@Suite struct HostileFileTests {
  private static func failure(
    _ url: String, in folder: TemporaryFolder, type: String = "ArcGISFeatureLayer"
  ) throws -> String? {
    let path = try folder.write(
      "map.json",
      MapDocumentTests.map(ofLayers: #"{"id":"a","layerType":"\#(type)","url":"\#(url)"}"#))
    return MapDocumentTests.failure(try Map.open(path: path).layers[0], folder)
  }

  /// The pipe does not have a writer, so opening it would block.
  @Test func pipesAndDevices() throws {
    let folder = try TemporaryFolder()
    for name in ["p.geojson", "p.tif", "m.shp", "n.tif.aux.xml"] {
      #expect(mkfifo(folder.path(name), 0o600) == 0)
    }
    try folder.write("n.tif", "II")
    try folder.write("m.dbf", "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("d.geojson"), withDestinationPath: "/dev/zero")
    for type in ["ArcGISFeatureLayer", "RasterLayer", "ArcGISMapServiceLayer"] {
      for name in ["p.geojson", "p.tif", "m.shp", "m.dbf", "n.tif"] {
        if type == "ArcGISMapServiceLayer", ["m.dbf", "n.tif"].contains(name) { continue }
        #expect(
          try Self.failure(name, in: folder, type: type)?.contains(
            "is a pipe or a device, not a file") == true, "\(name)")
      }
      #expect(try Self.failure("d.geojson", in: folder, type: type)?.contains("outside") == true)
    }
    #expect(throws: GDALError.self) { try VectorFeatureReader(path: folder.path("p.geojson")) }
    #expect(throws: GDALError.self) { try GDALRasterSource(path: folder.path("p.tif")) }
    #expect(throws: (any Error).self) { try FenceFile("/dev/null") }
  }

  @Test func overviews() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n")
    #expect(try Self.failure("a.asc", in: folder, type: "RasterLayer") == nil)
    for side in ["a.asc.ovr", "a.asc.msk", "a.OVR", "a.asc.ovr.msk"] {
      try folder.write(side, "<VRTDataset/>")
      #expect(
        try Self.failure("a.asc", in: folder, type: "RasterLayer")?.hasSuffix(
          "\(side) is not a TIFF or an HFA file, and may refer to other files; "
            + "this requires access outside the folder")
          == true)
      try FileManager.default.removeItem(atPath: folder.path(side))
    }
  }

  /// A file that has the name of a class table is read only as a table.
  @Test func classTables() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n")
    try folder.write("t.csv", "Value,Name\n7,secret\n")
    try folder.write(
      "a.asc.vat.dbf",
      "<OGRVRTDataSource><OGRVRTLayer name=\"t\"><SrcDataSource>\(folder.path("t.csv"))"
        + "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>")
    #expect(try GDALRasterSource(path: folder.path("a.asc")).profile.bands[0].classes == nil)
  }

  /// A megabyte that would expand to a gigabyte is not decompressed.
  @Test func archives() throws {
    let folder = try TemporaryFolder()
    let head =
      "<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><Placemark><Point>"
      + "<coordinates>1,2</coordinates></Point></Placemark>"
    let tail = "</Document></kml>"
    try ZIPFile.write(folder.path("good.kmz"), name: "doc.kml", head: head, blanks: 0, tail: tail)
    try ZIPFile.write(
      folder.path("bad.kmz"), name: "doc.kml", head: head, blanks: 100 << 20, tail: tail)
    #expect(try Self.failure("good.kmz", in: folder) == nil)
    #expect(
      try Self.failure("bad.kmz", in: folder)?.contains("bad.kmz unpacks to more than 64 MB")
        == true)
  }

  @Test(
    arguments: [
      (#"+init=/etc/passwd:x"#, true), ("+proj=longlat +nadgrids=/tmp/x.gsb", true),
      ("+proj=longlat +nadgrids=@./x.gsb,null", true), ("+proj=longlat +geoidgrids=~/x.gtx", true),
      ("+proj=longlat +nadgrids=a/../../x.gsb", true), ("init=../x:y", true),
      (#"GEOGCS["x",EXTENSION["PROJ4","+proj=longlat +nadgrids=/x +wktext"]]"#, true),
      (#"X[PARAMETERFILE["Latitude and longitude difference file","/x.gsb"]]"#, true),
      (#"{"type":"X","value":"\/x.gsb"}"#, true), (#"{"value":"..\/x.gsb"}"#, true),
      (#"{"name":"a\"b","value":"/x.gsb"}"#, true), (#"{"value":"\u002e\u002e\u002Fx"}"#, true),
      ("+proj=longlat +nadgrids=null,/x.gsb", true), ("+proj=longlat +nadgrids=/x=y", true),
      ("+init=epsg:4326", false), ("+proj=longlat +nadgrids=@null", false), ("EPSG:4326", false),
      ("+proj=utm +zone=33 +to_meter=1200/3937", false),
      (
        #"PROJCS["ETRS89 / UTM zone 33N",URI["http://www.opengis.net/def/crs/EPSG/0/25833"]]"#,
        false
      ),
      ("+proj=longlat +nadgrids=us_noaa_conus.tif", false),
    ] as [(String, Bool)])
  func references(_ text: String, _ leads: Bool) throws {
    #expect((SpatialReference.file(namedIn: text) != nil) == leads)
    guard leads else { return }
    let folder = try TemporaryFolder()
    let quoted = text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"")
    let path = try folder.write(
      "map.json", #"{"spatialReference":{"wkt":"\#(quoted)"},"operationalLayers":[]}"#)
    #expect {
      try Map.open(path: path)
    } throws: {
      "\($0)".contains("the CRS names the file")
        && "\($0)".contains("access outside the folder")
    }
  }
}
