import CGDAL
import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// CRS definitions that name files, in every place where GDAL takes a definition from a document's
/// source: PROJ opens the file in `+init=` while GDAL reads the definition. The library rejects
/// them without the kernel's sandbox.
@Suite struct HostileReferenceTests {
  /// The title of a CRS in a file outside the map's folder.
  private static let token = "PLUMB-SECRET-2b81"

  private struct Source: CustomTestStringConvertible {
    var name: String
    var type = "ArcGISFeatureLayer"
    var file: String
    /// The content of files by name; `{REF}` is the CRS, as XML, as JSON or unchanged.
    var texts: [String: String]

    var testDescription: String { name }
  }

  private static let grid = "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n"
  private static let wkt =
    #"GEOGCS["x",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],"#
    + #"UNIT["degree",0.0174532925199433],EXTENSION["PROJ4","{REF}"]]"#

  private static let sources: [Source] = [
    Source(
      name: "GeoJSON", file: "t.geojson",
      texts: [
        "t.geojson":
          #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"{REF}"}},"features":[]}"#
      ]),
    Source(
      name: "GeoJSON with escapes", file: "t.geojson",
      texts: [
        "t.geojson":
          #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"\u002Bproj=longlat \u002Bi\u006Eit{REST}"}},"features":[]}"#
      ]),
    Source(
      name: "a feature set", file: "t.json",
      texts: [
        "t.json":
          #"{"geometryType":"esriGeometryPoint","spatialReference":{"wkt":"{REF}"},"fields":[],"features":[{"attributes":{},"geometry":{"x":1,"y":1}}]}"#
      ]),
    Source(
      name: "GMT", file: "t.gmt",
      texts: ["t.gmt": "# @VGMT1.0 @GPOINT\n# @Jp\"{REF}\"\n# FEATURE_DATA\n1 1\n"]),
    Source(
      name: "an OGR VRT", file: "v.vrt",
      texts: [
        "v.vrt":
          "<OGRVRTDataSource><OGRVRTLayer name='t'><SrcDataSource relativeToVRT='1'>t.csv</SrcDataSource>"
          + "<LayerSRS>{REF}</LayerSRS></OGRVRTLayer></OGRVRTDataSource>",
        "t.csv": "WKT,n\n\"POINT(1 1)\",1\n",
      ]),
    Source(
      name: "PAM", type: "RasterLayer", file: "g.asc",
      texts: ["g.asc": grid, "g.asc.aux.xml": "<PAMDataset><SRS>{REF}</SRS></PAMDataset>"]),
    Source(
      name: "PAM of control points", type: "RasterLayer", file: "g.bmp",
      texts: [
        "g.bmp": "",
        "g.bmp.aux.xml":
          "<PAMDataset><GCPList Projection='{REF}'><GCP Id='' Pixel='0' Line='0' X='0' Y='0'/>"
          + "<GCP Id='' Pixel='1' Line='0' X='1' Y='0'/><GCP Id='' Pixel='0' Line='1' X='0' Y='1'/>"
          + "</GCPList></PAMDataset>",
      ]),
    Source(
      name: "geolocation arrays", type: "RasterLayer", file: "g.bmp",
      texts: [
        "g.bmp": "", "x.asc": grid,
        "g.bmp.aux.xml":
          "<PAMDataset><Metadata domain='GEOLOCATION'><MDI key='SRS'>{REF}</MDI>"
          + "<MDI key='X_DATASET'>x.asc</MDI><MDI key='X_BAND'>1</MDI>"
          + "<MDI key='Y_DATASET'>x.asc</MDI><MDI key='Y_BAND'>1</MDI></Metadata></PAMDataset>",
      ]),
    Source(
      name: "a VRT", type: "RasterLayer", file: "v.vrt",
      texts: [
        "v.vrt":
          "<VRTDataset rasterXSize='1' rasterYSize='1'><SRS>{REF}</SRS>"
          + "<GeoTransform>0,1,0,1,0,-1</GeoTransform>"
          + "<VRTRasterBand dataType='Byte' band='1'/></VRTDataset>"
      ]),
    Source(
      name: "PROJ's text in a .prj", type: "RasterLayer", file: "g.asc",
      texts: ["g.asc": grid, "g.prj": wkt]),
    Source(
      name: "an ENVI header", type: "RasterLayer", file: "e.img",
      texts: [
        "e.img": "0000",
        "e.hdr":
          "ENVI\nsamples = 2\nlines = 2\nbands = 1\nheader offset = 0\ndata type = 1\ninterleave = bsq\n"
          + "map info = {x, 1, 1, 0, 0, 1, 1}\ncoordinate system string = {" + wkt + "}\n",
      ]),
  ]

  /// A picture of one cell without a CRS.
  private static let picture: [UInt8] =
    [0x42, 0x4D, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    + [1, 0, 24, 0, 0, 0, 0, 0, 4, 0, 0, 0] + [UInt8](repeating: 0, count: 20)

  private static func failure(
    _ source: Source, naming path: String, in folder: TemporaryFolder,
    access: DocumentAccess = .folder
  ) throws -> String? {
    for (name, text) in source.texts {
      try folder.write(
        "maps/" + name,
        text.replacingOccurrences(of: "{REF}", with: "+proj=longlat +init=\(path):1")
          .replacingOccurrences(of: "{REST}", with: "=\(path):1"))
      if name.hasSuffix(".bmp") {
        try Data(picture).write(to: URL(fileURLWithPath: folder.path("maps/" + name)))
      }
    }
    let map = try folder.write(
      "maps/map.json",
      MapDocumentTests.map(
        ofLayers: #"{"id":"a","layerType":"\#(source.type)","url":"\#(source.file)"}"#))
    return MapDocumentTests.failure(try Map.open(path: map, access: access).layers[0], folder)
  }

  @Test(arguments: sources) private func `a CRS in a source names no file`(
    source: Source
  ) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("maps"), withIntermediateDirectories: true)
    let secret = try folder.write(
      "secret", "<1> +proj=longlat +datum=WGS84 +title=\(Self.token)\n")
    for path in [secret, String(repeating: "../", count: 60) + secret.dropFirst()] {
      let message = try Self.failure(source, naming: path, in: folder) ?? "it opens"
      #expect(message.contains("CRS names "), "\(message)")
      #expect(!message.contains(Self.token))
    }
  }

  /// On the same threads, all CRS definitions of the user are accepted.
  @Test func `files that the user names may name files`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("maps"), withIntermediateDirectories: true)
    let secret = try folder.write(
      "secret", "<1> +proj=longlat +datum=WGS84 +title=\(Self.token)\n")
    let source = Self.sources[0]
    _ = try Self.failure(source, naming: secret, in: folder)
    #expect(try Self.failure(source, naming: secret, in: folder, access: .anywhere) == nil)
    let reader = try VectorFeatureReader(path: folder.path("maps/t.geojson"))
    #expect(reader.spatialReference?.definition.contains(Self.token) == true)
  }

  /// PROJ's data are still read.
  @Test func `PROJ's own definitions are not files`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("maps"), withIntermediateDirectories: true)
    try folder.write(
      "maps/t.geojson",
      Self.sources[0].texts["t.geojson"]!.replacingOccurrences(of: "{REF}", with: "+init=nad83:101")
    )
    let map = try folder.write(
      "maps/map.json",
      MapDocumentTests.map(
        ofLayers: #"{"id":"a","layerType":"ArcGISFeatureLayer","url":"t.geojson"}"#))
    #expect(MapDocumentTests.failure(try Map.open(path: map).layers[0], folder) == nil)
  }
}
